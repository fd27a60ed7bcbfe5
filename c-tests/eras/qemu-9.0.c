/*
 * Sources as they would have been written for QEMU 9.0, the last with the old names in force: SM4, encrypted secrets in
 * CBC with padding, XTS still private but tried against its known answers.
 *
 * SPDX-License-Identifier: MIT OR Apache-2.0
 */
#include <glib.h>

#include "crypto/cipher.h"
#include "crypto/hash.h"
#include "crypto/ivgen.h"
#include "crypto/xts.h"
#include "qapi/error.h"
#include "qapi/qapi-types-crypto.h"

#include "era.h"

static void test_sm4(void)
{
    /* GB/T 32907-2016, example 1: the key is the plaintext. */
    static const uint8_t key[16] = {0x01, 0x23, 0x45, 0x67, 0x89, 0xab, 0xcd, 0xef,
                                    0xfe, 0xdc, 0xba, 0x98, 0x76, 0x54, 0x32, 0x10};
    static const uint8_t expected[16] = {0x68, 0x1e, 0xdf, 0x34, 0xd2, 0x06, 0x96, 0x5e,
                                         0x86, 0xb3, 0xe9, 0x4f, 0x53, 0x6e, 0x42, 0x46};
    uint8_t out[16];
    g_autoptr(QCryptoCipher) cipher =
        qcrypto_cipher_new(QCRYPTO_CIPHER_ALG_SM4, QCRYPTO_CIPHER_MODE_ECB, key, sizeof(key), &error_fatal);

    g_assert_cmpint(cipher->alg, ==, QCRYPTO_CIPHER_ALG_SM4);
    g_assert_cmpint(cipher->mode, ==, QCRYPTO_CIPHER_MODE_ECB);
    qcrypto_cipher_encrypt(cipher, key, out, sizeof(out), &error_fatal);
    era_expect(out, expected, sizeof(out));
    g_assert_cmpstr(QCryptoCipherAlgorithm_str(QCRYPTO_CIPHER_ALG_SM4), ==, "sm4");
}

/* A secret under a master key, padded to whole blocks with the number of bytes that were added. */
static char *secret_decrypt(const uint8_t *key, const uint8_t *iv, uint8_t *data, size_t len, Error **errp)
{
    g_autoptr(QCryptoCipher) aes = NULL;

    aes = qcrypto_cipher_new(QCRYPTO_CIPHER_ALG_AES_256, QCRYPTO_CIPHER_MODE_CBC, key, 32, errp);
    if (!aes) {
        return NULL;
    }
    if (qcrypto_cipher_setiv(aes, iv, 16, errp) < 0 || qcrypto_cipher_decrypt(aes, data, data, len, errp) < 0) {
        return NULL;
    }
    if (len == 0 || data[len - 1] < 1 || data[len - 1] > 16) {
        error_setg(errp, "Incorrect number of padding bytes found on decrypted data");
        return NULL;
    }
    return g_strndup((const char *)data, len - data[len - 1]);
}

static void test_secret(void)
{
    uint8_t key[32], iv[16], data[32] = "correct horse battery";
    Error *err = NULL;

    era_fill(key, sizeof(key), 11);
    era_fill(iv, sizeof(iv), 2);
    memset(data + 21, 11, 11);
    g_autoptr(QCryptoCipher) aes =
        qcrypto_cipher_new(QCRYPTO_CIPHER_ALG_AES_256, QCRYPTO_CIPHER_MODE_CBC, key, 32, &error_abort);
    qcrypto_cipher_setiv(aes, iv, sizeof(iv), &error_abort);
    qcrypto_cipher_encrypt(aes, data, data, sizeof(data), &error_abort);
    g_autofree char *secret = secret_decrypt(key, iv, data, sizeof(data), &error_abort);
    g_assert_cmpstr(secret, ==, "correct horse battery");
    g_assert_null(secret_decrypt(key, iv, data, 31, &err));
    g_assert_cmpstr(error_get_pretty(err), ==, "Length 31 must be a multiple of block size 16");
    error_free_or_abort(&err);
}

/* What the private XTS was given: one object is enough where data and tweak have the same key. */
static void ecb_encrypt(const void *ctx, size_t length, uint8_t *dst, const uint8_t *src)
{
    qcrypto_cipher_encrypt((QCryptoCipher *)ctx, src, dst, length, &error_abort);
}

static void ecb_decrypt(const void *ctx, size_t length, uint8_t *dst, const uint8_t *src)
{
    qcrypto_cipher_decrypt((QCryptoCipher *)ctx, src, dst, length, &error_abort);
}

static void test_stealing(void)
{
    /* IEEE 1619-2007 annex B, vector 15 */
    uint8_t data_key[16], tweak_key[16];
    static const uint8_t expected[17] = {0x6c, 0x16, 0x25, 0xdb, 0x46, 0x71, 0x52, 0x2d, 0x3d,
                                         0x75, 0x99, 0x60, 0x1d, 0xe7, 0xca, 0x09, 0xed};
    uint8_t plain[17], out[17], iv[16];

    for (size_t i = 0; i < 16; i++) {
        data_key[i] = 0xff - i;
        tweak_key[i] = 0xbf - i;
    }
    for (size_t i = 0; i < sizeof(plain); i++) {
        plain[i] = i;
    }
    g_autoptr(QCryptoCipher) data =
        qcrypto_cipher_new(QCRYPTO_CIPHER_ALG_AES_128, QCRYPTO_CIPHER_MODE_ECB, data_key, 16, &error_abort);
    g_autoptr(QCryptoCipher) tweak =
        qcrypto_cipher_new(QCRYPTO_CIPHER_ALG_AES_128, QCRYPTO_CIPHER_MODE_ECB, tweak_key, 16, &error_abort);

    era_sector_iv(iv, 0x123456789aULL);
    xts_encrypt(data, tweak, ecb_encrypt, ecb_decrypt, iv, sizeof(plain), out, plain);
    era_expect(out, expected, sizeof(out));
    era_sector_iv(iv, 0x123456789aULL);
    xts_decrypt(data, tweak, ecb_encrypt, ecb_decrypt, iv, sizeof(out), out, out);
    era_expect(out, plain, sizeof(out));
    xts_encrypt(data, tweak, ecb_encrypt, ecb_decrypt, iv, 0, NULL, NULL);
}

static void test_too_short(void)
{
    if (g_test_subprocess()) {
        uint8_t block[16] = {0};
        g_autoptr(QCryptoCipher) ecb =
            qcrypto_cipher_new(QCRYPTO_CIPHER_ALG_AES_128, QCRYPTO_CIPHER_MODE_ECB, block, 16, &error_abort);

        xts_encrypt(ecb, ecb, ecb_encrypt, ecb_decrypt, block, 15, block, block);
        return;
    }
    g_test_trap_subprocess(NULL, 0, 0);
    g_test_trap_assert_failed();
    g_test_trap_assert_stderr("*Length 15 is less than block size 16*");
}

static void test_ivgen(void)
{
    uint8_t iv[16], expected[16];
    g_autoptr(QCryptoIVGen) ivgen = qcrypto_ivgen_new(QCRYPTO_IVGEN_ALG_PLAIN64, 0, 0, NULL, 0, &error_abort);

    qcrypto_ivgen_calculate(ivgen, 0x1122334455667788ULL, iv, sizeof(iv), &error_abort);
    era_sector_iv(expected, 0x1122334455667788ULL);
    era_expect(iv, expected, sizeof(iv));
    g_assert_cmpstr(QCryptoIVGenAlgorithm_str(qcrypto_ivgen_get_algorithm(ivgen)), ==, "plain64");
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/eras/9.0/sm4", test_sm4);
    g_test_add_func("/eras/9.0/secret", test_secret);
    g_test_add_func("/eras/9.0/stealing", test_stealing);
    g_test_add_func("/eras/9.0/too-short", test_too_short);
    g_test_add_func("/eras/9.0/ivgen", test_ivgen);
    return g_test_run();
}
