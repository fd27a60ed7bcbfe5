/*
 * The bodies of qapi/error.h's variadic functions, which stable Rust cannot define: each formats its text and hands it
 * to the Rust function of error.rs that does the work. The public names are naked functions there that jump here.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

struct Error;

#define HIDDEN __attribute__((visibility("hidden")))

/* The Rust side, in src/capi/error.rs. */
HIDDEN void qcrypto_error_set_text(struct Error **errp, const char *src, int line, const char *func, unsigned err_class,
                                   int os_errno, const char *text);
HIDDEN void qcrypto_error_prepend_text(struct Error *const *errp, const char *text);
HIDDEN void qcrypto_error_append_hint_text(struct Error *const *errp, const char *text);
HIDDEN void qcrypto_error_report_text(struct Error *err, bool warning, const char *text);
void error_propagate(struct Error **dst_errp, struct Error *local_err);

/* What is said where there is no memory, or no valid format, to say the right thing. */
static char no_text[] = "(message could not be formatted)";

/* A text of malloc(), or no_text. */
__attribute__((format(printf, 1, 0)))
static char *format(const char *fmt, va_list ap)
{
    va_list again;
    va_copy(again, ap);
    int len = vsnprintf(NULL, 0, fmt, ap);
    char *text = len < 0 ? NULL : malloc((size_t)len + 1);
    if (text) {
        vsnprintf(text, (size_t)len + 1, fmt, again);
    }
    va_end(again);
    return text ? text : no_text;
}

static void release(char *text)
{
    if (text != no_text) {
        free(text);
    }
}

static void set(struct Error **errp, const char *src, int line, const char *func, unsigned err_class, int os_errno,
                const char *fmt, va_list ap)
{
    /* Callers make an Error between a failed call and their look at errno. */
    int saved_errno = errno;
    if (errp) {
        char *text = format(fmt, ap);
        qcrypto_error_set_text(errp, src, line, func, err_class, os_errno, text);
        release(text);
    }
    errno = saved_errno;
}

HIDDEN void qcrypto_variadic_setg(struct Error **errp, const char *src, int line, const char *func, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    set(errp, src, line, func, 0, 0, fmt, ap);
    va_end(ap);
}

HIDDEN void qcrypto_variadic_setg_errno(struct Error **errp, const char *src, int line, const char *func, int os_errno,
                                        const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    set(errp, src, line, func, 0, os_errno, fmt, ap);
    va_end(ap);
}

/* Not variadic itself: what it shares with those that are is that it keeps errno. */
HIDDEN void qcrypto_variadic_setg_file_open(struct Error **errp, const char *src, int line, const char *func, int os_errno,
                                            const char *filename)
{
    qcrypto_variadic_setg_errno(errp, src, line, func, os_errno, "Could not open '%s'", filename);
}

HIDDEN void qcrypto_variadic_set(struct Error **errp, const char *src, int line, const char *func, unsigned err_class,
                                 const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    set(errp, src, line, func, err_class, 0, fmt, ap);
    va_end(ap);
}

HIDDEN void qcrypto_variadic_vprepend(struct Error *const *errp, const char *fmt, va_list ap)
{
    char *text = format(fmt, ap);
    qcrypto_error_prepend_text(errp, text);
    release(text);
}

HIDDEN void qcrypto_variadic_prepend(struct Error *const *errp, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    qcrypto_variadic_vprepend(errp, fmt, ap);
    va_end(ap);
}

HIDDEN void qcrypto_variadic_propagate_prepend(struct Error **dst_errp, struct Error *local_err, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    qcrypto_variadic_vprepend(&local_err, fmt, ap);
    va_end(ap);
    error_propagate(dst_errp, local_err);
}

HIDDEN void qcrypto_variadic_append_hint(struct Error *const *errp, const char *fmt, ...)
{
    int saved_errno = errno;
    va_list ap;
    va_start(ap, fmt);
    char *text = format(fmt, ap);
    va_end(ap);
    qcrypto_error_append_hint_text(errp, text);
    release(text);
    errno = saved_errno;
}

static void report(struct Error *err, bool warning, const char *fmt, va_list ap)
{
    char *text = format(fmt, ap);
    qcrypto_error_report_text(err, warning, text);
    release(text);
}

HIDDEN void qcrypto_variadic_reportf(struct Error *err, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    report(err, false, fmt, ap);
    va_end(ap);
}

HIDDEN void qcrypto_variadic_warn_reportf(struct Error *err, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    report(err, true, fmt, ap);
    va_end(ap);
}
