/* SPDX-License-Identifier: MIT */
/* The two halves of scheme 4, apart: the hash of a key, and the positions that it gives. */
#ifndef BLOOMFILTER_HASHING_BLAKE2B_WIDE_H
#define BLOOMFILTER_HASHING_BLAKE2B_WIDE_H

#include "hashing/hashing.h"

/* Both halves of the digest, each read big-endian. */
void bloomfilter_blake2b_wide_hash(const struct hasher *hasher, const void *key, size_t key_size,
                                   struct hash_pair *halves);

/* positions[i * stride]: output i of SplitMix64 from state h1 and step h2 | 1, scaled down. */
void bloomfilter_blake2b_wide_positions(const struct hasher *hasher, const struct hash_pair *halves,
                                        uint64_t positions[], size_t stride);

/* Whether the kernel of this processor gives the answers of libb2, for a few keys of each kind. */
bool bloomfilter_blake2b_wide_is_right(void);

#endif
