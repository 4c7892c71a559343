/* SPDX-License-Identifier: MIT */
#include "names.h"

#include <bloomfilter.h>
#include <stddef.h>
#include <string.h>

#include "numbers.h"

typedef struct name_row {
    uint32_t id;
    const char *name;
} name_row;

static const name_row hash_rows[] = {
    {BLOOMFILTER_HASH_BLAKE2B_PAIR, "blake2b-pair"},
    {BLOOMFILTER_HASH_BLAKE2B_INDEXED, "blake2b-indexed"},
    {BLOOMFILTER_HASH_MURMUR3_TWEAK, "murmur3-tweak"},
    {BLOOMFILTER_HASH_BLAKE2B_WIDE, "blake2b-wide"},
};

static const name_row layout_rows[] = {
    {BLOOMFILTER_LAYOUT_FLAT, "flat"},
};

enum {
    HASH_ROW_COUNT = sizeof hash_rows / sizeof hash_rows[0],
    LAYOUT_ROW_COUNT = sizeof layout_rows / sizeof layout_rows[0]
};

static const char *find_name(const name_row *rows, size_t count, uint32_t id)
{
    for (size_t i = 0; i < count; i++)
        if (rows[i].id == id)
            return rows[i].name;
    return "unknown";
}

const char *hash_name(uint32_t hash)
{
    return find_name(hash_rows, HASH_ROW_COUNT, hash);
}

const char *layout_name(uint32_t layout)
{
    return find_name(layout_rows, LAYOUT_ROW_COUNT, layout);
}

const char *parse_hash_name(const char *text, uint32_t *hash)
{
    uint64_t number = 0;
    int is_number = parse_count(text, &number) == NULL;
    for (size_t i = 0; i < HASH_ROW_COUNT; i++) {
        if (strcmp(hash_rows[i].name, text) != 0 && !(is_number && hash_rows[i].id == number))
            continue;
        *hash = hash_rows[i].id;
        return NULL;
    }
    return "no such hash; there are blake2b-pair (1), blake2b-indexed (2), murmur3-tweak (3) and "
           "blake2b-wide (4)";
}
