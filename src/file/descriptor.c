/* SPDX-License-Identifier: MIT */
#include "file/system.h"

#include "file/file.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

int bloomfilter_file_move_from_standard(int file)
{
    if (file < 0 || file > STDERR_FILENO)
        return file;
    int moved = fcntl(file, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    /* EINVAL: the process may have no descriptor as high as that. */
    int number = moved < 0 && errno == EINVAL ? EMFILE : errno;
    close(file);
    errno = number;
    return moved;
}

int bloomfilter_file_open(const char *path, int flags)
{
    int file;
    do
        file = open(path, O_RDONLY | O_CLOEXEC | flags);
    while (file < 0 && errno == EINTR);
    return bloomfilter_file_move_from_standard(file);
}
