/* SPDX-License-Identifier: MIT */
/*
 * Layout 1, flat: bit j is bit j mod 8 of byte j div 8, least significant first.
 *
 * Single bits are read and set through atomic bytes: that is independent of the machine's byte
 * order and needs no alignment, which the bytes of a caller's view do not have. Relaxed order is
 * enough: bits only ever go from 0 to 1 while filters are shared, and whatever orders an add before
 * a question (a mutex, a join) orders its bits too.
 */
#include "bitset/bitset.h"

#include <stdatomic.h>
#include <string.h>

typedef _Atomic uint8_t atomic_byte;
/* What every processor reads in one instruction. To read 64 bits at once, some with 32 compare and
 * swap, which is a write, and kills the process where the cells are those of a mapped file. */
typedef _Atomic size_t atomic_word;

_Static_assert(sizeof(atomic_byte) == 1, "cells are accessed as atomic bytes in place");
_Static_assert(sizeof(atomic_word) == sizeof(size_t), "cells are counted as words in place");

enum { WORD = sizeof(uint64_t) };

static uint64_t payload_size(uint64_t bit_count)
{
    return (bit_count + 63) / 64 * WORD;
}

static void add(uint8_t *cells, const uint64_t *positions, uint32_t hash_count, size_t count,
                uint8_t *was_new)
{
    atomic_byte *bytes = (atomic_byte *)cells;
    for (size_t j = 0; j < count; j++) {
        unsigned any_new = 0;
        for (uint32_t i = 0; i < hash_count; i++) {
            uint64_t position = *positions++;
            uint8_t bit = (uint8_t)(1u << (position & 7));
            uint8_t before =
                atomic_fetch_or_explicit(&bytes[position >> 3], bit, memory_order_relaxed);
            any_new |= (unsigned)(bit & ~before);
        }
        if (was_new != NULL)
            was_new[j] = any_new != 0;
    }
}

static bool has_bit(const uint8_t *cells, uint64_t position)
{
    const atomic_byte *byte = (const atomic_byte *)cells + (position >> 3);
    return atomic_load_explicit(byte, memory_order_relaxed) >> (position & 7) & 1;
}

static bool has_all_bits(const uint8_t *cells, const uint64_t *positions, uint32_t hash_count)
{
    for (uint32_t i = 0; i < hash_count; i++)
        if (!has_bit(cells, positions[i]))
            return false;
    return true;
}

static void contains(const uint8_t *cells, const uint64_t *positions, uint32_t hash_count,
                     size_t count, uint8_t *found)
{
    for (size_t j = 0; j < count; j++)
        found[j] = has_all_bits(cells, positions + j * hash_count, hash_count);
}

static bool is_aligned(const uint8_t *cells)
{
    return (uintptr_t)cells % WORD == 0;
}

static uint64_t load_word(const uint8_t *at)
{
    uint64_t word;
    memcpy(&word, at, WORD);
    return word;
}

static unsigned count_ones(uint64_t word)
{
    return (unsigned)__builtin_popcountll(word);
}

static unsigned count_ones_atomically(const uint8_t *at)
{
    const atomic_word *words = (const atomic_word *)(const void *)at;
    unsigned total = 0;
    for (size_t i = 0; i < WORD / sizeof *words; i++)
        total += count_ones(atomic_load_explicit(&words[i], memory_order_relaxed));
    return total;
}

/* Cells that others may change are aligned; only a view's may not be, and nobody changes those. */
static uint64_t bits_set_in_words(const uint8_t *cells, uint64_t word_count)
{
    uint64_t total = 0;
    if (is_aligned(cells))
        for (uint64_t i = 0; i < word_count; i++)
            total += count_ones_atomically(cells + i * WORD);
    else
        for (uint64_t i = 0; i < word_count; i++)
            total += count_ones(load_word(cells + i * WORD));
    return total;
}

static uint64_t bits_set(const uint8_t *cells, uint64_t bit_count)
{
    uint64_t whole_words = bit_count / 64;
    uint64_t total = bits_set_in_words(cells, whole_words);
    for (uint64_t position = whole_words * 64; position < bit_count; position++)
        total += has_bit(cells, position);
    return total;
}

static bool is_padded_with_zeros(const uint8_t *cells, uint64_t bit_count)
{
    for (uint64_t position = bit_count; position < payload_size(bit_count) * 8; position++)
        if (has_bit(cells, position))
            return false;
    return true;
}

static void unite(uint8_t *into, const uint8_t *from, uint64_t size)
{
    for (uint64_t at = 0; at < size; at += WORD) {
        uint64_t word = load_word(into + at) | load_word(from + at);
        memcpy(into + at, &word, WORD);
    }
}

static void intersect(uint8_t *into, const uint8_t *from, uint64_t size)
{
    for (uint64_t at = 0; at < size; at += WORD) {
        uint64_t word = load_word(into + at) & load_word(from + at);
        memcpy(into + at, &word, WORD);
    }
}

const struct bitset_layout bloomfilter_bitset_flat = {
    .id = 1,
    .name = "flat",
    .payload_size = payload_size,
    .add = add,
    .contains = contains,
    .bits_set = bits_set,
    .is_padded_with_zeros = is_padded_with_zeros,
    .unite = unite,
    .intersect = intersect,
};
