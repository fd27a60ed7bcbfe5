/*
 * Throughput of the ciphers as a C caller gets it, in the words of QEMU's benchmark of the same name.
 *
 *     benchmark-crypto-cipher [mode] [chunk]
 *
 * 2 GiB go through each case and direction; QCRYPTO_BENCH_SIZE (bytes, or with K, M or G) lowers that. The amount is
 * fixed, not the time: asking for the time in the loop would cost a small chunk more than its encryption.
 *
 * SPDX-License-Identifier: MIT OR Apache-2.0
 */
#define _POSIX_C_SOURCE 200809L

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "crypto/cipher.h"
#include "qapi/error.h"

#define MIB 1048576.0
#define ALIGNMENT 4096
#define LARGEST_CHUNK ((size_t)16 << 20)
#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static const struct {
    const char *name;
    QCryptoCipherMode mode;
} modes[] = {
    { "ecb", QCRYPTO_CIPHER_MODE_ECB },
    { "cbc", QCRYPTO_CIPHER_MODE_CBC },
    { "ctr", QCRYPTO_CIPHER_MODE_CTR },
    { "xts", QCRYPTO_CIPHER_MODE_XTS },
};

static const struct {
    const char *name;
    QCryptoCipherAlgo algo;
} algorithms[] = {
    { "aes-128", QCRYPTO_CIPHER_ALGO_AES_128 },
    { "aes-192", QCRYPTO_CIPHER_ALGO_AES_192 },
    { "aes-256", QCRYPTO_CIPHER_ALGO_AES_256 },
};

static const size_t default_chunks[] = { 512, 4096, 16384, 65536 };

typedef int (*Crypt)(QCryptoCipher *, const void *, void *, size_t, Error **);

/* One line that says what is wrong, and the status of a wrong command line. */
static void usage_error(const char *what, const char *value)
{
    fprintf(stderr, "benchmark-crypto-cipher: %s: '%s'\n", what, value);
    exit(2);
}

static void fail(const char *name, Error *err)
{
    fprintf(stderr, "benchmark-crypto-cipher: %s: %s\n", name, error_get_pretty(err));
    error_free(err);
    exit(1);
}

/* A positive number of bytes with an optional K, M or G; 0 if the text is none. */
static uint64_t parse_size(const char *text)
{
    static const char suffixes[] = "KMG";
    char *end;

    if (*text < '0' || *text > '9') {
        return 0;
    }
    errno = 0;
    uint64_t size = strtoull(text, &end, 10);
    if (errno) {
        return 0;
    }
    const char *suffix = *end ? strchr(suffixes, *end) : NULL;
    if (suffix) {
        unsigned shift = 10 * (unsigned)(suffix - suffixes + 1);
        if (size > UINT64_MAX >> shift) {
            return 0;
        }
        size <<= shift;
        end++;
    }
    return *end ? 0 : size;
}

static uint64_t size_to_measure(void)
{
    const char *text = getenv("QCRYPTO_BENCH_SIZE");
    if (!text) {
        return (uint64_t)2 << 30;
    }
    uint64_t size = parse_size(text);
    if (!size) {
        usage_error("QCRYPTO_BENCH_SIZE is no number of bytes", text);
    }
    return size;
}

static void *buffer(size_t len, uint8_t seed)
{
    uint8_t *bytes = aligned_alloc(ALIGNMENT, (len + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT);
    if (!bytes) {
        perror("benchmark-crypto-cipher");
        exit(1);
    }
    for (size_t i = 0; i < len; i++) {
        bytes[i] = (uint8_t)(i * 7 + seed);
    }
    return bytes;
}

static double seconds_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/* A disk layer's loop: each chunk is a sector of its own, with its number for an IV. */
static void measure(QCryptoCipher *cipher, const char *direction, const char *name, Crypt crypt, size_t niv,
                    size_t chunk, uint64_t size)
{
    uint64_t chunks = (size + chunk - 1) / chunk;
    uint8_t *in = buffer(chunk, 1);
    uint8_t *out = buffer(chunk, 2);
    uint8_t iv[16] = { 0 };
    Error *err = NULL;

    double start = seconds_now();
    for (uint64_t sector = 0; sector < chunks; sector++) {
        if (niv) {
            memcpy(iv, &sector, sizeof(sector));
            if (qcrypto_cipher_setiv(cipher, iv, niv, &err) < 0) {
                fail(name, err);
            }
        }
        if (crypt(cipher, in, out, chunk, &err) < 0) {
            fail(name, err);
        }
    }
    double seconds = seconds_now() - start;

    printf("%s(%s) chunk %zu bytes %.2f MB/sec\n", direction, name, chunk,
           (double)chunks * (double)chunk / MIB / seconds);
    fflush(stdout);
    free(in);
    free(out);
}

static void benchmark(size_t a, size_t m, size_t chunk, uint64_t size)
{
    QCryptoCipherAlgo algo = algorithms[a].algo;
    QCryptoCipherMode mode = modes[m].mode;
    char name[32];
    snprintf(name, sizeof(name), "%s-%s", algorithms[a].name, modes[m].name);
    if (!qcrypto_cipher_supports(algo, mode)) {
        fprintf(stderr, "benchmark-crypto-cipher: %s is not supported\n", name);
        return;
    }

    size_t keys = mode == QCRYPTO_CIPHER_MODE_XTS ? 2 : 1;
    size_t nkey = keys * qcrypto_cipher_get_key_len(algo);
    size_t niv = qcrypto_cipher_get_iv_len(algo, mode);
    uint8_t *key = buffer(nkey, 3);
    Error *err = NULL;
    QCryptoCipher *cipher = qcrypto_cipher_new(algo, mode, key, nkey, &err);
    if (!cipher) {
        fail(name, err);
    }
    measure(cipher, "enc", name, qcrypto_cipher_encrypt, niv, chunk, size);
    measure(cipher, "dec", name, qcrypto_cipher_decrypt, niv, chunk, size);
    qcrypto_cipher_free(cipher);
    free(key);
}

static bool is_mode(const char *name)
{
    for (size_t m = 0; m < COUNT(modes); m++) {
        if (!strcmp(modes[m].name, name)) {
            return true;
        }
    }
    return false;
}

int main(int argc, char **argv)
{
    uint64_t size = size_to_measure();
    const char *mode = argc > 1 ? argv[1] : NULL;
    size_t one_chunk = 0;

    if (argc > 3) {
        usage_error("one argument too many", argv[3]);
    }
    if (mode && !is_mode(mode)) {
        usage_error("unknown mode (ecb cbc ctr xts)", mode);
    }
    if (argc > 2) {
        uint64_t chunk = parse_size(argv[2]);
        if (!chunk || chunk > LARGEST_CHUNK || chunk % 16) {
            usage_error("a chunk is a multiple of 16 bytes, at most 16M", argv[2]);
        }
        one_chunk = (size_t)chunk;
    }

    const size_t *chunks = one_chunk ? &one_chunk : default_chunks;
    size_t nchunks = one_chunk ? 1 : COUNT(default_chunks);
    for (size_t m = 0; m < COUNT(modes); m++) {
        if (mode && strcmp(modes[m].name, mode)) {
            continue;
        }
        for (size_t a = 0; a < COUNT(algorithms); a++) {
            for (size_t c = 0; c < nchunks; c++) {
                benchmark(a, m, chunks[c], size);
            }
        }
    }
    return 0;
}
