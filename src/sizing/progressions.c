/* SPDX-License-Identifier: MIT */
/*
 * docs/false-positive-rate.md derives what is computed here, in the same words.
 *
 * In short: if every stored key hit every position of a query independently, the rate would be
 * the base, fill^k or close to it. A progression hits several of them at a time instead, which
 * leaves the mean as it is and raises the chance that one key covers most of the query. So
 *
 *     rate = base + keys * (E[gain of a progression's overlap] - E[gain of an independent one])
 *
 * where the overlap is the number of the query's positions that one stored key also has. For a
 * query of a short cycle its law has a closed form. Otherwise it is counted where two steps
 * generate a small group; elsewhere overlaps are chains, and a sum over those is as good.
 */

#include "sizing/models.h"

#include <stdbool.h>

static const double NEGLIGIBLE = 1e-4;

enum {
    MAX_HASH_COUNT = 255,
    MAX_GROUP = 1024 /* no larger group is counted: this bounds the time */
};

struct progressions {
    uint64_t bit_count;
    uint32_t hash_count;
    double bits;                        /* bit_count */
    double keys;                        /* stored keys */
    double hit;                         /* P(a key sets a given bit) */
    double covered[MAX_HASH_COUNT + 1]; /* [j]: P(j bits are set), independent hits, all keys */
    double rest[MAX_HASH_COUNT + 1];    /* [j]: the same, all keys but one */
};

/* ---- Whole numbers ---- */

static uint32_t greatest_common_divisor(uint32_t a, uint32_t b)
{
    while (b != 0) {
        uint32_t remainder = a % b;
        a = b;
        b = remainder;
    }
    return a;
}

static uint32_t smaller(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

/* How many of 1 .. number share no factor with number. */
static uint32_t totient(uint32_t number)
{
    uint32_t result = number;

    for (uint32_t prime = 2; prime * prime <= number; prime++) {
        if (number % prime == 0)
            result -= result / prime;
        while (number % prime == 0)
            number /= prime;
    }
    return number > 1 ? result - result / number : result;
}

/* 0 if a square divides number, else 1 or -1 for an even or odd number of prime factors. */
static int moebius(uint32_t number)
{
    int sign = 1;

    for (uint32_t prime = 2; prime * prime <= number; prime++) {
        if (number % prime == 0) {
            number /= prime;
            sign = -sign;
        }
        if (number % prime == 0)
            return 0;
    }
    return number > 1 ? -sign : sign;
}

/* ---- Steps: one of order r visits r bits before it comes back, r dividing bit_count ---- */

/* Step 0 is replaced by step 1, whose order is bit_count. */
static double order_probability(const struct progressions *all, uint32_t order)
{
    double steps = totient(order);

    if (all->bit_count == 1)
        return 1;
    if (order == 1)
        steps = 0;
    else if (order == all->bit_count)
        steps += 1;
    return steps / all->bits;
}

/* The mean of value(size) over the query's step, where size is its number of distinct positions. */
static double mean_over_orders(const struct progressions *all,
                               double (*value)(const struct progressions *all, uint32_t size))
{
    double remaining = 1;
    double mean = 0;

    for (uint32_t order = 1; order < all->hash_count && order <= all->bit_count; order++) {
        if (all->bit_count % order == 0) {
            double probability = order_probability(all, order);
            mean += probability * value(all, order);
            remaining -= probability;
        }
    }
    if (all->bit_count >= all->hash_count)
        mean += remaining * value(all, all->hash_count);
    return mean;
}

static double distinct_positions(const struct progressions *all, uint32_t size)
{
    (void)all;
    return size;
}

static double covered_by_all(const struct progressions *all, uint32_t size)
{
    return all->covered[size];
}

/* ---- Gain of an overlap ---- */

/* How much a further unit of overlap adds to what the one before it added. */
static double curvature(const struct progressions *all, uint32_t size, uint32_t overlap)
{
    const double *left = all->rest + size - overlap;

    return left[0] - 2 * left[1] + left[2];
}

/*
 * What is won when one key covers `overlap` of a query's `size` positions and the rest of the keys
 * need not, less the part in proportion to the overlap: the mean overlap is the same for every
 * law, so that part cancels, and left in it would drown the difference in rounding.
 */
static double gain(const struct progressions *all, uint32_t size, uint32_t overlap)
{
    const double *rest = all->rest;

    if (overlap < 2)
        return 0;
    return rest[size - overlap] - rest[size] - overlap * (rest[size - 1] - rest[size]);
}

/* E[gain] of independent hits: by definition they lead from rest[] to covered[]. */
static double independent_gain(const struct progressions *all, uint32_t size)
{
    const double *rest = all->rest;

    if (size < 2)
        return 0;
    if (all->bits > 1e9) { /* the difference below would be rounding; pairs are all that is left */
        double pairs = size * (size - 1.0) / 2;
        return pairs * all->hit * all->hit * curvature(all, size, 2);
    }
    return all->covered[size] - rest[size] - size * all->hit * (rest[size - 1] - rest[size]);
}

/* ---- Overlaps with queries of a short cycle ---- */

/*
 * E[gain] over the stored steps of order `stored`, for a query that has all positions of a cycle
 * of `order` < hash_count. Every c-th addition of the stored step leads back into the same coset
 * of that cycle, so the overlap is size / c, rounded up or down.
 */
static double cycle_gain(const struct progressions *all, uint32_t order, uint32_t stored)
{
    uint32_t size = smaller(all->hash_count, stored);
    uint32_t c = stored / greatest_common_divisor(order, stored);
    double reached = (double)order * c / all->bits; /* P(the cycle is among those the key meets) */
    double up = (double)(size % c) / c;

    return reached * ((1 - up) * gain(all, order, size / c) +
                      (up > 0 ? up * gain(all, order, size / c + 1) : 0));
}

static double all_cycles_gain(const struct progressions *all)
{
    uint32_t hash_count = all->hash_count;
    double sum = 0;

    /* A stored step of an order over hash_count * order meets the cycle once at most. */
    for (uint32_t stored = 1; stored < hash_count * hash_count; stored++) {
        if (all->bit_count % stored != 0) /* so if it is the larger one, too */
            continue;
        double probability = order_probability(all, stored);
        for (uint32_t order = 2; order < hash_count && order <= all->bit_count; order++)
            if (all->bit_count % order == 0)
                sum += order_probability(all, order) * probability * cycle_gain(all, order, stored);
    }
    return sum;
}

/* ---- Overlaps in small groups, counted one by one ---- */

/* A progression within a group of `group` numbers, added modulo `group`. */
struct walk {
    uint32_t step;
    uint32_t order;
    uint32_t size; /* distinct positions */
};

/* histogram[t] = at how many of the `group` relative offsets the two walks share t positions. */
static void count_overlaps(uint32_t histogram[], uint32_t group, struct walk query,
                           struct walk stored)
{
    unsigned char asked[MAX_GROUP] = {0};
    unsigned char path[MAX_GROUP + MAX_HASH_COUNT]; /* asked[], in the order of the stored walk */

    for (uint32_t i = 0; i < query.size; i++)
        asked[i * query.step] = 1;
    for (uint32_t t = 0; t <= MAX_HASH_COUNT; t++)
        histogram[t] = 0;
    for (uint32_t start = 0; start < group / stored.order; start++) {
        uint32_t position = start;
        uint32_t overlap = 0;

        for (uint32_t i = 0; i < stored.order + stored.size; i++) {
            path[i] = asked[position];
            position += stored.step;
            position -= position >= group ? group : 0;
        }
        for (uint32_t i = 0; i < stored.size; i++)
            overlap += path[i];
        for (uint32_t i = 0; i < stored.order; i++) {
            histogram[overlap]++;
            overlap = overlap + path[i + stored.size] - path[i];
        }
    }
}

/* The mean gain over all bit_count offsets; those outside the group have none. */
static double walk_pair_gain(const struct progressions *all, uint32_t group, struct walk query,
                             struct walk stored)
{
    uint32_t histogram[MAX_HASH_COUNT + 1];
    double sum = 0;

    count_overlaps(histogram, group, query, stored);
    for (uint32_t overlap = 2; overlap <= query.size; overlap++)
        if (histogram[overlap] != 0)
            sum += histogram[overlap] * gain(all, query.size, overlap);
    return sum / all->bits;
}

/* P(a step has this order, and another one this order and, of the possible ratios, this one). */
static double ratio_probability(const struct progressions *all, uint32_t order, uint32_t other,
                                uint32_t ratio)
{
    if (other == all->bit_count && other > 1) /* step 1 is twice as likely as any other */
        return (totient(order) + (ratio == 1 ? 3.0 : 2.0)) / (all->bits * all->bits);
    return order_probability(all, order) * order_probability(all, other) / totient(other);
}

/*
 * E[gain] over the pairs of steps of these orders, order >= other, that generate a group. The
 * query's order is at least hash_count; if both are, either can be the query's.
 */
static double order_pair_gain(const struct progressions *all, uint32_t group, uint32_t order,
                              uint32_t other)
{
    uint32_t size = all->hash_count;
    struct walk one = {group / order, order, size};
    struct walk two = {group / other % group, other, smaller(size, other)};
    double ways = other >= size && other < order ? 2 : 1;
    double sum = 0;

    if (other <= size) { /* it goes all the way round, whatever the ratio */
        return ways * order_probability(all, order) * order_probability(all, other) *
               walk_pair_gain(all, group, one, two);
    }
    for (uint32_t ratio = 1; ratio <= other / 2; ratio++) {
        if (greatest_common_divisor(ratio, other) == 1) {
            uint32_t negative = other - ratio; /* the same overlaps, seen from the other end */
            double probability = ratio_probability(all, order, other, ratio);

            if (negative != ratio)
                probability += ratio_probability(all, order, other, negative);
            two.step = ratio * (group / other);
            sum += probability * walk_pair_gain(all, group, one, two);
        }
    }
    return ways * sum;
}

static double group_gain(const struct progressions *all, uint32_t group)
{
    double sum = 0;

    for (uint32_t order = all->hash_count; order <= group; order++) {
        for (uint32_t other = 1; group % order == 0 && other <= order; other++)
            if (group % other == 0 &&
                order / greatest_common_divisor(order, other) * other == group)
                sum += order_pair_gain(all, group, order, other);
    }
    return sum;
}

/*
 * Chains are no good for a group of less than hash_count^2, where two steps give rise to several,
 * and worse where a key goes half way round. But the smaller the group's share of the bits, the
 * rarer it is: two steps in it and two first positions in one coset have probability share^3, to
 * be held against that of the same progression twice, 2 / bits^2.
 */
static bool is_counted(const struct progressions *all, uint32_t group)
{
    uint32_t hash_count = all->hash_count;
    uint64_t cosets = all->bit_count / group;

    if (all->bit_count % group != 0 || pow(group, 3) < NEGLIGIBLE * all->bits)
        return false;
    return group <= 2 * hash_count || (group <= 4 * hash_count && cosets < 64) ||
           (group <= hash_count * hash_count && cosets < 16);
}

/* ---- Overlaps in large groups: chains ---- */

/*
 * chains[h]: how many ratios of steps u : v there are with common spacing h, i.e. with
 * greatest common divisor h, counted by inclusion and exclusion over the multiples of h.
 */
static void list_chains(const struct progressions *all, double chains[])
{
    for (uint32_t spacing = 1; spacing < all->hash_count; spacing++) {
        chains[spacing] = 0;
        for (uint32_t torsion = 1; torsion <= spacing; torsion++)
            if (spacing % torsion == 0 && all->bit_count % torsion == 0)
                chains[spacing] += (double)totient(torsion) * moebius(spacing / torsion);
    }
}

/* Takes out the chains of pairs of steps that generate this group. */
static void remove_chains(const struct progressions *all, double chains[], uint32_t group)
{
    for (uint32_t spacing = 1; spacing < all->hash_count; spacing++) {
        for (uint32_t torsion = 1; torsion <= spacing && torsion <= group; torsion++) {
            if (spacing % torsion == 0 && group % torsion == 0) {
                double pairs = (double)totient(torsion) * torsion * totient(group / torsion);
                chains[spacing] -= pairs * moebius(spacing / torsion) / all->bits;
            }
        }
    }
}

/* In how many ways a walk of hash_count positions holds two that are a multiple of gap apart. */
static double spaced_pairs(uint32_t hash_count, uint32_t gap)
{
    double multiples = (hash_count - 1) / gap;

    return multiples * hash_count - gap * multiples * (multiples + 1) / 2;
}

/* E[gain] of a query of `size` positions in a row; equal_share is what chains 1 : 1 count for. */
static double chain_gain(const struct progressions *all, const double chains[], uint32_t size,
                         double equal_share)
{
    double sum = 0;

    for (uint32_t length = 2; length <= size; length++) {
        double equal = (size - length + 1.0) * (all->hash_count - length + 1.0);
        double starts = (equal_share - 1) * equal;

        for (uint32_t spacing = 1; spacing * (length - 1) < size; spacing++) {
            uint32_t gap = spacing * (length - 1);
            starts +=
                chains[spacing] * spaced_pairs(size, gap) * spaced_pairs(all->hash_count, gap);
        }
        sum += starts * curvature(all, size, length);
    }
    return sum * 2 / all->bits / all->bits;
}

/*
 * Two keys together: where one has the query's step, or its negative, what it leaves uncovered is
 * a shorter progression, and another key is as likely to overlap with that. If both have the
 * query's step, either can be the first, so those pairs count half.
 */
static double second_key_gain(const struct progressions *all, const double chains[])
{
    double sum = 0;

    for (uint32_t left = 2; left + 2 <= all->hash_count; left++)
        sum += chain_gain(all, chains, left, 0.5) - independent_gain(all, left);
    return all->keys > 1 ? sum * 4 * (all->keys - 1) / all->bits / all->bits : 0;
}

static double overlap_gain(const struct progressions *all)
{
    double chains[MAX_HASH_COUNT];
    double sum;

    list_chains(all, chains);
    sum = all_cycles_gain(all) + second_key_gain(all, chains);
    for (uint32_t group = 1; group <= MAX_GROUP && group <= all->bit_count; group++) {
        if (is_counted(all, group)) {
            sum += group_gain(all, group);
            remove_chains(all, chains, group);
        }
    }
    return sum + chain_gain(all, chains, all->hash_count, 1);
}

/* ---- Rates of progressions ---- */

static struct progressions describe(const struct prediction_shape *shape)
{
    struct progressions all = {.bit_count = shape->bit_count,
                               .hash_count = shape->hash_count,
                               .bits = (double)shape->bit_count};

    all.hit = mean_over_orders(&all, distinct_positions) / all.bits;
    return all;
}

static double progression_rate(const struct progressions *all)
{
    double base = mean_over_orders(all, covered_by_all);
    double per_key = overlap_gain(all) - mean_over_orders(all, independent_gain);

    if (per_key < 0) /* losses multiply: taken off in one piece they could lead below 0 */
        return base * exp(all->keys * log1p(fmax(-1, per_key / base)));
    return base + all->keys * per_key;
}

/* powers[j] = P(j given bits are set) when each is with probability fill. */
static void list_powers(double powers[], double fill)
{
    powers[0] = 1;
    for (uint32_t j = 1; j <= MAX_HASH_COUNT; j++)
        powers[j] = powers[j - 1] * fill;
}

/* The same when exactly `set` of `bits` are, no matter which. */
static void list_falling_powers(double powers[], double set, double bits)
{
    powers[0] = 1;
    for (uint32_t j = 0; j < MAX_HASH_COUNT; j++)
        powers[j + 1] = set > j && bits > j ? powers[j] * ((set - j) / (bits - j)) : 0;
}

double bloomfilter_progression_expected(const struct prediction_shape *shape, double keys)
{
    struct progressions all = describe(shape);
    double fill = at_least_one(keys, all.hit);

    if (fill >= 1)
        return 1;
    all.keys = keys;
    list_powers(all.covered, fill);
    list_powers(all.rest, at_least_one(keys - 1, all.hit));
    return progression_rate(&all);
}

double bloomfilter_progression_current(const struct prediction_shape *shape, double set)
{
    struct progressions all = describe(shape);

    if (set >= all.bits)
        return 1;
    list_falling_powers(all.covered, set, all.bits);
    if (set < fmin(all.hash_count, all.bits)) /* no key fits in, but one of a short cycle */
        return mean_over_orders(&all, covered_by_all);
    all.keys = fmax(1, log1p(-set / all.bits) / log1p(-all.hit));
    list_falling_powers(all.rest, set - all.hit * all.bits, all.bits - all.hit * all.bits);
    return progression_rate(&all);
}
