/*
 * Known answers: every record of tests/vectors/cipher
 *
 * One test per file. Each compares the number of records that ran with the number that the file's head states, and the
 * first test compares the files with the list of digests beside them, so none can be left out unnoticed.
 *
 * SPDX-License-Identifier: MIT OR Apache-2.0
 */
#include <glib.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "crypto/cipher.h"
#include "qapi/error.h"

#include "cipher-util.h"
#include "vectors.h"

/* What an output buffer holds before a call that must not write to it. */
#define UNTOUCHED 0xa5

/* Enough to see what is wrong with a cipher. */
#define MAX_REPORTS 10

typedef struct Counts {
    unsigned records;
    unsigned right;   /* known answers found */
    unsigned refused; /* rightly */
    unsigned bits;    /* left out: not a whole number of bytes */
} Counts;

static Counts total;

/* A record of kind cipher, iterate or mct. */
typedef struct Record {
    const VectorFile *file;
    QCryptoCipherAlgo alg;
    QCryptoCipherMode mode;
    uint8_t *key, *iv, *pt, *ct;
    size_t nkey, niv, len;
    size_t block_len;
} Record;

static bool G_GNUC_PRINTF(2, 3) wrong(const Record *record, const char *fmt, ...)
{
    g_autofree char *what = NULL;
    va_list ap;

    va_start(ap, fmt);
    what = g_strdup_vprintf(fmt, ap);
    va_end(ap);
    g_test_message("WRONG: %s: %s", vectors_where(record->file), what);
    return false;
}

/* The same, with a library's Error as the reason. */
static bool failed(const Record *record, const char *what, Error *err)
{
    wrong(record, "%s failed: %s", what, err ? error_get_pretty(err) : "no Error");
    error_free(err);
    return false;
}

/* A seqno, where there is one, must say the same as the IV. */
static void check_seqno(const Record *record)
{
    uint64_t seqno;
    size_t i;

    if (!vectors_find(record->file, "seqno")) {
        return;
    }
    seqno = vectors_number(record->file, "seqno");
    for (i = 0; i < record->niv; i++) {
        if (record->iv[i] != (i < 8 ? seqno >> 8 * i & 0xff : 0)) {
            vectors_fatal(record->file, "seqno and iv differ");
        }
    }
}

static void read_record(Record *record, const VectorFile *file)
{
    size_t nct;

    *record = (Record) { .file = file };
    record->alg = vectors_cipher_algo(file, "alg");
    record->mode = vectors_cipher_mode(file, "mode");
    record->key = vectors_bytes(file, "key", &record->nkey);
    record->pt = vectors_bytes(file, "pt", &record->len);
    record->ct = vectors_bytes(file, "ct", &nct);
    record->block_len = cipher_info[record->alg].block_len;
    if (vectors_find(file, "iv")) {
        record->iv = vectors_bytes(file, "iv", &record->niv);
    }

    if (record->len != nct || record->len == 0) {
        vectors_fatal(file, "pt and ct are empty or differ in length");
    }
    if (record->niv != (record->mode == QCRYPTO_CIPHER_MODE_ECB ? 0 : record->block_len)) {
        vectors_fatal(file, "the IV is not as long as a block");
    }
    check_seqno(record);
}

static void free_record(Record *record)
{
    free(record->key);
    free(record->iv);
    free(record->pt);
    free(record->ct);
}

/* An object at the record's IV, or NULL with a report. */
static QCryptoCipher *open_record(const Record *record)
{
    Error *err = NULL;
    QCryptoCipher *cipher = qcrypto_cipher_new(record->alg, record->mode, record->key, record->nkey, &err);

    if (!cipher) {
        failed(record, "new", err);
    }
    return cipher;
}

static bool set_record_iv(const Record *record, QCryptoCipher *cipher)
{
    Error *err = NULL;

    if (record->niv && qcrypto_cipher_setiv(cipher, record->iv, record->niv, &err) < 0) {
        return failed(record, "setiv", err);
    }
    return true;
}

/* Run the record in one direction, in two calls cut at `cut`, which may be the end. */
static bool run_direction(const Record *record, QCryptoCipher *cipher, Direction direction, bool in_place, size_t cut)
{
    const uint8_t *input = direction == ENCRYPT ? record->pt : record->ct;
    const uint8_t *want = direction == ENCRYPT ? record->ct : record->pt;
    g_autofree uint8_t *out = g_malloc(record->len);
    const uint8_t *in = in_place ? out : input;
    Error *err = NULL;

    if (in_place) {
        memcpy(out, input, record->len);
    } else {
        memset(out, UNTOUCHED, record->len);
    }
    if (!set_record_iv(record, cipher)) {
        return false;
    }
    if (crypt_data(cipher, direction, in, out, cut, &err) < 0 ||
        (cut < record->len && crypt_data(cipher, direction, in + cut, out + cut, record->len - cut, &err) < 0)) {
        return failed(record, direction_name[direction], err);
    }
    if (memcmp(out, want, record->len) != 0) {
        return wrong(record, "%s %s, cut at %zu of %zu, gives another answer", direction_name[direction],
                     in_place ? "in place" : "out of place", cut, record->len);
    }
    return true;
}

/* Both directions, both placements, whole and in two calls, on one object. */
static bool run_record(const Record *record, Direction first)
{
    g_autoptr(QCryptoCipher) cipher = open_record(record);
    /* A block, half of the blocks, and all blocks but one: what a wide kernel may treat differently. */
    const size_t cuts[] = {
        record->len,
        record->block_len,
        record->len / 2 / record->block_len * record->block_len,
        record->len - record->block_len,
    };
    /* XTS starts the data unit again with each call. */
    size_t ncuts = record->mode == QCRYPTO_CIPHER_MODE_XTS ? 1 : G_N_ELEMENTS(cuts);
    int turn, in_place;
    size_t i;

    if (!cipher) {
        return false;
    }
    for (turn = 0; turn < 2; turn++) {
        Direction direction = turn == 0 ? first : ENCRYPT + DECRYPT - first;

        for (in_place = 0; in_place < 2; in_place++) {
            for (i = 0; i < ncuts; i++) {
                if (!run_direction(record, cipher, direction, in_place, cuts[i])) {
                    return false;
                }
            }
        }
    }
    return true;
}

static bool run_cipher(const Record *record)
{
    /* Two objects: in each, another direction meets the fresh object. */
    return run_record(record, ENCRYPT) && run_record(record, DECRYPT);
}

/* A call that must be refused: the text right, nothing written. */
static bool refuses(const Record *record, QCryptoCipher *cipher, Direction direction, bool in_place)
{
    const uint8_t *input = direction == ENCRYPT ? record->pt : record->ct;
    g_autofree uint8_t *out = g_malloc(record->len);
    g_autofree uint8_t *before = g_malloc(record->len);
    g_autofree char *text = g_strdup_printf("Length %zu must be a multiple of block size %zu", record->len,
                                            record->block_len);
    Error *err = NULL;
    bool right;

    if (in_place) {
        memcpy(out, input, record->len);
    } else {
        memset(out, UNTOUCHED, record->len);
    }
    memcpy(before, out, record->len);
    if (crypt_data(cipher, direction, in_place ? out : input, out, record->len, &err) != -1 || !err) {
        error_free(err);
        return wrong(record, "%s of a partial block is not refused with an Error", direction_name[direction]);
    }
    right = strcmp(error_get_pretty(err), text) == 0;
    if (!right) {
        wrong(record, "refused with '%s', not '%s'", error_get_pretty(err), text);
    }
    error_free(err);
    if (memcmp(out, before, record->len) != 0) {
        return wrong(record, "a refused %s wrote to its output", direction_name[direction]);
    }
    return right;
}

/*
 * The length of the record's beginning whose answer does not depend on its last, partial block: in XTS, stealing
 * changes the last whole block as well.
 */
static size_t known_prefix(const Record *record)
{
    size_t blocks = record->len / record->block_len;

    if (record->mode == QCRYPTO_CIPHER_MODE_XTS && blocks > 0) {
        blocks--;
    }
    return blocks * record->block_len;
}

/* Flag `partial`: refused in each way, after which the object is where it was. */
static bool run_partial(const Record *record)
{
    int direction, in_place;

    for (direction = ENCRYPT; direction <= DECRYPT; direction++) {
        g_autoptr(QCryptoCipher) cipher = open_record(record);
        g_autoptr(QCryptoCipher) fresh = open_record(record);
        const uint8_t *input = direction == ENCRYPT ? record->pt : record->ct;
        const uint8_t *want = direction == ENCRYPT ? record->ct : record->pt;
        /* At least a block, so that there is something to compare. */
        size_t whole = MAX(record->len / record->block_len, 1) * record->block_len;
        g_autofree uint8_t *in = g_malloc0(whole);
        g_autofree uint8_t *out = g_malloc(whole);
        g_autofree uint8_t *fresh_out = g_malloc(whole);
        Error *err = NULL;

        if (!cipher || !fresh || !set_record_iv(record, cipher) || !set_record_iv(record, fresh)) {
            return false;
        }
        for (in_place = 0; in_place < 2; in_place++) {
            if (!refuses(record, cipher, direction, in_place)) {
                return false;
            }
        }

        memcpy(in, input, MIN(whole, record->len));
        if (crypt_data(cipher, direction, in, out, whole, &err) < 0 ||
            crypt_data(fresh, direction, in, fresh_out, whole, &err) < 0) {
            return failed(record, "the call after a refused one", err);
        }
        if (memcmp(out, fresh_out, whole) != 0) {
            return wrong(record, "a refused %s changed the object's state", direction_name[direction]);
        }
        if (memcmp(out, want, known_prefix(record)) != 0) {
            return wrong(record, "the whole blocks before the partial one differ");
        }
    }
    return true;
}

/* Flag `short-key`: refused by the key's length. */
static bool run_short_key(const Record *record)
{
    Error *err = NULL;
    g_autoptr(QCryptoCipher) cipher =
        qcrypto_cipher_new(record->alg, record->mode, record->key, record->nkey, &err);
    g_autofree char *text = g_strdup_printf("Cipher key length %zu should be %zu", record->nkey,
                                            cipher_info[record->alg].key_len);
    bool right = !cipher && err && strcmp(error_get_pretty(err), text) == 0;

    if (!right) {
        wrong(record, "a short key is not refused with '%s'", text);
    }
    error_free(err);
    return right;
}

/* Kind `iterate`: one key, the output fed back as the input; the way back, too. */
static bool run_iterate(const Record *record)
{
    g_autoptr(QCryptoCipher) cipher = open_record(record);
    g_autofree uint8_t *data = g_malloc(record->len);
    uint64_t iterations = vectors_number(record->file, "iterations");
    int direction;

    if (!cipher) {
        return false;
    }
    memcpy(data, record->pt, record->len);
    for (direction = ENCRYPT; direction <= DECRYPT; direction++) {
        const uint8_t *want = direction == ENCRYPT ? record->ct : record->pt;
        uint64_t i;
        Error *err = NULL;

        for (i = 0; i < iterations; i++) {
            if (crypt_data(cipher, direction, data, data, record->len, &err) < 0) {
                return failed(record, direction_name[direction], err);
            }
        }
        if (memcmp(data, want, record->len) != 0) {
            return wrong(record, "%s repeated gives another answer", direction_name[direction]);
        }
    }
    return true;
}

/*
 * Kind `mct`: an outer round of the Monte Carlo test. In ECB each step's input is the output of the step before; in
 * CBC, where the chain runs on by itself, it is the output of the step before that, and the IV in step 1.
 */
static bool run_mct(const Record *record)
{
    enum { STEPS = 1000 };
    g_autoptr(QCryptoCipher) cipher = open_record(record);
    Direction direction = strcmp(vectors_text(record->file, "dir"), "encrypt") == 0 ? ENCRYPT : DECRYPT;
    const uint8_t *want = direction == ENCRYPT ? record->ct : record->pt;
    uint8_t input[MAX_BLOCK_LEN], previous[MAX_BLOCK_LEN] = { 0 }, output[MAX_BLOCK_LEN];
    unsigned step;
    Error *err = NULL;

    if (direction == DECRYPT && strcmp(vectors_text(record->file, "dir"), "decrypt") != 0) {
        vectors_fatal(record->file, "unknown direction");
    }
    if (record->len != record->block_len ||
        (record->mode != QCRYPTO_CIPHER_MODE_ECB && record->mode != QCRYPTO_CIPHER_MODE_CBC)) {
        vectors_fatal(record->file, "the Monte Carlo test is for single blocks in ecb and cbc");
    }
    if (!cipher || !set_record_iv(record, cipher)) {
        return false;
    }

    memcpy(input, direction == ENCRYPT ? record->pt : record->ct, record->len);
    if (record->niv) {
        memcpy(previous, record->iv, record->niv);
    }
    for (step = 0; step < STEPS; step++) {
        if (crypt_data(cipher, direction, input, output, record->len, &err) < 0) {
            return failed(record, direction_name[direction], err);
        }
        memcpy(input, record->mode == QCRYPTO_CIPHER_MODE_ECB ? output : previous, record->len);
        memcpy(previous, output, record->len);
    }
    if (memcmp(output, want, record->len) != 0) {
        return wrong(record, "step %u of the Monte Carlo test gives another answer", STEPS - 1);
    }
    return true;
}

/* A flag that this test does not know may ask for something that it does not do. */
static void check_flags(const VectorFile *file)
{
    static const char *const known[] = {
        "partial", "short-key", "nonbyte", "equal-xts-keys", "iv-zero-extended", "weak-key", "degenerate-3des",
        "counter-wrap", "counter-carry32", "counter-carry64", "slow", NULL,
    };
    const char *flags = vectors_find(file, "flags");
    g_auto(GStrv) words = g_strsplit(flags ? flags : "", " ", -1);
    char **word;

    for (word = words; *word; word++) {
        if (!g_strv_contains(known, *word)) {
            vectors_fatal(file, "unknown flag '%s' above", *word);
        }
    }
}

static bool run_by_kind(const Record *record, Counts *counts)
{
    const char *kind = vectors_text(record->file, "kind");
    bool partial = record->len % record->block_len != 0;

    if (partial != vectors_flag(record->file, "partial")) {
        vectors_fatal(record->file, "the flag 'partial' and the length of the record above differ");
    }
    if (strcmp(kind, "iterate") == 0) {
        counts->right++;
        return run_iterate(record);
    }
    if (strcmp(kind, "mct") == 0) {
        counts->right++;
        return run_mct(record);
    }
    if (strcmp(kind, "cipher") != 0) {
        vectors_fatal(record->file, "unknown kind '%s' above", kind);
    }
    if (vectors_flag(record->file, "short-key")) {
        counts->refused++;
        return run_short_key(record);
    }
    if (partial) {
        counts->refused++;
        return run_partial(record);
    }
    counts->right++;
    return run_cipher(record);
}

static bool run_one(const VectorFile *file, Counts *counts)
{
    Record record;
    bool right;

    check_flags(file);
    counts->records++;
    if (vectors_flag(file, "nonbyte")) {
        counts->bits++;
        return true;
    }
    read_record(&record, file);
    right = run_by_kind(&record, counts);
    free_record(&record);
    return right;
}

static void print_counts(const Counts *counts)
{
    g_test_message("records: %u run = %u known answers + %u rightly refused + %u not in bytes", counts->records,
                   counts->right, counts->refused, counts->bits);
}

static void test_file(const void *opaque)
{
    const char *path = opaque;
    g_autoptr(VectorFile) file = vectors_open(path);
    Counts counts = { 0 };
    unsigned failures = 0;

    while (failures < MAX_REPORTS && vectors_next(file)) {
        failures += !run_one(file, &counts);
    }
    g_assert_cmpuint(failures, ==, 0);

    g_assert_cmpuint(counts.records, ==, vectors_promised(file));
    g_assert_cmpuint(counts.records, ==, vectors_read(file));
    g_assert_cmpuint(counts.records, ==, counts.right + counts.refused + counts.bits);
    print_counts(&counts);

    total.records += counts.records;
    total.right += counts.right;
    total.refused += counts.refused;
    total.bits += counts.bits;

    if (counts.bits) {
        g_test_skip("data units of odd numbers of bits: not for an interface that takes bytes");
    }
}

/* The files that SHA256SUMS lists are there, with these contents. Returns their names, from the directory on. */
static GHashTable *check_digests(const char *dir)
{
    g_autofree char *path = g_build_filename(dir, "SHA256SUMS", NULL);
    g_autofree char *text = NULL;
    g_auto(GStrv) lines = NULL;
    GHashTable *listed = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    char **line;

    if (!g_file_get_contents(path, &text, NULL, NULL)) {
        g_error("%s cannot be read", path);
    }
    lines = g_strsplit(text, "\n", -1);
    for (line = lines; *line; line++) {
        const char *name = strstr(*line, "  ");
        g_autofree char *file = NULL;
        g_autofree char *content = NULL;
        g_autofree char *digest = NULL;
        gsize len;

        if (!**line) {
            continue;
        }
        if (!name) {
            g_error("%s has a line without a file: %s", path, *line);
        }
        file = g_build_filename(dir, name + 2, NULL);
        if (!g_file_get_contents(file, &content, &len, NULL)) {
            g_error("%s is listed but cannot be read", file);
        }
        digest = g_compute_checksum_for_data(G_CHECKSUM_SHA256, (const guchar *)content, len);
        if (!g_str_has_prefix(*line, digest)) {
            g_error("%s is not the file that was listed", file);
        }
        if (!g_hash_table_add(listed, g_strdup(name + 2))) {
            g_error("%s is listed twice", file);
        }
    }
    return listed;
}

/*
 * Each vector that is there, in a directory or below it, is listed. Returns their number. README.md is not listed: it
 * describes and may be edited.
 */
static unsigned check_all_listed(const char *top, const char *below, GHashTable *listed)
{
    g_autofree char *path = g_build_filename(top, below, NULL);
    g_autoptr(GDir) dir = g_dir_open(path, 0, NULL);
    unsigned count = 0;
    const char *name;

    if (!dir) {
        g_error("%s cannot be opened", path);
    }
    while ((name = g_dir_read_name(dir))) {
        g_autofree char *file = *below ? g_strdup_printf("%s/%s", below, name) : g_strdup(name);
        g_autofree char *whole = g_build_filename(top, file, NULL);

        if (g_file_test(whole, G_FILE_TEST_IS_DIR)) {
            count += check_all_listed(top, file, listed);
        } else if (g_str_has_suffix(name, ".txt") || g_str_has_suffix(name, ".xz")) {
            if (!g_hash_table_contains(listed, file)) {
                g_error("%s is not listed", whole);
            }
            count++;
        }
    }
    return count;
}

static int compare_names(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* The files that are there, in order. */
static GPtrArray *list_files(void)
{
    g_autofree char *path = g_build_filename(vectors_dir(), "cipher", NULL);
    g_autoptr(GDir) dir = g_dir_open(path, 0, NULL);
    GPtrArray *files = g_ptr_array_new_with_free_func(g_free);
    const char *name;

    if (!dir) {
        g_error("%s cannot be opened", path);
    }
    while ((name = g_dir_read_name(dir))) {
        if (g_str_has_suffix(name, ".txt")) {
            g_ptr_array_add(files, g_build_filename(path, name, NULL));
        }
    }
    g_ptr_array_sort(files, compare_names);
    return files;
}

static void test_listed(const void *opaque)
{
    const GPtrArray *files = opaque;
    g_autoptr(GHashTable) listed = NULL;

    g_assert_cmpuint(files->len, >, 0);
    listed = check_digests(vectors_dir());
    g_assert_cmpuint(check_all_listed(vectors_dir(), "", listed), ==, g_hash_table_size(listed));
    g_test_message("%u files", g_hash_table_size(listed));
}

static void test_total(void)
{
    print_counts(&total);
}

int main(int argc, char **argv)
{
    g_autoptr(GPtrArray) files = NULL;
    guint i;

    g_test_init(&argc, &argv, NULL);
    files = list_files();

    g_test_add_data_func("/crypto/vectors/listed", files, test_listed);
    for (i = 0; i < files->len; i++) {
        const char *path = g_ptr_array_index(files, i);
        g_autofree char *base = g_path_get_basename(path);
        g_autofree char *test = NULL;

        base[strlen(base) - strlen(".txt")] = '\0';
        test = g_strdup_printf("/crypto/vectors/cipher/%s", base);
        g_test_add_data_func(test, path, test_file);
    }
    g_test_add_func("/crypto/vectors/cipher/total", test_total);
    return g_test_run();
}
