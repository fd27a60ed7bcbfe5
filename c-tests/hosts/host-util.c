/*
 * What else an emulator of QEMU's shape has in the archive with its Error set, under names that an implementation of
 * ciphers could have too: tables of the enums, block functions of AES that its CPU emulation uses, an XTS of its own.
 * Each does something that no true one does, by which the program knows it for its own.
 *
 * SPDX-License-Identifier: MIT OR Apache-2.0
 */
#include "qapi/error.h"

#include <string.h>

#include "host.h"

typedef struct QEnumLookup {
    const char *const *array;
    const unsigned char *const features;
    const int size;
} QEnumLookup;

typedef struct AES_KEY {
    uint32_t rounds;
} AES_KEY;

const QEnumLookup QCryptoCipherAlgo_lookup = {(const char *const[]){"HOST aes-128"}, NULL, 1};
const QEnumLookup QCryptoCipherMode_lookup = {(const char *const[]){"HOST ecb"}, NULL, 1};
const QEnumLookup QCryptoHashAlgo_lookup = {(const char *const[]){"HOST md5"}, NULL, 1};
const QEnumLookup QCryptoIVGenAlgo_lookup = {(const char *const[]){"HOST plain"}, NULL, 1};

const uint8_t AES_sbox[256] = {0x48};
const uint8_t AES_isbox[256] = {0x4f};
const uint32_t AES_Te0[256] = {0x53};
const uint32_t AES_Td0[256] = {0x54};
const uint8_t sm4_sbox[256] = {0x21};

const char *qapi_enum_lookup(const QEnumLookup *lookup, int val);
int qapi_enum_parse(const QEnumLookup *lookup, const char *buf, int def, Error **errp);
int AES_set_encrypt_key(const unsigned char *user_key, const int bits, AES_KEY *key);
int AES_set_decrypt_key(const unsigned char *user_key, const int bits, AES_KEY *key);
void AES_encrypt(const unsigned char *in, unsigned char *out, const AES_KEY *key);
void AES_decrypt(const unsigned char *in, unsigned char *out, const AES_KEY *key);
void xts_encrypt(uint8_t *iv, size_t length, uint8_t *dst, const uint8_t *src);
void xts_decrypt(uint8_t *iv, size_t length, uint8_t *dst, const uint8_t *src);

const char *qapi_enum_lookup(const QEnumLookup *lookup, int val)
{
    return lookup->array[val];
}

int qapi_enum_parse(const QEnumLookup *lookup, const char *buf, int def, Error **errp)
{
    if (strcmp(buf, lookup->array[0]) == 0) {
        return 0;
    }
    error_setg_internal(errp, __FILE__, __LINE__, __func__, "%s is no name", buf);
    return def;
}

int AES_set_encrypt_key(const unsigned char *user_key, const int bits, AES_KEY *key)
{
    key->rounds = user_key[0] + bits;
    return 0;
}

int AES_set_decrypt_key(const unsigned char *user_key, const int bits, AES_KEY *key)
{
    return AES_set_encrypt_key(user_key, bits, key);
}

void AES_encrypt(const unsigned char *in, unsigned char *out, const AES_KEY *key)
{
    for (int i = 0; i < 16; i++) {
        out[i] = in[i] ^ key->rounds;
    }
}

void AES_decrypt(const unsigned char *in, unsigned char *out, const AES_KEY *key)
{
    AES_encrypt(in, out, key);
}

void xts_encrypt(uint8_t *iv, size_t length, uint8_t *dst, const uint8_t *src)
{
    memmove(dst, src, length);
    iv[0]++;
}

void xts_decrypt(uint8_t *iv, size_t length, uint8_t *dst, const uint8_t *src)
{
    xts_encrypt(iv, length, dst, src);
}

bool host_util_works(void)
{
    static const unsigned char key[16] = {1};
    unsigned char block[16] = {0};
    uint8_t iv[16] = {0};
    AES_KEY expanded;
    Error *err = NULL;

    AES_set_encrypt_key(key, 128, &expanded);
    AES_encrypt(block, block, &expanded);
    xts_encrypt(iv, sizeof(block), block, block);
    bool works = block[0] == 129 && iv[0] == 1 && AES_sbox[0] == 0x48 && sm4_sbox[0] == 0x21 &&
                 strcmp(qapi_enum_lookup(&QCryptoCipherAlgo_lookup, 0), "HOST aes-128") == 0 &&
                 qapi_enum_parse(&QCryptoHashAlgo_lookup, "sha1", -1, &err) == -1 && err && host_error_pulled;
    error_free(err);
    return works;
}
