/* SPDX-License-Identifier: MIT */
/* The keys of one measurement, made before it starts. */
#ifndef BENCH_POOL_H
#define BENCH_POOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* 64 Ki keys of 16 bytes, with their pointers and sizes, are 2 MiB, read from front to back. */
enum { POOL_KEYS = 65536, LEAST_KEY_SIZE = 8, MOST_KEY_SIZE = 4096 };

struct pool {
    size_t room;
    size_t count;
    size_t key_size;
    uint8_t *bytes;
    const void **keys;
    size_t *key_sizes;
    uint8_t *answers; /* of a query: a byte per key */
};

bool pool_create(struct pool *pool, size_t room, size_t key_size);
void pool_release(struct pool *pool);

/*
 * Makes `count` keys: key number first, first + 1, ..., modulo `modulus` where it is not 0. Keys of
 * different numbers are different.
 */
void pool_fill(struct pool *pool, size_t count, uint64_t first, uint64_t modulus);

/* Answers that are 1, from one key to before another. */
size_t pool_count_found(const struct pool *pool, size_t from, size_t to);

/* A bijection of 64-bit numbers that leaves no pattern: splitmix64. */
uint64_t pool_mix(uint64_t number);

#endif
