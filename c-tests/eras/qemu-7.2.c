/*
 * A device that encrypts for a guest as one would have been written for QEMU 7.2: algorithms, keys and lengths are the
 * guest's, results are statuses, and a network block server checks digests.
 *
 * SPDX-License-Identifier: MIT OR Apache-2.0
 */
#include <glib.h>

#include "crypto/cipher.h"
#include "crypto/hash.h"
#include "crypto/hmac.h"
#include "crypto/pbkdf.h"
#include "qapi/error.h"

#include "era.h"

enum { SESSIONS = 4 };

enum Status { STATUS_OK, STATUS_BAD_MESSAGE, STATUS_NOT_SUPPORTED, STATUS_INVALID_SESSION };

typedef struct Device {
    QCryptoCipher *sessions[SESSIONS];
} Device;

/* A session, or minus a status. */
static int device_open(Device *device, int algo, int mode, const uint8_t *key, size_t nkey)
{
    Error *local_err = NULL;

    for (int i = 0; i < SESSIONS; i++) {
        if (!device->sessions[i]) {
            device->sessions[i] = qcrypto_cipher_new(algo, mode, key, nkey, &local_err);
            if (!device->sessions[i]) {
                g_test_message("%s", error_get_pretty(local_err));
                error_free(local_err);
                return -STATUS_NOT_SUPPORTED;
            }
            return i;
        }
    }
    return -STATUS_INVALID_SESSION;
}

static int device_encrypt(Device *device, unsigned session, const uint8_t *iv, size_t niv, const uint8_t *src,
                          uint8_t *dst, size_t len)
{
    QCryptoCipher *cipher = session < SESSIONS ? device->sessions[session] : NULL;

    if (!cipher) {
        return -STATUS_INVALID_SESSION;
    }
    if (niv > 0 && qcrypto_cipher_setiv(cipher, iv, niv, NULL) < 0) {
        return -STATUS_BAD_MESSAGE;
    }
    return qcrypto_cipher_encrypt(cipher, src, dst, len, NULL) < 0 ? -STATUS_BAD_MESSAGE : STATUS_OK;
}

static void device_close(Device *device)
{
    for (int i = 0; i < SESSIONS; i++) {
        g_clear_pointer(&device->sessions[i], qcrypto_cipher_free);
    }
}

static void test_guest(void)
{
    /* SP 800-38A, F.5.1 */
    static const uint8_t key[16] = {0x2b, 0x7e, 0x15, 0x16, 0x28, 0xae, 0xd2, 0xa6,
                                    0xab, 0xf7, 0x15, 0x88, 0x09, 0xcf, 0x4f, 0x3c};
    static const uint8_t counter[16] = {0xf0, 0xf1, 0xf2, 0xf3, 0xf4, 0xf5, 0xf6, 0xf7,
                                        0xf8, 0xf9, 0xfa, 0xfb, 0xfc, 0xfd, 0xfe, 0xff};
    static const uint8_t plain[16] = {0x6b, 0xc1, 0xbe, 0xe2, 0x2e, 0x40, 0x9f, 0x96,
                                      0xe9, 0x3d, 0x7e, 0x11, 0x73, 0x93, 0x17, 0x2a};
    static const uint8_t expected[16] = {0x87, 0x4d, 0x61, 0x91, 0xb6, 0x20, 0xe3, 0x26,
                                         0x1b, 0xef, 0x68, 0x64, 0x99, 0x0d, 0xb6, 0xce};
    uint8_t out[16];
    Device device = {0};
    int session = device_open(&device, QCRYPTO_CIPHER_ALG_AES_128, QCRYPTO_CIPHER_MODE_CTR, key, sizeof(key));

    g_assert_cmpint(session, ==, 0);
    g_assert_cmpint(device_encrypt(&device, session, counter, 16, plain, out, 16), ==, STATUS_OK);
    era_expect(out, expected, sizeof(out));

    g_assert_cmpint(device_encrypt(&device, session, counter, 15, plain, out, 16), ==, -STATUS_BAD_MESSAGE);
    g_assert_cmpint(device_encrypt(&device, session, counter, 16, plain, out, 13), ==, -STATUS_BAD_MESSAGE);
    g_assert_cmpint(device_encrypt(&device, 3, counter, 16, plain, out, 16), ==, -STATUS_INVALID_SESSION);
    g_assert_cmpint(device_open(&device, 77, 1, key, sizeof(key)), ==, -STATUS_NOT_SUPPORTED);
    g_assert_cmpint(device_open(&device, 0, -1, key, sizeof(key)), ==, -STATUS_NOT_SUPPORTED);
    g_assert_cmpint(device_open(&device, 0, 1, key, 3), ==, -STATUS_NOT_SUPPORTED);
    era_expect(out, expected, sizeof(out));
    device_close(&device);
}

static void test_digests(void)
{
    static const struct iovec parts[] = {{(void *)"a", 1}, {(void *)"bc", 2}};
    QCryptoHashAlgorithm alg;
    g_autofree uint8_t *result = NULL;
    size_t length = 0;

    for (alg = 0; alg < QCRYPTO_HASH_ALG__MAX; alg++) {
        g_autofree uint8_t *digest = NULL;
        size_t len = 0;

        g_assert_true(qcrypto_hash_supports(alg));
        qcrypto_hash_bytesv(alg, parts, G_N_ELEMENTS(parts), &digest, &len, &error_abort);
        g_assert_cmpint(len, ==, qcrypto_hash_digest_len(alg));
        g_test_message("%s: %zu bytes", QCryptoHashAlgorithm_str(alg), len);
    }
    qcrypto_hash_bytes(QCRYPTO_HASH_ALG_RIPEMD160, "abc", 3, &result, &length, &error_abort);
    static const uint8_t ripemd[20] = {0x8e, 0xb2, 0x08, 0xf7, 0xe0, 0x5d, 0x98, 0x7a, 0x9b, 0x04,
                                       0x4a, 0x8e, 0x98, 0xc6, 0xb0, 0x87, 0xf1, 0x5a, 0x0b, 0xfc};
    g_assert_cmpmem(result, length, ripemd, sizeof(ripemd));
}

static void test_pbkdf(void)
{
    /* RFC 6070 */
    static const uint8_t expected[20] = {0xea, 0x6c, 0x01, 0x4d, 0xc7, 0x2d, 0x6f, 0x8c, 0xcd, 0x1e,
                                         0xd9, 0x2a, 0xce, 0x1d, 0x41, 0xf0, 0xd8, 0xde, 0x89, 0x57};
    uint8_t out[20];

    g_assert_true(qcrypto_pbkdf2_supports(QCRYPTO_HASH_ALG_SHA1));
    qcrypto_pbkdf2(QCRYPTO_HASH_ALG_SHA1, (const uint8_t *)"password", 8, (const uint8_t *)"salt", 4, 2, out,
                   sizeof(out), &error_abort);
    era_expect(out, expected, sizeof(out));
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/eras/7.2/guest", test_guest);
    g_test_add_func("/eras/7.2/digests", test_digests);
    g_test_add_func("/eras/7.2/pbkdf", test_pbkdf);
    return g_test_run();
}
