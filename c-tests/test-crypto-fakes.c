/*
 * What the backends ask of their libraries, which fake libraries tell: see fakes/fakes.h
 *
 * A fake is opened by this program before the backend asks the loader for the name that the fake has inside, so that the
 * loader gives it the fake. Each test has a process of its own, since a library once opened stays.
 *
 * SPDX-License-Identifier: MIT OR Apache-2.0
 */
#include <dlfcn.h>
#include <glib.h>
#include <glib/gstdio.h>
#include <stdlib.h>

#include "crypto/hash.h"
#include "crypto/hmac.h"
#include "crypto/init.h"
#include "crypto/pbkdf.h"
#include "qcrypto.h"

#include "cipher-util.h"
#include "fakes/fakes.h"

/* A name in a fake that is there. */
static void *symbol(void *library, const char *name)
{
    void *found = dlsym(library, name);

    g_assert_nonnull(found);
    return found;
}

/* Opens a fake. FAKES is where meson built them. */
static void *open_fake(const char *name)
{
    g_autofree char *path = g_strdup_printf("%s/%s.so", g_getenv("FAKES"), name);
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);

    if (!library) {
        g_error("%s", dlerror());
    }
    return library;
}

/* The list must have this line. */
static void expect_line(const char *line)
{
    char *list = qcrypto_list_backends();
    g_auto(GStrv) lines = g_strsplit(list, "\n", -1);

    if (!g_strv_contains((const char *const *)lines, line)) {
        g_error("no line '%s' in\n%s", line, list);
    }
    free(list);
}

static QCryptoCipher *new_with(const char *backend, QCryptoCipherAlgo alg, QCryptoCipherMode mode, size_t nkey,
                               Error **errp)
{
    uint8_t key[MAX_KEY_LEN];

    fill(key, sizeof(key), pattern_k);
    return qcrypto_cipher_new_with(backend, alg, mode, key, nkey, errp);
}

static void expect_no_new_with(const char *backend, QCryptoCipherAlgo alg, QCryptoCipherMode mode, size_t nkey,
                               const char *text)
{
    Error *err = NULL;

    g_assert_null(new_with(backend, alg, mode, nkey, &err));
    expect_error(&err, text);
}

static void expect_name(const QCryptoCipher *cipher, const char *name)
{
    g_assert_cmpstr(qcrypto_cipher_get_backend(cipher), ==, name);
}

/* What the list serves. */
static void expect_served(QCryptoCipherAlgo alg, QCryptoCipherMode mode, size_t nkey, const char *prefix)
{
    uint8_t key[MAX_KEY_LEN];
    g_autoptr(QCryptoCipher) cipher = NULL;

    fill(key, sizeof(key), pattern_k);
    g_assert_true(qcrypto_cipher_supports(alg, mode));
    cipher = qcrypto_cipher_new(alg, mode, key, nkey, &error_abort);
    if (!g_str_has_prefix(qcrypto_cipher_get_backend(cipher), prefix)) {
        g_error("%s serves, not %s", qcrypto_cipher_get_backend(cipher), prefix);
    }
}

/* One data unit of zeros through the fake's own XTS in place, with an IV of 0xa5. */
static void run_xts(QCryptoCipher *cipher, Direction direction, size_t len)
{
    g_autofree uint8_t *data = g_malloc0(len);
    uint8_t iv[FAKE_BLOCK];

    memset(iv, 0xa5, sizeof(iv));
    g_assert_cmpint(qcrypto_cipher_setiv(cipher, iv, sizeof(iv), &error_abort), ==, 0);
    g_assert_cmpint(crypt_data(cipher, direction, data, data, len, &error_abort), ==, 0);
    expect_all(data, fake_xts(0), len, "the fake's XTS");
}

/* Data that goes through and comes back, but is not what the fake's own XTS makes. */
static void expect_block_xts(QCryptoCipher *cipher)
{
    uint8_t data[96] = { 0 };

    g_assert_cmpint(qcrypto_cipher_encrypt(cipher, data, data, sizeof(data), &error_abort), ==, 0);
    /* The carry of an addition differs from block to block with the tweak. */
    g_assert_cmpint(memcmp(data, data + FAKE_BLOCK, FAKE_BLOCK), !=, 0);
    g_assert_cmpint(qcrypto_cipher_decrypt(cipher, data, data, sizeof(data), &error_abort), ==, 0);
    expect_all(data, 0, sizeof(data), "there and back");
}

/* --- Nettle */

static FakeNettle *nettle;

static void *open_nettle(const char *name, int major)
{
    void *library = open_fake(name);
    FakeNettleBe *be;

    nettle = symbol(library, "fake_nettle");
    *(void **)&be = symbol(library, "fake_nettle_be");
    be(major);
    return library;
}

/* The library's XTS is what runs, once for each data unit, with the right keys, and no block cipher beside it. */
static void test_nettle_xts(void)
{
    g_autoptr(QCryptoCipher) cipher = NULL;
    uint8_t key[MAX_KEY_LEN], iv[FAKE_BLOCK];

    open_nettle("fake-nettle", 3);
    expect_line("nettle: available, 3.77");
    fill(key, sizeof(key), pattern_k);
    memset(iv, 0xa5, sizeof(iv));
    cipher = new_with("nettle", QCRYPTO_CIPHER_ALGO_AES_256, QCRYPTO_CIPHER_MODE_XTS, 64, &error_abort);
    expect_name(cipher, "nettle/xts");
    /* Data key in both directions, tweak key in one. */
    g_assert_cmpuint(nettle->keys, ==, 3);

    run_xts(cipher, ENCRYPT, 512);
    g_assert_cmpuint(nettle->len, ==, 512);
    g_assert_cmpmem(nettle->iv, FAKE_BLOCK, iv, FAKE_BLOCK);
    g_assert_cmpmem(nettle->data_key, FAKE_BLOCK, key, FAKE_BLOCK);
    g_assert_cmpmem(nettle->tweak_key, FAKE_BLOCK, key + 32, FAKE_BLOCK);
    run_xts(cipher, DECRYPT, (16 << 20) + 16);
    g_assert_cmpuint(nettle->len, ==, (16 << 20) + 16);
    g_assert_cmpmem(nettle->data_key, FAKE_BLOCK, key, FAKE_BLOCK);
    g_assert_cmpuint(nettle->xts_encrypt, ==, 1);
    g_assert_cmpuint(nettle->xts_decrypt, ==, 1);
    g_assert_cmpuint(nettle->blocks, ==, 0);

    /* Without data, or with a part of a block, it is not called at all: it would end the process. */
    g_assert_cmpint(qcrypto_cipher_encrypt(cipher, NULL, NULL, 0, &error_abort), ==, 0);
    g_assert_cmpint(qcrypto_cipher_encrypt(cipher, key, key, 15, NULL), ==, -1);
    g_assert_cmpint(qcrypto_cipher_decrypt(cipher, key, key, 17, NULL), ==, -1);
    g_assert_cmpuint(nettle->xts_encrypt + nettle->xts_decrypt, ==, 2);
    g_assert_cmpuint(nettle->keys, ==, 3);
    g_assert_cmpstr(nettle->wrong, ==, NULL);
}

/* Control: where the library has no XTS the name says so, and its block cipher is what runs. */
static void test_nettle_without_xts(void)
{
    g_autoptr(QCryptoCipher) cipher = NULL;

    open_nettle("fake-nettle-without-xts", 3);
    cipher = new_with("nettle", QCRYPTO_CIPHER_ALGO_AES_256, QCRYPTO_CIPHER_MODE_XTS, 64, &error_abort);
    expect_name(cipher, "nettle/ecb+xts");
    expect_block_xts(cipher);
    /* The tweak and the data, twice. */
    g_assert_cmpuint(nettle->blocks, ==, 4);
    g_assert_cmpstr(nettle->wrong, ==, NULL);
}

/* CBC with the cipher in it where the library has that, and the general functions elsewhere. */
static void test_nettle_modes(void)
{
    static const struct {
        QCryptoCipherAlgo alg;
        size_t nkey;
        unsigned cbc_aes, cbc;
    } ciphers[] = {
        { QCRYPTO_CIPHER_ALGO_AES_128, 16, 1, 1 },
        { QCRYPTO_CIPHER_ALGO_SERPENT_256, 32, 1, 3 },
    };
    uint8_t data[64] = { 0 };
    size_t i;

    open_nettle("fake-nettle", 3);
    for (i = 0; i < G_N_ELEMENTS(ciphers); i++) {
        g_autoptr(QCryptoCipher) cbc =
            new_with("nettle", ciphers[i].alg, QCRYPTO_CIPHER_MODE_CBC, ciphers[i].nkey, &error_abort);
        g_autoptr(QCryptoCipher) ctr =
            new_with("nettle", ciphers[i].alg, QCRYPTO_CIPHER_MODE_CTR, ciphers[i].nkey, &error_abort);

        expect_name(cbc, "nettle/cbc");
        g_assert_cmpint(qcrypto_cipher_encrypt(cbc, data, data, sizeof(data), &error_abort), ==, 0);
        g_assert_cmpint(qcrypto_cipher_decrypt(cbc, data, data, sizeof(data), &error_abort), ==, 0);
        g_assert_cmpuint(nettle->cbc_aes, ==, ciphers[i].cbc_aes);
        g_assert_cmpuint(nettle->cbc, ==, ciphers[i].cbc);

        expect_name(ctr, "nettle/ctr");
        g_assert_cmpint(qcrypto_cipher_encrypt(ctr, data, data, sizeof(data), &error_abort), ==, 0);
        g_assert_cmpint(qcrypto_cipher_decrypt(ctr, data, data, sizeof(data), &error_abort), ==, 0);
        g_assert_cmpuint(nettle->ctr, ==, 2 * (i + 1));
    }
    g_assert_cmpuint(nettle->blocks, ==, 0);
    g_assert_cmpstr(nettle->wrong, ==, NULL);
}

/* What is missing, and what is not what it should be, is served by the next. */
static void test_nettle_missing(void)
{
    open_nettle("fake-nettle", 3);
    expect_no_new_with("nettle", QCRYPTO_CIPHER_ALGO_TWOFISH_256, QCRYPTO_CIPHER_MODE_CTR, 32,
                       "Crypto backend 'nettle' does not support cipher algorithm twofish-256 with ctr mode");
    expect_no_new_with("nettle", QCRYPTO_CIPHER_ALGO_AES_192, QCRYPTO_CIPHER_MODE_CBC, 24,
                       "Crypto backend 'nettle' does not support cipher algorithm aes-192 with cbc mode");
    expect_no_new_with("nettle", QCRYPTO_CIPHER_ALGO_DES, QCRYPTO_CIPHER_MODE_ECB, 8,
                       "Crypto backend 'nettle' does not support cipher algorithm des with ecb mode");
    g_assert_cmpint(qcrypto_set_backends("nettle", &error_abort), ==, 0);
    expect_served(QCRYPTO_CIPHER_ALGO_AES_128, QCRYPTO_CIPHER_MODE_ECB, 16, "nettle/ecb");
    expect_served(QCRYPTO_CIPHER_ALGO_AES_192, QCRYPTO_CIPHER_MODE_CBC, 24, "native/");
    expect_served(QCRYPTO_CIPHER_ALGO_TWOFISH_256, QCRYPTO_CIPHER_MODE_CTR, 32, "native/");
    g_assert_cmpint(qcrypto_set_backends("nettle!", &error_abort), ==, 0);
    g_assert_true(qcrypto_hash_supports(QCRYPTO_HASH_ALGO_SHA256));
    g_assert_false(qcrypto_hash_supports(QCRYPTO_HASH_ALGO_SHA1));
    /* Its HMAC is missing. */
    g_assert_false(qcrypto_hash_supports(QCRYPTO_HASH_ALGO_SHA512));
    g_assert_false(qcrypto_cipher_supports(QCRYPTO_CIPHER_ALGO_AES_192, QCRYPTO_CIPHER_MODE_CBC));
    g_assert_cmpstr(nettle->wrong, ==, NULL);
}

/* A version that nobody has seen yet is asked for its number and left alone. */
static void test_nettle_unknown_major(void)
{
    open_nettle("fake-nettle", 5);
    expect_line("nettle: not available, version 5.77, whose interface is not known here");
    expect_no_new_with("nettle", QCRYPTO_CIPHER_ALGO_AES_256, QCRYPTO_CIPHER_MODE_XTS, 64,
                       "Crypto backend 'nettle' is not available: version 5.77, whose interface is not known here");
    g_assert_cmpint(qcrypto_set_backends("nettle!", &error_abort), ==, 0);
    g_assert_cmpint(qcrypto_init(NULL), ==, -1);
    g_assert_false(qcrypto_cipher_supports(QCRYPTO_CIPHER_ALGO_AES_256, QCRYPTO_CIPHER_MODE_XTS));
    g_assert_false(qcrypto_hash_supports(QCRYPTO_HASH_ALGO_SHA256));
    g_assert_cmpint(qcrypto_set_backends("nettle", &error_abort), ==, 0);
    expect_served(QCRYPTO_CIPHER_ALGO_AES_256, QCRYPTO_CIPHER_MODE_XTS, 64, "native/");
    g_assert_cmpuint(nettle->keys, ==, 0);
}

/* Hash, HMAC and PBKDF2 as a major version has them. */
static void run_hashes(void)
{
    static const uint8_t salt[] = { 1 };
    uint8_t *digest = NULL, out[40];
    size_t len = 0, i;
    QCryptoHmac *hmac;

    g_assert_cmpint(qcrypto_set_backends("nettle!", &error_abort), ==, 0);
    g_assert_cmpint(qcrypto_hash_bytes(QCRYPTO_HASH_ALGO_SHA256, "\1\2", 2, &digest, &len, &error_abort), ==, 0);
    g_assert_cmpuint(len, ==, FAKE_DIGEST);
    expect_all(digest, 3, len, "hash");
    free(digest);

    hmac = qcrypto_hmac_new(QCRYPTO_HASH_ALGO_SHA256, (const uint8_t *)"\5", 1, &error_abort);
    for (i = 0; i < 2; i++) {
        digest = NULL;
        len = 0;
        g_assert_cmpint(qcrypto_hmac_bytes(hmac, "\1\2", 2, &digest, &len, &error_abort), ==, 0);
        expect_all(digest, 8, len, "HMAC");
        free(digest);
    }
    qcrypto_hmac_free(hmac);
    g_assert_cmpuint(nettle->digests, ==, 3);

    g_assert_cmpint(qcrypto_pbkdf2(QCRYPTO_HASH_ALGO_SHA256, NULL, 0, salt, 1, 9, out, sizeof(out), &error_abort), ==, 0);
    expect_all(out, 9, sizeof(out), "PBKDF2");
    g_assert_cmpint(qcrypto_pbkdf2(QCRYPTO_HASH_ALGO_SHA256, NULL, 0, salt, 1, 0, out, sizeof(out), NULL), ==, -1);
    g_assert_cmpuint(nettle->pbkdf2, ==, 1);
    g_assert_cmpstr(nettle->wrong, ==, NULL);
}

static void test_nettle_3(void)
{
    open_nettle("fake-nettle", 3);
    run_hashes();
}

/* Under the name of the other, an old one that cannot be loaded being passed over. */
static void test_nettle_4(void)
{
    open_nettle("fake-nettle-9", 4);
    run_hashes();
    expect_line("nettle: in use, 4.77");
}

/* An iteration count that the library would cut off is counted here: HMAC by HMAC, which the fake ends. */
static void test_nettle_many_iterations(void)
{
    uint8_t out[32];

    open_nettle("fake-nettle", 3);
    nettle->updates_left = 1000;
    g_assert_cmpint(qcrypto_set_backends("nettle!", &error_abort), ==, 0);
    qcrypto_pbkdf2(QCRYPTO_HASH_ALGO_SHA256, NULL, 0, NULL, 0, UINT64_C(0x100000001), out, sizeof(out), NULL);
    g_error("%u calls of nettle_pbkdf2, and it came back", nettle->pbkdf2);
}

/* --- libgcrypt */

static FakeGcrypt *gcrypt;

static void open_gcrypt(const char *name)
{
    gcrypt = symbol(open_fake(name), "fake_gcrypt");
}

/* The library's XTS is what runs, with an IV for each data unit, and one handle more for the tweaks of long ones. */
static void test_gcrypt_xts(void)
{
    QCryptoCipher *cipher;
    unsigned ecb, i;

    open_gcrypt("fake-gcrypt");
    expect_line("gcrypt: available, 1.77.0");
    g_assert_true(qcrypto_cipher_supports(QCRYPTO_CIPHER_ALGO_AES_256, QCRYPTO_CIPHER_MODE_XTS));
    /* The first has the backend ask what there is. */
    cipher = new_with("gcrypt", QCRYPTO_CIPHER_ALGO_AES_256, QCRYPTO_CIPHER_MODE_XTS, 64, &error_abort);
    qcrypto_cipher_free(cipher);
    g_assert_cmpint(gcrypt->open, ==, 0);
    memset(gcrypt->opened, 0, sizeof(gcrypt->opened));
    cipher = new_with("gcrypt", QCRYPTO_CIPHER_ALGO_AES_256, QCRYPTO_CIPHER_MODE_XTS, 64, &error_abort);
    expect_name(cipher, "gcrypt/xts");
    ecb = gcrypt->opened[1];
    g_assert_cmpuint(gcrypt->opened[13], ==, 1);
    g_assert_cmpuint(ecb, ==, 1);
    for (i = 1; i <= 2; i++) {
        run_xts(cipher, ENCRYPT, 512);
        run_xts(cipher, DECRYPT, 4096);
        g_assert_cmpuint(gcrypt->xts, ==, 2 * i);
        g_assert_cmpuint(gcrypt->set_ivs, ==, 2 * i);
    }
    g_assert_cmpint(qcrypto_cipher_encrypt(cipher, NULL, NULL, 0, &error_abort), ==, 0);
    g_assert_cmpuint(gcrypt->xts, ==, 4);
    qcrypto_cipher_free(cipher);
    g_assert_cmpint(gcrypt->open, ==, 0);
    g_assert_cmpstr(gcrypt->wrong, ==, NULL);
}

/* Control: where the library has no XTS the name says so, and its block cipher is what runs. */
static void test_gcrypt_without_xts(void)
{
    g_autoptr(QCryptoCipher) cipher = NULL;

    open_gcrypt("fake-gcrypt");
    gcrypt->without_xts = true;
    cipher = new_with("gcrypt", QCRYPTO_CIPHER_ALGO_AES_256, QCRYPTO_CIPHER_MODE_XTS, 64, &error_abort);
    expect_name(cipher, "gcrypt/ecb+xts");
    expect_block_xts(cipher);
    g_assert_cmpuint(gcrypt->xts, ==, 0);
    g_assert_cmpstr(gcrypt->wrong, ==, NULL);
}

/* How often a control was called. Those of secure memory, and all that are not known here, are wrong by themselves. */
static unsigned controls(int command)
{
    unsigned count = 0;
    size_t i;

    for (i = 0; i < gcrypt->n_controls; i++) {
        count += gcrypt->controls[i] == command;
    }
    return count;
}

enum { INITIALIZATION_FINISHED = 38 };

/* A library that nobody has set up is set up, once. */
static void test_gcrypt_initialised_here(void)
{
    int i;

    open_gcrypt("fake-gcrypt");
    g_assert_cmpint(qcrypto_set_backends("gcrypt", &error_abort), ==, 0);
    for (i = 0; i < 3; i++) {
        g_assert_cmpint(qcrypto_init(&error_abort), ==, 0);
        expect_served(QCRYPTO_CIPHER_ALGO_AES_256, QCRYPTO_CIPHER_MODE_CTR, 32, "gcrypt/ctr");
    }
    g_assert_cmpuint(controls(INITIALIZATION_FINISHED), ==, 1);
    g_assert_cmpstr(gcrypt->wrong, ==, NULL);
}

/* One that the program has set up is left as it is. */
static void test_gcrypt_initialised_by_host(void)
{
    open_gcrypt("fake-gcrypt");
    gcrypt->finished = true;
    g_assert_cmpint(qcrypto_set_backends("gcrypt", &error_abort), ==, 0);
    expect_served(QCRYPTO_CIPHER_ALGO_AES_256, QCRYPTO_CIPHER_MODE_CTR, 32, "gcrypt/ctr");
    g_assert_cmpuint(controls(INITIALIZATION_FINISHED), ==, 0);
    g_assert_cmpstr(gcrypt->wrong, ==, NULL);
}

static void test_gcrypt_missing_function(void)
{
    open_gcrypt("fake-gcrypt-without-setctr");
    expect_line("gcrypt: not available, libgcrypt.so.20 has no gcry_cipher_setctr");
    expect_no_new_with("gcrypt", QCRYPTO_CIPHER_ALGO_AES_256, QCRYPTO_CIPHER_MODE_ECB, 32,
                       "Crypto backend 'gcrypt' is not available: libgcrypt.so.20 has no gcry_cipher_setctr");
    g_assert_cmpuint(gcrypt->n_controls, ==, 0);
}

/* An algorithm that is left out of a build, or refused in FIPS mode, is served by the next. */
static void test_gcrypt_refused_algorithm(void)
{
    open_gcrypt("fake-gcrypt");
    gcrypt->refused_algorithm = 9;
    gcrypt->in_fips_mode = true;
    expect_line("gcrypt: available, 1.77.0 in FIPS mode");
    expect_no_new_with("gcrypt", QCRYPTO_CIPHER_ALGO_AES_256, QCRYPTO_CIPHER_MODE_XTS, 64,
                       "Crypto backend 'gcrypt' does not support cipher algorithm aes-256 with xts mode");
    g_assert_cmpint(qcrypto_set_backends("gcrypt", &error_abort), ==, 0);
    expect_served(QCRYPTO_CIPHER_ALGO_AES_128, QCRYPTO_CIPHER_MODE_XTS, 32, "gcrypt/xts");
    expect_served(QCRYPTO_CIPHER_ALGO_AES_256, QCRYPTO_CIPHER_MODE_XTS, 64, "native/");
    g_assert_cmpint(qcrypto_set_backends("gcrypt!", &error_abort), ==, 0);
    g_assert_false(qcrypto_cipher_supports(QCRYPTO_CIPHER_ALGO_AES_256, QCRYPTO_CIPHER_MODE_CBC));
    g_assert_false(qcrypto_hash_supports(QCRYPTO_HASH_ALGO_SHA1));
    g_assert_true(qcrypto_hash_supports(QCRYPTO_HASH_ALGO_SHA256));
    g_assert_cmpstr(gcrypt->wrong, ==, NULL);
}

/* Weak keys are used where the library lets them be set, and served by the next where not. */
static void test_gcrypt_weak_keys(void)
{
    open_gcrypt("fake-gcrypt");
    g_assert_cmpint(qcrypto_set_backends("gcrypt", &error_abort), ==, 0);
    /* What there is, is asked for with keys that nobody thinks weak. */
    expect_served(QCRYPTO_CIPHER_ALGO_AES_128, QCRYPTO_CIPHER_MODE_CBC, 16, "gcrypt/cbc");
    gcrypt->weak_key = true;
    expect_served(QCRYPTO_CIPHER_ALGO_AES_128, QCRYPTO_CIPHER_MODE_CBC, 16, "gcrypt/cbc");
    gcrypt->without_weak_keys = true;
    expect_served(QCRYPTO_CIPHER_ALGO_AES_128, QCRYPTO_CIPHER_MODE_CBC, 16, "native/");
    expect_no_new_with("gcrypt", QCRYPTO_CIPHER_ALGO_AES_128, QCRYPTO_CIPHER_MODE_CBC, 16,
                       "Cannot set key: A fake weak key");
    g_assert_cmpint(gcrypt->open, ==, 0);
    g_assert_cmpstr(gcrypt->wrong, ==, NULL);
}

/* In XTS a key that is thought weak, for its equal halves, is not set whatever is allowed. */
static void test_gcrypt_equal_halves(void)
{
    open_gcrypt("fake-gcrypt");
    g_assert_cmpint(qcrypto_set_backends("gcrypt", &error_abort), ==, 0);
    expect_served(QCRYPTO_CIPHER_ALGO_AES_256, QCRYPTO_CIPHER_MODE_XTS, 64, "gcrypt/xts");
    gcrypt->weak_key = true;
    expect_served(QCRYPTO_CIPHER_ALGO_AES_256, QCRYPTO_CIPHER_MODE_XTS, 64, "native/");
    g_assert_cmpint(gcrypt->open, ==, 0);
}

/* A failure after the output was written: zeros, an Error in the library's words, and no object any more. */
static void test_gcrypt_failure(void)
{
    static const QCryptoCipherMode modes[] = { QCRYPTO_CIPHER_MODE_ECB, QCRYPTO_CIPHER_MODE_XTS };
    size_t i;

    open_gcrypt("fake-gcrypt");
    for (i = 0; i < G_N_ELEMENTS(modes); i++) {
        uint8_t data[64];
        Error *err = NULL;
        QCryptoCipher *cipher;

        gcrypt->failing = false;
        cipher = new_with("gcrypt", QCRYPTO_CIPHER_ALGO_AES_128, modes[i], i == 0 ? 16 : 32, &error_abort);
        gcrypt->failing = true;
        memset(data, 0xa5, sizeof(data));
        g_assert_cmpint(qcrypto_cipher_encrypt(cipher, data, data, sizeof(data), &err), ==, -1);
        expect_error(&err, "Cannot encrypt data: A fake error");
        expect_all(data, 0, sizeof(data), "after a failure");
        gcrypt->failing = false;
        g_assert_cmpint(qcrypto_cipher_decrypt(cipher, data, data, sizeof(data), &err), ==, -1);
        expect_error(&err, "Object 'cipher' is unusable after an earlier failure");
        qcrypto_cipher_free(cipher);
        g_assert_cmpint(gcrypt->open, ==, 0);
    }
    g_assert_cmpstr(gcrypt->wrong, ==, NULL);
}

/* What the library refuses to derive, no salt and no key, is not asked of it. */
static void test_gcrypt_pbkdf2(void)
{
    static const uint8_t salt[] = { 1 };
    uint8_t out[40];

    open_gcrypt("fake-gcrypt");
    g_assert_cmpint(qcrypto_set_backends("gcrypt!", &error_abort), ==, 0);
    g_assert_cmpint(qcrypto_pbkdf2(QCRYPTO_HASH_ALGO_SHA256, NULL, 0, salt, 1, 9, out, sizeof(out), &error_abort), ==, 0);
    expect_all(out, 9, sizeof(out), "PBKDF2");
    g_assert_cmpint(qcrypto_pbkdf2(QCRYPTO_HASH_ALGO_SHA256, NULL, 0, NULL, 0, 1, out, sizeof(out), &error_abort), ==, 0);
    /* The sum of the number of the block, which RFC 8018 has after the salt. */
    expect_all(out, 1, FAKE_DIGEST, "PBKDF2 without salt, block 1");
    expect_all(out + FAKE_DIGEST, 2, sizeof(out) - FAKE_DIGEST, "PBKDF2 without salt, block 2");
    g_assert_cmpint(qcrypto_pbkdf2(QCRYPTO_HASH_ALGO_SHA256, NULL, 0, salt, 1, 9, out, 0, &error_abort), ==, 0);
    g_assert_cmpstr(gcrypt->wrong, ==, NULL);
}

/* --- */

typedef struct Test {
    const char *path;
    void (*run)(void);
} Test;

static const Test tests[] = {
    { "/crypto/fakes/nettle/xts", test_nettle_xts },
    { "/crypto/fakes/nettle/without-xts", test_nettle_without_xts },
    { "/crypto/fakes/nettle/modes", test_nettle_modes },
    { "/crypto/fakes/nettle/missing", test_nettle_missing },
    { "/crypto/fakes/nettle/unknown-major", test_nettle_unknown_major },
    { "/crypto/fakes/nettle/major-3", test_nettle_3 },
    { "/crypto/fakes/nettle/major-4", test_nettle_4 },
    { "/crypto/fakes/nettle/many-iterations", test_nettle_many_iterations },
    { "/crypto/fakes/gcrypt/xts", test_gcrypt_xts },
    { "/crypto/fakes/gcrypt/without-xts", test_gcrypt_without_xts },
    { "/crypto/fakes/gcrypt/initialised-here", test_gcrypt_initialised_here },
    { "/crypto/fakes/gcrypt/initialised-by-host", test_gcrypt_initialised_by_host },
    { "/crypto/fakes/gcrypt/missing-function", test_gcrypt_missing_function },
    { "/crypto/fakes/gcrypt/refused-algorithm", test_gcrypt_refused_algorithm },
    { "/crypto/fakes/gcrypt/weak-keys", test_gcrypt_weak_keys },
    { "/crypto/fakes/gcrypt/equal-halves", test_gcrypt_equal_halves },
    { "/crypto/fakes/gcrypt/failure", test_gcrypt_failure },
    { "/crypto/fakes/gcrypt/pbkdf2", test_gcrypt_pbkdf2 },
};

static void run_apart(const void *data)
{
    const Test *test = data;

    if (g_test_subprocess()) {
        test->run();
        return;
    }
    g_test_trap_subprocess(NULL, 0, G_TEST_SUBPROCESS_INHERIT_STDERR);
    g_test_trap_assert_passed();
}

int main(int argc, char **argv)
{
    size_t i;

    g_test_init(&argc, &argv, NULL);
    for (i = 0; i < G_N_ELEMENTS(tests); i++) {
        g_test_add_data_func(tests[i].path, &tests[i], run_apart);
    }
    return g_test_run();
}
