/* SPDX-License-Identifier: MIT */
/* Positions independent of each other; docs/false-positive-rate.md derives the formulae. */
#include "sizing/models.h"

#include <stdbool.h>

enum {
    MAX_HASH_COUNT = 255,
    MAX_EXACT_BITS = 512, /* up to here the law of the number of bits set is computed */
    EVEN_QUOTIENT = 4096, /* hash values per bit from which the modulo's bias is nothing */
    BISECTION_STEPS = 200
};

/* The bits by their probability: hash mod bit_count reaches the low ones once more often. */
struct spread {
    double low_bits;
    double low_probability;
    double high_bits;
    double high_probability;
    double reachable;
    bool even; /* all reachable bits alike, as near as makes no difference */
};

static struct spread spread_of(const struct prediction_shape *shape)
{
    uint64_t last = shape->hash_bits >= 64 ? UINT64_MAX : (UINT64_C(1) << shape->hash_bits) - 1;
    uint64_t quotient = last / shape->bit_count;
    uint64_t low = last % shape->bit_count + 1; /* bits 0 .. low - 1 have quotient + 1 values */
    double values = (double)last + (shape->hash_bits >= 64 ? 0.0 : 1.0);
    struct spread spread = {.low_bits = (double)low, .high_bits = (double)(shape->bit_count - low)};

    spread.low_probability = ((double)quotient + 1) / values;
    spread.high_probability = (double)quotient / values;
    spread.reachable = quotient == 0 ? spread.low_bits : (double)shape->bit_count;
    spread.even = quotient == 0 || low == shape->bit_count || quotient >= EVEN_QUOTIENT;
    return spread;
}

/* How many bits are set, on average, after so many hashes. */
static double mean_bits_set(const struct spread *spread, double hashes)
{
    return spread->low_bits * at_least_one(hashes, spread->low_probability) +
           spread->high_bits * at_least_one(hashes, spread->high_probability);
}

/* The probability that a further hash meets a set bit. */
static double mean_hit(const struct spread *spread, double hashes)
{
    if (spread->even)
        return at_least_one(hashes, 1 / spread->reachable);
    return spread->low_bits * spread->low_probability *
               at_least_one(hashes, spread->low_probability) +
           spread->high_bits * spread->high_probability *
               at_least_one(hashes, spread->high_probability);
}

/* The inverse of mean_bits_set, in the form of Swamidass and Baldi where there is one. */
static double estimated_hashes(const struct spread *spread, double set)
{
    double low = 0;
    double high = 1;

    if (set >= spread->reachable)
        return INFINITY;
    if (spread->even)
        return -spread->reachable * log1p(-set / spread->reachable);
    while (mean_bits_set(spread, high) < set)
        high *= 2;
    for (int i = 0; i < BISECTION_STEPS && low < high; i++) {
        double middle = low + (high - low) / 2;
        if (mean_bits_set(spread, middle) < set)
            low = middle;
        else
            high = middle;
    }
    return high;
}

/* distinct[q] = P(hash_count random positions are q distinct ones). */
static void list_distinct(double distinct[], uint32_t hash_count, double bits)
{
    distinct[0] = 1;
    for (uint32_t thrown = 1; thrown <= hash_count; thrown++) {
        distinct[thrown] = 0;
        for (uint32_t q = thrown; q >= 1; q--)
            distinct[q] = distinct[q] * (q / bits) + distinct[q - 1] * fmax(0, 1 - (q - 1) / bits);
        distinct[0] = 0;
    }
}

/* The mean of fill^hash_count, from the law of the number of bits set after each hash. */
static double independent_exact(uint32_t bit_count, uint32_t hash_count, uint32_t hashes)
{
    double law[MAX_EXACT_BITS + 1] = {1};
    double rate = 0;

    for (uint32_t hash = 0; hash < hashes; hash++) {
        for (uint32_t set = bit_count; set >= 1; set--)
            law[set] = (law[set] * set + law[set - 1] * (bit_count - set + 1)) / bit_count;
        law[0] = 0;
    }
    for (uint32_t set = 1; set <= bit_count; set++)
        rate += law[set] * pow((double)set / bit_count, hash_count);
    return rate;
}

/*
 * Bits take each other's hashes: that a bit is set makes it less likely that another is. So q
 * given bits are set with probability fill^q times a factor for each of their pairs.
 */
double bloomfilter_independent_expected(const struct prediction_shape *shape, double keys)
{
    struct spread spread = spread_of(shape);
    double distinct[MAX_HASH_COUNT + 1];
    double hashes = keys * shape->hash_count;
    double fill = mean_hit(&spread, hashes);
    double bits = spread.reachable;
    double rate = 0;
    double pair;

    if (fill >= 1 || bits < 2)
        return 1;
    if (bits <= (double)MAX_EXACT_BITS && hashes <= 8 * bits && spread.even)
        return independent_exact((uint32_t)bits, shape->hash_count, (uint32_t)hashes);
    pair = expm1(hashes * log1p(-1 / ((bits - 1) * (bits - 1))));
    pair = fmax(-1, pair * (1 / fill - 1) * (1 / fill - 1));
    list_distinct(distinct, shape->hash_count, bits);
    for (uint32_t q = 1; q <= shape->hash_count; q++) {
        double pairs = q * (q - 1.0) / 2;
        rate += distinct[q] * exp(q * log(fill) + (q > 1 ? pairs * log1p(pair) : 0));
    }
    return rate;
}

double bloomfilter_independent_current(const struct prediction_shape *shape, double set)
{
    struct spread spread = spread_of(shape);

    if (set >= spread.reachable)
        return 1;
    if (spread.even)
        return pow(set / spread.reachable, shape->hash_count);
    return pow(mean_hit(&spread, estimated_hashes(&spread, set)), shape->hash_count);
}

double bloomfilter_independent_estimated_hashes(const struct prediction_shape *shape, double set)
{
    struct spread spread = spread_of(shape);

    return estimated_hashes(&spread, set);
}
