/* SPDX-License-Identifier: MIT */
#include "pool.h"

#include <stdlib.h>
#include <string.h>

uint64_t pool_mix(uint64_t number)
{
    uint64_t mixed = number + 0x9e3779b97f4a7c15;
    mixed = (mixed ^ mixed >> 30) * 0xbf58476d1ce4e5b9;
    mixed = (mixed ^ mixed >> 27) * 0x94d049bb133111eb;
    return mixed ^ mixed >> 31;
}

bool pool_create(struct pool *pool, size_t room, size_t key_size)
{
    *pool = (struct pool){.room = room, .key_size = key_size};
    pool->bytes = malloc(room * key_size);
    pool->keys = malloc(room * sizeof *pool->keys);
    pool->key_sizes = malloc(room * sizeof *pool->key_sizes);
    pool->answers = calloc(room, 1);
    if (pool->bytes == NULL || pool->keys == NULL || pool->key_sizes == NULL ||
        pool->answers == NULL) {
        pool_release(pool);
        return false;
    }
    for (size_t j = 0; j < room; j++) {
        pool->keys[j] = pool->bytes + j * key_size;
        pool->key_sizes[j] = key_size;
    }
    return true;
}

void pool_release(struct pool *pool)
{
    free(pool->bytes);
    free(pool->keys);
    free(pool->key_sizes);
    free(pool->answers);
    *pool = (struct pool){0};
}

static void make_key(uint8_t *key, size_t key_size, uint64_t number)
{
    uint64_t word = pool_mix(number);
    for (size_t at = 0; at < key_size; at += sizeof word) {
        size_t left = key_size - at;
        memcpy(key + at, &word, left < sizeof word ? left : sizeof word);
        word = pool_mix(word);
    }
}

void pool_fill(struct pool *pool, size_t count, uint64_t first, uint64_t modulus)
{
    pool->count = count;
    for (size_t j = 0; j < count; j++) {
        uint64_t number = first + j;
        make_key(pool->bytes + j * pool->key_size, pool->key_size,
                 modulus == 0 ? number : number % modulus);
    }
}

size_t pool_count_found(const struct pool *pool, size_t from, size_t to)
{
    size_t found = 0;
    for (size_t j = from; j < to; j++)
        found += pool->answers[j];
    return found;
}
