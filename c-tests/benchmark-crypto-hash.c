/*
 * Throughput of the hashes as a C caller gets it, each chunk a message with its digest in a buffer of the caller's.
 *
 *     benchmark-crypto-hash [algorithm] [chunk]
 *
 * SPDX-License-Identifier: MIT OR Apache-2.0
 */
#define _POSIX_C_SOURCE 200809L
#define PROGRAM "benchmark-crypto-hash"

#include "benchmark-hash.h"

static bool supports(QCryptoHashAlgo alg)
{
    return qcrypto_hash_supports(alg);
}

static double measure(QCryptoHashAlgo alg, const char *name, const uint8_t *message, size_t chunk, uint64_t chunks)
{
    uint8_t digest[LARGEST_DIGEST];
    size_t len = qcrypto_hash_digest_len(alg);
    Error *err = NULL;

    double start = seconds_now();
    for (uint64_t i = 0; i < chunks; i++) {
        uint8_t *result = digest;
        if (qcrypto_hash_bytes(alg, message, chunk, &result, &len, &err) < 0) {
            fail(name, err);
        }
    }
    return seconds_now() - start;
}

int main(int argc, char **argv)
{
    static const Benchmark hash = { "hash", supports, measure };
    return run(argc, argv, &hash);
}
