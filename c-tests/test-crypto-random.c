/*
 * crypto/random.h and crypto/init.h: bytes before and after initialisation, on both sides of a fork, and refusals.
 *
 * SPDX-License-Identifier: MIT OR Apache-2.0
 */
#include <glib.h>

#include "crypto/init.h"
#include "crypto/random.h"

#include "cipher-util.h"

#include <sys/wait.h>
#include <unistd.h>

/* First: nothing was initialised yet. */
static void test_before_init(void)
{
    uint8_t one[32] = { 0 }, two[32] = { 0 };

    g_assert_cmpint(qcrypto_random_bytes(one, sizeof(one), &error_abort), ==, 0);
    g_assert_cmpint(qcrypto_random_bytes(two, sizeof(two), &error_abort), ==, 0);
    g_assert_cmpint(memcmp(one, two, sizeof(one)), !=, 0);
}

static void test_init(void)
{
    g_assert_cmpint(qcrypto_init(&error_abort), ==, 0);
    g_assert_cmpint(qcrypto_init(NULL), ==, 0);
    g_assert_cmpint(qcrypto_random_init(&error_abort), ==, 0);
}

/* Every byte of a buffer is filled, and none beside it. More than the 256 bytes that cannot be interrupted. */
static void test_fills(void)
{
    static const size_t lens[] = { 1, 255, 256, 257, 100000 };
    size_t i, j, round;

    for (i = 0; i < G_N_ELEMENTS(lens); i++) {
        g_autofree uint8_t *seen = g_malloc0(lens[i] + 2), *buf = g_malloc0(lens[i] + 2);

        /* That a byte stays 0 in 16 rounds has a chance of 2^-128. */
        for (round = 0; round < 16; round++) {
            qcrypto_random_bytes(buf + 1, lens[i], &error_abort);
            for (j = 0; j < lens[i] + 2; j++) {
                seen[j] |= buf[j];
            }
        }
        g_assert_cmpuint(seen[0] | seen[lens[i] + 1], ==, 0);
        for (j = 1; j <= lens[i]; j++) {
            g_assert_cmpuint(seen[j], !=, 0);
        }
    }
}

/* P16: parent and child get different bytes. */
static void test_fork(void)
{
    uint8_t mine[32], theirs[32];
    int fds[2], status;
    pid_t child;

    g_assert_cmpint(pipe(fds), ==, 0);
    child = fork();
    g_assert_cmpint(child, >=, 0);
    if (child == 0) {
        int ok = qcrypto_random_bytes(mine, sizeof(mine), NULL) == 0 && write(fds[1], mine, sizeof(mine)) == 32;
        _exit(ok ? 0 : 1);
    }
    qcrypto_random_bytes(mine, sizeof(mine), &error_abort);
    g_assert_cmpint(read(fds[0], theirs, sizeof(theirs)), ==, sizeof(theirs));
    g_assert_cmpint(waitpid(child, &status, 0), ==, child);
    g_assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    g_assert_cmpint(memcmp(mine, theirs, sizeof(mine)), !=, 0);
    close(fds[0]);
    close(fds[1]);
}

static void test_refusals(void)
{
    Error *err = NULL;

    g_assert_cmpint(qcrypto_random_bytes(NULL, 0, &error_abort), ==, 0);
    g_assert_cmpint(qcrypto_random_bytes(NULL, 1, &err), ==, -1);
    expect_error(&err, "Argument 'buf' is NULL");
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/crypto/random/before-init", test_before_init);
    g_test_add_func("/crypto/random/init", test_init);
    g_test_add_func("/crypto/random/fills", test_fills);
    g_test_add_func("/crypto/random/P16-fork", test_fork);
    g_test_add_func("/crypto/random/refusals", test_refusals);
    return g_test_run();
}
