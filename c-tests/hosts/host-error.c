/*
 * The Error set of a host program, as emulators have one: all functions of qapi/error.h, over a struct that is laid
 * out like nobody else's. Its first word is a mark by which the tests know whose an Error is, and what it prints begins
 * with "HOST".
 *
 * SPDX-License-Identifier: MIT OR Apache-2.0
 */
#include <qapi/error.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host.h"

struct Error {
    unsigned mark;
    int line;
    ErrorClass err_class;
    char text[400];
    char hint[200];
    const char *func;
};

Error *error_abort;
Error *error_fatal;

/* Tells the program that this file is linked in: referring to it pulls it out of an archive. */
int host_error_pulled = 1;

static void deliver(Error **errp, Error *err)
{
    if (errp == &error_abort) {
        fprintf(stderr, "HOST abort in %s: %s\n", err->func, err->text);
        abort();
    }
    if (errp == &error_fatal) {
        error_report_err(err);
        exit(1);
    }
    if (errp && !*errp) {
        *errp = err;
    } else {
        error_free(err);
    }
}

static Error *make(int line, const char *func, ErrorClass err_class, int os_error, const char *fmt, va_list ap)
{
    Error *err = calloc(1, sizeof(*err));
    err->mark = HOST_MARK;
    err->line = line;
    err->func = func;
    err->err_class = err_class;
    int len = vsnprintf(err->text, sizeof(err->text), fmt, ap);
    if (os_error && len >= 0 && (size_t)len < sizeof(err->text)) {
        snprintf(err->text + len, sizeof(err->text) - (size_t)len, ": %s", strerror(os_error));
    }
    return err;
}

void error_setg_internal(Error **errp, const char *src, int line, const char *func, const char *fmt, ...)
{
    va_list ap;
    (void)src;
    va_start(ap, fmt);
    deliver(errp, make(line, func, ERROR_CLASS_GENERIC_ERROR, 0, fmt, ap));
    va_end(ap);
}

void error_setg_errno_internal(Error **errp, const char *src, int line, const char *func, int os_error,
                               const char *fmt, ...)
{
    va_list ap;
    (void)src;
    va_start(ap, fmt);
    deliver(errp, make(line, func, ERROR_CLASS_GENERIC_ERROR, os_error, fmt, ap));
    va_end(ap);
}

void error_set_internal(Error **errp, const char *src, int line, const char *func, ErrorClass err_class,
                        const char *fmt, ...)
{
    va_list ap;
    (void)src;
    va_start(ap, fmt);
    deliver(errp, make(line, func, err_class, 0, fmt, ap));
    va_end(ap);
}

void error_setg_file_open_internal(Error **errp, const char *src, int line, const char *func, int os_errno,
                                   const char *filename)
{
    error_setg_errno_internal(errp, src, line, func, os_errno, "Could not open '%s'", filename);
}

const char *error_get_pretty(const Error *err)
{
    return err ? err->text : "";
}

ErrorClass error_get_class(const Error *err)
{
    return err->err_class;
}

Error *error_copy(const Error *err)
{
    Error *copy = malloc(sizeof(*copy));
    *copy = *err;
    return copy;
}

void error_free(Error *err)
{
    if (err && err->mark != HOST_MARK) {
        fprintf(stderr, "HOST was given a foreign Error to free\n");
        abort();
    }
    free(err);
}

void error_free_or_abort(Error **errp)
{
    if (!*errp) {
        abort();
    }
    error_free(*errp);
    *errp = NULL;
}

void error_propagate(Error **dst_errp, Error *local_err)
{
    if (local_err) {
        deliver(dst_errp, local_err);
    }
}

void error_vprepend(Error *const *errp, const char *fmt, va_list ap)
{
    if (errp && *errp) {
        char old[sizeof((*errp)->text)];
        memcpy(old, (*errp)->text, sizeof(old));
        int len = vsnprintf((*errp)->text, sizeof(old), fmt, ap);
        if (len >= 0 && (size_t)len < sizeof(old)) {
            snprintf((*errp)->text + len, sizeof(old) - (size_t)len, "%s", old);
        }
    }
}

void error_prepend(Error *const *errp, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    error_vprepend(errp, fmt, ap);
    va_end(ap);
}

void error_propagate_prepend(Error **dst_errp, Error *local_err, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    error_vprepend(&local_err, fmt, ap);
    va_end(ap);
    error_propagate(dst_errp, local_err);
}

void error_append_hint(Error *const *errp, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    if (errp && *errp) {
        size_t len = strlen((*errp)->hint);
        vsnprintf((*errp)->hint + len, sizeof((*errp)->hint) - len, fmt, ap);
    }
    va_end(ap);
}

static void print(Error *err, const char *kind, const char *fmt, va_list *ap)
{
    fprintf(stderr, "HOST %s: ", kind);
    if (fmt) {
        vfprintf(stderr, fmt, *ap);
    }
    fprintf(stderr, "%s\n%s", err->text, err->hint);
    error_free(err);
}

void error_report_err(Error *err)
{
    print(err, "error", NULL, NULL);
}

void warn_report_err(Error *err)
{
    print(err, "warning", NULL, NULL);
}

void error_reportf_err(Error *err, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    print(err, "error", fmt, &ap);
    va_end(ap);
}

void warn_reportf_err(Error *err, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    print(err, "warning", fmt, &ap);
    va_end(ap);
}

bool warn_report_err_once_cond(bool *printed, Error *err)
{
    if (*printed) {
        error_free(err);
        return false;
    }
    *printed = true;
    warn_report_err(err);
    return true;
}
