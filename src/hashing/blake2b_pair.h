/* SPDX-License-Identifier: MIT */
/* The two halves of scheme 1, apart: the hashes of a key, and the positions that they give. */
#ifndef BLOOMFILTER_HASHING_BLAKE2B_PAIR_H
#define BLOOMFILTER_HASHING_BLAKE2B_PAIR_H

#include "hashing/hashing.h"

void bloomfilter_blake2b_pair_hash(const struct hasher *hasher, const void *key, size_t key_size,
                                   struct hash_pair *pair);

/* positions[i * stride] = (h1 + i * step) mod bit_count, step = h2 mod bit_count or 1 if that is 0. */
void bloomfilter_blake2b_pair_positions(const struct hasher *hasher, const struct hash_pair *pair,
                                        uint64_t positions[], size_t stride);

/* Whether the kernel of this processor gives the answers of libb2, for a few keys of each kind. */
bool bloomfilter_blake2b_pair_is_right(void);

#endif
