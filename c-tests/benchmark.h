/*
 * What the benchmarks share: how much is measured, with what, and how they complain. PROGRAM is defined before this
 * is included, and _POSIX_C_SOURCE before anything is.
 *
 * The amount of data is fixed, not the time: asking for the time in the loop would cost a small chunk more than its
 * encryption. 2 GiB go through each case; QCRYPTO_BENCH_SIZE (bytes, or with K, M or G) lowers that.
 *
 * SPDX-License-Identifier: MIT OR Apache-2.0
 */
#ifndef C_TESTS_BENCHMARK_H
#define C_TESTS_BENCHMARK_H

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "qapi/error.h"

#define MIB 1048576.0
#define ALIGNMENT 4096
#define LARGEST_CHUNK ((size_t)16 << 20)
#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static const size_t default_chunks[] = { 512, 4096, 16384, 65536 };

/* One line that says what is wrong, and the status of a wrong command line. */
static void usage_error(const char *what, const char *value)
{
    fprintf(stderr, PROGRAM ": %s: '%s'\n", what, value);
    exit(2);
}

static void fail(const char *name, Error *err)
{
    fprintf(stderr, PROGRAM ": %s: %s\n", name, error_get_pretty(err));
    error_free(err);
    exit(1);
}

/* A positive number of bytes with an optional K, M or G; 0 if the text is none. */
static uint64_t parse_size(const char *text)
{
    static const char suffixes[] = "KMG";
    char *end;

    if (*text < '0' || *text > '9') {
        return 0;
    }
    errno = 0;
    uint64_t size = strtoull(text, &end, 10);
    if (errno) {
        return 0;
    }
    const char *suffix = *end ? strchr(suffixes, *end) : NULL;
    if (suffix) {
        unsigned shift = 10 * (unsigned)(suffix - suffixes + 1);
        if (size > UINT64_MAX >> shift) {
            return 0;
        }
        size <<= shift;
        end++;
    }
    return *end ? 0 : size;
}

static uint64_t size_to_measure(void)
{
    const char *text = getenv("QCRYPTO_BENCH_SIZE");
    if (!text) {
        return (uint64_t)2 << 30;
    }
    uint64_t size = parse_size(text);
    if (!size) {
        usage_error("QCRYPTO_BENCH_SIZE is no number of bytes", text);
    }
    return size;
}

static void *buffer(size_t len, uint8_t seed)
{
    uint8_t *bytes = aligned_alloc(ALIGNMENT, (len + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT);
    if (!bytes) {
        perror(PROGRAM);
        exit(1);
    }
    for (size_t i = 0; i < len; i++) {
        bytes[i] = (uint8_t)(i * 7 + seed);
    }
    return bytes;
}

static uint64_t chunks_of(uint64_t size, size_t chunk)
{
    return size / chunk + (size % chunk != 0);
}

static double seconds_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/* QEMU's line: "enc(aes-256-xts) chunk 512 bytes 1234.56 MB/sec". */
static void report(const char *what, const char *name, size_t chunk, uint64_t chunks, double seconds)
{
    printf("%s(%s) chunk %zu bytes %.2f MB/sec\n", what, name, chunk, (double)chunks * (double)chunk / MIB / seconds);
    fflush(stdout);
}

#endif
