/* SPDX-License-Identifier: MIT */
#include "file_lock.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "progress.h"
#include "system_files.h"

/* Reading and writing, because NFS gives exclusive locks to writers only; reading, because a file
 * that may not be written can still be replaced. O_NONBLOCK: a named pipe must not hang us. */
static int open_for_lock(const char *path)
{
    int descriptor = open_file(path, O_RDWR | O_NONBLOCK);
    if (descriptor < 0 && (errno == EACCES || errno == EROFS || errno == EPERM))
        descriptor = open_file(path, O_RDONLY | O_NONBLOCK);
    return descriptor;
}

static int lock_exclusively(int descriptor, const char *path)
{
    int result;
    progress_begin_call("waiting for another writer of", path);
    do
        result = flock(descriptor, LOCK_EX);
    while (result < 0 && errno == EINTR);
    progress_end();
    return result;
}

/* Saving replaces the file, and the lock stays with the old one. So after the wait, is it still
 * the same file that the path names? 1, 0, or -1 and errno. */
static int is_still_there(int descriptor, const char *path)
{
    struct stat locked, named;
    if (fstat(descriptor, &locked) < 0 || stat(path, &named) < 0)
        return -1;
    if (!S_ISREG(locked.st_mode)) {
        errno = ENODEV;
        return -1;
    }
    return locked.st_dev == named.st_dev && locked.st_ino == named.st_ino;
}

int file_lock_acquire(const char *path)
{
    for (;;) {
        int descriptor = open_for_lock(path);
        if (descriptor < 0)
            return -1;
        int same = lock_exclusively(descriptor, path) < 0 ? -1 : is_still_there(descriptor, path);
        if (same == 1)
            return descriptor;
        file_lock_release(descriptor);
        if (same < 0)
            return -1;
    }
}

void file_lock_release(int lock)
{
    int kept = errno;
    if (lock >= 0)
        close(lock);
    errno = kept;
}
