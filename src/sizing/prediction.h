/* SPDX-License-Identifier: MIT */

/*
 * Predictions of the false positive rate of a filter of bit_count bits and hash_count positions
 * per key. docs/false-positive-rate.md derives the formulae and shows them beside simulations.
 *
 * Every function takes any bit_count from 1 to 2^60 and any hash_count from 1 to 255, returns a
 * rate in 0..1 (never NaN), and may be called from any thread.
 */

#ifndef BLOOMFILTER_SIZING_PREDICTION_H
#define BLOOMFILTER_SIZING_PREDICTION_H

#include <stdint.h>

/* How a scheme's positions of one key relate to each other. */
enum position_model {
    POSITION_MODEL_INDEPENDENT, /* hash_count independent hashes mod bit_count */
    POSITION_MODEL_PROGRESSION, /* (h1 + i * step) mod bit_count, step = h2 mod bit_count, or 1 */
    POSITION_MODEL_BLOCKS       /* one in each of the hash_count 32-bit words of a random block */
};

struct prediction_shape {
    enum position_model model;
    uint32_t hash_bits; /* 32 or 64: a hash is uniform in 0 .. 2^hash_bits - 1 before the modulo */
    uint64_t bit_count;
    uint32_t hash_count;
};

/* The rate averaged over all filters that hold key_count distinct keys. */
double bloomfilter_prediction_expected_fpr(const struct prediction_shape *shape,
                                           uint64_t key_count);

/* The rate of a filter with bits_set bits set; the number of keys is estimated from bits_set. */
double bloomfilter_prediction_current_fpr(const struct prediction_shape *shape, uint64_t bits_set);

/*
 * The number of distinct keys that leave bits_set bits set on average (Swamidass and Baldi, 2007).
 * INFINITY when every bit that a hash can reach is set.
 */
double bloomfilter_prediction_estimated_count(const struct prediction_shape *shape,
                                              uint64_t bits_set);

#endif
