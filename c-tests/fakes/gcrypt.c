/*
 * A fake of libgcrypt. FAKE_WITHOUT_SETCTR leaves out one of its functions.
 *
 * SPDX-License-Identifier: MIT OR Apache-2.0
 */
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "fakes.h"

#define EXPORT __attribute__((visibility("default")))

typedef unsigned Code;

enum {
    /* gcry_control and gcry_cipher_ctl */
    INITIALIZATION_FINISHED = 38,
    INITIALIZATION_FINISHED_P = 39,
    FIPS_MODE_P = 55,
    SET_ALLOW_WEAK_KEY = 79,
    /* Ciphers, modes, hashes */
    AES128 = 7,
    AES256 = 9,
    ECB = 1,
    CBC = 3,
    CTR = 6,
    XTS = 13,
    SHA256 = 8,
    /* Errors */
    DIGEST_ALGO = 5,
    CIPHER_ALGO = 12,
    WEAK_KEY = 43,
    INV_CIPHER_MODE = 71,
    INTERNAL = 63,
    INV_OP = 61,
    /* Where an error comes from, which is in the same word. */
    FROM_GCRYPT = 1 << 24,
};

EXPORT FakeGcrypt fake_gcrypt;

static void expect(bool right, const char *what)
{
    if (!right && !fake_gcrypt.wrong) {
        fake_gcrypt.wrong = what;
    }
}

static Code error(Code code)
{
    return FROM_GCRYPT | code;
}

EXPORT const char *gcry_check_version(const char *wanted);
EXPORT const char *gcry_strerror(Code code);
EXPORT Code gcry_control(int command, ...);

const char *gcry_check_version(const char *wanted)
{
    expect(!wanted, "a version that must be there");
    return "1.77.0";
}

const char *gcry_strerror(Code code)
{
    return (code & 0xffff) == WEAK_KEY ? "A fake weak key" : "A fake error";
}

Code gcry_control(int command, ...)
{
    if (fake_gcrypt.n_controls < sizeof(fake_gcrypt.controls) / sizeof(fake_gcrypt.controls[0])) {
        fake_gcrypt.controls[fake_gcrypt.n_controls++] = command;
    }
    switch (command) {
    case INITIALIZATION_FINISHED:
        fake_gcrypt.finished = true;
        return 0;
    case INITIALIZATION_FINISHED_P:
        return fake_gcrypt.finished;
    case FIPS_MODE_P:
        return fake_gcrypt.in_fips_mode;
    default:
        expect(false, "a control that is not ours to call");
        return error(INV_OP);
    }
}

/* --- Ciphers */

typedef struct Cipher {
    int mode;
    bool may_be_weak, has_iv;
    FakeKey key;
} Cipher;

EXPORT Code gcry_cipher_open(Cipher **cipher, int algorithm, int mode, unsigned flags);
EXPORT void gcry_cipher_close(Cipher *cipher);
EXPORT Code gcry_cipher_ctl(Cipher *cipher, int command, void *buffer, size_t len);
EXPORT Code gcry_cipher_setkey(Cipher *cipher, const void *key, size_t len);
EXPORT Code gcry_cipher_setiv(Cipher *cipher, const void *iv, size_t len);
EXPORT Code gcry_cipher_encrypt(Cipher *cipher, uint8_t *to, size_t room, const uint8_t *from, size_t len);
EXPORT Code gcry_cipher_decrypt(Cipher *cipher, uint8_t *to, size_t room, const uint8_t *from, size_t len);

Code gcry_cipher_open(Cipher **cipher, int algorithm, int mode, unsigned flags)
{
    expect(flags == 0, "flags");
    expect(fake_gcrypt.finished, "a cipher before the initialisation is finished");
    if ((algorithm != AES128 && algorithm != AES256) || algorithm == fake_gcrypt.refused_algorithm) {
        return error(CIPHER_ALGO);
    }
    if (mode != ECB && mode != CBC && mode != CTR && (mode != XTS || fake_gcrypt.without_xts)) {
        return error(INV_CIPHER_MODE);
    }
    *cipher = calloc(1, sizeof(**cipher));
    (*cipher)->mode = mode;
    fake_gcrypt.opened[mode]++;
    fake_gcrypt.open++;
    return 0;
}

void gcry_cipher_close(Cipher *cipher)
{
    fake_gcrypt.open--;
    free(cipher);
}

Code gcry_cipher_ctl(Cipher *cipher, int command, void *buffer, size_t len)
{
    if (command != SET_ALLOW_WEAK_KEY || fake_gcrypt.without_weak_keys) {
        return error(INV_OP);
    }
    expect(!buffer && len == 1, "another value than yes");
    cipher->may_be_weak = true;
    return 0;
}

/* Every key is weak where one may be. It is set if that is allowed, and spoken of in any case. */
Code gcry_cipher_setkey(Cipher *cipher, const void *key, size_t len)
{
    expect(len >= FAKE_BLOCK, "a short key");
    if (fake_gcrypt.weak_key && !cipher->may_be_weak) {
        return error(WEAK_KEY);
    }
    memcpy(cipher->key.bytes, key, FAKE_BLOCK);
    return fake_gcrypt.weak_key ? error(WEAK_KEY) : 0;
}

Code gcry_cipher_setiv(Cipher *cipher, const void *iv, size_t len)
{
    (void)iv;
    expect(len == FAKE_BLOCK, "an IV of another length");
    cipher->has_iv = true;
    fake_gcrypt.set_ivs += cipher->mode == XTS;
    return 0;
}

#ifndef FAKE_WITHOUT_SETCTR
EXPORT Code gcry_cipher_setctr(Cipher *cipher, const void *iv, size_t len);

Code gcry_cipher_setctr(Cipher *cipher, const void *iv, size_t len)
{
    return gcry_cipher_setiv(cipher, iv, len);
}
#endif

/* An IV is used up by the call that it was set for. */
static Code crypt_data(Cipher *cipher, bool decrypts, uint8_t *to, size_t room, const uint8_t *from, size_t len)
{
    size_t i;

    expect(room >= len && len > 0 && len % FAKE_BLOCK == 0, "data of a length that is refused");
    expect(cipher->mode == ECB || cipher->has_iv, "no IV");
    cipher->has_iv = false;
    if (cipher->mode == XTS) {
        fake_gcrypt.xts++;
        for (i = 0; i < len; i++) {
            to[i] = fake_xts(from[i]);
        }
    } else {
        cipher->key.decrypts = decrypts;
        fake_blocks(&cipher->key, len, to, from);
    }
    return fake_gcrypt.failing ? error(INTERNAL) : 0;
}

Code gcry_cipher_encrypt(Cipher *cipher, uint8_t *to, size_t room, const uint8_t *from, size_t len)
{
    return crypt_data(cipher, false, to, room, from, len);
}

Code gcry_cipher_decrypt(Cipher *cipher, uint8_t *to, size_t room, const uint8_t *from, size_t len)
{
    return crypt_data(cipher, true, to, room, from, len);
}

/* --- Hashes. A digest is the sum of what came, in every byte. */

typedef struct Sum {
    uint8_t key, sum, digest[FAKE_DIGEST];
} Sum;

EXPORT Code gcry_md_open(Sum **sum, int algorithm, unsigned flags);
EXPORT void gcry_md_close(Sum *sum);
EXPORT Code gcry_md_setkey(Sum *sum, const uint8_t *key, size_t len);
EXPORT void gcry_md_reset(Sum *sum);
EXPORT void gcry_md_write(Sum *sum, const uint8_t *data, size_t len);
EXPORT uint8_t *gcry_md_read(Sum *sum, int algorithm);
EXPORT Code gcry_kdf_derive(const void *password, size_t password_len, int kdf, int algorithm, const void *salt,
                            size_t salt_len, unsigned long iterations, size_t len, void *out);

Code gcry_md_open(Sum **sum, int algorithm, unsigned flags)
{
    (void)flags;
    if (algorithm != SHA256) {
        return error(DIGEST_ALGO);
    }
    *sum = calloc(1, sizeof(**sum));
    return 0;
}

void gcry_md_close(Sum *sum)
{
    free(sum);
}

Code gcry_md_setkey(Sum *sum, const uint8_t *key, size_t len)
{
    gcry_md_write(sum, key, len);
    sum->key = sum->sum;
    return 0;
}

void gcry_md_reset(Sum *sum)
{
    sum->sum = sum->key;
}

void gcry_md_write(Sum *sum, const uint8_t *data, size_t len)
{
    while (len--) {
        sum->sum += *data++;
    }
}

uint8_t *gcry_md_read(Sum *sum, int algorithm)
{
    expect(algorithm == SHA256, "the digest of another hash");
    return memset(sum->digest, sum->sum, sizeof(sum->digest));
}

Code gcry_kdf_derive(const void *password, size_t password_len, int kdf, int algorithm, const void *salt,
                     size_t salt_len, unsigned long iterations, size_t len, void *out)
{
    (void)password, (void)password_len, (void)kdf, (void)algorithm, (void)salt, (void)iterations;
    expect(salt_len > 0 && len > 0, "PBKDF2 of what is refused");
    memset(out, (int)iterations, len);
    return 0;
}
