/*
 * crypto/ivgen.h: all known answers, chains of sectors, and refusals.
 *
 * SPDX-License-Identifier: MIT OR Apache-2.0
 */
#include <glib.h>

#include "crypto/ivgen.h"

#include "cipher-util.h"
#include "vectors.h"

/* The generator of a record, or NULL where its rule is none of this interface's. */
static QCryptoIVGen *open_ivgen(VectorFile *file, const uint8_t *key, size_t key_len)
{
    const char *rule = vectors_text(file, "ivgen");

    if (g_str_equal(rule, "plain")) {
        return qcrypto_ivgen_new(QCRYPTO_IV_GEN_ALGO_PLAIN, 0, 0, NULL, 0, &error_abort);
    }
    if (g_str_equal(rule, "plain64")) {
        return qcrypto_ivgen_new(QCRYPTO_IV_GEN_ALGO_PLAIN64, 0, 0, NULL, 0, &error_abort);
    }
    if (g_str_equal(rule, "essiv")) {
        return qcrypto_ivgen_new(QCRYPTO_IV_GEN_ALGO_ESSIV, vectors_cipher_algo(file, "cipher"),
                                 vectors_hash_algo(file, "hash"), key, key_len, &error_abort);
    }
    if (g_str_equal(rule, "essiv:sha256")) {
        /* As a disk layer picks it: the member of AES's family whose key is as long as the digest. */
        return qcrypto_ivgen_new(QCRYPTO_IV_GEN_ALGO_ESSIV, QCRYPTO_CIPHER_ALGO_AES_256, QCRYPTO_HASH_ALGO_SHA256, key,
                                 key_len, &error_abort);
    }
    return NULL;
}

static void check_iv_record(VectorFile *file)
{
    bool keyed = vectors_find(file, "key") != NULL;
    size_t key_len = 0, iv_len;
    g_autofree uint8_t *key = keyed ? vectors_bytes(file, "key", &key_len) : NULL;
    g_autofree uint8_t *want = vectors_bytes(file, "iv", &iv_len);
    g_autofree uint8_t *got = g_malloc(iv_len);
    QCryptoIVGen *ivgen = open_ivgen(file, key, key_len);

    g_assert_nonnull(ivgen);
    qcrypto_ivgen_calculate(ivgen, vectors_number(file, "sector"), got, iv_len, &error_abort);
    expect_bytes(got, want, iv_len, "%s", vectors_where(file));
    qcrypto_ivgen_free(ivgen);
}

static void test_vectors(void)
{
    g_autofree char *path = g_build_filename(vectors_dir(), "ivgen", "ivgen.txt", NULL);
    g_autoptr(VectorFile) file = vectors_open(path);

    while (vectors_next(file)) {
        check_iv_record(file);
    }
    g_assert_cmpuint(vectors_read(file), ==, vectors_promised(file));
    g_test_message("%u records", vectors_read(file));
}

/* Zeros, encrypted sector by sector as a disk layer does. False where the interface has no such generator. */
static bool check_chain_record(VectorFile *file)
{
    QCryptoCipherAlgo alg = vectors_cipher_algo(file, "alg");
    QCryptoCipherMode mode = vectors_cipher_mode(file, "mode");
    size_t key_len, iv_len = qcrypto_cipher_get_iv_len(alg, mode);
    g_autofree uint8_t *key = vectors_bytes(file, "key", &key_len);
    size_t sector_size = vectors_number(file, "sector-size"), len = vectors_number(file, "length"), done;
    uint64_t sector = vectors_number(file, "iv-first"), step = vectors_number(file, "iv-step");
    g_autofree uint8_t *data = g_malloc0(len);
    QCryptoIVGen *ivgen = open_ivgen(file, key, key_len);
    uint8_t iv[MAX_BLOCK_LEN];
    QCryptoCipher *cipher;

    if (!ivgen) {
        return false;
    }
    cipher = qcrypto_cipher_new(alg, mode, key, key_len, &error_abort);
    for (done = 0; done < len; done += sector_size, sector += step) {
        qcrypto_ivgen_calculate(ivgen, sector, iv, iv_len, &error_abort);
        qcrypto_cipher_setiv(cipher, iv, iv_len, &error_abort);
        qcrypto_cipher_encrypt(cipher, data + done, data + done, sector_size, &error_abort);
    }
    expect_sha256(data, len, vectors_text(file, "ct-sha256"));
    qcrypto_cipher_free(cipher);
    qcrypto_ivgen_free(ivgen);
    return true;
}

static void test_chains(void)
{
    g_autofree char *path = g_build_filename(vectors_dir(), "ivgen", "sector-chains.txt", NULL);
    g_autoptr(VectorFile) file = vectors_open(path);
    unsigned run = 0, other = 0;

    while (vectors_next(file)) {
        *(check_chain_record(file) ? &run : &other) += 1;
    }
    g_assert_cmpuint(vectors_read(file), ==, vectors_promised(file));
    /* The rules "null" and "plain64be" are not QEMU's. */
    g_assert_cmpuint(other, ==, 10);
    g_test_message("%u records, and %u of rules that the interface has not", run, other);
}

/* L12, with a cut IV. */
static void test_essiv(void)
{
    uint8_t key[32], iv[16];
    QCryptoIVGen *ivgen;

    fill(key, sizeof(key), pattern_counting);
    ivgen = qcrypto_ivgen_new(QCRYPTO_IV_GEN_ALGO_ESSIV, QCRYPTO_CIPHER_ALGO_AES_256, QCRYPTO_HASH_ALGO_SHA256, key,
                              32, &error_abort);
    g_assert_cmpuint(qcrypto_ivgen_get_algorithm(ivgen), ==, QCRYPTO_IV_GEN_ALGO_ESSIV);
    g_assert_cmpuint(qcrypto_ivgen_get_cipher(ivgen), ==, QCRYPTO_CIPHER_ALGO_AES_256);
    g_assert_cmpuint(qcrypto_ivgen_get_hash(ivgen), ==, QCRYPTO_HASH_ALGO_SHA256);
    qcrypto_ivgen_calculate(ivgen, 0, iv, 16, &error_abort);
    expect_hex(iv, 16, "a73d5fb0e4041090ca6dc1b820cdaf51");
    qcrypto_ivgen_calculate(ivgen, 0x100000000, iv, 16, &error_abort);
    expect_hex(iv, 16, "b5c8f18211c5b554088a6a33ad5137c0");
    qcrypto_ivgen_free(ivgen);

    ivgen = qcrypto_ivgen_new(QCRYPTO_IV_GEN_ALGO_ESSIV, QCRYPTO_CIPHER_ALGO_AES_128, QCRYPTO_HASH_ALGO_SHA256, key,
                              16, &error_abort);
    memset(iv, 0xaa, sizeof(iv));
    qcrypto_ivgen_calculate(ivgen, 1, iv, 8, &error_abort);
    expect_hex(iv, 16, "d48371b2a1945388aaaaaaaaaaaaaaaa");
    qcrypto_ivgen_free(ivgen);
}

/* X16: plain wraps at 2^32, plain64 does not; a longer IV is filled with zeros. */
static void test_plain(void)
{
    QCryptoIVGen *plain = qcrypto_ivgen_new(QCRYPTO_IV_GEN_ALGO_PLAIN, 99, 99, NULL, 0, &error_abort);
    QCryptoIVGen *plain64 = qcrypto_ivgen_new(QCRYPTO_IV_GEN_ALGO_PLAIN64, 99, 99, NULL, 0, &error_abort);
    uint8_t iv[20];

    memset(iv, 0xaa, sizeof(iv));
    qcrypto_ivgen_calculate(plain, 0x123456789, iv, 20, &error_abort);
    expect_hex(iv, 20, "8967452300000000000000000000000000000000");
    qcrypto_ivgen_calculate(plain64, 0x123456789, iv, 16, &error_abort);
    expect_hex(iv, 16, "89674523010000000000000000000000");
    qcrypto_ivgen_calculate(plain64, UINT64_MAX, iv, 0, &error_abort);
    qcrypto_ivgen_calculate(plain64, UINT64_MAX, NULL, 0, &error_abort);
    g_assert_cmpuint(qcrypto_ivgen_get_algorithm(plain), ==, QCRYPTO_IV_GEN_ALGO_PLAIN);
    g_assert_cmpuint(qcrypto_ivgen_get_cipher(plain), ==, 99);
    g_assert_cmpuint(qcrypto_ivgen_get_hash(plain), ==, 99);
    qcrypto_ivgen_free(plain);
    qcrypto_ivgen_free(plain64);
    qcrypto_ivgen_free(NULL);
}

static void test_refusals(void)
{
    QCryptoIVGen *plain = qcrypto_ivgen_new(QCRYPTO_IV_GEN_ALGO_PLAIN, 0, 0, NULL, 0, &error_abort);
    uint8_t key[32] = { 0 }, iv[16];
    Error *err = NULL;

    g_assert_null(qcrypto_ivgen_new(3, 0, 0, NULL, 0, &err));
    expect_error(&err, "Unknown block IV generator algorithm 3");
    g_assert_null(qcrypto_ivgen_new(-1, 0, 0, NULL, 0, &err));
    expect_error(&err, "Unknown block IV generator algorithm -1");
    g_assert_null(qcrypto_ivgen_new(QCRYPTO_IV_GEN_ALGO_ESSIV, 13, QCRYPTO_HASH_ALGO_SHA256, key, 32, &err));
    expect_error(&err, "Cipher algorithm 13 out of range");
    g_assert_null(qcrypto_ivgen_new(QCRYPTO_IV_GEN_ALGO_ESSIV, QCRYPTO_CIPHER_ALGO_AES_256, 8, key, 32, &err));
    expect_error(&err, "Hash algorithm 8 out of range");
    g_assert_null(qcrypto_ivgen_new(QCRYPTO_IV_GEN_ALGO_ESSIV, QCRYPTO_CIPHER_ALGO_AES_256, QCRYPTO_HASH_ALGO_SHA1,
                                    key, 32, &err));
    expect_error(&err, "Cipher key length 20 should be 32");
    g_assert_null(qcrypto_ivgen_new(QCRYPTO_IV_GEN_ALGO_ESSIV, QCRYPTO_CIPHER_ALGO_AES_256, QCRYPTO_HASH_ALGO_SHA256,
                                    NULL, 32, &err));
    expect_error(&err, "Argument 'key' is NULL");
    g_assert_cmpint(qcrypto_ivgen_calculate(plain, 0, NULL, 16, &err), ==, -1);
    expect_error(&err, "Argument 'iv' is NULL");
    g_assert_cmpint(qcrypto_ivgen_calculate(NULL, 0, iv, 16, &err), ==, -1);
    expect_error(&err, "Argument 'ivgen' is NULL");
    g_assert_cmpuint(qcrypto_ivgen_get_algorithm(NULL), ==, QCRYPTO_IV_GEN_ALGO__MAX);
    g_assert_cmpuint(qcrypto_ivgen_get_cipher(NULL), ==, QCRYPTO_CIPHER_ALGO__MAX);
    g_assert_cmpuint(qcrypto_ivgen_get_hash(NULL), ==, QCRYPTO_HASH_ALGO__MAX);
    qcrypto_ivgen_free(plain);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/crypto/ivgen/vectors", test_vectors);
    g_test_add_func("/crypto/ivgen/sector-chains", test_chains);
    g_test_add_func("/crypto/ivgen/L12-essiv", test_essiv);
    g_test_add_func("/crypto/ivgen/X16-plain", test_plain);
    g_test_add_func("/crypto/ivgen/refusals", test_refusals);
    return g_test_run();
}
