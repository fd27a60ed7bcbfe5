/*
 * Sources as they are written for QEMU 11.1: the names of since 9.2, hashes fed piece by piece, an HMAC whose result is
 * asked for later.
 *
 * SPDX-License-Identifier: MIT OR Apache-2.0
 */
#include <glib.h>

#include "crypto/cipher.h"
#include "crypto/hash.h"
#include "crypto/hmac.h"
#include "crypto/ivgen.h"
#include "crypto/pbkdf.h"
#include "qapi/error.h"
#include "qapi/qapi-types-crypto.h"

#include "era.h"

static void test_names(void)
{
    Error *err = NULL;

    for (int alg = 0; alg < QCRYPTO_CIPHER_ALGO__MAX; alg++) {
        const char *name = QCryptoCipherAlgo_str(alg);

        g_assert_cmpint(qapi_enum_parse(&QCryptoCipherAlgo_lookup, name, -1, &error_abort), ==, alg);
    }
    for (int alg = 0; alg < QCRYPTO_HASH_ALGO__MAX; alg++) {
        g_assert_cmpint(qapi_enum_parse(&QCryptoHashAlgo_lookup, QCryptoHashAlgo_str(alg), -1, &error_abort), ==, alg);
    }
    for (int mode = 0; mode < QCRYPTO_CIPHER_MODE__MAX; mode++) {
        g_assert_cmpint(qapi_enum_parse(&QCryptoCipherMode_lookup, QCryptoCipherMode_str(mode), -1, &error_abort), ==,
                        mode);
    }
    for (int alg = 0; alg < QCRYPTO_IV_GEN_ALGO__MAX; alg++) {
        g_assert_cmpint(qapi_enum_parse(&QCryptoIVGenAlgo_lookup, QCryptoIVGenAlgo_str(alg), -1, &error_abort), ==,
                        alg);
    }
    g_assert_cmpint(QCryptoCipherAlgo_lookup.size, ==, QCRYPTO_CIPHER_ALGO__MAX);
    g_assert_cmpint(qapi_enum_parse(&QCryptoCipherMode_lookup, "XTS", -1, &err), ==, -1);
    error_free_or_abort(&err);
    g_assert_null(QCryptoHashAlgo_str(QCRYPTO_HASH_ALGO__MAX));
    g_assert_null(QCryptoHashAlgo_str(-1));
}

static void test_hash(void)
{
    static const uint8_t expected[QCRYPTO_HASH_DIGEST_LEN_SHA256] = {
        0xba, 0x78, 0x16, 0xbf, 0x8f, 0x01, 0xcf, 0xea, 0x41, 0x41, 0x40, 0xde, 0x5d, 0xae, 0x22, 0x23,
        0xb0, 0x03, 0x61, 0xa3, 0x96, 0x17, 0x7a, 0x9c, 0xb4, 0x10, 0xff, 0x61, 0xf2, 0x00, 0x15, 0xad,
    };
    g_autoptr(QCryptoHash) hash = qcrypto_hash_new(QCRYPTO_HASH_ALGO_SHA256, &error_abort);
    const struct iovec rest = {(void *)"bc", 2};
    uint8_t room[QCRYPTO_HASH_DIGEST_LEN_SHA256];
    uint8_t *result = room;
    size_t len = sizeof(room);

    g_assert_cmpint(hash->alg, ==, QCRYPTO_HASH_ALGO_SHA256);
    qcrypto_hash_update(hash, "a", 1, &error_abort);
    qcrypto_hash_updatev(hash, &rest, 1, &error_abort);
    qcrypto_hash_finalize_bytes(hash, &result, &len, &error_abort);
    g_assert_true(result == room);
    era_expect(room, expected, sizeof(room));

    g_autofree char *base64 = NULL;
    qcrypto_hash_base64(QCRYPTO_HASH_ALGO_SHA1, "abc", 3, &base64, &error_abort);
    g_assert_cmpstr(base64, ==, "qZk+NkcGgWq6PiVxeFDCbJzQ2J0=");
}

static void test_hmac(void)
{
    g_autoptr(QCryptoHmac) hmac = qcrypto_hmac_new(QCRYPTO_HASH_ALGO_MD5, (const uint8_t *)"Jefe", 4, &error_abort);
    static const uint8_t expected[QCRYPTO_HASH_DIGEST_LEN_MD5] = {0x75, 0x0c, 0x78, 0x3e, 0x6a, 0xb0, 0xb5, 0x03,
                                                                  0xea, 0xa8, 0x6e, 0x31, 0x0a, 0x5d, 0xb7, 0x38};
    g_autofree uint8_t *result = NULL;
    size_t len = 0;

    qcrypto_hmac_bytes(hmac, "what do ya want ", 16, NULL, NULL, &error_abort);
    qcrypto_hmac_bytes(hmac, "for nothing?", 12, &result, &len, &error_abort);
    g_assert_cmpmem(result, len, expected, sizeof(expected));
}

static void test_disk(void)
{
    uint8_t key[64], iv[16], sector[512], plain[512];
    Error *err = NULL;

    era_fill(key, sizeof(key), 9);
    era_fill(sector, sizeof(sector), 4);
    memcpy(plain, sector, sizeof(plain));
    g_autoptr(QCryptoIVGen) ivgen = qcrypto_ivgen_new(QCRYPTO_IV_GEN_ALGO_ESSIV, QCRYPTO_CIPHER_ALGO_AES_256,
                                                      QCRYPTO_HASH_ALGO_SHA256, key, sizeof(key), &error_abort);
    g_autoptr(QCryptoCipher) cipher =
        qcrypto_cipher_new(QCRYPTO_CIPHER_ALGO_TWOFISH_256, QCRYPTO_CIPHER_MODE_XTS, key, sizeof(key), &error_abort);

    qcrypto_ivgen_calculate(ivgen, 5, iv, sizeof(iv), &error_abort);
    qcrypto_cipher_setiv(cipher, iv, sizeof(iv), &error_abort);
    qcrypto_cipher_encrypt(cipher, sector, sector, sizeof(sector), &error_abort);
    qcrypto_cipher_decrypt(cipher, sector, sector, sizeof(sector), &error_abort);
    era_expect(sector, plain, sizeof(sector));
    g_assert_null(qcrypto_cipher_new(QCRYPTO_CIPHER_ALGO_CAST5_128, QCRYPTO_CIPHER_MODE_XTS, key, 32, &err));
    g_test_message("%s", error_get_pretty(err));
    error_free_or_abort(&err);
}

static void test_rate(void)
{
    uint8_t salt[32] = {0};
    uint64_t rate;

    rate = qcrypto_pbkdf2_count_iters(QCRYPTO_HASH_ALGO_SHA256, (const uint8_t *)"pass", 4, salt, sizeof(salt), 32,
                                      &error_abort);
    g_assert_cmpuint(rate, >, 1000);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/eras/11.1/names", test_names);
    g_test_add_func("/eras/11.1/hash", test_hash);
    g_test_add_func("/eras/11.1/hmac", test_hmac);
    g_test_add_func("/eras/11.1/disk", test_disk);
    g_test_add_func("/eras/11.1/rate", test_rate);
    return g_test_run();
}
