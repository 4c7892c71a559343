/* SPDX-License-Identifier: MIT */
#include "keys.h"

#include <stdlib.h>
#include <string.h>

#include "numbers.h"

/* Bytes that grow. */
typedef struct byte_buffer {
    unsigned char *bytes;
    size_t size;
    size_t room;
} byte_buffer;

struct key_splitter {
    char separator;
    bool hex;
    key_sink *sink;
    void *context;
    uint64_t line;
    byte_buffer begun;   /* the beginning of a line whose end has not come yet */
    byte_buffer decoded; /* the keys of a batch, with hex */
    key_batch batch;
};

static bool buffer_reserve(byte_buffer *buffer, size_t room)
{
    if (room <= buffer->room)
        return true;
    size_t doubled = buffer->room <= SIZE_MAX / 2 ? buffer->room * 2 : SIZE_MAX;
    if (room < doubled)
        room = doubled;
    void *grown = realloc(buffer->bytes, room);
    if (grown == NULL)
        return false;
    buffer->bytes = grown;
    buffer->room = room;
    return true;
}

static bool buffer_append(byte_buffer *buffer, const unsigned char *bytes, size_t size)
{
    if (size == 0)
        return true;
    if (size > SIZE_MAX - buffer->size || !buffer_reserve(buffer, buffer->size + size))
        return false;
    memcpy(buffer->bytes + buffer->size, bytes, size);
    buffer->size += size;
    return true;
}

key_splitter *key_splitter_new(char separator, bool hex, key_sink *sink, void *context)
{
    key_splitter *splitter = calloc(1, sizeof *splitter);
    if (splitter == NULL)
        return NULL;
    splitter->separator = separator;
    splitter->hex = hex;
    splitter->sink = sink;
    splitter->context = context;
    return splitter;
}

void key_splitter_free(key_splitter *splitter)
{
    if (splitter == NULL)
        return;
    free(splitter->begun.bytes);
    free(splitter->decoded.bytes);
    free(splitter);
}

static key_result flush(key_splitter *splitter)
{
    bool more = splitter->batch.count == 0 || splitter->sink(splitter->context, &splitter->batch);
    splitter->batch.count = 0;
    splitter->decoded.size = 0;
    return more ? KEYS_OK : KEYS_STOPPED;
}

/* Appends the bytes that `line` spells to splitter->decoded, which has the room. */
static bool decode_hex(key_splitter *splitter, const unsigned char *line, size_t size)
{
    unsigned char *out = splitter->decoded.bytes + splitter->decoded.size;
    if (size % 2 != 0)
        return false;
    for (size_t i = 0; i < size; i += 2) {
        int high = hex_digit_value((char)line[i]);
        int low = hex_digit_value((char)line[i + 1]);
        if (high < 0 || low < 0)
            return false;
        *out++ = (unsigned char)(high << 4 | low);
    }
    splitter->decoded.size += size / 2;
    return true;
}

/* Puts one line into the batch. The bytes must stay where they are until the next flush. */
static key_result put_line(key_splitter *splitter, const unsigned char *line, size_t size)
{
    key_batch *batch = &splitter->batch;
    size_t at = batch->count;

    splitter->line++;
    batch->lines[at] = line;
    batch->line_sizes[at] = size;
    batch->keys[at] = line;
    batch->key_sizes[at] = size;
    if (splitter->hex) {
        batch->keys[at] = splitter->decoded.bytes + splitter->decoded.size;
        batch->key_sizes[at] = size / 2;
        if (!decode_hex(splitter, line, size)) {
            key_result result = flush(splitter);
            return result == KEYS_OK ? KEYS_BAD_HEX : result;
        }
    }
    batch->count++;
    return batch->count == KEY_BATCH_ROOM ? flush(splitter) : KEYS_OK;
}

/* Room for the keys of all lines that `size` more bytes can end, made before the batch points
 * into the buffer. */
static bool reserve_decoded(key_splitter *splitter, size_t size)
{
    if (!splitter->hex)
        return true;
    return buffer_reserve(&splitter->decoded, splitter->begun.size / 2 + size / 2 + 1);
}

/* Ends the line that an earlier block began, with the first `size` bytes of this block. */
static key_result end_begun_line(key_splitter *splitter, const unsigned char *bytes, size_t size)
{
    if (!buffer_append(&splitter->begun, bytes, size))
        return KEYS_NO_MEMORY;
    return put_line(splitter, splitter->begun.bytes, splitter->begun.size);
}

key_result key_splitter_feed(key_splitter *splitter, const void *block, size_t size)
{
    const unsigned char *rest = block;
    const unsigned char *end = rest + size;
    const unsigned char *separator;
    bool begun = splitter->begun.size > 0;

    if (size == 0)
        return KEYS_OK;
    if (!reserve_decoded(splitter, size))
        return KEYS_NO_MEMORY;
    while ((separator = memchr(rest, splitter->separator, (size_t)(end - rest))) != NULL) {
        size_t line_size = (size_t)(separator - rest);
        key_result result =
            begun ? end_begun_line(splitter, rest, line_size) : put_line(splitter, rest, line_size);
        if (result != KEYS_OK)
            return result;
        rest = separator + 1;
        begun = false;
        if (rest == end)
            break;
    }
    /* The batch points into this block and into `begun`, which both change now. */
    key_result result = flush(splitter);
    if (result != KEYS_OK)
        return result;
    if (!begun)
        splitter->begun.size = 0;
    if (!buffer_append(&splitter->begun, rest, (size_t)(end - rest)))
        return KEYS_NO_MEMORY;
    return KEYS_OK;
}

key_result key_splitter_finish(key_splitter *splitter)
{
    key_result result = KEYS_OK;
    if (splitter->begun.size > 0) {
        if (!reserve_decoded(splitter, 0))
            return KEYS_NO_MEMORY;
        result = end_begun_line(splitter, NULL, 0);
        if (result == KEYS_OK)
            result = flush(splitter);
    }
    return result;
}

uint64_t key_splitter_line(const key_splitter *splitter)
{
    return splitter->line;
}
