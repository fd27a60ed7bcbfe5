/*
 * What programs have compiled in: the numbers of the enums, their size, and the fields of QCryptoCipher. They are those
 * of QEMU since 2.9 and never change. Compiling is the test.
 *
 * SPDX-License-Identifier: MIT OR Apache-2.0
 */
#include <qapi/error.h>
#include <qcrypto.h>

#define IS(name, value) _Static_assert((name) == (value), #name)

IS(QCRYPTO_CIPHER_ALGO_AES_128, 0);
IS(QCRYPTO_CIPHER_ALGO_AES_192, 1);
IS(QCRYPTO_CIPHER_ALGO_AES_256, 2);
IS(QCRYPTO_CIPHER_ALGO_DES, 3);
IS(QCRYPTO_CIPHER_ALGO_3DES, 4);
IS(QCRYPTO_CIPHER_ALGO_CAST5_128, 5);
IS(QCRYPTO_CIPHER_ALGO_SERPENT_128, 6);
IS(QCRYPTO_CIPHER_ALGO_SERPENT_192, 7);
IS(QCRYPTO_CIPHER_ALGO_SERPENT_256, 8);
IS(QCRYPTO_CIPHER_ALGO_TWOFISH_128, 9);
IS(QCRYPTO_CIPHER_ALGO_TWOFISH_192, 10);
IS(QCRYPTO_CIPHER_ALGO_TWOFISH_256, 11);
IS(QCRYPTO_CIPHER_ALGO_SM4, 12);
IS(QCRYPTO_CIPHER_ALGO__MAX, 13);

IS(QCRYPTO_CIPHER_MODE_ECB, 0);
IS(QCRYPTO_CIPHER_MODE_CBC, 1);
IS(QCRYPTO_CIPHER_MODE_XTS, 2);
IS(QCRYPTO_CIPHER_MODE_CTR, 3);
IS(QCRYPTO_CIPHER_MODE__MAX, 4);

/* The names before QEMU 9.2. */
IS(QCRYPTO_CIPHER_ALG_AES_128, 0);
IS(QCRYPTO_CIPHER_ALG_AES_192, 1);
IS(QCRYPTO_CIPHER_ALG_AES_256, 2);
IS(QCRYPTO_CIPHER_ALG_DES, 3);
IS(QCRYPTO_CIPHER_ALG_3DES, 4);
IS(QCRYPTO_CIPHER_ALG_CAST5_128, 5);
IS(QCRYPTO_CIPHER_ALG_SERPENT_128, 6);
IS(QCRYPTO_CIPHER_ALG_SERPENT_192, 7);
IS(QCRYPTO_CIPHER_ALG_SERPENT_256, 8);
IS(QCRYPTO_CIPHER_ALG_TWOFISH_128, 9);
IS(QCRYPTO_CIPHER_ALG_TWOFISH_192, 10);
IS(QCRYPTO_CIPHER_ALG_TWOFISH_256, 11);
IS(QCRYPTO_CIPHER_ALG_SM4, 12);
IS(QCRYPTO_CIPHER_ALG__MAX, 13);

IS(ERROR_CLASS_GENERIC_ERROR, 0);

/* Four bytes and unsigned, as the compiler makes an enum without negative members. */
#define IS_UINT32(type) \
    IS(sizeof(type), 4); \
    _Static_assert((type)-1 > 0, #type " is unsigned")

IS_UINT32(QCryptoCipherAlgo);
IS_UINT32(QCryptoCipherAlgorithm);
IS_UINT32(QCryptoCipherMode);
IS_UINT32(ErrorClass);
IS(sizeof(bool), 1);

/* QEMU's callers read alg and mode. */
IS(offsetof(QCryptoCipher, alg), 0);
IS(offsetof(QCryptoCipher, mode), 4);
IS(offsetof(QCryptoCipher, driver), 8);

#ifdef WRONG
IS(QCRYPTO_CIPHER_ALGO_SM4, 11);
#endif
