/* SPDX-License-Identifier: MIT */
/*
 * Layout 2, split-block: Apache Parquet's split-block Bloom filter. A key has one block of 256
 * bits, and in each of its eight 32-bit words one bit. Words are little-endian in memory, on every
 * machine: bit b of word i of block j is bit 256 j + 32 i + b of the cells as layout 1 numbers them.
 */
#include "bitset/split_block.h"

#include <stdatomic.h>
#include <string.h>

#include "bitset/flat_cells.h"
#include "support/bytes.h"
#include "support/threads.h"

typedef _Atomic uint64_t atomic_word;

_Static_assert(sizeof(atomic_word) == 8, "cells are set as atomic words in place");

const uint32_t bloomfilter_split_block_salts[SPLIT_BLOCK_WORDS] = {
    0x47b6137b, 0x44974d91, 0x8824ad5b, 0xa2b7289d, 0x705495c7, 0x2df1424b, 0x9efc4947, 0x5c6bfb31,
};

/* ---- the portable kernel */

/* The number of the bit in word i: the lower half of the hash chooses it. */
static unsigned bit_of_word(uint64_t hash, int i)
{
    return (uint32_t)hash * bloomfilter_split_block_salts[i] >> 27;
}

static bool contains(const uint8_t *cells, uint64_t bit_count, uint64_t hash)
{
    const uint8_t *block = cells + split_block_offset(bit_count, hash);
    unsigned are_set = 1;
    for (int i = 0; i < SPLIT_BLOCK_WORDS; i++)
        are_set &= flat_bit(block, 32 * (unsigned)i + bit_of_word(hash, i));
    return are_set;
}

/* What is loaded little-endian as `word`, as the machine itself loads it. */
static uint64_t in_memory_order(uint64_t word)
{
    uint8_t bytes[8];
    memcpy(bytes, &word, sizeof bytes);
    return bytes_load_le64(bytes);
}

/*
 * Two words at a time, and only where a bit is missing: an atomic OR costs more than the look, for
 * which the whole block is fetched anyway. A bit that another thread sets after the look is told as
 * new by both.
 */
static bool add_to_block(uint8_t *cells, uint64_t bit_count, uint64_t hash, bool is_alone)
{
    atomic_word *pairs = (atomic_word *)(void *)(cells + split_block_offset(bit_count, hash));
    bool is_new = false;
    for (int i = 0; i < SPLIT_BLOCK_WORDS / 2; i++) {
        uint64_t low = (uint64_t)1 << bit_of_word(hash, 2 * i);
        uint64_t high = (uint64_t)1 << bit_of_word(hash, 2 * i + 1);
        uint64_t bits = in_memory_order(low | high << 32);
        uint64_t before = atomic_load_explicit(&pairs[i], memory_order_relaxed);
        if ((before & bits) == bits)
            continue;
        if (is_alone)
            atomic_store_explicit(&pairs[i], before | bits, memory_order_relaxed);
        else
            atomic_fetch_or_explicit(&pairs[i], bits, memory_order_relaxed);
        is_new = true;
    }
    return is_new;
}

bool bloomfilter_split_block_add(uint8_t *cells, uint64_t bit_count, uint64_t hash)
{
    return add_to_block(cells, bit_count, hash, thread_is_alone());
}

void bloomfilter_split_block_add_many(uint8_t *cells, uint64_t bit_count, size_t count,
                                      const uint64_t hashes[], uint8_t was_new[])
{
    bool is_alone = thread_is_alone();
    for (size_t j = 0; j < count; j++) {
        bool is_new = add_to_block(cells, bit_count, hashes[j], is_alone);
        if (was_new != NULL)
            was_new[j] = is_new;
    }
}

static void contains_many(const uint8_t *cells, uint64_t bit_count, size_t count,
                          const uint64_t hashes[], uint8_t found[])
{
    for (size_t j = 0; j < count; j++)
        found[j] = contains(cells, bit_count, hashes[j]);
}

void bloomfilter_split_block_fetch(const uint8_t *cells, uint64_t bit_count, size_t count,
                                   const uint64_t hashes[], bool for_adds)
{
    split_block_fetch(cells, bit_count, count, hashes, for_adds);
}

const struct block_kernel bloomfilter_split_block_portable = {
    .name = "portable",
    .add = bloomfilter_split_block_add,
    .contains = contains,
    .add_many = bloomfilter_split_block_add_many,
    .contains_many = contains_many,
    .fetch = bloomfilter_split_block_fetch,
};

/* ---- the portable kernel against a known block, and the fastest one against the portable one */

/* 2^64 over the golden ratio: its multiples spread evenly. */
#define SELF_TEST_HASH UINT64_C(0x9E3779B97F4A7C15)

static bool is_portable_right(void)
{
    static const uint8_t known[SPLIT_BLOCK_BYTES] = {
        [2] = 0x80,  [5] = 1,     [8] = 0x40,  [14] = 0x40,
        [16] = 0x40, [23] = 0x80, [26] = 0x10, [31] = 2,
    };
    _Alignas(SPLIT_BLOCK_BYTES) uint8_t cells[3 * SPLIT_BLOCK_BYTES] = {0};
    return bloomfilter_split_block_add(cells, 8 * sizeof cells, SELF_TEST_HASH) &&
           memcmp(cells + SPLIT_BLOCK_BYTES, known, sizeof known) == 0;
}

bool bloomfilter_split_block_is_right(void)
{
    enum { BYTES = 3 * SPLIT_BLOCK_BYTES, BITS = 8 * BYTES, KEYS = 48, HALF = KEYS / 2 };
    const struct block_kernel *portable = &bloomfilter_split_block_portable;
    const struct block_kernel *fastest = bloomfilter_split_block_kernel();
    _Alignas(SPLIT_BLOCK_BYTES) uint8_t expected[BYTES] = {0};
    _Alignas(SPLIT_BLOCK_BYTES) uint8_t cells[BYTES] = {0};
    uint64_t hashes[KEYS];
    uint8_t answers[KEYS];
    bool is_right = is_portable_right();

    for (uint64_t j = 0; j < KEYS; j++)
        hashes[j] = (j + 1) * SELF_TEST_HASH;
    for (size_t j = 0; j < HALF; j++)
        answers[j] = fastest->add(cells, BITS, hashes[j]);
    fastest->add_many(cells, BITS, KEYS - HALF, hashes + HALF, answers + HALF);
    for (size_t j = 0; j < KEYS; j++)
        is_right &= answers[j] == portable->add(expected, BITS, hashes[j]);
    is_right &= memcmp(cells, expected, BYTES) == 0;

    for (size_t j = 0; j < KEYS; j += 2)
        hashes[j] += hashes[j] >> 1; /* others, most of which are not there */
    fastest->contains_many(cells, BITS, KEYS, hashes, answers);
    for (size_t j = 0; j < KEYS; j++) {
        bool is_there = portable->contains(expected, BITS, hashes[j]);
        is_right &= answers[j] == is_there && fastest->contains(cells, BITS, hashes[j]) == is_there;
    }
    return is_right;
}

/* ---- the layout */

static uint64_t payload_size(uint64_t bit_count)
{
    return bit_count / 8;
}

/* Bits are counted and combined as those of layout 1. */
static uint64_t bits_set(const uint8_t *cells, uint64_t bit_count)
{
    return bloomfilter_bitset_flat.bits_set(cells, bit_count);
}

static bool is_padded_with_zeros(const uint8_t *cells, uint64_t bit_count)
{
    (void)cells, (void)bit_count; /* whole blocks have no padding */
    return true;
}

static void unite(uint8_t *into, const uint8_t *from, uint64_t size)
{
    bloomfilter_bitset_flat.unite(into, from, size);
}

static void intersect(uint8_t *into, const uint8_t *from, uint64_t size)
{
    bloomfilter_bitset_flat.intersect(into, from, size);
}

const struct bitset_layout bloomfilter_bitset_split_block = {
    .id = 2,
    .name = "split-block",
    .block_bits = SPLIT_BLOCK_BITS,
    .hash_count = SPLIT_BLOCK_WORDS,
    .max_bit_count = (uint64_t)SPLIT_BLOCK_BITS << 32,
    .block_kernel = bloomfilter_split_block_kernel,
    .payload_size = payload_size,
    .bits_set = bits_set,
    .is_padded_with_zeros = is_padded_with_zeros,
    .unite = unite,
    .intersect = intersect,
};
