/* SPDX-License-Identifier: MIT */
/* The baseline of x86-64 has no instruction that counts bits; nearly every processor does. */
#include "bitset/count_ones.h"

#if defined(__x86_64__) && defined(__GNUC__)

__attribute__((target("popcnt"))) uint64_t bloomfilter_x86_count_ones(const uint8_t *cells,
                                                                      uint64_t word_count)
{
    return count_ones_in_words(cells, word_count);
}

#endif
