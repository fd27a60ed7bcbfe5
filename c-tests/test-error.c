/*
 * The library's default set of Error functions, which serves programs without one of their own: all of qapi/error.h, as
 * QEMU's callers use it.
 *
 * SPDX-License-Identifier: MIT OR Apache-2.0
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <glib.h>
#include <qapi/error.h>

/* What a process said on stderr before it ended, and how it ended. */
typedef struct Outcome {
    int status;
    char *said;
} Outcome;

/* Runs a function in a process of its own. */
static Outcome in_child(void (*function)(void))
{
    int pipes[2];
    g_assert_cmpint(pipe(pipes), ==, 0);
    pid_t pid = fork();
    g_assert_cmpint(pid, !=, -1);
    if (pid == 0) {
        struct rlimit no_core = {0, 0};
        setrlimit(RLIMIT_CORE, &no_core);
        dup2(pipes[1], STDERR_FILENO);
        close(pipes[0]);
        close(pipes[1]);
        function();
        _exit(0);
    }
    close(pipes[1]);
    GString *said = g_string_new(NULL);
    char buffer[4096];
    for (ssize_t got; (got = read(pipes[0], buffer, sizeof(buffer))) > 0;) {
        g_string_append_len(said, buffer, got);
    }
    close(pipes[0]);
    Outcome outcome;
    g_assert_cmpint(waitpid(pid, &outcome.status, 0), ==, pid);
    outcome.said = g_string_free(said, FALSE);
    return outcome;
}

/* Checks how a function ends, 0 for well, and all that it says on stderr. */
static void expect_exit(void (*function)(void), int status, const char *said)
{
    Outcome outcome = in_child(function);
    g_assert_true(WIFEXITED(outcome.status));
    g_assert_cmpint(WEXITSTATUS(outcome.status), ==, status);
    g_assert_cmpstr(outcome.said, ==, said);
    g_free(outcome.said);
}

/* Checks that a function calls abort(), and what it says on stderr. */
static void expect_abort(void (*function)(void), const char *pattern)
{
    Outcome outcome = in_child(function);
    g_assert_true(WIFSIGNALED(outcome.status));
    g_assert_cmpint(WTERMSIG(outcome.status), ==, SIGABRT);
    if (!g_pattern_match_simple(pattern, outcome.said)) {
        g_error("said, not \"%s\":\n%s", pattern, outcome.said);
    }
    g_free(outcome.said);
}

static void expect_pretty(const Error *err, const char *text)
{
    g_assert_nonnull(err);
    g_assert_cmpstr(error_get_pretty(err), ==, text);
}

static void test_setg(void)
{
    Error *err = NULL;
    error_setg(&err, "%s %d %zu %c %.2f %lld%%", "text", -1, (size_t)2, 'c', 0.5, 1LL << 40);
    expect_pretty(err, "text -1 2 c 0.50 1099511627776%");
    g_assert_cmpint(error_get_class(err), ==, ERROR_CLASS_GENERIC_ERROR);
    error_free(err);
}

/* More arguments than registers hold: the jump to the C body must pass all on. */
static void test_many_arguments(void)
{
    Error *err = NULL;
    error_setg(&err, "%d %d %d %d %d %d %d %d %g %g %g %g %g %g %g %g %g %g", 1, 2, 3, 4, 5, 6, 7, 8,
               1., 2., 3., 4., 5., 6., 7., 8., 9., 10.);
    expect_pretty(err, "1 2 3 4 5 6 7 8 1 2 3 4 5 6 7 8 9 10");
    error_free(err);
}

static void test_long_text(void)
{
    char *text = g_strnfill(100000, 'x');
    Error *err = NULL;
    error_setg(&err, "%s", text);
    expect_pretty(err, text);
    error_free(err);
    g_free(text);
}

static void test_empty_text(void)
{
    Error *err = NULL;
    error_setg(&err, "%s", "");
    expect_pretty(err, "");
    error_free(err);
}

/* File names are bytes: a text goes out as it came in. */
static void test_bytes(void)
{
    Error *err = NULL;
    error_setg(&err, "caf\xe9: %s", "\xff\xfe");
    expect_pretty(err, "caf\xe9: \xff\xfe");
    error_free(err);

    err = NULL;
    error_setg_file_open(&err, ENOENT, "caf\xe9");
    expect_pretty(err, "Could not open 'caf\xe9': No such file or directory");
    error_free(err);
}

static void test_setg_errno(void)
{
    Error *err = NULL;
    error_setg_errno(&err, EACCES, "Cannot read %s", "disk");
    expect_pretty(err, "Cannot read disk: Permission denied");
    error_free(err);

    err = NULL;
    error_setg_errno(&err, 0, "Cannot read %s", "disk");
    expect_pretty(err, "Cannot read disk");
    error_free(err);
}

static void test_file_open(void)
{
    Error *err = NULL;
    error_setg_file_open(&err, ENOENT, "disk.img");
    expect_pretty(err, "Could not open 'disk.img': No such file or directory");
    error_free(err);
}

static void test_class(void)
{
    Error *err = NULL;
    error_set(&err, ERROR_CLASS_DEVICE_NOT_FOUND, "Device '%s' not found", "ide0");
    expect_pretty(err, "Device 'ide0' not found");
    g_assert_cmpint(error_get_class(err), ==, ERROR_CLASS_DEVICE_NOT_FOUND);

    Error *copy = error_copy(err);
    g_assert_cmpint(error_get_class(copy), ==, ERROR_CLASS_DEVICE_NOT_FOUND);
    error_free(copy);
    error_free(err);
}

static void test_errno_preserved(void)
{
    Error *err = NULL;
    errno = EBUSY;
    error_setg(&err, "%s", "text");
    g_assert_cmpint(errno, ==, EBUSY);
    error_append_hint(&err, "%s", "hint\n");
    g_assert_cmpint(errno, ==, EBUSY);
    error_free(err);

    err = NULL;
    errno = EBUSY;
    error_setg_errno(&err, ENOENT, "text");
    g_assert_cmpint(errno, ==, EBUSY);
    error_free(err);

    err = NULL;
    errno = EBUSY;
    error_setg_file_open(&err, ENOENT, "text");
    g_assert_cmpint(errno, ==, EBUSY);
    error_free(err);
}

/* errp NULL: the caller does not want to know. */
static void test_null(void)
{
    error_setg(NULL, "%s", "text");
    error_setg_errno(NULL, ENOENT, "%s", "text");
    error_set(NULL, ERROR_CLASS_DEVICE_NOT_FOUND, "%s", "text");
    error_setg_file_open(NULL, ENOENT, "text");
    error_prepend(NULL, "%s", "text");
    error_append_hint(NULL, "%s", "text");
    error_propagate(NULL, NULL);
    error_free(NULL);

    Error *err = NULL;
    error_prepend(&err, "%s", "text");
    error_append_hint(&err, "%s", "text");
    error_propagate(&err, NULL);
    error_propagate_prepend(&err, NULL, "%s", "text");
    g_assert_null(err);
}

static void test_first_kept(void)
{
    Error *err = NULL;
    error_setg(&err, "first");
    Error *first = err;
    error_setg(&err, "second");
    error_setg_errno(&err, ENOENT, "third");
    g_assert_true(err == first);
    expect_pretty(err, "first");

    Error *local = NULL;
    error_setg(&local, "fourth");
    error_propagate(&err, local);
    g_assert_true(err == first);
    expect_pretty(err, "first");
    error_free(err);
}

static void test_propagate(void)
{
    Error *err = NULL, *local = NULL;
    error_setg(&local, "text");
    error_propagate(&err, local);
    expect_pretty(err, "text");
    error_free(err);

    err = local = NULL;
    error_setg(&local, "text");
    error_propagate_prepend(&err, local, "%s %d: ", "line", 7);
    expect_pretty(err, "line 7: text");
    error_free(err);

    local = NULL;
    error_setg(&local, "freed, since nobody wants it");
    error_propagate(NULL, local);
}

static void vprepend(Error *const *errp, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    error_vprepend(errp, fmt, ap);
    va_end(ap);
}

static void test_prepend(void)
{
    Error *err = NULL;
    error_setg(&err, "text");
    error_prepend(&err, "%s, %d: ", "inner", 1);
    vprepend(&err, "%s, %d: ", "outer", 2);
    expect_pretty(err, "outer, 2: inner, 1: text");
    error_free(err);
}

static void test_copy(void)
{
    Error *err = NULL;
    error_setg(&err, "text");
    Error *copy = error_copy(err);
    g_assert_true(copy != err);
    error_prepend(&err, "prefix: ");
    expect_pretty(copy, "text");
    error_free(err);
    expect_pretty(copy, "text");
    error_free(copy);
}

static void test_free_or_abort(void)
{
    Error *err = NULL;
    error_setg(&err, "text");
    error_free_or_abort(&err);
    g_assert_null(err);
}

static void free_nothing(void)
{
    Error *err = NULL;
    error_free_or_abort(&err);
}

static void test_free_or_abort_without(void)
{
    expect_abort(free_nothing, "*");
}

static Error *with_hint(void)
{
    Error *err = NULL;
    error_setg(&err, "text");
    error_append_hint(&err, "Try %s,\n", "this");
    error_append_hint(&err, "or %s.\n", "that");
    return err;
}

static void report(void)
{
    error_report_err(with_hint());
}

static void reportf(void)
{
    error_reportf_err(with_hint(), "%s, line %d: ", "file", 3);
}

static void warn(void)
{
    warn_report_err(with_hint());
}

static void warnf(void)
{
    warn_reportf_err(with_hint(), "%s, line %d: ", "file", 3);
}

static void copied(void)
{
    Error *err = with_hint();
    Error *copy = error_copy(err);
    error_free(err);
    error_report_err(copy);
}

#define HINT "Try this,\nor that.\n"

static void test_report(void)
{
    expect_exit(report, 0, "test-error: text\n" HINT);
    expect_exit(reportf, 0, "test-error: file, line 3: text\n" HINT);
    expect_exit(warn, 0, "test-error: warning: text\n" HINT);
    expect_exit(warnf, 0, "test-error: warning: file, line 3: text\n" HINT);
    expect_exit(copied, 0, "test-error: text\n" HINT);
}

static void warn_once(void)
{
    bool printed = false;
    g_assert_true(warn_report_err_once_cond(&printed, with_hint()));
    g_assert_true(printed);
    g_assert_false(warn_report_err_once_cond(&printed, with_hint()));
    g_assert_true(printed);
}

static void test_warn_once(void)
{
    expect_exit(warn_once, 0, "test-error: warning: text\n" HINT);
}

static void closed(void)
{
    close(STDERR_FILENO);
    report();
    warn();
}

/* Nobody to tell is no reason to fail. */
static void test_stderr_closed(void)
{
    expect_exit(closed, 0, "");
}

static void setg_abort(void)
{
    error_setg(&error_abort, "text %d", 1);
}

static void setg_errno_abort(void)
{
    error_setg_errno(&error_abort, ENOENT, "text");
}

static void set_abort(void)
{
    error_set(&error_abort, ERROR_CLASS_DEVICE_NOT_FOUND, "text");
}

static void file_open_abort(void)
{
    error_setg_file_open(&error_abort, ENOENT, "disk.img");
}

static void propagate_abort(void)
{
    Error *local = NULL;
    error_setg(&local, "text");
    error_propagate(&error_abort, local);
}

static void propagate_prepend_abort(void)
{
    Error *local = NULL;
    error_setg(&local, "text");
    error_propagate_prepend(&error_abort, local, "prefix: ");
}

static void test_abort(void)
{
    expect_abort(setg_abort, "Unexpected error in setg_abort() at *test-error.c:*:\ntest-error: text 1\n");
    expect_abort(setg_errno_abort, "Unexpected error in setg_errno_abort() at *test-error.c:*:\n"
                                   "test-error: text: No such file or directory\n");
    expect_abort(set_abort, "Unexpected error in set_abort() at *test-error.c:*:\ntest-error: text\n");
    expect_abort(file_open_abort, "Unexpected error in file_open_abort() at *test-error.c:*:\n"
                                  "test-error: Could not open 'disk.img': No such file or directory\n");
    /* The place is where the Error was made, not where it was handed on. */
    expect_abort(propagate_abort, "Unexpected error in propagate_abort() at *test-error.c:*:\ntest-error: text\n");
    expect_abort(propagate_prepend_abort,
                 "Unexpected error in propagate_prepend_abort() at *test-error.c:*:\ntest-error: prefix: text\n");
}

static void setg_fatal(void)
{
    error_setg(&error_fatal, "text %d", 1);
}

static void propagate_fatal(void)
{
    error_propagate(&error_fatal, with_hint());
}

static void propagate_prepend_fatal(void)
{
    error_propagate_prepend(&error_fatal, with_hint(), "prefix: ");
}

static void at_exit(void)
{
    static const char line[] = "handlers run\n";
    if (write(STDERR_FILENO, line, strlen(line)) < 0) {
        abort();
    }
}

static void fatal_with_handler(void)
{
    atexit(at_exit);
    error_setg(&error_fatal, "text");
}

static void test_fatal(void)
{
    expect_exit(setg_fatal, 1, "test-error: text 1\n");
    expect_exit(propagate_fatal, 1, "test-error: text\n" HINT);
    expect_exit(propagate_prepend_fatal, 1, "test-error: prefix: text\n" HINT);
    expect_exit(fatal_with_handler, 1, "test-error: text\nhandlers run\n");
}

static gpointer make_and_free(gpointer number)
{
    for (int i = 0; i < 2000; i++) {
        Error *err = NULL;
        error_setg(&err, "%d, %d", GPOINTER_TO_INT(number), i);
        char *text = g_strdup_printf("prefix: %d, %d", GPOINTER_TO_INT(number), i);
        error_prepend(&err, "prefix: ");
        expect_pretty(err, text);
        g_free(text);
        error_free(err);
    }
    return NULL;
}

static void test_threads(void)
{
    GThread *threads[4];
    for (guint i = 0; i < G_N_ELEMENTS(threads); i++) {
        threads[i] = g_thread_new("maker", make_and_free, GINT_TO_POINTER((gint)i));
    }
    for (guint i = 0; i < G_N_ELEMENTS(threads); i++) {
        g_thread_join(threads[i]);
    }
}

int main(int argc, char **argv)
{
    /* strerror() is to speak English. */
    g_setenv("LC_ALL", "C", TRUE);
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/error/setg", test_setg);
    g_test_add_func("/error/setg/many-arguments", test_many_arguments);
    g_test_add_func("/error/setg/long", test_long_text);
    g_test_add_func("/error/setg/empty", test_empty_text);
    g_test_add_func("/error/setg/bytes", test_bytes);
    g_test_add_func("/error/setg-errno", test_setg_errno);
    g_test_add_func("/error/file-open", test_file_open);
    g_test_add_func("/error/class", test_class);
    g_test_add_func("/error/errno-preserved", test_errno_preserved);
    g_test_add_func("/error/null", test_null);
    g_test_add_func("/error/first-kept", test_first_kept);
    g_test_add_func("/error/propagate", test_propagate);
    g_test_add_func("/error/prepend", test_prepend);
    g_test_add_func("/error/copy", test_copy);
    g_test_add_func("/error/free-or-abort", test_free_or_abort);
    g_test_add_func("/error/free-or-abort/without", test_free_or_abort_without);
    g_test_add_func("/error/report", test_report);
    g_test_add_func("/error/warn-once", test_warn_once);
    g_test_add_func("/error/stderr-closed", test_stderr_closed);
    g_test_add_func("/error/abort", test_abort);
    g_test_add_func("/error/fatal", test_fatal);
    g_test_add_func("/error/threads", test_threads);
    return g_test_run();
}
