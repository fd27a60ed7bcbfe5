/*
 * A disk layer as one would have been written for QEMU 2.12: the names of the time, the private XTS over a block cipher
 * of one's own, Errors by way of a local variable.
 *
 * SPDX-License-Identifier: MIT OR Apache-2.0
 */
#include <glib.h>

#include "crypto/afsplit.h"
#include "crypto/cipher.h"
#include "crypto/hash.h"
#include "crypto/init.h"
#include "crypto/ivgen.h"
#include "crypto/pbkdf.h"
#include "crypto/random.h"
#include "crypto/xts.h"
#include "qapi/error.h"
#include "qapi/qapi-types-crypto.h"

#include "era.h"

typedef struct DiskFormat {
    QCryptoCipherAlgorithm cipher;
    QCryptoCipherMode mode;
    QCryptoIVGenAlgorithm ivgen;
    QCryptoHashAlgorithm hash;
} DiskFormat;

/* "aes-256", "xts", "plain64", "sha256", as an image's header has them. */
static void disk_format_parse(DiskFormat *format, const char *const names[4], Error **errp)
{
    Error *local_err = NULL;

    format->cipher = qapi_enum_parse(&QCryptoCipherAlgorithm_lookup, names[0], QCRYPTO_CIPHER_ALG__MAX, &local_err);
    if (local_err) {
        goto out;
    }
    format->mode = qapi_enum_parse(&QCryptoCipherMode_lookup, names[1], QCRYPTO_CIPHER_MODE__MAX, &local_err);
    if (local_err) {
        goto out;
    }
    format->ivgen = qapi_enum_parse(&QCryptoIVGenAlgorithm_lookup, names[2], QCRYPTO_IVGEN_ALG__MAX, &local_err);
    if (local_err) {
        goto out;
    }
    format->hash = qapi_enum_parse(&QCryptoHashAlgorithm_lookup, names[3], QCRYPTO_HASH_ALG__MAX, &local_err);
out:
    error_propagate(errp, local_err);
}

static void test_names(void)
{
    static const char *const good[] = {"aes-256", "xts", "plain64", "sha256"};
    static const char *const bad[] = {"aes-256", "xts", "plain65", "sha256"};
    DiskFormat format;
    Error *err = NULL;

    disk_format_parse(&format, good, &error_abort);
    g_assert_cmpint(format.cipher, ==, QCRYPTO_CIPHER_ALG_AES_256);
    g_assert_cmpint(format.mode, ==, QCRYPTO_CIPHER_MODE_XTS);
    g_assert_cmpint(format.ivgen, ==, QCRYPTO_IVGEN_ALG_PLAIN64);
    g_assert_cmpint(format.hash, ==, QCRYPTO_HASH_ALG_SHA256);
    g_assert_cmpstr(QCryptoCipherAlgorithm_lookup.array[format.cipher], ==, "aes-256");
    g_assert_cmpstr(qapi_enum_lookup(&QCryptoHashAlgorithm_lookup, format.hash), ==, "sha256");

    disk_format_parse(&format, bad, &err);
    g_assert_cmpstr(error_get_pretty(err), ==, "invalid parameter value: plain65");
    error_free_or_abort(&err);
    disk_format_parse(&format, bad, NULL);
    g_assert_cmpint(qapi_enum_parse(&QCryptoHashAlgorithm_lookup, NULL, -7, &error_abort), ==, -7);
}

/* The block cipher that QEMU's own XTS was given: any that one has, here AES in ECB. */
typedef struct BlockCipher {
    QCryptoCipher *ecb;
} BlockCipher;

static void block_encrypt(const void *ctx, size_t length, uint8_t *dst, const uint8_t *src)
{
    const BlockCipher *block = ctx;

    g_assert_cmpint(length, ==, XTS_BLOCK_SIZE);
    qcrypto_cipher_encrypt(block->ecb, src, dst, length, &error_abort);
}

static void block_decrypt(const void *ctx, size_t length, uint8_t *dst, const uint8_t *src)
{
    const BlockCipher *block = ctx;

    g_assert_cmpint(length, ==, XTS_BLOCK_SIZE);
    qcrypto_cipher_decrypt(block->ecb, src, dst, length, &error_abort);
}

static void test_private_xts(void)
{
    BlockCipher data, tweak;
    uint8_t key[32], iv[XTS_BLOCK_SIZE], sector[512], expected[512];
    QCryptoCipher *xts;

    era_fill(key, sizeof(key), 1);
    era_fill(sector, sizeof(sector), 3);
    data.ecb = qcrypto_cipher_new(QCRYPTO_CIPHER_ALG_AES_128, QCRYPTO_CIPHER_MODE_ECB, key, 16, &error_abort);
    tweak.ecb = qcrypto_cipher_new(QCRYPTO_CIPHER_ALG_AES_128, QCRYPTO_CIPHER_MODE_ECB, key + 16, 16, &error_abort);
    xts = qcrypto_cipher_new(QCRYPTO_CIPHER_ALG_AES_128, QCRYPTO_CIPHER_MODE_XTS, key, 32, &error_abort);
    era_sector_iv(iv, 77);
    qcrypto_cipher_setiv(xts, iv, sizeof(iv), &error_abort);
    qcrypto_cipher_encrypt(xts, sector, expected, sizeof(sector), &error_abort);

    /* In two pieces: the IV carries the data unit on. */
    xts_encrypt(&data, &tweak, block_encrypt, block_decrypt, iv, 128, sector, sector);
    xts_encrypt(&data, &tweak, block_encrypt, block_decrypt, iv, 384, sector + 128, sector + 128);
    era_expect(sector, expected, sizeof(sector));

    era_sector_iv(iv, 77);
    xts_decrypt(&data, &tweak, block_encrypt, block_decrypt, iv, 512, sector, sector);
    era_fill(expected, sizeof(expected), 3);
    era_expect(sector, expected, sizeof(sector));

    qcrypto_cipher_free(xts);
    qcrypto_cipher_free(data.ecb);
    qcrypto_cipher_free(tweak.ecb);
}

/* A key slot: the password opens stripes, which give the key, whose digest tells whether it is right. */
static void test_key_slot(void)
{
    const char *password = "pass";
    uint8_t salt[32], key[32], slot_key[16], iv[16], found[32];
    uint8_t stripes[32 * 40];
    QCryptoIVGen *ivgen;
    QCryptoCipher *cipher;
    char *digest = NULL;

    g_assert_cmpint(qcrypto_init(&error_abort), ==, 0);
    g_assert_cmpint(qcrypto_random_bytes(salt, sizeof(salt), &error_abort), ==, 0);
    qcrypto_random_bytes(key, sizeof(key), &error_abort);
    qcrypto_pbkdf2(QCRYPTO_HASH_ALG_SHA1, (const uint8_t *)password, 4, salt, sizeof(salt), 1000, slot_key,
                   sizeof(slot_key), &error_abort);
    ivgen = qcrypto_ivgen_new(QCRYPTO_IVGEN_ALG_ESSIV, QCRYPTO_CIPHER_ALG_AES_256, QCRYPTO_HASH_ALG_SHA256, slot_key,
                              sizeof(slot_key), &error_abort);
    qcrypto_ivgen_calculate(ivgen, 8, iv, sizeof(iv), &error_abort);
    qcrypto_afsplit_encode(QCRYPTO_HASH_ALG_SHA1, sizeof(key), 40, key, stripes, &error_abort);

    cipher = qcrypto_cipher_new(QCRYPTO_CIPHER_ALG_AES_128, QCRYPTO_CIPHER_MODE_CBC, slot_key, sizeof(slot_key),
                                &error_abort);
    qcrypto_cipher_setiv(cipher, iv, sizeof(iv), &error_abort);
    qcrypto_cipher_encrypt(cipher, stripes, stripes, sizeof(stripes), &error_abort);
    qcrypto_cipher_setiv(cipher, iv, sizeof(iv), &error_abort);
    qcrypto_cipher_decrypt(cipher, stripes, stripes, sizeof(stripes), &error_abort);
    qcrypto_afsplit_decode(QCRYPTO_HASH_ALG_SHA1, sizeof(key), 40, stripes, found, &error_abort);
    era_expect(found, key, sizeof(key));

    qcrypto_hash_digest(QCRYPTO_HASH_ALG_MD5, "abc", 3, &digest, &error_abort);
    g_assert_cmpstr(digest, ==, "900150983cd24fb0d6963f7d28e17f72");
    g_free(digest);
    qcrypto_cipher_free(cipher);
    qcrypto_ivgen_free(ivgen);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/eras/2.12/names", test_names);
    g_test_add_func("/eras/2.12/private-xts", test_private_xts);
    g_test_add_func("/eras/2.12/key-slot", test_key_slot);
    return g_test_run();
}
