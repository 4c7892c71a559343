/* SPDX-License-Identifier: MIT */
#include "bitset/bitset.h"

static const struct bitset_layout *const layouts[] = {
    &bloomfilter_bitset_flat,
    &bloomfilter_bitset_split_block,
};

const struct bitset_layout *bloomfilter_bitset_find(uint32_t id)
{
    for (size_t i = 0; i < sizeof layouts / sizeof layouts[0]; i++)
        if (layouts[i]->id == id)
            return layouts[i];
    return NULL;
}
