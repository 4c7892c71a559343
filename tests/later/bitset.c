/* SPDX-License-Identifier: MIT */
/* The later release's layouts: that of this one, and one with the bits of each byte the other way
 * round. Who took it for `flat` would deny keys. */
#define bloomfilter_bitset_find find_layout_of_1_0
#include "../../src/bitset/registry.c"
#undef bloomfilter_bitset_find

#include "later.h"

static uint64_t payload_size(uint64_t bit_count)
{
    return bloomfilter_bitset_flat.payload_size(bit_count);
}

static void turn(uint64_t turned[], const uint64_t *positions, uint32_t hash_count)
{
    for (uint32_t i = 0; i < hash_count; i++)
        turned[i] = positions[i] ^ 7;
}

static bool add(uint8_t *cells, const uint64_t *positions, uint32_t hash_count)
{
    uint64_t turned[255];
    turn(turned, positions, hash_count);
    return bloomfilter_bitset_flat.add(cells, turned, hash_count);
}

static bool contains(const uint8_t *cells, const uint64_t *positions, uint32_t hash_count)
{
    uint64_t turned[255];
    turn(turned, positions, hash_count);
    return bloomfilter_bitset_flat.contains(cells, turned, hash_count);
}

/* Turned round, the last bits may lie past bit_count. */
static uint64_t bits_set(const uint8_t *cells, uint64_t bit_count)
{
    return bloomfilter_bitset_flat.bits_set(cells, payload_size(bit_count) * 8);
}

static bool is_padded_with_zeros(const uint8_t *cells, uint64_t bit_count)
{
    return bloomfilter_bitset_flat.is_padded_with_zeros(cells, (bit_count + 7) / 8 * 8);
}

static void unite(uint8_t *into, const uint8_t *from, uint64_t size)
{
    bloomfilter_bitset_flat.unite(into, from, size);
}

static void intersect(uint8_t *into, const uint8_t *from, uint64_t size)
{
    bloomfilter_bitset_flat.intersect(into, from, size);
}

static const struct bitset_layout new_layout = {
    .id = LATER_LAYOUT,
    .name = "later",
    .max_bit_count = (uint64_t)1 << 60,
    .payload_size = payload_size,
    .add = add,
    .contains = contains,
    .bits_set = bits_set,
    .is_padded_with_zeros = is_padded_with_zeros,
    .unite = unite,
    .intersect = intersect,
};

const struct bitset_layout *bloomfilter_bitset_find(uint32_t id);

const struct bitset_layout *bloomfilter_bitset_find(uint32_t id)
{
    return id == LATER_LAYOUT ? &new_layout : find_layout_of_1_0(id);
}
