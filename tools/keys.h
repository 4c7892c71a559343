/* SPDX-License-Identifier: MIT */
/*
 * keys.h - cuts a stream of bytes into keys. It reads no file: blocks of any size go in, batches
 * of keys come out, and memory grows with the longest line only.
 *
 * A key is a line without its separator. All other bytes belong to it, a carriage return too. What
 * follows the last separator is a key unless it is empty. With hex, a line is two digits for each
 * byte of the key.
 */
#ifndef TOOLS_KEYS_H
#define TOOLS_KEYS_H

#include "posix.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { KEY_BATCH_ROOM = 2048 };

/* Keys, and the lines that they came from: the same bytes, except with hex. */
typedef struct key_batch {
    size_t count;
    const void *keys[KEY_BATCH_ROOM];
    size_t key_sizes[KEY_BATCH_ROOM];
    const void *lines[KEY_BATCH_ROOM];
    size_t line_sizes[KEY_BATCH_ROOM];
} key_batch;

/* Takes a batch of one key or more, which is valid during the call. Returns true for more, false
 * to stop. */
typedef bool key_sink(void *context, const key_batch *batch);

typedef enum key_result {
    KEYS_OK = 0,
    KEYS_STOPPED,   /* by the sink */
    KEYS_NO_MEMORY, /* for a line this long */
    KEYS_BAD_HEX    /* in the line key_splitter_line() tells; the lines before it were given out */
} key_result;

typedef struct key_splitter key_splitter;

/* NULL: no memory. */
key_splitter *key_splitter_new(char separator, bool hex, key_sink *sink, void *context);
void key_splitter_free(key_splitter *splitter);

/* Gives out all lines that end in this block; keeps the beginning of the next. After any result but
 * KEYS_OK the splitter can only be freed. */
key_result key_splitter_feed(key_splitter *splitter, const void *block, size_t size);

/* The stream has ended: gives out a last line without separator. The splitter can only be freed
 * then: every stream has one of its own. */
key_result key_splitter_finish(key_splitter *splitter);

/* The number of the line, from 1, that was cut off last. */
uint64_t key_splitter_line(const key_splitter *splitter);

#endif
