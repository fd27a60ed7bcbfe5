/*
 * The cipher API: its rules, and cases in which other libraries went wrong
 *
 * Tests whose names begin with a letter and a number (X2, C9, P10, L11) are cases of the project's list of public
 * faults; their values were computed with libraries other than this one. The patterns of their data are in
 * cipher-util.h.
 *
 * SPDX-License-Identifier: MIT OR Apache-2.0
 */
#include <glib.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "crypto/cipher.h"
#include "qapi/error.h"

#include "cipher-util.h"

/* What an output buffer holds before a call that must not write to it. */
#define UNTOUCHED 0xa5

#define ALG(name) QCRYPTO_CIPHER_ALGO_##name
#define MODE(name) QCRYPTO_CIPHER_MODE_##name

/*
 * P10: the numbers are the ABI. They never depend on how the library was built, and QEMU's names from before 9.2 mean
 * the same.
 */
#define CHECK_NUMBER(name, number) \
    G_STATIC_ASSERT(QCRYPTO_CIPHER_ALGO_##name == (number) && QCRYPTO_CIPHER_ALG_##name == (number))

CHECK_NUMBER(AES_128, 0);
CHECK_NUMBER(AES_192, 1);
CHECK_NUMBER(AES_256, 2);
CHECK_NUMBER(DES, 3);
CHECK_NUMBER(3DES, 4);
CHECK_NUMBER(CAST5_128, 5);
CHECK_NUMBER(SERPENT_128, 6);
CHECK_NUMBER(SERPENT_192, 7);
CHECK_NUMBER(SERPENT_256, 8);
CHECK_NUMBER(TWOFISH_128, 9);
CHECK_NUMBER(TWOFISH_192, 10);
CHECK_NUMBER(TWOFISH_256, 11);
CHECK_NUMBER(SM4, 12);
CHECK_NUMBER(_MAX, 13);

G_STATIC_ASSERT(MODE(ECB) == 0);
G_STATIC_ASSERT(MODE(CBC) == 1);
G_STATIC_ASSERT(MODE(XTS) == 2);
G_STATIC_ASSERT(MODE(CTR) == 3);
G_STATIC_ASSERT(MODE(_MAX) == 4);

/* The fields that QEMU's callers read. */
G_STATIC_ASSERT(offsetof(QCryptoCipher, alg) == 0);
G_STATIC_ASSERT(offsetof(QCryptoCipher, mode) == 4);
G_STATIC_ASSERT(offsetof(QCryptoCipher, driver) == 8);

/* Numbers that name no cipher, and no mode. */
static const unsigned bad_algs[] = { 13, 14, 99, 0x7fffffff, 0x80000000, -1 };
static const unsigned bad_modes[] = { 4, 5, 9, 0x7fffffff, 0x80000000, -1 };

/* --- Known answers --- */

static uint8_t pattern_zero(size_t i G_GNUC_UNUSED)
{
    return 0;
}

/* Data without a period that a fault could hide in. */
static uint8_t pattern_product(size_t i)
{
    return (uint32_t)(i * 2654435761u) >> 13;
}

typedef struct KnownAnswer {
    const char *name;
    QCryptoCipherAlgo alg;
    QCryptoCipherMode mode;
    const char *key; /* hex; NULL: as much of the pattern K as it takes */
    const char *iv;  /* hex; NULL: none is set, which means zero */
    Pattern *plaintext;
    size_t len;
    const char *begins; /* the first bytes of the ciphertext; NULL: not known */
    const char *sha256; /* of all the ciphertext; NULL: not known */
} KnownAnswer;

static const KnownAnswer known_answers[] = {
    /* The encrypted tweak has its bits 63 and 127 set: the first doubling carries between halves and folds. */
    { "X2-tweak-carry/2-blocks", ALG(AES_128), MODE(XTS), NULL, "01000000000000000000000000000000", pattern_d1, 32,
      "9654fe19ab47c7d9b99939807a4eafb4f5dc45d5baff7bd5e9746967de11604b", NULL },
    { "X2-tweak-carry/3-blocks", ALG(AES_128), MODE(XTS), NULL, "01000000000000000000000000000000", pattern_d1, 48,
      "9654fe19ab47c7d9b99939807a4eafb4f5dc45d5baff7bd5e9746967de11604b2efadcb658c640e7f81bf0676983b5ed", NULL },
    { "X2-tweak-carry/sector", ALG(AES_128), MODE(XTS), NULL, "01000000000000000000000000000000", pattern_d1, 512,
      NULL, "f66e3520f5c8583c0063aefeb0b1bb524cbbc958b4258df98507fcf58b752cf6" },
    /* Bit 63 set, bit 127 clear. */
    { "X2-tweak-carry/lane-only", ALG(AES_128), MODE(XTS), NULL, "00000000000000000000000000000000", pattern_d1, 32,
      "45e179e76468f645ed4df6e0d8c19ae4d06fcc7b797a920e0f8036e013f7cab4", NULL },
    /* The largest data unit that IEEE 1619 allows. */
    { "X5-huge-unit/2^20-blocks", ALG(AES_256), MODE(XTS), NULL, "05000000000000000000000000000000",
      pattern_product, 16 * MIB, NULL, "403305c55f88cc0d1a68c92a7c28e5a0145065f0cc572557c21d6bb658034969" },
    { "X6-equal-halves", ALG(AES_128), MODE(XTS), "0000000000000000000000000000000000000000000000000000000000000000",
      "00000000000000000000000000000000", pattern_zero, 32,
      "917cf69ebd68b2ec9b9fe9a3eadda692cd43d2f59598ed858c02c2652fbf922e", NULL },
    { "X7-in-place", ALG(AES_256), MODE(XTS), NULL, "00000000000000000000000000000000", pattern_sec, 4096, NULL,
      "40a6738126e28f78a37100ae260756f49242354731fdd9f4525ce7a9f65fb2b4" },
    /* Sector 0x0102030405060708 as plain64 has it: little-endian. */
    { "X10-orders/sector", ALG(AES_256), MODE(XTS), NULL, "08070605040302010000000000000000", pattern_d1, 512,
      "69831a9d5e104278578bafe22580755c712a84facd06df96c78497b1b4552c2a",
      "c424260c80f93556cf6c6b3123a47ef20ec9248dff8741d645c6b7ebf3ee3e4b" },
    { "X11-no-iv", ALG(AES_128), MODE(XTS), NULL, NULL, pattern_d1, 32,
      "45e179e76468f645ed4df6e0d8c19ae4d06fcc7b797a920e0f8036e013f7cab4", NULL },
    { "X15-one-block", ALG(AES_128), MODE(XTS), NULL, "01000000000000000000000000000000", pattern_d1, 16,
      "9654fe19ab47c7d9b99939807a4eafb4", NULL },

    { "C1-false-carry", ALG(AES_128), MODE(CTR), "7e24067817fae0d743d6ce1f32539163",
      "00000000000000007fffffffffffffff", pattern_counting, 32,
      "a2d459477e6432bd74184b1b5370d2243cdc202bc43583b2a55d288cdbbd1e03", NULL },
    { "C2-128-bit-wrap", ALG(AES_128), MODE(CTR), NULL, "fffffffffffffffffffffffffffffffd", pattern_d2, 1024,
      "e6e827aac36ac38496e1b43dca83ed90", "f1ece114cfb9ac07b2fd84bae5ac51558b302b769e818003b657ce7fd4cab382" },
    { "C3-64-bit-carry", ALG(AES_128), MODE(CTR), NULL, "0000000000000000fffffffffffffffe", pattern_d2, 1024, NULL,
      "75d9e84554d4fee300a051a3e87de0d5bc33b1024fbd6a6613b30f4b25baf3e8" },
    { "C4-32-bit-carry", ALG(AES_128), MODE(CTR), "7e24067817fae0d743d6ce1f32539163",
      "006cb6dbc0543b59da48d90bffffffff", pattern_counting, 32,
      "fa4b0a5addf52338efbee5c4ff122fef39714fa87a90069c9d2bb8c593f7fa73", NULL },
    { "C5-palindrome/serpent", ALG(SERPENT_256), MODE(CTR), NULL, "000000000000000000000000000000fe", pattern_d2, 1024,
      "763952626d5616d2ab8fe5e5dbf6d107", "cfebbab1215c245cc836da09a96b090e4e1c5167579cf3c7d05ce321c4e30fe5" },
    { "C5-palindrome/aes", ALG(AES_256), MODE(CTR), NULL, "000000000000000000000000000000fe", pattern_d2, 1024, NULL,
      "366e36794069ebbf507dee30584930ddcfea757fa2573d980b73e27a42671964" },
    { "C9-cbc-chain/whole", ALG(AES_128), MODE(CBC), NULL, "a0a1a2a3a4a5a6a7a8a9aaabacadaeaf", pattern_d2, 1024, NULL,
      "9dcfa05848996e0cfbdf15eafa26fa5a9b0ddfc7e43246f512c4bbcbcb02dfa0" },

    { "C15-byte-order/serpent", ALG(SERPENT_256), MODE(ECB), NULL, NULL, pattern_d1, 32,
      "d5961d6f2e9ab0dbc8dd0c7413b070dbcae37bb5dc466c8817f525de8912f070", NULL },
    { "C15-byte-order/twofish", ALG(TWOFISH_256), MODE(ECB), NULL, NULL, pattern_d1, 32,
      "2d066d23bd4ea6d18a100d418406158c2f1e416116c35114faf4c78fe5ed5e41", NULL },
    { "C15-byte-order/sm4", ALG(SM4), MODE(ECB), NULL, NULL, pattern_d1, 32,
      "ee5fe2cfd0d1567fb82d48eac11ea977ee18d3d0eee7e1144fec43f608d86b47", NULL },
    { "C15-byte-order/cast5", ALG(CAST5_128), MODE(ECB), NULL, NULL, pattern_d1, 16,
      "24ff225e39d8345d539c2f6c19a4a9ef", NULL },
    { "C15-byte-order/3des", ALG(3DES), MODE(ECB), NULL, NULL, pattern_d1, 16, "819785eb9137a8d96158469206e5e4f0",
      NULL },
    { "C15-byte-order/des", ALG(DES), MODE(ECB), NULL, NULL, pattern_d1, 16, "e018fe4c77a07991ee2b3a04892ae24a",
      NULL },
    { "C15-byte-order/aes-128", ALG(AES_128), MODE(ECB), NULL, NULL, pattern_d1, 16,
      "626942b54a8943b103ce05ad09042483", NULL },
    { "C15-byte-order/aes-192", ALG(AES_192), MODE(ECB), NULL, NULL, pattern_d1, 16,
      "0a735eb1f607b38a7c1a3212c0efeef9", NULL },
    { "C15-byte-order/aes-256", ALG(AES_256), MODE(ECB), NULL, NULL, pattern_d1, 16,
      "788ffaa3220595317f639ffb9a275673", NULL },

    /* What QEMU itself gives on every backend. The key is 01 08 0f 16 ... */
    { "probe", ALG(AES_128), MODE(XTS), "01080f161d242b323940474e555c636a71787f868d949ba2a9b0b7bec5ccd3da",
      "11111111111111111111111111111111", pattern_zero, 64,
      "d790486099afacd7be60249969608f20ee1d42ccd4b9fb3cf60755e02dbce9ee"
      "ac9a216a01131d00155e5ece13853e6191826ebe42fa9b451f6b8e45392b8887", NULL },
};

static void check_answer(const KnownAnswer *answer, const uint8_t *ciphertext)
{
    if (answer->begins) {
        expect_hex(ciphertext, strlen(answer->begins) / 2, answer->begins);
    }
    if (answer->sha256) {
        expect_sha256(ciphertext, answer->len, answer->sha256);
    }
}

/* The IV of the case on an object, which may be used already. */
static void restart_answer(QCryptoCipher *cipher, const KnownAnswer *answer)
{
    if (answer->iv) {
        set_hex_iv(cipher, answer->iv);
    }
}

/* Out of place and in place, there and back, on one object. */
static void test_known_answer(const void *opaque)
{
    const KnownAnswer *answer = opaque;
    Pair pair = make_pair(answer->alg, answer->mode);
    g_autofree uint8_t *plaintext = filled(answer->len, answer->plaintext);
    g_autofree uint8_t *buf = g_malloc(answer->len);
    g_autoptr(QCryptoCipher) cipher = NULL;
    uint8_t key[MAX_KEY_LEN];

    if (answer->key) {
        g_assert_cmpuint(unhex(key, sizeof(key), answer->key), ==, pair.key_len);
    } else {
        fill(key, pair.key_len, pattern_k);
    }
    cipher = qcrypto_cipher_new(answer->alg, answer->mode, key, pair.key_len, &error_abort);

    restart_answer(cipher, answer);
    must_encrypt(cipher, plaintext, buf, answer->len);
    check_answer(answer, buf);

    restart_answer(cipher, answer);
    must_decrypt(cipher, buf, buf, answer->len);
    expect_bytes(buf, plaintext, answer->len, "decrypted in place");

    restart_answer(cipher, answer);
    must_encrypt(cipher, buf, buf, answer->len);
    check_answer(answer, buf);

    restart_answer(cipher, answer);
    memset(plaintext, UNTOUCHED, answer->len);
    must_decrypt(cipher, buf, plaintext, answer->len);
    fill(buf, answer->len, answer->plaintext);
    expect_bytes(plaintext, buf, answer->len, "decrypted out of place");
}

/* --- XTS --- */

/* X3: every call is the data unit whose IV was set last; the IV does not advance. */
static void test_second_call(void)
{
    static const char answer[] = "92e6bf5427f1aaf894b12fc2a997dc55d32a71374bfa6f6d4bd7406bcc008420";
    g_autoptr(QCryptoCipher) cipher = open_cipher(ALG(AES_128), MODE(XTS));
    uint8_t plaintext[32], out[32];
    int call;

    fill(plaintext, sizeof(plaintext), pattern_d1);
    set_hex_iv(cipher, "fe000000000000000000000000000000");
    for (call = 0; call < 3; call++) {
        must_encrypt(cipher, plaintext, out, sizeof(out));
        expect_hex(out, sizeof(out), answer);
    }
    for (call = 0; call < 3; call++) {
        uint8_t back[32];

        must_decrypt(cipher, out, back, sizeof(back));
        expect_bytes(back, plaintext, sizeof(back), "call %d", call);
    }
}

/* Refused, with this text, with nothing written. */
static void expect_refused_len(QCryptoCipher *cipher, Direction direction, size_t len, size_t block_len)
{
    /* More than `len` at times, so that a call that goes on does no harm before the test notices. */
    uint8_t in[1024] = { 0 }, out[1024];
    Error *err = NULL;

    memset(out, UNTOUCHED, sizeof(out));
    g_assert_cmpint(crypt_data(cipher, direction, in, out, len, &err), ==, -1);
    expect_errorf(&err, "Length %zu must be a multiple of block size %zu", len, block_len);
    g_assert_cmpint(crypt_data(cipher, direction, in, out, len, NULL), ==, -1);
    expect_all(out, UNTOUCHED, sizeof(out), "%s of %zu bytes, refused", direction_name[direction], len);

    g_assert_cmpint(crypt_data(cipher, direction, out, out, len, &err), ==, -1);
    expect_errorf(&err, "Length %zu must be a multiple of block size %zu", len, block_len);
    expect_all(out, UNTOUCHED, sizeof(out), "%s in place of %zu bytes, refused", direction_name[direction], len);
}

/* X4: other libraries panic or abort on these. */
static void test_short_xts(void)
{
    static const size_t lens[] = { 1, 8, 15, 17, 31, 33 };
    g_autoptr(QCryptoCipher) cipher = open_cipher(ALG(AES_128), MODE(XTS));
    size_t i;

    for (i = 0; i < G_N_ELEMENTS(lens); i++) {
        expect_refused_len(cipher, ENCRYPT, lens[i], 16);
        expect_refused_len(cipher, DECRYPT, lens[i], 16);
    }
}

/* X5: a data unit beyond IEEE 1619's limit goes on by the same rule, as in QEMU with nettle. */
static void test_beyond_limit(void)
{
    const size_t limit = 16 * MIB, len = limit + 16;
    Pair pair = make_pair(ALG(AES_256), MODE(XTS));
    g_autofree uint8_t *plaintext = filled(len, pattern_product);
    g_autofree uint8_t *ciphertext = crypt_fresh(&pair, ENCRYPT, plaintext, len);
    g_autofree uint8_t *shorter = crypt_fresh(&pair, ENCRYPT, plaintext, limit);
    g_autofree uint8_t *back = crypt_fresh(&pair, DECRYPT, ciphertext, len);

    expect_bytes(ciphertext, shorter, limit, "the first 2^20 blocks");
    expect_bytes(back, plaintext, len, "decrypted");
}

/* X9: every number of blocks up to a page, against one digest. */
static void test_every_length(void)
{
    g_autoptr(QCryptoCipher) cipher = open_cipher(ALG(AES_256), MODE(XTS));
    g_autoptr(GChecksum) running = g_checksum_new(G_CHECKSUM_SHA256);
    uint8_t plaintext[4096], out[4096], digest[32];
    size_t len;

    fill(plaintext, sizeof(plaintext), pattern_d1);
    for (len = 16; len <= sizeof(out); len += 16) {
        g_autoptr(GChecksum) one = g_checksum_new(G_CHECKSUM_SHA256);
        gsize digest_len = sizeof(digest);

        must_encrypt(cipher, plaintext, out, len);
        g_checksum_update(one, out, len);
        g_checksum_get_digest(one, digest, &digest_len);
        g_checksum_update(running, digest, digest_len);
    }
    g_assert_cmpstr(g_checksum_get_string(running), ==,
                    "be069a4bd33d7c77de0e234d612927354f5c7f27c76c91e896fcf03685c46052");
}

/* X10: the data key comes first. The second value is what a library gives that has the halves the wrong way round. */
static void test_key_order(void)
{
    static const char *const answers[] = {
        "45e179e76468f645ed4df6e0d8c19ae4d06fcc7b797a920e0f8036e013f7cab4",
        "798d4900940f00f654ed896742fbcf3def14d81c7ebbaa5b7aabfd7d80da6564",
    };
    uint8_t key[32], plaintext[32], out[32];
    int swapped;

    fill(plaintext, sizeof(plaintext), pattern_d1);
    for (swapped = 0; swapped < 2; swapped++) {
        g_autoptr(QCryptoCipher) cipher = NULL;
        size_t i;

        for (i = 0; i < sizeof(key); i++) {
            key[i] = pattern_k(swapped ? i ^ 16 : i);
        }
        cipher = qcrypto_cipher_new(ALG(AES_128), MODE(XTS), key, sizeof(key), &error_abort);
        must_encrypt(cipher, plaintext, out, sizeof(out));
        expect_hex(out, sizeof(out), answers[swapped]);
    }
}

/* X13: one object goes both ways in any order, in a cipher whose two directions are unlike. */
static void test_both_directions(void)
{
    static const char sha256[] = "8d0fe783802d4de57c48f0c0c1fe13b170c009364f568975cfb0478948aa6046";
    static const char zero[] = "00000000000000000000000000000000";
    g_autoptr(QCryptoCipher) cipher = open_cipher(ALG(SERPENT_256), MODE(XTS));
    uint8_t plaintext[4096], ciphertext[4096], back[4096];

    fill(plaintext, sizeof(plaintext), pattern_sec);
    set_hex_iv(cipher, zero);
    must_encrypt(cipher, plaintext, ciphertext, sizeof(ciphertext));
    expect_sha256(ciphertext, sizeof(ciphertext), sha256);
    set_hex_iv(cipher, zero);
    must_decrypt(cipher, ciphertext, back, sizeof(back));
    expect_bytes(back, plaintext, sizeof(back), "decrypted");
    must_encrypt(cipher, plaintext, ciphertext, sizeof(ciphertext));
    expect_sha256(ciphertext, sizeof(ciphertext), sha256);
}

/* X14: the buffers, the key and the IV at every alignment. */
static void test_unaligned_vector(void)
{
    static const char sha256[] = "c424260c80f93556cf6c6b3123a47ef20ec9248dff8741d645c6b7ebf3ee3e4b";
    enum { LEN = 512, IV_LEN = 16 };
    uint8_t key[16 + MAX_KEY_LEN], iv[16 + IV_LEN], in[16 + LEN], out[16 + LEN];
    size_t a, b;

    for (a = 0; a < 16; a++) {
        g_autoptr(QCryptoCipher) cipher = NULL;

        fill(key + a, MAX_KEY_LEN, pattern_k);
        cipher = qcrypto_cipher_new(ALG(AES_256), MODE(XTS), key + a, MAX_KEY_LEN, &error_abort);
        unhex(iv + a, IV_LEN, "08070605040302010000000000000000");
        qcrypto_cipher_setiv(cipher, iv + a, IV_LEN, &error_abort);
        fill(in + a, LEN, pattern_d1);
        for (b = 0; b < 16; b++) {
            must_encrypt(cipher, in + a, out + b, LEN);
            expect_sha256(out + b, LEN, sha256);
        }
    }
}

/* X16: sectors on both sides of 2^32 with "plain" IVs, which are the low 32 bits alone. */
static void test_plain_wrap(void)
{
    static const char *const begins[] = {
        "377f1781a2f11006", "a5d444d3f211127d", "e0208cff9ca86b5e", "6c882ee4e64d32c2",
    };
    g_autoptr(QCryptoCipher) cipher = open_cipher(ALG(AES_256), MODE(XTS));
    uint8_t data[4 * 512];
    size_t i;

    fill(data, sizeof(data), pattern_d1);
    for (i = 0; i < G_N_ELEMENTS(begins); i++) {
        guint32 sector = GUINT32_TO_LE(0xfffffffe + (guint32)i);
        uint8_t iv[16] = { 0 };

        memcpy(iv, &sector, sizeof(sector));
        qcrypto_cipher_setiv(cipher, iv, sizeof(iv), &error_abort);
        must_encrypt(cipher, data + 512 * i, data + 512 * i, 512);
        expect_hex(data + 512 * i, 8, begins[i]);
    }
    expect_sha256(data, sizeof(data), "e0ffccab3740db0eef97e378080d63ac9d3950daaed1a6233bf4eaa0c3ee7bab");
}

/* --- CTR, CBC, ECB, DES --- */

/* Encrypt in place, in pieces of these lengths over and over. */
static void encrypt_in_pieces(QCryptoCipher *cipher, uint8_t *data, size_t len, const size_t *pieces, size_t npieces)
{
    size_t done = 0, i;

    for (i = 0; done < len; i = (i + 1) % npieces) {
        size_t piece = MIN(pieces[i], len - done);

        must_encrypt(cipher, data + done, data + done, piece);
        done += piece;
    }
}

/* C6, C7: the counter goes on from call to call, also in place. */
static void test_ctr_pieces(void)
{
    static const size_t pieces[][3] = { { 1024, 1024, 1024 }, { 16, 16, 16 }, { 16, 496, 512 } };
    static const char *const cases[][2] = {
        { "fffffffffffffffffffffffffffffffd", "f1ece114cfb9ac07b2fd84bae5ac51558b302b769e818003b657ce7fd4cab382" },
        { "0000000000000000fffffffffffffffe", "75d9e84554d4fee300a051a3e87de0d5bc33b1024fbd6a6613b30f4b25baf3e8" },
    };
    g_autoptr(QCryptoCipher) cipher = open_cipher(ALG(AES_128), MODE(CTR));
    uint8_t data[1024];
    size_t i, j;

    for (i = 0; i < G_N_ELEMENTS(cases); i++) {
        for (j = 0; j < G_N_ELEMENTS(pieces); j++) {
            fill(data, sizeof(data), pattern_d2);
            set_hex_iv(cipher, cases[i][0]);
            encrypt_in_pieces(cipher, data, sizeof(data), pieces[j], G_N_ELEMENTS(pieces[j]));
            expect_sha256(data, sizeof(data), cases[i][1]);
        }
    }
}

/* C8: part of a block is refused in every mode, CTR included. */
static void test_partial_blocks(void)
{
    static const struct {
        QCryptoCipherAlgo alg;
        QCryptoCipherMode mode;
        size_t len, block_len;
    } cases[] = {
        { ALG(AES_256), MODE(CBC), 20, 16 },
        { ALG(AES_256), MODE(CBC), 40, 16 },
        { ALG(AES_128), MODE(CTR), 17, 16 },
        { ALG(DES), MODE(ECB), 9, 8 },
    };
    size_t i;

    for (i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autoptr(QCryptoCipher) cipher = open_cipher(cases[i].alg, cases[i].mode);

        expect_refused_len(cipher, ENCRYPT, cases[i].len, cases[i].block_len);
        expect_refused_len(cipher, DECRYPT, cases[i].len, cases[i].block_len);
    }
}

/* C9: the chain goes on from call to call, both ways, in place. */
static void test_cbc_pieces(void)
{
    static const char iv[] = "a0a1a2a3a4a5a6a7a8a9aaabacadaeaf";
    g_autoptr(QCryptoCipher) cipher = open_cipher(ALG(AES_128), MODE(CBC));
    uint8_t data[1024], plaintext[1024];
    const size_t piece = 48;
    size_t i;

    fill(data, sizeof(data), pattern_d2);
    fill(plaintext, sizeof(plaintext), pattern_d2);
    set_hex_iv(cipher, iv);
    encrypt_in_pieces(cipher, data, sizeof(data), &piece, 1);
    expect_sha256(data, sizeof(data), "9dcfa05848996e0cfbdf15eafa26fa5a9b0ddfc7e43246f512c4bbcbcb02dfa0");

    set_hex_iv(cipher, iv);
    for (i = 0; i < sizeof(data); i += piece) {
        must_decrypt(cipher, data + i, data + i, MIN(piece, sizeof(data) - i));
    }
    expect_bytes(data, plaintext, sizeof(data), "decrypted in pieces");
}

/* C10: the last setiv counts, whatever came before. */
static void test_setiv_twice(void)
{
    g_autoptr(QCryptoCipher) cipher = open_cipher(ALG(AES_128), MODE(CTR));
    uint8_t data[1024];

    fill(data, sizeof(data), pattern_d2);
    set_hex_iv(cipher, "ffffffffffffffffffffffffffffffff");
    set_hex_iv(cipher, "fffffffffffffffffffffffffffffffd");
    must_encrypt(cipher, data, data, sizeof(data));
    expect_sha256(data, sizeof(data), "f1ece114cfb9ac07b2fd84bae5ac51558b302b769e818003b657ce7fd4cab382");
}

/* C10: a refused call changes nothing. test_refusals_keep_state() has more of it. */
static void test_refused_then_good(void)
{
    Pair pair = make_pair(ALG(AES_256), MODE(CBC));
    g_autoptr(QCryptoCipher) cipher = open_pair(&pair);
    uint8_t plaintext[16], out[16];
    g_autofree uint8_t *want = NULL;

    fill(plaintext, sizeof(plaintext), pattern_d2);
    want = crypt_fresh(&pair, ENCRYPT, plaintext, sizeof(plaintext));
    restart(cipher, &pair);
    expect_refused_len(cipher, ENCRYPT, 20, 16);
    must_encrypt(cipher, plaintext, out, sizeof(out));
    expect_bytes(out, want, sizeof(out), "after a refused call");
}

/* C11: ECB has no IV, and no other mode takes one of another length; the object goes on working. */
static void expect_refused_ivs(const Pair *pair)
{
    g_autoptr(QCryptoCipher) cipher = open_pair(pair);
    uint8_t in[64], out[64], iv[64];
    g_autofree uint8_t *want = NULL;
    Error *err = NULL;
    size_t niv;

    fill(in, sizeof(in), pattern_d1);
    fill(iv, sizeof(iv), pattern_k);
    want = crypt_fresh(pair, ENCRYPT, in, sizeof(in));
    restart(cipher, pair);
    for (niv = 0; niv <= sizeof(iv); niv++) {
        if (pair->iv_len && niv == pair->iv_len) {
            continue;
        }
        g_assert_cmpint(qcrypto_cipher_setiv(cipher, iv, niv, &err), ==, -1);
        if (pair->iv_len) {
            expect_errorf(&err, "Expected IV size %zu not %zu", pair->iv_len, niv);
        } else {
            expect_error(&err, "Setting IV is not supported");
        }
        g_assert_cmpint(qcrypto_cipher_setiv(cipher, iv, niv, NULL), ==, -1);
    }
    /* Lengths are looked at first. */
    g_assert_cmpint(qcrypto_cipher_setiv(cipher, NULL, 0, &err), ==, -1);
    if (pair->iv_len) {
        expect_errorf(&err, "Expected IV size %zu not 0", pair->iv_len);
        g_assert_cmpint(qcrypto_cipher_setiv(cipher, NULL, pair->iv_len, &err), ==, -1);
        expect_error(&err, "Argument 'iv' is NULL");
    } else {
        expect_error(&err, "Setting IV is not supported");
    }
    must_encrypt(cipher, in, out, sizeof(out));
    expect_bytes(out, want, sizeof(out), "%s after refused IVs", pair->name);
}

static void test_refused_ivs(void)
{
    for_each_pair(expect_refused_ivs);
}

/* C13: parity bits of DES keys are ignored, and may be wrong. 3DES with three equal keys is DES. */
static void test_des_parity(void)
{
    static const uint8_t des_key[8] = { 0x13, 0x34, 0x57, 0x79, 0x9b, 0xbc, 0xdf, 0xf1 };
    static const uint8_t plaintext[8] = { 0x01, 0x23, 0x45, 0x67, 0x89, 0xab, 0xcd, 0xef };
    static const QCryptoCipherAlgo algs[] = { ALG(DES), ALG(3DES) };
    uint8_t key[24], out[8];
    size_t i, flip, a;

    for (a = 0; a < G_N_ELEMENTS(algs); a++) {
        for (flip = 0; flip < 2; flip++) {
            g_autoptr(QCryptoCipher) cipher = NULL;

            for (i = 0; i < sizeof(key); i++) {
                key[i] = des_key[i % 8] ^ flip;
            }
            cipher = qcrypto_cipher_new(algs[a], MODE(ECB), key, cipher_info[algs[a]].key_len, &error_abort);
            must_encrypt(cipher, plaintext, out, sizeof(out));
            expect_hex(out, sizeof(out), "85e813540f0ab405");
        }
    }
}

/* C14: VNC reverses the bits of each password byte; that is the caller's part, and "des" is plain DES. */
static void test_vnc_key(void)
{
    static const char password[8] = "123456";
    g_autoptr(QCryptoCipher) cipher = NULL;
    uint8_t key[8] = { 0 }, data[16];
    int i, bit;

    for (i = 0; i < 8; i++) {
        for (bit = 0; bit < 8; bit++) {
            key[i] |= (password[i] >> bit & 1) << (7 - bit);
        }
    }
    expect_hex(key, sizeof(key), "8c4ccc2cac6c0000");
    cipher = qcrypto_cipher_new(ALG(DES), MODE(ECB), key, sizeof(key), &error_abort);
    fill(data, sizeof(data), pattern_counting);
    must_encrypt(cipher, data, data, sizeof(data));
    expect_hex(data, sizeof(data), "4e77e4979af45288597c5958414fe9c7");
}

/* DES keys that some libraries refuse: VNC and old volumes have them. All bytes are one block's encryption and back. */
static void test_weak_keys(void)
{
    static const char *const keys[] = {
        "0000000000000000", "0101010101010101", "fefefefefefefefe", "e0e0e0e0f1f1f1f1", "1f1f1f1f0e0e0e0e",
        "01fe01fe01fe01fe",
    };
    uint8_t key[24], plaintext[8], out[8];
    size_t i, part;

    fill(plaintext, sizeof(plaintext), pattern_d1);
    for (i = 0; i < G_N_ELEMENTS(keys); i++) {
        g_autoptr(QCryptoCipher) des = NULL;
        g_autoptr(QCryptoCipher) triple = NULL;
        uint8_t des_out[8];

        for (part = 0; part < 3; part++) {
            unhex(key + 8 * part, 8, keys[i]);
        }
        des = qcrypto_cipher_new(ALG(DES), MODE(ECB), key, 8, &error_abort);
        triple = qcrypto_cipher_new(ALG(3DES), MODE(ECB), key, 24, &error_abort);
        must_encrypt(des, plaintext, des_out, sizeof(des_out));
        must_encrypt(triple, plaintext, out, sizeof(out));
        expect_bytes(out, des_out, sizeof(out), "3des with the key %s three times", keys[i]);
        must_decrypt(des, out, out, sizeof(out));
        expect_bytes(out, plaintext, sizeof(out), "des with the key %s", keys[i]);
    }
}

/* C16: more than 4 GiB in one call is what many shorter calls give. Needs that much memory. */
static void test_4gib(void)
{
    const size_t step = MIB, rest = 64, len = ((size_t)4 << 30) + rest;
    g_autoptr(QCryptoCipher) whole = open_cipher(ALG(AES_256), MODE(CTR));
    g_autoptr(QCryptoCipher) pieces = open_cipher(ALG(AES_256), MODE(CTR));
    g_autofree uint8_t *zero = g_malloc0(step);
    g_autofree uint8_t *piece = g_malloc(step);
    uint8_t *data;
    size_t i;

    if (!g_getenv("QCRYPTO_TEST_SLOW")) {
        g_test_skip("4 GiB in one call takes 4 GiB of memory and half a minute: set QCRYPTO_TEST_SLOW to run it");
        return;
    }
    data = mmap(NULL, len, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    g_assert_true(data != MAP_FAILED);
    must_encrypt(whole, data, data, len);
    for (i = 0; i < len; i += step) {
        size_t piece_len = MIN(step, len - i);

        must_encrypt(pieces, zero, piece, piece_len);
        expect_bytes(data + i, piece, piece_len, "at offset %zu", i);
    }
    munmap(data, len);
}

/* C17: zero bytes succeed, whatever the pointers, and change nothing. */
static void check_zero_length(const Pair *pair)
{
    uint8_t in[64], out[64], guard = UNTOUCHED;
    g_autofree uint8_t *want = NULL;
    Error *err = NULL;
    int direction;

    fill(in, sizeof(in), pattern_d1);
    for (direction = ENCRYPT; direction <= DECRYPT; direction++) {
        g_autoptr(QCryptoCipher) cipher = open_pair(pair);

        restart(cipher, pair);
        g_assert_cmpint(crypt_data(cipher, direction, NULL, NULL, 0, &err), ==, 0);
        g_assert_cmpint(crypt_data(cipher, direction, in, NULL, 0, &err), ==, 0);
        g_assert_cmpint(crypt_data(cipher, direction, NULL, &guard, 0, &err), ==, 0);
        g_assert_cmpint(crypt_data(cipher, direction, &guard, &guard, 0, &err), ==, 0);
        g_assert_null(err);
        g_assert_cmpint(guard, ==, UNTOUCHED);
        g_assert_cmpint(crypt_data(cipher, direction, in, out, sizeof(out), &err), ==, 0);
        g_assert_null(err);

        g_free(want);
        want = crypt_fresh(pair, direction, in, sizeof(in));
        expect_bytes(out, want, sizeof(out), "%s after calls of zero bytes", pair->name);
    }
}

static void test_zero_length(void)
{
    for_each_pair(check_zero_length);
}

/* --- What the API promises of every cipher and mode --- */

static void test_lengths(void)
{
    unsigned alg, mode;
    size_t i;

    for (alg = 0; alg < QCRYPTO_CIPHER_ALGO__MAX; alg++) {
        const CipherInfo *info = &cipher_info[alg];

        g_assert_cmpint(info->alg, ==, alg);
        g_assert_cmpuint(qcrypto_cipher_get_key_len(alg), ==, info->key_len);
        g_assert_cmpuint(qcrypto_cipher_get_block_len(alg), ==, info->block_len);
        g_assert_cmpuint(qcrypto_cipher_get_iv_len(alg, MODE(ECB)), ==, 0);
        for (mode = MODE(CBC); mode < QCRYPTO_CIPHER_MODE__MAX; mode++) {
            g_assert_cmpuint(qcrypto_cipher_get_iv_len(alg, mode), ==, info->block_len);
        }
        for (i = 0; i < G_N_ELEMENTS(bad_modes); i++) {
            g_assert_cmpuint(qcrypto_cipher_get_iv_len(alg, bad_modes[i]), ==, 0);
        }
    }
}

/* QEMU ends the program over these. */
static void test_lengths_out_of_range(void)
{
    size_t i;
    unsigned mode;

    for (i = 0; i < G_N_ELEMENTS(bad_algs); i++) {
        g_assert_cmpuint(qcrypto_cipher_get_key_len(bad_algs[i]), ==, 0);
        g_assert_cmpuint(qcrypto_cipher_get_block_len(bad_algs[i]), ==, 0);
        for (mode = 0; mode < QCRYPTO_CIPHER_MODE__MAX; mode++) {
            g_assert_cmpuint(qcrypto_cipher_get_iv_len(bad_algs[i], mode), ==, 0);
        }
    }
}

/* supports() is right about new() for this pair of numbers, which may name nothing. */
static void check_supports(unsigned alg, unsigned mode)
{
    bool exists = alg < QCRYPTO_CIPHER_ALGO__MAX && mode < QCRYPTO_CIPHER_MODE__MAX &&
                  (mode != MODE(XTS) || cipher_info[alg].block_len == 16);
    size_t key_len = alg < QCRYPTO_CIPHER_ALGO__MAX ? cipher_info[alg].key_len : 16;
    uint8_t key[MAX_KEY_LEN];
    Error *err = NULL;
    QCryptoCipher *cipher;

    if (mode == MODE(XTS)) {
        key_len *= 2;
    }
    fill(key, key_len, pattern_k);
    cipher = qcrypto_cipher_new(alg, mode, key, key_len, &err);
    if (!!cipher != exists || qcrypto_cipher_supports(alg, mode) != exists || !err != exists) {
        g_error("algorithm %d in mode %d: new %d, Error %d, supports %d, but should be %d", (int)alg, (int)mode,
                !!cipher, !!err, qcrypto_cipher_supports(alg, mode), exists);
    }
    if (cipher) {
        g_assert_cmpint(cipher->alg, ==, alg);
        g_assert_cmpint(cipher->mode, ==, mode);
    }
    error_free(err);
    qcrypto_cipher_free(cipher);
}

static void test_supports(void)
{
    unsigned alg, mode;
    size_t i, j;

    for (alg = 0; alg < QCRYPTO_CIPHER_ALGO__MAX; alg++) {
        for (mode = 0; mode < QCRYPTO_CIPHER_MODE__MAX; mode++) {
            check_supports(alg, mode);
        }
    }
    for (i = 0; i < G_N_ELEMENTS(bad_algs); i++) {
        for (mode = 0; mode < QCRYPTO_CIPHER_MODE__MAX; mode++) {
            check_supports(bad_algs[i], mode);
        }
        for (j = 0; j < G_N_ELEMENTS(bad_modes); j++) {
            check_supports(bad_algs[i], bad_modes[j]);
        }
    }
    for (j = 0; j < G_N_ELEMENTS(bad_modes); j++) {
        for (alg = 0; alg < QCRYPTO_CIPHER_ALGO__MAX; alg++) {
            check_supports(alg, bad_modes[j]);
        }
    }
}

static void expect_refused_new(unsigned alg, unsigned mode, const uint8_t *key, size_t nkey, const char *text)
{
    Error *err = NULL;

    g_assert_null(qcrypto_cipher_new(alg, mode, key, nkey, &err));
    expect_error(&err, text);
    /* L11: nobody asked why. */
    g_assert_null(qcrypto_cipher_new(alg, mode, key, nkey, NULL));
}

/* C12, X12 and the numbers that name nothing: what is wrong, and which of several faults is named. */
static void test_refused_new(void)
{
    static const struct {
        unsigned alg, mode;
        size_t nkey;
        const char *text;
    } cases[] = {
        { 13, MODE(ECB), 16, "Cipher algorithm 13 out of range" },
        { 99, MODE(CBC), 16, "Cipher algorithm 99 out of range" },
        { -1, MODE(XTS), 16, "Cipher algorithm -1 out of range" },
        { 99, 9, 16, "Cipher algorithm 99 out of range" },
        { ALG(AES_128), 4, 16, "Cipher mode 4 out of range" },
        { ALG(AES_128), 9, 16, "Cipher mode 9 out of range" },
        { ALG(AES_128), -1, 17, "Cipher mode -1 out of range" },

        { ALG(AES_256), MODE(CBC), 16, "Cipher key length 16 should be 32" },
        { ALG(AES_256), MODE(XTS), 63, "XTS cipher key length should be a multiple of 2" },
        { ALG(AES_256), MODE(XTS), 32, "Cipher key length 32 should be 64" },
        { ALG(AES_192), MODE(XTS), 24, "Cipher key length 24 should be 48" },
        { ALG(AES_128), MODE(ECB), 0, "Cipher key length 0 should be 16" },
        { ALG(AES_128), MODE(XTS), 0, "Cipher key length 0 should be 32" },

        { ALG(DES), MODE(XTS), 16, "XTS mode not compatible with DES/3DES" },
        { ALG(DES), MODE(XTS), 15, "XTS mode not compatible with DES/3DES" },
        { ALG(3DES), MODE(XTS), 48, "XTS mode not compatible with DES/3DES" },
        { ALG(3DES), MODE(XTS), 0, "XTS mode not compatible with DES/3DES" },
        { ALG(CAST5_128), MODE(XTS), 32, "Unsupported cipher algorithm cast5-128 with xts mode" },
        { ALG(CAST5_128), MODE(XTS), 16, "Cipher key length 16 should be 32" },
        { ALG(CAST5_128), MODE(XTS), 31, "XTS cipher key length should be a multiple of 2" },
    };
    uint8_t key[MAX_KEY_LEN];
    size_t i;

    fill(key, sizeof(key), pattern_k);
    for (i = 0; i < G_N_ELEMENTS(cases); i++) {
        expect_refused_new(cases[i].alg, cases[i].mode, key, cases[i].nkey, cases[i].text);
    }
}

/* Every key length but the right one, and no key at all. */
static void check_key_lengths(const Pair *pair)
{
    uint8_t key[80];
    size_t nkey;

    fill(key, sizeof(key), pattern_k);
    for (nkey = 0; nkey <= sizeof(key) + 2; nkey++) {
        /* The last two are as long as a length can be; the key is not read. */
        size_t given = nkey <= sizeof(key) ? nkey : SIZE_MAX - (sizeof(key) + 2 - nkey);
        g_autofree char *text = g_strdup_printf("Cipher key length %zu should be %zu", given, pair->key_len);
        bool odd = pair->mode == MODE(XTS) && given % 2;

        if (nkey != pair->key_len) {
            expect_refused_new(pair->alg, pair->mode, key, given,
                               odd ? "XTS cipher key length should be a multiple of 2" : text);
        }
    }
    expect_refused_new(pair->alg, pair->mode, NULL, pair->key_len, "Argument 'key' is NULL");
}

static void test_key_lengths(void)
{
    for_each_pair(check_key_lengths);
}

/* Every length that is no whole number of blocks. */
static void check_partial_lengths(const Pair *pair)
{
    g_autoptr(QCryptoCipher) cipher = open_pair(pair);
    size_t len;

    for (len = 1; len < 67; len++) {
        if (len % pair->block_len) {
            expect_refused_len(cipher, ENCRYPT, len, pair->block_len);
            expect_refused_len(cipher, DECRYPT, len, pair->block_len);
        }
    }
    for (len = SIZE_MAX; len % pair->block_len; len--) {
        expect_refused_len(cipher, ENCRYPT, len, pair->block_len);
        expect_refused_len(cipher, DECRYPT, len, pair->block_len);
    }
}

static void test_partial_lengths(void)
{
    for_each_pair(check_partial_lengths);
}

/* A call that is refused with this text, and another without errp. */
static void expect_refused(QCryptoCipher *cipher, Direction direction, const void *in, void *out, size_t len,
                           const char *text)
{
    Error *err = NULL;

    g_assert_cmpint(crypt_data(cipher, direction, in, out, len, &err), ==, -1);
    expect_error(&err, text);
    g_assert_cmpint(crypt_data(cipher, direction, in, out, len, NULL), ==, -1);
}

static void check_null(const Pair *pair)
{
    g_autoptr(QCryptoCipher) cipher = open_pair(pair);
    uint8_t in[32] = { 0 }, out[32];
    int direction;

    memset(out, UNTOUCHED, sizeof(out));
    for (direction = ENCRYPT; direction <= DECRYPT; direction++) {
        expect_refused(cipher, direction, NULL, out, sizeof(out), "Argument 'in' is NULL");
        expect_refused(cipher, direction, in, NULL, sizeof(in), "Argument 'out' is NULL");
        expect_refused(cipher, direction, NULL, NULL, sizeof(in), "Argument 'in' is NULL");
        expect_refused(NULL, direction, in, out, sizeof(out), "Argument 'cipher' is NULL");
    }
    expect_all(out, UNTOUCHED, sizeof(out), "%s with NULL arguments", pair->name);
}

static void test_null(void)
{
    Error *err = NULL;
    uint8_t iv[16] = { 0 };

    for_each_pair(check_null);
    g_assert_cmpint(qcrypto_cipher_setiv(NULL, iv, sizeof(iv), &err), ==, -1);
    expect_error(&err, "Argument 'cipher' is NULL");
    g_assert_cmpint(qcrypto_cipher_setiv(NULL, iv, sizeof(iv), NULL), ==, -1);
    qcrypto_cipher_free(NULL);
    g_assert_cmpstr(qcrypto_cipher_get_backend(NULL), ==, "none");
}

/* No object in memory is longer than half of the address space. */
static void test_too_long(void)
{
    g_autoptr(QCryptoCipher) cipher = open_cipher(ALG(AES_128), MODE(CTR));
    const size_t lens[] = { SIZE_MAX / 2 + 1, SIZE_MAX - 15 };
    uint8_t buf[16], other[16] = { 0 };
    size_t i;

    memset(buf, UNTOUCHED, sizeof(buf));
    for (i = 0; i < G_N_ELEMENTS(lens); i++) {
        g_autofree char *text = g_strdup_printf("Length %zu is larger than any object in memory", lens[i]);

        expect_refused(cipher, ENCRYPT, buf, buf, lens[i], text);
        expect_refused(cipher, DECRYPT, other, buf, lens[i], text);
    }
    expect_all(buf, UNTOUCHED, sizeof(buf), "after impossible lengths");
}

/* Buffers that share some bytes are refused; buffers that only touch are not. */
static void check_overlap(const Pair *pair)
{
    enum { MAX_LEN = 3 * MAX_BLOCK_LEN };
    const ptrdiff_t len = 3 * pair->block_len;
    g_autoptr(QCryptoCipher) cipher = open_pair(pair);
    uint8_t buf[3 * MAX_LEN], before[3 * MAX_LEN];
    uint8_t *in = buf + len;
    int direction;
    ptrdiff_t offset;

    fill(buf, sizeof(buf), pattern_d1);
    fill(before, sizeof(before), pattern_d1);
    restart(cipher, pair);
    for (direction = ENCRYPT; direction <= DECRYPT; direction++) {
        g_autofree uint8_t *want = crypt_fresh(pair, direction, in, len);

        for (offset = 1 - len; offset < len; offset++) {
            if (offset != 0) {
                expect_refused(cipher, direction, in, in + offset, len,
                               "Input and output overlap without being the same buffer");
            }
        }
        expect_bytes(buf, before, sizeof(buf), "%s refused for overlap", pair->name);

        for (offset = -len; offset <= len; offset += 2 * len) {
            restart(cipher, pair);
            g_assert_cmpint(crypt_data(cipher, direction, in, in + offset, len, &error_abort), ==, 0);
            expect_bytes(in + offset, want, len, "%s %s at offset %td", pair->name, direction_name[direction], offset);
            expect_bytes(in, before + len, len, "%s input beside the output", pair->name);
            fill(buf, sizeof(buf), pattern_d1);
        }
        restart(cipher, pair);
    }
}

static void test_overlap(void)
{
    for_each_pair(check_overlap);
}

/* Refused calls between two good ones make no difference, in either direction. */
static void check_refusals_keep_state(const Pair *pair)
{
    enum { LEN = 128, HALF = LEN / 2 };
    uint8_t in[LEN], out[LEN], want[LEN], scratch[LEN] = { 0 };
    int direction;

    fill(in, sizeof(in), pattern_d1);
    for (direction = ENCRYPT; direction <= DECRYPT; direction++) {
        g_autoptr(QCryptoCipher) plain = open_pair(pair);
        g_autoptr(QCryptoCipher) harassed = open_pair(pair);
        int other;

        restart(plain, pair);
        g_assert_cmpint(crypt_data(plain, direction, in, want, HALF, &error_abort), ==, 0);
        g_assert_cmpint(crypt_data(plain, direction, in + HALF, want + HALF, HALF, &error_abort), ==, 0);

        restart(harassed, pair);
        g_assert_cmpint(crypt_data(harassed, direction, in, out, HALF, &error_abort), ==, 0);
        for (other = ENCRYPT; other <= DECRYPT; other++) {
            g_assert_cmpint(crypt_data(harassed, other, in, scratch, HALF + 1, NULL), ==, -1);
            g_assert_cmpint(crypt_data(harassed, other, in, scratch, pair->block_len - 1, NULL), ==, -1);
            g_assert_cmpint(crypt_data(harassed, other, NULL, scratch, HALF, NULL), ==, -1);
            g_assert_cmpint(crypt_data(harassed, other, in, NULL, HALF, NULL), ==, -1);
            g_assert_cmpint(crypt_data(harassed, other, scratch, scratch + 1, HALF, NULL), ==, -1);
            g_assert_cmpint(crypt_data(harassed, other, NULL, NULL, 0, &error_abort), ==, 0);
        }
        g_assert_cmpint(qcrypto_cipher_setiv(harassed, in, pair->iv_len + 1, NULL), ==, -1);
        g_assert_cmpint(qcrypto_cipher_setiv(harassed, NULL, pair->iv_len, NULL), ==, -1);
        g_assert_cmpint(crypt_data(harassed, direction, in + HALF, out + HALF, HALF, &error_abort), ==, 0);

        expect_bytes(out, want, sizeof(out), "%s %s around refused calls", pair->name, direction_name[direction]);
        expect_all(scratch, 0, sizeof(scratch), "%s output of refused calls", pair->name);
    }
}

static void test_refusals_keep_state(void)
{
    for_each_pair(check_refusals_keep_state);
}

/* No setiv is a zero IV. */
static void check_zero_iv(const Pair *pair)
{
    g_autoptr(QCryptoCipher) unset = open_pair(pair);
    g_autoptr(QCryptoCipher) zero = open_pair(pair);
    uint8_t in[64], out[64], want[64], iv[MAX_BLOCK_LEN] = { 0 };

    if (!pair->iv_len) {
        return;
    }
    fill(in, sizeof(in), pattern_d1);
    qcrypto_cipher_setiv(zero, iv, pair->iv_len, &error_abort);
    must_encrypt(unset, in, out, sizeof(out));
    must_encrypt(zero, in, want, sizeof(want));
    expect_bytes(out, want, sizeof(out), "%s without an IV", pair->name);
}

static void test_zero_iv(void)
{
    for_each_pair(check_zero_iv);
}

/* A run of calls is one call, except in XTS, where each call is the same data unit. Both ways on one object. */
static void check_chaining(const Pair *pair)
{
    enum { LEN = 4096 };
    static const size_t blocks[] = { 1, 2, 3, 7, 8, 9, 16, 31, 33 };
    g_autoptr(QCryptoCipher) cipher = open_pair(pair);
    g_autofree uint8_t *in = filled(LEN, pattern_sec);
    g_autofree uint8_t *out = g_malloc(LEN);
    int direction, round;

    for (round = 0; round < 2; round++) {
        for (direction = ENCRYPT; direction <= DECRYPT; direction++) {
            g_autofree uint8_t *want = crypt_fresh(pair, direction, in, LEN);
            size_t done = 0, i;

            restart(cipher, pair);
            for (i = 0; done < LEN; i = (i + 1) % G_N_ELEMENTS(blocks)) {
                size_t len = MIN(blocks[i] * pair->block_len, LEN - done);

                if (pair->mode == MODE(XTS)) {
                    /* The unit's beginning again. */
                    g_assert_cmpint(crypt_data(cipher, direction, in, out, len, &error_abort), ==, 0);
                    expect_bytes(out, want, len, "%s %s of a data unit", pair->name, direction_name[direction]);
                } else {
                    g_assert_cmpint(crypt_data(cipher, direction, in + done, out + done, len, &error_abort), ==, 0);
                }
                done += len;
            }
            if (pair->mode != MODE(XTS)) {
                expect_bytes(out, want, LEN, "%s %s in pieces", pair->name, direction_name[direction]);
            }
        }
    }
}

static void test_chaining(void)
{
    for_each_pair(check_chaining);
}

/* X7, X8, X14: every cipher and mode in place at every alignment, and out of place at every pair of them. */
static void check_alignments(const Pair *pair)
{
    enum { MAX_LEN = 17 * MAX_BLOCK_LEN };
    const size_t len = 17 * pair->block_len;
    g_autoptr(QCryptoCipher) cipher = open_pair(pair);
    uint8_t plaintext[MAX_LEN], in[MAX_LEN + 16], out[MAX_LEN + 16];
    int direction;
    size_t a, b;

    fill(plaintext, len, pattern_d2);
    for (direction = ENCRYPT; direction <= DECRYPT; direction++) {
        g_autofree uint8_t *want = crypt_fresh(pair, direction, plaintext, len);

        for (a = 0; a < 16; a++) {
            memcpy(in + a, plaintext, len);
            for (b = 0; b < 16; b++) {
                memset(out, UNTOUCHED, sizeof(out));
                restart(cipher, pair);
                g_assert_cmpint(crypt_data(cipher, direction, in + a, out + b, len, &error_abort), ==, 0);
                expect_bytes(out + b, want, len, "%s %s at %zu and %zu", pair->name, direction_name[direction], a, b);
                expect_all(out, UNTOUCHED, b, "%s before the output", pair->name);
                expect_all(out + b + len, UNTOUCHED, 16 - b, "%s after the output", pair->name);
            }
            expect_bytes(in + a, plaintext, len, "%s input", pair->name);

            restart(cipher, pair);
            g_assert_cmpint(crypt_data(cipher, direction, in + a, in + a, len, &error_abort), ==, 0);
            expect_bytes(in + a, want, len, "%s %s in place at %zu", pair->name, direction_name[direction], a);
        }
    }
}

static void test_alignments(void)
{
    for_each_pair(check_alignments);
}

/* --- Threads and processes --- */

enum {
    THREADS = 8,
    THREAD_ROUNDS = 4,
    THREAD_LEN = 4096,
};

/* One thread's part: objects of its own, answers the same as those that one thread alone gets. */
static void check_in_thread(const Pair *pair)
{
    g_autoptr(QCryptoCipher) cipher = open_pair(pair);
    g_autofree uint8_t *plaintext = filled(THREAD_LEN, pattern_sec);
    g_autofree uint8_t *want = crypt_fresh(pair, ENCRYPT, plaintext, THREAD_LEN);
    g_autofree uint8_t *data = filled(THREAD_LEN, pattern_sec);
    int round, rounds = in_valgrind() ? 1 : THREAD_ROUNDS;

    for (round = 0; round < rounds; round++) {
        restart(cipher, pair);
        must_encrypt(cipher, data, data, THREAD_LEN);
        expect_bytes(data, want, THREAD_LEN, "%s encrypted in a thread", pair->name);
        restart(cipher, pair);
        must_decrypt(cipher, data, data, THREAD_LEN);
        expect_bytes(data, plaintext, THREAD_LEN, "%s decrypted in a thread", pair->name);
    }
}

static void *thread_main(void *opaque G_GNUC_UNUSED)
{
    for_each_pair(check_in_thread);
    return NULL;
}

static void test_threads(void)
{
    GThread *threads[THREADS];
    int i;

    for (i = 0; i < THREADS; i++) {
        threads[i] = g_thread_new("cipher", thread_main, NULL);
    }
    for (i = 0; i < THREADS; i++) {
        g_thread_join(threads[i]);
    }
}

static void *thread_use(void *opaque)
{
    uint8_t *data = g_malloc0(64);

    must_encrypt(opaque, data, data, 64);
    return data;
}

/* An object made in one thread works in others, one after another, and its IV goes with it. */
static void test_handover(void)
{
    Pair pair = make_pair(ALG(AES_256), MODE(CBC));
    g_autoptr(QCryptoCipher) cipher = open_pair(&pair);
    uint8_t plaintext[256] = { 0 };
    g_autofree uint8_t *want = crypt_fresh(&pair, ENCRYPT, plaintext, sizeof(plaintext));
    size_t i;

    restart(cipher, &pair);
    for (i = 0; i < sizeof(plaintext); i += 64) {
        g_autofree uint8_t *out = g_thread_join(g_thread_new("cipher", thread_use, cipher));

        expect_bytes(out, want + i, 64, "in thread %zu", i / 64);
    }
}

/* P16: everything works in a child, too, also when the parent used the library before. */
static void test_fork(void)
{
    pid_t child;
    int status;

    check_supports(ALG(AES_256), MODE(XTS));
    child = fork();
    g_assert_cmpint(child, >=, 0);
    if (child == 0) {
        for_each_pair(check_in_thread);
        _exit(0);
    }
    g_assert_cmpint(waitpid(child, &status, 0), ==, child);
    g_assert_true(WIFEXITED(status));
    g_assert_cmpint(WEXITSTATUS(status), ==, 0);
}

/* L11: no Error appears where nothing failed. */
static void check_no_error(const Pair *pair)
{
    uint8_t key[MAX_KEY_LEN], data[64] = { 0 }, iv[MAX_BLOCK_LEN] = { 0 };
    QCryptoCipher *cipher;
    Error *err = NULL;

    fill(key, sizeof(key), pattern_k);
    cipher = qcrypto_cipher_new(pair->alg, pair->mode, key, pair->key_len, &err);
    g_assert_nonnull(cipher);
    g_assert_null(err);
    if (pair->iv_len) {
        g_assert_cmpint(qcrypto_cipher_setiv(cipher, iv, pair->iv_len, &err), ==, 0);
        g_assert_null(err);
    }
    g_assert_cmpint(qcrypto_cipher_encrypt(cipher, data, data, sizeof(data), &err), ==, 0);
    g_assert_null(err);
    g_assert_cmpint(qcrypto_cipher_decrypt(cipher, data, data, sizeof(data), &err), ==, 0);
    g_assert_null(err);
    qcrypto_cipher_free(cipher);
}

static void test_no_error(void)
{
    for_each_pair(check_no_error);
}

/*
 * The object says what serves it: "backend/kernel". For AES that is the level that QCRYPTO_CPU names: who sets the
 * variable for a test run knows that this CPU has it, and a run on other kernels than the ones meant would tell nothing.
 */
static void check_backend(const Pair *pair)
{
    g_autoptr(QCryptoCipher) cipher = open_pair(pair);
    const char *backend = qcrypto_cipher_get_backend(cipher);

    const char *level = g_getenv("QCRYPTO_CPU");

    g_assert_nonnull(backend);
    g_assert_nonnull(strchr(backend, '/'));
    if (level && pair->alg <= QCRYPTO_CIPHER_ALGO_AES_256) {
        g_assert_cmpstr(strchr(backend, '/') + 1, ==, level);
    }
}

static void test_backend(void)
{
    for_each_pair(check_backend);
}

int main(int argc, char **argv)
{
    size_t i;

    g_test_init(&argc, &argv, NULL);

    for (i = 0; i < G_N_ELEMENTS(known_answers); i++) {
        g_autofree char *name = g_strdup_printf("/crypto/cipher/%s", known_answers[i].name);

        g_test_add_data_func(name, &known_answers[i], test_known_answer);
    }

    g_test_add_func("/crypto/cipher/X3-second-call", test_second_call);
    g_test_add_func("/crypto/cipher/X4-short-xts", test_short_xts);
    g_test_add_func("/crypto/cipher/X5-huge-unit/beyond", test_beyond_limit);
    g_test_add_func("/crypto/cipher/X9-every-length", test_every_length);
    g_test_add_func("/crypto/cipher/X10-orders/key-halves", test_key_order);
    g_test_add_func("/crypto/cipher/X13-both-directions", test_both_directions);
    g_test_add_func("/crypto/cipher/X14-unaligned/vector", test_unaligned_vector);
    g_test_add_func("/crypto/cipher/X14-unaligned/all", test_alignments);
    g_test_add_func("/crypto/cipher/X16-plain-wrap", test_plain_wrap);

    g_test_add_func("/crypto/cipher/C6-C7-ctr-pieces", test_ctr_pieces);
    g_test_add_func("/crypto/cipher/C8-partial-blocks", test_partial_blocks);
    g_test_add_func("/crypto/cipher/C9-cbc-chain/pieces", test_cbc_pieces);
    g_test_add_func("/crypto/cipher/C10-setiv-twice", test_setiv_twice);
    g_test_add_func("/crypto/cipher/C10-refused-then-good", test_refused_then_good);
    g_test_add_func("/crypto/cipher/C11-refused-ivs", test_refused_ivs);
    g_test_add_func("/crypto/cipher/C12-X12-refused-new", test_refused_new);
    g_test_add_func("/crypto/cipher/C13-des-parity", test_des_parity);
    g_test_add_func("/crypto/cipher/C14-vnc-key", test_vnc_key);
    g_test_add_func("/crypto/cipher/C16-4gib", test_4gib);
    g_test_add_func("/crypto/cipher/C17-zero-length", test_zero_length);

    g_test_add_func("/crypto/cipher/lengths", test_lengths);
    g_test_add_func("/crypto/cipher/lengths-out-of-range", test_lengths_out_of_range);
    g_test_add_func("/crypto/cipher/supports", test_supports);
    g_test_add_func("/crypto/cipher/key-lengths", test_key_lengths);
    g_test_add_func("/crypto/cipher/weak-keys", test_weak_keys);
    g_test_add_func("/crypto/cipher/partial-lengths", test_partial_lengths);
    g_test_add_func("/crypto/cipher/null", test_null);
    g_test_add_func("/crypto/cipher/too-long", test_too_long);
    g_test_add_func("/crypto/cipher/overlap", test_overlap);
    g_test_add_func("/crypto/cipher/refusals-keep-state", test_refusals_keep_state);
    g_test_add_func("/crypto/cipher/zero-iv", test_zero_iv);
    g_test_add_func("/crypto/cipher/chaining", test_chaining);
    g_test_add_func("/crypto/cipher/L11-no-error", test_no_error);
    g_test_add_func("/crypto/cipher/backend", test_backend);

    g_test_add_func("/crypto/cipher/threads", test_threads);
    g_test_add_func("/crypto/cipher/handover", test_handover);
    g_test_add_func("/crypto/cipher/P16-fork", test_fork);

    return g_test_run();
}
