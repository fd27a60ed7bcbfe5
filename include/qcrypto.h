/*
 * QEMU's crypto API as a library of its own.
 *
 * All sizes are in bytes. Functions returning int return 0 on success and -1 on error; those returning a pointer
 * return NULL on error; what differs says so. On error *errp is set, where errp is the address of a NULL-initialised
 * Error pointer; it may also be NULL (do not tell), &error_abort or &error_fatal. A refused call writes nothing and
 * changes nothing, but for the case told at qcrypto_hmac_bytesv(). Everything may be called from any thread and before
 * any initialisation. See qcrypto(3).
 *
 * Made by cbindgen from src/capi; do not edit. SPDX-License-Identifier: MIT OR Apache-2.0
 */

#ifndef QCRYPTO_H
#define QCRYPTO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/uio.h>
#include <qapi/error.h>

/**
 * Length of an MD5 digest in bytes
 */
#define QCRYPTO_HASH_DIGEST_LEN_MD5 16

/**
 * Length of a SHA-1 digest in bytes
 */
#define QCRYPTO_HASH_DIGEST_LEN_SHA1 20

/**
 * Length of a SHA-224 digest in bytes
 */
#define QCRYPTO_HASH_DIGEST_LEN_SHA224 28

/**
 * Length of a SHA-256 digest in bytes
 */
#define QCRYPTO_HASH_DIGEST_LEN_SHA256 32

/**
 * Length of a SHA-384 digest in bytes
 */
#define QCRYPTO_HASH_DIGEST_LEN_SHA384 48

/**
 * Length of a SHA-512 digest in bytes
 */
#define QCRYPTO_HASH_DIGEST_LEN_SHA512 64

/**
 * Length of a RIPEMD-160 digest in bytes
 */
#define QCRYPTO_HASH_DIGEST_LEN_RIPEMD160 20

/**
 * Length of an SM3 digest in bytes
 */
#define QCRYPTO_HASH_DIGEST_LEN_SM3 32

/**
 * QCryptoHashAlgo:
 *
 * The supported algorithms for computing content digests. The numbers are those of QEMU since 2.7.
 */
typedef enum QCryptoHashAlgo {
  QCRYPTO_HASH_ALGO_MD5 = 0,
  QCRYPTO_HASH_ALGO_SHA1 = 1,
  QCRYPTO_HASH_ALGO_SHA224 = 2,
  QCRYPTO_HASH_ALGO_SHA256 = 3,
  QCRYPTO_HASH_ALGO_SHA384 = 4,
  QCRYPTO_HASH_ALGO_SHA512 = 5,
  QCRYPTO_HASH_ALGO_RIPEMD160 = 6,
  QCRYPTO_HASH_ALGO_SM3 = 7,
  QCRYPTO_HASH_ALGO__MAX = 8,
} QCryptoHashAlgo;

/**
 * QCryptoCipherAlgo:
 *
 * The supported algorithms for content encryption ciphers. The numbers are those of QEMU since 2.9.
 */
typedef enum QCryptoCipherAlgo {
  QCRYPTO_CIPHER_ALGO_AES_128 = 0,
  QCRYPTO_CIPHER_ALGO_AES_192 = 1,
  QCRYPTO_CIPHER_ALGO_AES_256 = 2,
  QCRYPTO_CIPHER_ALGO_DES = 3,
  QCRYPTO_CIPHER_ALGO_3DES = 4,
  QCRYPTO_CIPHER_ALGO_CAST5_128 = 5,
  QCRYPTO_CIPHER_ALGO_SERPENT_128 = 6,
  QCRYPTO_CIPHER_ALGO_SERPENT_192 = 7,
  QCRYPTO_CIPHER_ALGO_SERPENT_256 = 8,
  QCRYPTO_CIPHER_ALGO_TWOFISH_128 = 9,
  QCRYPTO_CIPHER_ALGO_TWOFISH_192 = 10,
  QCRYPTO_CIPHER_ALGO_TWOFISH_256 = 11,
  QCRYPTO_CIPHER_ALGO_SM4 = 12,
  QCRYPTO_CIPHER_ALGO__MAX = 13,
} QCryptoCipherAlgo;

/**
 * QCryptoCipherMode:
 *
 * The supported modes for content encryption ciphers. The numbers are those of QEMU since 2.8.
 */
typedef enum QCryptoCipherMode {
  QCRYPTO_CIPHER_MODE_ECB = 0,
  QCRYPTO_CIPHER_MODE_CBC = 1,
  QCRYPTO_CIPHER_MODE_XTS = 2,
  QCRYPTO_CIPHER_MODE_CTR = 3,
  QCRYPTO_CIPHER_MODE__MAX = 4,
} QCryptoCipherMode;

/**
 * QCryptoIVGenAlgo:
 *
 * The supported rules for generating initialization vectors. The numbers are those of QEMU since 2.6.
 */
typedef enum QCryptoIVGenAlgo {
  QCRYPTO_IV_GEN_ALGO_PLAIN = 0,
  QCRYPTO_IV_GEN_ALGO_PLAIN64 = 1,
  QCRYPTO_IV_GEN_ALGO_ESSIV = 2,
  QCRYPTO_IV_GEN_ALGO__MAX = 3,
} QCryptoIVGenAlgo;

/**
 * QCryptoCipherDriver:
 *
 * Opaque. The name is kept for sources that mention it.
 */
typedef struct QCryptoCipherDriver QCryptoCipherDriver;

/**
 * QCryptoIVGen:
 *
 * What makes the IV of a sector from its number. Opaque. Any number of threads may use one object at a time.
 */
typedef struct QCryptoIVGen QCryptoIVGen;

/**
 * QCryptoCipher:
 * @alg: the algorithm it was made for
 * @mode: the mode it was made for
 * @driver: always NULL
 *
 * A keyed cipher in one mode. The fields are for reading; what follows them is private.
 *
 * One object encrypts and decrypts, sharing one IV. It may be used from any thread, by one thread at a time, but for
 * qcrypto_cipher_encrypt_sectors() and qcrypto_cipher_decrypt_sectors(); different objects are independent. It must
 * not be used on both sides of a fork.
 */
typedef struct QCryptoCipher {
  /**
   * the algorithm it was made for
   */
  QCryptoCipherAlgo alg;
  /**
   * the mode it was made for
   */
  QCryptoCipherMode mode;
  /**
   * always NULL
   */
  const struct QCryptoCipherDriver *driver;
} QCryptoCipher;

/**
 * QCryptoHash:
 * @alg: the algorithm it was made for
 * @opaque: always NULL
 * @driver: always NULL
 *
 * A hash that is fed piece by piece. The fields are for reading; what follows them is private.
 *
 * It may be used from any thread, by one thread at a time; different objects are independent.
 */
typedef struct QCryptoHash {
  /**
   * the algorithm it was made for
   */
  QCryptoHashAlgo alg;
  /**
   * always NULL
   */
  void *opaque;
  /**
   * always NULL
   */
  void *driver;
} QCryptoHash;

/**
 * QCryptoHmac:
 * @alg: the hash it was made for
 * @opaque: always NULL
 * @driver: always NULL
 *
 * A keyed HMAC. The fields are for reading; what follows them is private.
 *
 * It may be used from any thread, by one thread at a time; different objects are independent.
 */
typedef struct QCryptoHmac {
  /**
   * the hash it was made for
   */
  QCryptoHashAlgo alg;
  /**
   * always NULL
   */
  void *opaque;
  /**
   * always NULL
   */
  void *driver;
} QCryptoHmac;

/**
 * QCryptoXtsFunc:
 * @ctx: what the caller of the XTS function gave for it
 * @length: always one block, 16 bytes
 * @dst: room for the result, which may be @src
 * @src: the block to encrypt, or to decrypt
 *
 * A block cipher with a key, in one direction.
 */
typedef void (*QCryptoXtsFunc)(const void *ctx, size_t length, uint8_t *dst, const uint8_t *src);

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

/**
 * qcrypto_init:
 * @errp: pointer to a NULL-initialised Error pointer, or NULL, &error_abort, &error_fatal
 *
 * Open the libraries of the backends in use (see qcrypto_set_backends()), for programs that lock themselves in later
 * and could not open them then. Everything works without it, and it may be called any number of times, from any thread.
 *
 * Returns: 0 on success; -1 if none of the backends in use is available, which takes a list that ends in "!"
 */
int qcrypto_init(Error **errp);

/**
 * qcrypto_random_bytes:
 * @buf: room for the bytes; may be NULL if @buflen is 0
 * @buflen: the length of @buf in bytes
 * @errp: pointer to a NULL-initialised Error pointer, or NULL, &error_abort, &error_fatal
 *
 * Fill @buf with bytes from the kernel's random number generator, getrandom(), asked anew each time: nothing is kept that
 * a fork could double. Works before qcrypto_init().
 *
 * Returns: 0 on success, -1 on error
 */
int qcrypto_random_bytes(void *buf,
                         size_t buflen,
                         Error **errp);

/**
 * qcrypto_random_init:
 * @errp: pointer to a NULL-initialised Error pointer, or NULL, &error_abort, &error_fatal
 *
 * Kept for callers of QEMU's; there is nothing to initialise.
 *
 * Returns: 0
 */
int qcrypto_random_init(Error **errp);

/**
 * qcrypto_cipher_supports:
 * @alg: the cipher algorithm
 * @mode: the cipher mode
 *
 * Determine if @alg is available in @mode. True exactly when qcrypto_cipher_new() with a key of the right length
 * succeeds. Values that are no algorithm or mode give false.
 *
 * Returns: true if the pair is available, false otherwise
 */
bool qcrypto_cipher_supports(QCryptoCipherAlgo alg, QCryptoCipherMode mode);

/**
 * qcrypto_cipher_get_block_len:
 * @alg: the cipher algorithm
 *
 * Get the block length of @alg: 8 for DES, 3DES and CAST5-128, else 16.
 *
 * Returns: the length in bytes, 0 if @alg is no algorithm
 */
size_t qcrypto_cipher_get_block_len(QCryptoCipherAlgo alg);

/**
 * qcrypto_cipher_get_key_len:
 * @alg: the cipher algorithm
 *
 * Get the key length of @alg. XTS takes two keys of this length, one after the other.
 *
 * Returns: the length in bytes, 0 if @alg is no algorithm
 */
size_t qcrypto_cipher_get_key_len(QCryptoCipherAlgo alg);

/**
 * qcrypto_cipher_get_iv_len:
 * @alg: the cipher algorithm
 * @mode: the cipher mode
 *
 * Get the length that qcrypto_cipher_setiv() takes: one block, or 0 in ECB, which has no IV.
 *
 * Returns: the length in bytes, 0 if @alg is no algorithm or @mode no mode
 */
size_t qcrypto_cipher_get_iv_len(QCryptoCipherAlgo alg, QCryptoCipherMode mode);

/**
 * qcrypto_cipher_new:
 * @alg: the cipher algorithm
 * @mode: the cipher mode
 * @key: the key; it is copied, so the caller may wipe its own
 * @nkey: the length of @key in bytes: qcrypto_cipher_get_key_len(), or twice that in XTS
 * @errp: pointer to a NULL-initialised Error pointer, or NULL, &error_abort, &error_fatal
 *
 * Make a cipher object. In XTS the data key comes first, then the tweak key; equal halves are accepted, and so are
 * weak DES keys, because old volumes and VNC need them. DES parity bits are ignored. XTS is for ciphers of 16-byte
 * blocks.
 *
 * The IV is all zero until qcrypto_cipher_setiv().
 *
 * Sources: FIPS 197, FIPS 46-3, SP 800-67, RFC 2144, GB/T 32907-2016 and the Serpent and Twofish submissions to the AES
 * process for the ciphers; SP 800-38A section 6 for ECB, CBC and CTR; IEEE 1619-2018 section 5 for XTS.
 *
 * Returns: (transfer full): the object, to be given to qcrypto_cipher_free(), or NULL on error
 */
struct QCryptoCipher *qcrypto_cipher_new(QCryptoCipherAlgo alg,
                                         QCryptoCipherMode mode,
                                         const uint8_t *key,
                                         size_t nkey,
                                         Error **errp);

/**
 * qcrypto_cipher_free:
 * @cipher: (transfer full): the object, or NULL
 *
 * Free an object and wipe its keys and IV. NULL is allowed and does nothing.
 */
void qcrypto_cipher_free(struct QCryptoCipher *cipher);

/**
 * qcrypto_cipher_encrypt:
 * @cipher: the object
 * @in: the plaintext, @len bytes
 * @out: room for the ciphertext, @len bytes: the same buffer as @in, or one that shares no byte with it
 * @len: the length in bytes, a multiple of the block length in every mode; 0 does nothing and allows NULL buffers
 * @errp: pointer to a NULL-initialised Error pointer, or NULL, &error_abort, &error_fatal
 *
 * Encrypt @len bytes. In CBC and CTR the next call goes on where this one ended. **In XTS every call starts a data
 * unit with the IV last set; it does not advance.** XTS data units above 2^20 blocks (16 MiB) work here; IEEE 1619 does
 * not allow them.
 *
 * A refused call (wrong length, NULL, partly overlapping buffers) writes nothing and changes nothing. A call that
 * fails midway zeroes @out, also where it is @in, and the object then refuses every later call.
 *
 * Returns: 0 on success, -1 on error
 */
int qcrypto_cipher_encrypt(struct QCryptoCipher *cipher, const void *in, void *out, size_t len, Error **errp);

/**
 * qcrypto_cipher_decrypt:
 * @cipher: the object
 * @in: the ciphertext, @len bytes
 * @out: room for the plaintext, @len bytes: the same buffer as @in, or one that shares no byte with it
 * @len: the length in bytes, a multiple of the block length in every mode; 0 does nothing and allows NULL buffers
 * @errp: pointer to a NULL-initialised Error pointer, or NULL, &error_abort, &error_fatal
 *
 * Decrypt @len bytes, in all else as qcrypto_cipher_encrypt().
 *
 * Returns: 0 on success, -1 on error
 */
int qcrypto_cipher_decrypt(struct QCryptoCipher *cipher, const void *in, void *out, size_t len, Error **errp);

/**
 * qcrypto_cipher_setiv:
 * @cipher: the object
 * @iv: the IV; it is copied
 * @niv: the length of @iv in bytes, exactly qcrypto_cipher_get_iv_len()
 * @errp: pointer to a NULL-initialised Error pointer, or NULL, &error_abort, &error_fatal
 *
 * Set the IV that the next call starts from: in CBC the first chaining block; in CTR the first counter block, all of
 * it one big-endian number that wraps to zero; in XTS the data unit, which disk layers set to the sector number, 16
 * bytes little-endian. The last call before an encryption or decryption counts. ECB has no IV: an error.
 *
 * Returns: 0 on success, -1 on error
 */
int qcrypto_cipher_setiv(struct QCryptoCipher *cipher, const uint8_t *iv, size_t niv, Error **errp);

/**
 * qcrypto_hash_supports:
 * @alg: the hash algorithm
 *
 * Determine if @alg is available. Values that are no algorithm give 0.
 *
 * Returns: 1 if the algorithm is available, 0 otherwise
 */
int qcrypto_hash_supports(QCryptoHashAlgo alg);

/**
 * qcrypto_hash_digest_len:
 * @alg: the hash algorithm
 *
 * Get the length of the digests of @alg.
 *
 * Returns: the length in bytes, 0 if @alg is no algorithm
 */
size_t qcrypto_hash_digest_len(QCryptoHashAlgo alg);

/**
 * qcrypto_hash_bytesv:
 * @alg: the hash algorithm
 * @iov: the parts of the message
 * @niov: the number of parts
 * @result: (out): where the digest goes
 * @resultlen: (inout): the length of @result in bytes
 * @errp: pointer to a NULL-initialised Error pointer, or NULL, &error_abort, &error_fatal
 *
 * Hash a message in parts. If @resultlen is 0 on entry, @result is set to memory that the caller frees with free(), and
 * @resultlen to its length. If it is the digest's length, @result points to that much room, which is filled. Any other
 * value is an error. The same rule holds for every function here that takes @result and @resultlen.
 *
 * Sources: RFC 1321 (MD5), FIPS 180-4 (SHA), ISO/IEC 10118-3 (RIPEMD-160), GB/T 32905-2016 (SM3).
 *
 * Returns: 0 on success, -1 on error
 */
int qcrypto_hash_bytesv(QCryptoHashAlgo alg,
                        const struct iovec *iov,
                        size_t niov,
                        uint8_t **result,
                        size_t *resultlen,
                        Error **errp);

/**
 * qcrypto_hash_bytes:
 * @alg: the hash algorithm
 * @buf: the message
 * @len: the length of @buf in bytes
 * @result: (out): where the digest goes
 * @resultlen: (inout): the length of @result in bytes
 * @errp: pointer to a NULL-initialised Error pointer, or NULL, &error_abort, &error_fatal
 *
 * Hash a message, with the rule of qcrypto_hash_bytesv() for the result.
 *
 * Returns: 0 on success, -1 on error
 */
int qcrypto_hash_bytes(QCryptoHashAlgo alg,
                       const void *buf,
                       size_t len,
                       uint8_t **result,
                       size_t *resultlen,
                       Error **errp);

/**
 * qcrypto_hash_digestv:
 * @alg: the hash algorithm
 * @iov: the parts of the message
 * @niov: the number of parts
 * @digest: (out): the digest as lower-case hexadecimal; the caller frees it with free()
 * @errp: pointer to a NULL-initialised Error pointer, or NULL, &error_abort, &error_fatal
 *
 * Hash a message in parts.
 *
 * Returns: 0 on success, -1 on error
 */
int qcrypto_hash_digestv(QCryptoHashAlgo alg, const struct iovec *iov, size_t niov, char **digest, Error **errp);

/**
 * qcrypto_hash_updatev:
 * @hash: the object
 * @iov: the parts to add
 * @niov: the number of parts
 * @errp: pointer to a NULL-initialised Error pointer, or NULL, &error_abort, &error_fatal
 *
 * Add to the message. An error after the digest was taken.
 *
 * Returns: 0 on success, -1 on error
 */
int qcrypto_hash_updatev(struct QCryptoHash *hash, const struct iovec *iov, size_t niov, Error **errp);

/**
 * qcrypto_hash_update:
 * @hash: the object
 * @buf: the bytes to add
 * @len: the length of @buf in bytes
 * @errp: pointer to a NULL-initialised Error pointer, or NULL, &error_abort, &error_fatal
 *
 * Add to the message. An error after the digest was taken.
 *
 * Returns: 0 on success, -1 on error
 */
int qcrypto_hash_update(struct QCryptoHash *hash, const void *buf, size_t len, Error **errp);

/**
 * qcrypto_hash_finalize_digest:
 * @hash: the object
 * @digest: (out): the digest as lower-case hexadecimal; the caller frees it with free()
 * @errp: pointer to a NULL-initialised Error pointer, or NULL, &error_abort, &error_fatal
 *
 * Take the digest, which can be done once. The object is still to be freed.
 *
 * Returns: 0 on success, -1 on error
 */
int qcrypto_hash_finalize_digest(struct QCryptoHash *hash, char **digest, Error **errp);

/**
 * qcrypto_hash_finalize_base64:
 * @hash: the object
 * @base64: (out): the digest in base64 (RFC 4648 section 4); the caller frees it with free()
 * @errp: pointer to a NULL-initialised Error pointer, or NULL, &error_abort, &error_fatal
 *
 * Take the digest, which can be done once. The object is still to be freed.
 *
 * Returns: 0 on success, -1 on error
 */
int qcrypto_hash_finalize_base64(struct QCryptoHash *hash, char **base64, Error **errp);

/**
 * qcrypto_hash_finalize_bytes:
 * @hash: the object
 * @result: (out): where the digest goes
 * @result_len: (inout): the length of @result in bytes
 * @errp: pointer to a NULL-initialised Error pointer, or NULL, &error_abort, &error_fatal
 *
 * Take the digest, which can be done once, with the rule of qcrypto_hash_bytesv() for the result. A refused length leaves the
 * digest to be taken. The object is still to be freed.
 *
 * Returns: 0 on success, -1 on error
 */
int qcrypto_hash_finalize_bytes(struct QCryptoHash *hash,
                                uint8_t **result,
                                size_t *result_len,
                                Error **errp);

/**
 * qcrypto_hash_new:
 * @alg: the hash algorithm
 * @errp: pointer to a NULL-initialised Error pointer, or NULL, &error_abort, &error_fatal
 *
 * Start a hash that is fed piece by piece.
 *
 * Returns: (transfer full): the object, to be given to qcrypto_hash_free(), or NULL on error
 */
struct QCryptoHash *qcrypto_hash_new(QCryptoHashAlgo alg, Error **errp);

/**
 * qcrypto_hash_free:
 * @hash: (transfer full): the object, or NULL
 *
 * Free an object and wipe its state, whether or not the digest was taken. NULL is allowed and does nothing.
 */
void qcrypto_hash_free(struct QCryptoHash *hash);

/**
 * qcrypto_hash_digest:
 * @alg: the hash algorithm
 * @buf: the message
 * @len: the length of @buf in bytes
 * @digest: (out): the digest as lower-case hexadecimal; the caller frees it with free()
 * @errp: pointer to a NULL-initialised Error pointer, or NULL, &error_abort, &error_fatal
 *
 * Hash a message.
 *
 * Returns: 0 on success, -1 on error
 */
int qcrypto_hash_digest(QCryptoHashAlgo alg, const void *buf, size_t len, char **digest, Error **errp);

/**
 * qcrypto_hash_base64v:
 * @alg: the hash algorithm
 * @iov: the parts of the message
 * @niov: the number of parts
 * @base64: (out): the digest in base64 (RFC 4648 section 4); the caller frees it with free()
 * @errp: pointer to a NULL-initialised Error pointer, or NULL, &error_abort, &error_fatal
 *
 * Hash a message in parts.
 *
 * Returns: 0 on success, -1 on error
 */
int qcrypto_hash_base64v(QCryptoHashAlgo alg, const struct iovec *iov, size_t niov, char **base64, Error **errp);

/**
 * qcrypto_hash_base64:
 * @alg: the hash algorithm
 * @buf: the message
 * @len: the length of @buf in bytes
 * @base64: (out): the digest in base64 (RFC 4648 section 4); the caller frees it with free()
 * @errp: pointer to a NULL-initialised Error pointer, or NULL, &error_abort, &error_fatal
 *
 * Hash a message.
 *
 * Returns: 0 on success, -1 on error
 */
int qcrypto_hash_base64(QCryptoHashAlgo alg, const void *buf, size_t len, char **base64, Error **errp);

/**
 * qcrypto_hmac_supports:
 * @alg: the hash algorithm
 *
 * Determine if HMAC with @alg is available. Values that are no algorithm give false.
 *
 * Returns: true if it is available, false otherwise
 */
bool qcrypto_hmac_supports(QCryptoHashAlgo alg);

/**
 * qcrypto_hmac_new:
 * @alg: the hash algorithm
 * @key: the key; it is copied, so the caller may wipe its own; may be NULL if @nkey is 0
 * @nkey: the length of @key in bytes, anything
 * @errp: pointer to a NULL-initialised Error pointer, or NULL, &error_abort, &error_fatal
 *
 * Make an HMAC object. Source: FIPS 198-1.
 *
 * Returns: (transfer full): the object, to be given to qcrypto_hmac_free(), or NULL on error
 */
struct QCryptoHmac *qcrypto_hmac_new(QCryptoHashAlgo alg, const uint8_t *key, size_t nkey, Error **errp);

/**
 * qcrypto_hmac_free:
 * @hmac: (transfer full): the object, or NULL
 *
 * Free an object and wipe its key and state. NULL is allowed and does nothing.
 */
void qcrypto_hmac_free(struct QCryptoHmac *hmac);

/**
 * qcrypto_hmac_bytesv:
 * @hmac: the object
 * @iov: the parts to add to the message
 * @niov: the number of parts
 * @result: (out): where the HMAC goes
 * @resultlen: (inout): the length of @result in bytes, or NULL: more of the message is to come
 * @errp: pointer to a NULL-initialised Error pointer, or NULL, &error_abort, &error_fatal
 *
 * Add to the message and, unless @resultlen is NULL, give the HMAC of all that was added, with the rule of
 * qcrypto_hash_bytesv() for the result. The object then starts over with the same key. After a refused length
 * what was added stays added, as in QEMU: the one refusal that changes something.
 *
 * Returns: 0 on success, -1 on error
 */
int qcrypto_hmac_bytesv(struct QCryptoHmac *hmac,
                        const struct iovec *iov,
                        size_t niov,
                        uint8_t **result,
                        size_t *resultlen,
                        Error **errp);

/**
 * qcrypto_hmac_bytes:
 * @hmac: the object
 * @buf: the bytes to add to the message
 * @len: the length of @buf in bytes
 * @result: (out): where the HMAC goes
 * @resultlen: (inout): the length of @result in bytes, or NULL: more of the message is to come
 * @errp: pointer to a NULL-initialised Error pointer, or NULL, &error_abort, &error_fatal
 *
 * As qcrypto_hmac_bytesv(), with one part.
 *
 * Returns: 0 on success, -1 on error
 */
int qcrypto_hmac_bytes(struct QCryptoHmac *hmac,
                       const void *buf,
                       size_t len,
                       uint8_t **result,
                       size_t *resultlen,
                       Error **errp);

/**
 * qcrypto_hmac_digestv:
 * @hmac: the object
 * @iov: the parts to add to the message
 * @niov: the number of parts
 * @digest: (out): the HMAC as lower-case hexadecimal; the caller frees it with free()
 * @errp: pointer to a NULL-initialised Error pointer, or NULL, &error_abort, &error_fatal
 *
 * Add to the message and give the HMAC of all that was added. The object then starts over with the same key.
 *
 * Returns: 0 on success, -1 on error
 */
int qcrypto_hmac_digestv(struct QCryptoHmac *hmac, const struct iovec *iov, size_t niov, char **digest, Error **errp);

/**
 * qcrypto_hmac_digest:
 * @hmac: the object
 * @buf: the bytes to add to the message
 * @len: the length of @buf in bytes
 * @digest: (out): the HMAC as lower-case hexadecimal; the caller frees it with free()
 * @errp: pointer to a NULL-initialised Error pointer, or NULL, &error_abort, &error_fatal
 *
 * As qcrypto_hmac_digestv(), with one part.
 *
 * Returns: 0 on success, -1 on error
 */
int qcrypto_hmac_digest(struct QCryptoHmac *hmac, const void *buf, size_t len, char **digest, Error **errp);

/**
 * qcrypto_pbkdf2_supports:
 * @hash: the hash algorithm
 *
 * Determine if PBKDF2 with HMAC and @hash is available. Values that are no algorithm give false.
 *
 * Returns: true if it is available, false otherwise
 */
bool qcrypto_pbkdf2_supports(QCryptoHashAlgo hash);

/**
 * qcrypto_pbkdf2:
 * @hash: the hash algorithm
 * @key: the password; may be NULL if @nkey is 0
 * @nkey: the length of @key in bytes
 * @salt: the salt; may be NULL if @nsalt is 0
 * @nsalt: the length of @salt in bytes
 * @iterations: the number of iterations, at least 1
 * @out: room for the derived key, which shares no byte with @key and @salt
 * @nout: the length of @out in bytes; 0 does nothing
 * @errp: pointer to a NULL-initialised Error pointer, or NULL, &error_abort, &error_fatal
 *
 * Derive a key from a password. Source: RFC 8018 section 5.2, with HMAC and @hash as the pseudorandom function. The time taken is in
 * proportion to @iterations and to the number of digests that make up @nout bytes.
 *
 * Returns: 0 on success, -1 on error
 */
int qcrypto_pbkdf2(QCryptoHashAlgo hash,
                   const uint8_t *key,
                   size_t nkey,
                   const uint8_t *salt,
                   size_t nsalt,
                   uint64_t iterations,
                   uint8_t *out,
                   size_t nout,
                   Error **errp);

/**
 * qcrypto_pbkdf2_count_iters:
 * @hash: the hash algorithm
 * @key: a password of the length to be used; may be NULL if @nkey is 0
 * @nkey: the length of @key in bytes
 * @salt: a salt of the length to be used; may be NULL if @nsalt is 0
 * @nsalt: the length of @salt in bytes
 * @nout: the length in bytes of the key to be derived
 * @errp: pointer to a NULL-initialised Error pointer, or NULL, &error_abort, &error_fatal
 *
 * Measure how many iterations qcrypto_pbkdf2() does in a second of the calling thread's processor time. Takes about
 * half a second; where that clock stands still, time on the wall is measured.
 *
 * Returns: iterations per second, at least 1, or (uint64_t)-1 on error
 */
uint64_t qcrypto_pbkdf2_count_iters(QCryptoHashAlgo hash,
                                    const uint8_t *key,
                                    size_t nkey,
                                    const uint8_t *salt,
                                    size_t nsalt,
                                    size_t nout,
                                    Error **errp);

/**
 * qcrypto_ivgen_new:
 * @alg: the rule
 * @cipheralg: with essiv, the cipher that encrypts sector numbers; else ignored
 * @hash: with essiv, the hash that makes that cipher's key; else ignored
 * @key: with essiv, the disk's key, which is not kept; else ignored, may be NULL
 * @nkey: the length of @key in bytes
 * @errp: pointer to a NULL-initialised Error pointer, or NULL, &error_abort, &error_fatal
 *
 * Make a generator by one of the rules of Linux's dm-crypt: plain, the low 32 bits of the sector number,
 * little-endian; plain64, all 64 bits; essiv, the 64-bit number, encrypted by @cipheralg in ECB with the hash of the
 * disk's key, cut to the key length of @cipheralg. A digest shorter than that is an error.
 *
 * Returns: (transfer full): the object, to be given to qcrypto_ivgen_free(), or NULL on error
 */
struct QCryptoIVGen *qcrypto_ivgen_new(QCryptoIVGenAlgo alg,
                                       QCryptoCipherAlgo cipheralg,
                                       QCryptoHashAlgo hash,
                                       const uint8_t *key,
                                       size_t nkey,
                                       Error **errp);

/**
 * qcrypto_ivgen_calculate:
 * @ivgen: the object
 * @sector: the number of the sector
 * @iv: room for the IV
 * @niv: the length of @iv in bytes; what is longer than the rule gives is filled with zeros, a shorter one is cut
 * @errp: pointer to a NULL-initialised Error pointer, or NULL, &error_abort, &error_fatal
 *
 * Make the IV of a sector.
 *
 * Returns: 0 on success, -1 on error
 */
int qcrypto_ivgen_calculate(struct QCryptoIVGen *ivgen, uint64_t sector, uint8_t *iv, size_t niv, Error **errp);

/**
 * qcrypto_ivgen_get_algorithm:
 * @ivgen: the object
 *
 * Returns: the rule it was made with; QCRYPTO_IV_GEN_ALGO__MAX for NULL
 */
QCryptoIVGenAlgo qcrypto_ivgen_get_algorithm(struct QCryptoIVGen *ivgen);

/**
 * qcrypto_ivgen_get_cipher:
 * @ivgen: the object
 *
 * Returns: the cipher it was made with, used or not; QCRYPTO_CIPHER_ALGO__MAX for NULL
 */
QCryptoCipherAlgo qcrypto_ivgen_get_cipher(struct QCryptoIVGen *ivgen);

/**
 * qcrypto_ivgen_get_hash:
 * @ivgen: the object
 *
 * Returns: the hash it was made with, used or not; QCRYPTO_HASH_ALGO__MAX for NULL
 */
QCryptoHashAlgo qcrypto_ivgen_get_hash(struct QCryptoIVGen *ivgen);

/**
 * qcrypto_ivgen_free:
 * @ivgen: (transfer full): the object, or NULL
 *
 * Free an object and wipe its key. NULL is allowed and does nothing.
 */
void qcrypto_ivgen_free(struct QCryptoIVGen *ivgen);

/**
 * qcrypto_afsplit_encode:
 * @hash: the hash of the diffuser
 * @blocklen: the length of the key in bytes, not 0; it need not be a multiple of the digest's
 * @stripes: the number of parts, not 0
 * @in: the key, @blocklen bytes
 * @out: room for the parts, @blocklen * @stripes bytes, which share no byte with @in
 * @errp: pointer to a NULL-initialised Error pointer, or NULL, &error_abort, &error_fatal
 *
 * Split a key into parts all of which are needed to put it together again. All but the last are random. Source: LUKS1
 * On-Disk Format Specification 1.2.3, section 2.4.
 *
 * Returns: 0 on success, -1 on error
 */
int qcrypto_afsplit_encode(QCryptoHashAlgo hash,
                           size_t blocklen,
                           uint32_t stripes,
                           const uint8_t *in,
                           uint8_t *out,
                           Error **errp);

/**
 * qcrypto_afsplit_decode:
 * @hash: the hash of the diffuser
 * @blocklen: the length of the key in bytes, not 0
 * @stripes: the number of parts, not 0
 * @in: the parts, @blocklen * @stripes bytes
 * @out: room for the key, @blocklen bytes, which share no byte with @in
 * @errp: pointer to a NULL-initialised Error pointer, or NULL, &error_abort, &error_fatal
 *
 * Put a key together from its parts.
 *
 * Returns: 0 on success, -1 on error
 */
int qcrypto_afsplit_decode(QCryptoHashAlgo hash,
                           size_t blocklen,
                           uint32_t stripes,
                           const uint8_t *in,
                           uint8_t *out,
                           Error **errp);

/**
 * qcrypto_cipher_get_backend:
 * @cipher: the object, or NULL
 *
 * Extensions, which QEMU does not have: this function and those below.
 *
 * Ask what serves an object, down to the kernel: a backend's name, a slash, and the backend's own word, e.g.
 * "native/portable".
 *
 * Returns: (transfer none): the name, valid as long as the object; "none" for NULL; never NULL
 */
const char *qcrypto_cipher_get_backend(const struct QCryptoCipher *cipher);

/**
 * qcrypto_cipher_new_with:
 * @backend: the name of a backend, as in qcrypto_list_backends()
 * @alg: the cipher algorithm
 * @mode: the cipher mode
 * @key: the key; it is copied, so the caller may wipe its own
 * @nkey: the length of @key in bytes: qcrypto_cipher_get_key_len(), or twice that in XTS
 * @errp: pointer to a NULL-initialised Error pointer, or NULL, &error_abort, &error_fatal
 *
 * Make a cipher object on @backend or not at all; else as qcrypto_cipher_new(). The order of
 * qcrypto_set_backends() does not matter here.
 *
 * Returns: (transfer full): the object, to be given to qcrypto_cipher_free(), or NULL on error: also if there is no such
 *   backend, if it cannot be used here, and if it does not have @alg in @mode
 */
struct QCryptoCipher *qcrypto_cipher_new_with(const char *backend,
                                              QCryptoCipherAlgo alg,
                                              QCryptoCipherMode mode,
                                              const uint8_t *key,
                                              size_t nkey,
                                              Error **errp);

/**
 * qcrypto_set_backends:
 * @list: names of backends with commas between them, the first to be asked first; or NULL
 * @errp: pointer to a NULL-initialised Error pointer, or NULL, &error_abort, &error_fatal
 *
 * Choose what serves the objects, hashes, HMACs and key derivations that are made from now on, in all threads. For each
 * algorithm and mode that is the first backend of @list that has it. "native", the library's own code, stands last
 * unless it was named before, or @list ends in "!": then what none of the list has is not supported.
 *
 * A backend that is not available is passed over in silence; qcrypto_list_backends() says why. One that is only out of
 * file descriptors or memory is not: that is an error of what was to be made. NULL goes back to
 * QCRYPTO_BACKENDS in the environment (ignored where the program runs with more rights than its caller), and without it
 * to "native".
 *
 * Thread safety: any thread at any time.
 *
 * Returns: 0 on success; -1 if @list has a name that no backend has, and nothing is changed
 */
int qcrypto_set_backends(const char *list, Error **errp);

/**
 * qcrypto_list_backends:
 *
 * Ask what there is to choose from. Those of the order in force come first, in that order. Each has a line that begins
 * with its name, a colon and one of
 *
 * - "in use", and the version of the library or kernel: it is asked for new objects
 * - "available", and the version: it would be, if qcrypto_set_backends() named it
 * - "not available", and the reason
 *
 * A line "NAME: unknown" stands for a name in QCRYPTO_BACKENDS that no backend has.
 *
 * Libraries that were not opened yet are opened to find out.
 *
 * Returns: (transfer full): the lines, each with a newline, to be freed with free(); NULL if there is no memory
 */
char *qcrypto_list_backends(void);

/**
 * qcrypto_version:
 *
 * Returns: (transfer none): the version of the library at run time, "MAJOR.MINOR.PATCH"
 */
const char *qcrypto_version(void);

/**
 * qcrypto_cipher_encrypt_sectors:
 * @cipher: the object
 * @ivgen: what makes the IV of each sector; may be NULL in ECB, which has no IV
 * @first_sector: the number of the first sector
 * @iv_step: what is added to the number from one sector to the next
 * @sector_size: the length of a sector in bytes, a multiple of the block length
 * @in: the plaintext, @len bytes
 * @out: room for the ciphertext, @len bytes: the same buffer as @in, or one that shares no byte with it
 * @len: the length in bytes, a multiple of @sector_size; 0 does nothing and allows NULL buffers
 * @errp: pointer to a NULL-initialised Error pointer, or NULL, &error_abort, &error_fatal
 *
 * Encrypt a run of sectors. The result is that of qcrypto_ivgen_calculate() with the number of the sector,
 * qcrypto_cipher_setiv() and qcrypto_cipher_encrypt() for one sector after the other, but sectors are worked on
 * together: that is faster where they are short, and in CBC many times as fast.
 *
 * Sector i of the run, from 0, has the number @first_sector + i * @iv_step. Where sectors are longer than 512 bytes,
 * dm-crypt numbers them in units of 512 bytes, @iv_step being @sector_size / 512, or, with its option
 * iv_large_sectors, one by one, @iv_step being 1. Numbers wrap as the generator has it: those of plain at 32 bits.
 * With plain64 and essiv, a run whose last number exceeds 64 bits is an error. The generator must fit the cipher:
 * essiv makes IVs of the block length of the cipher that it was made with, and no others.
 *
 * The IV of @cipher is neither used nor changed. **Any number of threads may be in these two functions at once with
 * the same @cipher and @ivgen**, but no other function may use the @cipher meanwhile.
 *
 * A refused call writes nothing and changes nothing. A call that fails midway zeroes all of @out, also where it is
 * @in, and the @cipher then refuses every later call, from whatever thread; calls under way in other threads go on.
 *
 * Returns: 0 on success, -1 on error
 */
int qcrypto_cipher_encrypt_sectors(const struct QCryptoCipher *cipher,
                                   struct QCryptoIVGen *ivgen,
                                   uint64_t first_sector,
                                   uint64_t iv_step,
                                   size_t sector_size,
                                   const void *in,
                                   void *out,
                                   size_t len,
                                   Error **errp);

/**
 * qcrypto_cipher_decrypt_sectors:
 * @cipher: the object
 * @ivgen: what makes the IV of each sector; may be NULL in ECB, which has no IV
 * @first_sector: the number of the first sector
 * @iv_step: what is added to the number from one sector to the next
 * @sector_size: the length of a sector in bytes, a multiple of the block length
 * @in: the ciphertext, @len bytes
 * @out: room for the plaintext, @len bytes: the same buffer as @in, or one that shares no byte with it
 * @len: the length in bytes, a multiple of @sector_size; 0 does nothing and allows NULL buffers
 * @errp: pointer to a NULL-initialised Error pointer, or NULL, &error_abort, &error_fatal
 *
 * Decrypt a run of sectors, in all else as qcrypto_cipher_encrypt_sectors().
 *
 * Returns: 0 on success, -1 on error
 */
int qcrypto_cipher_decrypt_sectors(const struct QCryptoCipher *cipher,
                                   struct QCryptoIVGen *ivgen,
                                   uint64_t first_sector,
                                   uint64_t iv_step,
                                   size_t sector_size,
                                   const void *in,
                                   void *out,
                                   size_t len,
                                   Error **errp);

/**
 * qcrypto_xts_crypt:
 * @encrypt: true to encrypt, false to decrypt
 * @datactx: what the functions are given for data
 * @tweakctx: what the functions are given for tweaks
 * @encfunc: encrypts a block
 * @decfunc: decrypts a block
 * @iv: 16 bytes: the number of the data unit, little-endian. Then what goes on with the data unit, if @length is a
 *   multiple of 16: two calls do what one does over both pieces
 * @length: the length in bytes, at least one block, or 0, which does nothing; what is no multiple of a block is done by
 *   ciphertext stealing
 * @dst: room for the result, @length bytes: the same buffer as @src, or one that shares no byte with it
 * @src: the data, @length bytes
 * @errp: pointer to a NULL-initialised Error pointer, or NULL, &error_abort, &error_fatal
 *
 * XTS (IEEE 1619-2018 section 5) over a block cipher of the caller's, with blocks of 16 bytes. For xts_encrypt() and
 * xts_decrypt() of crypto/xts.h; where the cipher is one of this library, qcrypto_cipher_new() has XTS many times as
 * fast.
 *
 * Returns: 0 on success, -1 on error
 */
int qcrypto_xts_crypt(bool encrypt,
                      const void *datactx,
                      const void *tweakctx,
                      QCryptoXtsFunc encfunc,
                      QCryptoXtsFunc decfunc,
                      uint8_t *iv,
                      size_t length,
                      uint8_t *dst,
                      const uint8_t *src,
                      Error **errp);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#include <qapi/qcrypto-lookup.h>
#include <qapi/qcrypto-old-names.h>

#ifdef G_DEFINE_AUTOPTR_CLEANUP_FUNC
G_DEFINE_AUTOPTR_CLEANUP_FUNC(QCryptoCipher, qcrypto_cipher_free)
G_DEFINE_AUTOPTR_CLEANUP_FUNC(QCryptoHash, qcrypto_hash_free)
G_DEFINE_AUTOPTR_CLEANUP_FUNC(QCryptoHmac, qcrypto_hmac_free)
G_DEFINE_AUTOPTR_CLEANUP_FUNC(QCryptoIVGen, qcrypto_ivgen_free)
#endif

#endif /* QCRYPTO_H */
