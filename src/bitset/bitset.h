/* SPDX-License-Identifier: MIT */
/*
 * The bitset: positions to bits. Knows nothing of keys, nor of where its memory comes from.
 *
 * A layout is one file that defines a `const struct bitset_layout`, and one row of registry.c. Its
 * id and the meaning of its bytes (docs/format.md) are part of the file format and never change.
 * Cells in memory are the payload of the file, byte for byte, on every machine.
 */
#ifndef BLOOMFILTER_BITSET_BITSET_H
#define BLOOMFILTER_BITSET_BITSET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct flat_work;

/*
 * Keys into and out of a layout of blocks, as fast as a kind of processor can. A key is a hash of
 * 64 bits. All kernels of a layout answer alike, which the tests hold them to.
 */
struct block_kernel {
    const char *name;

    /*
     * Adds a key; whether some bit was 0. Any number of threads may add and ask at once; no bit is
     * lost. Cells that are added to are aligned to cache lines.
     */
    bool (*add)(uint8_t *cells, uint64_t bit_count, uint64_t hash);

    /* Whether all bits of a key are 1. */
    bool (*contains)(const uint8_t *cells, uint64_t bit_count, uint64_t hash);

    /* The same for `count` keys, in order. Answers are 1 or 0; those of adds may be NULL. */
    void (*add_many)(uint8_t *cells, uint64_t bit_count, size_t count, const uint64_t hashes[],
                     uint8_t was_new[]);
    void (*contains_many)(const uint8_t *cells, uint64_t bit_count, size_t count,
                          const uint64_t hashes[], uint8_t found[]);

    /* Fetches what `count` keys will need into the second-level cache, to be added or asked for. */
    void (*fetch)(const uint8_t *cells, uint64_t bit_count, size_t count, const uint64_t hashes[],
                  bool for_adds);
};

/*
 * There are two kinds of layouts. In most, a key is as many positions as the filter wants, anywhere
 * in it. In layouts of blocks, all bits of a key lie in one block, chosen by a hash.
 */
struct bitset_layout {
    uint32_t id;
    const char *name;

    /* Layouts of blocks: the bits of a block and how many a key has there, both fixed. Else 0. */
    uint32_t block_bits;
    uint32_t hash_count;
    uint64_t max_bit_count;

    /* Layouts of blocks: the fastest kernel that this processor has. Else NULL. */
    const struct block_kernel *(*block_kernel)(void);

    /* Bytes of the cells; bit_count is at most 2^60. */
    uint64_t (*payload_size)(uint64_t bit_count);

    /*
     * Adds a key of hash_count positions; whether some bit was 0. Any number of threads may add
     * and ask at once; no bit is lost. This and the next two: NULL in layouts of blocks.
     */
    bool (*add)(uint8_t *cells, const uint64_t *positions, uint32_t hash_count);

    /* Whether all bits of a key are 1. */
    bool (*contains)(const uint8_t *cells, const uint64_t *positions, uint32_t hash_count);

    /* Does what is left of some work on groups of keys (bitset/flat_cells.h). NULL: keys go one by
     * one. */
    void (*finish)(struct flat_work *work);

    /* Bits that are 1, of the first bit_count. Others may add meanwhile. */
    uint64_t (*bits_set)(const uint8_t *cells, uint64_t bit_count);

    /* Whether the bits past bit_count are all 0. */
    bool (*is_padded_with_zeros)(const uint8_t *cells, uint64_t bit_count);

    /* Combine `size` bytes of cells; nobody else may use `into` meanwhile. */
    void (*unite)(uint8_t *into, const uint8_t *from, uint64_t size);
    void (*intersect)(uint8_t *into, const uint8_t *from, uint64_t size);
};

/* The layout of an id, or NULL. */
const struct bitset_layout *bloomfilter_bitset_find(uint32_t id);

/* Whether a filter of the layout can have so many bits. */
static inline bool bloomfilter_bitset_fits(const struct bitset_layout *layout, uint64_t bit_count)
{
    return bit_count >= 1 && bit_count <= layout->max_bit_count &&
           (layout->block_bits == 0 || bit_count % layout->block_bits == 0);
}

extern const struct bitset_layout bloomfilter_bitset_flat;
extern const struct bitset_layout bloomfilter_bitset_split_block;

#endif
