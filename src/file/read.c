/* SPDX-License-Identifier: MIT */
#include "file/system.h"

#include "file/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "bloomfilter.h"

enum {
    LARGEST_READ = 1 << 30,    /* Linux reads at most 2^31 - 4096 bytes per call */
    FIRST_ROOM_FOR_PIPE = 8192 /* bytes; doubled as more arrives */
};

static int open_file(const char *path, int flags, int *file, struct stat *status)
{
    *file = bloomfilter_file_open(path, flags);
    if (*file < 0)
        return BLOOMFILTER_EIO;
    return fstat(*file, status) == 0 ? 0 : BLOOMFILTER_EIO;
}

static void close_file(int file)
{
    int saved_errno = errno;
    if (file >= 0)
        close(file);
    errno = saved_errno;
}

/* Reads until `size` bytes are there or the file ends; *got tells which. */
static int read_fully(int file, uint8_t *to, uint64_t size, uint64_t *got)
{
    *got = 0;
    while (*got < size) {
        uint64_t left = size - *got;
        ssize_t count = read(file, to + *got, left < LARGEST_READ ? (size_t)left : LARGEST_READ);
        if (count < 0 && errno == EINTR)
            continue;
        if (count < 0)
            return BLOOMFILTER_EIO;
        if (count == 0)
            break;
        if ((uint64_t)count > left) { /* no answer to what was asked */
            errno = EIO;
            return BLOOMFILTER_EIO;
        }
        *got += (uint64_t)count;
    }
    return 0;
}

/* Reads the rest of a file of known size behind the `size` bytes of its beginning. */
static int read_rest_of_file(struct memory *memory, int file, const uint8_t *beginning,
                             uint64_t size, uint64_t total)
{
    uint64_t got;
    int code = bloomfilter_memory_allocate(memory, total);
    if (code != 0)
        return code;
    memcpy(memory->start, beginning, (size_t)size);
    code = read_fully(file, memory->start + size, total - size, &got);
    if (code == 0)
        memory->length = size + got; /* less than total if it shrank meanwhile */
    return code;
}

static int grow(struct memory *memory, uint64_t size)
{
    struct memory larger = {0};
    int code = bloomfilter_memory_allocate(&larger, size);
    if (code != 0)
        return code;
    memcpy(larger.start, memory->start, (size_t)memory->length);
    larger.length = memory->length;
    bloomfilter_memory_release(memory);
    *memory = larger;
    return 0;
}

/* Room for a pipe that has filled `room`, but never for more than one byte over the limit. */
static uint64_t next_room(uint64_t room, uint64_t limit)
{
    return room > limit / 2 ? limit + 1 : room * 2;
}

/*
 * Reads the rest of a pipe, whose size only its end tells; stops when it has given more than
 * `limit` bytes, one of them read.
 */
static int read_rest_of_pipe(struct memory *memory, int file, const uint8_t *beginning,
                             uint64_t size, uint64_t limit)
{
    uint64_t room = FIRST_ROOM_FOR_PIPE;
    int code = bloomfilter_memory_allocate(memory, room);
    if (code != 0)
        return code;
    memcpy(memory->start, beginning, (size_t)size);
    memory->length = size;
    for (;;) {
        uint64_t got;
        code = read_fully(file, memory->start + memory->length, room - memory->length, &got);
        if (code != 0)
            return code;
        memory->length += got;
        if (memory->length < room || memory->length > limit)
            return 0;
        room = next_room(room, limit);
        code = grow(memory, room);
        if (code != 0)
            return code;
    }
}

static int read_file(struct memory *memory, int file, const struct stat *status, file_check *check,
                     void *context, uint64_t max_bytes)
{
    uint8_t beginning[FILE_BEGINNING];
    bool is_regular = S_ISREG(status->st_mode);
    uint64_t total = is_regular ? (uint64_t)status->st_size : UINT64_MAX;
    uint64_t wanted = total < sizeof beginning ? total : sizeof beginning;
    uint64_t size;

    int code = read_fully(file, beginning, wanted, &size);
    if (code != 0)
        return code;
    bool is_all = size < wanted || size == total;
    if (is_all)
        total = size;
    code = check(context, beginning, (size_t)size, &total);
    if (code != 0)
        return code;
    if (max_bytes != 0 && total > max_bytes && total != UINT64_MAX)
        return BLOOMFILTER_ETOOLARGE;
    if (is_regular || is_all)
        return total == 0 ? 0 : read_rest_of_file(memory, file, beginning, size, total);

    uint64_t limit = max_bytes != 0 && max_bytes < total ? max_bytes : total;
    code = read_rest_of_pipe(memory, file, beginning, size, limit);
    if (code == 0 && max_bytes != 0 && memory->length > max_bytes)
        code = BLOOMFILTER_ETOOLARGE;
    return code;
}

int bloomfilter_file_read(struct memory *memory, const char *path, file_check *check, void *context,
                          uint64_t max_bytes)
{
    int saved_errno = errno;
    struct stat status;
    int file;
    int code = open_file(path, 0, &file, &status);
    *memory = (struct memory){0};
    if (code == 0)
        code = read_file(memory, file, &status, check, context, max_bytes);
    close_file(file);
    if (code != 0)
        bloomfilter_memory_release(memory);
    else
        errno = saved_errno;
    return code;
}

static int map_file(struct memory *memory, int file, const struct stat *status)
{
    if (!S_ISREG(status->st_mode)) {
        errno = S_ISDIR(status->st_mode) ? EISDIR : ENODEV;
        return BLOOMFILTER_EIO;
    }
    if (status->st_size == 0)
        return 0;
    if ((uint64_t)status->st_size > PTRDIFF_MAX)
        return BLOOMFILTER_ETOOLARGE;
    void *start = mmap(NULL, (size_t)status->st_size, PROT_READ, MAP_SHARED, file, 0);
    if (start == MAP_FAILED)
        return errno == ENOMEM ? BLOOMFILTER_ENOMEM : BLOOMFILTER_EIO;
    memory->start = start;
    memory->length = memory->size = (uint64_t)status->st_size;
    memory->kind = MEMORY_PAGES;
    return 0;
}

int bloomfilter_file_map(struct memory *memory, const char *path, uint8_t beginning[], size_t *size)
{
    int saved_errno = errno;
    struct stat status;
    uint64_t got = 0;
    int file;
    int code = open_file(path, O_NONBLOCK, &file, &status); /* a pipe is refused, not waited for */
    *memory = (struct memory){0};
    if (code == 0)
        code = map_file(memory, file, &status);
    if (code == 0)
        code = read_fully(file, beginning,
                          memory->length < FILE_BEGINNING ? memory->length : FILE_BEGINNING, &got);
    *size = (size_t)got;
    close_file(file);
    if (code != 0)
        bloomfilter_memory_release(memory);
    else
        errno = saved_errno;
    return code;
}
