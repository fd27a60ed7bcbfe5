/*
 * QEMU's prototypes, declared again after our headers: a compiler refuses what does not agree. With -DBEFORE_9_2 under
 * the names of QEMU before 9.2; with -DWRONG=1, 2, ... with something that must be refused.
 *
 * SPDX-License-Identifier: MIT OR Apache-2.0
 */
#include "crypto/afsplit.h"
#include "crypto/cipher.h"
#include "crypto/hash.h"
#include "crypto/hmac.h"
#include "crypto/init.h"
#include "crypto/ivgen.h"
#include "crypto/pbkdf.h"
#include "crypto/random.h"
#include "crypto/xts.h"
#include "qapi/error.h"
#include "qapi/qapi-types-crypto.h"

#ifdef BEFORE_9_2
#define ALGO QCryptoCipherAlgorithm
#define HASH QCryptoHashAlgorithm
#define IVGEN QCryptoIVGenAlgorithm
#else
#define ALGO QCryptoCipherAlgo
#define HASH QCryptoHashAlgo
#define IVGEN QCryptoIVGenAlgo
#endif

typedef int gboolean; /* as GLib has it */
typedef struct Error Error;
typedef struct QCryptoCipher QCryptoCipher;
typedef struct QCryptoHash QCryptoHash;
typedef struct QCryptoHmac QCryptoHmac;
typedef struct QCryptoIVGen QCryptoIVGen;

bool qcrypto_cipher_supports(ALGO alg, QCryptoCipherMode mode);
size_t qcrypto_cipher_get_block_len(ALGO alg);
size_t qcrypto_cipher_get_key_len(ALGO alg);
size_t qcrypto_cipher_get_iv_len(ALGO alg, QCryptoCipherMode mode);
QCryptoCipher *qcrypto_cipher_new(ALGO alg, QCryptoCipherMode mode, const uint8_t *key, size_t nkey, Error **errp);
void qcrypto_cipher_free(QCryptoCipher *cipher);
int qcrypto_cipher_encrypt(QCryptoCipher *cipher, const void *in, void *out, size_t len, Error **errp);
int qcrypto_cipher_decrypt(QCryptoCipher *cipher, const void *in, void *out, size_t len, Error **errp);
int qcrypto_cipher_setiv(QCryptoCipher *cipher, const uint8_t *iv, size_t niv, Error **errp);

int qcrypto_init(Error **errp);
int qcrypto_random_bytes(void *buf, size_t buflen, Error **errp);
int qcrypto_random_init(Error **errp);

gboolean qcrypto_hash_supports(HASH alg);
size_t qcrypto_hash_digest_len(HASH alg);
int qcrypto_hash_bytesv(HASH alg, const struct iovec *iov, size_t niov, uint8_t **result, size_t *resultlen,
                        Error **errp);
int qcrypto_hash_bytes(HASH alg, const void *buf, size_t len, uint8_t **result, size_t *resultlen, Error **errp);
int qcrypto_hash_digestv(HASH alg, const struct iovec *iov, size_t niov, char **digest, Error **errp);
int qcrypto_hash_updatev(QCryptoHash *hash, const struct iovec *iov, size_t niov, Error **errp);
int qcrypto_hash_update(QCryptoHash *hash, const void *buf, size_t len, Error **errp);
int qcrypto_hash_finalize_digest(QCryptoHash *hash, char **digest, Error **errp);
int qcrypto_hash_finalize_base64(QCryptoHash *hash, char **base64, Error **errp);
int qcrypto_hash_finalize_bytes(QCryptoHash *hash, uint8_t **result, size_t *result_len, Error **errp);
QCryptoHash *qcrypto_hash_new(HASH alg, Error **errp);
void qcrypto_hash_free(QCryptoHash *hash);
int qcrypto_hash_digest(HASH alg, const void *buf, size_t len, char **digest, Error **errp);
int qcrypto_hash_base64v(HASH alg, const struct iovec *iov, size_t niov, char **base64, Error **errp);
int qcrypto_hash_base64(HASH alg, const void *buf, size_t len, char **base64, Error **errp);

bool qcrypto_hmac_supports(HASH alg);
QCryptoHmac *qcrypto_hmac_new(HASH alg, const uint8_t *key, size_t nkey, Error **errp);
void qcrypto_hmac_free(QCryptoHmac *hmac);
int qcrypto_hmac_bytesv(QCryptoHmac *hmac, const struct iovec *iov, size_t niov, uint8_t **result, size_t *resultlen,
                        Error **errp);
int qcrypto_hmac_bytes(QCryptoHmac *hmac, const void *buf, size_t len, uint8_t **result, size_t *resultlen,
                       Error **errp);
int qcrypto_hmac_digestv(QCryptoHmac *hmac, const struct iovec *iov, size_t niov, char **digest, Error **errp);
int qcrypto_hmac_digest(QCryptoHmac *hmac, const void *buf, size_t len, char **digest, Error **errp);

bool qcrypto_pbkdf2_supports(HASH hash);
int qcrypto_pbkdf2(HASH hash, const uint8_t *key, size_t nkey, const uint8_t *salt, size_t nsalt, uint64_t iterations,
                   uint8_t *out, size_t nout, Error **errp);
uint64_t qcrypto_pbkdf2_count_iters(HASH hash, const uint8_t *key, size_t nkey, const uint8_t *salt, size_t nsalt,
                                    size_t nout, Error **errp);
QCryptoIVGen *qcrypto_ivgen_new(IVGEN alg, ALGO cipheralg, HASH hash, const uint8_t *key, size_t nkey, Error **errp);
int qcrypto_ivgen_calculate(QCryptoIVGen *ivgen, uint64_t sector, uint8_t *iv, size_t niv, Error **errp);
IVGEN qcrypto_ivgen_get_algorithm(QCryptoIVGen *ivgen);
ALGO qcrypto_ivgen_get_cipher(QCryptoIVGen *ivgen);
HASH qcrypto_ivgen_get_hash(QCryptoIVGen *ivgen);
void qcrypto_ivgen_free(QCryptoIVGen *ivgen);
int qcrypto_afsplit_encode(HASH hash, size_t blocklen, uint32_t stripes, const uint8_t *in, uint8_t *out, Error **errp);
int qcrypto_afsplit_decode(HASH hash, size_t blocklen, uint32_t stripes, const uint8_t *in, uint8_t *out, Error **errp);

/* QEMU had these until 10.1, private to it, as functions of another object. */
static inline void xts_encrypt(const void *datactx, const void *tweakctx, xts_cipher_func *encfunc,
                               xts_cipher_func *decfunc, uint8_t *iv, size_t length, uint8_t *dst, const uint8_t *src);
static inline void xts_decrypt(const void *datactx, const void *tweakctx, xts_cipher_func *encfunc,
                               xts_cipher_func *decfunc, uint8_t *iv, size_t length, uint8_t *dst, const uint8_t *src);
const char *qapi_enum_lookup(const QEnumLookup *lookup, int val);
int qapi_enum_parse(const QEnumLookup *lookup, const char *buf, int def, Error **errp);

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
#elif WRONG == 7
bool qcrypto_hash_supports(HASH alg);
#elif WRONG == 8
gboolean qcrypto_hmac_supports(HASH alg);
#elif WRONG == 9
int qcrypto_pbkdf2(HASH hash, const uint8_t *key, size_t nkey, const uint8_t *salt, size_t nsalt, unsigned iterations,
                   uint8_t *out, size_t nout, Error **errp);
#elif WRONG == 10
int qcrypto_ivgen_calculate(QCryptoIVGen *ivgen, uint32_t sector, uint8_t *iv, size_t niv, Error **errp);
#elif WRONG == 11
int qcrypto_afsplit_encode(HASH hash, size_t blocklen, size_t stripes, const uint8_t *in, uint8_t *out, Error **errp);
#elif WRONG == 12
void xts_encrypt(const void *datactx, const void *tweakctx, xts_cipher_func *encfunc, uint8_t *iv, size_t length,
                 uint8_t *dst, const uint8_t *src);
#elif WRONG == 13
int qapi_enum_parse(const QEnumLookup *lookup, const char *buf, Error **errp);
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
    QCryptoHash *hash = qcrypto_hash_new(QCRYPTO_HASH_ALGO_SHA256, &error_fatal);
    HASH alg = hash->alg;
    qcrypto_hash_free(hash);
    return mode == QCRYPTO_CIPHER_MODE_CBC && alg == QCRYPTO_HASH_ALGO_SHA256;
}
