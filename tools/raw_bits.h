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

typedef struct raw_bits {
    unsigned char *bytes; /* owned; NULL: none yet */
    uint64_t size;
} raw_bits;

/* Bytes for this many bits. */
uint64_t raw_bits_size(uint64_t bit_count);

void raw_bits_free(raw_bits *bits);

/* The functions below return the codes of the library. */

/* Copies the bits out, into memory of their own. */
int raw_bits_get(const bloomfilter *filter, raw_bits *bits);

/* Copies them in over all that was there. EDAMAGED where a bit past the last is set. */
int raw_bits_set(bloomfilter *filter, const raw_bits *bits, uint64_t insert_count);

/* Writes them to a file, atomically and durably, as bloomfilter_save writes filters. */
int raw_bits_save(const raw_bits *bits, const char *path);

#endif
