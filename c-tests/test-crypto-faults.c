/*
 * What the cipher API does when something inside of it goes wrong
 *
 * For a library built with the feature test-hooks, which can be told to fail. A host must get an Error, never an
 * abort; no half-finished output may look like data; and an object that may have lost its state must not go on.
 *
 * Each panic leaks its payload, 16 bytes, on purpose: dropping it could panic again. Leak checkers are not for this
 * test.
 *
 * SPDX-License-Identifier: MIT OR Apache-2.0
 */
#include <glib.h>
#include <stdbool.h>
#include <string.h>

#include "crypto/cipher.h"
#include "qapi/error.h"

#include "cipher-util.h"

/* What buffers hold around and, before a call, in the output. */
#define UNTOUCHED 0xa5

static const char internal_error[] = "internal error";
static const char unusable[] = "Object 'cipher' is unusable after an earlier failure";

typedef enum Fault {
    NO_FAULT = 0,
    PANIC_AT_ENTRY = 1,
    PANIC_MIDWAY = 2, /* after the output was written */
    FAIL_MIDWAY = 3,  /* the same, but the library notices by itself */
} Fault;

static const char *const fault_name[] = { "no fault", "panic at entry", "panic midway", "failure midway" };

/* Of the test build alone: the next call on this thread meets the fault. */
void qcrypto_test_arm(unsigned fault);

/* An object that failed refuses everything, writes nothing, and can be looked at and freed. Frees it. */
static void expect_dead(QCryptoCipher *cipher, const Pair *pair)
{
    uint8_t data[64], iv[MAX_BLOCK_LEN] = { 0 };
    Error *err = NULL;
    int direction;

    memset(data, UNTOUCHED, sizeof(data));
    for (direction = ENCRYPT; direction <= DECRYPT; direction++) {
        g_assert_cmpint(crypt_data(cipher, direction, data, data, sizeof(data), &err), ==, -1);
        expect_error(&err, unusable);
        g_assert_cmpint(crypt_data(cipher, direction, data, data, sizeof(data), NULL), ==, -1);
        g_assert_cmpint(crypt_data(cipher, direction, NULL, NULL, 0, &err), ==, -1);
        expect_error(&err, unusable);
        g_assert_cmpint(crypt_data(cipher, direction, data, data, 1, &err), ==, -1);
        expect_error(&err, unusable);
    }
    g_assert_cmpint(qcrypto_cipher_setiv(cipher, iv, pair->iv_len, &err), ==, -1);
    expect_error(&err, unusable);
    expect_all(data, UNTOUCHED, sizeof(data), "%s after a failure", pair->name);

    g_assert_cmpint(cipher->alg, ==, pair->alg);
    g_assert_cmpint(cipher->mode, ==, pair->mode);
    g_assert_nonnull(qcrypto_cipher_get_backend(cipher));
    qcrypto_cipher_free(cipher);
}

/* No other object has noticed. */
static void expect_alive(QCryptoCipher *cipher, const Pair *pair)
{
    uint8_t in[64], out[64];
    g_autofree uint8_t *want = NULL;

    fill(in, sizeof(in), pattern_d1);
    want = crypt_fresh(pair, ENCRYPT, in, sizeof(in));
    restart(cipher, pair);
    must_encrypt(cipher, in, out, sizeof(out));
    expect_bytes(out, want, sizeof(out), "%s of another object", pair->name);
}

/* supports() has no way to tell of a fault: what may not work is not supported. It works again afterwards. */
static void check_supports(const Pair *pair)
{
    qcrypto_test_arm(PANIC_AT_ENTRY);
    g_assert_false(qcrypto_cipher_supports(pair->alg, pair->mode));
    g_assert_true(qcrypto_cipher_supports(pair->alg, pair->mode));
}

static void test_supports(void)
{
    for_each_pair(check_supports);
}

static void check_new(const Pair *pair)
{
    uint8_t key[MAX_KEY_LEN];
    g_autoptr(QCryptoCipher) cipher = NULL;
    Error *err = NULL;

    fill(key, sizeof(key), pattern_k);
    qcrypto_test_arm(PANIC_AT_ENTRY);
    g_assert_null(qcrypto_cipher_new(pair->alg, pair->mode, key, pair->key_len, &err));
    expect_error(&err, internal_error);
    qcrypto_test_arm(PANIC_AT_ENTRY);
    g_assert_null(qcrypto_cipher_new(pair->alg, pair->mode, key, pair->key_len, NULL));

    cipher = qcrypto_cipher_new(pair->alg, pair->mode, key, pair->key_len, &error_abort);
    expect_alive(cipher, pair);
}

static void test_new(void)
{
    for_each_pair(check_new);
}

/* A fault in free() has nobody to be told; the program goes on. */
static void test_free(void)
{
    /* It may not have been freed, and nobody can tell: a pointer that stays keeps leak checkers quiet. */
    static QCryptoCipher *lost;
    Pair pair = make_pair(QCRYPTO_CIPHER_ALGO_AES_256, QCRYPTO_CIPHER_MODE_XTS);
    g_autoptr(QCryptoCipher) other = open_pair(&pair);

    lost = open_pair(&pair);
    qcrypto_test_arm(PANIC_AT_ENTRY);
    qcrypto_cipher_free(lost);
    qcrypto_test_arm(NO_FAULT);
    expect_alive(other, &pair);
}

/* These only look something up: they have nothing that could fail, also when told to. */
static void test_lengths(void)
{
    qcrypto_test_arm(PANIC_AT_ENTRY);
    g_assert_cmpuint(qcrypto_cipher_get_block_len(QCRYPTO_CIPHER_ALGO_AES_256), ==, 16);
    qcrypto_test_arm(PANIC_AT_ENTRY);
    g_assert_cmpuint(qcrypto_cipher_get_key_len(QCRYPTO_CIPHER_ALGO_AES_256), ==, 32);
    qcrypto_test_arm(PANIC_AT_ENTRY);
    g_assert_cmpuint(qcrypto_cipher_get_iv_len(QCRYPTO_CIPHER_ALGO_AES_256, QCRYPTO_CIPHER_MODE_XTS), ==, 16);
    qcrypto_test_arm(PANIC_AT_ENTRY);
    g_assert_cmpstr(qcrypto_cipher_get_backend(NULL), ==, "none");
    qcrypto_test_arm(NO_FAULT);
}

/* Also where there is no IV: the fault comes before any check. */
static void check_setiv(const Pair *pair)
{
    g_autoptr(QCryptoCipher) other = open_pair(pair);
    QCryptoCipher *cipher = open_pair(pair);
    uint8_t iv[MAX_BLOCK_LEN] = { 0 };
    Error *err = NULL;

    qcrypto_test_arm(PANIC_AT_ENTRY);
    g_assert_cmpint(qcrypto_cipher_setiv(cipher, iv, pair->iv_len, &err), ==, -1);
    expect_error(&err, internal_error);
    expect_dead(cipher, pair);

    cipher = open_pair(pair);
    qcrypto_test_arm(PANIC_AT_ENTRY);
    g_assert_cmpint(qcrypto_cipher_setiv(cipher, iv, pair->iv_len, NULL), ==, -1);
    expect_dead(cipher, pair);
    expect_alive(other, pair);
}

static void test_setiv(void)
{
    for_each_pair(check_setiv);
}

/* One failing call of encrypt() or decrypt(), out of place or in place, with or without a place for the Error. */
static void check_call(const Pair *pair, Fault fault, Direction direction, bool in_place, bool tell)
{
    enum { MARGIN = 32, LEN = 1024 };
    g_autoptr(QCryptoCipher) other = open_pair(pair);
    QCryptoCipher *cipher = open_pair(pair);
    uint8_t plaintext[LEN], in[LEN], buf[MARGIN + LEN + MARGIN], *out = buf + MARGIN;
    g_autofree char *where = g_strdup_printf("%s %s%s, %s", pair->name, direction_name[direction],
                                             in_place ? " in place" : "", fault_name[fault]);
    Error *err = NULL;

    fill(plaintext, LEN, pattern_sec);
    fill(in, LEN, pattern_sec);
    memset(buf, UNTOUCHED, sizeof(buf));
    if (in_place) {
        memcpy(out, in, LEN);
    }
    restart(cipher, pair);

    qcrypto_test_arm(fault);
    g_assert_cmpint(crypt_data(cipher, direction, in_place ? out : in, out, LEN, tell ? &err : NULL), ==, -1);
    if (tell) {
        expect_error(&err, internal_error);
    }

    if (fault != PANIC_AT_ENTRY) {
        expect_all(out, 0, LEN, "output of %s", where);
    } else if (in_place) {
        expect_bytes(out, plaintext, LEN, "output of %s", where);
    } else {
        expect_all(out, UNTOUCHED, LEN, "output of %s", where);
    }
    expect_bytes(in, plaintext, LEN, "input of %s", where);
    expect_all(buf, UNTOUCHED, MARGIN, "before the output of %s", where);
    expect_all(out + LEN, UNTOUCHED, MARGIN, "after the output of %s", where);

    expect_dead(cipher, pair);
    expect_alive(other, pair);
}

static void check_calls(const Pair *pair)
{
    int fault, direction, in_place;

    for (fault = PANIC_AT_ENTRY; fault <= FAIL_MIDWAY; fault++) {
        for (direction = ENCRYPT; direction <= DECRYPT; direction++) {
            for (in_place = 0; in_place < 2; in_place++) {
                check_call(pair, fault, direction, in_place, true);
                check_call(pair, fault, direction, in_place, false);
            }
        }
    }
}

static void test_calls(void)
{
    for_each_pair(check_calls);
}

/* A call that is refused does not get as far as a fault midway: nothing is zeroed and the object lives on. */
static void check_refused(const Pair *pair)
{
    g_autoptr(QCryptoCipher) cipher = open_pair(pair);
    uint8_t data[64];
    int fault;

    memset(data, UNTOUCHED, sizeof(data));
    for (fault = PANIC_MIDWAY; fault <= FAIL_MIDWAY; fault++) {
        qcrypto_test_arm(fault);
        g_assert_cmpint(qcrypto_cipher_encrypt(cipher, data, data, pair->block_len + 1, NULL), ==, -1);
        g_assert_cmpint(qcrypto_cipher_encrypt(cipher, data, data + 1, pair->block_len, NULL), ==, -1);
        g_assert_cmpint(qcrypto_cipher_encrypt(cipher, NULL, data, pair->block_len, NULL), ==, -1);
        g_assert_cmpint(qcrypto_cipher_encrypt(cipher, NULL, NULL, 0, NULL), ==, 0);
        qcrypto_test_arm(NO_FAULT);
    }
    expect_all(data, UNTOUCHED, sizeof(data), "%s refused", pair->name);
    expect_alive(cipher, pair);
}

static void test_refused(void)
{
    for_each_pair(check_refused);
}

/* A fault is of one thread: this one's, while that of the caller goes on to work. */
static void *fail_in_thread(void *opaque G_GNUC_UNUSED)
{
    Pair pair = make_pair(QCRYPTO_CIPHER_ALGO_AES_256, QCRYPTO_CIPHER_MODE_XTS);

    check_calls(&pair);
    return NULL;
}

static void test_threads(void)
{
    Pair pair = make_pair(QCRYPTO_CIPHER_ALGO_AES_256, QCRYPTO_CIPHER_MODE_XTS);
    g_autoptr(QCryptoCipher) cipher = open_pair(&pair);
    GThread *thread = g_thread_new("faults", fail_in_thread, NULL);
    int round;

    for (round = 0; round < 100; round++) {
        expect_alive(cipher, &pair);
    }
    g_thread_join(thread);
    expect_alive(cipher, &pair);
}

/* &error_abort and &error_fatal are the host's wish to end, and work for faults as for refusals. */
static void test_error_fatal(void)
{
    Pair pair = make_pair(QCRYPTO_CIPHER_ALGO_AES_256, QCRYPTO_CIPHER_MODE_XTS);

    if (g_test_subprocess()) {
        uint8_t data[64] = { 0 };
        QCryptoCipher *cipher = open_pair(&pair);

        qcrypto_test_arm(FAIL_MIDWAY);
        qcrypto_cipher_encrypt(cipher, data, data, sizeof(data), &error_fatal);
        return;
    }
    g_test_trap_subprocess(NULL, 0, 0);
    g_test_trap_assert_failed();
    g_test_trap_assert_stderr("*internal error*");
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    /* A thousand panics are told of on stderr; a line each is enough. */
    g_setenv("RUST_BACKTRACE", "0", true);

    g_test_add_func("/crypto/faults/supports", test_supports);
    g_test_add_func("/crypto/faults/new", test_new);
    g_test_add_func("/crypto/faults/free", test_free);
    g_test_add_func("/crypto/faults/lengths", test_lengths);
    g_test_add_func("/crypto/faults/setiv", test_setiv);
    g_test_add_func("/crypto/faults/P4-encrypt-decrypt", test_calls);
    g_test_add_func("/crypto/faults/refused", test_refused);
    g_test_add_func("/crypto/faults/threads", test_threads);
    g_test_add_func("/crypto/faults/error-fatal", test_error_fatal);

    return g_test_run();
}
