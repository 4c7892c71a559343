/* SPDX-License-Identifier: MIT */
/*
 * The floor: what memory alone costs. Cache lines at random places of as many bytes as a flat
 * filter has are read, one or seven per key, with a prefetch well ahead and no hashing: a key is
 * made of random numbers, and its first eight bytes choose the lines.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "contestant.h"
#include "memory.h"

enum { LINE = 64, LINES_AHEAD = 128 };

uint64_t contestant_flat_bit_count(uint64_t capacity)
{
    return (uint64_t)ceil(-(double)capacity * log(target_fpr) / (log(2) * log(2)));
}

struct region {
    struct memory memory;
    uint64_t line_count; /* less than 2^32 */
};

static void *create(const struct contestant *contestant, uint64_t capacity)
{
    (void)contestant;
    struct region *region = calloc(1, sizeof *region);
    if (region == NULL)
        return NULL;
    region->line_count = contestant_flat_bit_count(capacity) / 8 / LINE + 1;
    region->memory = memory_take((size_t)region->line_count * LINE);
    if (region->memory.start == NULL) {
        free(region);
        return NULL;
    }
    return region;
}

static void destroy(const struct contestant *contestant, void *filter)
{
    (void)contestant;
    memory_release(&((struct region *)filter)->memory);
    free(filter);
}

/* Ones, so that every key is found; and so that every page is there. */
static void clear(const struct contestant *contestant, void *filter)
{
    (void)contestant;
    struct memory *memory = &((struct region *)filter)->memory;
    memset(memory->start, 1, memory->size);
}

/* A line of a key, from the upper half of a number; and another number for the next one. */
static inline const uint8_t *next_line(const struct region *region, uint64_t *number)
{
    uint64_t index = (*number >> 32) * region->line_count >> 32;
    *number *= 0xd1342543de82ef95;
    return region->memory.start + index * LINE;
}

static inline uint64_t load_number(const void *key)
{
    uint64_t number;
    memcpy(&number, key, sizeof number);
    return number | 1;
}

static inline void read_ahead(const struct region *region, const struct pool *pool, size_t from,
                              size_t to, size_t lines)
{
    size_t distance = LINES_AHEAD / lines;
    for (size_t j = from; j < to; j++) {
        uint64_t number = load_number(pool->keys[j]);
        uint8_t answer = 1;
        if (j + distance < to) {
            uint64_t ahead = load_number(pool->keys[j + distance]);
            for (size_t i = 0; i < lines; i++)
                __builtin_prefetch(next_line(region, &ahead), 0, 2);
        }
        for (size_t i = 0; i < lines; i++)
            answer &= *next_line(region, &number);
        pool->answers[j] = answer;
    }
}

/* The number of lines is known when each is compiled, so that no loop is left. */
static void query(const struct contestant *contestant, void *filter, struct pool *pool, size_t from,
                  size_t to)
{
    if (contestant->lines == 1)
        read_ahead(filter, pool, from, to, 1);
    else
        read_ahead(filter, pool, from, to, FLAT_HASH_COUNT);
}

static const struct contestant_type floor_type = {
    .create = create,
    .destroy = destroy,
    .clear = clear,
    .query = {[CALL_BATCH] = query},
};

static void add_floor(struct contestants *contestants, const char *name, size_t lines)
{
    if (contestants->count < MOST_CONTESTANTS)
        contestants->list[contestants->count++] = (struct contestant){.type = &floor_type,
                                                                      .kind = KIND_FLOOR,
                                                                      .name = name,
                                                                      .layout_name = "memory",
                                                                      .lines = lines};
}

void contestants_add_floors(struct contestants *contestants)
{
    add_floor(contestants, "one random cache line", 1);
    add_floor(contestants, "seven random cache lines", FLAT_HASH_COUNT);
}
