/*
 * What the API does when something inside of it goes wrong
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
#include <stdlib.h>
#include <string.h>

#include "crypto/afsplit.h"
#include "crypto/cipher.h"
#include "crypto/hash.h"
#include "crypto/hmac.h"
#include "crypto/ivgen.h"
#include "crypto/pbkdf.h"
#include "crypto/random.h"
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

/* Lengths have no way to tell of a fault: 0, which no length is. The right one again afterwards. */
static void test_lengths(void)
{
    qcrypto_test_arm(PANIC_AT_ENTRY);
    g_assert_cmpuint(qcrypto_cipher_get_block_len(QCRYPTO_CIPHER_ALGO_AES_256), ==, 0);
    g_assert_cmpuint(qcrypto_cipher_get_block_len(QCRYPTO_CIPHER_ALGO_AES_256), ==, 16);
    qcrypto_test_arm(PANIC_AT_ENTRY);
    g_assert_cmpuint(qcrypto_cipher_get_key_len(QCRYPTO_CIPHER_ALGO_AES_256), ==, 0);
    g_assert_cmpuint(qcrypto_cipher_get_key_len(QCRYPTO_CIPHER_ALGO_AES_256), ==, 32);
    qcrypto_test_arm(PANIC_AT_ENTRY);
    g_assert_cmpuint(qcrypto_cipher_get_iv_len(QCRYPTO_CIPHER_ALGO_AES_256, QCRYPTO_CIPHER_MODE_XTS), ==, 0);
    g_assert_cmpuint(qcrypto_cipher_get_iv_len(QCRYPTO_CIPHER_ALGO_AES_256, QCRYPTO_CIPHER_MODE_XTS), ==, 16);
    qcrypto_test_arm(PANIC_AT_ENTRY);
    g_assert_cmpuint(qcrypto_hash_digest_len(QCRYPTO_HASH_ALGO_SHA256), ==, 0);
    g_assert_cmpuint(qcrypto_hash_digest_len(QCRYPTO_HASH_ALGO_SHA256), ==, 32);
}

/* These only hand out a text: nothing can fail, also when told to, and the fault waits for the next call. */
static void test_nothing_to_fail(void)
{
    qcrypto_test_arm(PANIC_AT_ENTRY);
    g_assert_cmpstr(qcrypto_cipher_get_backend(NULL), ==, "none");
    g_assert_nonnull(qcrypto_version());
    g_assert_cmpuint(qcrypto_hash_digest_len(QCRYPTO_HASH_ALGO_SHA256), ==, 0);
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

/* The same of a run of sectors: all of it is zeroed, whatever sector it was that failed. */
static void check_sectors(const Pair *pair)
{
    enum { SECTOR = 48, LEN = 100 * SECTOR };
    g_autoptr(QCryptoIVGen) ivgen = qcrypto_ivgen_new(QCRYPTO_IV_GEN_ALGO_PLAIN64, 0, 0, NULL, 0, &error_abort);
    g_autoptr(QCryptoCipher) other = open_pair(pair);
    uint8_t want[LEN], data[LEN];
    Error *err = NULL;
    int fault, direction;

    fill(want, LEN, pattern_sec);
    for (fault = PANIC_AT_ENTRY; fault <= FAIL_MIDWAY; fault++) {
        for (direction = ENCRYPT; direction <= DECRYPT; direction++) {
            QCryptoCipher *cipher = open_pair(pair);

            memcpy(data, want, LEN);
            qcrypto_test_arm(fault);
            g_assert_cmpint(direction == ENCRYPT
                            ? qcrypto_cipher_encrypt_sectors(cipher, ivgen, 1, 1, SECTOR, data, data, LEN, &err)
                            : qcrypto_cipher_decrypt_sectors(cipher, ivgen, 1, 1, SECTOR, data, data, LEN, &err),
                            ==, -1);
            expect_error(&err, internal_error);
            if (fault == PANIC_AT_ENTRY) {
                expect_bytes(data, want, LEN, "sectors of %s, %s", pair->name, fault_name[fault]);
            } else {
                expect_all(data, 0, LEN, "sectors of %s, %s", pair->name, fault_name[fault]);
            }
            g_assert_cmpint(qcrypto_cipher_encrypt_sectors(cipher, ivgen, 1, 1, SECTOR, data, data, LEN, &err), ==, -1);
            expect_error(&err, unusable);
            g_assert_cmpint(qcrypto_cipher_decrypt_sectors(cipher, ivgen, 1, 1, SECTOR, NULL, NULL, 0, &err), ==, -1);
            expect_error(&err, unusable);
            expect_dead(cipher, pair);
            expect_alive(other, pair);
        }
    }
}

static void test_sectors(void)
{
    for_each_pair(check_sectors);
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

/* --- The calls beside the ciphers' --- */

static const char abc_hex[] = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";

/* supports(), as for ciphers. */
static void test_family_supports(void)
{
    qcrypto_test_arm(PANIC_AT_ENTRY);
    g_assert_cmpint(qcrypto_hash_supports(QCRYPTO_HASH_ALGO_SHA256), ==, 0);
    g_assert_cmpint(qcrypto_hash_supports(QCRYPTO_HASH_ALGO_SHA256), ==, 1);
    qcrypto_test_arm(PANIC_AT_ENTRY);
    g_assert_false(qcrypto_hmac_supports(QCRYPTO_HASH_ALGO_SHA256));
    g_assert_true(qcrypto_hmac_supports(QCRYPTO_HASH_ALGO_SHA256));
    qcrypto_test_arm(PANIC_AT_ENTRY);
    g_assert_false(qcrypto_pbkdf2_supports(QCRYPTO_HASH_ALGO_SHA256));
    g_assert_true(qcrypto_pbkdf2_supports(QCRYPTO_HASH_ALGO_SHA256));
}

/* Hashes in one call: the caller's buffer and pointers stay as they are. */
static void test_hash_at_once(void)
{
    struct iovec iov = { .iov_base = (char *)"abc", .iov_len = 3 };
    uint8_t digest[32], *result = digest, *made = NULL;
    size_t len = sizeof(digest), made_len = 0;
    char *text = NULL;
    Error *err = NULL;

    memset(digest, UNTOUCHED, sizeof(digest));
    qcrypto_test_arm(PANIC_AT_ENTRY);
    g_assert_cmpint(qcrypto_hash_bytes(QCRYPTO_HASH_ALGO_SHA256, "abc", 3, &result, &len, &err), ==, -1);
    expect_error(&err, internal_error);
    qcrypto_test_arm(PANIC_AT_ENTRY);
    g_assert_cmpint(qcrypto_hash_bytesv(QCRYPTO_HASH_ALGO_SHA256, &iov, 1, &result, &len, NULL), ==, -1);
    expect_all(digest, UNTOUCHED, sizeof(digest), "digest after a failure");
    g_assert_true(result == digest);
    g_assert_cmpuint(len, ==, sizeof(digest));

    qcrypto_test_arm(PANIC_AT_ENTRY);
    g_assert_cmpint(qcrypto_hash_bytes(QCRYPTO_HASH_ALGO_SHA256, "abc", 3, &made, &made_len, &err), ==, -1);
    expect_error(&err, internal_error);
    g_assert_null(made);
    g_assert_cmpuint(made_len, ==, 0);

    qcrypto_test_arm(PANIC_AT_ENTRY);
    g_assert_cmpint(qcrypto_hash_digest(QCRYPTO_HASH_ALGO_SHA256, "abc", 3, &text, &err), ==, -1);
    expect_error(&err, internal_error);
    qcrypto_test_arm(PANIC_AT_ENTRY);
    g_assert_cmpint(qcrypto_hash_digestv(QCRYPTO_HASH_ALGO_SHA256, &iov, 1, &text, &err), ==, -1);
    expect_error(&err, internal_error);
    qcrypto_test_arm(PANIC_AT_ENTRY);
    g_assert_cmpint(qcrypto_hash_base64(QCRYPTO_HASH_ALGO_SHA256, "abc", 3, &text, &err), ==, -1);
    expect_error(&err, internal_error);
    qcrypto_test_arm(PANIC_AT_ENTRY);
    g_assert_cmpint(qcrypto_hash_base64v(QCRYPTO_HASH_ALGO_SHA256, &iov, 1, &text, &err), ==, -1);
    expect_error(&err, internal_error);
    g_assert_null(text);

    g_assert_cmpint(qcrypto_hash_bytes(QCRYPTO_HASH_ALGO_SHA256, "abc", 3, &result, &len, &error_abort), ==, 0);
    expect_hex(digest, sizeof(digest), abc_hex);
    g_assert_cmpint(qcrypto_hash_digest(QCRYPTO_HASH_ALGO_SHA256, "abc", 3, &text, &error_abort), ==, 0);
    g_assert_cmpstr(text, ==, abc_hex);
    free(text);
}

/* The calls of a hash object that may fail, each with the fault or whatever else was made to happen. */
typedef enum HashCall {
    HASH_UPDATE,
    HASH_UPDATEV,
    HASH_FINALIZE_BYTES,
    HASH_FINALIZE_DIGEST,
    HASH_FINALIZE_BASE64,
    HASH_CALLS,
} HashCall;

static void hash_fails(QCryptoHash *hash, HashCall call, const char *want)
{
    struct iovec iov = { .iov_base = (char *)"abc", .iov_len = 3 };
    uint8_t digest[32], *result = digest;
    size_t len = sizeof(digest);
    char *text = NULL;
    Error *err = NULL;
    int ret = 0;

    memset(digest, UNTOUCHED, sizeof(digest));
    switch (call) {
    case HASH_UPDATE:
        ret = qcrypto_hash_update(hash, "abc", 3, &err);
        break;
    case HASH_UPDATEV:
        ret = qcrypto_hash_updatev(hash, &iov, 1, &err);
        break;
    case HASH_FINALIZE_BYTES:
        ret = qcrypto_hash_finalize_bytes(hash, &result, &len, &err);
        break;
    case HASH_FINALIZE_DIGEST:
        ret = qcrypto_hash_finalize_digest(hash, &text, &err);
        break;
    case HASH_FINALIZE_BASE64:
        ret = qcrypto_hash_finalize_base64(hash, &text, &err);
        break;
    case HASH_CALLS:
        g_assert_not_reached();
    }
    g_assert_cmpint(ret, ==, -1);
    expect_error(&err, want);
    g_assert_null(text);
    expect_all(digest, UNTOUCHED, sizeof(digest), "digest of a call that failed");
}

/* A hash object that failed refuses everything and can be freed; another goes on. */
static void test_hash(void)
{
    QCryptoHash *other = qcrypto_hash_new(QCRYPTO_HASH_ALGO_SHA256, &error_abort), *hash;
    uint8_t digest[32], *result = digest;
    size_t len = sizeof(digest);
    Error *err = NULL;
    int call, again;

    qcrypto_test_arm(PANIC_AT_ENTRY);
    g_assert_null(qcrypto_hash_new(QCRYPTO_HASH_ALGO_SHA256, &err));
    expect_error(&err, internal_error);
    qcrypto_test_arm(PANIC_AT_ENTRY);
    g_assert_null(qcrypto_hash_new(QCRYPTO_HASH_ALGO_SHA256, NULL));

    for (call = 0; call < HASH_CALLS; call++) {
        hash = qcrypto_hash_new(QCRYPTO_HASH_ALGO_SHA256, &error_abort);
        g_assert_cmpint(qcrypto_hash_update(hash, "abc", 3, &error_abort), ==, 0);
        qcrypto_test_arm(PANIC_AT_ENTRY);
        hash_fails(hash, call, internal_error);
        for (again = 0; again < HASH_CALLS; again++) {
            hash_fails(hash, again, "Object 'hash' is unusable after an earlier failure");
        }
        g_assert_cmpint(qcrypto_hash_update(hash, "abc", 3, NULL), ==, -1);
        g_assert_cmpint(hash->alg, ==, QCRYPTO_HASH_ALGO_SHA256);
        qcrypto_hash_free(hash);
    }

    g_assert_cmpint(qcrypto_hash_update(other, "abc", 3, &error_abort), ==, 0);
    g_assert_cmpint(qcrypto_hash_finalize_bytes(other, &result, &len, &error_abort), ==, 0);
    expect_hex(digest, sizeof(digest), abc_hex);
    qcrypto_hash_free(other);
}

/* bytes, bytesv, digest, digestv */
#define HMAC_CALLS 4

static void hmac_fails(QCryptoHmac *hmac, int call, const char *want)
{
    struct iovec iov = { .iov_base = (char *)"abc", .iov_len = 3 };
    uint8_t mac[32], *result = mac;
    size_t len = sizeof(mac);
    char *text = NULL;
    Error *err = NULL;
    int ret;

    memset(mac, UNTOUCHED, sizeof(mac));
    switch (call) {
    case 0:
        ret = qcrypto_hmac_bytes(hmac, "abc", 3, &result, &len, &err);
        break;
    case 1:
        ret = qcrypto_hmac_bytesv(hmac, &iov, 1, &result, &len, &err);
        break;
    case 2:
        ret = qcrypto_hmac_digest(hmac, "abc", 3, &text, &err);
        break;
    default:
        ret = qcrypto_hmac_digestv(hmac, &iov, 1, &text, &err);
        break;
    }
    g_assert_cmpint(ret, ==, -1);
    expect_error(&err, want);
    g_assert_null(text);
    expect_all(mac, UNTOUCHED, sizeof(mac), "MAC of a call that failed");
}

static void test_hmac(void)
{
    static const uint8_t key[] = "key";
    QCryptoHmac *other = qcrypto_hmac_new(QCRYPTO_HASH_ALGO_SHA256, key, 3, &error_abort), *hmac;
    char *before = NULL, *after = NULL;
    Error *err = NULL;
    int call, again;

    g_assert_cmpint(qcrypto_hmac_digest(other, "abc", 3, &before, &error_abort), ==, 0);
    qcrypto_test_arm(PANIC_AT_ENTRY);
    g_assert_null(qcrypto_hmac_new(QCRYPTO_HASH_ALGO_SHA256, key, 3, &err));
    expect_error(&err, internal_error);
    qcrypto_test_arm(PANIC_AT_ENTRY);
    g_assert_null(qcrypto_hmac_new(QCRYPTO_HASH_ALGO_SHA256, key, 3, NULL));

    for (call = 0; call < HMAC_CALLS; call++) {
        hmac = qcrypto_hmac_new(QCRYPTO_HASH_ALGO_SHA256, key, 3, &error_abort);
        g_assert_cmpint(qcrypto_hmac_bytes(hmac, "more", 4, NULL, NULL, &error_abort), ==, 0);
        qcrypto_test_arm(PANIC_AT_ENTRY);
        hmac_fails(hmac, call, internal_error);
        for (again = 0; again < HMAC_CALLS; again++) {
            hmac_fails(hmac, again, "Object 'hmac' is unusable after an earlier failure");
        }
        g_assert_cmpint(qcrypto_hmac_bytes(hmac, "abc", 3, NULL, NULL, NULL), ==, -1);
        g_assert_cmpint(hmac->alg, ==, QCRYPTO_HASH_ALGO_SHA256);
        qcrypto_hmac_free(hmac);
    }

    g_assert_cmpint(qcrypto_hmac_digest(other, "abc", 3, &after, &error_abort), ==, 0);
    g_assert_cmpstr(after, ==, before);
    free(before);
    free(after);
    qcrypto_hmac_free(other);
}

/* A generator is never changed by a call, so there is nothing in it that a failure could have spoiled: it goes on. */
static void check_ivgen(QCryptoIVGenAlgo alg)
{
    uint8_t key[32], before[16], iv[16];
    QCryptoIVGen *ivgen;
    Error *err = NULL;

    fill(key, sizeof(key), pattern_k);
    qcrypto_test_arm(PANIC_AT_ENTRY);
    g_assert_null(qcrypto_ivgen_new(alg, QCRYPTO_CIPHER_ALGO_AES_256, QCRYPTO_HASH_ALGO_SHA256, key, sizeof(key),
                                    &err));
    expect_error(&err, internal_error);
    qcrypto_test_arm(PANIC_AT_ENTRY);
    g_assert_null(qcrypto_ivgen_new(alg, QCRYPTO_CIPHER_ALGO_AES_256, QCRYPTO_HASH_ALGO_SHA256, key, sizeof(key),
                                    NULL));

    ivgen = qcrypto_ivgen_new(alg, QCRYPTO_CIPHER_ALGO_AES_256, QCRYPTO_HASH_ALGO_SHA256, key, sizeof(key),
                              &error_abort);
    g_assert_cmpint(qcrypto_ivgen_calculate(ivgen, 77, before, sizeof(before), &error_abort), ==, 0);
    memset(iv, UNTOUCHED, sizeof(iv));
    qcrypto_test_arm(PANIC_AT_ENTRY);
    g_assert_cmpint(qcrypto_ivgen_calculate(ivgen, 77, iv, sizeof(iv), &err), ==, -1);
    expect_error(&err, internal_error);
    qcrypto_test_arm(PANIC_AT_ENTRY);
    g_assert_cmpint(qcrypto_ivgen_calculate(ivgen, 77, iv, sizeof(iv), NULL), ==, -1);
    expect_all(iv, UNTOUCHED, sizeof(iv), "IV of a call that failed");
    g_assert_cmpint(qcrypto_ivgen_calculate(ivgen, 77, iv, sizeof(iv), &error_abort), ==, 0);
    expect_bytes(iv, before, sizeof(iv), "IV after a failure");
    qcrypto_ivgen_free(ivgen);
}

static void test_ivgen(void)
{
    int alg;

    for (alg = 0; alg < QCRYPTO_IV_GEN_ALGO__MAX; alg++) {
        check_ivgen(alg);
    }
}

static void test_pbkdf(void)
{
    static const uint8_t password[] = "password", salt[] = "salt";
    uint8_t out[20];
    Error *err = NULL;

    memset(out, UNTOUCHED, sizeof(out));
    qcrypto_test_arm(PANIC_AT_ENTRY);
    g_assert_cmpint(qcrypto_pbkdf2(QCRYPTO_HASH_ALGO_SHA1, password, 8, salt, 4, 1, out, sizeof(out), &err), ==, -1);
    expect_error(&err, internal_error);
    qcrypto_test_arm(PANIC_AT_ENTRY);
    g_assert_cmpint(qcrypto_pbkdf2(QCRYPTO_HASH_ALGO_SHA1, password, 8, salt, 4, 1, out, sizeof(out), NULL), ==, -1);
    expect_all(out, UNTOUCHED, sizeof(out), "key of a call that failed");
    qcrypto_pbkdf2(QCRYPTO_HASH_ALGO_SHA1, password, 8, salt, 4, 1, out, sizeof(out), &error_abort);
    expect_hex(out, sizeof(out), "0c60c80f961f0e71f3a9b524af6012062fe037a6"); /* RFC 6070 */

    qcrypto_test_arm(PANIC_AT_ENTRY);
    g_assert_cmpuint(qcrypto_pbkdf2_count_iters(QCRYPTO_HASH_ALGO_SHA1, password, 8, salt, 4, 20, &err), ==,
                     UINT64_MAX);
    expect_error(&err, internal_error);
    qcrypto_test_arm(PANIC_AT_ENTRY);
    g_assert_cmpuint(qcrypto_pbkdf2_count_iters(QCRYPTO_HASH_ALGO_SHA1, password, 8, salt, 4, 20, NULL), ==,
                     UINT64_MAX);
    g_assert_cmpuint(qcrypto_pbkdf2_count_iters(QCRYPTO_HASH_ALGO_SHA1, password, 8, salt, 4, 20, &error_abort), <,
                     UINT64_MAX);
}

static void test_afsplit(void)
{
    uint8_t key[32], split[4 * 32], found[32];
    Error *err = NULL;

    fill(key, sizeof(key), pattern_k);
    memset(split, UNTOUCHED, sizeof(split));
    qcrypto_test_arm(PANIC_AT_ENTRY);
    g_assert_cmpint(qcrypto_afsplit_encode(QCRYPTO_HASH_ALGO_SHA256, 32, 4, key, split, &err), ==, -1);
    expect_error(&err, internal_error);
    qcrypto_test_arm(PANIC_AT_ENTRY);
    g_assert_cmpint(qcrypto_afsplit_encode(QCRYPTO_HASH_ALGO_SHA256, 32, 4, key, split, NULL), ==, -1);
    expect_all(split, UNTOUCHED, sizeof(split), "split of a call that failed");
    qcrypto_afsplit_encode(QCRYPTO_HASH_ALGO_SHA256, 32, 4, key, split, &error_abort);

    memset(found, UNTOUCHED, sizeof(found));
    qcrypto_test_arm(PANIC_AT_ENTRY);
    g_assert_cmpint(qcrypto_afsplit_decode(QCRYPTO_HASH_ALGO_SHA256, 32, 4, split, found, &err), ==, -1);
    expect_error(&err, internal_error);
    qcrypto_test_arm(PANIC_AT_ENTRY);
    g_assert_cmpint(qcrypto_afsplit_decode(QCRYPTO_HASH_ALGO_SHA256, 32, 4, split, found, NULL), ==, -1);
    expect_all(found, UNTOUCHED, sizeof(found), "key of a call that failed");
    qcrypto_afsplit_decode(QCRYPTO_HASH_ALGO_SHA256, 32, 4, split, found, &error_abort);
    expect_bytes(found, key, sizeof(key), "split and back");
}

static void test_random(void)
{
    uint8_t buf[32];
    size_t i, changed = 0;
    Error *err = NULL;

    memset(buf, UNTOUCHED, sizeof(buf));
    qcrypto_test_arm(PANIC_AT_ENTRY);
    g_assert_cmpint(qcrypto_random_bytes(buf, sizeof(buf), &err), ==, -1);
    expect_error(&err, internal_error);
    qcrypto_test_arm(PANIC_AT_ENTRY);
    g_assert_cmpint(qcrypto_random_bytes(buf, sizeof(buf), NULL), ==, -1);
    expect_all(buf, UNTOUCHED, sizeof(buf), "buffer of a call that failed");
    g_assert_cmpint(qcrypto_random_bytes(buf, sizeof(buf), &error_abort), ==, 0);
    for (i = 0; i < sizeof(buf); i++) {
        changed += buf[i] != UNTOUCHED;
    }
    g_assert_cmpuint(changed, >, 16);
}

/* As for ciphers: nobody is told, and the program goes on. */
static void test_family_free(void)
{
    static QCryptoHash *hash;
    static QCryptoHmac *hmac;
    static QCryptoIVGen *ivgen;

    hash = qcrypto_hash_new(QCRYPTO_HASH_ALGO_SHA256, &error_abort);
    hmac = qcrypto_hmac_new(QCRYPTO_HASH_ALGO_SHA256, NULL, 0, &error_abort);
    ivgen = qcrypto_ivgen_new(QCRYPTO_IV_GEN_ALGO_PLAIN64, 0, 0, NULL, 0, &error_abort);
    qcrypto_test_arm(PANIC_AT_ENTRY);
    qcrypto_hash_free(hash);
    qcrypto_test_arm(PANIC_AT_ENTRY);
    qcrypto_hmac_free(hmac);
    qcrypto_test_arm(PANIC_AT_ENTRY);
    qcrypto_ivgen_free(ivgen);
    qcrypto_test_arm(NO_FAULT);
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
    g_test_add_func("/crypto/faults/nothing-to-fail", test_nothing_to_fail);
    g_test_add_func("/crypto/faults/setiv", test_setiv);
    g_test_add_func("/crypto/faults/P4-encrypt-decrypt", test_calls);
    g_test_add_func("/crypto/faults/sectors", test_sectors);
    g_test_add_func("/crypto/faults/refused", test_refused);
    g_test_add_func("/crypto/faults/threads", test_threads);
    g_test_add_func("/crypto/faults/error-fatal", test_error_fatal);
    g_test_add_func("/crypto/faults/family-supports", test_family_supports);
    g_test_add_func("/crypto/faults/P4-hash-at-once", test_hash_at_once);
    g_test_add_func("/crypto/faults/P4-hash", test_hash);
    g_test_add_func("/crypto/faults/P4-hmac", test_hmac);
    g_test_add_func("/crypto/faults/P4-ivgen", test_ivgen);
    g_test_add_func("/crypto/faults/P4-pbkdf", test_pbkdf);
    g_test_add_func("/crypto/faults/P4-afsplit", test_afsplit);
    g_test_add_func("/crypto/faults/P4-random", test_random);
    g_test_add_func("/crypto/faults/family-free", test_family_free);

    return g_test_run();
}
