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
    PIECE = 1 << 20,           /* bytes that are read before they are looked at */
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
static int read_fully(int file, uint8_t *to, size_t size, size_t *got)
{
    *got = 0;
    while (*got < size) {
        size_t left = size - *got;
        ssize_t count = read(file, to + *got, left);
        if (count < 0 && errno == EINTR)
            continue;
        if (count < 0)
            return BLOOMFILTER_EIO;
        if (count == 0)
            break;
        if ((size_t)count > left) { /* no answer to what was asked */
            errno = EIO;
            return BLOOMFILTER_EIO;
        }
        *got += (size_t)count;
    }
    return 0;
}

/* Reads behind what is there, until there are `size` bytes or the file ends. */
static int fill(struct memory *memory, int file, uint64_t size, const struct file_reader *reader)
{
    while (memory->length < size) {
        uint64_t left = size - memory->length;
        size_t wanted = left < PIECE ? (size_t)left : PIECE;
        size_t got;
        int code = read_fully(file, memory->start + memory->length, wanted, &got);
        if (code != 0)
            return code;
        if (got == 0)
            break;
        memory->length += got;
        reader->look(reader->context, memory->start, memory->length);
    }
    return 0;
}

/* Allocates `room` bytes, and puts the beginning there. */
static int take_room(struct memory *memory, uint64_t room, const uint8_t *beginning, size_t size)
{
    int code = bloomfilter_memory_allocate(memory, room);
    if (code != 0)
        return code;
    memcpy(memory->start, beginning, size);
    memory->length = size;
    return 0;
}

/* Reads the rest of a file of known size; there is less of it if it shrank meanwhile. */
static int read_rest_of_file(struct memory *memory, int file, const uint8_t *beginning, size_t size,
                             uint64_t total, const struct file_reader *reader)
{
    int code = take_room(memory, total, beginning, size);
    return code != 0 ? code : fill(memory, file, total, reader);
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
static int read_rest_of_pipe(struct memory *memory, int file, const uint8_t *beginning, size_t size,
                             uint64_t limit, const struct file_reader *reader)
{
    uint64_t room = FIRST_ROOM_FOR_PIPE;
    int code = take_room(memory, room, beginning, size);
    for (;;) {
        if (code == 0)
            code = fill(memory, file, room, reader);
        if (code != 0 || memory->length < room || memory->length > limit)
            return code;
        room = next_room(room, limit);
        code = grow(memory, room);
    }
}

static int read_file(struct memory *memory, int file, const struct stat *status,
                     const struct file_reader *reader, uint64_t max_bytes)
{
    uint8_t beginning[FILE_BEGINNING];
    bool is_regular = S_ISREG(status->st_mode);
    uint64_t total = is_regular ? (uint64_t)status->st_size : UINT64_MAX;
    size_t wanted = total < sizeof beginning ? (size_t)total : sizeof beginning;
    size_t size;

    int code = read_fully(file, beginning, wanted, &size);
    if (code != 0)
        return code;
    bool is_all = size < wanted || size == total;
    if (is_all)
        total = size;
    code = reader->check(reader->context, beginning, size, &total);
    if (code != 0)
        return code;
    if (max_bytes != 0 && total > max_bytes && total != UINT64_MAX)
        return BLOOMFILTER_ETOOLARGE;
    if (is_regular || is_all)
        return total == 0 ? 0 : read_rest_of_file(memory, file, beginning, size, total, reader);

    uint64_t limit = max_bytes != 0 && max_bytes < total ? max_bytes : total;
    code = read_rest_of_pipe(memory, file, beginning, size, limit, reader);
    if (code == 0 && max_bytes != 0 && memory->length > max_bytes)
        code = BLOOMFILTER_ETOOLARGE;
    return code;
}

int bloomfilter_file_read(struct memory *memory, const char *path, const struct file_reader *reader,
                          uint64_t max_bytes)
{
    int saved_errno = errno;
    struct stat status;
    int file;
    int code = open_file(path, 0, &file, &status);
    *memory = (struct memory){0};
    if (code == 0)
        code = read_file(memory, file, &status, reader, max_bytes);
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
    int file;
    int code = open_file(path, O_NONBLOCK, &file, &status); /* a pipe is refused, not waited for */
    *memory = (struct memory){0};
    *size = 0;
    if (code == 0)
        code = map_file(memory, file, &status);
    if (code == 0)
        code = read_fully(file, beginning,
                          memory->length < FILE_BEGINNING ? (size_t)memory->length : FILE_BEGINNING,
                          size);
    close_file(file);
    if (code != 0)
        bloomfilter_memory_release(memory);
    else
        errno = saved_errno;
    return code;
}
