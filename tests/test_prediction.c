/* SPDX-License-Identifier: MIT */

/*
 * Holds the predicted false positive rates against exact values where there are any, against
 * rates simulated elsewhere, and against filters simulated here, bit by bit.
 */

#include "bitset/split_block.h"
#include "sizing/prediction.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define LENGTH(array) (sizeof(array) / sizeof((array)[0]))

static struct prediction_shape shape(enum position_model model, uint64_t bit_count,
                                     uint32_t hash_count)
{
    return (struct prediction_shape){model, 64, bit_count, hash_count};
}

static double expected(enum position_model model, uint64_t bit_count, uint32_t hash_count,
                       uint64_t key_count)
{
    struct prediction_shape given = shape(model, bit_count, hash_count);

    return bloomfilter_prediction_expected_fpr(&given, key_count);
}

static double current(enum position_model model, uint64_t bit_count, uint32_t hash_count,
                      uint64_t bits_set)
{
    struct prediction_shape given = shape(model, bit_count, hash_count);

    return bloomfilter_prediction_current_fpr(&given, bits_set);
}

static void assert_near(double actual, double wanted, double tolerance, const char *what)
{
    if (!(fabs(actual - wanted) <= tolerance))
        fail_msg("%s: %.6g, not %.6g within %.2g", what, actual, wanted, tolerance);
}

/* ---- Edges ---- */

static const enum position_model models[] = {POSITION_MODEL_INDEPENDENT,
                                             POSITION_MODEL_PROGRESSION};

static struct prediction_shape blocks_of(uint64_t blocks)
{
    return shape(POSITION_MODEL_BLOCKS, 256 * blocks, 8);
}

static void test_empty_filter_has_rate_zero(void **state)
{
    (void)state;
    for (size_t i = 0; i < LENGTH(models); i++) {
        assert_true(expected(models[i], 1, 1, 0) == 0);
        assert_true(expected(models[i], 1000, 7, 0) == 0);
        assert_true(current(models[i], 1000, 7, 0) == 0);
    }
}

static void test_full_filter_has_rate_one(void **state)
{
    (void)state;
    for (size_t i = 0; i < LENGTH(models); i++) {
        assert_true(expected(models[i], 1, 1, 1) == 1);
        assert_true(expected(models[i], 1, 255, 1) == 1);
        assert_true(current(models[i], 1, 1, 1) == 1);
        assert_true(current(models[i], 1000, 7, 1000) == 1);
        assert_near(expected(models[i], 1000, 7, 1000000), 1, 1e-9, "far over capacity");
        assert_near(expected(models[i], UINT64_C(1) << 60, 7, UINT64_MAX), 1, 1e-9, "huge");
    }
}

static void test_more_positions_than_bits(void **state)
{
    (void)state;
    assert_true(expected(POSITION_MODEL_PROGRESSION, 2, 2, 1) == 1);
    assert_true(expected(POSITION_MODEL_PROGRESSION, 7, 255, 1) == 1);
    assert_true(current(POSITION_MODEL_PROGRESSION, 7, 255, 3) < 1e-9);
    assert_near(expected(POSITION_MODEL_INDEPENDENT, 7, 255, 1), 1, 1e-9, "7 bits, 255 hashes");
    assert_true(expected(POSITION_MODEL_PROGRESSION, 200, 255, 5) > 0.5);
}

static void test_rates_are_rates_everywhere(void **state)
{
    static const uint64_t bit_counts[] = {1,
                                          2,
                                          3,
                                          4,
                                          6,
                                          12,
                                          60,
                                          127,
                                          255,
                                          256,
                                          510,
                                          720,
                                          1024,
                                          2520,
                                          720720,
                                          65537,
                                          1 << 30,
                                          UINT64_C(1) << 32,
                                          (UINT64_C(1) << 33) + 7,
                                          UINT64_C(1) << 60};
    static const uint32_t hash_counts[] = {1, 2, 3, 7, 20, 64, 255};
    static const uint64_t key_counts[] = {1, 2, 5, 100, 10000, 1 << 30, UINT64_C(1) << 63};
    static const uint32_t hash_bits[] = {32, 64};

    (void)state;
    for (size_t i = 0; i < LENGTH(bit_counts) * LENGTH(hash_counts) * 4; i++) {
        struct prediction_shape given = {models[i % 2], hash_bits[i / 2 % 2],
                                         bit_counts[i / 4 / LENGTH(hash_counts)],
                                         hash_counts[i / 4 % LENGTH(hash_counts)]};
        for (size_t j = 0; j < LENGTH(key_counts); j++) {
            double rate = bloomfilter_prediction_expected_fpr(&given, key_counts[j]);
            double now = bloomfilter_prediction_current_fpr(&given, given.bit_count / (j + 1));
            double keys = bloomfilter_prediction_estimated_count(&given, given.bit_count / (j + 1));

            assert_true(rate >= 0 && rate <= 1);
            assert_true(now >= 0 && now <= 1);
            assert_true(keys >= 0);
        }
    }
}

static void test_rate_grows_with_keys(void **state)
{
    static const struct {
        uint64_t bit_count;
        uint32_t hash_count;
    } rows[] = {{959, 7}, {1024, 10}, {1260, 13}, {3355, 23}, {9585059, 7}, {97, 5}};

    (void)state;
    for (size_t i = 0; i < LENGTH(rows) * 2; i++) {
        uint64_t bits = rows[i / 2].bit_count;
        uint32_t hashes = rows[i / 2].hash_count;
        double before = 0;

        for (uint64_t step = 1; step <= 60; step++) {
            double rate = expected(models[i % 2], bits, hashes, (bits * step + 299) / 300);
            assert_true(rate >= before * (1 - 1e-12));
            before = rate;
        }
    }
}

/* ---- Exact values ---- */

/* The mean of (bits set / bit_count)^hash_count, from the exact law of the number of bits set. */
static double exact_independent(uint32_t bit_count, uint32_t hash_count, uint32_t key_count)
{
    double law[128] = {1};
    double rate = 0;

    for (uint32_t thrown = 0; thrown < hash_count * key_count; thrown++) {
        for (uint32_t set = bit_count; set >= 1; set--)
            law[set] = (law[set] * set + law[set - 1] * (bit_count - set + 1)) / bit_count;
        law[0] = 0;
    }
    for (uint32_t set = 1; set <= bit_count; set++)
        rate += law[set] * pow((double)set / bit_count, hash_count);
    return rate;
}

static void test_independent_is_nearly_exact(void **state)
{
    static const uint32_t rows[][3] = {{10, 1, 4},   {10, 3, 4},    {64, 4, 10},
                                       {100, 7, 10}, {100, 3, 5},   {100, 5, 30},
                                       {127, 10, 8}, {127, 20, 15}, {127, 40, 8}};

    (void)state;
    for (size_t i = 0; i < LENGTH(rows); i++) {
        double exact = exact_independent(rows[i][0], rows[i][1], rows[i][2]);
        double rate = expected(POSITION_MODEL_INDEPENDENT, rows[i][0], rows[i][1], rows[i][2]);
        assert_near(rate, exact, 0.001 * exact, "independent positions");
    }
}

/* One stored key lets through its own progression and the same one backwards. */
static void test_one_key_is_nearly_exact(void **state)
{
    static const uint32_t primes[] = {101, 251, 1009, 10007};

    (void)state;
    for (size_t i = 0; i < LENGTH(primes); i++) {
        double bits = primes[i];
        double exact = (2 * bits + 3) / (bits * bits * bits); /* step 1 has two chances */
        double rate = expected(POSITION_MODEL_PROGRESSION, primes[i], 9, 1);
        assert_near(rate, exact, 0.03 * exact, "one key");
    }
}

static void test_current_of_independent_is_a_power_of_the_fill(void **state)
{
    (void)state;
    assert_near(current(POSITION_MODEL_INDEPENDENT, 1000, 10, 500), pow(0.5, 10), 1e-15, "half");
    assert_near(current(POSITION_MODEL_INDEPENDENT, 1000, 3, 999), pow(0.999, 3), 1e-12, "full");
}

static void test_large_filters_follow_the_classic_formula(void **state)
{
    static const double loads[] = {0.5, 1, 1.5};
    const uint64_t bits = 9585059;

    (void)state;
    for (size_t i = 0; i < LENGTH(loads) * 2; i++) {
        double keys = 1e6 * loads[i / 2];
        double fill = 1 - exp(-7 * keys / (double)bits);
        double classic = pow(fill, 7);
        uint64_t set = (uint64_t)(fill * (double)bits);

        assert_near(expected(models[i % 2], bits, 7, (uint64_t)keys), classic, 1e-3 * classic,
                    "expected");
        assert_near(current(models[i % 2], bits, 7, set), classic, 1e-3 * classic, "current");
    }
}

static void test_tiny_rates_do_not_vanish(void **state)
{
    double rate = expected(POSITION_MODEL_INDEPENDENT, UINT64_C(1) << 40, 20, 1000);

    (void)state;
    assert_near(log(rate), 20 * log(20.0 * 1000 / ldexp(1, 40)), 0.01, "logarithm");
    assert_true(expected(POSITION_MODEL_PROGRESSION, UINT64_C(1) << 60, 255, 1) > 0);
}

static void test_estimated_count_is_swamidass_and_baldi(void **state)
{
    struct prediction_shape given = shape(POSITION_MODEL_PROGRESSION, 1000, 7);

    (void)state;
    assert_true(bloomfilter_prediction_estimated_count(&given, 0) == 0);
    assert_near(bloomfilter_prediction_estimated_count(&given, 500), 1000 / 7.0 * log(2), 1e-9,
                "half");
    assert_true(isinf(bloomfilter_prediction_estimated_count(&given, 1000)));
}

/* ---- Hashes of few bits ---- */

static void test_bits_past_the_hash_stay_clear(void **state)
{
    struct prediction_shape given = {POSITION_MODEL_INDEPENDENT, 32, UINT64_C(1) << 33, 5};

    (void)state;
    assert_near(bloomfilter_prediction_current_fpr(&given, UINT64_C(1) << 31), pow(0.5, 5), 1e-9,
                "half");
    assert_true(bloomfilter_prediction_current_fpr(&given, UINT64_C(1) << 32) == 1);
    assert_true(isinf(bloomfilter_prediction_estimated_count(&given, UINT64_C(1) << 32)));
    assert_near(bloomfilter_prediction_expected_fpr(&given, UINT64_C(1) << 40), 1, 1e-9,
                "saturated");
    assert_near(bloomfilter_prediction_estimated_count(&given, UINT64_C(1) << 31),
                ldexp(log(2) / 5, 32), 1, "count");
}

/* 3 * 2^30 bits: the first third is reached twice as often as the rest. */
static void test_bias_of_the_modulo(void **state)
{
    struct prediction_shape given = {POSITION_MODEL_INDEPENDENT, 32, UINT64_C(3) << 30, 1};
    double often = 1 - exp(-2.0);
    double seldom = 1 - exp(-1.0);
    double rate = often / 2 + seldom / 2;
    double set = ldexp(often, 30) + ldexp(seldom, 31);

    (void)state;
    assert_near(bloomfilter_prediction_expected_fpr(&given, UINT64_C(1) << 32), rate, 1e-6,
                "expected");
    assert_near(bloomfilter_prediction_current_fpr(&given, (uint64_t)set), rate, 1e-6, "current");
    assert_near(bloomfilter_prediction_estimated_count(&given, (uint64_t)set), ldexp(1, 32), 10,
                "count");
    given.hash_count = 4;
    assert_near(bloomfilter_prediction_expected_fpr(&given, UINT64_C(1) << 30), pow(rate, 4), 1e-6,
                "power");
}

/* ---- Blocks ---- */

static double expected_of_blocks(uint64_t blocks, uint64_t keys)
{
    return expected(POSITION_MODEL_BLOCKS, 256 * blocks, 8, keys);
}

/* The probability of a key whose block holds so many. */
static double rate_of_block(uint64_t keys)
{
    double rate = pow(1 - pow(31 / 32.0, (double)keys), 8);
    return rate + (1 - rate) * (1 - pow(1 - ldexp(1, -32), (double)keys));
}

static void test_one_block_is_exact(void **state)
{
    (void)state;
    for (uint64_t keys = 1; keys < 2000; keys = keys * 3 / 2 + 1)
        assert_near(expected_of_blocks(1, keys), rate_of_block(keys), 1e-9 * rate_of_block(keys),
                    "one block");
}

/* Every distribution of the keys over the blocks, by its probability: that of a block is binomial. */
static void test_few_blocks_are_exact(void **state)
{
    (void)state;
    for (uint64_t blocks = 2; blocks <= 9; blocks++)
        for (uint64_t keys = 1; keys <= 400; keys = keys * 2 + 1) {
            double rate = 0;
            for (uint64_t j = 1; j <= keys; j++)
                rate += exp(lgamma((double)keys + 1) - lgamma((double)j + 1) -
                            lgamma((double)(keys - j) + 1) - (double)j * log((double)blocks) +
                            (double)(keys - j) * log1p(-1 / (double)blocks)) *
                        rate_of_block(j);
            assert_near(expected_of_blocks(blocks, keys), rate, 1e-6 * rate, "few blocks");
        }
}

static void test_rate_of_blocks_grows_without_a_step(void **state)
{
    double before = 0;
    (void)state;
    for (uint64_t keys = 100; keys < 100000000; keys += keys / 20) {
        double rate = expected_of_blocks(100000, keys);
        assert_true(rate > before || rate == 1);
        assert_true(before == 0 || rate < before * 1.6);
        before = rate;
    }
    assert_near(before, 1, 1e-9, "full");
}

static void test_count_of_blocks_is_the_inverse_of_the_mean(void **state)
{
    static const uint64_t counts[] = {
        1, 2, 1000, 1 << 20, UINT64_C(1) << 31, UINT64_C(3) << 30, UINT64_C(1) << 32};
    (void)state;
    for (size_t i = 0; i < LENGTH(counts); i++) {
        struct prediction_shape given = blocks_of(counts[i]);
        for (double load = 0.5; load < 100; load *= 2) {
            /* 3 * 2^30 blocks: two thirds of them have one value of half a hash, the others two. */
            double keys = load * (double)counts[i];
            double clear = counts[i] == UINT64_C(3) << 30
                               ? (2 * exp(-keys / ldexp(32, 32)) + exp(-keys / ldexp(16, 32))) / 3
                               : exp(keys * log1p(-1 / (32 * (double)counts[i])));
            double set = (1 - clear) * 256 * (double)counts[i];
            if (set + 1 >= 256 * (double)counts[i])
                continue;
            double found = bloomfilter_prediction_estimated_count(&given, (uint64_t)set);
            assert_near(found, keys, 1e-9 * keys + 0.2 / clear, "count");
            double rate = bloomfilter_prediction_current_fpr(&given, (uint64_t)set);
            double wanted = expected_of_blocks(counts[i], (uint64_t)keys);
            if (keys > 1000)
                assert_near(rate, wanted, 0.01 * wanted, "current");
        }
        assert_true(isinf(bloomfilter_prediction_estimated_count(&given, given.bit_count)));
        assert_true(bloomfilter_prediction_current_fpr(&given, given.bit_count) == 1);
        assert_true(bloomfilter_prediction_current_fpr(&given, 0) == 0);
    }
}

/* Low targets: what is left is that two keys have the same lower half and the same block. */
static void test_blocks_of_very_few_keys(void **state)
{
    double rate = expected_of_blocks(1000000, 1000);
    (void)state;
    assert_near(rate, ldexp(1e-3, -32), 0.01 * rate, "half hashes");
}

/* ---- Rates simulated before: perfect random hashes, progressions ---- */

static void test_against_recorded_simulations(void **state)
{
    static const struct {
        uint64_t key_count;
        uint64_t bit_count;
        uint32_t hash_count;
        double rate;
        double standard_error;
    } rows[] = {
        {1000, 14378, 10, 1.051e-3, 8e-6},    {100, 1918, 13, 4.46e-4, 3e-6},
        {100, 3355, 23, 9.30e-5, 7e-7},       {1000, 28756, 20, 2.33e-5, 4e-7},
        {1000, 38341, 27, 4.44e-6, 1e-7},     {10000, 287552, 20, 3.05e-6, 1e-7},
        {10000, 383403, 27, 1.12e-6, 4e-8},   {100, 959, 7, 1.055e-2, 3e-5},
        {100000, 2396265, 17, 1.05e-5, 3e-7},
    };

    (void)state;
    for (size_t i = 0; i < LENGTH(rows); i++) {
        double rate = expected(POSITION_MODEL_PROGRESSION, rows[i].bit_count, rows[i].hash_count,
                               rows[i].key_count);
        assert_near(rate, rows[i].rate, 0.02 * rows[i].rate + 3 * rows[i].standard_error,
                    "recorded simulation");
    }
}

/* ---- Filters simulated here ---- */

struct simulation {
    uint32_t bit_count;
    uint32_t hash_count;
    uint32_t key_count;
    uint32_t filters;
    double tolerance;    /* relative, beside the standard error */
    bool plain_is_wrong; /* fill^hash_count lies clearly outside */
};

static uint64_t random_state;

/* splitmix64 (Steele, Lea and Flood). */
static uint64_t random_number(void)
{
    uint64_t z = (random_state += UINT64_C(0x9E3779B97F4A7C15));

    z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
    return z ^ (z >> 31);
}

static uint32_t greatest_common_divisor(uint32_t a, uint32_t b)
{
    return b == 0 ? a : greatest_common_divisor(b, a % b);
}

/* Stores random progressions and returns how many bits are set. */
static uint32_t build_filter(unsigned char *cells, const struct simulation *given)
{
    uint32_t set = 0;

    memset(cells, 0, given->bit_count);
    for (uint32_t key = 0; key < given->key_count; key++) {
        uint32_t position = (uint32_t)(random_number() % given->bit_count);
        uint32_t step = (uint32_t)(random_number() % given->bit_count);

        step = step == 0 ? 1 : step;
        for (uint32_t i = 0; i < given->hash_count; i++) {
            set += cells[position] == 0;
            cells[position] = 1;
            position = (position + step) % given->bit_count;
        }
    }
    return set;
}

/* How many of the bit_count queries with this step are answered "possibly present". */
static uint64_t passing_queries(const unsigned char *cells, const struct simulation *given,
                                uint32_t step)
{
    uint32_t cycles = greatest_common_divisor(step, given->bit_count);
    uint32_t length = given->bit_count / cycles;
    uint32_t needed = given->hash_count < length ? given->hash_count : length;
    uint64_t passing = 0;

    for (uint32_t start = 0; start < cycles; start++) {
        uint32_t position = start;
        uint32_t run = 0;

        for (uint32_t i = 1; i < length + needed; i++) {
            run = cells[position] ? run + 1 : 0;
            passing += i >= needed && run >= needed;
            position += step;
            position -= position >= given->bit_count ? given->bit_count : 0;
        }
    }
    return passing;
}

/* The exact rate of a filter, all queries tried; a step and its negative pass alike. */
static double filter_rate(const unsigned char *cells, const struct simulation *given)
{
    uint32_t bits = given->bit_count;
    double passing = (double)passing_queries(cells, given, 1); /* step 0 becomes 1 */

    for (uint32_t step = 1; step <= bits / 2; step++) {
        uint64_t twins = step * 2 == bits ? 1 : 2;
        passing += (double)(twins * passing_queries(cells, given, step));
    }
    return passing / bits / bits;
}

static void check_simulation(const struct simulation *given)
{
    unsigned char *cells = malloc(given->bit_count);
    double bits = given->bit_count;
    double mean = 0;
    double squares = 0;
    double mean_current = 0;

    assert_non_null(cells);
    random_state = given->bit_count;
    for (uint32_t i = 1; i <= given->filters; i++) {
        uint32_t set = build_filter(cells, given);
        double rate = filter_rate(cells, given);
        double change = rate - mean;

        mean += change / i;
        squares += change * (rate - mean);
        mean_current +=
            (current(POSITION_MODEL_PROGRESSION, given->bit_count, given->hash_count, set) -
             mean_current) /
            i;
    }
    free(cells);

    double error = sqrt(squares / (given->filters - 1.0) / given->filters);
    double allowed = given->tolerance * mean + 3 * error;
    double predicted =
        expected(POSITION_MODEL_PROGRESSION, given->bit_count, given->hash_count, given->key_count);
    double fill = 1 - pow(1 - 1 / bits, (double)given->hash_count * given->key_count);
    double plain = pow(fill, given->hash_count);

    print_message("m=%u k=%u n=%u: simulated %.4g (s.e. %.1f %%), expected %.3f, current %.3f, "
                  "plain %.3f times that\n",
                  given->bit_count, given->hash_count, given->key_count, mean, 100 * error / mean,
                  predicted / mean, mean_current / mean, plain / mean);
    assert_near(predicted, mean, allowed, "expected rate");
    assert_near(mean_current, mean, allowed, "mean of the current rates");
    if (given->plain_is_wrong)
        assert_true(fabs(plain - mean) > allowed);
}

static void test_against_simulation(void **state)
{
    static const struct simulation rows[] = {
        {97, 5, 13, 5000, 0.02, true},    {251, 7, 25, 1000, 0.02, true},
        {256, 4, 60, 1000, 0.02, false},  {360, 20, 12, 600, 0.04, true},
        {719, 10, 50, 200, 0.03, true},   {1000, 50, 30, 100, 0.05, true},
        {1009, 7, 60, 100, 0.03, true},   {1024, 10, 40, 100, 0.03, true},
        {1024, 7, 220, 100, 0.03, false}, {1260, 13, 67, 80, 0.04, true},
        {1511, 20, 35, 60, 0.04, true},   {2520, 5, 350, 20, 0.03, false},
    };

    (void)state;
    for (size_t i = 0; i < LENGTH(rows); i++)
        check_simulation(&rows[i]);
}

/* Independent hashes of 10 bits and 700 bits to reach, 324 of them twice as often. */
static void test_biased_hashes_against_simulation(void **state)
{
    struct prediction_shape given = {POSITION_MODEL_INDEPENDENT, 10, 700, 4};
    double mean = 0;
    double mean_current = 0;

    (void)state;
    random_state = 1;
    for (int filter = 1; filter <= 4000; filter++) {
        unsigned char cells[700] = {0};
        uint32_t set = 0;
        uint32_t passing = 0;

        for (int i = 0; i < 4 * 120; i++)
            cells[random_number() % 1024 % 700] = 1;
        for (uint32_t hash = 0; hash < 1024; hash++) {
            passing += cells[hash % 700];
            set += hash < 700 && cells[hash];
        }
        mean += (pow(passing / 1024.0, 4) - mean) / filter;
        mean_current += (bloomfilter_prediction_current_fpr(&given, set) - mean_current) / filter;
    }
    assert_near(bloomfilter_prediction_expected_fpr(&given, 120), mean, 0.01 * mean, "expected");
    assert_near(mean_current, mean, 0.01 * mean, "current");
}

/*
 * The layout itself, with random hashes: what its factors make of half a hash, and not eight
 * independent numbers.
 */
static void simulate_blocks(uint64_t blocks, uint64_t keys, uint64_t probes, int filters,
                            double tolerance)
{
    struct prediction_shape given = blocks_of(blocks);
    const struct block_kernel *kernel = &bloomfilter_split_block_portable;
    size_t size = (size_t)blocks * SPLIT_BLOCK_BYTES;
    uint8_t *cells = aligned_alloc(64, (size + 63) / 64 * 64);
    double found = 0;
    double mean_current = 0;

    assert_non_null(cells);
    random_state = blocks;
    for (int filter = 1; filter <= filters; filter++) {
        memset(cells, 0, size);
        for (uint64_t key = 0; key < keys; key++)
            kernel->add(cells, given.bit_count, random_number());
        for (uint64_t probe = 0; probe < probes; probe++)
            found += kernel->contains(cells, given.bit_count, random_number());
        uint64_t set = bloomfilter_bitset_flat.bits_set(cells, given.bit_count);
        mean_current += (bloomfilter_prediction_current_fpr(&given, set) - mean_current) / filter;
    }
    double wanted = bloomfilter_prediction_expected_fpr(&given, keys);
    double asked = (double)probes * filters;
    double error = sqrt(wanted / asked);
    assert_near(found / asked, wanted, tolerance * wanted + 3 * error, "expected");
    /* The mean of a convex function of the bits set is above that of their mean: few blocks show it. */
    assert_near(mean_current, wanted, (0.02 + 0.04 / (double)blocks) * wanted, "current");
    free(cells);
}

static void test_blocks_against_simulation(void **state)
{
    (void)state;
    simulate_blocks(1, 20, 1000, 3000, 0.01);
    simulate_blocks(7, 170, 2000, 2000, 0.01);
    simulate_blocks(1000, 24300, 100000, 60, 0.01);
    simulate_blocks(1000, 12000, 100000, 60, 0.02);
    simulate_blocks(1000, 60000, 100000, 10, 0.01);
    simulate_blocks(4096, 62000, 1000000, 10, 0.02);
    simulate_blocks(4096, 40000, 4000000, 5, 0.02);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_empty_filter_has_rate_zero),
        cmocka_unit_test(test_full_filter_has_rate_one),
        cmocka_unit_test(test_more_positions_than_bits),
        cmocka_unit_test(test_rates_are_rates_everywhere),
        cmocka_unit_test(test_rate_grows_with_keys),
        cmocka_unit_test(test_independent_is_nearly_exact),
        cmocka_unit_test(test_one_key_is_nearly_exact),
        cmocka_unit_test(test_current_of_independent_is_a_power_of_the_fill),
        cmocka_unit_test(test_large_filters_follow_the_classic_formula),
        cmocka_unit_test(test_tiny_rates_do_not_vanish),
        cmocka_unit_test(test_estimated_count_is_swamidass_and_baldi),
        cmocka_unit_test(test_bits_past_the_hash_stay_clear),
        cmocka_unit_test(test_bias_of_the_modulo),
        cmocka_unit_test(test_one_block_is_exact),
        cmocka_unit_test(test_few_blocks_are_exact),
        cmocka_unit_test(test_rate_of_blocks_grows_without_a_step),
        cmocka_unit_test(test_count_of_blocks_is_the_inverse_of_the_mean),
        cmocka_unit_test(test_blocks_of_very_few_keys),
        cmocka_unit_test(test_blocks_against_simulation),
        cmocka_unit_test(test_against_recorded_simulations),
        cmocka_unit_test(test_against_simulation),
        cmocka_unit_test(test_biased_hashes_against_simulation),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
