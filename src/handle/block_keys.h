/* SPDX-License-Identifier: MIT */
/* Keys into and out of filters whose layout is one of blocks. */
#ifndef BLOOMFILTER_HANDLE_BLOCK_KEYS_H
#define BLOOMFILTER_HANDLE_BLOCK_KEYS_H

#include "handle/handle.h"

static inline bool block_keys_add(const bloomfilter *filter, const void *key, size_t key_size)
{
    const struct hasher *hasher = &filter->hasher;
    return filter->blocks->add(filter->cells, hasher->bit_count,
                               hasher->scheme->hash(hasher, key, key_size));
}

static inline bool block_keys_contains(const bloomfilter *filter, const void *key, size_t key_size)
{
    const struct hasher *hasher = &filter->hasher;
    return filter->blocks->contains(filter->cells, hasher->bit_count,
                                    hasher->scheme->hash(hasher, key, key_size));
}

/* Sends `count` keys through. `answers`, a byte per key, may be NULL when they are set. */
void bloomfilter_block_keys_pass(const bloomfilter *filter, size_t count, const void *const keys[],
                                 const size_t key_sizes[], bool sets, uint8_t *answers);

#endif
