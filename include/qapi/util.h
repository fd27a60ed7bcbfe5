/*
 * QEMU's names of numbers, under QEMU's include path and names. A program that has QEMU's own qapi/util.h keeps that.
 *
 * SPDX-License-Identifier: MIT OR Apache-2.0
 */
#ifndef QAPI_UTIL_H
#define QAPI_UTIL_H

#include <string.h>

#include <qapi/error.h>

/* The names of an enum's numbers, which count from 0. */
typedef struct QEnumLookup {
    const char *const *array;
    /* always NULL here */
    const unsigned char *const features;
    const int size;
} QEnumLookup;

/* The name of a number; NULL where it has none. */
static inline const char *qapi_enum_lookup(const QEnumLookup *lookup, int val)
{
    return val >= 0 && val < lookup->size ? lookup->array[val] : (const char *)0;
}

/* The number of a name; def and an Error for a name of none, def alone for NULL. */
static inline int qapi_enum_parse(const QEnumLookup *lookup, const char *buf, int def, Error **errp)
{
    int number;

    if (!buf) {
        return def;
    }
    for (number = 0; number < lookup->size; number++) {
        if (strcmp(buf, lookup->array[number]) == 0) {
            return number;
        }
    }
    error_setg(errp, "invalid parameter value: %s", buf);
    return def;
}

#endif /* QAPI_UTIL_H */
