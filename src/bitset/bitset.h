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

struct bitset_layout {
    uint32_t id;
    const char *name;

    /* Bytes of the cells; bit_count is at most 2^60. */
    uint64_t (*payload_size)(uint64_t bit_count);

    /*
     * Adds a key of hash_count positions; whether some bit was 0. Any number of threads may add and
     * ask at once; no bit is lost.
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

extern const struct bitset_layout bloomfilter_bitset_flat;

#endif
