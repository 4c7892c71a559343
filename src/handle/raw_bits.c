/* SPDX-License-Identifier: MIT */
#include "handle/raw_bits.h"

#include <string.h>

#include "handle/handle.h"

uint64_t bloomfilter_raw_bits_size(const bloomfilter *filter)
{
    return (filter->hasher.bit_count + 7) / 8;
}

int bloomfilter_raw_bits_get(const bloomfilter *filter, void *bytes, uint64_t size)
{
    if (size == 0 || size != bloomfilter_raw_bits_size(filter))
        return BLOOMFILTER_EINVAL;
    memcpy(bytes, filter->cells, (size_t)size);
    return 0;
}

static bool has_bits_past_the_end(const bloomfilter *filter, const uint8_t *bytes, uint64_t size)
{
    unsigned used = (unsigned)(filter->hasher.bit_count % 8);
    return used != 0 && bytes[size - 1] >> used != 0;
}

int bloomfilter_raw_bits_set(bloomfilter *filter, const void *bytes, uint64_t size,
                             uint64_t insert_count)
{
    if (size == 0 || size != bloomfilter_raw_bits_size(filter))
        return BLOOMFILTER_EINVAL;
    if (is_read_only(filter))
        return BLOOMFILTER_EREADONLY;
    if (has_bits_past_the_end(filter, bytes, size))
        return BLOOMFILTER_EDAMAGED;
    bloomfilter_clear(filter);
    memcpy(filter->cells, bytes, (size_t)size);
    bloomfilter_insert_counter_set(&filter->inserts, insert_count);
    return 0;
}
