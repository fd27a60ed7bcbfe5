/*
 * Reader of known answers, "format 1" of tests/vectors/README.md
 *
 * SPDX-License-Identifier: MIT OR Apache-2.0
 */
#include <errno.h>
#include <glib.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "vectors.h"

typedef struct Field {
    char *name;
    char *value;
} Field;

struct VectorFile {
    FILE *stream;
    char *name;       /* for messages */
    char *where;      /* of the current record */
    char *line;       /* grows with the longest line so far */
    size_t line_size;
    unsigned line_number;
    unsigned promised;
    unsigned read;
    GArray *fields;   /* of Field: the current record */
};

static const char *const algo_names[QCRYPTO_CIPHER_ALGO__MAX] = {
    [QCRYPTO_CIPHER_ALGO_AES_128] = "aes-128",
    [QCRYPTO_CIPHER_ALGO_AES_192] = "aes-192",
    [QCRYPTO_CIPHER_ALGO_AES_256] = "aes-256",
    [QCRYPTO_CIPHER_ALGO_DES] = "des",
    [QCRYPTO_CIPHER_ALGO_3DES] = "3des",
    [QCRYPTO_CIPHER_ALGO_CAST5_128] = "cast5-128",
    [QCRYPTO_CIPHER_ALGO_SERPENT_128] = "serpent-128",
    [QCRYPTO_CIPHER_ALGO_SERPENT_192] = "serpent-192",
    [QCRYPTO_CIPHER_ALGO_SERPENT_256] = "serpent-256",
    [QCRYPTO_CIPHER_ALGO_TWOFISH_128] = "twofish-128",
    [QCRYPTO_CIPHER_ALGO_TWOFISH_192] = "twofish-192",
    [QCRYPTO_CIPHER_ALGO_TWOFISH_256] = "twofish-256",
    [QCRYPTO_CIPHER_ALGO_SM4] = "sm4",
};

static const char *const hash_names[QCRYPTO_HASH_ALGO__MAX] = {
    [QCRYPTO_HASH_ALGO_MD5] = "md5",
    [QCRYPTO_HASH_ALGO_SHA1] = "sha1",
    [QCRYPTO_HASH_ALGO_SHA224] = "sha224",
    [QCRYPTO_HASH_ALGO_SHA256] = "sha256",
    [QCRYPTO_HASH_ALGO_SHA384] = "sha384",
    [QCRYPTO_HASH_ALGO_SHA512] = "sha512",
    [QCRYPTO_HASH_ALGO_RIPEMD160] = "ripemd160",
    [QCRYPTO_HASH_ALGO_SM3] = "sm3",
};

static const char *const mode_names[QCRYPTO_CIPHER_MODE__MAX] = {
    [QCRYPTO_CIPHER_MODE_ECB] = "ecb",
    [QCRYPTO_CIPHER_MODE_CBC] = "cbc",
    [QCRYPTO_CIPHER_MODE_XTS] = "xts",
    [QCRYPTO_CIPHER_MODE_CTR] = "ctr",
};

const char *vectors_dir(void)
{
    const char *dir = g_getenv("QCRYPTO_VECTORS");

    if (!dir || !*dir) {
        g_error("QCRYPTO_VECTORS is not set: it names the directory of the known answers, tests/vectors");
    }
    return dir;
}

void vectors_fatal(const VectorFile *file, const char *fmt, ...)
{
    g_autofree char *what = NULL;
    va_list ap;

    va_start(ap, fmt);
    what = g_strdup_vprintf(fmt, ap);
    va_end(ap);
    g_error("%s:%u: %s", file->name, file->line_number, what);
}

static void clear_field(void *data)
{
    Field *field = data;

    g_free(field->name);
    g_free(field->value);
}

/* The next line without its end, or NULL at the end of the file. */
static char *next_line(VectorFile *file)
{
    ssize_t len = getline(&file->line, &file->line_size, file->stream);

    if (len < 0) {
        if (ferror(file->stream)) {
            vectors_fatal(file, "%s", g_strerror(errno));
        }
        return NULL;
    }
    file->line_number++;
    if (memchr(file->line, '\0', len)) {
        vectors_fatal(file, "a NUL byte");
    }
    if (file->line[len - 1] != '\n') {
        vectors_fatal(file, "the last line is cut short");
    }
    file->line[len - 1] = '\0';
    return file->line;
}

/* Decimal digits and nothing else. */
static uint64_t parse_number(const VectorFile *file, const char *text)
{
    guint64 number;

    if (!g_ascii_string_to_unsigned(text, 10, 0, G_MAXUINT64, &number, NULL)) {
        vectors_fatal(file, "'%s' is not a number", text);
    }
    return number;
}

/* The comments before the first record. One of them says how many records follow. */
static void read_head(VectorFile *file)
{
    static const char count[] = "# records: ";
    bool found = false;
    const char *line;

    while ((line = next_line(file)) && *line == '#') {
        if (g_str_has_prefix(line, count)) {
            file->promised = parse_number(file, line + strlen(count));
            found = true;
        }
    }
    if (!found || !line || *line) {
        vectors_fatal(file, "the head does not end in an empty line, or does not state the number of records");
    }
}

VectorFile *vectors_open(const char *path)
{
    VectorFile *file = g_new0(VectorFile, 1);

    file->name = g_path_get_basename(path);
    file->stream = fopen(path, "r");
    if (!file->stream) {
        g_error("%s: %s", path, g_strerror(errno));
    }
    file->fields = g_array_new(false, false, sizeof(Field));
    g_array_set_clear_func(file->fields, clear_field);
    read_head(file);
    return file;
}

void vectors_close(VectorFile *file)
{
    g_array_unref(file->fields);
    fclose(file->stream);
    free(file->line);
    g_free(file->where);
    g_free(file->name);
    g_free(file);
}

static void add_field(VectorFile *file, char *line)
{
    static const char name_chars[] = "abcdefghijklmnopqrstuvwxyz0123456789-";
    size_t name_len = strspn(line, name_chars);
    char *value = line + name_len;
    Field field;

    if (!g_ascii_islower(*line) || !g_str_has_prefix(value, " =")) {
        vectors_fatal(file, "not a field");
    }
    value += strlen(" =");
    if (*value) {
        if (value[0] != ' ' || !value[1]) {
            vectors_fatal(file, "one space must stand before a value");
        }
        value++;
    }
    line[name_len] = '\0';
    if (vectors_find(file, line)) {
        vectors_fatal(file, "field '%s' occurs twice", line);
    }
    field.name = g_strdup(line);
    field.value = g_strdup(value);
    g_array_append_val(file->fields, field);
}

bool vectors_next(VectorFile *file)
{
    unsigned first_line;
    char *line;

    g_array_set_size(file->fields, 0);

    while ((line = next_line(file)) && !*line) {
        /* More than one empty line between records does no harm. */
    }
    first_line = file->line_number;
    for (; line && *line; line = next_line(file)) {
        add_field(file, line);
    }
    if (file->fields->len == 0) {
        return false;
    }

    if (file->fields->len < 2 || strcmp(g_array_index(file->fields, Field, 0).name, "id") != 0 ||
        strcmp(g_array_index(file->fields, Field, 1).name, "kind") != 0) {
        vectors_fatal(file, "the record does not start with id and kind");
    }
    file->read++;
    g_free(file->where);
    file->where = g_strdup_printf("%s:%u (%s)", file->name, first_line, vectors_text(file, "id"));
    return true;
}

unsigned vectors_promised(const VectorFile *file)
{
    return file->promised;
}

unsigned vectors_read(const VectorFile *file)
{
    return file->read;
}

const char *vectors_where(const VectorFile *file)
{
    return file->where;
}

const char *vectors_find(const VectorFile *file, const char *name)
{
    guint i;

    for (i = 0; i < file->fields->len; i++) {
        const Field *field = &g_array_index(file->fields, Field, i);

        if (strcmp(field->name, name) == 0) {
            return field->value;
        }
    }
    return NULL;
}

const char *vectors_text(const VectorFile *file, const char *name)
{
    const char *value = vectors_find(file, name);

    if (!value) {
        vectors_fatal(file, "the record above has no field '%s'", name);
    }
    return value;
}

uint64_t vectors_number(const VectorFile *file, const char *name)
{
    return parse_number(file, vectors_text(file, name));
}

/* The value of a lower-case hex digit, or -1. */
static int digit_value(char digit)
{
    return g_ascii_isupper(digit) ? -1 : g_ascii_xdigit_value(digit);
}

uint8_t *vectors_bytes(const VectorFile *file, const char *name, size_t *len)
{
    const char *hex = vectors_text(file, name);
    size_t digits = strlen(hex);
    size_t i;
    uint8_t *bytes;

    if (digits % 2) {
        vectors_fatal(file, "field '%s' has an odd number of digits", name);
    }
    *len = digits / 2;
    /* malloc, and no byte more than there are: memory checkers then see every access past the end. */
    bytes = malloc(*len ? *len : 1);
    g_assert_nonnull(bytes);
    for (i = 0; i < *len; i++) {
        int high = digit_value(hex[2 * i]);
        int low = digit_value(hex[2 * i + 1]);

        if (high < 0 || low < 0) {
            vectors_fatal(file, "field '%s' is not lower-case hex", name);
        }
        bytes[i] = high << 4 | low;
    }
    return bytes;
}

static unsigned find_name(const VectorFile *file, const char *const *names, unsigned count, const char *name)
{
    unsigned i;

    for (i = 0; i < count; i++) {
        if (strcmp(names[i], name) == 0) {
            return i;
        }
    }
    vectors_fatal(file, "'%s' is no name that this test knows", name);
}

QCryptoCipherAlgo vectors_cipher_algo(const VectorFile *file, const char *name)
{
    return find_name(file, algo_names, G_N_ELEMENTS(algo_names), vectors_text(file, name));
}

QCryptoHashAlgo vectors_hash_algo(const VectorFile *file, const char *name)
{
    return find_name(file, hash_names, G_N_ELEMENTS(hash_names), vectors_text(file, name));
}

QCryptoCipherMode vectors_cipher_mode(const VectorFile *file, const char *name)
{
    return find_name(file, mode_names, G_N_ELEMENTS(mode_names), vectors_text(file, name));
}

bool vectors_flag(const VectorFile *file, const char *flag)
{
    const char *flags = vectors_find(file, "flags");
    g_auto(GStrv) words = NULL;

    if (!flags) {
        return false;
    }
    words = g_strsplit(flags, " ", -1);
    return g_strv_contains((const char *const *)words, flag);
}
