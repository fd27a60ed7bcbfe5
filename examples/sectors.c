/*
 * A consumer for each of the build systems beside this file: encrypts eight sectors of a disk as LUKS does, and says what
 * served.
 *
 * SPDX-License-Identifier: MIT OR Apache-2.0
 */
#include <crypto/cipher.h>
#include <crypto/hash.h>
#include <crypto/ivgen.h>
#include <qapi/error.h>

#include <stdio.h>
#include <stdlib.h>

int main(void)
{
    static uint8_t disk[8 * 512];
    uint8_t key[64];
    for (size_t i = 0; i < sizeof(key); i++) {
        key[i] = (uint8_t)i;
    }
    QCryptoCipher *cipher =
        qcrypto_cipher_new(QCRYPTO_CIPHER_ALGO_AES_256, QCRYPTO_CIPHER_MODE_XTS, key, sizeof(key), &error_fatal);
    QCryptoIVGen *ivgen = qcrypto_ivgen_new(QCRYPTO_IV_GEN_ALGO_PLAIN64, 0, 0, NULL, 0, &error_fatal);
    qcrypto_cipher_encrypt_sectors(cipher, ivgen, 0, 1, 512, disk, disk, sizeof(disk), &error_fatal);

    char *digest = NULL;
    qcrypto_hash_digest(QCRYPTO_HASH_ALGO_SHA256, disk, sizeof(disk), &digest, &error_fatal);
    printf("%s\n", digest);
    fprintf(stderr, "libqcrypto %s, %s\n", qcrypto_version(), qcrypto_cipher_get_backend(cipher));
    free(digest);
    qcrypto_ivgen_free(ivgen);
    qcrypto_cipher_free(cipher);
    return 0;
}
