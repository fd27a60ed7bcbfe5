/* What the two files of a host program share. SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef HOST_H
#define HOST_H

/* The first word of the Errors that host-error.c makes. */
#define HOST_MARK 0x74736f48u

extern int host_error_pulled;

#endif
