/* What the programs of all eras share: data, and a comparison that says where. SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef ERA_H
#define ERA_H

#include <glib.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

static inline void era_fill(uint8_t *buf, size_t len, unsigned step)
{
    size_t i;

    for (i = 0; i < len; i++) {
        buf[i] = step * i + 1;
    }
}

/* The IV of plain64. */
static inline void era_sector_iv(uint8_t iv[16], uint64_t sector)
{
    size_t i;

    memset(iv, 0, 16);
    for (i = 0; i < 8; i++) {
        iv[i] = sector >> 8 * i;
    }
}

static inline void era_expect(const uint8_t *found, const uint8_t *expected, size_t len)
{
    g_assert_cmpmem(found, len, expected, len);
}

#endif
