/*
 * crypto/hmac.h: all known answers, and the rules of results and of use.
 *
 * SPDX-License-Identifier: MIT OR Apache-2.0
 */
#include <glib.h>

#include "crypto/hmac.h"

#include "cipher-util.h"
#include "vectors.h"

#include <stdlib.h>

static void check_record(VectorFile *file)
{
    QCryptoHashAlgo alg = vectors_hash_algo(file, "alg");
    bool valid = g_str_equal(vectors_text(file, "result"), "valid");
    size_t key_len, len, mac_len, got_len = 0;
    g_autofree uint8_t *key = vectors_bytes(file, "key", &key_len);
    g_autofree uint8_t *msg = vectors_bytes(file, "msg", &len);
    g_autofree uint8_t *mac = vectors_bytes(file, "mac", &mac_len);
    g_autofree uint8_t *got = NULL;
    QCryptoHmac *hmac = qcrypto_hmac_new(alg, key, key_len, &error_abort);
    int round;

    g_assert_cmpuint(hmac->alg, ==, alg);
    /* The second round is the same object, restarted, with the message in two calls. */
    for (round = 0; round < 2; round++) {
        size_t first = round ? len / 2 : 0;
        if (round) {
            g_assert_cmpint(qcrypto_hmac_bytes(hmac, msg, first, NULL, NULL, &error_abort), ==, 0);
            /* It holds the right answer from the first round. */
            memset(got, 0xaa, got_len);
        }
        g_assert_cmpint(qcrypto_hmac_bytes(hmac, msg + first, len - first, &got, &got_len, &error_abort), ==, 0);
        g_assert_cmpuint(got_len, ==, qcrypto_hash_digest_len(alg));
        g_assert_cmpuint(mac_len, <=, got_len);
        if (mac_len < got_len) {
            g_assert_true(!valid || vectors_flag(file, "truncated"));
        }
        if (valid) {
            expect_bytes(got, mac, mac_len, "%s round %d", vectors_where(file), round);
        } else {
            g_assert_cmpint(memcmp(got, mac, mac_len), !=, 0);
        }
    }
    qcrypto_hmac_free(hmac);
}

static void test_vectors(const void *name)
{
    g_autofree char *path = g_build_filename(vectors_dir(), "hmac", (const char *)name, NULL);
    g_autoptr(VectorFile) file = vectors_open(path);

    while (vectors_next(file)) {
        check_record(file);
    }
    g_assert_cmpuint(vectors_read(file), ==, vectors_promised(file));
    g_test_message("%u records", vectors_read(file));
}

/* L24: a message in pieces, with NULL for "more to come". */
static void test_pieces(void)
{
    static const char want[] = "7ea8084e5fa66c1ff40aface373aadc6ca206ec1dfc9f990beff2f8538958dad";
    uint8_t key[20], buf[32], *result = buf;
    size_t len = sizeof(buf);
    struct iovec iov[2] = { { (char *)"abc", 3 }, { (char *)"def", 3 } };
    QCryptoHmac *hmac;
    char *text;

    fill(key, sizeof(key), pattern_k);
    hmac = qcrypto_hmac_new(QCRYPTO_HASH_ALGO_SHA256, key, sizeof(key), &error_abort);
    g_assert_cmpint(qcrypto_hmac_bytes(hmac, "abc", 3, NULL, NULL, &error_abort), ==, 0);
    g_assert_cmpint(qcrypto_hmac_bytes(hmac, "def", 3, NULL, NULL, &error_abort), ==, 0);
    g_assert_cmpint(qcrypto_hmac_bytes(hmac, "ghi", 3, &result, &len, &error_abort), ==, 0);
    g_assert_true(result == buf);
    expect_hex(buf, sizeof(buf), want);

    g_assert_cmpint(qcrypto_hmac_bytesv(hmac, iov, 2, NULL, NULL, &error_abort), ==, 0);
    g_assert_cmpint(qcrypto_hmac_digest(hmac, "ghi", 3, &text, &error_abort), ==, 0);
    g_assert_cmpstr(text, ==, want);
    free(text);
    qcrypto_hmac_free(hmac);
}

/* Keys of no byte, of a block, and of one more. */
static void test_key_lengths(void)
{
    static const struct {
        size_t len;
        const char *want;
    } keys[] = {
        { 0, "fd7adb152c05ef80dccf50a1fa4c05d5a3ec6da95575fc312ae7c5d091836351" },
        { 64, "2f8cff867f2668ca93d3c5b03ba9f816746742eda349b3bc4bb35aa27816754c" },
        { 65, "102ebc7ceb9dff09e5a77413a3cd67382908ece255487006eb0e1e1b801f9ce6" },
    };
    uint8_t key[65];
    size_t i;

    memset(key, 0xaa, sizeof(key));
    for (i = 0; i < G_N_ELEMENTS(keys); i++) {
        const uint8_t *start = keys[i].len ? key : NULL;
        QCryptoHmac *hmac = qcrypto_hmac_new(QCRYPTO_HASH_ALGO_SHA256, start, keys[i].len, &error_abort);
        char *text;

        qcrypto_hmac_digest(hmac, "abc", 3, &text, &error_abort);
        g_assert_cmpstr(text, ==, keys[i].want);
        free(text);
        qcrypto_hmac_free(hmac);
    }
}

static void test_refusals(void)
{
    QCryptoHmac *hmac = qcrypto_hmac_new(QCRYPTO_HASH_ALGO_SHA256, NULL, 0, &error_abort);
    struct iovec iov[2] = { { (char *)"abc", 3 }, { NULL, 1 } };
    uint8_t buf[33], *result = buf;
    size_t len = 31;
    char *text;
    Error *err = NULL;
    unsigned alg;

    for (alg = 0; alg < QCRYPTO_HASH_ALGO__MAX; alg++) {
        g_assert_true(qcrypto_hmac_supports(alg));
    }
    g_assert_false(qcrypto_hmac_supports(8));
    g_assert_false(qcrypto_hmac_supports(-1));
    g_assert_null(qcrypto_hmac_new(8, NULL, 0, &err));
    expect_error(&err, "Hash algorithm 8 out of range");
    g_assert_null(qcrypto_hmac_new(QCRYPTO_HASH_ALGO_MD5, NULL, 1, &err));
    expect_error(&err, "Argument 'key' is NULL");
    g_assert_cmpint(qcrypto_hmac_bytes(NULL, "abc", 3, &result, &len, &err), ==, -1);
    expect_error(&err, "Argument 'hmac' is NULL");
    g_assert_cmpint(qcrypto_hmac_digest(hmac, "abc", 3, NULL, &err), ==, -1);
    expect_error(&err, "Argument 'digest' is NULL");
    g_assert_cmpint(qcrypto_hmac_bytesv(hmac, iov, 2, &result, &len, &err), ==, -1);
    expect_error(&err, "Argument 'iov' is NULL");

    /* As in QEMU, what was fed before a refused length stays. */
    memset(buf, 0xaa, sizeof(buf));
    g_assert_cmpint(qcrypto_hmac_bytes(hmac, "ab", 2, &result, &len, &err), ==, -1);
    expect_error(&err, "Result buffer size 31 is smaller than hmac 32");
    expect_all(buf, 0xaa, sizeof(buf), "refused length");
    g_assert_cmpint(qcrypto_hmac_digest(hmac, "c", 1, &text, &error_abort), ==, 0);
    g_assert_cmpstr(text, ==, "fd7adb152c05ef80dccf50a1fa4c05d5a3ec6da95575fc312ae7c5d091836351");
    free(text);
    qcrypto_hmac_free(hmac);
    qcrypto_hmac_free(NULL);
}

int main(int argc, char **argv)
{
    static const char *const files[] = {
        "hmac-md5.txt",    "hmac-sha1.txt",   "hmac-sha224.txt",    "hmac-sha256.txt",
        "hmac-sha384.txt", "hmac-sha512.txt", "hmac-ripemd160.txt", "hmac-sm3.txt",
    };
    size_t i;

    g_test_init(&argc, &argv, NULL);
    for (i = 0; i < G_N_ELEMENTS(files); i++) {
        g_autofree char *path = g_strdup_printf("/crypto/hmac/vectors/%s", files[i]);
        g_test_add_data_func(path, files[i], test_vectors);
    }
    g_test_add_func("/crypto/hmac/L24-pieces", test_pieces);
    g_test_add_func("/crypto/hmac/key-lengths", test_key_lengths);
    g_test_add_func("/crypto/hmac/refusals", test_refusals);
    return g_test_run();
}
