/*
 * crypto/pbkdf.h: all known answers, odd inputs, and the measurement of iterations.
 *
 * SPDX-License-Identifier: MIT OR Apache-2.0
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* for the CPU that a thread is on */
#endif
#include <glib.h>
#include <sched.h>

#include "crypto/pbkdf.h"

#include "cipher-util.h"
#include "vectors.h"

static void check_record(VectorFile *file)
{
    QCryptoHashAlgo alg = vectors_hash_algo(file, "alg");
    size_t password_len, salt_len, len;
    g_autofree uint8_t *password = vectors_bytes(file, "password", &password_len);
    g_autofree uint8_t *salt = vectors_bytes(file, "salt", &salt_len);
    g_autofree uint8_t *want = vectors_bytes(file, "dk", &len);
    g_autofree uint8_t *got = g_malloc(len);

    qcrypto_pbkdf2(alg, password, password_len, salt, salt_len, vectors_number(file, "iterations"), got, len,
                   &error_abort);
    expect_bytes(got, want, len, "%s", vectors_where(file));
}

static void test_vectors(const void *name)
{
    g_autofree char *path = g_build_filename(vectors_dir(), "kdf", (const char *)name, NULL);
    g_autoptr(VectorFile) file = vectors_open(path);

    while (vectors_next(file)) {
        check_record(file);
    }
    g_assert_cmpuint(vectors_read(file), ==, vectors_promised(file));
    g_test_message("%u records", vectors_read(file));
}

static void derive(QCryptoHashAlgo alg, const char *password, size_t password_len, const char *salt, size_t salt_len,
                   uint64_t iterations, size_t len, const char *want)
{
    uint8_t out[65];

    g_assert_cmpuint(len, <=, sizeof(out));
    g_assert_cmpint(qcrypto_pbkdf2(alg, (const uint8_t *)password, password_len, (const uint8_t *)salt, salt_len,
                                   iterations, out, len, &error_abort), ==, 0);
    expect_hex(out, len, want);
}

/* L8: no password, a password longer than a block, NUL bytes, a cut last block. */
static void test_odd_inputs(void)
{
    char ps[129], ss[200];

    memset(ps, 'p', sizeof(ps));
    memset(ss, 's', sizeof(ss));
    derive(QCRYPTO_HASH_ALGO_SHA256, NULL, 0, "salt", 4, 1, 32,
           "f135c27993baf98773c5cdb40a5706ce6a345cde61b000a67858650cd6a324d7");
    derive(QCRYPTO_HASH_ALGO_SHA1, ps, 65, "salt", 4, 2, 20, "071de0b787c6f0e319d7546faa7e0207eff57ff6");
    derive(QCRYPTO_HASH_ALGO_SHA256, "pass\0word", 9, "sa\0lt", 5, 4096, 16, "89b69d0516f829893c696226650a8687");
    derive(QCRYPTO_HASH_ALGO_SHA512, ps, 129, ss, 200, 3, 65,
           "ea68c654aa82855fde7f6fd49cbd119571c0d0c90d1a90c0e639fec24cd7d709f5435debac9751d90d124d5b571950f48e884843cbf"
           "3a77c94e9ef7f204da98c2f");
    derive(QCRYPTO_HASH_ALGO_SHA256, "password", 8, NULL, 0, 1, 16, "c1232f10f62715fda06ae7c0a2037ca1");
}

static void test_refusals(void)
{
    const uint8_t *key = (const uint8_t *)"key";
    uint8_t out[64];
    Error *err = NULL;
    unsigned alg;

    for (alg = 0; alg < QCRYPTO_HASH_ALGO__MAX; alg++) {
        g_assert_true(qcrypto_pbkdf2_supports(alg));
    }
    g_assert_false(qcrypto_pbkdf2_supports(8));
    g_assert_false(qcrypto_pbkdf2_supports(-1));

    memset(out, 0xaa, sizeof(out));
    g_assert_cmpint(qcrypto_pbkdf2(QCRYPTO_HASH_ALGO_SHA256, key, 3, key, 3, 0, out, 32, &err), ==, -1);
    expect_error(&err, "PBKDF iterations must be at least 1");
    g_assert_cmpint(qcrypto_pbkdf2(8, key, 3, key, 3, 1, out, 32, &err), ==, -1);
    expect_error(&err, "Hash algorithm 8 out of range");
    g_assert_cmpint(qcrypto_pbkdf2(QCRYPTO_HASH_ALGO_SHA256, NULL, 3, key, 3, 1, out, 32, &err), ==, -1);
    expect_error(&err, "Argument 'key' is NULL");
    g_assert_cmpint(qcrypto_pbkdf2(QCRYPTO_HASH_ALGO_SHA256, key, 3, NULL, 3, 1, out, 32, &err), ==, -1);
    expect_error(&err, "Argument 'salt' is NULL");
    g_assert_cmpint(qcrypto_pbkdf2(QCRYPTO_HASH_ALGO_SHA256, key, 3, key, 3, 1, NULL, 32, &err), ==, -1);
    expect_error(&err, "Argument 'out' is NULL");
    g_assert_cmpint(qcrypto_pbkdf2(QCRYPTO_HASH_ALGO_SHA256, out, 3, key, 3, 1, out, 32, &err), ==, -1);
    expect_error(&err, "Input and output overlap without being the same buffer");
    expect_all(out, 0xaa, sizeof(out), "refused");

    g_assert_cmpint(qcrypto_pbkdf2(QCRYPTO_HASH_ALGO_SHA256, key, 3, key, 3, 1, out, 0, &error_abort), ==, 0);
    g_assert_cmpint(qcrypto_pbkdf2(QCRYPTO_HASH_ALGO_SHA256, key, 3, key, 3, 1, NULL, 0, &error_abort), ==, 0);
    expect_all(out, 0xaa, sizeof(out), "no output");
}

/* A measurement, which must be some number and end. It takes a second or so; a slow or busy machine has ten. */
static uint64_t count(QCryptoHashAlgo alg, size_t len)
{
    gint64 start = g_get_monotonic_time();
    uint64_t iterations = qcrypto_pbkdf2_count_iters(alg, (const uint8_t *)"password", 8, (const uint8_t *)"salt", 4,
                                                     len, &error_abort);

    g_assert_cmpint(g_get_monotonic_time() - start, <, 10 * G_TIME_SPAN_SECOND);
    g_assert_cmpuint(iterations, >, 0);
    return iterations;
}

static void *keep_busy(void *opaque)
{
    gint *stop = opaque;

    while (!g_atomic_int_get(stop)) {
    }
    return NULL;
}

/* L7 beside a thread that never sleeps, on one CPU with it where this process may choose. */
static void test_count_iters_busy(void)
{
    gint stop = 0;
    cpu_set_t all, one;
    int cpu = sched_getcpu();
    bool pinned = false;
    uint64_t iterations;
    GThread *busy;

    if (cpu >= 0 && sched_getaffinity(0, sizeof(all), &all) == 0) {
        CPU_ZERO(&one);
        CPU_SET(cpu, &one);
        /* Threads made from here on inherit it. */
        pinned = sched_setaffinity(0, sizeof(one), &one) == 0;
    }
    busy = g_thread_new("busy", keep_busy, &stop);

    iterations = count(QCRYPTO_HASH_ALGO_SHA256, 32);

    g_atomic_int_set(&stop, 1);
    g_thread_join(busy);
    if (pinned) {
        g_assert_cmpint(sched_setaffinity(0, sizeof(all), &all), ==, 0);
    }
    g_test_message("sha256 beside a busy thread, %s: %" G_GUINT64_FORMAT, pinned ? "on its CPU" : "on any CPU",
                   iterations);
}

/* L7: never 0, ends within about a second, and for the length it is asked. */
static void test_count_iters(void)
{
    gint64 start = g_get_monotonic_time();
    uint64_t one = count(QCRYPTO_HASH_ALGO_SHA1, 20), four = count(QCRYPTO_HASH_ALGO_SHA1, 64);
    double seconds = (double)(g_get_monotonic_time() - start) / 1e6;
    Error *err = NULL;

    g_test_message("sha1: %" G_GUINT64_FORMAT " of one block, %" G_GUINT64_FORMAT " of four, in %.2f s", one, four,
                   seconds);
    /* Four blocks in the time of one would be a measurement of the wrong length; the machine may be noisy. */
    g_assert_cmpuint(four, <, one);
    count(QCRYPTO_HASH_ALGO_SHA512, (size_t)1 << 40);
    count(QCRYPTO_HASH_ALGO_MD5, 0);

    g_assert_cmpuint(qcrypto_pbkdf2_count_iters(8, NULL, 0, NULL, 0, 20, &err), ==, UINT64_MAX);
    expect_error(&err, "Hash algorithm 8 out of range");
    g_assert_cmpuint(qcrypto_pbkdf2_count_iters(QCRYPTO_HASH_ALGO_SHA1, NULL, 1, NULL, 0, 20, NULL), ==, UINT64_MAX);
}

int main(int argc, char **argv)
{
    static const char *const files[] = {
        "pbkdf2-sha1.txt", "pbkdf2-sha224.txt", "pbkdf2-sha256.txt", "pbkdf2-sha384.txt", "pbkdf2-sha512.txt",
    };
    size_t i;

    g_test_init(&argc, &argv, NULL);
    for (i = 0; i < G_N_ELEMENTS(files); i++) {
        g_autofree char *path = g_strdup_printf("/crypto/pbkdf/vectors/%s", files[i]);
        g_test_add_data_func(path, files[i], test_vectors);
    }
    g_test_add_func("/crypto/pbkdf/L8-odd-inputs", test_odd_inputs);
    g_test_add_func("/crypto/pbkdf/refusals", test_refusals);
    g_test_add_func("/crypto/pbkdf/L7-count-iters", test_count_iters);
    g_test_add_func("/crypto/pbkdf/L7-count-iters-busy", test_count_iters_busy);
    return g_test_run();
}
