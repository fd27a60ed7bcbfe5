/*
 * crypto/hash.h: all known answers, and the rules of results and of use.
 *
 * SPDX-License-Identifier: MIT OR Apache-2.0
 */
#include <glib.h>

#include "crypto/hash.h"

#include "cipher-util.h"
#include "vectors.h"

#include <stdlib.h>

static const struct {
    const char *name;
    size_t digest_len;
} hash_info[QCRYPTO_HASH_ALGO__MAX] = {
    { "md5", QCRYPTO_HASH_DIGEST_LEN_MD5 },
    { "sha1", QCRYPTO_HASH_DIGEST_LEN_SHA1 },
    { "sha224", QCRYPTO_HASH_DIGEST_LEN_SHA224 },
    { "sha256", QCRYPTO_HASH_DIGEST_LEN_SHA256 },
    { "sha384", QCRYPTO_HASH_DIGEST_LEN_SHA384 },
    { "sha512", QCRYPTO_HASH_DIGEST_LEN_SHA512 },
    { "ripemd160", QCRYPTO_HASH_DIGEST_LEN_RIPEMD160 },
    { "sm3", QCRYPTO_HASH_DIGEST_LEN_SM3 },
};

#define ABC_SHA256 "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
#define ABC_SHA256_BASE64 "ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0="

static void test_supports(void)
{
    unsigned alg;

    for (alg = 0; alg < QCRYPTO_HASH_ALGO__MAX; alg++) {
        g_assert_cmpint(qcrypto_hash_supports(alg), ==, 1);
        g_assert_cmpuint(qcrypto_hash_digest_len(alg), ==, hash_info[alg].digest_len);
    }
    for (alg = QCRYPTO_HASH_ALGO__MAX; alg < 100; alg++) {
        g_assert_cmpint(qcrypto_hash_supports(alg), ==, 0);
        g_assert_cmpuint(qcrypto_hash_digest_len(alg), ==, 0);
    }
    g_assert_cmpint(qcrypto_hash_supports(-1), ==, 0);
    g_assert_cmpuint(qcrypto_hash_digest_len(-1), ==, 0);
}

/* One message in pieces through the context. */
static void hash_in_pieces(QCryptoHashAlgo alg, const uint8_t *msg, size_t len, size_t piece, uint8_t *digest)
{
    QCryptoHash *hash = qcrypto_hash_new(alg, &error_abort);
    size_t digest_len = hash_info[alg].digest_len;
    size_t done;

    for (done = 0; done < len; done += piece) {
        qcrypto_hash_update(hash, msg + done, MIN(piece, len - done), &error_abort);
    }
    qcrypto_hash_finalize_bytes(hash, &digest, &digest_len, &error_abort);
    qcrypto_hash_free(hash);
}

static void check_hash_record(VectorFile *file)
{
    QCryptoHashAlgo alg = vectors_hash_algo(file, "alg");
    size_t len, digest_len = 0, want_len;
    g_autofree uint8_t *msg = vectors_bytes(file, "msg", &len);
    g_autofree uint8_t *want = vectors_bytes(file, "md", &want_len);
    g_autofree uint8_t *got = NULL;
    uint8_t pieces[QCRYPTO_HASH_DIGEST_LEN_SHA512];
    struct iovec iov[3] = {
        { .iov_base = msg, .iov_len = len / 3 },
        { .iov_base = NULL, .iov_len = 0 },
        { .iov_base = msg + len / 3, .iov_len = len - len / 3 },
    };
    g_autofree char *hex = NULL;

    g_assert_cmpint(qcrypto_hash_bytes(alg, msg, len, &got, &digest_len, &error_abort), ==, 0);
    g_assert_cmpuint(digest_len, ==, want_len);
    expect_bytes(got, want, want_len, "%s", vectors_where(file));

    /* Into the buffer of the call before, which must not still hold its answer. */
    memset(got, 0xaa, want_len);
    g_assert_cmpint(qcrypto_hash_bytesv(alg, iov, 3, &got, &digest_len, &error_abort), ==, 0);
    expect_bytes(got, want, want_len, "%s in parts", vectors_where(file));

    hash_in_pieces(alg, msg, len, 61, pieces);
    expect_bytes(pieces, want, want_len, "%s piece by piece", vectors_where(file));

    qcrypto_hash_digest(alg, msg, len, &hex, &error_abort);
    expect_hex(want, want_len, hex);
}

/* SHAVS Monte Carlo: each digest is of the three before it. */
static void check_monte_record(VectorFile *file)
{
    QCryptoHashAlgo alg = vectors_hash_algo(file, "alg");
    size_t digest_len, want_len;
    g_autofree uint8_t *seed = vectors_bytes(file, "seed", &digest_len);
    g_autofree uint8_t *want = vectors_bytes(file, "md", &want_len);
    uint8_t window[3 * QCRYPTO_HASH_DIGEST_LEN_SHA512], next[QCRYPTO_HASH_DIGEST_LEN_SHA512];
    uint8_t *result = next;
    int i;

    for (i = 0; i < 3; i++) {
        memcpy(window + i * digest_len, seed, digest_len);
    }
    for (i = 0; i < 1000; i++) {
        qcrypto_hash_bytes(alg, window, 3 * digest_len, &result, &digest_len, &error_abort);
        memmove(window, window + digest_len, 2 * digest_len);
        memcpy(window + 2 * digest_len, next, digest_len);
    }
    expect_bytes(next, want, want_len, "%s", vectors_where(file));
}

static void test_vectors(const void *name)
{
    g_autofree char *path = g_build_filename(vectors_dir(), "hash", (const char *)name, NULL);
    g_autoptr(VectorFile) file = vectors_open(path);

    while (vectors_next(file)) {
        if (g_str_equal(vectors_text(file, "kind"), "monte")) {
            check_monte_record(file);
        } else {
            check_hash_record(file);
        }
    }
    g_assert_cmpuint(vectors_read(file), ==, vectors_promised(file));
    g_test_message("%u records", vectors_read(file));
}

/* L10: the caller's buffer is filled in place; other lengths are refused and nothing is written. */
static void test_result_rule(void)
{
    uint8_t buf[33], *result = buf;
    size_t len = 32;
    Error *err = NULL;

    g_assert_cmpint(qcrypto_hash_bytes(QCRYPTO_HASH_ALGO_SHA256, "abc", 3, &result, &len, &err), ==, 0);
    g_assert_null(err);
    g_assert_true(result == buf);
    g_assert_cmpuint(len, ==, 32);
    expect_hex(buf, 32, ABC_SHA256);

    memset(buf, 0xaa, sizeof(buf));
    for (len = 31; len <= 33; len += 2) {
        size_t given = len;
        g_assert_cmpint(qcrypto_hash_bytes(QCRYPTO_HASH_ALGO_SHA256, "abc", 3, &result, &given, &err), ==, -1);
        expect_errorf(&err, "Result buffer size %zu is %s than hash 32", len, len < 32 ? "smaller" : "larger");
        g_assert_true(result == buf && given == len);
        expect_all(buf, 0xaa, sizeof(buf), "refused length %zu", len);
        g_assert_cmpint(qcrypto_hash_bytes(QCRYPTO_HASH_ALGO_SHA256, "abc", 3, &result, &given, NULL), ==, -1);
    }

    result = NULL;
    len = 0;
    qcrypto_hash_bytes(QCRYPTO_HASH_ALGO_SHA256, "abc", 3, &result, &len, &error_abort);
    g_assert_cmpuint(len, ==, 32);
    expect_hex(result, 32, ABC_SHA256);
    free(result);
}

static void test_texts(void)
{
    struct iovec iov[2] = { { (char *)"a", 1 }, { (char *)"bc", 2 } };
    char *text = NULL;

    qcrypto_hash_digestv(QCRYPTO_HASH_ALGO_SHA256, iov, 2, &text, &error_abort);
    g_assert_cmpstr(text, ==, ABC_SHA256);
    free(text);
    qcrypto_hash_base64v(QCRYPTO_HASH_ALGO_SHA256, iov, 2, &text, &error_abort);
    g_assert_cmpstr(text, ==, ABC_SHA256_BASE64);
    free(text);
    qcrypto_hash_base64(QCRYPTO_HASH_ALGO_SHA256, "abc", 3, &text, &error_abort);
    g_assert_cmpstr(text, ==, ABC_SHA256_BASE64);
    free(text);
}

static QCryptoHash *new_abc(void)
{
    QCryptoHash *hash = qcrypto_hash_new(QCRYPTO_HASH_ALGO_SHA256, &error_abort);
    struct iovec iov[2] = { { (char *)"ab", 2 }, { (char *)"c", 1 } };

    g_assert_cmpuint(hash->alg, ==, QCRYPTO_HASH_ALGO_SHA256);
    g_assert_cmpint(qcrypto_hash_updatev(hash, iov, 2, &error_abort), ==, 0);
    return hash;
}

/* L24: a digest is taken once; after that everything but free is an error. */
static void test_finalize_once(void)
{
    QCryptoHash *hash = new_abc();
    uint8_t *result = NULL;
    size_t len = 0;
    char *text = NULL;
    Error *err = NULL;

    len = 31;
    g_assert_cmpint(qcrypto_hash_finalize_bytes(hash, &result, &len, &err), ==, -1);
    expect_error(&err, "Result buffer size 31 is smaller than hash 32");
    g_assert_cmpint(qcrypto_hash_finalize_digest(hash, &text, &error_abort), ==, 0);
    g_assert_cmpstr(text, ==, ABC_SHA256);
    free(text);

    len = 0;
    g_assert_cmpint(qcrypto_hash_finalize_bytes(hash, &result, &len, &err), ==, -1);
    expect_error(&err, "Hash has been finalized already");
    g_assert_cmpint(qcrypto_hash_finalize_digest(hash, &text, &err), ==, -1);
    expect_error(&err, "Hash has been finalized already");
    g_assert_cmpint(qcrypto_hash_finalize_base64(hash, &text, &err), ==, -1);
    expect_error(&err, "Hash has been finalized already");
    g_assert_cmpint(qcrypto_hash_update(hash, "d", 1, &err), ==, -1);
    expect_error(&err, "Hash has been finalized already");
    g_assert_null(result);
    qcrypto_hash_free(hash);

    hash = new_abc();
    qcrypto_hash_finalize_base64(hash, &text, &error_abort);
    g_assert_cmpstr(text, ==, ABC_SHA256_BASE64);
    free(text);
    qcrypto_hash_free(hash);
    qcrypto_hash_free(new_abc());
    qcrypto_hash_free(NULL);
}

static void test_refusals(void)
{
    QCryptoHash *hash = new_abc();
    struct iovec iov[2] = { { (char *)"d", 1 }, { NULL, 1 } };
    uint8_t *result = NULL;
    size_t len = 0;
    char *text = NULL;
    Error *err = NULL;

    g_assert_null(qcrypto_hash_new(8, &err));
    expect_error(&err, "Hash algorithm 8 out of range");
    g_assert_null(qcrypto_hash_new(-1, NULL));
    g_assert_cmpint(qcrypto_hash_bytes(99, "", 0, &result, &len, &err), ==, -1);
    expect_error(&err, "Hash algorithm 99 out of range");
    g_assert_cmpint(qcrypto_hash_bytes(QCRYPTO_HASH_ALGO_MD5, NULL, 1, &result, &len, &err), ==, -1);
    expect_error(&err, "Argument 'iov' is NULL");
    g_assert_cmpint(qcrypto_hash_bytes(QCRYPTO_HASH_ALGO_MD5, "", SIZE_MAX, &result, &len, &err), ==, -1);
    error_free_or_abort(&err);
    g_assert_cmpint(qcrypto_hash_bytesv(QCRYPTO_HASH_ALGO_MD5, NULL, 1, &result, &len, &err), ==, -1);
    expect_error(&err, "Argument 'iov' is NULL");
    g_assert_cmpint(qcrypto_hash_bytesv(QCRYPTO_HASH_ALGO_MD5, iov, SIZE_MAX, &result, &len, &err), ==, -1);
    error_free_or_abort(&err);
    g_assert_cmpint(qcrypto_hash_bytes(QCRYPTO_HASH_ALGO_MD5, "", 0, NULL, &len, &err), ==, -1);
    expect_error(&err, "Argument 'result' is NULL");
    g_assert_cmpint(qcrypto_hash_bytes(QCRYPTO_HASH_ALGO_MD5, "", 0, &result, NULL, &err), ==, -1);
    expect_error(&err, "Argument 'resultlen' is NULL");
    len = 16;
    g_assert_cmpint(qcrypto_hash_bytes(QCRYPTO_HASH_ALGO_MD5, "", 0, &result, &len, &err), ==, -1);
    expect_error(&err, "Argument '*result' is NULL");
    g_assert_cmpint(qcrypto_hash_digest(QCRYPTO_HASH_ALGO_MD5, "", 0, NULL, &err), ==, -1);
    expect_error(&err, "Argument 'digest' is NULL");
    g_assert_cmpint(qcrypto_hash_update(NULL, "", 0, &err), ==, -1);
    expect_error(&err, "Argument 'hash' is NULL");

    /* A refused part leaves the parts before it out, too. */
    g_assert_cmpint(qcrypto_hash_updatev(hash, iov, 2, &err), ==, -1);
    expect_error(&err, "Argument 'iov' is NULL");
    qcrypto_hash_finalize_digest(hash, &text, &error_abort);
    g_assert_cmpstr(text, ==, ABC_SHA256);
    free(text);
    qcrypto_hash_free(hash);

    /* Nothing at all is a message, and may be NULL. */
    len = 0;
    qcrypto_hash_bytesv(QCRYPTO_HASH_ALGO_MD5, NULL, 0, &result, &len, &error_abort);
    expect_hex(result, len, "d41d8cd98f00b204e9800998ecf8427e");
    free(result);
}

/* More than 4 GiB in one call: a length cut to 32 bits would show. */
static void test_above_4_gib(void)
{
    const size_t len = ((size_t)4 << 30) + 64;
    g_autofree uint8_t *msg = NULL;
    g_autofree char *once = NULL, *pieces = NULL;
    QCryptoHash *hash;
    size_t done;

    if (!g_getenv("QCRYPTO_TEST_SLOW")) {
        g_test_skip("QCRYPTO_TEST_SLOW is not set: takes 4 GiB of memory");
        return;
    }
    msg = g_try_malloc0(len);
    g_assert_nonnull(msg);
    qcrypto_hash_digest(QCRYPTO_HASH_ALGO_SHA256, msg, len, &once, &error_abort);
    hash = qcrypto_hash_new(QCRYPTO_HASH_ALGO_SHA256, &error_abort);
    for (done = 0; done < len; done += 64) {
        qcrypto_hash_update(hash, msg + done, 64, &error_abort);
    }
    qcrypto_hash_finalize_digest(hash, &pieces, &error_abort);
    g_assert_cmpstr(once, ==, pieces);
    qcrypto_hash_free(hash);
}

int main(int argc, char **argv)
{
    static const char *const files[] = {
        "md5.txt",    "sha1.txt",      "sha224.txt", "sha256.txt",    "sha384.txt",
        "sha512.txt", "ripemd160.txt", "sm3.txt",    "sha-monte.txt",
    };
    size_t i;

    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/crypto/hash/supports", test_supports);
    for (i = 0; i < G_N_ELEMENTS(files); i++) {
        g_autofree char *path = g_strdup_printf("/crypto/hash/vectors/%s", files[i]);
        g_test_add_data_func(path, files[i], test_vectors);
    }
    g_test_add_func("/crypto/hash/L10-result-rule", test_result_rule);
    g_test_add_func("/crypto/hash/texts", test_texts);
    g_test_add_func("/crypto/hash/L24-finalize-once", test_finalize_once);
    g_test_add_func("/crypto/hash/refusals", test_refusals);
    g_test_add_func("/crypto/hash/above-4-gib", test_above_4_gib);
    return g_test_run();
}
