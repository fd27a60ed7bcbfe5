/*
 * QEMU's prototypes, written down for hosts that see no header of ours. SPDX-License-Identifier: MIT OR Apache-2.0
 */
#ifndef HOST_QAPI_ERROR_H
#define HOST_QAPI_ERROR_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct Error Error;
typedef enum ErrorClass { ERROR_CLASS_GENERIC_ERROR, ERROR_CLASS_COMMAND_NOT_FOUND } ErrorClass;

extern Error *error_abort;
extern Error *error_fatal;

const char *error_get_pretty(const Error *err);
ErrorClass error_get_class(const Error *err);
void error_setg_internal(Error **errp, const char *src, int line, const char *func, const char *fmt, ...);
void error_setg_errno_internal(Error **errp, const char *src, int line, const char *func, int os_error,
                               const char *fmt, ...);
void error_setg_file_open_internal(Error **errp, const char *src, int line, const char *func, int os_errno,
                                   const char *filename);
void error_set_internal(Error **errp, const char *src, int line, const char *func, ErrorClass err_class,
                        const char *fmt, ...);
void error_propagate(Error **dst_errp, Error *local_err);
void error_propagate_prepend(Error **dst_errp, Error *local_err, const char *fmt, ...);
void error_vprepend(Error *const *errp, const char *fmt, va_list ap);
void error_prepend(Error *const *errp, const char *fmt, ...);
void error_append_hint(Error *const *errp, const char *fmt, ...);
Error *error_copy(const Error *err);
void error_free(Error *err);
void error_free_or_abort(Error **errp);
void error_report_err(Error *err);
void error_reportf_err(Error *err, const char *fmt, ...);
void warn_report_err(Error *err);
void warn_reportf_err(Error *err, const char *fmt, ...);
bool warn_report_err_once_cond(bool *printed, Error *err);

#endif
