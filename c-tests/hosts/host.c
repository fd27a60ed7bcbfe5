/*
 * A host program that makes libqcrypto fail. Its argument says what for:
 *
 *   whose   prints who made the Error, "host" or "library", after using it in every way that callers do
 *   null    errp is NULL
 *   abort   errp is &error_abort
 *   fatal   errp is &error_fatal
 *   foreign prints who made the Error, and whether &error_fatal is recognised, without touching the Error: for hosts
 *           whose functions cannot read it
 *
 * Built with -DPULL, it refers to host-error.c by name; with -DSHAPE, to host-util.c, as emulators of QEMU's shape do; as
 * C++, it throws and catches besides. Built with -DBY_DLOPEN, it loads the library named by its
 * second argument, its third being "local" or "global"; without -DOWN_SET the Error functions are the library's too.
 *
 * SPDX-License-Identifier: MIT OR Apache-2.0
 */
#include <crypto/cipher.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host.h"

#define TEXT "Cipher key length 5 should be 16"

typedef QCryptoCipher *NewCipher(QCryptoCipherAlgo alg, QCryptoCipherMode mode, const uint8_t *key, size_t nkey,
                                 Error **errp);
typedef int SetIV(QCryptoCipher *cipher, const uint8_t *iv, size_t niv, Error **errp);

/* What is used of the library, and of the set of the Error functions that the program has. */
static struct {
    NewCipher *new_cipher;
    SetIV *setiv;
    Error **abort_address;
    Error **fatal_address;
    void (*setg)(Error **errp, const char *src, int line, const char *func, const char *fmt, ...);
    const char *(*pretty)(const Error *err);
    Error *(*copy)(const Error *err);
    void (*prepend)(Error *const *errp, const char *fmt, ...);
    void (*propagate)(Error **dst_errp, Error *local_err);
    void (*release)(Error *err);
} use;

#ifdef BY_DLOPEN
#include <dlfcn.h>

static void *library;

static void *find(const char *name)
{
    void *found = dlsym(library, name);
    if (!found) {
        fprintf(stderr, "%s\n", dlerror());
        exit(3);
    }
    return found;
}
#define LIBRARY(name) find(#name)
#else
#define LIBRARY(name) name
#endif

#if defined(BY_DLOPEN) && !defined(OWN_SET)
#define SET(name) find(#name)
#define SET_ADDRESS(name) find(#name)
#else
#define SET(name) name
#define SET_ADDRESS(name) &name
#endif

static void resolve(char **argv)
{
#ifdef BY_DLOPEN
    library = dlopen(argv[2], RTLD_NOW | (strcmp(argv[3], "global") == 0 ? RTLD_GLOBAL : RTLD_LOCAL));
    if (!library) {
        fprintf(stderr, "%s\n", dlerror());
        exit(3);
    }
#endif
    (void)argv;
    use.new_cipher = LIBRARY(qcrypto_cipher_new);
    use.setiv = LIBRARY(qcrypto_cipher_setiv);
    use.abort_address = SET_ADDRESS(error_abort);
    use.fatal_address = SET_ADDRESS(error_fatal);
    use.setg = SET(error_setg_internal);
    use.pretty = SET(error_get_pretty);
    use.copy = SET(error_copy);
    use.prepend = SET(error_prepend);
    use.propagate = SET(error_propagate);
    use.release = SET(error_free);
}

static const uint8_t key[16] = {0};

static QCryptoCipher *fail(Error **errp)
{
    return use.new_cipher(QCRYPTO_CIPHER_ALGO_AES_128, QCRYPTO_CIPHER_MODE_ECB, key, 5, errp);
}

static const char *maker(const Error *err)
{
    unsigned mark;
    memcpy(&mark, err, sizeof(mark));
    return mark == HOST_MARK ? "host" : "library";
}

static void expect(bool truth, const char *what)
{
    if (!truth) {
        printf("wrong: %s\n", what);
        exit(2);
    }
}

static void whose(void)
{
    Error *err = NULL;
    expect(!fail(&err) && err, "a refused cipher sets an Error");
    const char *who = maker(err);
    expect(strcmp(use.pretty(err), TEXT) == 0, "its text");

    /* A second function of the library, and one of the program: all of one maker. */
    Error *other = NULL;
    QCryptoCipher *cipher =
        use.new_cipher(QCRYPTO_CIPHER_ALGO_AES_128, QCRYPTO_CIPHER_MODE_ECB, key, sizeof(key), &other);
    expect(cipher && !other, "a good cipher sets none");
    expect(use.setiv(cipher, key, sizeof(key), &other) == -1 && other, "no IV in ECB");
    expect(strcmp(maker(other), who) == 0, "the library's functions agree on whose Errors are");
    use.release(other);
    other = NULL;
    use.setg(&other, __FILE__, __LINE__, __func__, "%s %d", "made by the program", 1);
    expect(other && strcmp(maker(other), who) == 0, "the program makes the same kind");
    expect(strcmp(use.pretty(other), "made by the program 1") == 0, "the program's text");
    use.release(other);

    use.prepend(&err, "%s: ", "prefix");
    Error *copy = use.copy(err);
    use.release(err);
    err = NULL;
    use.propagate(&err, copy);
    expect(err == copy && strcmp(use.pretty(err), "prefix: " TEXT) == 0, "prepended, copied, propagated");
    use.release(err);
    use.release(NULL);
    printf("%s\n", who);
}

int main(int argc, char **argv)
{
#ifdef PULL
    expect(host_error_pulled == 1, "host-error.c is linked in");
#endif
#ifdef SHAPE
    expect(host_util_works(), "the program's own tables and block functions");
#endif
#ifdef __cplusplus
    try {
        throw argc;
    } catch (int caught) {
        expect(caught == argc, "an exception arrives");
    }
#endif
    expect(argc > 1, "an argument");
    resolve(argv);
    if (strcmp(argv[1], "whose") == 0) {
        whose();
    } else if (strcmp(argv[1], "null") == 0) {
        expect(!fail(NULL), "refused without an Error");
    } else if (strcmp(argv[1], "abort") == 0) {
        fail(use.abort_address);
        expect(false, "&error_abort is recognised");
    } else if (strcmp(argv[1], "fatal") == 0) {
        fail(use.fatal_address);
        expect(false, "&error_fatal is recognised");
    } else if (strcmp(argv[1], "foreign") == 0) {
        Error *err = NULL;
        expect(!fail(&err) && err, "a refused cipher sets an Error");
        fail(use.fatal_address);
        /* Still here: the library took it for any Error pointer. */
        printf("%s, &error_fatal not recognised\n", maker(err));
    } else {
        expect(false, "a known argument");
    }
    return 0;
}
