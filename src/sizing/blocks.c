/* SPDX-License-Identifier: MIT */
/*
 * Layouts of blocks: a key has one block of hash_count words of 32 bits, and a bit in each word.
 * docs/false-positive-rate.md derives the formulae, in the same words.
 *
 * A word of a block with j keys has a given bit set with probability 1 - (1 - 1/32)^j. Its words
 * are independent of each other, and j is binomial: keys are thrown into blocks.
 */
#include <float.h>
#include <stdbool.h>

#include "sizing/models.h"
#include "sizing/sizing.h"

enum {
    WORD_BITS = 32,
    EVEN_QUOTIENT = 4096, /* values of half a hash per block from which all blocks are alike */
    BISECTION_STEPS = 200
};

#define HALVES 0x1p32             /* values of half a hash: one chooses the block, one the bits */
static const double SMALL = 1e-3; /* below, alternating sums lose too many digits */

static double power(double base, uint32_t exponent)
{
    double result = 1;
    for (; exponent != 0; exponent >>= 1, base *= base)
        if (exponent & 1)
            result *= base;
    return result;
}

/* ---- the rate of a block that each of `keys` keys has with probability `share` */

/* (1 - q^j)^words, q = 1 - 1/32, is a sum of powers x^j; the mean of each is known. */
static double mean_by_powers(double keys, double share, uint32_t words)
{
    double binomial = 1;
    double q_to_i = 1;
    double sum = 1;
    for (uint32_t i = 1; i <= words; i++) {
        binomial *= -(double)(words - i + 1) / i;
        q_to_i *= 1 - 1.0 / WORD_BITS;
        sum += binomial * (1 - at_least_one(keys, (1 - q_to_i) * share));
    }
    return sum;
}

/* The sum over j itself, for blocks of few keys. */
static double mean_by_counts(double keys, double share, uint32_t words)
{
    double probability = exp(keys * log1p(-share)); /* of j keys */
    double free = 1;                                /* q^j */
    double sum = 0;
    for (double j = 0; j < keys;) {
        probability *= (keys - j) / (j + 1) * (share / (1 - share));
        free *= 1 - 1.0 / WORD_BITS;
        j++;
        double term = probability * power(1 - free, words);
        sum += term;
        if (j > keys * share && term < sum * 1e-17)
            break;
    }
    return sum;
}

static double block_rate(double keys, double share, uint32_t words)
{
    double rate;
    if (share >= 1)
        rate = power(at_least_one(keys, 1.0 / WORD_BITS), words);
    else if ((rate = mean_by_powers(keys, share, words)) < SMALL)
        rate = mean_by_counts(keys, share, words);
    /* A key with the lower half of the query's hash in the same block covers it alone. */
    return rate + (1 - rate) * at_least_one(keys * share, 1 / HALVES);
}

/* ---- filters */

/* The blocks by their probability: the upper half of a hash reaches some once more often. */
struct spread {
    double count[2];
    double share[2];
    bool even;
};

static struct spread spread_of(const struct prediction_shape *shape)
{
    uint64_t values = (uint64_t)1 << 32;
    uint64_t blocks = shape->bit_count / ((uint64_t)WORD_BITS * shape->hash_count);
    uint64_t more = values % blocks;
    uint64_t quotient = values / blocks;
    struct spread spread = {.count = {(double)(blocks - more), (double)more},
                            .share = {(double)quotient / HALVES, (double)(quotient + 1) / HALVES},
                            .even = more == 0 || quotient >= EVEN_QUOTIENT};
    if (spread.even) {
        spread.count[0] = (double)blocks;
        spread.share[0] = 1 / (double)blocks;
    }
    return spread;
}

double bloomfilter_blocks_expected(const struct prediction_shape *shape, double keys)
{
    struct spread spread = spread_of(shape);
    double rate = 0;
    for (int i = 0; i < (spread.even ? 1 : 2); i++)
        rate += spread.count[i] * spread.share[i] *
                block_rate(keys, spread.share[i], shape->hash_count);
    return rate;
}

/* How many bits so many keys set on average. */
static double mean_bits_set(const struct spread *spread, uint32_t words, double keys)
{
    double set = 0;
    for (int i = 0; i < 2; i++)
        set +=
            spread->count[i] * WORD_BITS * words * at_least_one(keys, spread->share[i] / WORD_BITS);
    return set;
}

double bloomfilter_blocks_estimated_keys(const struct prediction_shape *shape, double set)
{
    struct spread spread = spread_of(shape);
    double low = 0;
    double high = 1;

    if (set >= (double)shape->bit_count)
        return INFINITY;
    if (spread.even)
        return log1p(-set / (double)shape->bit_count) / log1p(-spread.share[0] / WORD_BITS);
    while (mean_bits_set(&spread, shape->hash_count, high) < set)
        high *= 2;
    for (int i = 0; i < BISECTION_STEPS && low < high; i++) {
        double middle = low + (high - low) / 2;
        if (mean_bits_set(&spread, shape->hash_count, middle) < set)
            low = middle;
        else
            high = middle;
    }
    return high;
}

double bloomfilter_blocks_current(const struct prediction_shape *shape, double set)
{
    double keys = bloomfilter_blocks_estimated_keys(shape, set);
    return isinf(keys) ? 1 : bloomfilter_blocks_expected(shape, keys);
}

/* ---- sizing */

/*
 * Keys per block are counted in these steps. A few thousand rates come out of that for each power
 * of ten, so a rate asked for lies between two of them, where no error of exp in the last digits
 * can change the answer: every machine comes to the same number of blocks.
 */
enum { STEPS = 1024, MAX_KEYS_PER_BLOCK = 512, KEPT_DIGITS = 20 };

/* The rate of very many blocks of so many keys on average: j follows Poisson's law. */
static double poisson_rate(double mean, uint32_t words)
{
    double probability = exp(-mean);
    double free = 1;
    double sum = 0;
    for (double j = 1; j <= mean || probability > sum * 1e-17; j++) {
        probability *= mean / j;
        free *= 1 - 1.0 / WORD_BITS;
        sum += probability * power(1 - free, words);
    }
    return sum + mean / HALVES;
}

/* Rounds a number in (0, 1] up to so few binary digits that the last ones of exp do not matter. */
static double round_up(double value)
{
    int exponent;
    double digits = frexp(value, &exponent);
    return ldexp(ceil(ldexp(digits, KEPT_DIGITS)), exponent - KEPT_DIGITS);
}

double bloomfilter_sizing_block_target_fpr(uint64_t block_count, uint64_t capacity, uint32_t words)
{
    double mean = (double)capacity / (double)block_count;
    double rate = mean > MAX_KEYS_PER_BLOCK ? 1.0 : round_up(poisson_rate(mean, words));
    return fmin(rate, 1.0 - DBL_EPSILON / 2);
}

/* The most steps of keys per block at which the target is met. */
static uint32_t most_steps(double target_fpr, uint32_t words)
{
    uint32_t low = 0;
    uint32_t high = MAX_KEYS_PER_BLOCK * STEPS;
    while (low < high) {
        uint32_t middle = low + (high - low + 1) / 2;
        if (poisson_rate((double)middle / STEPS, words) <= target_fpr)
            low = middle;
        else
            high = middle - 1;
    }
    return low;
}

/*
 * At least so many blocks, as many as half hashes fall on evenly: each has the same number of the
 * 2^32 values, but for fewer blocks than that number, which have one more. INFINITY: too many.
 */
static double even_block_count(uint64_t block_count)
{
    static const uint64_t values = (uint64_t)1 << 32;
    if (block_count > values)
        return INFINITY;
    return (double)(values / (values / block_count));
}

double bloomfilter_sizing_block_count(uint64_t capacity, double target_fpr, uint32_t words)
{
    uint64_t steps = most_steps(target_fpr, words);
    if (steps == 0 || capacity > UINT64_MAX / STEPS - steps)
        return INFINITY;
    return even_block_count((capacity * STEPS + steps - 1) / steps);
}
