/* SPDX-License-Identifier: MIT */
/*
 * The baseline: scheme 1 in a flat filter with nothing but libb2, as the library did it before it
 * had kernels of its own. Two personalized states are started once; for each key they are copied,
 * continued and ended; seven positions follow by remainders, and bits are set and read one by one.
 */
#include <blake2.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "contestant.h"
#include "memory.h"

enum { KEYS_AT_A_TIME = 1020 / FLAT_HASH_COUNT };

struct filter {
    blake2b_state started[2];
    uint64_t bit_count;
    struct memory cells;
};

/* Through a volatile pointer, so that the compiler keeps it: a state holds what it has read. */
static void *(*const volatile set_memory)(void *, int, size_t) = memset;

static void start(blake2b_state *state, const char *personal)
{
    blake2b_param parameters;
    memset(&parameters, 0, sizeof parameters);
    parameters.digest_length = 8;
    parameters.fanout = 1;
    parameters.depth = 1;
    memcpy(parameters.personal, personal, strlen(personal));
    blake2b_init_param(state, &parameters);
}

static void *create(const struct contestant *contestant, uint64_t capacity)
{
    (void)contestant;
    struct filter *filter = calloc(1, sizeof *filter);
    if (filter == NULL)
        return NULL;
    filter->bit_count = contestant_flat_bit_count(capacity);
    filter->cells = memory_take((size_t)filter->bit_count / 8 + 1);
    if (filter->cells.start == NULL) {
        free(filter);
        return NULL;
    }
    start(&filter->started[0], "bloom-h1");
    start(&filter->started[1], "bloom-h2");
    return filter;
}

static void destroy(const struct contestant *contestant, void *filter)
{
    (void)contestant;
    memory_release(&((struct filter *)filter)->cells);
    free(filter);
}

static void clear(const struct contestant *contestant, void *filter)
{
    (void)contestant;
    struct memory *cells = &((struct filter *)filter)->cells;
    memset(cells->start, 0, cells->size);
}

static uint64_t hash(const blake2b_state *started, const void *key, size_t key_size)
{
    blake2b_state state = *started;
    uint8_t digest[8];
    uint64_t number = 0;
    blake2b_update(&state, key, key_size);
    blake2b_final(&state, digest, sizeof digest);
    set_memory(&state, 0, sizeof state);
    for (size_t i = 0; i < sizeof digest; i++)
        number = number << 8 | digest[i];
    return number;
}

static void make_positions(const struct filter *filter, const void *key, size_t key_size,
                           uint64_t positions[FLAT_HASH_COUNT])
{
    uint64_t bit_count = filter->bit_count;
    uint64_t position = hash(&filter->started[0], key, key_size) % bit_count;
    uint64_t step = hash(&filter->started[1], key, key_size) % bit_count;
    if (step == 0 && bit_count > 1)
        step = 1;
    for (size_t i = 0; i < FLAT_HASH_COUNT; i++) {
        positions[i] = position;
        position = position >= bit_count - step ? position - (bit_count - step) : position + step;
    }
}

static void set_bits(const struct filter *filter, const uint64_t positions[FLAT_HASH_COUNT])
{
    _Atomic uint8_t *bytes = (_Atomic uint8_t *)filter->cells.start;
    for (size_t i = 0; i < FLAT_HASH_COUNT; i++)
        atomic_fetch_or_explicit(&bytes[positions[i] >> 3], (uint8_t)(1u << (positions[i] & 7)),
                                 memory_order_relaxed);
}

static bool has_bits(const struct filter *filter, const uint64_t positions[FLAT_HASH_COUNT])
{
    const _Atomic uint8_t *bytes = (const _Atomic uint8_t *)filter->cells.start;
    for (size_t i = 0; i < FLAT_HASH_COUNT; i++) {
        unsigned byte = atomic_load_explicit(&bytes[positions[i] >> 3], memory_order_relaxed);
        if ((byte >> (positions[i] & 7) & 1) == 0)
            return false;
    }
    return true;
}

static void add_single(const struct contestant *contestant, void *filter, struct pool *pool,
                       size_t from, size_t to)
{
    uint64_t positions[FLAT_HASH_COUNT];
    (void)contestant;
    for (size_t j = from; j < to; j++) {
        make_positions(filter, pool->keys[j], pool->key_size, positions);
        set_bits(filter, positions);
    }
}

static void query_single(const struct contestant *contestant, void *filter, struct pool *pool,
                         size_t from, size_t to)
{
    uint64_t positions[FLAT_HASH_COUNT];
    (void)contestant;
    for (size_t j = from; j < to; j++) {
        make_positions(filter, pool->keys[j], pool->key_size, positions);
        pool->answers[j] = has_bits(filter, positions);
    }
}

/* Positions of as many keys as there is room for; returns where they end. */
static size_t make_many_positions(const struct filter *filter, const struct pool *pool, size_t from,
                                  size_t to, uint64_t positions[][FLAT_HASH_COUNT])
{
    size_t end = to - from < KEYS_AT_A_TIME ? to : from + KEYS_AT_A_TIME;
    for (size_t j = from; j < end; j++)
        make_positions(filter, pool->keys[j], pool->key_size, positions[j - from]);
    return end;
}

static void add_batch(const struct contestant *contestant, void *filter, struct pool *pool,
                      size_t from, size_t to)
{
    uint64_t positions[KEYS_AT_A_TIME][FLAT_HASH_COUNT];
    (void)contestant;
    while (from < to) {
        size_t end = make_many_positions(filter, pool, from, to, positions);
        for (size_t j = from; j < end; j++)
            set_bits(filter, positions[j - from]);
        from = end;
    }
}

static void query_batch(const struct contestant *contestant, void *filter, struct pool *pool,
                        size_t from, size_t to)
{
    uint64_t positions[KEYS_AT_A_TIME][FLAT_HASH_COUNT];
    (void)contestant;
    while (from < to) {
        size_t end = make_many_positions(filter, pool, from, to, positions);
        for (size_t j = from; j < end; j++)
            pool->answers[j] = has_bits(filter, positions[j - from]);
        from = end;
    }
}

static const struct contestant_type libb2_type = {
    .create = create,
    .destroy = destroy,
    .clear = clear,
    .add = {add_single, add_batch},
    .query = {query_single, query_batch},
};

void contestants_add_libb2(struct contestants *contestants)
{
    if (contestants->count < MOST_CONTESTANTS)
        contestants->list[contestants->count++] = (struct contestant){
            .type = &libb2_type, .kind = KIND_LIBB2, .name = "libb2", .layout_name = "flat"};
}
