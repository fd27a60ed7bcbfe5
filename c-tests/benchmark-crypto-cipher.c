/*
 * Throughput of the ciphers as a C caller gets it, in the words of QEMU's benchmark of the same name.
 *
 *     benchmark-crypto-cipher [mode] [chunk]
 *
 * SPDX-License-Identifier: MIT OR Apache-2.0
 */
#define _POSIX_C_SOURCE 200809L
#define PROGRAM "benchmark-crypto-cipher"

#include <stdbool.h>

#include "benchmark.h"
#include "crypto/cipher.h"

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

typedef int (*Crypt)(QCryptoCipher *, const void *, void *, size_t, Error **);

/* A disk layer's loop: each chunk is a sector of its own, with its number for an IV. */
static void measure(QCryptoCipher *cipher, const char *direction, const char *name, Crypt crypt, size_t niv,
                    size_t chunk, uint64_t size)
{
    uint64_t chunks = chunks_of(size, chunk);
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

    report(direction, name, chunk, chunks, seconds);
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
        fprintf(stderr, PROGRAM ": %s is not supported\n", name);
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
