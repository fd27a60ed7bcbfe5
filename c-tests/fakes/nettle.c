/*
 * A fake of Nettle. FAKE_WITHOUT_XTS leaves out its XTS.
 *
 * SPDX-License-Identifier: MIT OR Apache-2.0
 */
#include <stdlib.h>
#include <string.h>

#include "fakes.h"

#define EXPORT __attribute__((visibility("default")))

typedef void Blocks(const void *context, size_t len, uint8_t *to, const uint8_t *from);
typedef void SetKey(void *context, const uint8_t *key);
typedef void Update(void *context, size_t len, const uint8_t *data);

EXPORT FakeNettle fake_nettle = { .major = 3 };

static void expect(bool right, const char *what)
{
    if (!right && !fake_nettle.wrong) {
        fake_nettle.wrong = what;
    }
}

EXPORT int nettle_version_major(void);
EXPORT int nettle_version_minor(void);

int nettle_version_major(void)
{
    return fake_nettle.major;
}

int nettle_version_minor(void)
{
    return 77;
}

/* --- Ciphers */

static void set_key(FakeKey *context, bool decrypts, const uint8_t *key)
{
    fake_nettle.keys++;
    expect((uintptr_t)context % 16 == 0, "a context that is not aligned");
    context->decrypts = decrypts;
    memcpy(context->bytes, key, FAKE_BLOCK);
}

static void set_encrypt_key(void *context, const uint8_t *key)
{
    set_key(context, false, key);
}

static void set_decrypt_key(void *context, const uint8_t *key)
{
    set_key(context, true, key);
}

static void encrypt(const void *context, size_t len, uint8_t *to, const uint8_t *from)
{
    fake_nettle.blocks++;
    expect(!((const FakeKey *)context)->decrypts, "encryption with a key that decrypts");
    fake_blocks(context, len, to, from);
}

static void decrypt(const void *context, size_t len, uint8_t *to, const uint8_t *from)
{
    fake_nettle.blocks++;
    expect(((const FakeKey *)context)->decrypts, "decryption with a key that encrypts");
    fake_blocks(context, len, to, from);
}

typedef struct Cipher {
    const char *name;
    unsigned context_size, block_size, key_size;
    SetKey *set_encrypt_key, *set_decrypt_key;
    Blocks *encrypt, *decrypt;
} Cipher;

#define CIPHER(name, key_size) \
    { name, sizeof(FakeKey), FAKE_BLOCK, key_size, set_encrypt_key, set_decrypt_key, encrypt, decrypt }

EXPORT const Cipher nettle_aes128 = CIPHER("aes128", 16);
EXPORT const Cipher nettle_aes256 = CIPHER("aes256", 32);
EXPORT const Cipher nettle_serpent256 = CIPHER("serpent256", 32);
/* Not what it should be. */
EXPORT const Cipher nettle_aes192 = CIPHER("aes192", 16);

/* --- Modes */

typedef void Chain(const void *context, Blocks *blocks, size_t block_size, uint8_t *iv, size_t len, uint8_t *to,
                   const uint8_t *from);
EXPORT Chain nettle_cbc_encrypt, nettle_cbc_decrypt, nettle_ctr_crypt;
EXPORT void nettle_cbc_aes128_encrypt(const void *context, uint8_t *iv, size_t len, uint8_t *to, const uint8_t *from);

void nettle_cbc_encrypt(const void *context, Blocks *blocks, size_t block_size, uint8_t *iv, size_t len, uint8_t *to,
                        const uint8_t *from)
{
    (void)iv;
    fake_nettle.cbc++;
    expect(block_size == FAKE_BLOCK && blocks == encrypt, "CBC of another cipher");
    fake_blocks(context, len, to, from);
}

void nettle_cbc_decrypt(const void *context, Blocks *blocks, size_t block_size, uint8_t *iv, size_t len, uint8_t *to,
                        const uint8_t *from)
{
    (void)iv;
    fake_nettle.cbc++;
    expect(block_size == FAKE_BLOCK && blocks == decrypt, "CBC of another cipher");
    expect(((const FakeKey *)context)->decrypts, "CBC decrypts with a key that encrypts");
    fake_blocks(context, len, to, from);
}

void nettle_cbc_aes128_encrypt(const void *context, uint8_t *iv, size_t len, uint8_t *to, const uint8_t *from)
{
    (void)iv;
    fake_nettle.cbc_aes++;
    fake_blocks(context, len, to, from);
}

void nettle_ctr_crypt(const void *context, Blocks *blocks, size_t block_size, uint8_t *iv, size_t len, uint8_t *to,
                      const uint8_t *from)
{
    (void)iv;
    fake_nettle.ctr++;
    expect(block_size == FAKE_BLOCK && blocks == encrypt, "CTR of another cipher");
    fake_blocks(context, len, to, from);
}

#ifndef FAKE_WITHOUT_XTS
EXPORT void nettle_xts_encrypt_message(const void *data, const void *tweak, Blocks *forward, const uint8_t *iv,
                                       size_t len, uint8_t *to, const uint8_t *from);
EXPORT void nettle_xts_decrypt_message(const void *data, const void *tweak, Blocks *backward, Blocks *forward,
                                       const uint8_t *iv, size_t len, uint8_t *to, const uint8_t *from);

static void xts(const FakeKey *data, const FakeKey *tweak, const uint8_t *iv, size_t len, uint8_t *to,
                const uint8_t *from)
{
    size_t i;

    expect(!tweak->decrypts, "a tweak key that decrypts");
    expect(len >= FAKE_BLOCK, "less than a block, which ends the process");
    fake_nettle.len = len;
    memcpy(fake_nettle.iv, iv, FAKE_BLOCK);
    memcpy(fake_nettle.data_key, data->bytes, FAKE_BLOCK);
    memcpy(fake_nettle.tweak_key, tweak->bytes, FAKE_BLOCK);
    for (i = 0; i < len; i++) {
        to[i] = fake_xts(from[i]);
    }
}

void nettle_xts_encrypt_message(const void *data, const void *tweak, Blocks *forward, const uint8_t *iv, size_t len,
                                uint8_t *to, const uint8_t *from)
{
    fake_nettle.xts_encrypt++;
    expect(forward == encrypt, "XTS of another cipher");
    expect(!((const FakeKey *)data)->decrypts, "XTS encrypts with a key that decrypts");
    xts(data, tweak, iv, len, to, from);
}

void nettle_xts_decrypt_message(const void *data, const void *tweak, Blocks *backward, Blocks *forward,
                                const uint8_t *iv, size_t len, uint8_t *to, const uint8_t *from)
{
    fake_nettle.xts_decrypt++;
    expect(backward == decrypt && forward == encrypt, "XTS of another cipher");
    expect(((const FakeKey *)data)->decrypts, "XTS decrypts with a key that encrypts");
    xts(data, tweak, iv, len, to, from);
}
#endif

/* --- Hashes. A digest is the sum of what came, in every byte. */

typedef struct Sum {
    uint8_t key, sum;
} Sum;

static void init(void *context)
{
    memset(context, 0, sizeof(Sum));
}

static void update(void *context, size_t len, const uint8_t *data)
{
    Sum *sum = context;

    while (len--) {
        sum->sum += *data++;
    }
    if (fake_nettle.updates_left && --fake_nettle.updates_left == 0) {
        _Exit(0);
    }
}

/* The room for the digest is what tells both shapes apart. */
static void take(Sum *sum, size_t len, uint8_t *digest)
{
    fake_nettle.digests++;
    memset(digest, sum->sum, len);
    sum->sum = sum->key;
}

static void digest_3(void *context, size_t len, uint8_t *digest)
{
    expect(len == FAKE_DIGEST, "part of a digest");
    take(context, len, digest);
}

static void digest_4(void *context, uint8_t *digest)
{
    take(context, FAKE_DIGEST, digest);
}

/* What is called with other arguments from one major version to the next. */
typedef void Digest(void);

typedef struct Hash {
    const char *name;
    unsigned context_size, digest_size, block_size;
    void (*init)(void *context);
    Update *update;
    Digest *digest;
} Hash;

typedef struct Mac {
    const char *name;
    unsigned context_size, digest_size, key_size;
    SetKey *set_key;
    Update *update;
    Digest *digest;
} Mac;

EXPORT Hash nettle_sha256 = { "sha256", sizeof(Sum), FAKE_DIGEST, 64, init, update, (Digest *)digest_3 };
EXPORT Mac nettle_hmac_sha256 = { "hmac_sha256", sizeof(Sum), FAKE_DIGEST, FAKE_DIGEST, NULL, update, (Digest *)digest_3 };
/* A hash whose HMAC is missing. */
EXPORT Hash nettle_sha512 = { "sha512", sizeof(Sum), 64, 128, init, update, (Digest *)digest_3 };

EXPORT void nettle_hmac_sha256_set_key(void *context, size_t len, const uint8_t *key);
EXPORT void nettle_pbkdf2(void *context, Update *update_hmac, Digest *digest, size_t digest_size, unsigned iterations,
                          size_t salt_len, const uint8_t *salt, size_t len, uint8_t *out);
EXPORT FakeNettleBe fake_nettle_be;

void nettle_hmac_sha256_set_key(void *context, size_t len, const uint8_t *key)
{
    Sum *sum = context;

    sum->sum = 0;
    update(context, len, key);
    sum->key = sum->sum;
}

/* The number of iterations, in every byte. */
void nettle_pbkdf2(void *context, Update *update_hmac, Digest *digest, size_t digest_size, unsigned iterations,
                   size_t salt_len, const uint8_t *salt, size_t len, uint8_t *out)
{
    (void)context;
    (void)salt_len;
    (void)salt;
    fake_nettle.pbkdf2++;
    expect(update_hmac == update && digest == nettle_hmac_sha256.digest && digest_size == FAKE_DIGEST,
           "PBKDF2 of another hash");
    memset(out, (int)iterations, len);
}

void fake_nettle_be(int major)
{
    Digest *digest = major < 4 ? (Digest *)digest_3 : (Digest *)digest_4;

    fake_nettle.major = major;
    nettle_sha256.digest = digest;
    nettle_hmac_sha256.digest = digest;
}
