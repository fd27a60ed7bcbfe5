/*
 * What the cipher API does to memory: nothing outside of its buffers, no leak, and no key left behind
 *
 * SPDX-License-Identifier: MIT OR Apache-2.0
 */
#include <fcntl.h>
#include <glib.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#if defined(__has_include)
#if __has_include(<valgrind/memcheck.h>)
#include <valgrind/memcheck.h>
#define HAVE_MEMCHECK 1
#endif
#endif

/* GCC's way to say that the address sanitizer is there, and clang's. */
#if defined(__SANITIZE_ADDRESS__)
#define ADDRESS_SANITIZER 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define ADDRESS_SANITIZER 1
#endif
#endif

#include "crypto/cipher.h"
#include "crypto/hmac.h"
#include "crypto/ivgen.h"
#include "crypto/pbkdf.h"
#include "qapi/error.h"

#include "cipher-util.h"

/* --- X1: guard pages --- */

/* The lengths to try: one block up to a page. */
#define MAX_LEN ((size_t)4096)

/* Memory with a page on either side that cannot be touched. */
typedef struct Guarded {
    uint8_t *start;
    uint8_t *end;
} Guarded;

static Guarded guarded_new(void)
{
    const size_t page = sysconf(_SC_PAGESIZE);
    const size_t inner = (MAX_LEN + page - 1) / page * page;
    uint8_t *all = mmap(NULL, inner + 2 * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    g_assert_true(all != MAP_FAILED);
    g_assert_cmpint(mprotect(all + page, inner, PROT_READ | PROT_WRITE), ==, 0);
    return (Guarded) { .start = all + page, .end = all + page + inner };
}

static void guarded_free(Guarded *guarded)
{
    const size_t page = sysconf(_SC_PAGESIZE);

    g_assert_cmpint(munmap(guarded->start - page, guarded->end - guarded->start + 2 * page), ==, 0);
}

/* Room for `len` bytes that begins where the memory begins, or ends where it ends. */
static uint8_t *guarded_place(const Guarded *guarded, bool at_end, size_t len)
{
    return at_end ? guarded->end - len : guarded->start;
}

typedef struct GuardedBuffers {
    Guarded key, iv, in, out;
} GuardedBuffers;

/*
 * One length, the buffers at one end of their memory, out of place and then in place. `plaintext` and `want` are a
 * page's worth: in each mode, a shorter message's answer is the beginning of a longer one's.
 */
static void check_guarded_len(const Pair *pair, const GuardedBuffers *buffers, QCryptoCipher *cipher,
                              Direction direction, bool at_end, size_t len, const uint8_t *plaintext,
                              const uint8_t *want)
{
    uint8_t *in = guarded_place(&buffers->in, at_end, len);
    uint8_t *out = guarded_place(&buffers->out, at_end, len);
    uint8_t *iv = guarded_place(&buffers->iv, at_end, pair->iv_len);

    memcpy(in, plaintext, len);
    if (pair->iv_len) {
        qcrypto_cipher_setiv(cipher, iv, pair->iv_len, &error_abort);
    }
    g_assert_cmpint(crypt_data(cipher, direction, in, out, len, &error_abort), ==, 0);
    expect_bytes(out, want, len, "%s %s of %zu bytes", pair->name, direction_name[direction], len);
    expect_bytes(in, plaintext, len, "input of %s %s of %zu bytes", pair->name, direction_name[direction], len);

    if (pair->iv_len) {
        qcrypto_cipher_setiv(cipher, iv, pair->iv_len, &error_abort);
    }
    g_assert_cmpint(crypt_data(cipher, direction, in, in, len, &error_abort), ==, 0);
    expect_bytes(in, want, len, "%s %s in place of %zu bytes", pair->name, direction_name[direction], len);
}

/*
 * The length to try after this one. All of them for AES, which has kernels of several widths; for the slower ciphers
 * all up to 64 blocks, which is more than a kernel takes at once, and then some of each remainder.
 */
static size_t next_len(const Pair *pair, size_t len)
{
    bool all = pair->alg <= QCRYPTO_CIPHER_ALGO_AES_256 || g_getenv("QCRYPTO_TEST_SLOW");
    size_t blocks = 1;

    if (in_valgrind()) {
        blocks = 37;
    } else if (!all && len > 64 * pair->block_len) {
        blocks = 11;
    }
    return len + blocks * pair->block_len;
}

static void check_guarded(const Pair *pair)
{
    GuardedBuffers buffers = { guarded_new(), guarded_new(), guarded_new(), guarded_new() };
    g_autofree uint8_t *plaintext = filled(MAX_LEN, pattern_sec);
    g_autofree uint8_t *want = g_malloc(MAX_LEN);
    int direction, at_end;
    size_t len;

    for (at_end = 0; at_end < 2; at_end++) {
        uint8_t *key = guarded_place(&buffers.key, at_end, pair->key_len);
        uint8_t *iv = guarded_place(&buffers.iv, at_end, pair->iv_len);

        fill(key, pair->key_len, pattern_k);
        fill(iv, pair->iv_len, pattern_d1);
        for (direction = ENCRYPT; direction <= DECRYPT; direction++) {
            g_autoptr(QCryptoCipher) cipher =
                qcrypto_cipher_new(pair->alg, pair->mode, key, pair->key_len, &error_abort);

            if (pair->iv_len) {
                qcrypto_cipher_setiv(cipher, iv, pair->iv_len, &error_abort);
            }
            g_assert_cmpint(crypt_data(cipher, direction, plaintext, want, MAX_LEN, &error_abort), ==, 0);
            for (len = pair->block_len; len <= MAX_LEN; len = next_len(pair, len)) {
                check_guarded_len(pair, &buffers, cipher, direction, at_end, len, plaintext, want);
            }
        }
    }

    guarded_free(&buffers.key);
    guarded_free(&buffers.iv);
    guarded_free(&buffers.in);
    guarded_free(&buffers.out);
}

static void test_guard_pages(void)
{
    for_each_pair(check_guarded);
}

/* --- L19: leaks --- */

/* Memory that the process has in use, in bytes. */
static size_t resident(void)
{
    unsigned long all, pages;
    FILE *statm = fopen("/proc/self/statm", "r");

    g_assert_nonnull(statm);
    g_assert_cmpint(fscanf(statm, "%lu %lu", &all, &pages), ==, 2);
    fclose(statm);
    return pages * sysconf(_SC_PAGESIZE);
}

static void fail_to_make(void)
{
    static const struct {
        unsigned alg, mode;
        size_t nkey;
    } cases[] = {
        { QCRYPTO_CIPHER_ALGO_AES_256, 9, 32 },
        { 99, QCRYPTO_CIPHER_MODE_CBC, 32 },
        { QCRYPTO_CIPHER_ALGO_AES_256, QCRYPTO_CIPHER_MODE_XTS, 32 },
        { QCRYPTO_CIPHER_ALGO_CAST5_128, QCRYPTO_CIPHER_MODE_XTS, 32 },
        { QCRYPTO_CIPHER_ALGO_DES, QCRYPTO_CIPHER_MODE_XTS, 16 },
    };
    uint8_t key[32] = { 0 };
    size_t i;

    for (i = 0; i < G_N_ELEMENTS(cases); i++) {
        Error *err = NULL;

        g_assert_null(qcrypto_cipher_new(cases[i].alg, cases[i].mode, key, cases[i].nkey, &err));
        g_assert_nonnull(err);
        error_free(err);
        g_assert_null(qcrypto_cipher_new(cases[i].alg, cases[i].mode, key, cases[i].nkey, NULL));
    }
    qcrypto_cipher_free(NULL);
}

/* All that an object can go through, refusals included. */
static void use_pair(const Pair *pair)
{
    g_autoptr(QCryptoCipher) cipher = open_pair(pair);
    uint8_t data[32] = { 0 };

    restart(cipher, pair);
    must_encrypt(cipher, data, data, sizeof(data));
    must_decrypt(cipher, data, data, sizeof(data));
    g_assert_cmpint(qcrypto_cipher_encrypt(cipher, data, data, 1, NULL), ==, -1);
    g_assert_cmpint(qcrypto_cipher_setiv(cipher, data, 1, NULL), ==, -1);
}

static void use_all_pairs(void)
{
    for_each_pair(use_pair);
}

/*
 * Call `work` so often that the smallest leak of malloc's, 32 bytes each time, makes 3 MB: three times what is allowed.
 * Checkers of memory keep freed memory aside, and find leaks themselves.
 */
static void expect_no_leak(void (*work)(void), unsigned calls)
{
    size_t before, after;
    unsigned i;

    if (in_valgrind()) {
        calls /= 100;
    }
    for (i = 0; i < calls / 10; i++) {
        work();
    }
    before = resident();
    for (i = 0; i < calls; i++) {
        work();
    }
    after = resident();

    g_test_message("resident before: %zu KiB, after: %zu KiB", before / KIB, after / KIB);
#ifndef ADDRESS_SANITIZER
    if (!in_valgrind()) {
        g_assert_cmpuint(after, <=, before + MIB);
    }
#endif
}

static void test_failing_new(void)
{
    expect_no_leak(fail_to_make, 100000);
}

static void test_objects(void)
{
    /* 49 objects each time. */
    expect_no_leak(use_all_pairs, 2000);
}

/* --- L20: keys left behind --- */

/*
 * What must not be found, with every byte inverted, so that the list itself is not found: the key K[0..64), and round
 * keys that AES-256 makes of K[0..32) (FIPS 197 section 5.2), those for decryption after InvMixColumns. Then the keys
 * of the calls beside the ciphers', which are other patterns, and what is as good as they are: HMAC's key with its pads
 * (RFC 2104 section 2), the first half of SHA-256's state after each as a little-endian CPU has it, the keys that
 * PBKDF2 makes with the salt "salt" in 100 iterations, and ESSIV's salt, which is the key of its cipher.
 */
typedef struct Secret {
    const char *name;
    uint8_t inverted[16];
} Secret;

static const Secret secrets[] = {
    { "key bytes 0 to 15",
      { 0xfe, 0xfb, 0xf8, 0xf5, 0xf2, 0xef, 0xec, 0xe9, 0xe6, 0xe3, 0xe0, 0xdd, 0xda, 0xd7, 0xd4, 0xd1 } },
    { "key bytes 16 to 31",
      { 0xce, 0xcb, 0xc8, 0xc5, 0xc2, 0xbf, 0xbc, 0xb9, 0xb6, 0xb3, 0xb0, 0xad, 0xaa, 0xa7, 0xa4, 0xa1 } },
    { "key bytes 32 to 47",
      { 0x9e, 0x9b, 0x98, 0x95, 0x92, 0x8f, 0x8c, 0x89, 0x86, 0x83, 0x80, 0x7d, 0x7a, 0x77, 0x74, 0x71 } },
    { "round key 2",
      { 0x95, 0xc2, 0xa0, 0x09, 0x98, 0xd2, 0xb3, 0x1f, 0x81, 0xce, 0xac, 0x3d, 0xa4, 0xe6, 0x87, 0x13 } },
    { "round key 3",
      { 0xf7, 0x1f, 0x74, 0x0b, 0xca, 0x5f, 0x37, 0x4d, 0x83, 0x13, 0x78, 0x1f, 0xd6, 0x4b, 0x23, 0x41 } },
    { "round key 14",
      { 0xdc, 0xe8, 0x67, 0x8c, 0x7f, 0xc0, 0x90, 0x64, 0x80, 0xde, 0x7b, 0x9d, 0x48, 0xe3, 0xe5, 0x6d } },
    { "decryption round key 1",
      { 0x94, 0xbd, 0x82, 0xa3, 0x4e, 0x34, 0xc0, 0xc2, 0x7c, 0x15, 0x4a, 0x3b, 0xc0, 0xf1, 0xde, 0xe7 } },
    { "decryption round key 13",
      { 0x20, 0x4f, 0x6a, 0x65, 0x17, 0x27, 0x3c, 0x72, 0x93, 0xff, 0x93, 0x24, 0xfa, 0x19, 0xad, 0x4a } },
    { "HMAC key bytes 0 to 15",
      { 0xee, 0xd1, 0xb4, 0x97, 0x7a, 0x5d, 0x40, 0x23, 0x06, 0xe9, 0xcc, 0xaf, 0x92, 0x75, 0x58, 0x3b } },
    { "HMAC key bytes 16 to 31",
      { 0x1e, 0x01, 0xe4, 0xc7, 0xaa, 0x8d, 0x70, 0x53, 0x36, 0x19, 0xfc, 0xdf, 0xc2, 0xa5, 0x88, 0x6b } },
    { "HMAC key bytes 32 to 47",
      { 0x4e, 0x31, 0x14, 0xf7, 0xda, 0xbd, 0xa0, 0x83, 0x66, 0x49, 0x2c, 0x0f, 0xf2, 0xd5, 0xb8, 0x9b } },
    { "HMAC key with the inner pad",
      { 0xd8, 0xe7, 0x82, 0xa1, 0x4c, 0x6b, 0x76, 0x15, 0x30, 0xdf, 0xfa, 0x99, 0xa4, 0x43, 0x6e, 0x0d } },
    { "HMAC key with the outer pad",
      { 0xb2, 0x8d, 0xe8, 0xcb, 0x26, 0x01, 0x1c, 0x7f, 0x5a, 0xb5, 0x90, 0xf3, 0xce, 0x29, 0x04, 0x67 } },
    { "HMAC-SHA-256 inner state",
      { 0xc1, 0x7b, 0x2a, 0x19, 0x6b, 0x90, 0xe9, 0xba, 0x57, 0x25, 0x3e, 0xd3, 0xd8, 0xee, 0xa8, 0x17 } },
    { "HMAC-SHA-256 outer state",
      { 0x61, 0x0c, 0x66, 0xc8, 0xc9, 0x5a, 0x8e, 0x20, 0x0d, 0xa1, 0xac, 0xeb, 0x83, 0xda, 0xd5, 0x21 } },
    { "password bytes 0 to 15",
      { 0x9a, 0x6f, 0x44, 0x19, 0xee, 0xc3, 0x98, 0x6d, 0x42, 0x17, 0xec, 0xc1, 0x96, 0x6b, 0x40, 0x15 } },
    { "password bytes 16 to 31",
      { 0xea, 0xbf, 0x94, 0x69, 0x3e, 0x13, 0xe8, 0xbd, 0x92, 0x67, 0x3c, 0x11, 0xe6, 0xbb, 0x90, 0x65 } },
    { "password bytes 32 to 47",
      { 0x3a, 0x0f, 0xe4, 0xb9, 0x8e, 0x63, 0x38, 0x0d, 0xe2, 0xb7, 0x8c, 0x61, 0x36, 0x0b, 0xe0, 0xb5 } },
    { "password with the inner pad",
      { 0xac, 0x59, 0x72, 0x2f, 0xd8, 0xf5, 0xae, 0x5b, 0x74, 0x21, 0xda, 0xf7, 0xa0, 0x5d, 0x76, 0x23 } },
    { "password with the outer pad",
      { 0xc6, 0x33, 0x18, 0x45, 0xb2, 0x9f, 0xc4, 0x31, 0x1e, 0x4b, 0xb0, 0x9d, 0xca, 0x37, 0x1c, 0x49 } },
    { "password's SHA-256 inner state",
      { 0xfa, 0x81, 0x0a, 0xff, 0xa9, 0xd5, 0x5f, 0xe1, 0xab, 0xa4, 0x42, 0xe7, 0xeb, 0x34, 0x52, 0xaf } },
    { "password's SHA-256 outer state",
      { 0x12, 0x1c, 0x13, 0xae, 0x5d, 0x9b, 0x4e, 0x24, 0x6e, 0x7d, 0x57, 0x2f, 0x32, 0x32, 0x41, 0xdf } },
    { "PBKDF2-SHA1 key bytes 0 to 15",
      { 0x46, 0x53, 0xec, 0x1d, 0x3b, 0x58, 0xc0, 0xee, 0xfb, 0x7e, 0xf2, 0x2a, 0xe9, 0x5c, 0x5a, 0xf0 } },
    { "PBKDF2-SHA1 key bytes 16 to 31",
      { 0x51, 0x56, 0xeb, 0x3a, 0x32, 0x47, 0x67, 0xe3, 0x55, 0x6a, 0xaf, 0xb3, 0x0a, 0xd3, 0x58, 0xce } },
    { "PBKDF2-SHA256 key bytes 0 to 15",
      { 0xcb, 0x34, 0xdd, 0xc1, 0x04, 0xfb, 0x59, 0x9a, 0x56, 0x05, 0x7b, 0x76, 0x64, 0x33, 0x91, 0x3c } },
    { "PBKDF2-SHA256 key bytes 16 to 31",
      { 0x68, 0xbc, 0x5b, 0x28, 0x63, 0x0f, 0x75, 0x04, 0xca, 0x2c, 0xa5, 0x09, 0xd4, 0x75, 0xa2, 0x29 } },
    { "PBKDF2-SHA512 key bytes 0 to 15",
      { 0x22, 0xd9, 0x20, 0xa8, 0x94, 0x3f, 0xd7, 0xba, 0x4b, 0x39, 0x52, 0x60, 0xdb, 0xcd, 0x2d, 0x48 } },
    { "PBKDF2-SHA512 key bytes 16 to 31",
      { 0x87, 0x1b, 0xe7, 0xa3, 0x44, 0x0a, 0xcf, 0x7a, 0x81, 0x8f, 0x6f, 0x03, 0x73, 0x5f, 0x2e, 0x2d } },
    { "ESSIV key bytes 0 to 15",
      { 0xc6, 0x91, 0x5c, 0x27, 0xf2, 0xbd, 0x88, 0x53, 0x1e, 0xe9, 0xb4, 0x7f, 0x4a, 0x15, 0xe0, 0xab } },
    { "ESSIV key bytes 16 to 31",
      { 0x76, 0x41, 0x0c, 0xd7, 0xa2, 0x6d, 0x38, 0x03, 0xce, 0x99, 0x64, 0x2f, 0xfa, 0xc5, 0x90, 0x5b } },
    { "ESSIV salt bytes 0 to 15",
      { 0xd5, 0x92, 0x5c, 0x59, 0x07, 0x01, 0xd6, 0x0f, 0x0b, 0xe9, 0xd8, 0x80, 0xe8, 0x54, 0xb9, 0x16 } },
    { "ESSIV salt bytes 16 to 31",
      { 0xfe, 0x1c, 0x99, 0xf3, 0x6a, 0xa0, 0x5f, 0xbc, 0xae, 0x65, 0x89, 0x99, 0xa6, 0x2d, 0x8d, 0xc8 } },
};

enum {
    SECRET_LEN = sizeof(secrets[0].inverted),
    WINDOW_LEN = 64 * 1024,
};

/*
 * The search itself: read() and buffers that exist beforehand, no library call that would overwrite the stack below,
 * where the cipher calls have been.
 */
typedef struct Search {
    int maps_fd;
    int mem_fd;
    char *maps;        /* text of /proc/self/maps */
    size_t maps_room;
    uint8_t *window;   /* a piece of the process's memory */
    unsigned found[G_N_ELEMENTS(secrets)];
    uintptr_t where[G_N_ELEMENTS(secrets)]; /* of the last one found */
} Search;

/* Through a volatile pointer: the compiler cannot leave it out, nor do it with vector registers. */
static void wipe(void *buf, size_t len)
{
    volatile uint8_t *bytes = buf;
    size_t i;

    for (i = 0; i < len; i++) {
        bytes[i] = 0;
    }
}

static void fill_slowly(void *buf, size_t len, Pattern *pattern)
{
    volatile uint8_t *bytes = buf;
    size_t i;

    for (i = 0; i < len; i++) {
        bytes[i] = pattern(i);
    }
}

/* The keys of the calls beside the ciphers'. */

static uint8_t pattern_hmac_key(size_t i)
{
    return 29 * i + 17;
}

static uint8_t pattern_password(size_t i)
{
    return 43 * i + 101;
}

static uint8_t pattern_essiv_key(size_t i)
{
    return 53 * i + 57;
}

static void search_window(Search *search, size_t len, uintptr_t address)
{
    size_t at, secret, i;

    for (at = 0; at + SECRET_LEN <= len; at++) {
        for (secret = 0; secret < G_N_ELEMENTS(secrets); secret++) {
            for (i = 0; i < SECRET_LEN; i++) {
                if ((search->window[at + i] ^ secrets[secret].inverted[i]) != 0xff) {
                    break;
                }
            }
            if (i == SECRET_LEN) {
                search->found[secret]++;
                search->where[secret] = address + at;
            }
        }
    }
}

/* Windows overlap by one byte less than a secret is long. The window is wiped, so that it is not found in itself. */
static void search_range(Search *search, uintptr_t start, uintptr_t end)
{
    while (start < end) {
        size_t len = MIN((size_t)WINDOW_LEN, end - start);
        ssize_t got = pread(search->mem_fd, search->window, len, start);

        if (got < SECRET_LEN) {
            return;
        }
        search_window(search, got, start);
        wipe(search->window, got);
        start += (size_t)got < end - start ? got - (SECRET_LEN - 1) : got;
    }
}

static void read_maps(Search *search)
{
    size_t len = 0;
    ssize_t got;

    g_assert_cmpint(lseek(search->maps_fd, 0, SEEK_SET), ==, 0);
    while ((got = read(search->maps_fd, search->maps + len, search->maps_room - 1 - len)) > 0) {
        len += got;
    }
    g_assert_cmpuint(len, <, search->maps_room - 1);
    search->maps[len] = '\0';
}

/* Look through all memory that can be written: heap, stacks, data. Lines read "START-END rw-p ...". */
static void search_all(Search *search)
{
    const char *line;

    memset(search->found, 0, sizeof(search->found));
    read_maps(search);
    for (line = search->maps; *line; line = strchr(line, '\n') + 1) {
        char *after;
        uintptr_t start = strtoull(line, &after, 16);
        uintptr_t end = strtoull(after + 1, &after, 16);

        if (after[1] == 'r' && after[2] == 'w') {
            search_range(search, start, end);
        }
    }
}

static unsigned report_found(const Search *search, const char *when)
{
    unsigned total = 0;
    size_t i;

    for (i = 0; i < G_N_ELEMENTS(secrets); i++) {
        if (search->found[i]) {
            g_test_message("%s: %s found %u times, last at %#lx, the search's own frame being at %p", when,
                           secrets[i].name, search->found[i], (unsigned long)search->where[i], (void *)&total);
        }
        total += search->found[i];
    }
    return total;
}

static Search *search_new(void)
{
    Search *search = g_new0(Search, 1);

    search->maps_fd = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
    search->mem_fd = open("/proc/self/mem", O_RDONLY | O_CLOEXEC);
    g_assert_cmpint(search->maps_fd, >=, 0);
    g_assert_cmpint(search->mem_fd, >=, 0);
    search->maps_room = 256 * KIB;
    search->maps = g_malloc0(search->maps_room);
    search->window = g_malloc0(WINDOW_LEN);
    return search;
}

static void search_free(Search *search)
{
    close(search->maps_fd);
    close(search->mem_fd);
    g_free(search->maps);
    g_free(search->window);
    g_free(search);
}

/*
 * An object's whole life, and a refused one, with a key that exists only meanwhile. What the object does last is what
 * the stack shows afterwards. Searched before the end if asked for.
 */
static void live_and_die(const Pair *pair, Pattern *pattern, Direction last, size_t len, Search *search)
{
    uint8_t *key = g_malloc(MAX_KEY_LEN + 1);
    uint8_t *data = g_malloc0(len);
    QCryptoCipher *cipher;

    fill_slowly(key, MAX_KEY_LEN + 1, pattern);
    cipher = qcrypto_cipher_new(pair->alg, pair->mode, key, MAX_KEY_LEN + 1, NULL);
    g_assert_null(cipher);
    cipher = qcrypto_cipher_new(pair->alg, pair->mode, key, pair->key_len, NULL);
    wipe(key, MAX_KEY_LEN + 1);
    g_free(key);

    g_assert_nonnull(cipher);
    restart(cipher, pair);
    crypt_data(cipher, last == ENCRYPT ? DECRYPT : ENCRYPT, data, data, len, &error_abort);
    crypt_data(cipher, last, data, data, len, &error_abort);
    if (search) {
        search_all(search);
    }
    qcrypto_cipher_free(cipher);
    g_free(data);
}

/* Whether memory can be searched here. Sanitizers map terabytes, valgrind keeps registers in memory. */
static bool can_search(void)
{
#ifdef ADDRESS_SANITIZER
    g_test_skip("the address sanitizer maps more memory than can be searched");
    return false;
#endif
    if (in_valgrind()) {
        g_test_skip("valgrind keeps the registers of the program in the memory that is searched");
        return false;
    }
    return true;
}

/* The search finds a key that was put there for it, across a window's edge as well, and none that was wiped. */
static void test_search_itself(void)
{
    Search *search;
    uint8_t *planted;
    size_t secret, i;

    if (!can_search()) {
        return;
    }
    search = search_new();
    planted = g_malloc0(3 * WINDOW_LEN);

    search_all(search);
    g_assert_cmpuint(report_found(search, "before"), ==, 0);

    fill_slowly(planted + 12345, 32, pattern_k);
    search_all(search);
    g_assert_cmpuint(search->found[0], ==, 1);
    g_assert_cmpuint(search->found[1], ==, 1);
    g_assert_cmphex(search->where[0], ==, (uintptr_t)planted + 12345);

    /* Every place in a window that there is, in steps that come by its edges. */
    wipe(planted, 3 * WINDOW_LEN);
    fill_slowly(planted + WINDOW_LEN - 7, 32, pattern_k);
    search_range(search, (uintptr_t)planted, (uintptr_t)planted + 3 * WINDOW_LEN);
    g_assert_cmpuint(search->found[0], ==, 2);
    g_assert_cmphex(search->where[0], ==, (uintptr_t)planted + WINDOW_LEN - 7);

    wipe(planted, 3 * WINDOW_LEN);
    search_all(search);
    g_assert_cmpuint(report_found(search, "after"), ==, 0);

    /* Each secret of the list. */
    for (secret = 0; secret < G_N_ELEMENTS(secrets); secret++) {
        for (i = 0; i < SECRET_LEN; i++) {
            ((volatile uint8_t *)planted)[100 * secret + i] = secrets[secret].inverted[i] ^ 0xff;
        }
    }
    search_all(search);
    wipe(planted, 3 * WINDOW_LEN);
    for (secret = 0; secret < G_N_ELEMENTS(secrets); secret++) {
        g_assert_cmpuint(search->found[secret], ==, 1);
        g_assert_cmphex(search->where[secret], ==, (uintptr_t)planted + 100 * secret);
    }

    g_free(planted);
    search_free(search);
}

static void test_keys_left(const void *opaque)
{
    /* A single block, what is left of a run of blocks, and a sector may each be another kernel's. */
    static const size_t lens[] = { 16, 48, 512 };
    Pair pair = make_pair(QCRYPTO_CIPHER_ALGO_AES_256, GPOINTER_TO_INT(opaque));
    Search *search;
    unsigned found = 0;
    int last;
    size_t i;

    if (!can_search()) {
        return;
    }
    search = search_new();

    /* Once with another key: what the first call of a function leaves in memory, such as the work of the dynamic
     * linker, which saves registers, shall not count. */
    live_and_die(&pair, pattern_d1, ENCRYPT, 512, search);

    for (last = ENCRYPT; last <= DECRYPT; last++) {
        for (i = 0; i < G_N_ELEMENTS(lens); i++) {
            g_autofree char *when = g_strdup_printf("after %s of %zu bytes and free", direction_name[last], lens[i]);

            live_and_die(&pair, pattern_k, last, lens[i], NULL);
            search_all(search);
            found += report_found(search, when);
        }
    }
    g_assert_cmpuint(found, ==, 0);
    search_free(search);
}

/* What serves the pair. The key is not one that is looked for. */
static const char *backend_of(const Pair *pair)
{
    uint8_t key[MAX_KEY_LEN];
    QCryptoCipher *cipher;
    const char *backend;

    fill(key, sizeof(key), pattern_d1);
    cipher = qcrypto_cipher_new(pair->alg, pair->mode, key, pair->key_len, &error_abort);
    backend = qcrypto_cipher_get_backend(cipher);
    qcrypto_cipher_free(cipher);
    return backend;
}

/* Another control: while an object lives, its key schedule is found, where kernels have it as it is in the standard. */
static void test_keys_alive(const void *opaque)
{
    static const char *const as_in_standard[] = {
        "native/aesni", "native/vaes256", "native/vaes512", "native/aarch64-ce", NULL
    };
    Pair pair = make_pair(QCRYPTO_CIPHER_ALGO_AES_256, GPOINTER_TO_INT(opaque));
    const char *backend = backend_of(&pair);
    Search *search;

    if (!can_search()) {
        return;
    }
    if (!g_strv_contains(as_in_standard, backend)) {
        g_autofree char *why = g_strdup_printf("this CPU or build has no kernel of which this test knows the key schedule: "
                                               "it has %s", backend);
        g_test_skip(why);
        return;
    }
    search = search_new();
    live_and_die(&pair, pattern_k, ENCRYPT, 512, search);
    g_assert_cmpuint(report_found(search, "while it lives"), >, 0);
    search_free(search);
}

/* An HMAC object's life, with a message long enough for every loop. Searched while the caller has its key, if asked. */
static void live_hmac(QCryptoHashAlgo alg, Pattern *pattern, Search *search)
{
    enum { LEN = 1000 };
    uint8_t *key = g_malloc(48), *msg = g_malloc0(LEN), *mac = NULL;
    size_t len = 0;
    QCryptoHmac *hmac;

    fill_slowly(key, 48, pattern);
    hmac = qcrypto_hmac_new(alg, key, 48, &error_abort);
    if (search) {
        search_all(search);
    }
    wipe(key, 48);
    g_free(key);

    g_assert_cmpint(qcrypto_hmac_bytes(hmac, msg, LEN, NULL, NULL, &error_abort), ==, 0);
    g_assert_cmpint(qcrypto_hmac_bytes(hmac, msg, LEN, &mac, &len, &error_abort), ==, 0);
    qcrypto_hmac_free(hmac);
    g_free(mac);
    g_free(msg);
}

static void live_pbkdf2(QCryptoHashAlgo alg, Pattern *pattern, Search *search)
{
    uint8_t *password = g_malloc(48), *key = g_malloc0(32);

    fill_slowly(password, 48, pattern);
    qcrypto_pbkdf2(alg, password, 48, (const uint8_t *)"salt", 4, 100, key, 32, &error_abort);
    if (search) {
        search_all(search);
    }
    wipe(password, 48);
    wipe(key, 32);
    g_free(password);
    g_free(key);
}

static void live_essiv(QCryptoHashAlgo alg, Pattern *pattern, Search *search)
{
    uint8_t *key = g_malloc(32), iv[16];
    QCryptoIVGen *ivgen;
    uint64_t sector;

    fill_slowly(key, 32, pattern);
    ivgen = qcrypto_ivgen_new(QCRYPTO_IV_GEN_ALGO_ESSIV, QCRYPTO_CIPHER_ALGO_AES_256, alg, key, 32, &error_abort);
    if (search) {
        search_all(search);
    }
    wipe(key, 32);
    g_free(key);

    for (sector = 0; sector < 10; sector++) {
        g_assert_cmpint(qcrypto_ivgen_calculate(ivgen, sector, iv, sizeof(iv), &error_abort), ==, 0);
    }
    qcrypto_ivgen_free(ivgen);
}

typedef struct FamilyKey {
    const char *name;
    void (*live)(QCryptoHashAlgo alg, Pattern *pattern, Search *search);
    Pattern *pattern;
    const char *secret; /* how those of the list begin that the caller has */
    QCryptoHashAlgo hashes[QCRYPTO_HASH_ALGO__MAX + 1]; /* up to __MAX */
} FamilyKey;

static const FamilyKey family_keys[] = {
    { "/crypto/memory/L20-keys-left-hmac", live_hmac, pattern_hmac_key, "HMAC key bytes",
      { QCRYPTO_HASH_ALGO_SHA256, QCRYPTO_HASH_ALGO_SHA1, QCRYPTO_HASH_ALGO_SHA512, QCRYPTO_HASH_ALGO_MD5,
        QCRYPTO_HASH_ALGO_RIPEMD160, QCRYPTO_HASH_ALGO_SM3, QCRYPTO_HASH_ALGO__MAX } },
    { "/crypto/memory/L20-keys-left-pbkdf2", live_pbkdf2, pattern_password, "password bytes",
      { QCRYPTO_HASH_ALGO_SHA256, QCRYPTO_HASH_ALGO_SHA1, QCRYPTO_HASH_ALGO_SHA512, QCRYPTO_HASH_ALGO_MD5,
        QCRYPTO_HASH_ALGO__MAX } },
    /* Of those with a digest of 32 bytes, which AES-256 takes. */
    { "/crypto/memory/L20-keys-left-essiv", live_essiv, pattern_essiv_key, "ESSIV key bytes",
      { QCRYPTO_HASH_ALGO_SHA256, QCRYPTO_HASH_ALGO_SM3, QCRYPTO_HASH_ALGO__MAX } },
};

static void test_family_keys_left(const void *opaque)
{
    const FamilyKey *family = opaque;
    const QCryptoHashAlgo *alg;
    Search *search;
    unsigned found = 0;
    size_t i;

    if (!can_search()) {
        return;
    }
    search = search_new();

    for (alg = family->hashes; *alg != QCRYPTO_HASH_ALGO__MAX; alg++) {
        g_autofree char *when = g_strdup_printf("after the life of a key with hash %d", *alg);

        /* As for ciphers, once with another key. */
        family->live(*alg, pattern_d1, search);
        family->live(*alg, family->pattern, NULL);
        search_all(search);
        found += report_found(search, when);
    }
    g_assert_cmpuint(found, ==, 0);

    /* A control: the caller's own key is found while the caller has it. */
    family->live(family->hashes[0], family->pattern, search);
    report_found(search, "while it lives");
    for (i = 0; i < G_N_ELEMENTS(secrets); i++) {
        if (g_str_has_prefix(secrets[i].name, family->secret)) {
            found++;
            g_assert_cmpuint(search->found[i], >, 0);
        }
    }
    g_assert_cmpuint(found, >, 1);
    search_free(search);
}

/* --- X17: branches on secrets --- */

#ifdef HAVE_MEMCHECK
/*
 * Under valgrind, with all of the key marked as undefined, memcheck reports each branch and address that depends on it,
 * and so on the tweaks of XTS, which the key makes. IVs and counters are no secret: a sector's number is known. AES alone:
 * some of the other ciphers use tables, and say so in SECURITY.md.
 */
static void test_no_branch(void)
{
    static const size_t lens[] = { 16, 32, 512 };
    unsigned alg, mode, errors = VALGRIND_COUNT_ERRORS;

    for (alg = QCRYPTO_CIPHER_ALGO_AES_128; alg <= QCRYPTO_CIPHER_ALGO_AES_256; alg++) {
        for (mode = 0; mode < QCRYPTO_CIPHER_MODE__MAX; mode++) {
            Pair pair = make_pair(alg, mode);
            uint8_t key[MAX_KEY_LEN], iv[MAX_BLOCK_LEN] = { 0x80 }, data[512] = { 0 }, undefined[512];
            QCryptoCipher *cipher;
            size_t i;

            fill(key, sizeof(key), pattern_k);
            VALGRIND_MAKE_MEM_UNDEFINED(key, sizeof(key));
            cipher = qcrypto_cipher_new(alg, mode, key, pair.key_len, &error_abort);
            if (pair.iv_len) {
                qcrypto_cipher_setiv(cipher, iv, pair.iv_len, &error_abort);
            }
            for (i = 0; i < G_N_ELEMENTS(lens); i++) {
                must_encrypt(cipher, data, data, lens[i]);
                must_decrypt(cipher, data, data, lens[i]);
            }
            qcrypto_cipher_free(cipher);
            /* Else it would be a test of a library that ignores its key. */
            VALGRIND_GET_VBITS(data, undefined, sizeof(data));
            expect_all(undefined, 0xff, sizeof(undefined), "undefined bits of %s", pair.name);
        }
    }
    g_assert_cmpuint(VALGRIND_COUNT_ERRORS, ==, errors);
}
#endif

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        const char *control;
        QCryptoCipherMode mode;
    } modes[] = {
        { "/crypto/memory/L20-keys-left-ecb", "/crypto/memory/L20-keys-alive-ecb", QCRYPTO_CIPHER_MODE_ECB },
        { "/crypto/memory/L20-keys-left-cbc", "/crypto/memory/L20-keys-alive-cbc", QCRYPTO_CIPHER_MODE_CBC },
        { "/crypto/memory/L20-keys-left-xts", "/crypto/memory/L20-keys-alive-xts", QCRYPTO_CIPHER_MODE_XTS },
        { "/crypto/memory/L20-keys-left-ctr", "/crypto/memory/L20-keys-alive-ctr", QCRYPTO_CIPHER_MODE_CTR },
    };
    size_t i;

    g_test_init(&argc, &argv, NULL);

    /* First, while nothing else has used the key that it looks for. */
    g_test_add_func("/crypto/memory/L20-search-itself", test_search_itself);
    for (i = 0; i < G_N_ELEMENTS(modes); i++) {
        g_test_add_data_func(modes[i].name, GINT_TO_POINTER(modes[i].mode), test_keys_left);
        g_test_add_data_func(modes[i].control, GINT_TO_POINTER(modes[i].mode), test_keys_alive);
    }
    for (i = 0; i < G_N_ELEMENTS(family_keys); i++) {
        g_test_add_data_func(family_keys[i].name, &family_keys[i], test_family_keys_left);
    }
    g_test_add_func("/crypto/memory/X1-guard-pages", test_guard_pages);
    g_test_add_func("/crypto/memory/L19-failing-new", test_failing_new);
    g_test_add_func("/crypto/memory/L19-objects", test_objects);
#ifdef HAVE_MEMCHECK
    /* Elsewhere it would test nothing. */
    if (RUNNING_ON_VALGRIND) {
        g_test_add_func("/crypto/memory/X17-no-branch", test_no_branch);
    }
#endif
    return g_test_run();
}
