/* SPDX-License-Identifier: MIT */
/*
 * The models of positions behind prediction.h; docs/false-positive-rate.md derives them. The
 * rates that they return can lie outside 0 to 1 by rounding.
 */
#ifndef BLOOMFILTER_SIZING_MODELS_H
#define BLOOMFILTER_SIZING_MODELS_H

#include <math.h>

#include "sizing/prediction.h"

/* The average rate with so many distinct keys, at least 1. */
double bloomfilter_progression_expected(const struct prediction_shape *shape, double keys);
double bloomfilter_independent_expected(const struct prediction_shape *shape, double keys);
double bloomfilter_blocks_expected(const struct prediction_shape *shape, double keys);

/* The rate when so many bits are set, at least 1. */
double bloomfilter_progression_current(const struct prediction_shape *shape, double set);
double bloomfilter_independent_current(const struct prediction_shape *shape, double set);
double bloomfilter_blocks_current(const struct prediction_shape *shape, double set);

/* How many independent hashes leave so many bits set on average; INFINITY if all are set. */
double bloomfilter_independent_estimated_hashes(const struct prediction_shape *shape, double set);

/* How many keys leave so many bits set on average; INFINITY if all are set. */
double bloomfilter_blocks_estimated_keys(const struct prediction_shape *shape, double set);

/* 1 - (1 - probability)^trials, for small probabilities too. */
static inline double at_least_one(double trials, double probability)
{
    return trials > 0 ? -expm1(trials * log1p(-probability)) : 0;
}

#endif
