/*
 * crypto/afsplit.h: all known answers, round trips, and refusals.
 *
 * SPDX-License-Identifier: MIT OR Apache-2.0
 */
#include <glib.h>

#include "crypto/afsplit.h"

#include "cipher-util.h"
#include "vectors.h"

static void check_record(VectorFile *file)
{
    size_t len, split_len;
    g_autofree uint8_t *want = vectors_bytes(file, "key", &len);
    g_autofree uint8_t *split = vectors_bytes(file, "split", &split_len);
    g_autofree uint8_t *got = g_malloc(len);
    uint32_t stripes = vectors_number(file, "stripes");

    g_assert_cmpuint(split_len, ==, len * stripes);
    qcrypto_afsplit_decode(vectors_hash_algo(file, "alg"), len, stripes, split, got, &error_abort);
    expect_bytes(got, want, len, "%s", vectors_where(file));
}

static void test_vectors(void)
{
    g_autofree char *path = g_build_filename(vectors_dir(), "afsplit", "afsplit.txt", NULL);
    g_autoptr(VectorFile) file = vectors_open(path);

    while (vectors_next(file)) {
        check_record(file);
    }
    g_assert_cmpuint(vectors_read(file), ==, vectors_promised(file));
    g_test_message("%u records", vectors_read(file));
}

static uint8_t pattern_af(size_t i)
{
    return 11 * i + 5;
}

static void check_decode(QCryptoHashAlgo hash, size_t len, uint32_t stripes, const char *want)
{
    g_autofree uint8_t *split = filled(len * stripes, pattern_af);
    g_autofree uint8_t *out = g_malloc(len);

    qcrypto_afsplit_decode(hash, len, stripes, split, out, &error_abort);
    expect_hex(out, len, want);
}

/* L13: blocks that are no multiple of the digest. */
static void test_partial_digest(void)
{
    check_decode(QCRYPTO_HASH_ALGO_SHA1, 24, 5, "a790a3a36599c8d457174293c26d6e13b9d5aaf9dab9a374");
    check_decode(QCRYPTO_HASH_ALGO_SHA256, 16, 4, "987051d1739cc6a7a9e169c588d92a9c");
    check_decode(QCRYPTO_HASH_ALGO_SHA256, 32, 1,
                 "05101b26313c47525d68737e89949faab5c0cbd6e1ecf7020d18232e39444f5a");
}

static void test_round_trips(void)
{
    static const size_t lens[] = { 1, 19, 20, 21, 64 };
    static const uint32_t stripes[] = { 1, 2, 5, 4000 };
    size_t i, j;
    unsigned hash;

    for (hash = 0; hash < QCRYPTO_HASH_ALGO__MAX; hash++) {
        for (i = 0; i < G_N_ELEMENTS(lens); i++) {
            for (j = 0; j < G_N_ELEMENTS(stripes); j++) {
                g_autofree uint8_t *key = filled(lens[i], pattern_k);
                g_autofree uint8_t *split = g_malloc(lens[i] * stripes[j]);
                g_autofree uint8_t *again = g_malloc(lens[i]);

                qcrypto_afsplit_encode(hash, lens[i], stripes[j], key, split, &error_abort);
                qcrypto_afsplit_decode(hash, lens[i], stripes[j], split, again, &error_abort);
                expect_bytes(again, key, lens[i], "hash %u, %zu bytes, %u stripes", hash, lens[i], stripes[j]);
            }
        }
    }
}

/* Two splits of one key have nothing in common but the key. */
static void test_random_stripes(void)
{
    uint8_t key[32], one[128], two[128];

    fill(key, sizeof(key), pattern_k);
    qcrypto_afsplit_encode(QCRYPTO_HASH_ALGO_SHA256, 32, 4, key, one, &error_abort);
    qcrypto_afsplit_encode(QCRYPTO_HASH_ALGO_SHA256, 32, 4, key, two, &error_abort);
    g_assert_cmpint(memcmp(one, two, 32), !=, 0);
    g_assert_cmpint(memcmp(one + 96, two + 96, 32), !=, 0);
    g_assert_cmpint(memcmp(one, one + 32, 32), !=, 0);
}

static void test_refusals(void)
{
    uint8_t in[64], out[64];
    Error *err = NULL;

    fill(in, sizeof(in), pattern_k);
    memset(out, 0xaa, sizeof(out));
    g_assert_cmpint(qcrypto_afsplit_encode(QCRYPTO_HASH_ALGO_SHA1, 16, 0, in, out, &err), ==, -1);
    expect_error(&err, "Cannot split 16 bytes into 0 stripes");
    g_assert_cmpint(qcrypto_afsplit_decode(QCRYPTO_HASH_ALGO_SHA1, 0, 4, in, out, &err), ==, -1);
    expect_error(&err, "Cannot split 0 bytes into 4 stripes");
    g_assert_cmpint(qcrypto_afsplit_encode(QCRYPTO_HASH_ALGO_SHA1, SIZE_MAX, 2, in, out, &err), ==, -1);
    error_free_or_abort(&err);
    g_assert_cmpint(qcrypto_afsplit_decode(QCRYPTO_HASH_ALGO_SHA1, (size_t)1 << 62, 2, in, out, NULL), ==, -1);
    g_assert_cmpint(qcrypto_afsplit_encode(8, 16, 4, in, out, &err), ==, -1);
    expect_error(&err, "Hash algorithm 8 out of range");
    g_assert_cmpint(qcrypto_afsplit_encode(QCRYPTO_HASH_ALGO_SHA1, 16, 4, NULL, out, &err), ==, -1);
    expect_error(&err, "Argument 'in' is NULL");
    g_assert_cmpint(qcrypto_afsplit_decode(QCRYPTO_HASH_ALGO_SHA1, 16, 4, in, NULL, &err), ==, -1);
    expect_error(&err, "Argument 'out' is NULL");
    g_assert_cmpint(qcrypto_afsplit_decode(QCRYPTO_HASH_ALGO_SHA1, 16, 4, in, in + 48, &err), ==, -1);
    expect_error(&err, "Input and output overlap without being the same buffer");
    expect_all(out, 0xaa, sizeof(out), "refused");
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/crypto/afsplit/vectors", test_vectors);
    g_test_add_func("/crypto/afsplit/L13-partial-digest", test_partial_digest);
    g_test_add_func("/crypto/afsplit/round-trips", test_round_trips);
    g_test_add_func("/crypto/afsplit/random-stripes", test_random_stripes);
    g_test_add_func("/crypto/afsplit/refusals", test_refusals);
    return g_test_run();
}
