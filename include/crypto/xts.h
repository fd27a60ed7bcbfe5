/*
 * XTS over a block cipher of the caller's, as QEMU had it until 10.1. In new code qcrypto_cipher_new() has XTS.
 *
 * SPDX-License-Identifier: MIT OR Apache-2.0
 */
#ifndef QCRYPTO_XTS_H
#define QCRYPTO_XTS_H

#include <qcrypto.h>

#define XTS_BLOCK_SIZE 16

/* Encrypts or decrypts length bytes from src to dst, which may be the same; length is always XTS_BLOCK_SIZE. */
typedef void xts_cipher_func(const void *ctx, size_t length, uint8_t *dst, const uint8_t *src);

/*
 * Encrypt a data unit, whose number is iv, 16 bytes little-endian. Afterwards iv is what goes on with the data unit. A
 * length above 0 and below XTS_BLOCK_SIZE is a bug: see &error_abort. In other lengths, ciphertext stealing makes what
 * is no multiple of it.
 */
static inline void xts_encrypt(const void *datactx, const void *tweakctx, xts_cipher_func *encfunc,
                               xts_cipher_func *decfunc, uint8_t *iv, size_t length, uint8_t *dst, const uint8_t *src)
{
    qcrypto_xts_crypt(true, datactx, tweakctx, encfunc, decfunc, iv, length, dst, src, &error_abort);
}

/* Decrypt a data unit, in all else as xts_encrypt(). */
static inline void xts_decrypt(const void *datactx, const void *tweakctx, xts_cipher_func *encfunc,
                               xts_cipher_func *decfunc, uint8_t *iv, size_t length, uint8_t *dst, const uint8_t *src)
{
    qcrypto_xts_crypt(false, datactx, tweakctx, encfunc, decfunc, iv, length, dst, src, &error_abort);
}

#endif /* QCRYPTO_XTS_H */
