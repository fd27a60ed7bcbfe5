/*
 * Decrypts the payloads of LUKS1 disks, sector by sector, as a disk layer does.
 *
 *     disk-decrypt RECORDS DIRECTORY
 *
 * RECORDS is a file of LUKS1 records (tests/vectors/README.md tells the format), DIRECTORY holds their images,
 * uncompressed. For each record the program takes the cipher, the mode, the master key and the payload offset; decrypts
 * the payload; compares its SHA-256 with the record's; encrypts it back and compares every byte with the disk. It
 * prints a line per image and how fast it went, and exits with 1 unless every image came out right.
 *
 * Unlocking, that is getting the master key from a passphrase, is not shown here.
 *
 *     cc disk-decrypt.c $(pkg-config --cflags --libs qcrypto glib-2.0) -o disk-decrypt
 *
 * SPDX-License-Identifier: MIT OR Apache-2.0
 */
#include <glib.h>
#include <stdio.h>
#include <string.h>

#include "crypto/cipher.h"
#include "crypto/ivgen.h"
#include "qapi/error.h"

#define SECTOR_SIZE 512
#define MAX_IV 16

/* Passes over a payload while the clock runs: one alone would be over too soon to tell. */
#define TIMED_PASSES 50

/* A payload and all that it takes to read it. */
typedef struct Disk {
    QCryptoCipher *cipher;
    QCryptoIVGen *ivgen; /* NULL in a mode without IV */
    size_t iv_len;
} Disk;

typedef int (*CryptFunc)(QCryptoCipher *cipher, const void *in, void *out, size_t len, Error **errp);

/* LUKS names a family; with the key length that makes an algorithm. */
static gboolean find_algorithm(const char *family, size_t key_len, QCryptoCipherAlgo *alg)
{
    static const struct {
        const char *family;
        QCryptoCipherAlgo alg;
    } known[] = {
        { "aes", QCRYPTO_CIPHER_ALGO_AES_128 },
        { "aes", QCRYPTO_CIPHER_ALGO_AES_192 },
        { "aes", QCRYPTO_CIPHER_ALGO_AES_256 },
        { "des3_ede", QCRYPTO_CIPHER_ALGO_3DES },
        { "cast5", QCRYPTO_CIPHER_ALGO_CAST5_128 },
        { "serpent", QCRYPTO_CIPHER_ALGO_SERPENT_128 },
        { "serpent", QCRYPTO_CIPHER_ALGO_SERPENT_192 },
        { "serpent", QCRYPTO_CIPHER_ALGO_SERPENT_256 },
        { "twofish", QCRYPTO_CIPHER_ALGO_TWOFISH_128 },
        { "twofish", QCRYPTO_CIPHER_ALGO_TWOFISH_192 },
        { "twofish", QCRYPTO_CIPHER_ALGO_TWOFISH_256 },
        { "sm4", QCRYPTO_CIPHER_ALGO_SM4 },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(known); i++) {
        if (g_str_equal(known[i].family, family) && qcrypto_cipher_get_key_len(known[i].alg) == key_len) {
            *alg = known[i].alg;
            return TRUE;
        }
    }
    return FALSE;
}

static gboolean find_mode(const char *name, QCryptoCipherMode *mode)
{
    static const struct {
        const char *name;
        QCryptoCipherMode mode;
    } known[] = {
        { "ecb", QCRYPTO_CIPHER_MODE_ECB },
        { "cbc", QCRYPTO_CIPHER_MODE_CBC },
        { "xts", QCRYPTO_CIPHER_MODE_XTS },
        { "ctr", QCRYPTO_CIPHER_MODE_CTR },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(known); i++) {
        if (g_str_equal(known[i].name, name)) {
            *mode = known[i].mode;
            return TRUE;
        }
    }
    return FALSE;
}

/* The hashes whose digests are as long as a key of some cipher. */
static gboolean find_hash(const char *name, QCryptoHashAlgo *hash)
{
    static const struct {
        const char *name;
        QCryptoHashAlgo hash;
    } known[] = {
        { "md5", QCRYPTO_HASH_ALGO_MD5 },
        { "sha256", QCRYPTO_HASH_ALGO_SHA256 },
        { "sm3", QCRYPTO_HASH_ALGO_SM3 },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(known); i++) {
        if (g_str_equal(known[i].name, name)) {
            *hash = known[i].hash;
            return TRUE;
        }
    }
    return FALSE;
}

/* ESSIV encrypts the sector number with the digest of the key. The cipher is the member of the disk's family that takes a
 * key as long as the digest. */
static QCryptoIVGen *new_essiv(const char *family, const char *hash_name, const GByteArray *key, Error **errp)
{
    QCryptoCipherAlgo alg;
    QCryptoHashAlgo hash;

    if (!find_hash(hash_name, &hash) || !find_algorithm(family, qcrypto_hash_digest_len(hash), &alg)) {
        error_setg(errp, "essiv:%s is not known for %s", hash_name, family);
        return NULL;
    }
    return qcrypto_ivgen_new(QCRYPTO_IV_GEN_ALGO_ESSIV, alg, hash, key->data, key->len, errp);
}

static QCryptoIVGen *new_ivgen(const char *family, const char *name, const GByteArray *key, Error **errp)
{
    if (g_str_equal(name, "plain")) {
        return qcrypto_ivgen_new(QCRYPTO_IV_GEN_ALGO_PLAIN, 0, 0, NULL, 0, errp);
    }
    if (g_str_equal(name, "plain64")) {
        return qcrypto_ivgen_new(QCRYPTO_IV_GEN_ALGO_PLAIN64, 0, 0, NULL, 0, errp);
    }
    if (g_str_has_prefix(name, "essiv:")) {
        return new_essiv(family, name + strlen("essiv:"), key, errp);
    }
    error_setg(errp, "IV generator %s is not known", name);
    return NULL;
}

static void disk_close(Disk *disk)
{
    qcrypto_cipher_free(disk->cipher);
    qcrypto_ivgen_free(disk->ivgen);
}

/* `mode_name` is LUKS's, e.g. "xts-plain64" or "cbc-essiv:sha256". Returns 0, or -1 with *errp set. */
static int disk_open(Disk *disk, const char *family, const char *mode_name, const GByteArray *key, Error **errp)
{
    QCryptoCipherAlgo alg;
    QCryptoCipherMode mode;
    g_auto(GStrv) parts = g_strsplit(mode_name, "-", 2);
    const char *iv_name = parts[1] ? parts[1] : "";

    *disk = (Disk) { 0 };
    if (!find_mode(parts[0], &mode)) {
        error_setg(errp, "cipher mode %s is not known", mode_name);
        return -1;
    }
    if (!find_algorithm(family, mode == QCRYPTO_CIPHER_MODE_XTS ? key->len / 2 : key->len, &alg)) {
        error_setg(errp, "cipher %s with a key of %u bytes is not known", family, key->len);
        return -1;
    }
    disk->iv_len = qcrypto_cipher_get_iv_len(alg, mode);
    disk->cipher = qcrypto_cipher_new(alg, mode, key->data, key->len, errp);
    if (!disk->cipher) {
        return -1;
    }

    if (disk->iv_len > 0) {
        disk->ivgen = new_ivgen(family, iv_name, key, errp);
        if (!disk->ivgen) {
            disk_close(disk);
            return -1;
        }
    }
    return 0;
}

static int disk_set_iv(Disk *disk, guint64 sector, Error **errp)
{
    guint8 iv[MAX_IV];

    if (!disk->ivgen) {
        return 0;
    }
    if (qcrypto_ivgen_calculate(disk->ivgen, sector, iv, disk->iv_len, errp) < 0) {
        return -1;
    }
    return qcrypto_cipher_setiv(disk->cipher, iv, disk->iv_len, errp);
}

/* Runs over whole sectors, numbered from 0 at the payload's start. */
static int disk_crypt(Disk *disk, CryptFunc crypt, const guint8 *in, guint8 *out, size_t len, Error **errp)
{
    for (size_t offset = 0; offset < len; offset += SECTOR_SIZE) {
        if (disk_set_iv(disk, offset / SECTOR_SIZE, errp) < 0 ||
            crypt(disk->cipher, in + offset, out + offset, SECTOR_SIZE, errp) < 0) {
            return -1;
        }
    }
    return 0;
}

/* Million bytes a second over some passes, or a negative number with *errp set. */
static double disk_speed(Disk *disk, CryptFunc crypt, const guint8 *in, guint8 *out, size_t len, Error **errp)
{
    gint64 start = g_get_monotonic_time();
    for (int pass = 0; pass < TIMED_PASSES; pass++) {
        if (disk_crypt(disk, crypt, in, out, len, errp) < 0) {
            return -1;
        }
    }
    gint64 microseconds = g_get_monotonic_time() - start;
    return (double)len * TIMED_PASSES / (double)MAX(microseconds, 1);
}

/* Decrypts, checks, encrypts back and compares. */
static int check_payload(Disk *disk, const char *id, const guint8 *payload, size_t len, const char *plain_sha256,
                         Error **errp)
{
    g_autofree guint8 *plain = g_malloc(len);
    g_autofree guint8 *again = g_malloc(len);
    double decrypt_speed, encrypt_speed;

    if (disk_crypt(disk, qcrypto_cipher_decrypt, payload, plain, len, errp) < 0) {
        return -1;
    }
    g_autofree char *sha256 = g_compute_checksum_for_data(G_CHECKSUM_SHA256, plain, len);
    if (!g_str_equal(sha256, plain_sha256)) {
        error_setg(errp, "decrypted to something else: SHA-256 %s", sha256);
        return -1;
    }
    if (disk_crypt(disk, qcrypto_cipher_encrypt, plain, again, len, errp) < 0) {
        return -1;
    }
    if (memcmp(again, payload, len) != 0) {
        error_setg(errp, "encrypted back to something else than the disk holds");
        return -1;
    }

    decrypt_speed = disk_speed(disk, qcrypto_cipher_decrypt, payload, plain, len, errp);
    if (decrypt_speed < 0) {
        return -1;
    }
    encrypt_speed = disk_speed(disk, qcrypto_cipher_encrypt, plain, again, len, errp);
    if (encrypt_speed < 0) {
        return -1;
    }
    printf("%-36s %zu bytes, SHA-256 right, encrypts back; %7.1f MB/s decrypt, %7.1f MB/s encrypt, by %s\n", id, len,
           decrypt_speed, encrypt_speed, qcrypto_cipher_get_backend(disk->cipher));
    return 0;
}

/* A field that every record has. */
static const char *field(GHashTable *record, const char *name)
{
    const char *value = g_hash_table_lookup(record, name);
    if (!value) {
        g_error("a record has no field '%s'", name);
    }
    return value;
}

static GByteArray *unhex(const char *hex)
{
    GByteArray *bytes = g_byte_array_new();
    for (; g_ascii_isxdigit(hex[0]) && g_ascii_isxdigit(hex[1]); hex += 2) {
        guint8 byte = (guint8)(g_ascii_xdigit_value(hex[0]) << 4 | g_ascii_xdigit_value(hex[1]));
        g_byte_array_append(bytes, &byte, 1);
    }
    return bytes;
}

/* The file that holds a record's payload, without the suffix of its compressed form: the image, or with a detached
 * header the data file beside it. */
static char *payload_path(GHashTable *record, const char *directory)
{
    const char *detached = g_hash_table_lookup(record, "detached-data");
    g_autofree char *name = g_strdup(detached ? detached : field(record, "image"));
    if (g_str_has_suffix(name, ".xz")) {
        name[strlen(name) - strlen(".xz")] = '\0';
    }
    return g_build_filename(directory, name, NULL);
}

static int check_record(GHashTable *record, const char *directory, Error **errp)
{
    guint64 offset = g_ascii_strtoull(field(record, "payload-offset"), NULL, 10) * SECTOR_SIZE;
    guint64 len = g_ascii_strtoull(field(record, "payload-size"), NULL, 10);
    g_autofree char *path = payload_path(record, directory);
    g_autoptr(GByteArray) key = unhex(field(record, "master-key"));
    g_autoptr(GError) gerror = NULL;
    g_autofree char *image = NULL;
    gsize image_len;
    Disk disk;
    int ret;

    if (!g_file_get_contents(path, &image, &image_len, &gerror)) {
        error_setg(errp, "%s", gerror->message);
        return -1;
    }
    if (offset > image_len || len > image_len - offset || len % SECTOR_SIZE != 0) {
        error_setg(errp, "%s has no payload of %" G_GUINT64_FORMAT " bytes at %" G_GUINT64_FORMAT, path, len, offset);
        return -1;
    }
    if (disk_open(&disk, field(record, "cipher-name"), field(record, "cipher-mode"), key, errp) < 0) {
        return -1;
    }
    ret = check_payload(&disk, field(record, "id"), (guint8 *)image + offset, len, field(record, "plain-sha256"), errp);
    disk_close(&disk);
    return ret;
}

/* The records of a file, each a table of its fields. Blank lines end records, '#' starts a comment. */
static GPtrArray *read_records(const char *path, Error **errp)
{
    g_autoptr(GPtrArray) records = g_ptr_array_new_with_free_func((GDestroyNotify)g_hash_table_unref);
    g_autoptr(GError) gerror = NULL;
    g_autofree char *text = NULL;
    GHashTable *record = NULL;

    if (!g_file_get_contents(path, &text, NULL, &gerror)) {
        error_setg(errp, "%s", gerror->message);
        return NULL;
    }
    g_auto(GStrv) lines = g_strsplit(text, "\n", -1);
    for (char **line = lines; *line; line++) {
        char *separator = strstr(*line, " =");
        if (**line == '#' || !separator) {
            record = NULL;
            continue;
        }
        if (!record) {
            record = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free);
            g_ptr_array_add(records, record);
        }
        g_hash_table_insert(record, g_strndup(*line, separator - *line), g_strstrip(g_strdup(separator + 2)));
    }
    return g_steal_pointer(&records);
}

int main(int argc, char **argv)
{
    g_autoptr(GPtrArray) records = NULL;
    guint right = 0;

    if (argc != 3) {
        fprintf(stderr, "usage: %s RECORDS DIRECTORY\n", argv[0]);
        return 2;
    }
    records = read_records(argv[1], &error_fatal);
    for (guint i = 0; i < records->len; i++) {
        GHashTable *record = g_ptr_array_index(records, i);
        Error *err = NULL;
        if (check_record(record, argv[2], &err) < 0) {
            error_reportf_err(err, "%s: ", field(record, "id"));
        } else {
            right++;
        }
    }
    printf("%u of %u disks decrypted and encrypted back\n", right, records->len);
    return right == records->len && right > 0 ? 0 : 1;
}
