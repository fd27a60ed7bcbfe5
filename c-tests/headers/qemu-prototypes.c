/*
 * QEMU's prototypes, declared again after our headers: a compiler refuses what does not agree. With -DBEFORE_9_2 under
 * the names of QEMU before 9.2; with -DWRONG=1, 2, ... with something that must be refused.
 *
 * SPDX-License-Identifier: MIT OR Apache-2.0
 */
#include "crypto/cipher.h"
#include "qapi/error.h"
#include "qapi/qapi-types-crypto.h"

#ifdef BEFORE_9_2
#define ALGO QCryptoCipherAlgorithm
#else
#define ALGO QCryptoCipherAlgo
#endif

typedef struct Error Error;
typedef struct QCryptoCipher QCryptoCipher;

bool qcrypto_cipher_supports(ALGO alg, QCryptoCipherMode mode);
size_t qcrypto_cipher_get_block_len(ALGO alg);
size_t qcrypto_cipher_get_key_len(ALGO alg);
size_t qcrypto_cipher_get_iv_len(ALGO alg, QCryptoCipherMode mode);
QCryptoCipher *qcrypto_cipher_new(ALGO alg, QCryptoCipherMode mode, const uint8_t *key, size_t nkey, Error **errp);
void qcrypto_cipher_free(QCryptoCipher *cipher);
int qcrypto_cipher_encrypt(QCryptoCipher *cipher, const void *in, void *out, size_t len, Error **errp);
int qcrypto_cipher_decrypt(QCryptoCipher *cipher, const void *in, void *out, size_t len, Error **errp);
int qcrypto_cipher_setiv(QCryptoCipher *cipher, const uint8_t *iv, size_t niv, Error **errp);

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
void warn_report_err(Error *err);
void error_report_err(Error *err);
bool warn_report_err_once_cond(bool *printed, Error *err);
void warn_reportf_err(Error *err, const char *fmt, ...);
void error_reportf_err(Error *err, const char *fmt, ...);

#if WRONG == 1
int qcrypto_cipher_encrypt(QCryptoCipher *cipher, const void *in, void *out, int len, Error **errp);
#elif WRONG == 2
int qcrypto_cipher_supports(ALGO alg, QCryptoCipherMode mode);
#elif WRONG == 3
size_t qcrypto_cipher_get_key_len(int alg);
#elif WRONG == 4
int qcrypto_cipher_setiv(QCryptoCipher *cipher, uint8_t *iv, size_t niv, Error **errp);
#elif WRONG == 5
QCryptoCipher *qcrypto_cipher_new(ALGO alg, QCryptoCipherMode mode, const uint8_t *key, size_t nkey, Error *errp);
#elif WRONG == 6
extern int error_abort;
#endif

/* A use of each kind, as callers have it. */
int use(void);
int use(void)
{
    static const uint8_t key[16];
    QCryptoCipher *cipher =
        qcrypto_cipher_new(QCRYPTO_CIPHER_ALGO_AES_128, QCRYPTO_CIPHER_MODE_CBC, key, sizeof(key), &error_fatal);
    QCryptoCipherMode mode = cipher->mode;
    qcrypto_cipher_free(cipher);
    return mode == QCRYPTO_CIPHER_MODE_CBC;
}
