/*
 * QEMU's crypto API as a library of its own.
 *
 * All sizes are in bytes. Functions returning int return 0 on success and -1 on error; those returning a pointer
 * return NULL on error. On error *errp is set, where errp is the address of a NULL-initialised Error pointer; it may
 * also be NULL (do not tell), &error_abort or &error_fatal. A refused call writes nothing and changes nothing.
 * Everything may be called from any thread and before any initialisation. See qcrypto(3).
 *
 * Made by cbindgen from src/capi; do not edit. SPDX-License-Identifier: MIT OR Apache-2.0
 */

#ifndef QCRYPTO_H
#define QCRYPTO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <qapi/error.h>

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
 * QCryptoCipherDriver:
 *
 * Opaque. The name is kept for sources that mention it.
 */
typedef struct QCryptoCipherDriver QCryptoCipherDriver;

/**
 * QCryptoCipher:
 * @alg: the algorithm it was made for
 * @mode: the mode it was made for
 * @driver: always NULL
 *
 * A keyed cipher in one mode. The fields are for reading; what follows them is private.
 *
 * One object encrypts and decrypts, sharing one IV. It may be used from any thread, by one thread at a time;
 * different objects are independent. It must not be used on both sides of a fork.
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

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

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
 * qcrypto_version:
 *
 * Returns: (transfer none): the version of the library at run time, "MAJOR.MINOR.PATCH"
 */
const char *qcrypto_version(void);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#include <qapi/qcrypto-old-names.h>

#ifdef G_DEFINE_AUTOPTR_CLEANUP_FUNC
G_DEFINE_AUTOPTR_CLEANUP_FUNC(QCryptoCipher, qcrypto_cipher_free)
#endif

#endif /* QCRYPTO_H */
