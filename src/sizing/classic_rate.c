/* SPDX-License-Identifier: MIT */
/*
 * The classic rate, the same to the bit on every machine. It is stored in files, and exp and pow of
 * C libraries differ in the last bit: between libraries, and between processors with and without a
 * fused multiplication. So it is computed here with pairs of doubles, of which the lower one holds
 * what the higher one lost (Dekker, 1971): operations of IEEE 754 alone, in a fixed order. Products
 * and sums have variables of their own, so that no compiler may contract them.
 */
#include <float.h>
#include <math.h>

#include "sizing/sizing.h"

enum { HALVINGS = 8, TERMS = 11 }; /* an error below 2^-100, far less than half a unit */

struct pair {
    double high;
    double low; /* at most half a unit of `high` */
};

/* a + b exactly, when |a| >= |b| or a is 0. */
static struct pair quick_sum(double a, double b)
{
    double sum = a + b;
    double taken = sum - a;
    return (struct pair){sum, b - taken};
}

/* a + b exactly. */
static struct pair exact_sum(double a, double b)
{
    double sum = a + b;
    double b_taken = sum - a;
    double a_taken = sum - b_taken;
    double a_lost = a - a_taken;
    double b_lost = b - b_taken;
    return (struct pair){sum, a_lost + b_lost};
}

/* a * b exactly; fma is one operation, whoever computes it. */
static struct pair exact_product(double a, double b)
{
    double product = a * b;
    return (struct pair){product, fma(a, b, -product)};
}

static struct pair add(struct pair a, struct pair b)
{
    struct pair high = exact_sum(a.high, b.high);
    double low = a.low + b.low;
    return quick_sum(high.high, high.low + low);
}

static struct pair multiply(struct pair a, struct pair b)
{
    struct pair high = exact_product(a.high, b.high);
    double across = a.high * b.low;
    double back = a.low * b.high;
    double low = across + back;
    return quick_sum(high.high, high.low + low);
}

static struct pair divide(struct pair a, double by)
{
    double quotient = a.high / by;
    double rest = fma(-quotient, by, a.high);
    double more = (rest + a.low) / by;
    return quick_sum(quotient, more);
}

static struct pair scale(struct pair a, int exponent)
{
    return (struct pair){ldexp(a.high, exponent), ldexp(a.low, exponent)};
}

/* e^t - 1 for |t| at most ln 2: the series for t / 2^HALVINGS, squared as often, in the form
 * e^(2t) - 1 = (e^t - 1) * (2 + (e^t - 1)), which loses nothing when t is small. */
static struct pair exp_minus_1(struct pair t)
{
    const struct pair one = {1, 0};
    const struct pair two = {2, 0};
    struct pair small = scale(t, -HALVINGS);
    struct pair series = one;
    for (int i = TERMS; i >= 2; i--)
        series = add(one, divide(multiply(small, series), i));
    struct pair result = multiply(small, series);
    for (int i = 0; i < HALVINGS; i++)
        result = multiply(result, add(two, result));
    return result;
}

/* 1 - e^-x, rounded once. */
static double fill_of(double x)
{
    static const struct pair ln_2 = {0x1.62e42fefa39efp-1, 0x1.abc9e3b39803fp-56};
    if (x > 64)
        return 1;
    double halvings = floor(x / ln_2.high);
    struct pair whole = multiply((struct pair){-halvings, 0}, ln_2);
    struct pair rest = add((struct pair){x, 0}, whole); /* x less so many times ln 2 */
    struct pair lost = exp_minus_1((struct pair){-rest.high, -rest.low});
    int exponent = -(int)halvings;
    struct pair kept = {1 - ldexp(1, exponent), 0};
    struct pair gone = scale(lost, exponent);
    struct pair fill = add(kept, (struct pair){-gone.high, -gone.low});
    return fill.high;
}

double bloomfilter_sizing_target_fpr(uint64_t bit_count, uint32_t hash_count, uint64_t capacity)
{
    double hashes = (double)hash_count * (double)capacity;
    double fill = fill_of(hashes / (double)bit_count);
    struct pair rate = {1, 0};
    for (uint32_t i = 0; i < hash_count; i++)
        rate = multiply(rate, (struct pair){fill, 0});
    return fmin(fmax(rate.high, DBL_MIN), 1.0 - DBL_EPSILON / 2);
}
