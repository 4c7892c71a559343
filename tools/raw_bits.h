/* SPDX-License-Identifier: MIT */
/*
 * raw_bits.h - the bits of a flat filter without a header, as other programs exchange them. The
 * public interface has no such functions on purpose: bits without their shape are easily misread.
 */
#ifndef TOOLS_RAW_BITS_H
#define TOOLS_RAW_BITS_H

#include "posix.h"

#include <bloomfilter.h>
#include <stdint.h>

/* Bytes for this many bits. */
uint64_t raw_bits_size(uint64_t bit_count);

/* Copies the bits out, or in over all that was there. `size` is raw_bits_size. Return codes of the
 * library; BLOOMFILTER_EDAMAGED where a bit past the last is set. */
int raw_bits_get(const bloomfilter *filter, void *bits, uint64_t size);
int raw_bits_set(bloomfilter *filter, const void *bits, uint64_t size, uint64_t insert_count);

#endif
