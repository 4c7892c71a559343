/* SPDX-License-Identifier: MIT */
/*
 * The command's key reader: however the input is cut into blocks, it gives the keys that splitting
 * the whole at once gives.
 */
#include "fuzz.h"

#include <stdbool.h>
#include <string.h>

#include "keys.h"

/* What is left of the whole input, as the plain way to split it sees it. */
struct expectation {
    const uint8_t *rest;
    size_t size;
    char separator;
    bool hex;
    uint64_t keys;
};

static size_t next_line(struct expectation *expected, const uint8_t **line)
{
    size_t size = 0;
    REQUIRE(expected->size > 0);
    while (size < expected->size && expected->rest[size] != (uint8_t)expected->separator)
        size++;
    *line = expected->rest;
    size_t used = size < expected->size ? size + 1 : size;
    expected->rest += used;
    expected->size -= used;
    return size;
}

static int digit(uint8_t character)
{
    const char *digits = "0123456789abcdef0123456789ABCDEF";
    const char *found = character != 0 ? strchr(digits, character) : NULL;
    return found != NULL ? (int)(found - digits) % 16 : -1;
}

static bool is_hex_line(const uint8_t *line, size_t size)
{
    for (size_t i = 0; i < size; i++)
        if (digit(line[i]) < 0)
            return false;
    return size % 2 == 0;
}

static void require_key(const struct expectation *expected, const uint8_t *line, size_t line_size,
                        const uint8_t *key, size_t key_size)
{
    if (!expected->hex) {
        REQUIRE(key_size == line_size && (key_size == 0 || memcmp(key, line, key_size) == 0));
        return;
    }
    REQUIRE(is_hex_line(line, line_size));
    REQUIRE(key_size == line_size / 2);
    for (size_t i = 0; i < key_size; i++)
        REQUIRE(key[i] == digit(line[2 * i]) * 16 + digit(line[2 * i + 1]));
}

static bool take_batch(void *context, const key_batch *batch)
{
    struct expectation *expected = context;
    REQUIRE(batch->count > 0 && batch->count <= KEY_BATCH_ROOM);
    for (size_t i = 0; i < batch->count; i++) {
        const uint8_t *line;
        size_t size = next_line(expected, &line);
        REQUIRE(batch->line_sizes[i] == size);
        REQUIRE(size == 0 || memcmp(batch->lines[i], line, size) == 0);
        require_key(expected, line, size, batch->keys[i], batch->key_sizes[i]);
        expected->keys++;
    }
    return true;
}

static key_result feed_in_blocks(key_splitter *splitter, const uint8_t *bytes, size_t size,
                                 uint64_t seed)
{
    while (size > 0) {
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        size_t part = 1 + (size_t)(seed >> 33) % (seed >> 62 == 0 ? size : 7);
        if (part > size)
            part = size;
        uint8_t *block = malloc(part); /* of its own, and gone after the call */
        REQUIRE(block != NULL);
        memcpy(block, bytes, part);
        key_result result = key_splitter_feed(splitter, block, part);
        free(block);
        if (result != KEYS_OK)
            return result;
        bytes += part;
        size -= part;
    }
    return key_splitter_finish(splitter);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct input input = {data, size};
    uint8_t choice = take_byte(&input);
    uint64_t seed = take_number(&input, 4);
    struct expectation expected = {.rest = input.bytes,
                                   .size = input.size,
                                   .separator = choice & 1 ? '\0' : '\n',
                                   .hex = choice >> 1 & 1};
    key_splitter *splitter =
        key_splitter_new(expected.separator, expected.hex, take_batch, &expected);
    REQUIRE(splitter != NULL);
    key_result result = feed_in_blocks(splitter, input.bytes, input.size, seed);
    if (result == KEYS_BAD_HEX) {
        const uint8_t *line;
        REQUIRE(expected.hex);
        REQUIRE(key_splitter_line(splitter) == expected.keys + 1);
        size_t line_size = next_line(&expected, &line);
        REQUIRE(!is_hex_line(line, line_size));
    } else {
        REQUIRE(result == KEYS_OK);
        REQUIRE(expected.size == 0);
    }
    key_splitter_free(splitter);
    return 0;
}
