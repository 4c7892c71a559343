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
    {BLOOMFILTER_HASH_XXH64, "xxh64"},
};

static const name_row layout_rows[] = {
    {BLOOMFILTER_LAYOUT_FLAT, "flat"},
    {BLOOMFILTER_LAYOUT_SPLIT_BLOCK, "split-block"},
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

static int find_id(const name_row *rows, size_t count, const char *text, uint32_t *id)
{
    uint64_t number = 0;
    int is_number = parse_count(text, &number) == NULL;
    for (size_t i = 0; i < count; i++) {
        if (strcmp(rows[i].name, text) != 0 && !(is_number && rows[i].id == number))
            continue;
        *id = rows[i].id;
        return 1;
    }
    return 0;
}

const char *parse_hash_name(const char *text, uint32_t *hash)
{
    if (find_id(hash_rows, HASH_ROW_COUNT, text, hash))
        return NULL;
    return "no such hash; there are blake2b-pair (1), blake2b-indexed (2), murmur3-tweak (3), "
           "blake2b-wide (4) and xxh64 (5)";
}

const char *parse_layout_name(const char *text, uint32_t *layout)
{
    if (find_id(layout_rows, LAYOUT_ROW_COUNT, text, layout))
        return NULL;
    return "no such layout; there are flat (1) and split-block (2)";
}
