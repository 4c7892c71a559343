/* SPDX-License-Identifier: MIT */
/* The two halves of scheme 1, apart: the hashes of a key, and the positions that they give. */
#ifndef BLOOMFILTER_HASHING_BLAKE2B_PAIR_H
#define BLOOMFILTER_HASHING_BLAKE2B_PAIR_H

#include "hashing/hashing.h"

struct hash_pair {
    uint64_t h1;
    uint64_t h2;
};

void bloomfilter_blake2b_pair_hash(const struct hasher *hasher, size_t count,
                                   const void *const keys[], const size_t key_sizes[],
                                   struct hash_pair pairs[]);

/* positions[i] = (h1 + i * step) mod bit_count, step = h2 mod bit_count or 1 if that is 0. */
void bloomfilter_blake2b_pair_positions(struct hash_pair pair, uint64_t bit_count,
                                        uint32_t hash_count, uint64_t positions[]);

#endif
