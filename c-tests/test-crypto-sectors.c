/*
 * qcrypto_cipher_encrypt_sectors() and qcrypto_cipher_decrypt_sectors(): the same bytes as one call a sector, known
 * answers, refusals, and one object in many threads.
 *
 * SPDX-License-Identifier: MIT OR Apache-2.0
 */
#include <glib.h>
#include <pthread.h>

#include "crypto/cipher.h"
#include "crypto/ivgen.h"

#include "cipher-util.h"
#include "vectors.h"

/* What buffers hold around and, before a call, in the output. */
#define UNTOUCHED 0xa5

typedef struct Run {
    uint64_t first;
    uint64_t step;
    size_t sector_size;
} Run;

static int crypt_sectors(const QCryptoCipher *cipher, Direction direction, QCryptoIVGen *ivgen, Run run,
                         const void *in, void *out, size_t len, Error **errp)
{
    return direction == ENCRYPT ? qcrypto_cipher_encrypt_sectors(cipher, ivgen, run.first, run.step, run.sector_size,
                                                                 in, out, len, errp)
                                : qcrypto_cipher_decrypt_sectors(cipher, ivgen, run.first, run.step, run.sector_size,
                                                                 in, out, len, errp);
}

/* The same by calls of QEMU's, in place. */
static void crypt_one_by_one(QCryptoCipher *cipher, size_t iv_len, Direction direction, QCryptoIVGen *ivgen, Run run,
                             uint8_t *data, size_t len)
{
    uint8_t iv[MAX_BLOCK_LEN];
    uint64_t number = run.first;
    size_t done;

    for (done = 0; done < len; done += run.sector_size, number += run.step) {
        if (iv_len) {
            qcrypto_ivgen_calculate(ivgen, number, iv, iv_len, &error_abort);
            qcrypto_cipher_setiv(cipher, iv, iv_len, &error_abort);
        }
        crypt_data(cipher, direction, data + done, data + done, run.sector_size, &error_abort);
    }
}

/* The rules of the interface. ESSIV with a cipher of the same block length. */
static QCryptoIVGen *new_ivgen(QCryptoIVGenAlgo alg, size_t block_len)
{
    QCryptoCipherAlgo cipher = block_len == 16 ? QCRYPTO_CIPHER_ALGO_AES_256 : QCRYPTO_CIPHER_ALGO_CAST5_128;
    uint8_t key[32];

    fill(key, sizeof(key), pattern_k);
    return qcrypto_ivgen_new(alg, cipher, QCRYPTO_HASH_ALGO_SHA256, key, sizeof(key), &error_abort);
}

static void check_pair(const Pair *pair)
{
    static const size_t counts[] = { 0, 1, 2, 9, 65 };
    size_t sector_sizes[] = { pair->block_len, 3 * pair->block_len, 512, 528 };
    g_autoptr(QCryptoCipher) cipher = open_pair(pair);
    g_autoptr(QCryptoCipher) other = open_pair(pair);
    QCryptoIVGenAlgo alg;
    int direction;
    size_t s, c;

    for (alg = 0; alg < QCRYPTO_IV_GEN_ALGO__MAX; alg++) {
        g_autoptr(QCryptoIVGen) ivgen = new_ivgen(alg, pair->block_len);

        for (s = 0; s < G_N_ELEMENTS(sector_sizes); s++) {
            Run run = { 0xfffffffc, s % 2 ? 1 : 8, sector_sizes[s] };

            for (c = 0; c < G_N_ELEMENTS(counts); c++) {
                size_t len = counts[c] * run.sector_size;
                /* At an odd address. */
                g_autofree uint8_t *in = filled(len + 1, pattern_d2), *want = g_malloc(len + 1);
                g_autofree uint8_t *out = g_malloc(len + 2);

                for (direction = ENCRYPT; direction <= DECRYPT; direction++) {
                    memcpy(want, in + 1, len);
                    crypt_one_by_one(other, pair->iv_len, direction, ivgen, run, want, len);

                    memset(out, UNTOUCHED, len + 2);
                    g_assert_cmpint(crypt_sectors(cipher, direction, ivgen, run, in + 1, out + 1, len, &error_abort),
                                    ==, 0);
                    expect_bytes(out + 1, want, len, "%s %s, %zu of %zu", pair->name, direction_name[direction],
                                 counts[c], run.sector_size);
                    g_assert_cmpuint(out[0], ==, UNTOUCHED);
                    g_assert_cmpuint(out[len + 1], ==, UNTOUCHED);

                    memcpy(out + 1, in + 1, len);
                    g_assert_cmpint(crypt_sectors(cipher, direction, ivgen, run, out + 1, out + 1, len, &error_abort),
                                    ==, 0);
                    expect_bytes(out + 1, want, len, "%s %s in place, %zu of %zu", pair->name,
                                 direction_name[direction], counts[c], run.sector_size);
                }
            }
        }
    }
}

static void test_equal(void)
{
    for_each_pair(check_pair);
}

/* The IV that was set stays, and CBC and CTR go on where they were. */
static void check_iv_stays(const Pair *pair)
{
    g_autoptr(QCryptoIVGen) ivgen = new_ivgen(QCRYPTO_IV_GEN_ALGO_PLAIN64, pair->block_len);
    g_autoptr(QCryptoCipher) cipher = open_pair(pair), other = open_pair(pair);
    uint8_t sectors[4 * 512] = { 0 }, got[64] = { 0 }, want[64] = { 0 };
    Run run = { 5, 1, 512 };
    int i;

    restart(cipher, pair);
    restart(other, pair);
    for (i = 0; i < 2; i++) {
        crypt_sectors(cipher, ENCRYPT, ivgen, run, sectors, sectors, sizeof(sectors), &error_abort);
        crypt_sectors(cipher, DECRYPT, ivgen, run, sectors, sectors, sizeof(sectors), &error_abort);
        must_encrypt(cipher, got, got, sizeof(got));
        must_encrypt(other, want, want, sizeof(want));
        expect_bytes(got, want, sizeof(got), "%s after sectors", pair->name);
    }
}

static void test_iv_stays(void)
{
    for_each_pair(check_iv_stays);
}

/* The generator of a record, or NULL where its rule is none of this interface's. */
static QCryptoIVGen *ivgen_of_record(VectorFile *file, const uint8_t *key, size_t key_len)
{
    const char *rule = vectors_text(file, "ivgen");

    if (g_str_equal(rule, "plain")) {
        return qcrypto_ivgen_new(QCRYPTO_IV_GEN_ALGO_PLAIN, 0, 0, NULL, 0, &error_abort);
    }
    if (g_str_equal(rule, "plain64")) {
        return qcrypto_ivgen_new(QCRYPTO_IV_GEN_ALGO_PLAIN64, 0, 0, NULL, 0, &error_abort);
    }
    if (g_str_equal(rule, "essiv:sha256")) {
        return qcrypto_ivgen_new(QCRYPTO_IV_GEN_ALGO_ESSIV, QCRYPTO_CIPHER_ALGO_AES_256, QCRYPTO_HASH_ALGO_SHA256, key,
                                 key_len, &error_abort);
    }
    return NULL;
}

/* Zeros, encrypted in one call, and back. False where the interface has no such generator. */
static bool check_chain_record(VectorFile *file)
{
    QCryptoCipherAlgo alg = vectors_cipher_algo(file, "alg");
    QCryptoCipherMode mode = vectors_cipher_mode(file, "mode");
    size_t key_len, len = vectors_number(file, "length");
    g_autofree uint8_t *key = vectors_bytes(file, "key", &key_len);
    g_autofree uint8_t *data = g_malloc0(len);
    g_autoptr(QCryptoIVGen) ivgen = ivgen_of_record(file, key, key_len);
    g_autoptr(QCryptoCipher) cipher = NULL;
    Run run = {
        .first = vectors_number(file, "iv-first"),
        .step = vectors_number(file, "iv-step"),
        .sector_size = vectors_number(file, "sector-size"),
    };

    if (!ivgen) {
        return false;
    }
    cipher = qcrypto_cipher_new(alg, mode, key, key_len, &error_abort);
    crypt_sectors(cipher, ENCRYPT, ivgen, run, data, data, len, &error_abort);
    expect_sha256(data, len, vectors_text(file, "ct-sha256"));
    crypt_sectors(cipher, DECRYPT, ivgen, run, data, data, len, &error_abort);
    expect_all(data, 0, len, "%s", vectors_where(file));
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

static void expect_refusal(const QCryptoCipher *cipher, QCryptoIVGen *ivgen, Run run, const void *in, void *out,
                           size_t len, const char *want)
{
    Error *err = NULL;
    int direction;

    for (direction = ENCRYPT; direction <= DECRYPT; direction++) {
        g_assert_cmpint(crypt_sectors(cipher, direction, ivgen, run, in, out, len, &err), ==, -1);
        expect_error(&err, want);
        g_assert_cmpint(crypt_sectors(cipher, direction, ivgen, run, in, out, len, NULL), ==, -1);
    }
}

static void test_refusals(void)
{
    g_autoptr(QCryptoCipher) xts = open_cipher(QCRYPTO_CIPHER_ALGO_AES_256, QCRYPTO_CIPHER_MODE_XTS);
    g_autoptr(QCryptoCipher) ecb = open_cipher(QCRYPTO_CIPHER_ALGO_AES_256, QCRYPTO_CIPHER_MODE_ECB);
    g_autoptr(QCryptoCipher) cast5 = open_cipher(QCRYPTO_CIPHER_ALGO_CAST5_128, QCRYPTO_CIPHER_MODE_CBC);
    g_autoptr(QCryptoIVGen) plain = new_ivgen(QCRYPTO_IV_GEN_ALGO_PLAIN, 16);
    g_autoptr(QCryptoIVGen) plain64 = new_ivgen(QCRYPTO_IV_GEN_ALGO_PLAIN64, 16);
    g_autoptr(QCryptoIVGen) essiv = new_ivgen(QCRYPTO_IV_GEN_ALGO_ESSIV, 16);
    g_autoptr(QCryptoIVGen) essiv8 = new_ivgen(QCRYPTO_IV_GEN_ALGO_ESSIV, 8);
    uint8_t in[2048], out[2048];
    Run run = { 0, 1, 512 };

    fill(in, sizeof(in), pattern_d1);
    memset(out, UNTOUCHED, sizeof(out));

    expect_refusal(NULL, plain64, run, in, out, 512, "Argument 'cipher' is NULL");
    expect_refusal(xts, NULL, run, in, out, 512, "Argument 'ivgen' is NULL");
    expect_refusal(xts, NULL, run, NULL, NULL, 0, "Argument 'ivgen' is NULL");
    expect_refusal(xts, plain64, run, NULL, out, 512, "Argument 'in' is NULL");
    expect_refusal(xts, plain64, run, in, NULL, 512, "Argument 'out' is NULL");
    expect_refusal(ecb, NULL, run, NULL, out, 512, "Argument 'in' is NULL");
    expect_refusal(xts, plain64, run, in, out, 513, "Length 513 must be a multiple of sector size 512");
    expect_refusal(xts, plain64, run, in, out, 16, "Length 16 must be a multiple of sector size 512");
    expect_refusal(ecb, NULL, run, in, out, 16, "Length 16 must be a multiple of sector size 512");
    expect_refusal(xts, plain64, run, out, out + 512, 1024, "Input and output overlap without being the same buffer");
    expect_refusal(xts, plain64, run, out + 512, out, 1024, "Input and output overlap without being the same buffer");

    run.sector_size = 0;
    expect_refusal(xts, plain64, run, in, out, 512, "Sector size 0 must be a positive multiple of block size 16");
    expect_refusal(xts, plain64, run, NULL, NULL, 0, "Sector size 0 must be a positive multiple of block size 16");
    expect_refusal(ecb, NULL, run, in, out, 512, "Sector size 0 must be a positive multiple of block size 16");
    run.sector_size = 520;
    expect_refusal(xts, plain64, run, in, out, 1040, "Sector size 520 must be a positive multiple of block size 16");
    run.sector_size = 4;
    expect_refusal(cast5, plain64, run, in, out, 512, "Sector size 4 must be a positive multiple of block size 8");
    run.sector_size = (size_t)1 << 63;
    expect_refusal(xts, plain64, run, in, out, run.sector_size,
                   "Length 9223372036854775808 is larger than any object in memory");
    run.sector_size = 512;

    expect_refusal(xts, essiv8, run, in, out, 512, "IV generator makes IVs of size 8, expected 16");
    expect_refusal(cast5, essiv, run, in, out, 512, "IV generator makes IVs of size 16, expected 8");

    run.first = UINT64_MAX;
    expect_refusal(xts, plain64, run, in, out, 1024,
                   "Numbers of 2 sectors from 18446744073709551615 in steps of 1 exceed 64 bits");
    expect_refusal(xts, essiv, run, in, out, 2048,
                   "Numbers of 4 sectors from 18446744073709551615 in steps of 1 exceed 64 bits");
    run.first = 1;
    run.step = UINT64_MAX;
    expect_refusal(xts, plain64, run, in, out, 1024,
                   "Numbers of 2 sectors from 1 in steps of 18446744073709551615 exceed 64 bits");

    expect_all(out, UNTOUCHED, sizeof(out), "after refusals");

    /* What stands close to these and is right. */
    g_assert_cmpint(crypt_sectors(xts, ENCRYPT, plain, run, in, out, 1024, &error_abort), ==, 0);
    run = (Run){ UINT64_MAX, 1, 512 };
    g_assert_cmpint(crypt_sectors(xts, ENCRYPT, plain64, run, in, out, 512, &error_abort), ==, 0);
    g_assert_cmpint(crypt_sectors(xts, ENCRYPT, plain64, run, NULL, NULL, 0, &error_abort), ==, 0);
    g_assert_cmpint(crypt_sectors(ecb, ENCRYPT, NULL, run, in, out, 2048, &error_abort), ==, 0);
    g_assert_cmpint(crypt_sectors(ecb, ENCRYPT, essiv8, run, in, out, 2048, &error_abort), ==, 0);
}

/*
 * L18: eight threads on one object and one generator, each of which compares with an object of its own. POSIX threads,
 * because helgrind, in which this runs too, does not know those of GLib.
 */

enum { THREADS = 8 };

typedef struct Worker {
    pthread_t thread;
    unsigned seed;
    const Pair *pair;
    const QCryptoCipher *cipher;
    QCryptoIVGen *ivgen;
} Worker;

static void *crypt_random_runs(void *opaque)
{
    static const size_t sector_sizes[] = { 16, 512, 528, 4096 };
    const Worker *worker = opaque;
    const Pair *pair = worker->pair;
    g_autoptr(QCryptoCipher) own = open_pair(pair);
    g_autoptr(GRand) rand = g_rand_new_with_seed(worker->seed);
    int runs = in_valgrind() ? 4 : 100;
    int i;

    for (i = 0; i < runs; i++) {
        Run run = { g_rand_int(rand), g_rand_int_range(rand, 1, 9), sector_sizes[g_rand_int_range(rand, 0, 4)] };
        size_t len = run.sector_size * g_rand_int_range(rand, 0, 40), offset = g_rand_int_range(rand, 0, 16);
        Direction direction = g_rand_int_range(rand, ENCRYPT, DECRYPT + 1);
        g_autofree uint8_t *data = filled(offset + len, pattern_d2), *want = filled(offset + len, pattern_d2);

        crypt_one_by_one(own, pair->iv_len, direction, worker->ivgen, run, want + offset, len);
        g_assert_cmpint(crypt_sectors(worker->cipher, direction, worker->ivgen, run, data + offset, data + offset, len,
                                      &error_abort), ==, 0);
        expect_bytes(data, want, offset + len, "%s %s, %zu bytes in sectors of %zu", pair->name,
                     direction_name[direction], len, run.sector_size);
    }
    return NULL;
}

static void check_threads(const Pair *pair)
{
    g_autoptr(QCryptoCipher) cipher = open_pair(pair);
    g_autoptr(QCryptoIVGen) ivgen = new_ivgen(QCRYPTO_IV_GEN_ALGO_ESSIV, pair->block_len);
    Worker workers[THREADS];
    int i;

    for (i = 0; i < THREADS; i++) {
        workers[i] = (Worker){ .seed = i, .pair = pair, .cipher = cipher, .ivgen = ivgen };
        g_assert_cmpint(pthread_create(&workers[i].thread, NULL, crypt_random_runs, &workers[i]), ==, 0);
    }
    for (i = 0; i < THREADS; i++) {
        g_assert_cmpint(pthread_join(workers[i].thread, NULL), ==, 0);
    }
}

static void test_threads(void)
{
    static const QCryptoCipherAlgo algs[] = { QCRYPTO_CIPHER_ALGO_AES_256, QCRYPTO_CIPHER_ALGO_CAST5_128,
                                              QCRYPTO_CIPHER_ALGO_SERPENT_256 };
    unsigned mode;
    size_t i;

    for (i = 0; i < G_N_ELEMENTS(algs); i++) {
        for (mode = 0; mode < QCRYPTO_CIPHER_MODE__MAX; mode++) {
            Pair pair = make_pair(algs[i], mode);

            if (mode != QCRYPTO_CIPHER_MODE_XTS || pair.block_len == 16) {
                check_threads(&pair);
            }
        }
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/crypto/sectors/equal", test_equal);
    g_test_add_func("/crypto/sectors/iv-stays", test_iv_stays);
    g_test_add_func("/crypto/sectors/chains", test_chains);
    g_test_add_func("/crypto/sectors/refusals", test_refusals);
    g_test_add_func("/crypto/sectors/L18-threads", test_threads);
    return g_test_run();
}
