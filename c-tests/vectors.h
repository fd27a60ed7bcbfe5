/*
 * Reader of known answers, "format 1" of tests/vectors/README.md
 *
 * A file that breaks the format, lacks a field or cannot be read ends the program with a message that names the file
 * and the line: a known answer that is not read must never look like one that was right.
 *
 * SPDX-License-Identifier: MIT OR Apache-2.0
 */
#ifndef C_TESTS_VECTORS_H
#define C_TESTS_VECTORS_H

#include <glib.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "crypto/cipher.h"
#include "crypto/hash.h"

typedef struct VectorFile VectorFile;

/* The directory that the environment variable QCRYPTO_VECTORS names. */
const char *vectors_dir(void);

VectorFile *vectors_open(const char *path);
void vectors_close(VectorFile *file);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(VectorFile, vectors_close)

/* Go to the next record, or to the first. False at the end of the file. */
bool vectors_next(VectorFile *file);

/* The number of records that the head of the file promises, and the number read so far. */
unsigned vectors_promised(const VectorFile *file);
unsigned vectors_read(const VectorFile *file);

/* "FILE:LINE (ID)" of the current record, for messages. */
const char *vectors_where(const VectorFile *file);

/*
 * Fields of the current record. vectors_find() gives NULL where there is no such field; the others insist on it.
 * Byte strings come from malloc().
 */
const char *vectors_find(const VectorFile *file, const char *name);
const char *vectors_text(const VectorFile *file, const char *name);
uint64_t vectors_number(const VectorFile *file, const char *name);
uint8_t *vectors_bytes(const VectorFile *file, const char *name, size_t *len);
QCryptoCipherAlgo vectors_cipher_algo(const VectorFile *file, const char *name);
QCryptoHashAlgo vectors_hash_algo(const VectorFile *file, const char *name);
QCryptoCipherMode vectors_cipher_mode(const VectorFile *file, const char *name);

/* Whether the current record has this flag. */
bool vectors_flag(const VectorFile *file, const char *flag);

/* End the program over something that is wrong with the current record. */
void vectors_fatal(const VectorFile *file, const char *fmt, ...) G_GNUC_PRINTF(2, 3) G_GNUC_NORETURN;

#endif /* C_TESTS_VECTORS_H */
