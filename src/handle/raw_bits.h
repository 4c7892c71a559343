/* SPDX-License-Identifier: MIT */
/*
 * The bare bits of a filter, as other programs exchange them: for the command's import and
 * export. Not part of the public interface: bits that come from elsewhere were made under rules
 * that only the user can vouch for.
 */
#ifndef BLOOMFILTER_HANDLE_RAW_BITS_H
#define BLOOMFILTER_HANDLE_RAW_BITS_H

#include <stdint.h>

#include "bloomfilter.h"

/* Bytes of the bare bit array, bit_count / 8 rounded up. */
uint64_t bloomfilter_raw_bits_size(const bloomfilter *filter);

/* Copies the bits out to exactly that many bytes. Returns 0 or EINVAL. */
int bloomfilter_raw_bits_get(const bloomfilter *filter, void *bytes, uint64_t size);

/*
 * Puts bits in place of what the filter holds, and records that insert_count add operations made
 * them. Returns 0; EINVAL (another size); EDAMAGED (bits past bit_count that are not 0); EREADONLY.
 */
int bloomfilter_raw_bits_set(bloomfilter *filter, const void *bytes, uint64_t size,
                             uint64_t insert_count);

#endif
