/*
 * What the benchmarks of hashes and of HMAC share: the command line, and every case of it.
 *
 * SPDX-License-Identifier: MIT OR Apache-2.0
 */
#ifndef C_TESTS_BENCHMARK_HASH_H
#define C_TESTS_BENCHMARK_HASH_H

#include <stdbool.h>

#include "benchmark.h"
#include "crypto/hash.h"

#define LARGEST_DIGEST 64

/* Those that are measured where none is named stand first. */
static const struct {
    const char *name;
    QCryptoHashAlgo alg;
} hashes[] = {
    { "sha1", QCRYPTO_HASH_ALGO_SHA1 },     { "sha256", QCRYPTO_HASH_ALGO_SHA256 },
    { "sha512", QCRYPTO_HASH_ALGO_SHA512 }, { "md5", QCRYPTO_HASH_ALGO_MD5 },
    { "sha224", QCRYPTO_HASH_ALGO_SHA224 }, { "sha384", QCRYPTO_HASH_ALGO_SHA384 },
    { "sm3", QCRYPTO_HASH_ALGO_SM3 },       { "ripemd160", QCRYPTO_HASH_ALGO_RIPEMD160 },
};

#define DEFAULT_HASHES 3

typedef struct {
    const char *what;
    bool (*supports)(QCryptoHashAlgo alg);
    /* Seconds that so many chunks take, each a message. */
    double (*measure)(QCryptoHashAlgo alg, const char *name, const uint8_t *message, size_t chunk, uint64_t chunks);
} Benchmark;

static void benchmark(const Benchmark *benchmark, size_t h, size_t chunk, uint64_t size)
{
    QCryptoHashAlgo alg = hashes[h].alg;
    const char *name = hashes[h].name;
    if (!benchmark->supports(alg)) {
        fprintf(stderr, PROGRAM ": %s is not supported\n", name);
        return;
    }
    uint64_t chunks = chunks_of(size, chunk);
    uint8_t *message = buffer(chunk, 1);
    double seconds = benchmark->measure(alg, name, message, chunk, chunks);
    report(benchmark->what, name, chunk, chunks, seconds);
    free(message);
}

/* The number of the hash that is called so, or the number of hashes. */
static size_t find_hash(const char *name)
{
    size_t h = 0;
    while (h < COUNT(hashes) && strcmp(hashes[h].name, name)) {
        h++;
    }
    return h;
}

/* [algorithm] [chunk], or the chunk alone as QEMU's benchmarks have it. */
static int run(int argc, char **argv, const Benchmark *which)
{
    uint64_t size = size_to_measure();
    size_t first = 0, last = DEFAULT_HASHES;
    const size_t *chunks = default_chunks;
    size_t nchunks = COUNT(default_chunks);
    size_t one_chunk;
    int next = 1;

    if (next < argc && (argv[next][0] < '0' || argv[next][0] > '9')) {
        first = find_hash(argv[next]);
        if (first == COUNT(hashes)) {
            usage_error("unknown hash (md5 sha1 sha224 sha256 sha384 sha512 ripemd160 sm3)", argv[next]);
        }
        last = first + 1;
        next++;
    }
    if (next < argc) {
        uint64_t chunk = parse_size(argv[next]);
        if (!chunk || chunk > LARGEST_CHUNK) {
            usage_error("a chunk has 1 byte at least and 16M at most", argv[next]);
        }
        one_chunk = (size_t)chunk;
        chunks = &one_chunk;
        nchunks = 1;
        next++;
    }
    if (next < argc) {
        usage_error("one argument too many", argv[next]);
    }
    for (size_t h = first; h < last; h++) {
        for (size_t c = 0; c < nchunks; c++) {
            benchmark(which, h, chunks[c], size);
        }
    }
    return 0;
}

#endif
