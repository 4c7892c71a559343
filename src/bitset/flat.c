/* SPDX-License-Identifier: MIT */
/*
 * Layout 1, flat: bit j is bit j mod 8 of byte j div 8, least significant first.
 */
#include "bitset/bitset.h"

#include <string.h>

#include "bitset/count_ones.h"
#include "bitset/flat_cells.h"
#include "support/cpu.h"
#include "support/threads.h"

enum { WORD = sizeof(uint64_t) };

static uint64_t payload_size(uint64_t bit_count)
{
    return (bit_count + 63) / 64 * WORD;
}

static bool add(uint8_t *cells, const uint64_t *positions, uint32_t hash_count)
{
    unsigned were_set = 1;
    if (thread_is_alone())
        for (uint32_t i = 0; i < hash_count; i++)
            were_set &= flat_set_bit_alone(cells, positions[i]);
    else
        for (uint32_t i = 0; i < hash_count; i++)
            were_set &= flat_set_bit(cells, positions[i]);
    return !were_set;
}

/* Without a branch per bit, all of them are fetched at once. */
static bool contains(const uint8_t *cells, const uint64_t *positions, uint32_t hash_count)
{
    unsigned are_set = 1;
    for (uint32_t i = 0; i < hash_count; i++)
        are_set &= flat_bit(cells, positions[i]);
    return are_set;
}

static void finish(struct flat_work *work)
{
    struct flat_work left = *work; /* a copy that the bytes written cannot alias */
    flat_work_finish(&left);
    work->lacking = left.lacking;
}

static uint64_t load_word(const uint8_t *at)
{
    uint64_t word;
    memcpy(&word, at, WORD);
    return word;
}

static uint64_t bits_set_in_words(const uint8_t *cells, uint64_t word_count)
{
#if defined(__x86_64__) && defined(__GNUC__)
    if (bloomfilter_cpu_features() & CPU_POPCNT)
        return bloomfilter_x86_count_ones(cells, word_count);
#endif
    return count_ones_in_words(cells, word_count);
}

static uint64_t bits_set(const uint8_t *cells, uint64_t bit_count)
{
    uint64_t whole_words = bit_count / 64;
    uint64_t total = bits_set_in_words(cells, whole_words);
    for (uint64_t position = whole_words * 64; position < bit_count; position++)
        total += flat_bit(cells, position);
    return total;
}

static bool is_padded_with_zeros(const uint8_t *cells, uint64_t bit_count)
{
    for (uint64_t position = bit_count; position < payload_size(bit_count) * 8; position++)
        if (flat_bit(cells, position))
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
    .max_bit_count = (uint64_t)1 << 60,
    .payload_size = payload_size,
    .add = add,
    .contains = contains,
    .finish = finish,
    .bits_set = bits_set,
    .is_padded_with_zeros = is_padded_with_zeros,
    .unite = unite,
    .intersect = intersect,
};
