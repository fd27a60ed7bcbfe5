/*
 * One known answer per mode, and an error, from the static archive
 *
 * The whole suite runs on the shared library; here it matters that the archive links and that what was linked works. So
 * this program has no test framework and prints its TAP itself.
 *
 * SPDX-License-Identifier: MIT OR Apache-2.0
 */
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "crypto/cipher.h"
#include "qapi/error.h"

typedef struct KnownAnswer {
    const char *name;
    QCryptoCipherMode mode;
    size_t len;
    uint8_t key[32];
    size_t nkey;
    uint8_t iv[16];
    size_t niv;
    uint8_t plaintext[32];
    uint8_t ciphertext[32];
} KnownAnswer;

#define SP800_38A_KEY \
    { 0x2b, 0x7e, 0x15, 0x16, 0x28, 0xae, 0xd2, 0xa6, 0xab, 0xf7, 0x15, 0x88, 0x09, 0xcf, 0x4f, 0x3c }, 16
#define SP800_38A_PLAINTEXT \
    { 0x6b, 0xc1, 0xbe, 0xe2, 0x2e, 0x40, 0x9f, 0x96, 0xe9, 0x3d, 0x7e, 0x11, 0x73, 0x93, 0x17, 0x2a }

/* AES-128: NIST SP 800-38A sections F.1.1, F.2.1, F.5.1, and IEEE 1619-2007 annex B vector 2. */
static const KnownAnswer answers[] = {
    { "ecb", QCRYPTO_CIPHER_MODE_ECB, 16, SP800_38A_KEY, { 0 }, 0, SP800_38A_PLAINTEXT,
      { 0x3a, 0xd7, 0x7b, 0xb4, 0x0d, 0x7a, 0x36, 0x60, 0xa8, 0x9e, 0xca, 0xf3, 0x24, 0x66, 0xef, 0x97 } },
    { "cbc", QCRYPTO_CIPHER_MODE_CBC, 16, SP800_38A_KEY,
      { 0x00, 0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x07, 0x08, 0x09, 0x0a, 0x0b, 0x0c, 0x0d, 0x0e, 0x0f }, 16,
      SP800_38A_PLAINTEXT,
      { 0x76, 0x49, 0xab, 0xac, 0x81, 0x19, 0xb2, 0x46, 0xce, 0xe9, 0x8e, 0x9b, 0x12, 0xe9, 0x19, 0x7d } },
    { "ctr", QCRYPTO_CIPHER_MODE_CTR, 16, SP800_38A_KEY,
      { 0xf0, 0xf1, 0xf2, 0xf3, 0xf4, 0xf5, 0xf6, 0xf7, 0xf8, 0xf9, 0xfa, 0xfb, 0xfc, 0xfd, 0xfe, 0xff }, 16,
      SP800_38A_PLAINTEXT,
      { 0x87, 0x4d, 0x61, 0x91, 0xb6, 0x20, 0xe3, 0x26, 0x1b, 0xef, 0x68, 0x64, 0x99, 0x0d, 0xb6, 0xce } },
    { "xts", QCRYPTO_CIPHER_MODE_XTS, 32,
      { 0x11, 0x11, 0x11, 0x11, 0x11, 0x11, 0x11, 0x11, 0x11, 0x11, 0x11, 0x11, 0x11, 0x11, 0x11, 0x11,
        0x22, 0x22, 0x22, 0x22, 0x22, 0x22, 0x22, 0x22, 0x22, 0x22, 0x22, 0x22, 0x22, 0x22, 0x22, 0x22 }, 32,
      { 0x33, 0x33, 0x33, 0x33, 0x33 }, 16,
      { 0x44, 0x44, 0x44, 0x44, 0x44, 0x44, 0x44, 0x44, 0x44, 0x44, 0x44, 0x44, 0x44, 0x44, 0x44, 0x44,
        0x44, 0x44, 0x44, 0x44, 0x44, 0x44, 0x44, 0x44, 0x44, 0x44, 0x44, 0x44, 0x44, 0x44, 0x44, 0x44 },
      { 0xc4, 0x54, 0x18, 0x5e, 0x6a, 0x16, 0x93, 0x6e, 0x39, 0x33, 0x40, 0x38, 0xac, 0xef, 0x83, 0x8b,
        0xfb, 0x18, 0x6f, 0xff, 0x74, 0x80, 0xad, 0xc4, 0x28, 0x93, 0x82, 0xec, 0xd6, 0xd3, 0x94, 0xf0 } },
};

enum { ANSWERS = sizeof(answers) / sizeof(answers[0]) };

static bool set_iv(QCryptoCipher *cipher, const KnownAnswer *answer)
{
    return answer->niv == 0 || qcrypto_cipher_setiv(cipher, answer->iv, answer->niv, NULL) == 0;
}

static bool check_answer(const KnownAnswer *answer)
{
    QCryptoCipher *cipher =
        qcrypto_cipher_new(QCRYPTO_CIPHER_ALGO_AES_128, answer->mode, answer->key, answer->nkey, NULL);
    uint8_t buf[sizeof(answer->plaintext)];
    bool right;

    right = cipher && set_iv(cipher, answer) &&
            qcrypto_cipher_encrypt(cipher, answer->plaintext, buf, answer->len, NULL) == 0 &&
            memcmp(buf, answer->ciphertext, answer->len) == 0 && set_iv(cipher, answer) &&
            qcrypto_cipher_decrypt(cipher, buf, buf, answer->len, NULL) == 0 &&
            memcmp(buf, answer->plaintext, answer->len) == 0;
    qcrypto_cipher_free(cipher);
    return right;
}

static bool check_error(void)
{
    static const uint8_t key[16];
    Error *err = NULL;
    QCryptoCipher *cipher =
        qcrypto_cipher_new(QCRYPTO_CIPHER_ALGO_AES_256, QCRYPTO_CIPHER_MODE_CBC, key, sizeof(key), &err);
    bool right = !cipher && err && strcmp(error_get_pretty(err), "Cipher key length 16 should be 32") == 0;

    error_free(err);
    qcrypto_cipher_free(NULL);
    return right;
}

static int point(int number, const char *name, bool right)
{
    printf("%s %d - %s\n", right ? "ok" : "not ok", number, name);
    return right ? 0 : 1;
}

int main(void)
{
    int failures = 0;
    int i;

    printf("1..%d\n", ANSWERS + 1);
    for (i = 0; i < ANSWERS; i++) {
        failures += point(i + 1, answers[i].name, check_answer(&answers[i]));
    }
    failures += point(ANSWERS + 1, "error", check_error());
    return failures ? 1 : 0;
}
