/* SPDX-License-Identifier: MIT */
/* Sizing: expected keys and acceptable false positive rate to bits and positions per key. */
#ifndef BLOOMFILTER_SIZING_SIZING_H
#define BLOOMFILTER_SIZING_SIZING_H

#include <stdint.h>

/*
 * These return INFINITY-safe doubles, so that the caller can compare with its limits before it
 * converts: a result may be larger than any integer type. capacity and bit_count are at least 1,
 * target_fpr is between 0 and 1.
 */

/* Bits for `capacity` keys: ceil(-capacity * ln(target_fpr) / (ln 2)^2), at least 1. */
double bloomfilter_sizing_bit_count(uint64_t capacity, double target_fpr);

/* Positions per key: bit_count / capacity * ln 2, rounded half to even, at least 1. */
double bloomfilter_sizing_hash_count(uint64_t bit_count, uint64_t capacity);

/*
 * Blocks of `words` 32-bit words, for layouts of blocks: as few as keep to the target when keys per
 * block follow Poisson's law, which is a little more than what they do, and on which half hashes fall
 * evenly. INFINITY where no number of blocks does. src/sizing/blocks.c says why this is the same on
 * every machine.
 */
double bloomfilter_sizing_block_count(uint64_t capacity, double target_fpr, uint32_t words);

/* The rate of so many blocks by that law, rounded up to 20 binary digits, inside (0, 1). */
double bloomfilter_sizing_block_target_fpr(uint64_t block_count, uint64_t capacity, uint32_t words);

/* Keys that fill half of the bits: round(bit_count * ln 2 / hash_count), at least 1. */
uint64_t bloomfilter_sizing_capacity(uint64_t bit_count, uint32_t hash_count);

/*
 * The classic rate, (1 - exp(-hash_count * capacity / bit_count))^hash_count, inside (0, 1): the
 * quotient is one of doubles, then the base and the power are each rounded once.
 */
double bloomfilter_sizing_target_fpr(uint64_t bit_count, uint32_t hash_count, uint64_t capacity);

#endif
