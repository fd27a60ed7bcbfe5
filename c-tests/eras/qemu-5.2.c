/*
 * A disk layer as one would have been written for QEMU 5.2: ERRP_GUARD(), automatic cleanup, DES-RFB only as a key
 * reversed by the caller.
 *
 * SPDX-License-Identifier: MIT OR Apache-2.0
 */
#include <glib.h>

#include "crypto/cipher.h"
#include "crypto/hash.h"
#include "crypto/hmac.h"
#include "crypto/random.h"
#include "qapi/error.h"
#include "qapi/qapi-types-crypto.h"

#include "era.h"

typedef struct Volume {
    QCryptoCipher *cipher;
    QCryptoIVGenAlgorithm ivgen;
} Volume;

static void volume_free(Volume *volume)
{
    qcrypto_cipher_free(volume->cipher);
    g_free(volume);
}
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Volume, volume_free)

static Volume *volume_open(const char *cipher, const char *mode, const uint8_t *key, size_t nkey, Error **errp)
{
    ERRP_GUARD();
    g_autoptr(Volume) volume = g_new0(Volume, 1);
    int alg, m;

    alg = qapi_enum_parse(&QCryptoCipherAlgorithm_lookup, cipher, -1, errp);
    if (*errp) {
        error_prepend(errp, "cipher: ");
        return NULL;
    }
    m = qapi_enum_parse(&QCryptoCipherMode_lookup, mode, -1, errp);
    if (*errp) {
        error_prepend(errp, "mode: ");
        return NULL;
    }
    if (!qcrypto_cipher_supports(alg, m)) {
        error_setg(errp, "%s has no %s", QCryptoCipherAlgorithm_str(alg), QCryptoCipherMode_str(m));
        error_append_hint(errp, "Try cbc.\n");
        return NULL;
    }
    volume->cipher = qcrypto_cipher_new(alg, m, key, nkey, errp);
    if (!volume->cipher) {
        return NULL;
    }
    return g_steal_pointer(&volume);
}

static void refused(const char *cipher, const char *mode, size_t nkey, const char *why)
{
    uint8_t key[64];
    Error *err = NULL;

    era_fill(key, sizeof(key), 5);
    g_assert_null(volume_open(cipher, mode, key, nkey, &err));
    g_assert_cmpstr(error_get_pretty(err), ==, why);
    error_free_or_abort(&err);
    g_assert_null(volume_open(cipher, mode, key, nkey, NULL));
}

static void test_errors(void)
{
    refused("aes-512", "xts", 64, "cipher: invalid parameter value: aes-512");
    refused("aes-256", "gcm", 64, "mode: invalid parameter value: gcm");
    refused("3des", "xts", 48, "3des has no xts");
    refused("aes-256", "xts", 32, "Cipher key length 32 should be 64");
}

static void test_volume(void)
{
    uint8_t key[64], iv[16], data[1024], plain[1024];

    era_fill(key, sizeof(key), 5);
    era_fill(data, sizeof(data), 7);
    memcpy(plain, data, sizeof(data));
    g_autoptr(Volume) volume = volume_open("serpent-256", "xts", key, sizeof(key), &error_abort);
    for (size_t at = 0; at < sizeof(data); at += 512) {
        era_sector_iv(iv, at / 512);
        qcrypto_cipher_setiv(volume->cipher, iv, sizeof(iv), &error_abort);
        qcrypto_cipher_encrypt(volume->cipher, data + at, data + at, 512, &error_abort);
    }
    g_assert_cmpint(memcmp(data, plain, sizeof(data)), !=, 0);
    g_assert_cmpint(memcmp(data, data + 512, 512), !=, 0);
    for (size_t at = 0; at < sizeof(data); at += 512) {
        era_sector_iv(iv, at / 512);
        qcrypto_cipher_setiv(volume->cipher, iv, sizeof(iv), &error_abort);
        qcrypto_cipher_decrypt(volume->cipher, data + at, data + at, 512, &error_abort);
    }
    era_expect(data, plain, sizeof(data));
}

/* VNC's challenge: DES under a password whose bits come the other way round. */
static uint8_t reversed(uint8_t byte)
{
    uint8_t result = 0;

    for (int bit = 0; bit < 8; bit++) {
        result |= ((byte >> bit) & 1) << (7 - bit);
    }
    return result;
}

static void test_vnc(void)
{
    /* The key of FIPS 81, appendix B, as a password that has its bits the other way round; and that appendix's block. */
    static const uint8_t password[8] = {0x80, 0xc4, 0xa2, 0xe6, 0x91, 0xd5, 0xb3, 0xf7};
    static const uint8_t answer[8] = {0x3f, 0xa4, 0x0e, 0x8a, 0x98, 0x4d, 0x48, 0x15};
    uint8_t challenge[8] = {'N', 'o', 'w', ' ', 'i', 's', ' ', 't'};
    uint8_t key[8];

    for (size_t i = 0; i < sizeof(key); i++) {
        key[i] = reversed(password[i]);
    }
    g_autoptr(QCryptoCipher) cipher =
        qcrypto_cipher_new(QCRYPTO_CIPHER_ALG_DES, QCRYPTO_CIPHER_MODE_ECB, key, sizeof(key), &error_abort);
    qcrypto_cipher_encrypt(cipher, challenge, challenge, sizeof(challenge), &error_abort);
    era_expect(challenge, answer, sizeof(answer));
}

static void test_hmac(void)
{
    g_autoptr(QCryptoHmac) hmac = qcrypto_hmac_new(QCRYPTO_HASH_ALG_SHA256, (const uint8_t *)"Jefe", 4, &error_abort);
    g_autofree char *digest = NULL;

    qcrypto_hmac_digest(hmac, "what do ya want for nothing?", 28, &digest, &error_abort);
    g_assert_cmpstr(digest, ==, "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/eras/5.2/errors", test_errors);
    g_test_add_func("/eras/5.2/volume", test_volume);
    g_test_add_func("/eras/5.2/vnc", test_vnc);
    g_test_add_func("/eras/5.2/hmac", test_hmac);
    return g_test_run();
}
