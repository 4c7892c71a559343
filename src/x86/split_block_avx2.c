/* SPDX-License-Identifier: MIT */
/* Layout 2 with AVX2: all eight words of a block at once. */
#include "bitset/split_block.h"

#if defined(__x86_64__) && defined(__GNUC__)

#include <immintrin.h>
#include <string.h>

#include "support/threads.h"

/* To fetch for writing is no feature to look for: where it is not known, it does nothing. */
#define TARGET __attribute__((target("avx2,cx16,prfchw")))
#define ALWAYS_INLINE static inline __attribute__((always_inline)) TARGET

/* In each word, the bit of the key. */
ALWAYS_INLINE __m256i bits_of(uint64_t hash)
{
    const __m256i salts =
        _mm256_loadu_si256((const __m256i *)(const void *)bloomfilter_split_block_salts);
    __m256i product = _mm256_mullo_epi32(_mm256_set1_epi32((int)(uint32_t)hash), salts);
    return _mm256_sllv_epi32(_mm256_set1_epi32(1), _mm256_srli_epi32(product, 27));
}

/*
 * Other threads may set bits meanwhile. C has no atomic of this size; the processor reads each of
 * the aligned words of a cache line whole, which is all that is asked for. As an instruction of its
 * own it is neither split nor repeated by the compiler.
 */
ALWAYS_INLINE __m256i load_block(const uint8_t *block)
{
    typedef struct {
        uint8_t bytes[SPLIT_BLOCK_BYTES];
    } memory;
    __m256i words;
    __asm__ volatile("vmovdqu %1, %0" : "=x"(words) : "m"(*(const memory *)(const void *)block));
    return words;
}

static TARGET bool contains(const uint8_t *cells, uint64_t bit_count, uint64_t hash)
{
    __m256i block = load_block(cells + split_block_offset(bit_count, hash));
    return _mm256_testc_si256(block, bits_of(hash));
}

/* Sets the bits of half a block, of which `half` was read before. */
ALWAYS_INLINE void add_to_half(uint8_t *at, __m128i half, __m128i bits)
{
    __extension__ typedef unsigned __int128 value __attribute__((may_alias));
    value seen, wanted;
    memcpy(&seen, &half, sizeof seen);
    memcpy(&wanted, &bits, sizeof wanted);
    for (;;) {
        value found = __sync_val_compare_and_swap((value *)(void *)at, seen, seen | wanted);
        if (found == seen)
            return;
        seen = found;
    }
}

/*
 * By halves: two compare-and-swaps of 16 bytes cost not much more than half of four atomic ORs of
 * 8, and what to compare with is known, since the block has to be looked at anyway. A bit that
 * another thread sets after that look is told as new by both.
 */
ALWAYS_INLINE bool add_to_block(uint8_t *block, __m256i bits, bool is_alone)
{
    __m256i words = load_block(block);
    if (_mm256_testc_si256(words, bits))
        return false;
    if (is_alone) {
        _mm256_storeu_si256((__m256i *)(void *)block, _mm256_or_si256(words, bits));
        return true;
    }
    add_to_half(block, _mm256_castsi256_si128(words), _mm256_castsi256_si128(bits));
    add_to_half(block + SPLIT_BLOCK_BYTES / 2, _mm256_extracti128_si256(words, 1),
                _mm256_extracti128_si256(bits, 1));
    return true;
}

static TARGET bool add(uint8_t *cells, uint64_t bit_count, uint64_t hash)
{
    return add_to_block(cells + split_block_offset(bit_count, hash), bits_of(hash),
                        thread_is_alone());
}

static TARGET void add_many(uint8_t *cells, uint64_t bit_count, size_t count,
                            const uint64_t hashes[], uint8_t was_new[])
{
    bool is_alone = thread_is_alone();
    for (size_t j = 0; j < count; j++) {
        bool is_new = add_to_block(cells + split_block_offset(bit_count, hashes[j]),
                                   bits_of(hashes[j]), is_alone);
        if (was_new != NULL)
            was_new[j] = is_new;
    }
}

static TARGET void contains_many(const uint8_t *cells, uint64_t bit_count, size_t count,
                                 const uint64_t hashes[], uint8_t found[])
{
    for (size_t j = 0; j < count; j++) {
        __m256i block = load_block(cells + split_block_offset(bit_count, hashes[j]));
        found[j] = (uint8_t)_mm256_testc_si256(block, bits_of(hashes[j]));
    }
}

static TARGET void fetch(const uint8_t *cells, uint64_t bit_count, size_t count,
                         const uint64_t hashes[], bool for_adds)
{
    split_block_fetch(cells, bit_count, count, hashes, for_adds);
}

const struct block_kernel bloomfilter_x86_split_block_avx2 = {
    .name = "avx2",
    .add = add,
    .contains = contains,
    .add_many = add_many,
    .contains_many = contains_many,
    .fetch = fetch,
};

#endif
