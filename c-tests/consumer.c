/*
 * A program as a stranger writes it, in C and in C++: encrypts FIPS 197's example and meets an Error.
 *
 * SPDX-License-Identifier: MIT OR Apache-2.0
 */
#include <crypto/cipher.h>

#include <stdio.h>
#include <string.h>

static const uint8_t key[16] = {0x00, 0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x07,
                                0x08, 0x09, 0x0a, 0x0b, 0x0c, 0x0d, 0x0e, 0x0f};
static const uint8_t plain[16] = {0x00, 0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77,
                                  0x88, 0x99, 0xaa, 0xbb, 0xcc, 0xdd, 0xee, 0xff};
static const uint8_t expected[16] = {0x69, 0xc4, 0xe0, 0xd8, 0x6a, 0x7b, 0x04, 0x30,
                                     0xd8, 0xcd, 0xb7, 0x80, 0x70, 0xb4, 0xc5, 0x5a};

int main(void)
{
    QCryptoCipher *cipher =
        qcrypto_cipher_new(QCRYPTO_CIPHER_ALGO_AES_128, QCRYPTO_CIPHER_MODE_ECB, key, sizeof(key), &error_fatal);
    uint8_t block[16];
    qcrypto_cipher_encrypt(cipher, plain, block, sizeof(block), &error_fatal);

    Error *err = NULL;
    int refused = qcrypto_cipher_encrypt(cipher, plain, block, 15, &err);
    printf("%s: %s\n", qcrypto_version(), error_get_pretty(err));
    error_free(err);
    qcrypto_cipher_free(cipher);
    return memcmp(block, expected, sizeof(block)) == 0 && refused == -1 ? 0 : 1;
}
