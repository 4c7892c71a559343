/* SPDX-License-Identifier: MIT */
#include "sizing/models.h"

static double clamp_rate(double rate)
{
    if (!(rate > 0))
        return 0;
    return rate < 1 ? rate : 1;
}

double bloomfilter_prediction_expected_fpr(const struct prediction_shape *shape, uint64_t key_count)
{
    double keys = (double)key_count;

    if (key_count == 0)
        return 0;
    if (shape->model == POSITION_MODEL_PROGRESSION)
        return clamp_rate(bloomfilter_progression_expected(shape, keys));
    if (shape->model == POSITION_MODEL_BLOCKS)
        return clamp_rate(bloomfilter_blocks_expected(shape, keys));
    return clamp_rate(bloomfilter_independent_expected(shape, keys));
}

double bloomfilter_prediction_current_fpr(const struct prediction_shape *shape, uint64_t bits_set)
{
    double set = (double)bits_set;

    if (bits_set == 0)
        return 0;
    if (shape->model == POSITION_MODEL_PROGRESSION)
        return clamp_rate(bloomfilter_progression_current(shape, set));
    if (shape->model == POSITION_MODEL_BLOCKS)
        return clamp_rate(bloomfilter_blocks_current(shape, set));
    return clamp_rate(bloomfilter_independent_current(shape, set));
}

double bloomfilter_prediction_estimated_count(const struct prediction_shape *shape,
                                              uint64_t bits_set)
{
    if (bits_set == 0)
        return 0;
    if (shape->model == POSITION_MODEL_BLOCKS)
        return bloomfilter_blocks_estimated_keys(shape, (double)bits_set);
    return bloomfilter_independent_estimated_hashes(shape, (double)bits_set) / shape->hash_count;
}
