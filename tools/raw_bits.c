/* SPDX-License-Identifier: MIT */
#include "raw_bits.h"

/* The only file of the command that looks behind the public interface. */
#include "handle/raw_bits.h"

uint64_t raw_bits_size(uint64_t bit_count)
{
    return bit_count / 8 + (bit_count % 8 != 0);
}

int raw_bits_get(const bloomfilter *filter, void *bits, uint64_t size)
{
    return bloomfilter_raw_bits_get(filter, bits, size);
}

int raw_bits_set(bloomfilter *filter, const void *bits, uint64_t size, uint64_t insert_count)
{
    return bloomfilter_raw_bits_set(filter, bits, size, insert_count);
}
