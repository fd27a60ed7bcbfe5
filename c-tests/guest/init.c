/*
 * The first process of a virtual machine that runs tests: loads the kernel's modules, runs every program of /tests with
 * the words of /args behind its name, says how each ended, and turns the machine off.
 *
 * SPDX-License-Identifier: MIT OR Apache-2.0
 */
#include <dirent.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/reboot.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

enum { MAX_ENTRIES = 64 };

/* The names in a directory, sorted. */
static int list(const char *directory, struct dirent ***entries)
{
    int count = scandir(directory, entries, NULL, alphasort);

    return count < 0 ? 0 : count;
}

static bool load(const char *name)
{
    char path[300];
    int file;
    long result;

    snprintf(path, sizeof(path), "/modules/%s", name);
    file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0) {
        return false;
    }
    result = syscall(SYS_finit_module, file, "", 0);
    close(file);
    return result == 0;
}

/* Modules need one another: goes through those that are left until none more can be loaded. */
static void load_modules(void)
{
    struct dirent **entries;
    int count = list("/modules", &entries);
    bool progress;
    int i;

    do {
        progress = false;
        for (i = 0; i < count; i++) {
            if (entries[i] && entries[i]->d_name[0] != '.' && load(entries[i]->d_name)) {
                progress = true;
                entries[i] = NULL;
            }
        }
    } while (progress);
    for (i = 0; i < count; i++) {
        if (entries[i] && entries[i]->d_name[0] != '.') {
            printf("MODULE %s not loaded\n", entries[i]->d_name);
        }
    }
}

/* The lines of a file: variables of the environment, or a program's arguments. */
static int lines(const char *path, char **into, int room)
{
    FILE *file = fopen(path, "re");
    char *line = NULL;
    size_t size = 0;
    int count = 0;

    while (file && count < room && getline(&line, &size, file) > 0) {
        line[strcspn(line, "\n")] = '\0';
        into[count++] = strdup(line);
    }
    if (file) {
        fclose(file);
    }
    free(line);
    return count;
}

static void run(const char *name)
{
    char path[300], arguments_path[300];
    char *arguments[MAX_ENTRIES] = { path }, *environment[MAX_ENTRIES] = { NULL };
    int status = -1;
    pid_t child;

    snprintf(path, sizeof(path), "/tests/%s", name);
    snprintf(arguments_path, sizeof(arguments_path), "/args/%s", name);
    lines(arguments_path, arguments + 1, MAX_ENTRIES - 2);
    lines("/environment", environment, MAX_ENTRIES - 1);
    child = fork();
    if (child == 0) {
        execve(path, arguments, environment);
        perror(path);
        _exit(127);
    }
    if (child > 0) {
        waitpid(child, &status, 0);
    }
    printf("EXIT %s %d\n", name, status);
    fflush(stdout);
}

int main(void)
{
    struct dirent **entries;
    int count, i;

    mkdir("/proc", 0755);
    mkdir("/dev", 0755);
    mkdir("/tmp", 0755);
    mount("proc", "/proc", "proc", 0, NULL);
    mount("devtmpfs", "/dev", "devtmpfs", 0, NULL);
    load_modules();
    count = list("/tests", &entries);
    for (i = 0; i < count; i++) {
        if (entries[i]->d_name[0] != '.') {
            run(entries[i]->d_name);
        }
    }
    printf("DONE\n");
    fflush(stdout);
    tcdrain(STDOUT_FILENO);
    sync();
    reboot(RB_POWER_OFF);
    return 1;
}
