/* SPDX-License-Identifier: MIT */
/*
 * Atomic and durable: whatever happens, the path names the whole old file or the whole new one. The
 * new file is written under another name in the same directory, flushed, and renamed over the old
 * one; then the directory is flushed, since the new name is a change of the directory.
 */
#include "file/system.h"

#include "file/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "bloomfilter.h"

enum { LARGEST_WRITE = 1 << 30 }; /* Linux writes at most 2^31 - 4096 bytes per call */

/* Where a save goes: a name in an open directory. */
struct destination {
    int directory;    /* open descriptor */
    const char *name; /* in it; part of `path` */
    char *path;       /* owned */
    bool exists;
    struct stat existing; /* when it exists */
    char temporary[32];   /* name of the new file until it is renamed */
};

static int io_error(int number)
{
    errno = number;
    return BLOOMFILTER_EIO;
}

/* Follows symbolic links, so that a link is kept and its target replaced. */
static int resolve_path(struct destination *to, const char *path)
{
    struct stat status;
    if (lstat(path, &status) == 0 && S_ISLNK(status.st_mode))
        to->path = realpath(path, NULL);
    else
        to->path = strdup(path);
    if (to->path != NULL)
        return 0;
    return errno == ENOMEM ? BLOOMFILTER_ENOMEM : BLOOMFILTER_EIO;
}

/* Opens the directory now: if it cannot be flushed later, nothing must have been replaced. */
static int open_directory(struct destination *to)
{
    char *slash = strrchr(to->path, '/');
    const char *directory = ".";

    to->name = to->path;
    if (slash == to->path) {
        directory = "/";
        to->name = slash + 1;
    } else if (slash != NULL) {
        *slash = '\0';
        directory = to->path;
        to->name = slash + 1;
    }
    to->directory = bloomfilter_file_open(directory, O_DIRECTORY);
    return to->directory < 0 ? BLOOMFILTER_EIO : 0;
}

static int examine_existing(struct destination *to)
{
    if (to->name[0] == '\0')
        return io_error(to->path[0] == '\0' ? ENOENT : EISDIR);
    if (fstatat(to->directory, to->name, &to->existing, AT_SYMLINK_NOFOLLOW) != 0)
        return errno == ENOENT ? 0 : BLOOMFILTER_EIO;
    to->exists = true;
    if (S_ISREG(to->existing.st_mode))
        return 0;
    return io_error(S_ISDIR(to->existing.st_mode) ? EISDIR : EEXIST);
}

static int open_destination(struct destination *to, const char *path)
{
    *to = (struct destination){.directory = -1};
    int code = resolve_path(to, path);
    if (code == 0)
        code = open_directory(to);
    if (code == 0)
        code = examine_existing(to);
    return code;
}

static void close_destination(struct destination *to)
{
    int saved_errno = errno;
    if (to->directory >= 0)
        close(to->directory);
    free(to->path);
    errno = saved_errno;
}

/* A name that others are unlikely to take; O_EXCL makes sure. */
static void name_temporary(struct destination *to)
{
    static atomic_uint names;
    struct timespec now = {0};
    clock_gettime(CLOCK_REALTIME, &now);
    uint64_t mix = (uint64_t)now.tv_nsec << 32 ^ (uint64_t)now.tv_sec ^ (uint64_t)getpid() << 16;
    mix = (mix + atomic_fetch_add(&names, 1)) * 0x9e3779b97f4a7c15u;
    snprintf(to->temporary, sizeof to->temporary, ".bloomfilter-%08x.tmp", (unsigned)(mix >> 32));
}

static int create_temporary(struct destination *to, int *file)
{
    /* Until it has the permissions of the file that it replaces, nobody else may read it. */
    mode_t mode = to->exists ? 0600 : 0666;
    for (int attempts = 0; attempts < 1000; attempts++) {
        name_temporary(to);
        *file = openat(to->directory, to->temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
        if (*file >= 0)
            return 0;
        if (errno != EEXIST && errno != EINTR)
            break;
    }
    return BLOOMFILTER_EIO;
}

static int write_piece(int file, const struct file_piece *piece)
{
    const char *bytes = piece->bytes;
    uint64_t left = piece->size;
    while (left > 0) {
        ssize_t written = write(file, bytes, left < LARGEST_WRITE ? (size_t)left : LARGEST_WRITE);
        if (written < 0 && errno == EINTR)
            continue;
        if (written < 0)
            return BLOOMFILTER_EIO;
        if (written == 0 || (uint64_t)written > left) /* neither is an answer to what was asked */
            return io_error(written == 0 ? ENOSPC : EIO);
        bytes += written;
        left -= (uint64_t)written;
    }
    return 0;
}

static int write_pieces(int file, const struct file_piece pieces[], size_t count, uint64_t *total)
{
    *total = 0;
    for (size_t i = 0; i < count; i++) {
        int code = write_piece(file, &pieces[i]);
        if (code != 0)
            return code;
        *total += pieces[i].size;
    }
    return 0;
}

/* Not allowed, or not possible here: user namespaces (EINVAL), file systems without owners. */
static bool is_refusal(int number)
{
    return number == EPERM || number == EINVAL || number == EOPNOTSUPP || number == ENOSYS;
}

/* The owner and group of the file replaced, or the group alone, where the process may give files
 * away. */
static int keep_owner(const struct stat *existing, int file)
{
    if (fchown(file, existing->st_uid, existing->st_gid) == 0)
        return 0;
    if (!is_refusal(errno))
        return BLOOMFILTER_EIO;
    if (fchown(file, (uid_t)-1, existing->st_gid) == 0 || is_refusal(errno))
        return 0;
    return BLOOMFILTER_EIO;
}

/* The permissions come last: to change the owner can take some away. */
static int keep_ownership(const struct stat *existing, const struct stat *created, int file)
{
    if (created->st_uid != existing->st_uid || created->st_gid != existing->st_gid)
        if (keep_owner(existing, file) != 0)
            return BLOOMFILTER_EIO;
    if ((created->st_mode & 0777) == (existing->st_mode & 0777))
        return 0;
    return fchmod(file, existing->st_mode & 0777) == 0 ? 0 : BLOOMFILTER_EIO;
}

static int flush(int file)
{
    int result;
#ifdef F_FULLFSYNC /* macOS: fsync leaves the data in the drive's cache */
    if (fcntl(file, F_FULLFSYNC) == 0)
        return 0;
#endif
    do
        result = fsync(file);
    while (result != 0 && errno == EINTR);
    return result == 0 ? 0 : BLOOMFILTER_EIO;
}

static int fill_temporary(const struct destination *to, int file, const struct file_piece pieces[],
                          size_t count)
{
    struct stat created;
    uint64_t total;
    int code = write_pieces(file, pieces, count, &total);
    if (code != 0)
        return code;
    if (fstat(file, &created) != 0)
        return BLOOMFILTER_EIO;
    if ((uint64_t)created.st_size != total) /* a write was reported and did not happen */
        return io_error(EIO);
    if (to->exists)
        code = keep_ownership(&to->existing, &created, file);
    return code == 0 ? flush(file) : code;
}

/* close can report a failed write (on a network file system) even after fsync. */
static int close_file(int file, int code)
{
    int saved_errno = errno;
    if (close(file) != 0 && errno != EINTR && code == 0)
        return BLOOMFILTER_EIO;
    errno = saved_errno;
    return code;
}

int bloomfilter_file_flush_directory(int directory)
{
    if (flush(directory) == 0)
        return 0;
    /* What file systems say that cannot: for them there is nothing to do. */
    if (errno == EINVAL || errno == EOPNOTSUPP || errno == ENOSYS || errno == EBADF)
        return 0;
    return BLOOMFILTER_EIO;
}

static int replace(struct destination *to, const struct file_piece pieces[], size_t count)
{
    int file;
    int code = create_temporary(to, &file);
    if (code != 0)
        return code;
    file = bloomfilter_file_move_from_standard(file);
    code = file < 0 ? BLOOMFILTER_EIO : close_file(file, fill_temporary(to, file, pieces, count));
    if (code == 0 && renameat(to->directory, to->temporary, to->directory, to->name) != 0)
        code = BLOOMFILTER_EIO;
    if (code != 0) {
        int saved_errno = errno;
        unlinkat(to->directory, to->temporary, 0);
        errno = saved_errno;
        return code;
    }
    return bloomfilter_file_flush_directory(to->directory);
}

int bloomfilter_file_save(const char *path, const struct file_piece pieces[], size_t count)
{
    struct destination to;
    int saved_errno = errno;
    int code = open_destination(&to, path);
    if (code == 0)
        code = replace(&to, pieces, count);
    close_destination(&to);
    if (code == 0)
        errno = saved_errno;
    return code;
}
