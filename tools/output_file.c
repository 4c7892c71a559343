/* SPDX-License-Identifier: MIT */
#include "output_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "report.h"
#include "system_files.h"

static bool is_standard_output(const char *path)
{
    return strcmp(path, "-") == 0;
}

int output_check(const char *path, bool force)
{
    struct stat status;
    if (is_standard_output(path))
        return STATUS_YES;
    if (stat(path, &status) < 0)
        return errno == ENOENT ? STATUS_YES : report_errno(path, "cannot make it");
    if (S_ISDIR(status.st_mode))
        return report_error(path, "is a directory. Give the name of a file in it");
    if (S_ISREG(status.st_mode) && !force)
        return report_error(path, "exists already. Give another name, or --force to replace it");
    return STATUS_YES;
}

/* The file's permission bits: those of the file that is replaced, or what open would give. */
static mode_t mode_for(const char *path)
{
    struct stat status;
    if (stat(path, &status) == 0)
        return status.st_mode & 0777;
    mode_t mask = umask(0);
    umask(mask);
    return 0666 & ~mask;
}

static int write_temporary(int descriptor, const char *path, const void *bytes, size_t size)
{
    int failed = write_all(descriptor, bytes, size) < 0 || fchmod(descriptor, mode_for(path)) < 0 ||
                 fsync(descriptor) < 0;
    /* close reports what some file systems find out last. */
    return close(descriptor) < 0 || failed ? -1 : 0;
}

/* Writes beside `path` and renames. `path` is no symbolic link. */
static int replace_file(const char *path, const void *bytes, size_t size)
{
    size_t room = strlen(path) + sizeof ".XXXXXX";
    char *temporary = malloc(room);
    if (temporary == NULL)
        return report_error(NULL, "out of memory");
    snprintf(temporary, room, "%s.XXXXXX", path);
    hold_signals();
    int descriptor = mkstemp(temporary);
    int failed = descriptor < 0;
    if (!failed) {
        failed = write_temporary(descriptor, path, bytes, size) < 0 || rename(temporary, path) < 0;
        if (failed) {
            int kept = errno;
            unlink(temporary);
            errno = kept;
        }
    }
    release_signals();
    free(temporary);
    return failed ? report_errno(path, "cannot write") : STATUS_YES;
}

/* A pipe or a device: there is nothing to keep whole. */
static int write_to_existing(int descriptor, const char *path, const void *bytes, size_t size)
{
    if (descriptor < 0)
        return report_errno(path, "cannot open");
    int failed = write_all(descriptor, bytes, size) < 0;
    if (descriptor != STDOUT_FILENO)
        failed |= close(descriptor) < 0;
    return failed ? report_errno(path, "cannot write") : STATUS_YES;
}

int output_write(const char *path, bool force, const void *bytes, size_t size)
{
    struct stat status;
    if (is_standard_output(path))
        return write_to_existing(STDOUT_FILENO, "standard output", bytes, size);
    if (output_check(path, force) != STATUS_YES)
        return STATUS_ERROR;
    if (stat(path, &status) < 0)
        return replace_file(path, bytes, size);
    if (!S_ISREG(status.st_mode))
        return write_to_existing(open_file(path, O_WRONLY), path, bytes, size);
    char *target = realpath(path, NULL);
    if (target == NULL)
        return report_errno(path, "cannot find it");
    int result = replace_file(target, bytes, size);
    free(target);
    return result;
}
