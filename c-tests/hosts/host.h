/* What the files of a host program share. SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef HOST_H
#define HOST_H

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The first word of the Errors that host-error.c makes. */
#define HOST_MARK 0x74736f48u

extern int host_error_pulled;

/* Whether the functions and tables of host-util.c are the program's. */
bool host_util_works(void);

#ifdef __cplusplus
}
#endif

#endif
