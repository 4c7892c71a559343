/* SPDX-License-Identifier: MIT */
/*
 * The promised rate is the measured one: whole filters, filled through the public interface and
 * asked for millions of random keys that were not added. The seeds are fixed, so each run asks for
 * the same keys and comes to the same figures, whatever the threads do.
 */
#include "support.h"

#include <inttypes.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "support/bytes.h"

/* ---- Random keys: xoshiro256++, published by Blackman and Vigna in 2019 ---- */

struct random {
    uint64_t state[4];
};

static uint64_t rotate_left(uint64_t value, int by)
{
    return value << by | value >> (64 - by);
}

static uint64_t next_random(struct random *random)
{
    uint64_t *s = random->state;
    uint64_t result = rotate_left(s[0] + s[3], 23) + s[0];
    uint64_t shifted = s[1] << 17;
    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= shifted;
    s[3] = rotate_left(s[3], 45);
    return result;
}

static struct random random_of(uint64_t seed)
{
    struct random random = {{seed, ~seed, seed * 0x9e3779b97f4a7c15u, 1}};
    for (int i = 0; i < 32; i++)
        next_random(&random);
    return random;
}

/* ---- Batches: keys that are added and keys that are only asked for differ in their first byte,
 * and in their size from those of bloomfilter_measure_fpr ---- */

enum { BATCH = 128, KEY_SIZE = 17, ADDED = 'a', PROBE = 'p' };

struct batch {
    uint8_t bytes[BATCH][KEY_SIZE];
    const void *keys[BATCH];
    size_t key_sizes[BATCH];
};

static void start_batch(struct batch *batch, uint8_t kind)
{
    for (size_t j = 0; j < BATCH; j++) {
        batch->bytes[j][0] = kind;
        batch->keys[j] = batch->bytes[j];
        batch->key_sizes[j] = KEY_SIZE;
    }
}

static void fill_batch(struct batch *batch, struct random *random, size_t count)
{
    for (size_t j = 0; j < count; j++) {
        bytes_store_le(batch->bytes[j] + 1, next_random(random), 8);
        bytes_store_le(batch->bytes[j] + 9, next_random(random), 8);
    }
}

/* ---- Asking, in threads ---- */

enum { THREADS = 2 };

/* A sequence of random keys to ask for, and how many were found. */
struct questions {
    const bloomfilter *filter;
    uint8_t kind;
    struct random random;
    uint64_t count;
    uint64_t found;
    int code;
    pthread_t thread;
};

static void *ask(void *argument)
{
    struct questions *questions = argument;
    struct batch batch;
    uint8_t found[BATCH];
    start_batch(&batch, questions->kind);
    for (uint64_t left = questions->count; left != 0;) {
        size_t count = left < BATCH ? (size_t)left : BATCH;
        fill_batch(&batch, &questions->random, count);
        questions->code |=
            bloomfilter_contains_many(questions->filter, count, batch.keys, batch.key_sizes, found);
        for (size_t j = 0; j < count; j++)
            questions->found += found[j];
        left -= count;
    }
    return NULL;
}

/* The rate at which `probes` random keys are found. */
static double measure(const bloomfilter *filter, uint64_t probes, uint64_t seed)
{
    struct questions questions[THREADS];
    uint64_t found = 0;
    for (unsigned i = 0; i < THREADS; i++) {
        questions[i] = (struct questions){.filter = filter,
                                          .kind = PROBE,
                                          .random = random_of(seed + i),
                                          .count = probes / THREADS};
        assert_int_equal(pthread_create(&questions[i].thread, NULL, ask, &questions[i]), 0);
    }
    for (unsigned i = 0; i < THREADS; i++)
        assert_int_equal(pthread_join(questions[i].thread, NULL), 0);
    for (unsigned i = 0; i < THREADS; i++) {
        assert_int_equal(questions[i].code, 0);
        found += questions[i].found;
    }
    return (double)found / (double)(probes / THREADS * THREADS);
}

/* Goes on with a sequence of random keys to add. */
static void add_random(bloomfilter *filter, struct random *random, uint64_t count)
{
    struct batch batch;
    start_batch(&batch, ADDED);
    for (uint64_t left = count; left != 0;) {
        size_t size = left < BATCH ? (size_t)left : BATCH;
        fill_batch(&batch, random, size);
        assert_int_equal(bloomfilter_add_many(filter, size, batch.keys, batch.key_sizes, NULL), 0);
        left -= size;
    }
}

/* Asks for the first `count` of a sequence that was added. */
static void assert_none_denied(const bloomfilter *filter, uint64_t seed, uint64_t count)
{
    struct questions questions = {
        .filter = filter, .kind = ADDED, .random = random_of(seed), .count = count};
    ask(&questions);
    assert_int_equal(questions.code, 0);
    assert_int_equal(questions.found, count);
}

static double standard_error(double rate, double probes)
{
    return sqrt(rate * (1 - rate) / probes);
}

static void assert_rate_near(double value, double expected, double tolerance, const char *what)
{
    if (!(fabs(value - expected) <= tolerance))
        fail_msg("%s: %.6g, not %.6g within %.2g", what, value, expected, tolerance);
}

/* ---- Filters of the usual kind ---- */

struct trial {
    uint32_t hash;
    uint32_t layout;
    uint64_t capacity;
    double target_fpr;
    uint64_t probes;
    uint64_t seed;
};

static bloomfilter_options options_of(const struct trial *trial)
{
    bloomfilter_options options = BLOOMFILTER_OPTIONS_INIT;
    options.capacity = trial->capacity;
    options.target_fpr = trial->target_fpr;
    options.hash = trial->hash;
    options.layout = trial->layout;
    return options;
}

static uint32_t rebuild_at(unsigned percent)
{
    return percent <= 100 ? BLOOMFILTER_REBUILD_NO : BLOOMFILTER_REBUILD_OVER_TARGET;
}

/*
 * How much the rates of filters of blocks differ by how their keys fell, at the same number of keys:
 * the standard deviation of a block's rate, without what follows from the number of its keys in
 * proportion, over the root of the number of blocks. bits_set does not tell it.
 */
static double spread_of_blocks(double keys, double blocks)
{
    double mean = keys / blocks;
    double probability = exp(-mean); /* of j keys */
    double rate = 0;
    double square = 0;
    double slope = 0;
    for (int j = 0; j < 1000; j++) {
        double of_block = pow(1 - pow(31 / 32.0, j), 8);
        rate += probability * of_block;
        square += probability * of_block * of_block;
        slope += probability * of_block * (j - mean);
        probability *= mean / (j + 1);
    }
    return sqrt((square - rate * rate - slope * slope / mean) / blocks);
}

/* By how much what probes see differs from current_fpr by chance. */
static double error_of(const struct trial *trial, const bloomfilter_info *info, uint64_t probes)
{
    double error = standard_error(info->current_fpr, (double)probes);
    if (trial->layout == BLOOMFILTER_LAYOUT_FLAT)
        return error;
    return hypot(error,
                 spread_of_blocks((double)info->insert_count, (double)info->bit_count / 256));
}

static void check_filled(const struct trial *trial, const bloomfilter *filter, unsigned percent)
{
    uint64_t count = trial->capacity * percent / 100;
    bloomfilter_info info = info_of(filter);
    double measured = measure(filter, trial->probes, trial->seed + percent);
    double error = error_of(trial, &info, trial->probes);

    print_message("scheme %u, %" PRIu64 " keys (%u %%): measured %.5e, current_fpr %.5e, "
                  "%+.2f standard errors\n",
                  trial->hash, count, percent, measured, info.current_fpr,
                  (measured - info.current_fpr) / error);
    assert_rate_near(measured, info.current_fpr, 3 * error, "measured rate");
    assert_int_equal(info.insert_count, count);
    assert_rate_near(info.estimated_count, (double)count, 0.005 * (double)count, "estimated_count");
    assert_int_equal(info.rebuild, rebuild_at(percent));
    assert_none_denied(filter, trial->seed, count);
}

/* At capacity: what was foretold is what is there, and the library's own measurement says so
 * too. */
static void check_expectation(const struct trial *trial, bloomfilter *filter)
{
    bloomfilter_options options = options_of(trial);
    bloomfilter_info plan = BLOOMFILTER_INFO_INIT;
    bloomfilter_info info = info_of(filter);
    uint64_t probes = trial->probes / 5;
    double error = error_of(trial, &info, probes);
    double measured;

    assert_int_equal(bloomfilter_plan(&options, &plan), 0);
    assert_true(info.expected_fpr == plan.expected_fpr);
    print_message("  expected_fpr %.5e\n", info.expected_fpr);
    assert_rate_near(info.expected_fpr, info.current_fpr, 0.01 * info.current_fpr, "expected_fpr");
    assert_rate_near(info.expected_fpr, trial->target_fpr, 0.02 * trial->target_fpr, "target");

    assert_int_equal(bloomfilter_measure_fpr(filter, probes, trial->seed, &measured), 0);
    print_message("  bloomfilter_measure_fpr %.5e, %+.2f standard errors\n", measured,
                  (measured - info.current_fpr) / error);
    assert_rate_near(measured, info.current_fpr, 3 * error, "bloomfilter_measure_fpr");
    info = info_of(filter);
    assert_true(info.measured_fpr == measured);
    assert_int_equal(info.measured_probes, probes);
}

static void run_trial(const struct trial *trial)
{
    bloomfilter_options options = options_of(trial);
    struct random added = random_of(trial->seed);
    bloomfilter *filter;

    assert_int_equal(bloomfilter_create(&filter, &options), 0);
    for (unsigned percent = 50; percent <= 150; percent += 50) {
        add_random(filter, &added, trial->capacity / 2);
        check_filled(trial, filter, percent);
        if (percent == 100)
            check_expectation(trial, filter);
    }
    bloomfilter_free(filter);
}

static void test_scheme_1(void **state)
{
    static const struct trial trial = {
        BLOOMFILTER_HASH_BLAKE2B_PAIR, BLOOMFILTER_LAYOUT_FLAT, 1000000, 0.01, 10000000, 1000};
    (void)state;
    run_trial(&trial);
}

static void test_scheme_2(void **state)
{
    static const struct trial trial = {
        BLOOMFILTER_HASH_BLAKE2B_INDEXED, BLOOMFILTER_LAYOUT_FLAT, 100000, 0.01, 1000000, 2000};
    (void)state;
    run_trial(&trial);
}

static void test_scheme_3(void **state)
{
    static const struct trial trial = {
        BLOOMFILTER_HASH_MURMUR3_TWEAK, BLOOMFILTER_LAYOUT_FLAT, 200000, 0.01, 10000000, 3000};
    (void)state;
    run_trial(&trial);
}

static void test_scheme_4(void **state)
{
    static const struct trial trial = {
        BLOOMFILTER_HASH_BLAKE2B_WIDE, BLOOMFILTER_LAYOUT_FLAT, 1000000, 0.01, 10000000, 4000};
    (void)state;
    run_trial(&trial);
}

static void test_scheme_5_in_blocks(void **state)
{
    static const struct trial trials[] = {
        {BLOOMFILTER_HASH_XXH64, BLOOMFILTER_LAYOUT_SPLIT_BLOCK, 1000000, 0.01, 20000000, 5000},
        {BLOOMFILTER_HASH_XXH64, BLOOMFILTER_LAYOUT_SPLIT_BLOCK, 200000, 1e-4, 40000000, 6000},
    };
    (void)state;
    for (size_t i = 0; i < sizeof trials / sizeof trials[0]; i++)
        run_trial(&trials[i]);
}

static void test_scheme_1_in_blocks(void **state)
{
    static const struct trial trial = {
        BLOOMFILTER_HASH_BLAKE2B_PAIR, BLOOMFILTER_LAYOUT_SPLIT_BLOCK, 200000, 0.01, 2000000, 8000};
    (void)state;
    run_trial(&trial);
}

/* ---- Where scheme 1 misses the target ---- */

/*
 * 1000 keys at 1e-6: 28756 bits, 20 positions. Simulated with perfectly random hashes, such
 * filters show 2.33e-5 on average, 23 times the target (bench/simulate.c). One filter says little:
 * what adds to the rate are a few keys' progressions that overlap. So: the mean over many.
 */
enum { SMALL_FILTERS = 150, SMALL_CAPACITY = 1000 };
static const uint64_t SMALL_PROBES = 200000;
static const double SMALL_TARGET = 1e-6;
static const double SMALL_SIMULATED = 2.33e-5;

struct small_filters {
    unsigned first; /* this, and each THREADS further on */
    unsigned failures;
    unsigned over_target;
    double measured; /* sums */
    double measured_squares;
    double current;
    pthread_t thread;
};

static bool fill_small(bloomfilter *filter, unsigned number)
{
    struct random random = random_of(4000 + number);
    struct batch batch;
    start_batch(&batch, ADDED);
    for (size_t left = SMALL_CAPACITY; left != 0;) {
        size_t count = left < BATCH ? left : BATCH;
        uint8_t found[BATCH];
        fill_batch(&batch, &random, count);
        if (bloomfilter_add_many(filter, count, batch.keys, batch.key_sizes, NULL) != 0 ||
            bloomfilter_contains_many(filter, count, batch.keys, batch.key_sizes, found) != 0)
            return false;
        for (size_t j = 0; j < count; j++)
            if (found[j] != 1)
                return false;
        left -= count;
    }
    return true;
}

static bool measure_small(struct small_filters *small, unsigned number)
{
    bloomfilter_info info = BLOOMFILTER_INFO_INIT;
    bloomfilter *filter;
    double measured;

    if (bloomfilter_new(&filter, SMALL_CAPACITY, SMALL_TARGET) != 0)
        return false;
    bool good = fill_small(filter, number) &&
                bloomfilter_measure_fpr(filter, SMALL_PROBES, 5000 + number, &measured) == 0 &&
                bloomfilter_get_info(filter, &info) == 0;
    bloomfilter_free(filter);
    if (!good)
        return false;
    small->measured += measured;
    small->measured_squares += measured * measured;
    small->current += info.current_fpr;
    small->over_target += info.rebuild == BLOOMFILTER_REBUILD_OVER_TARGET;
    return true;
}

static void *measure_all_small(void *argument)
{
    struct small_filters *small = argument;
    for (unsigned number = small->first; number < SMALL_FILTERS; number += THREADS)
        small->failures += !measure_small(small, number);
    return NULL;
}

static struct small_filters measure_small_filters(void)
{
    struct small_filters parts[THREADS];
    struct small_filters sum = {0};
    for (unsigned i = 0; i < THREADS; i++) {
        parts[i] = (struct small_filters){.first = i};
        assert_int_equal(pthread_create(&parts[i].thread, NULL, measure_all_small, &parts[i]), 0);
    }
    for (unsigned i = 0; i < THREADS; i++)
        assert_int_equal(pthread_join(parts[i].thread, NULL), 0);
    for (unsigned i = 0; i < THREADS; i++) {
        sum.failures += parts[i].failures;
        sum.over_target += parts[i].over_target;
        sum.measured += parts[i].measured;
        sum.measured_squares += parts[i].measured_squares;
        sum.current += parts[i].current;
    }
    return sum;
}

static double expected_small(uint32_t hash)
{
    bloomfilter_options options = BLOOMFILTER_OPTIONS_INIT;
    bloomfilter_info plan = BLOOMFILTER_INFO_INIT;
    options.capacity = SMALL_CAPACITY;
    options.target_fpr = SMALL_TARGET;
    options.hash = hash;
    assert_int_equal(bloomfilter_plan(&options, &plan), 0);
    assert_int_equal(plan.bit_count, 28756);
    assert_int_equal(plan.hash_count, 20);
    return plan.expected_fpr;
}

static void test_scheme_1_off_target(void **state)
{
    double expected = expected_small(BLOOMFILTER_HASH_BLAKE2B_PAIR);
    struct small_filters small = measure_small_filters();
    double mean = small.measured / (double)SMALL_FILTERS;
    double variance = small.measured_squares / (double)SMALL_FILTERS - mean * mean;
    double error = sqrt(variance / (double)(SMALL_FILTERS - 1));
    (void)state;

    assert_int_equal(small.failures, 0);
    print_message("scheme 1, 1000 keys at 1e-6, mean of %d filters: measured %.4e (standard error "
                  "%.1e), current_fpr %.4e, expected_fpr %.4e\n",
                  SMALL_FILTERS, mean, error, small.current / (double)SMALL_FILTERS, expected);
    assert_true(error < 0.06 * SMALL_SIMULATED); /* enough was asked to say something */
    assert_rate_near(mean, SMALL_SIMULATED, 3 * error, "measured");
    assert_rate_near(mean, expected, 3 * error, "measured, beside expected_fpr");
    assert_rate_near(expected, SMALL_SIMULATED, 0.05 * SMALL_SIMULATED, "expected_fpr");
    assert_rate_near(small.current / (double)SMALL_FILTERS, expected, 0.02 * expected,
                     "mean current_fpr");
    assert_int_equal(small.over_target, SMALL_FILTERS);
}

/* Independent positions keep to the target on the same bits. */
static void test_other_schemes_on_target(void **state)
{
    (void)state;
    assert_rate_near(expected_small(BLOOMFILTER_HASH_BLAKE2B_INDEXED), SMALL_TARGET,
                     0.1 * SMALL_TARGET, "scheme 2");
    assert_rate_near(expected_small(BLOOMFILTER_HASH_MURMUR3_TWEAK), SMALL_TARGET,
                     0.1 * SMALL_TARGET, "scheme 3");
    assert_rate_near(expected_small(BLOOMFILTER_HASH_BLAKE2B_WIDE), SMALL_TARGET,
                     0.1 * SMALL_TARGET, "scheme 4");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_scheme_1),
        cmocka_unit_test(test_scheme_2),
        cmocka_unit_test(test_scheme_3),
        cmocka_unit_test(test_scheme_4),
        cmocka_unit_test(test_scheme_5_in_blocks),
        cmocka_unit_test(test_scheme_1_in_blocks),
        cmocka_unit_test(test_scheme_1_off_target),
        cmocka_unit_test(test_other_schemes_on_target),
    };
    return RUN(tests);
}
