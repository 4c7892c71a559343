/* SPDX-License-Identifier: MIT */
/* Layout 2 with NEON: the eight words of a block in two vectors. For questions; adds are those of
 * portable code, whose atomic operations set two words each. */
#include "bitset/split_block.h"

#if defined(__AARCH64EL__) && defined(__GNUC__)

#include <arm_neon.h>

#define ALWAYS_INLINE static inline __attribute__((always_inline))

/* Of words 0 to 3 and 4 to 7. */
struct halves {
    uint32x4_t low;
    uint32x4_t high;
};

ALWAYS_INLINE uint32x4_t bits_of_half(const uint32_t salts[], uint64_t hash)
{
    uint32x4_t numbers = vshrq_n_u32(vmulq_n_u32(vld1q_u32(salts), (uint32_t)hash), 27);
    return vshlq_u32(vdupq_n_u32(1), vreinterpretq_s32_u32(numbers));
}

/* In each word, the bit of the key. */
ALWAYS_INLINE struct halves bits_of(uint64_t hash)
{
    const uint32_t *salts = bloomfilter_split_block_salts;
    return (struct halves){bits_of_half(salts, hash), bits_of_half(salts + 4, hash)};
}

/*
 * Other threads may set bits meanwhile. C has no atomic of this size; the processor reads each of
 * the aligned words of 64 bits whole, which is all that is asked for. As an instruction of its own
 * it is neither split nor repeated by the compiler.
 */
ALWAYS_INLINE struct halves load_block(const uint8_t *block)
{
    typedef struct {
        uint8_t bytes[SPLIT_BLOCK_BYTES];
    } memory;
    struct halves words;
    __asm__ volatile("ldp %q0, %q1, %2"
                     : "=w"(words.low), "=w"(words.high)
                     : "Q"(*(const memory *)(const void *)block));
    return words;
}

ALWAYS_INLINE bool has_bits(struct halves words, struct halves bits)
{
    uint32x4_t lacking =
        vorrq_u32(vbicq_u32(bits.low, words.low), vbicq_u32(bits.high, words.high));
    return vmaxvq_u32(lacking) == 0;
}

static bool contains(const uint8_t *cells, uint64_t bit_count, uint64_t hash)
{
    return has_bits(load_block(cells + split_block_offset(bit_count, hash)), bits_of(hash));
}

static void contains_many(const uint8_t *cells, uint64_t bit_count, size_t count,
                          const uint64_t hashes[], uint8_t found[])
{
    for (size_t j = 0; j < count; j++)
        found[j] = contains(cells, bit_count, hashes[j]);
}

const struct block_kernel bloomfilter_arm_split_block_neon = {
    .name = "neon",
    .add = bloomfilter_split_block_add,
    .contains = contains,
    .add_many = bloomfilter_split_block_add_many,
    .contains_many = contains_many,
    .fetch = bloomfilter_split_block_fetch,
};

#endif
