/* SPDX-License-Identifier: MIT */
/* What the kernels of layout 2 share. */
#ifndef BLOOMFILTER_BITSET_SPLIT_BLOCK_H
#define BLOOMFILTER_BITSET_SPLIT_BLOCK_H

#include "bitset/bitset.h"

enum {
    SPLIT_BLOCK_WORDS = 8, /* of 32 bits; a key has a bit in each */
    SPLIT_BLOCK_BITS = 32 * SPLIT_BLOCK_WORDS,
    SPLIT_BLOCK_BYTES = SPLIT_BLOCK_BITS / 8,
};

/* Factors that make eight bit numbers of one hash: those of Apache Parquet. */
extern const uint32_t bloomfilter_split_block_salts[SPLIT_BLOCK_WORDS];

/* Where a key's block begins. The upper half of the hash chooses it, by its share of 2^32. */
static inline uint64_t split_block_offset(uint64_t bit_count, uint64_t hash)
{
    return ((hash >> 32) * (bit_count / SPLIT_BLOCK_BITS) >> 32) * SPLIT_BLOCK_BYTES;
}

/* Inlined into kernels whose processors know better how to fetch for writing. */
static inline __attribute__((always_inline)) void
split_block_fetch(const uint8_t *cells, uint64_t bit_count, size_t count, const uint64_t hashes[],
                  bool for_adds)
{
    for (size_t j = 0; j < count; j++) {
        const uint8_t *block = cells + split_block_offset(bit_count, hashes[j]);
        if (for_adds)
            __builtin_prefetch(block, 1, 2);
        else
            __builtin_prefetch(block, 0, 2);
    }
}

/* What kernels take of the portable one. */
bool bloomfilter_split_block_add(uint8_t *cells, uint64_t bit_count, uint64_t hash);
void bloomfilter_split_block_add_many(uint8_t *cells, uint64_t bit_count, size_t count,
                                      const uint64_t hashes[], uint8_t was_new[]);
void bloomfilter_split_block_fetch(const uint8_t *cells, uint64_t bit_count, size_t count,
                                   const uint64_t hashes[], bool for_adds);

/* The fastest kernel that this processor has. */
const struct block_kernel *bloomfilter_split_block_kernel(void);

/* Whether kernels answer as they should here. */
bool bloomfilter_split_block_is_right(void);

extern const struct block_kernel bloomfilter_split_block_portable;
#if defined(__x86_64__) && defined(__GNUC__)
extern const struct block_kernel bloomfilter_x86_split_block_avx2;
#endif
#if defined(__AARCH64EL__) && defined(__GNUC__)
extern const struct block_kernel bloomfilter_arm_split_block_neon;
#endif

#endif
