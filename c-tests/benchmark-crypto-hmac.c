/*
 * Throughput of HMAC as a C caller gets it, each chunk a message, all with the one key of one object.
 *
 *     benchmark-crypto-hmac [algorithm] [chunk]
 *
 * SPDX-License-Identifier: MIT OR Apache-2.0
 */
#define _POSIX_C_SOURCE 200809L
#define PROGRAM "benchmark-crypto-hmac"

#include "benchmark-hash.h"
#include "crypto/hmac.h"

#define KEY_LEN 32

static double measure(QCryptoHashAlgo alg, const char *name, const uint8_t *message, size_t chunk, uint64_t chunks)
{
    uint8_t digest[LARGEST_DIGEST];
    size_t len = qcrypto_hash_digest_len(alg);
    uint8_t *key = buffer(KEY_LEN, 3);
    Error *err = NULL;
    QCryptoHmac *hmac = qcrypto_hmac_new(alg, key, KEY_LEN, &err);
    if (!hmac) {
        fail(name, err);
    }

    double start = seconds_now();
    for (uint64_t i = 0; i < chunks; i++) {
        uint8_t *result = digest;
        if (qcrypto_hmac_bytes(hmac, message, chunk, &result, &len, &err) < 0) {
            fail(name, err);
        }
    }
    double seconds = seconds_now() - start;

    qcrypto_hmac_free(hmac);
    free(key);
    return seconds;
}

int main(int argc, char **argv)
{
    static const Benchmark hmac = { "hmac", qcrypto_hmac_supports, measure };
    return run(argc, argv, &hmac);
}
