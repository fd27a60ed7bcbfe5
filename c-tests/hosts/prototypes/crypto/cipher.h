/*
 * QEMU's prototypes, written down for hosts that see no header of ours. SPDX-License-Identifier: MIT OR Apache-2.0
 */
#ifndef HOST_CRYPTO_CIPHER_H
#define HOST_CRYPTO_CIPHER_H

#include "qapi/error.h"

typedef enum QCryptoCipherAlgo { QCRYPTO_CIPHER_ALGO_AES_128, QCRYPTO_CIPHER_ALGO__MAX = 13 } QCryptoCipherAlgo;
typedef enum QCryptoCipherMode { QCRYPTO_CIPHER_MODE_ECB, QCRYPTO_CIPHER_MODE__MAX = 4 } QCryptoCipherMode;

typedef struct QCryptoCipher QCryptoCipher;

QCryptoCipher *qcrypto_cipher_new(QCryptoCipherAlgo alg, QCryptoCipherMode mode, const uint8_t *key, size_t nkey,
                                  Error **errp);
int qcrypto_cipher_encrypt(QCryptoCipher *cipher, const void *in, void *out, size_t len, Error **errp);
int qcrypto_cipher_setiv(QCryptoCipher *cipher, const uint8_t *iv, size_t niv, Error **errp);
void qcrypto_cipher_free(QCryptoCipher *cipher);

#endif
