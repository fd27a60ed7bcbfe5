/*
 * Libraries that are none: they have the names inside that the real ones have, do arithmetic in place of ciphers, and
 * write down what they were asked for. Each exports one variable, through which a test tells it what to be and reads what
 * it wrote.
 *
 * SPDX-License-Identifier: MIT OR Apache-2.0
 */
#ifndef C_TESTS_FAKES_H
#define C_TESTS_FAKES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    FAKE_BLOCK = 16,
    FAKE_DIGEST = 32,
};

/* A key as the fakes keep it: they look no further than at a block of it. */
typedef struct FakeKey {
    bool decrypts;
    uint8_t bytes[FAKE_BLOCK];
} FakeKey;

/* What the fakes' own modes do to a byte, which no cipher of theirs does. */
static inline uint8_t fake_xts(uint8_t byte)
{
    return byte ^ 0xf0;
}

/* Their ECB. */
static inline void fake_blocks(const FakeKey *key, size_t len, uint8_t *to, const uint8_t *from)
{
    size_t i;

    for (i = 0; i < len; i++) {
        uint8_t summand = key->bytes[i % FAKE_BLOCK];

        to[i] = from[i] + (key->decrypts ? -summand : summand);
    }
}

/* fake_nettle of libnettle.so.8 or .9 */
typedef struct FakeNettle {
    /* To be set by fake_nettle_be(). */
    int major;
    /* After so many parts of messages, the process ends with success. */
    unsigned long long updates_left;
    /* Calls. */
    unsigned keys, blocks, cbc, cbc_aes, ctr, xts_encrypt, xts_decrypt, digests, pbkdf2;
    /* Of the last call of XTS. */
    size_t len;
    uint8_t iv[FAKE_BLOCK], data_key[FAKE_BLOCK], tweak_key[FAKE_BLOCK];
    /* The first thing that was wrong with a call, or NULL. */
    const char *wrong;
} FakeNettle;

/* Takes the shape of a major version. */
typedef void FakeNettleBe(int major);

/* fake_gcrypt of libgcrypt.so.20 */
typedef struct FakeGcrypt {
    /* To be set. */
    bool finished, in_fips_mode, without_xts, without_weak_keys, weak_key, failing;
    int refused_algorithm;
    /* The controls that were called. */
    int controls[64];
    size_t n_controls;
    /* Ciphers opened in each mode, and those that are open. */
    unsigned opened[16];
    int open;
    /* Calls in XTS, and those that had an IV set before them. */
    unsigned xts, set_ivs;
    /* The first thing that was wrong with a call, or NULL. */
    const char *wrong;
} FakeGcrypt;

#endif
