/*
 * QEMU's Error objects, under QEMU's include path and names.
 *
 * A function that can fail takes an `Error **errp`, the address of a NULL-initialised Error pointer, or one of:
 *
 *   NULL            the caller does not want to know why
 *   &error_abort    a failure is a bug: print it and abort()
 *   &error_fatal    a failure ends the program: print it and exit(1)
 *
 * libqcrypto has a default implementation of this whole set. A program that defines the set itself, as QEMU does,
 * keeps its own: libqcrypto's Errors are then made by the program's functions. That fails in programs that hide their
 * error_* symbols (-fvisibility=hidden, --exclude-libs), and in programs that dlopen() libqcrypto with RTLD_LOCAL
 * without exporting theirs (-rdynamic): there libqcrypto's Errors are of its own kind, and &error_abort and
 * &error_fatal of the program mean nothing to it. Programs in Rust that have the crate as an rlib have its set only.
 *
 * Each Error is used by one thread at a time. SPDX-License-Identifier: MIT OR Apache-2.0
 */
#ifndef QCRYPTO_QAPI_ERROR_H
#define QCRYPTO_QAPI_ERROR_H

#include <stdarg.h>
#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

#ifdef __GNUC__
#define QCRYPTO_PRINTF(fmt, args) __attribute__((format(printf, fmt, args)))
#else
#define QCRYPTO_PRINTF(fmt, args)
#endif

/* Opaque: its layout is the business of whoever implements the functions. */
typedef struct Error Error;

/* QAPI's classes. All but the first are for QMP clients; libqcrypto only makes the first. */
typedef enum ErrorClass {
    ERROR_CLASS_GENERIC_ERROR = 0,
    ERROR_CLASS_COMMAND_NOT_FOUND = 1,
    ERROR_CLASS_DEVICE_NOT_ACTIVE = 2,
    ERROR_CLASS_DEVICE_NOT_FOUND = 3,
    ERROR_CLASS_KVM_MISSING_CAP = 4,
} ErrorClass;

/* Compared by address; their values are never looked at. */
extern Error *error_abort;
extern Error *error_fatal;

/* The message, valid as long as the Error; "" for NULL. */
const char *error_get_pretty(const Error *err);

ErrorClass error_get_class(const Error *err);

/* Make an Error where errp says. Where *errp holds one already, the first is kept. errno is preserved. */
#define error_setg(errp, ...) error_setg_internal((errp), __FILE__, __LINE__, __func__, __VA_ARGS__)
void error_setg_internal(Error **errp, const char *src, int line, const char *func, const char *fmt, ...)
    QCRYPTO_PRINTF(5, 6);

/* The same with ": " and strerror(os_error) appended, unless os_error is 0. */
#define error_setg_errno(errp, os_error, ...) \
    error_setg_errno_internal((errp), __FILE__, __LINE__, __func__, (os_error), __VA_ARGS__)
void error_setg_errno_internal(Error **errp, const char *src, int line, const char *func, int os_error,
                               const char *fmt, ...) QCRYPTO_PRINTF(6, 7);

/* "Could not open 'filename'", with the meaning of os_errno. */
#define error_setg_file_open(errp, os_errno, filename) \
    error_setg_file_open_internal((errp), __FILE__, __LINE__, __func__, (os_errno), (filename))
void error_setg_file_open_internal(Error **errp, const char *src, int line, const char *func, int os_errno,
                                   const char *filename);

/* error_setg() with a class. */
#define error_set(errp, err_class, ...) \
    error_set_internal((errp), __FILE__, __LINE__, __func__, (err_class), __VA_ARGS__)
void error_set_internal(Error **errp, const char *src, int line, const char *func, ErrorClass err_class,
                        const char *fmt, ...) QCRYPTO_PRINTF(6, 7);

/* Hand an Error, or NULL, on to dst_errp. Frees it where dst_errp is NULL or holds one already. */
void error_propagate(Error **dst_errp, Error *local_err);
void error_propagate_prepend(Error **dst_errp, Error *local_err, const char *fmt, ...) QCRYPTO_PRINTF(3, 4);

/* Put a text before the message. Nothing happens where there is no Error. */
void error_prepend(Error *const *errp, const char *fmt, ...) QCRYPTO_PRINTF(2, 3);
void error_vprepend(Error *const *errp, const char *fmt, va_list ap) QCRYPTO_PRINTF(2, 0);

/* Add a text for people, printed after the message. It should end in a newline. */
void error_append_hint(Error *const *errp, const char *fmt, ...) QCRYPTO_PRINTF(2, 3);

Error *error_copy(const Error *err);

/* NULL is allowed. */
void error_free(Error *err);

/* Free *errp and set it to NULL; abort() where there is none. For tests. */
void error_free_or_abort(Error **errp);

/* Print on stderr, as an error or a warning, and free. */
void error_report_err(Error *err);
void error_reportf_err(Error *err, const char *fmt, ...) QCRYPTO_PRINTF(2, 3);
void warn_report_err(Error *err);
void warn_reportf_err(Error *err, const char *fmt, ...) QCRYPTO_PRINTF(2, 3);

/* The same if *printed is false, which is then set; else only free. Returns whether it printed. */
bool warn_report_err_once_cond(bool *printed, Error *err);

#ifdef __cplusplus
}
#endif

#if defined(__GNUC__) && !defined(__cplusplus)

/* As warn_report_err(), but the first time only. */
#define warn_report_err_once(err) \
    __extension__({ \
        static bool qcrypto_printed; \
        warn_report_err_once_cond(&qcrypto_printed, (err)); \
    })

typedef struct QCryptoErrorGuard {
    Error **errp;
    Error *local;
} QCryptoErrorGuard;

static inline void qcrypto_error_guard_leave(QCryptoErrorGuard *guard)
{
    error_propagate(guard->errp, guard->local);
}

/*
 * At the start of a function that has a parameter errp: from here on *errp can be looked at, and an Error be prepended
 * to, whatever the caller passed. What errp then holds goes to the caller when the function returns.
 */
#define ERRP_GUARD() \
    __attribute__((cleanup(qcrypto_error_guard_leave))) QCryptoErrorGuard qcrypto_error_guard = { errp, (Error *)0 }; \
    do { \
        if (!errp || errp == &error_fatal) { \
            errp = &qcrypto_error_guard.local; \
        } \
    } while (0)

#endif

#endif /* QCRYPTO_QAPI_ERROR_H */
