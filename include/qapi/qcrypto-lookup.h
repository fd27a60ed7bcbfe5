/*
 * The names of the numbers of QEMU's crypto types: QCryptoCipherAlgo_lookup and its like, QCryptoCipherAlgo_str(). All of
 * it is static, so that a program with tables of its own links as well.
 *
 * SPDX-License-Identifier: MIT OR Apache-2.0
 */
#ifndef QCRYPTO_LOOKUP_H
#define QCRYPTO_LOOKUP_H

#include <qapi/util.h>

/* Tables that a source need not use. */
#ifdef __GNUC__
#define QCRYPTO_UNUSED __attribute__((unused))
#else
#define QCRYPTO_UNUSED
#endif

static const char *const qcrypto_QCryptoHashAlgo_names[] QCRYPTO_UNUSED = {
    "md5", "sha1", "sha224", "sha256", "sha384", "sha512", "ripemd160", "sm3",
};
static const QEnumLookup QCryptoHashAlgo_lookup QCRYPTO_UNUSED = {
    qcrypto_QCryptoHashAlgo_names, (const unsigned char *)0, 8
};
#define QCryptoHashAlgo_str(val) qapi_enum_lookup(&QCryptoHashAlgo_lookup, (int)(val))

static const char *const qcrypto_QCryptoCipherAlgo_names[] QCRYPTO_UNUSED = {
    "aes-128",     "aes-192",     "aes-256",     "des",         "3des",        "cast5-128", "serpent-128",
    "serpent-192", "serpent-256", "twofish-128", "twofish-192", "twofish-256", "sm4",
};
static const QEnumLookup QCryptoCipherAlgo_lookup QCRYPTO_UNUSED = {
    qcrypto_QCryptoCipherAlgo_names, (const unsigned char *)0, 13
};
#define QCryptoCipherAlgo_str(val) qapi_enum_lookup(&QCryptoCipherAlgo_lookup, (int)(val))

static const char *const qcrypto_QCryptoCipherMode_names[] QCRYPTO_UNUSED = {
    "ecb", "cbc", "xts", "ctr",
};
static const QEnumLookup QCryptoCipherMode_lookup QCRYPTO_UNUSED = {
    qcrypto_QCryptoCipherMode_names, (const unsigned char *)0, 4
};
#define QCryptoCipherMode_str(val) qapi_enum_lookup(&QCryptoCipherMode_lookup, (int)(val))

static const char *const qcrypto_QCryptoIVGenAlgo_names[] QCRYPTO_UNUSED = {
    "plain", "plain64", "essiv",
};
static const QEnumLookup QCryptoIVGenAlgo_lookup QCRYPTO_UNUSED = {
    qcrypto_QCryptoIVGenAlgo_names, (const unsigned char *)0, 3
};
#define QCryptoIVGenAlgo_str(val) qapi_enum_lookup(&QCryptoIVGenAlgo_lookup, (int)(val))

#endif /* QCRYPTO_LOOKUP_H */
