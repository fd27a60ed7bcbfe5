/*
 * What the tests of the cipher API share: the patterns of their data, the table of ciphers, and checks that say what
 * went wrong.
 *
 * SPDX-License-Identifier: MIT OR Apache-2.0
 */
#ifndef C_TESTS_CIPHER_UTIL_H
#define C_TESTS_CIPHER_UTIL_H

#include <glib.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "crypto/cipher.h"
#include "qapi/error.h"

#define KIB ((size_t)1024)
#define MIB (1024 * KIB)

enum {
    MAX_KEY_LEN = 64,
    MAX_BLOCK_LEN = 16,
};

/* The patterns of test data: K of keys, D1, D2 and SEC of plaintext. */

static inline uint8_t pattern_k(size_t i)
{
    return 3 * i + 1;
}

static inline uint8_t pattern_d1(size_t i)
{
    return 7 * i + 3;
}

static inline uint8_t pattern_d2(size_t i)
{
    return 7 * i + 3 + (i >> 8);
}

static inline uint8_t pattern_sec(size_t i)
{
    return 13 * i + 5 * (i >> 8) + 9;
}

static inline uint8_t pattern_counting(size_t i)
{
    return i;
}

typedef uint8_t Pattern(size_t i);

static inline void fill(uint8_t *buf, size_t len, Pattern *pattern)
{
    size_t i;

    for (i = 0; i < len; i++) {
        buf[i] = pattern(i);
    }
}

static inline uint8_t *filled(size_t len, Pattern *pattern)
{
    uint8_t *buf = g_malloc(len);

    fill(buf, len, pattern);
    return buf;
}

/* Checks. The text says where in the test the program is. */

static inline G_GNUC_PRINTF(4, 5) void expect_bytes(const void *got, const void *want, size_t len, const char *fmt, ...)
{
    const uint8_t *got_bytes = got, *want_bytes = want;
    g_autofree char *where = NULL;
    va_list ap;
    size_t i;

    if (len == 0 || memcmp(got, want, len) == 0) {
        return;
    }
    for (i = 0; got_bytes[i] == want_bytes[i]; i++) {
        /* find the first that differs */
    }
    va_start(ap, fmt);
    where = g_strdup_vprintf(fmt, ap);
    va_end(ap);
    g_error("%s: byte %zu of %zu is %02x, not %02x", where, i, len, got_bytes[i], want_bytes[i]);
}

static inline G_GNUC_PRINTF(4, 5) void expect_all(const void *got, uint8_t want, size_t len, const char *fmt, ...)
{
    const uint8_t *bytes = got;
    g_autofree char *where = NULL;
    va_list ap;
    size_t i;

    for (i = 0; i < len && bytes[i] == want; i++) {
        /* find the first that differs */
    }
    if (i == len) {
        return;
    }
    va_start(ap, fmt);
    where = g_strdup_vprintf(fmt, ap);
    va_end(ap);
    g_error("%s: byte %zu of %zu is %02x, not %02x", where, i, len, bytes[i], want);
}

static inline void expect_hex(const void *got, size_t len, const char *want)
{
    const uint8_t *bytes = got;
    g_autoptr(GString) hex = g_string_sized_new(2 * len);
    size_t i;

    for (i = 0; i < len; i++) {
        g_string_append_printf(hex, "%02x", bytes[i]);
    }
    g_assert_cmpstr(hex->str, ==, want);
}

static inline void expect_sha256(const void *got, size_t len, const char *want)
{
    g_autofree char *digest = g_compute_checksum_for_data(G_CHECKSUM_SHA256, got, len);

    g_assert_cmpstr(digest, ==, want);
}

/* Bytes written as hex in the test itself. Returns their number. */
static inline size_t unhex(uint8_t *to, size_t room, const char *hex)
{
    size_t len = strlen(hex) / 2;
    size_t i;

    g_assert_cmpuint(len, <=, room);
    for (i = 0; i < len; i++) {
        to[i] = g_ascii_xdigit_value(hex[2 * i]) << 4 | g_ascii_xdigit_value(hex[2 * i + 1]);
    }
    return len;
}

/* There must be an Error with exactly this text. It is freed, and *errp is NULL again. */
static inline void expect_error(Error **errp, const char *want)
{
    g_assert_nonnull(*errp);
    g_assert_cmpstr(error_get_pretty(*errp), ==, want);
    error_free(*errp);
    *errp = NULL;
}

static inline G_GNUC_PRINTF(2, 3) void expect_errorf(Error **errp, const char *fmt, ...)
{
    g_autofree char *want = NULL;
    va_list ap;

    va_start(ap, fmt);
    want = g_strdup_vprintf(fmt, ap);
    va_end(ap);
    expect_error(errp, want);
}

/* The ciphers, with lengths as the standards give them, not as the library says. */

typedef struct CipherInfo {
    QCryptoCipherAlgo alg;
    const char *name;
    size_t key_len;
    size_t block_len;
} CipherInfo;

static const CipherInfo cipher_info[QCRYPTO_CIPHER_ALGO__MAX] = {
    { QCRYPTO_CIPHER_ALGO_AES_128, "aes-128", 16, 16 },
    { QCRYPTO_CIPHER_ALGO_AES_192, "aes-192", 24, 16 },
    { QCRYPTO_CIPHER_ALGO_AES_256, "aes-256", 32, 16 },
    { QCRYPTO_CIPHER_ALGO_DES, "des", 8, 8 },
    { QCRYPTO_CIPHER_ALGO_3DES, "3des", 24, 8 },
    { QCRYPTO_CIPHER_ALGO_CAST5_128, "cast5-128", 16, 8 },
    { QCRYPTO_CIPHER_ALGO_SERPENT_128, "serpent-128", 16, 16 },
    { QCRYPTO_CIPHER_ALGO_SERPENT_192, "serpent-192", 24, 16 },
    { QCRYPTO_CIPHER_ALGO_SERPENT_256, "serpent-256", 32, 16 },
    { QCRYPTO_CIPHER_ALGO_TWOFISH_128, "twofish-128", 16, 16 },
    { QCRYPTO_CIPHER_ALGO_TWOFISH_192, "twofish-192", 24, 16 },
    { QCRYPTO_CIPHER_ALGO_TWOFISH_256, "twofish-256", 32, 16 },
    { QCRYPTO_CIPHER_ALGO_SM4, "sm4", 16, 16 },
};

static const char *const cipher_mode_name[QCRYPTO_CIPHER_MODE__MAX] = {
    [QCRYPTO_CIPHER_MODE_ECB] = "ecb",
    [QCRYPTO_CIPHER_MODE_CBC] = "cbc",
    [QCRYPTO_CIPHER_MODE_XTS] = "xts",
    [QCRYPTO_CIPHER_MODE_CTR] = "ctr",
};

/* A cipher in a mode that it has. */
typedef struct Pair {
    QCryptoCipherAlgo alg;
    QCryptoCipherMode mode;
    char name[32];
    size_t key_len; /* of the mode: XTS takes two keys */
    size_t block_len;
    size_t iv_len;
} Pair;

static inline Pair make_pair(QCryptoCipherAlgo alg, QCryptoCipherMode mode)
{
    const CipherInfo *info = &cipher_info[alg];
    Pair pair = {
        .alg = alg,
        .mode = mode,
        .key_len = mode == QCRYPTO_CIPHER_MODE_XTS ? 2 * info->key_len : info->key_len,
        .block_len = info->block_len,
        .iv_len = mode == QCRYPTO_CIPHER_MODE_ECB ? 0 : info->block_len,
    };

    g_snprintf(pair.name, sizeof(pair.name), "%s-%s", info->name, cipher_mode_name[mode]);
    return pair;
}

/* Run a test for every cipher in every mode that it has. */
static inline void for_each_pair(void (*test)(const Pair *pair))
{
    unsigned alg, mode;

    for (alg = 0; alg < QCRYPTO_CIPHER_ALGO__MAX; alg++) {
        for (mode = 0; mode < QCRYPTO_CIPHER_MODE__MAX; mode++) {
            Pair pair = make_pair(alg, mode);

            if (mode != QCRYPTO_CIPHER_MODE_XTS || pair.block_len == 16) {
                test(&pair);
            }
        }
    }
}

/* Objects. A failure here ends the program with the library's own text. */

/* With as much of the key K as the pair takes. */
static inline QCryptoCipher *open_pair(const Pair *pair)
{
    uint8_t key[MAX_KEY_LEN];

    fill(key, pair->key_len, pattern_k);
    return qcrypto_cipher_new(pair->alg, pair->mode, key, pair->key_len, &error_abort);
}

static inline QCryptoCipher *open_cipher(QCryptoCipherAlgo alg, QCryptoCipherMode mode)
{
    Pair pair = make_pair(alg, mode);

    return open_pair(&pair);
}

/* Set an IV that is no palindrome and whose counter carries soon; nothing in ECB. */
static inline void restart(QCryptoCipher *cipher, const Pair *pair)
{
    static const uint8_t iv[MAX_BLOCK_LEN] = {
        0x10, 0x32, 0x54, 0x76, 0x98, 0xba, 0xff, 0xfe, 0x01, 0x23, 0x45, 0x67, 0xff, 0xff, 0xff, 0xf9,
    };

    if (pair->iv_len) {
        /* The last bytes: they make an 8-byte counter carry, too. */
        qcrypto_cipher_setiv(cipher, iv + sizeof(iv) - pair->iv_len, pair->iv_len, &error_abort);
    }
}

static inline void set_hex_iv(QCryptoCipher *cipher, const char *hex)
{
    uint8_t iv[MAX_BLOCK_LEN];
    size_t len = unhex(iv, sizeof(iv), hex);

    qcrypto_cipher_setiv(cipher, iv, len, &error_abort);
}

/* The two directions, as a parameter of tests. */
typedef enum Direction {
    ENCRYPT,
    DECRYPT,
} Direction;

static const char *const direction_name[] = { "encrypt", "decrypt" };

static inline int crypt_data(QCryptoCipher *cipher, Direction direction, const void *in, void *out, size_t len,
                        Error **errp)
{
    return direction == ENCRYPT ? qcrypto_cipher_encrypt(cipher, in, out, len, errp)
                                : qcrypto_cipher_decrypt(cipher, in, out, len, errp);
}

/* Must work. */
static inline void must_encrypt(QCryptoCipher *cipher, const void *in, void *out, size_t len)
{
    g_assert_cmpint(qcrypto_cipher_encrypt(cipher, in, out, len, &error_abort), ==, 0);
}

static inline void must_decrypt(QCryptoCipher *cipher, const void *in, void *out, size_t len)
{
    g_assert_cmpint(qcrypto_cipher_decrypt(cipher, in, out, len, &error_abort), ==, 0);
}

/* What a new object with the key K, restarted, makes of some data. Free with g_free(). */
static inline uint8_t *crypt_fresh(const Pair *pair, Direction direction, const void *in, size_t len)
{
    g_autoptr(QCryptoCipher) cipher = open_pair(pair);
    uint8_t *out = g_malloc(len);

    restart(cipher, pair);
    g_assert_cmpint(crypt_data(cipher, direction, in, out, len, &error_abort), ==, 0);
    return out;
}

/*
 * Valgrind keeps freed memory aside and is slow: tests of memory use mean nothing in it, and long loops take minutes.
 * Its tools preload a library of theirs, which shows.
 */
static inline bool in_valgrind(void)
{
    const char *preloaded = g_getenv("LD_PRELOAD");

    return preloaded && strstr(preloaded, "vgpreload");
}

#endif /* C_TESTS_CIPHER_UTIL_H */
