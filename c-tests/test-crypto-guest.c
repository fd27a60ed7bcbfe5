/*
 * What a guest chooses: algorithms, modes, lengths, counts and keys that are any number at all, as a paravirtual crypto
 * device hands them on. Nothing may abort, nothing may be written by a call that is refused, and memory stays bounded.
 *
 * The numbers are the same in every run; QCRYPTO_TEST_SEED in the environment changes them.
 *
 * SPDX-License-Identifier: MIT OR Apache-2.0
 */
#include <glib.h>
#include <stdlib.h>
#include <sys/resource.h>

#include "crypto/afsplit.h"
#include "crypto/cipher.h"
#include "crypto/hash.h"
#include "crypto/hmac.h"
#include "crypto/ivgen.h"
#include "crypto/pbkdf.h"
#include "crypto/random.h"
#include "crypto/xts.h"

#include "cipher-util.h"

enum {
    /* What the host has mapped of the guest. */
    ROOM = 8192,
    CALLS = 20000,
};

/* No call needs more than this, whatever it is asked. */
#define MEMORY_BOUND (256 * MIB)

static uint64_t state;

/* splitmix64, Steele, Lea and Flood 2014 */
static uint64_t any(void)
{
    uint64_t z = (state += 0x9e3779b97f4a7c15);

    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
}

static size_t below(size_t bound)
{
    return any() % bound;
}

/* Mostly a number that means something, or nearly. */
static unsigned number(unsigned count)
{
    static const unsigned odd[] = {99, 255, 256, 65536, INT_MAX, (unsigned)INT_MIN, UINT_MAX};

    return below(8) ? below(count + 2) : odd[below(G_N_ELEMENTS(odd))];
}

/* A length, and a pointer that is good for it: NULL where nothing is. */
typedef struct Guest {
    uint8_t *at;
    size_t len;
} Guest;

static uint8_t memory[2 * ROOM];

static Guest guest(size_t usual)
{
    static const size_t huge[] = {SIZE_MAX, SIZE_MAX - 15, SIZE_MAX / 2 + 1, (size_t)SSIZE_MAX & ~(size_t)15, 1UL << 40};

    switch (below(8)) {
    case 0:
        return (Guest){NULL, huge[below(G_N_ELEMENTS(huge))]};
    case 1:
        return (Guest){NULL, below(80)};
    case 2:
        return (Guest){memory + below(ROOM), below(ROOM)};
    default:
        return (Guest){memory + below(ROOM), usual};
    }
}

/* A result, and the Error that belongs to it, which is taken away. */
static bool judged(bool good, Error **err)
{
    if (good) {
        g_assert_null(*err);
    } else {
        g_assert_nonnull(*err);
        g_assert_cmpstr(error_get_pretty(*err), !=, "");
        g_assert_cmpstr(error_get_pretty(*err), !=, "internal error");
        error_free_or_abort(err);
    }
    return good;
}

/* Done by a call that wrote, and by one that did not. */
static unsigned good_calls, refused_calls;

static uint8_t before[2 * ROOM];

static void note(bool good, Error **err)
{
    if (judged(good, err)) {
        good_calls++;
        return;
    }
    refused_calls++;
    g_assert_cmpmem(memory, sizeof(memory), before, sizeof(before));
}

static void remember(void)
{
    memcpy(before, memory, sizeof(memory));
}

static void cipher(void)
{
    unsigned alg = number(QCRYPTO_CIPHER_ALGO__MAX), mode = number(QCRYPTO_CIPHER_MODE__MAX);
    size_t usual = qcrypto_cipher_get_key_len(alg) * (mode == QCRYPTO_CIPHER_MODE_XTS ? 2 : 1);
    Guest key = guest(usual);
    Error *err = NULL;
    unsigned i;
    QCryptoCipher *object = qcrypto_cipher_new(alg, mode, key.at, key.len, &err);

    if (!judged(object, &err)) {
        refused_calls++;
        return;
    }
    for (i = 0; i < 6; i++) {
        Guest iv = guest(qcrypto_cipher_get_iv_len(alg, mode)), in = guest(16 * below(64));
        uint8_t *out = below(3) ? in.at : in.at ? memory + below(ROOM) : NULL;
        bool encrypts = below(2);

        remember();
        note(qcrypto_cipher_setiv(object, iv.at, iv.len, &err) == 0, &err);
        remember();
        note((encrypts ? qcrypto_cipher_encrypt : qcrypto_cipher_decrypt)(object, in.at, out, in.len, &err) == 0, &err);
    }
    qcrypto_cipher_free(object);
}

static void sectors(void)
{
    uint8_t key[64];
    unsigned alg = below(QCRYPTO_CIPHER_ALGO__MAX), mode = below(QCRYPTO_CIPHER_MODE__MAX), i;
    size_t len = qcrypto_cipher_get_key_len(alg) * (mode == QCRYPTO_CIPHER_MODE_XTS ? 2 : 1);
    Guest salt = guest(32);
    Error *err = NULL;
    QCryptoCipher *object;
    QCryptoIVGen *ivgen = qcrypto_ivgen_new(number(QCRYPTO_IV_GEN_ALGO__MAX), number(QCRYPTO_CIPHER_ALGO__MAX),
                                            number(QCRYPTO_HASH_ALGO__MAX), salt.at, salt.len, &err);

    judged(ivgen, &err);
    fill(key, sizeof(key), pattern_k);
    object = qcrypto_cipher_new(alg, mode, key, len, NULL);
    for (i = 0; i < 4; i++) {
        Guest data = guest(512 * below(9)), iv = guest(16);
        static const uint64_t steps[] = {0, 1, 8, UINT64_MAX, 1ULL << 63};
        static const size_t sizes[] = {512, 512, 16, 4096, 0, 7, SIZE_MAX, SIZE_MAX - 15, 1UL << 40};
        size_t size = sizes[below(G_N_ELEMENTS(sizes))];

        remember();
        note(qcrypto_cipher_encrypt_sectors(object, ivgen, below(2) ? any() : below(9),
                                            steps[below(G_N_ELEMENTS(steps))], size, data.at, data.at, data.len,
                                            &err) == 0, &err);
        /* An IV may be of any length: no room for a huge one is the caller's lie, so those are NULL. */
        remember();
        note(qcrypto_ivgen_calculate(ivgen, any(), iv.at, iv.len, &err) == 0, &err);
    }
    qcrypto_cipher_free(object);
    qcrypto_ivgen_free(ivgen);
}

/* As many pieces as the guest says; a count that cannot be comes with NULL. */
static size_t pieces(struct iovec *iov, size_t count)
{
    size_t i;

    for (i = 0; i < count; i++) {
        Guest data = guest(below(200));

        iov[i] = (struct iovec){data.at, data.len};
    }
    return count;
}

static void hashes(void)
{
    static const size_t lengths[] = {0, 0, 16, 20, 32, 64, 1, 65, SIZE_MAX};
    struct iovec iov[6];
    unsigned alg = number(QCRYPTO_HASH_ALGO__MAX);
    bool lies = below(8) == 0;
    size_t niov = lies ? SIZE_MAX / (1 + below(70)) : pieces(iov, below(7));
    const struct iovec *parts = lies ? NULL : iov;
    size_t len = lengths[below(G_N_ELEMENTS(lengths))];
    uint8_t *own = g_malloc(64), *result = len ? own : NULL;
    Guest key = guest(below(300));
    Error *err = NULL;
    QCryptoHash *hash;
    QCryptoHmac *hmac;

    remember();
    note(qcrypto_hash_bytesv(alg, parts, niov, &result, &len, &err) == 0, &err);
    if (result != own) {
        free(result);
    }
    hash = qcrypto_hash_new(alg, &err);
    if (judged(hash, &err)) {
        note(qcrypto_hash_updatev(hash, parts, niov, &err) == 0, &err);
        qcrypto_hash_free(hash);
    }
    hmac = qcrypto_hmac_new(alg, key.at, key.len, &err);
    if (judged(hmac, &err)) {
        len = lengths[below(G_N_ELEMENTS(lengths))];
        result = len ? own : NULL;
        note(qcrypto_hmac_bytesv(hmac, parts, niov, &result, &len, &err) == 0, &err);
        if (result != own) {
            free(result);
        }
        qcrypto_hmac_free(hmac);
    }
    g_free(own);
}

static void keys(void)
{
    static const uint32_t stripes[] = {0, 1, 2, 8, UINT32_MAX, 1U << 31};
    Guest password = guest(below(100)), salt = guest(below(100)), out = guest(below(200)), split = guest(below(64));
    uint32_t count = stripes[below(G_N_ELEMENTS(stripes))];
    Error *err = NULL;
    bool fits = split.at && count && split.len <= ROOM / count;
    uint8_t *room = fits || below(2) ? memory + ROOM : NULL;

    remember();
    note(qcrypto_pbkdf2(number(QCRYPTO_HASH_ALGO__MAX), password.at, password.len, salt.at, salt.len, below(5), out.at,
                        out.len, &err) == 0, &err);
    /* Parts that the host has no room for come with NULL, or a count that no memory has room for. */
    if (!fits && split.at && split.len) {
        split.at = NULL;
    }
    remember();
    note(qcrypto_afsplit_encode(number(QCRYPTO_HASH_ALGO__MAX), split.len, count, split.at, room, &err) == 0, &err);
    remember();
    note(qcrypto_afsplit_decode(number(QCRYPTO_HASH_ALGO__MAX), split.len, count, fits ? split.at : NULL, room,
                                &err) == 0, &err);
}

static void invert(const void *ctx, size_t length, uint8_t *dst, const uint8_t *src)
{
    size_t i;

    for (i = 0; i < length; i++) {
        dst[i] = src[i] ^ *(const uint8_t *)ctx;
    }
}

static void units(void)
{
    static const uint8_t mask = 0x5c;
    Guest data = guest(below(600));
    uint8_t iv[16] = {0};
    Error *err = NULL;

    remember();
    note(qcrypto_xts_crypt(below(2), &mask, &mask, below(9) ? invert : NULL, below(9) ? invert : NULL,
                           below(9) ? iv : NULL, data.len, below(2) ? data.at : memory, data.at, &err) == 0, &err);
}

static void drive(void (*calls)(void))
{
    struct rusage now, then;
    unsigned i;

    good_calls = refused_calls = 0;
    getrusage(RUSAGE_SELF, &then);
    for (i = 0; i < CALLS; i++) {
        calls();
    }
    getrusage(RUSAGE_SELF, &now);
    g_assert_cmpint(now.ru_maxrss - then.ru_maxrss, <, MEMORY_BOUND / 16 / KIB);
    g_test_message("%u calls done, %u refused", good_calls, refused_calls);
    /* A test that is refused everything, or nothing, would pass for nothing. */
    g_assert_cmpuint(good_calls, >, CALLS / 20);
    g_assert_cmpuint(refused_calls, >, CALLS / 20);
}

static void test_calls(gconstpointer calls)
{
    drive((void (*)(void))calls);
}

/* Control: what is written by a refused call is seen. */
static void test_control(void)
{
    if (g_test_subprocess()) {
        Error *err = NULL;

        remember();
        memory[77]++;
        error_setg(&err, "refused");
        note(false, &err);
        return;
    }
    g_test_trap_subprocess(NULL, 0, 0);
    g_test_trap_assert_failed();
}

/* Memory that a number asks for beyond this is refused to the whole program, which then aborts. */
static void bound_memory(void)
{
    struct rlimit limit = {MEMORY_BOUND, MEMORY_BOUND};

    g_assert_cmpint(setrlimit(RLIMIT_AS, &limit), ==, 0);
}

int main(int argc, char **argv)
{
    const char *seed = g_getenv("QCRYPTO_TEST_SEED");

    g_test_init(&argc, &argv, NULL);
    state = seed ? g_ascii_strtoull(seed, NULL, 0) : 12;
    fill(memory, sizeof(memory), pattern_d2);
    bound_memory();
    g_test_add_data_func("/crypto/guest/cipher", (gconstpointer)cipher, test_calls);
    g_test_add_data_func("/crypto/guest/sectors", (gconstpointer)sectors, test_calls);
    g_test_add_data_func("/crypto/guest/hashes", (gconstpointer)hashes, test_calls);
    g_test_add_data_func("/crypto/guest/keys", (gconstpointer)keys, test_calls);
    g_test_add_data_func("/crypto/guest/units", (gconstpointer)units, test_calls);
    g_test_add_func("/crypto/guest/control", test_control);
    return g_test_run();
}
