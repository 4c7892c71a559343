/* SPDX-License-Identifier: MIT */
#include "new_file.h"

#include <bloomfilter.h>

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "file/file.h" /* of the library: one way to make names durable */
#include "system_files.h"

enum { NAME_ROOM = sizeof ".bloomfilter-00000000.new", ATTEMPTS = 1000 };

/* A name in an open directory, and the one that the file has until it is complete. */
typedef struct new_file {
    int directory;
    const char *name;
    char *temporary_path; /* owned */
    char *temporary;      /* its last part, with NAME_ROOM */
} new_file;

static void name_temporary(new_file *file, unsigned attempt)
{
    struct timespec now = {0};
    clock_gettime(CLOCK_REALTIME, &now);
    uint64_t mix = (uint64_t)now.tv_nsec << 32 ^ (uint64_t)now.tv_sec ^ (uint64_t)getpid() << 16;
    mix = (mix + attempt) * 0x9e3779b97f4a7c15u;
    snprintf(file->temporary, NAME_ROOM, ".bloomfilter-%08x.new", (unsigned)(mix >> 32));
}

/* Takes a name that nobody has, with the permissions of a new file; the writer keeps those. */
static int reserve_temporary(new_file *file)
{
    for (unsigned attempt = 0; attempt < ATTEMPTS; attempt++) {
        name_temporary(file, attempt);
        int made =
            openat(file->directory, file->temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (made >= 0) {
            close(made); /* nothing was written */
            return 0;
        }
        if (errno != EEXIST && errno != EINTR)
            break;
    }
    return BLOOMFILTER_EIO;
}

static int open_new_file(new_file *file, const char *path)
{
    const char *slash = strrchr(path, '/');
    size_t start = slash != NULL ? (size_t)(slash - path) + 1 : 0;

    *file = (new_file){.directory = -1, .name = path + start};
    file->temporary_path = malloc(start + NAME_ROOM);
    if (file->temporary_path == NULL)
        return BLOOMFILTER_ENOMEM;
    memcpy(file->temporary_path, path, start);
    file->temporary = file->temporary_path + start;
    *file->temporary = '\0'; /* just the directory, so far */
    file->directory = open_file(start > 0 ? file->temporary_path : ".", O_RDONLY | O_DIRECTORY);
    return file->directory < 0 ? BLOOMFILTER_EIO : 0;
}

static void close_new_file(new_file *file)
{
    int kept = errno;
    if (file->directory >= 0)
        close(file->directory);
    free(file->temporary_path);
    errno = kept;
}

/* Where the file system has no hard links, a last look has to do. */
static int rename_temporary(const new_file *file)
{
    struct stat status;
    if (fstatat(file->directory, file->name, &status, AT_SYMLINK_NOFOLLOW) == 0) {
        errno = EEXIST;
        return -1;
    }
    if (errno != ENOENT)
        return -1;
    return renameat(file->directory, file->temporary, file->directory, file->name);
}

static bool means_no_links(int number)
{
    return number == EPERM || number == EOPNOTSUPP || number == ENOTSUP || number == ENOSYS ||
           number == EMLINK;
}

/* Gives the complete file its name. */
static int publish(const new_file *file)
{
    int result = linkat(file->directory, file->temporary, file->directory, file->name, 0);
    if (result < 0 && means_no_links(errno))
        result = rename_temporary(file);
    return result < 0 ? BLOOMFILTER_EIO : 0;
}

/* After a rename there is nothing to remove. */
static int remove_temporary(const new_file *file, int code)
{
    int kept = errno;
    if (unlinkat(file->directory, file->temporary, 0) < 0 && errno != ENOENT && code == 0)
        return BLOOMFILTER_EIO;
    errno = kept;
    return code;
}

static int make(new_file *file, file_writer *write, const void *content)
{
    int code = reserve_temporary(file);
    if (code < 0)
        return code;
    code = write(content, file->temporary_path);
    if (code == 0)
        code = publish(file);
    code = remove_temporary(file, code);
    return code == 0 ? bloomfilter_file_flush_directory(file->directory) : code;
}

int new_file_make(const char *path, file_writer *write, const void *content)
{
    new_file file;
    int code = open_new_file(&file, path);
    if (code == 0)
        code = make(&file, write, content);
    close_new_file(&file);
    return code;
}
