/* SPDX-License-Identifier: MIT */
/* Set bits of whole words of 64 bits, counted. */
#ifndef BLOOMFILTER_BITSET_COUNT_ONES_H
#define BLOOMFILTER_BITSET_COUNT_ONES_H

#include <stdatomic.h>
#include <stdint.h>
#include <string.h>

/* What every processor reads in one instruction. To read 64 bits at once, some with 32 compare and
 * swap, which is a write, and kills the process where the cells are those of a mapped file. */
typedef _Atomic size_t atomic_word;

_Static_assert(sizeof(atomic_word) == sizeof(size_t), "cells are counted as words in place");

#define COUNT_ONES_INLINE static inline __attribute__((always_inline))

COUNT_ONES_INLINE uint64_t count_ones_in_aligned_word(const uint8_t *at)
{
    const atomic_word *words = (const atomic_word *)(const void *)at;
    uint64_t total = 0;
    for (size_t i = 0; i < sizeof(uint64_t) / sizeof *words; i++)
        total += (uint64_t)__builtin_popcountll(
            atomic_load_explicit(&words[i], memory_order_relaxed));
    return total;
}

COUNT_ONES_INLINE uint64_t count_ones_in_word(const uint8_t *at)
{
    uint64_t word;
    memcpy(&word, at, sizeof word);
    return (uint64_t)__builtin_popcountll(word);
}

/*
 * Cells that others may change are aligned; only a view's may not be, and nobody changes those.
 * Inline, so that each caller gets it in the instructions that it is compiled for.
 */
COUNT_ONES_INLINE uint64_t count_ones_in_words(const uint8_t *cells, uint64_t word_count)
{
    uint64_t total = 0;
    const uint8_t *end = cells + word_count * sizeof(uint64_t);
    if ((uintptr_t)cells % sizeof(uint64_t) == 0)
        for (; cells != end; cells += sizeof(uint64_t))
            total += count_ones_in_aligned_word(cells);
    else
        for (; cells != end; cells += sizeof(uint64_t))
            total += count_ones_in_word(cells);
    return total;
}

#if defined(__x86_64__) && defined(__GNUC__)
uint64_t bloomfilter_x86_count_ones(const uint8_t *cells, uint64_t word_count);
#endif

#endif
