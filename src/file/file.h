/* SPDX-License-Identifier: MIT */
/*
 * The file room: files and memory from the operating system. It is the only code that calls it, and
 * never looks inside the bytes that it carries.
 *
 * Functions that can fail return 0 or an enum bloomfilter_error; with BLOOMFILTER_EIO, errno is
 * that of the system call that failed, whatever the clean-up after it did.
 */
#ifndef BLOOMFILTER_FILE_FILE_H
#define BLOOMFILTER_FILE_FILE_H

#include <stddef.h>
#include <stdint.h>

/* Memory and how to give it back. All zero: none. */
struct memory {
    uint8_t *start;  /* aligned to 64 bytes */
    uint64_t size;   /* bytes taken from the system */
    uint64_t length; /* bytes in use: what was asked for, or read */
    enum { MEMORY_NONE, MEMORY_HEAP, MEMORY_PAGES } kind;
};

/* What allocating `size` bytes takes; ETOOLARGE if this machine cannot address as much. */
int bloomfilter_memory_size(uint64_t size, uint64_t *taken);

/*
 * Allocates `size` (at least 1) zeroed bytes; large ones on huge pages where the system offers
 * them. Fails with ENOMEM or ETOOLARGE.
 */
int bloomfilter_memory_allocate(struct memory *memory, uint64_t size);

/* Gives memory back and makes it none. Keeps errno. */
void bloomfilter_memory_release(struct memory *memory);

/* A run of bytes to be written. */
struct file_piece {
    const void *bytes;
    uint64_t size;
};

/* Writes the pieces, one after the other, to a file: atomically and durably (bloomfilter_save). */
int bloomfilter_file_save(const char *path, const struct file_piece pieces[], size_t count);

/*
 * Gives a file that was just opened another descriptor, if it got one of standard input, output or
 * error because that is closed: what others in the process print would go into the file, and what
 * they read would be missing. Passes -1 on. Returns -1 if there is no other; the file is closed
 * then.
 */
int bloomfilter_file_move_from_standard(int file);

/* Opens for reading, with these flags besides, not as standard input, output or error; -1 on
 * failure. */
int bloomfilter_file_open(const char *path, int flags);

/* Makes changes of names in an open directory outlive a power loss, where the file system can. */
int bloomfilter_file_flush_directory(int directory);

enum { FILE_BEGINNING = 4096 }; /* bytes that are read before all else */

/* Who looks at a file while it is read. */
struct file_reader {
    /*
     * Checks the beginning (FILE_BEGINNING bytes, or all there are) before memory is allocated for
     * the rest, and returns 0 to go on, or an error. *total is the size of the file; where that is
     * not known (UINT64_MAX, of a pipe), it may be set to what the beginning says.
     */
    int (*check)(void *context, const uint8_t *beginning, size_t size, uint64_t *total);
    /* Looks at the first `size` bytes, each time that some more have come behind the beginning and
     * are still in the caches. They may lie elsewhere the next time. */
    void (*look)(void *context, const uint8_t *bytes, uint64_t size);
    void *context;
};

/*
 * Reads a whole file, or a pipe to its end, into memory (kind NONE when it is empty). max_bytes,
 * when not 0, is the largest size to read (ETOOLARGE).
 */
int bloomfilter_file_read(struct memory *memory, const char *path, const struct file_reader *reader,
                          uint64_t max_bytes);

/*
 * Maps a whole regular file read-only, shared (kind NONE when it is empty), and reads its first
 * FILE_BEGINNING bytes, or all there are, into `beginning`; *size says how many. To touch the first
 * page of a map takes many times as long as to read it.
 */
int bloomfilter_file_map(struct memory *memory, const char *path, uint8_t beginning[],
                         size_t *size);

#endif
