/* SPDX-License-Identifier: MIT */
/*
 * The order of operations below is part of the contract: other implementations, in other
 * languages, come to the same bit_count by the same IEEE 754 operations in the same order. So no
 * expression here may be rearranged, by hand or by -ffast-math, and each step has a variable of its
 * own. Where registers are wider than a double (x87), assignment rounds a second time, which can give
 * another result.
 */
#include "sizing/sizing.h"

#ifdef __FAST_MATH__
#error "-ffast-math changes what filters are made, and what a NaN is"
#endif

#include <float.h>
#include <math.h>

#if defined(__i386__) && (FLT_EVAL_METHOD == 2 || FLT_EVAL_METHOD < 0)
#error "x87 rounds twice, so some sizes would differ: compile with -msse2 -mfpmath=sse"
#endif

static double natural_log_of_2(void)
{
    return log(2.0);
}

double bloomfilter_sizing_bit_count(uint64_t capacity, double target_fpr)
{
    double ln_2 = natural_log_of_2();
    double numerator = -(double)capacity * log(target_fpr);
    double denominator = ln_2 * ln_2;
    double bits = numerator / denominator;
    return bits < 1.0 ? 1.0 : ceil(bits);
}

double bloomfilter_sizing_hash_count(uint64_t bit_count, uint64_t capacity)
{
    /* rint rounds half to even in the default rounding mode. */
    double bits_per_key = (double)bit_count / (double)capacity;
    double hashes = bits_per_key * natural_log_of_2();
    return hashes < 1.0 ? 1.0 : rint(hashes);
}

uint64_t bloomfilter_sizing_capacity(uint64_t bit_count, uint32_t hash_count)
{
    double keys = rint((double)bit_count * natural_log_of_2() / hash_count);
    return keys < 1.0 ? 1 : (uint64_t)keys;
}
