/*
 * The choice of backends, from C: lists, refusals, what serves; and that QCRYPTO_BACKENDS is what serves these tests.
 *
 * SPDX-License-Identifier: MIT OR Apache-2.0
 */
#include <glib.h>
#include <stdlib.h>

#include "crypto/hash.h"
#include "crypto/init.h"
#include "qcrypto.h"

#include "cipher-util.h"

static const char *const libraries[] = { "gcrypt", "nettle" };

/* What the list says of a backend, without its name. */
static char *state_of(const char *backend)
{
    char *list = qcrypto_list_backends();
    g_auto(GStrv) lines = g_strsplit(list, "\n", -1);
    g_autofree char *prefix = g_strconcat(backend, ": ", NULL);
    size_t i;

    g_assert_true(g_str_has_suffix(list, "\n"));
    free(list);
    for (i = 0; lines[i]; i++) {
        if (g_str_has_prefix(lines[i], prefix)) {
            return g_strdup(lines[i] + strlen(prefix));
        }
    }
    g_error("no line of %s", backend);
}

/* Whether a library is there; if not, the test is skipped aloud. */
static bool is_there(const char *backend)
{
    g_autofree char *state = state_of(backend);

    if (!g_str_has_prefix(state, "not available, ")) {
        return true;
    }
    g_test_skip_printf("%s: %s", backend, state);
    return false;
}

static QCryptoCipher *new_aes_xts(const char *backend)
{
    uint8_t key[64];

    fill(key, sizeof(key), pattern_k);
    if (backend) {
        return qcrypto_cipher_new_with(backend, QCRYPTO_CIPHER_ALGO_AES_256, QCRYPTO_CIPHER_MODE_XTS, key, sizeof(key),
                                       &error_abort);
    }
    return qcrypto_cipher_new(QCRYPTO_CIPHER_ALGO_AES_256, QCRYPTO_CIPHER_MODE_XTS, key, sizeof(key), &error_abort);
}

static void expect_served_by(const char *backend, const char *with)
{
    g_autoptr(QCryptoCipher) cipher = new_aes_xts(with);
    g_autofree char *prefix = g_strconcat(backend, "/", NULL);

    g_test_message("%s serves", qcrypto_cipher_get_backend(cipher));
    g_assert_true(g_str_has_prefix(qcrypto_cipher_get_backend(cipher), prefix));
}

/* First: nothing was set yet. */
static void test_environment(void)
{
    const char *wanted = g_getenv("QCRYPTO_BACKENDS");

    if (wanted && !is_there(wanted)) {
        return;
    }
    expect_served_by(wanted ? wanted : "native", NULL);
    g_assert_cmpint(qcrypto_init(&error_abort), ==, 0);
}

static void test_list(void)
{
    g_autofree char *native = state_of("native");
    g_autofree char *in_use = g_strconcat("in use, ", qcrypto_version(), NULL);

    g_assert_cmpstr(native, ==, in_use);
}

static void test_refusals(void)
{
    static const char *const wrong[] = { "", "!", "foo", "gcrypt,foo", "gcrypt!,nettle", "Native", "native;gcrypt" };
    Error *err = NULL;
    size_t i;

    g_assert_cmpint(qcrypto_set_backends("native!", &error_abort), ==, 0);
    for (i = 0; i < G_N_ELEMENTS(wrong); i++) {
        g_assert_cmpint(qcrypto_set_backends(wrong[i], NULL), ==, -1);
        g_assert_cmpint(qcrypto_set_backends(wrong[i], &err), ==, -1);
        g_assert_true(g_str_has_prefix(error_get_pretty(err), "Unknown crypto backend '"));
        error_free(err);
        err = NULL;
        expect_served_by("native", NULL);
    }
    g_assert_cmpint(qcrypto_set_backends(NULL, &error_abort), ==, 0);
}

static void test_new_with(void)
{
    uint8_t key[32] = { 1 };
    Error *err = NULL;

    expect_served_by("native", "native");
    g_assert_null(qcrypto_cipher_new_with("foo", QCRYPTO_CIPHER_ALGO_AES_256, QCRYPTO_CIPHER_MODE_CBC, key, 32, &err));
    expect_error(&err, "Unknown crypto backend 'foo'");
    g_assert_null(qcrypto_cipher_new_with(NULL, QCRYPTO_CIPHER_ALGO_AES_256, QCRYPTO_CIPHER_MODE_CBC, key, 32, &err));
    expect_error(&err, "Argument 'backend' is NULL");
    g_assert_null(qcrypto_cipher_new_with("native", QCRYPTO_CIPHER_ALGO_AES_256, QCRYPTO_CIPHER_MODE_CBC, key, 31, &err));
    expect_error(&err, "Cipher key length 31 should be 32");
    g_assert_null(qcrypto_cipher_new_with("native", 99, QCRYPTO_CIPHER_MODE_CBC, key, 32, &err));
    expect_error(&err, "Cipher algorithm 99 out of range");
    g_assert_null(qcrypto_cipher_new_with("foo", QCRYPTO_CIPHER_ALGO_AES_256, QCRYPTO_CIPHER_MODE_CBC, key, 32, NULL));
}

/* A library serves what it has; what it lacks is served by the last resort, or not at all. */
static void test_library(const void *data)
{
    const char *backend = data;
    g_autofree char *strict = g_strconcat(backend, "!", NULL);
    bool is_gcrypt = g_str_equal(backend, "gcrypt");
    QCryptoCipherAlgo lacking = is_gcrypt ? QCRYPTO_CIPHER_ALGO_TWOFISH_192 : QCRYPTO_CIPHER_ALGO_SM4;
    uint8_t key[24] = { 1 };
    size_t nkey = is_gcrypt ? 24 : 16;
    g_autofree char *text = NULL;
    Error *err = NULL;
    g_autofree char *state = NULL;
    uint8_t *digest = NULL;
    size_t ndigest = 0;

    if (!is_there(backend)) {
        return;
    }
    expect_served_by(backend, backend);
    g_assert_cmpint(qcrypto_set_backends(backend, &error_abort), ==, 0);
    g_assert_cmpint(qcrypto_init(&error_abort), ==, 0);
    state = state_of(backend);
    g_assert_true(g_str_has_prefix(state, "in use, "));
    expect_served_by(backend, NULL);
    g_assert_true(qcrypto_cipher_supports(lacking, QCRYPTO_CIPHER_MODE_CBC));

    g_assert_cmpint(qcrypto_set_backends(strict, &error_abort), ==, 0);
    g_assert_cmpint(qcrypto_hash_bytes(QCRYPTO_HASH_ALGO_SHA256, "abc", 3, &digest, &ndigest, &error_abort), ==, 0);
    free(digest);
    if (!qcrypto_cipher_supports(lacking, QCRYPTO_CIPHER_MODE_CBC)) {
        const char *name = is_gcrypt ? "twofish-192" : "sm4";

        g_assert_null(qcrypto_cipher_new(lacking, QCRYPTO_CIPHER_MODE_CBC, key, nkey, &err));
        text = g_strdup_printf("Unsupported cipher algorithm %s with cbc mode", name);
        expect_error(&err, text);
        g_free(text);
        g_assert_null(qcrypto_cipher_new_with(backend, lacking, QCRYPTO_CIPHER_MODE_CBC, key, nkey, &err));
        text = g_strdup_printf("Crypto backend '%s' does not support cipher algorithm %s with cbc mode", backend, name);
        expect_error(&err, text);
    }
    g_assert_cmpint(qcrypto_set_backends(NULL, &error_abort), ==, 0);
}

/* Backends that no package brings, each with a word of the reason where the kernel or the CPU does not have it. */
static const struct Offered {
    const char *name, *reason;
} offered[] = {
    { "afalg", "socket(AF_ALG): " },
#ifdef __x86_64__
    { "keylocker", " Key Locker" },
#endif
};

/* Served where it is there; else a reason, and the next of the list in its place. */
static void test_offered(const void *data)
{
    const struct Offered *backend = data;
    g_autofree char *state = state_of(backend->name);
    g_autofree char *strict = g_strconcat(backend->name, "!", NULL);
    uint8_t key[32] = { 1 };
    Error *err = NULL;

    if (!g_str_has_prefix(state, "not available, ")) {
        expect_served_by(backend->name, backend->name);
        return;
    }
    g_assert_nonnull(strstr(state, backend->reason));
    g_assert_null(qcrypto_cipher_new_with(backend->name, QCRYPTO_CIPHER_ALGO_AES_256, QCRYPTO_CIPHER_MODE_CBC, key, 32,
                                          &err));
    expect_errorf(&err, "Crypto backend '%s' is not available: %s", backend->name, state + strlen("not available, "));
    g_assert_cmpint(qcrypto_set_backends(backend->name, &error_abort), ==, 0);
    expect_served_by("native", NULL);
    g_assert_cmpint(qcrypto_init(&error_abort), ==, 0);

    /* With nothing to fall back to, the first that hears of it is who asks to open what is chosen. */
    g_assert_cmpint(qcrypto_set_backends(strict, &error_abort), ==, 0);
    g_assert_cmpint(qcrypto_init(&err), ==, -1);
    expect_error(&err, "None of the chosen crypto backends is available");
    g_assert_false(qcrypto_cipher_supports(QCRYPTO_CIPHER_ALGO_AES_256, QCRYPTO_CIPHER_MODE_CBC));
    g_assert_null(qcrypto_cipher_new(QCRYPTO_CIPHER_ALGO_AES_256, QCRYPTO_CIPHER_MODE_CBC, key, 32, &err));
    expect_error(&err, "Unsupported cipher algorithm aes-256 with cbc mode");
    g_assert_cmpint(qcrypto_set_backends(NULL, &error_abort), ==, 0);
}

static gpointer switch_backends(gpointer stop)
{
    while (!g_atomic_int_get((int *)stop)) {
        qcrypto_set_backends("gcrypt,nettle", &error_abort);
        qcrypto_set_backends("nettle,gcrypt", &error_abort);
        qcrypto_set_backends(NULL, &error_abort);
    }
    return NULL;
}

/* Objects made while another thread changes the order are of one backend or another, and right. */
static void test_switch_while_in_use(void)
{
    uint8_t in[512] = { 0 }, want[512], out[512];
    g_autoptr(QCryptoCipher) native = new_aes_xts("native");
    int stop = 0, i;
    GThread *thread = g_thread_new("switch", switch_backends, &stop);

    qcrypto_cipher_encrypt(native, in, want, sizeof(in), &error_abort);
    for (i = 0; i < 5000; i++) {
        g_autoptr(QCryptoCipher) cipher = new_aes_xts(NULL);

        qcrypto_cipher_encrypt(cipher, in, out, sizeof(in), &error_abort);
        g_assert_cmpmem(out, sizeof(out), want, sizeof(want));
    }
    g_atomic_int_set(&stop, 1);
    g_thread_join(thread);
}

int main(int argc, char **argv)
{
    size_t i;

    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/crypto/backends/environment", test_environment);
    g_test_add_func("/crypto/backends/list", test_list);
    g_test_add_func("/crypto/backends/refusals", test_refusals);
    g_test_add_func("/crypto/backends/new-with", test_new_with);
    for (i = 0; i < G_N_ELEMENTS(libraries); i++) {
        g_autofree char *name = g_strconcat("/crypto/backends/", libraries[i], NULL);

        g_test_add_data_func(name, libraries[i], test_library);
    }
    for (i = 0; i < G_N_ELEMENTS(offered); i++) {
        g_autofree char *name = g_strconcat("/crypto/backends/", offered[i].name, NULL);

        g_test_add_data_func(name, &offered[i], test_offered);
    }
    g_test_add_func("/crypto/backends/switch-while-in-use", test_switch_while_in_use);
    return g_test_run();
}
