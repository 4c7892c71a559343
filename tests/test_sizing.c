/* SPDX-License-Identifier: MIT */
/* Sizing at its edges. The rows of data/sizing.csv are in test_vectors.c. */
#include "support.h"

#include <float.h>
#include <math.h>

#include "sizing/sizing.h"

#define MAX_CAPACITY UINT64_MAX
#define MAX_BIT_COUNT BLOOMFILTER_MAX_BIT_COUNT
#define SMALLEST_RATE 0x1p-1074              /* the smallest number above 0 */
#define LARGEST_RATE (1.0 - DBL_EPSILON / 2) /* the largest number below 1 */

static void assert_close(double found, double expected)
{
    if (!(fabs(found - expected) <= 1e-14 * expected))
        fail_msg("%.17g is not %.17g", found, expected);
}

static void test_bit_count(void **state)
{
    /* n / ln 2 is 1.4426950408889634 n for p = 1/2, and 9.585058377367439 n for p = 1/100. */
    static const struct {
        uint64_t capacity;
        double target_fpr;
        double expected;
    } rows[] = {
        {1, 0.5, 2},
        {2, 0.5, 3},
        {3, 0.5, 5},
        {10, 0.5, 15},
        {1, 0.01, 10},
        {2, 0.01, 20},
        {3, 0.01, 29},
        {1000000, 0.01, 9585059},
        {1, 0.9, 1},
        {1, LARGEST_RATE, 1},
        {1000, LARGEST_RATE, 1},
        {1, DBL_MIN, 1475},
        {1, SMALLEST_RATE, 1550},
        {2, SMALLEST_RATE, 3099},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        double found = bloomfilter_sizing_bit_count(rows[i].capacity, rows[i].target_fpr);
        if (found != rows[i].expected)
            fail_msg("row %zu: %.17g bits", i, found);
    }
}

/* 2^64 - 1 keys are 2^64 as a double; results past any integer type are still finite numbers. */
static void test_bit_count_of_the_largest_capacity(void **state)
{
    (void)state;
    assert_true(bloomfilter_sizing_bit_count(MAX_CAPACITY, LARGEST_RATE) == 4263.0);
    assert_true(bloomfilter_sizing_bit_count(MAX_CAPACITY, 0.5) == 0x1.71547652b82fep+64);
    assert_true(bloomfilter_sizing_bit_count(MAX_CAPACITY, SMALLEST_RATE) == 0x1.835d1619c22e4p+74);
    /* 2^53 + 1 is not a double: it is rounded to 2^53, half to even. */
    assert_true(bloomfilter_sizing_bit_count(((uint64_t)1 << 53) + 1, 0.5) ==
                bloomfilter_sizing_bit_count((uint64_t)1 << 53, 0.5));
}

static void test_bit_count_is_a_whole_number(void **state)
{
    (void)state;
    for (int shift = 0; shift < 64; shift++)
        for (double rate = SMALLEST_RATE; rate < 1.0; rate *= 1000.0) {
            double bits = bloomfilter_sizing_bit_count((uint64_t)1 << shift, rate);
            assert_true(bits >= 1.0 && isfinite(bits) && bits == floor(bits));
            assert_true(bits <= bloomfilter_sizing_bit_count(MAX_CAPACITY, rate));
        }
}

static void test_hash_count(void **state)
{
    static const struct {
        uint64_t bit_count;
        uint64_t capacity;
        double expected;
    } rows[] = {
        {1, 1, 1},     /* 0.69 */
        {2, 1, 1},     /* 1.39 */
        {3, 1, 2},     /* 2.08 */
        {5, 2, 2},     /* 1.73 */
        {10, 3, 2},    /* 2.31 */
        {367, 1, 254}, /* 254.39 */
        {368, 1, 255}, /* 255.08 */
        {369, 1, 256}, /* 255.77: over the limit, which the caller sees */
        {14378, 1000, 10},
        {9585059, 1000000, 7},
        {1, MAX_CAPACITY, 1},
        {MAX_BIT_COUNT, MAX_CAPACITY, 1},
        {MAX_BIT_COUNT, MAX_BIT_COUNT, 1},
        {MAX_BIT_COUNT, 1, 799144290325165952.0},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        double found = bloomfilter_sizing_hash_count(rows[i].bit_count, rows[i].capacity);
        if (found != rows[i].expected)
            fail_msg("row %zu: %.17g hashes", i, found);
    }
}

/*
 * Pairs whose m / n * ln 2 is a half exactly, in IEEE 754 arithmetic. In Python: search n upwards
 * from 2**45 or 2**49 for float(m) / float(n) * math.log(2) == half, with m near half / log(2) * n.
 */
static void test_hash_count_halves_go_to_even(void **state)
{
    static const struct {
        uint64_t bit_count;
        uint64_t capacity;
        double half;
        double expected;
    } rows[] = {
        {406082553034805, 562949953421319, 0.5, 1}, /* 0, and then at least 1 */
        {1218247659104402, 562949953421313, 1.5, 2},
        {2030412765174003, 562949953421313, 2.5, 2},
        {3654742977313199, 562949953421312, 4.5, 4},
        {206696019494713152, 562949953421312, 254.5, 254},
        {207508184600782752, 562949953421312, 255.5, 256},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        double m = (double)rows[i].bit_count;
        double n = (double)rows[i].capacity;
        assert_true(m / n * log(2.0) == rows[i].half);
        assert_true(bloomfilter_sizing_hash_count(rows[i].bit_count, rows[i].capacity) ==
                    rows[i].expected);
        /* A little more or less decides. */
        assert_true(bloomfilter_sizing_hash_count(rows[i].bit_count + 1024, rows[i].capacity) ==
                    rows[i].half + 0.5);
        assert_true(bloomfilter_sizing_hash_count(rows[i].bit_count - 1024, rows[i].capacity) ==
                    fmax(rows[i].half - 0.5, 1.0));
    }
}

static void test_capacity(void **state)
{
    static const struct {
        uint64_t bit_count;
        uint32_t hash_count;
        uint64_t expected;
    } rows[] = {
        {1, 1, 1},                               /* 0.69 */
        {1, 255, 1},                             /* 0.003, and then at least 1 */
        {2, 1, 1},                               /* 1.39 */
        {3, 1, 2},                               /* 2.08 */
        {8, 1, 6},                               /* 5.55 */
        {10, 7, 1},                              /* 0.99 */
        {100, 2, 35},                            /* 34.66 */
        {255, 255, 1},                           /* 0.69 */
        {9585059, 7, 949122},                    /* 949122.37 */
        {4503599627370499, 1, 3121657384082682}, /* ...681.5: half to even */
        {4503599627370500, 1, 3121657384082682}, /* ...682.5 */
        {MAX_BIT_COUNT, 1, UINT64_C(799144290325165952)},
        {MAX_BIT_COUNT - 1, 3, UINT64_C(266381430108388640)},
        {MAX_BIT_COUNT, 255, UINT64_C(3133899177745749)},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        assert_int_equal(bloomfilter_sizing_capacity(rows[i].bit_count, rows[i].hash_count),
                         rows[i].expected);
}

static void test_target_fpr(void **state)
{
    (void)state;
    assert_close(bloomfilter_sizing_target_fpr(9585059, 7, 1000000), 0.010039214559253868);
    assert_close(bloomfilter_sizing_target_fpr(1, 1, 1), 0.6321205588285577); /* 1 - 1 / e */
    assert_close(bloomfilter_sizing_target_fpr(10, 3, 2), 0.09184883923294045);
    assert_close(bloomfilter_sizing_target_fpr(64, 1, 1), 0.015503562994591593);
    /* A fill so small that 1 - exp() would have lost its digits: k n / m, to the power of k. */
    assert_close(bloomfilter_sizing_target_fpr(MAX_BIT_COUNT, 1, 1), 0x1p-60);
    assert_close(bloomfilter_sizing_target_fpr(MAX_BIT_COUNT, 2, 1), 0x1p-118);
}

/* A rate of 0 or 1 could not be a target, neither in an option nor in a file. */
static void test_target_fpr_stays_inside(void **state)
{
    (void)state;
    assert_true(bloomfilter_sizing_target_fpr(1, 255, 1) == LARGEST_RATE);
    assert_true(bloomfilter_sizing_target_fpr(1, 1, MAX_CAPACITY) == LARGEST_RATE);
    assert_true(bloomfilter_sizing_target_fpr(MAX_BIT_COUNT, 255, MAX_CAPACITY) == LARGEST_RATE);
    assert_true(bloomfilter_sizing_target_fpr(MAX_BIT_COUNT, 255, 1) == DBL_MIN);
    for (int m = 0; m <= 60; m++)
        for (uint32_t hash_count = 1; hash_count <= 255; hash_count++) {
            double before = 0.0;
            for (int n = 0; n <= 64; n++) {
                uint64_t capacity = n < 64 ? (uint64_t)1 << n : MAX_CAPACITY;
                double rate = bloomfilter_sizing_target_fpr((uint64_t)1 << m, hash_count, capacity);
                assert_true(rate > 0.0 && rate < 1.0);
                assert_true(rate >= before);
                before = rate;
            }
        }
}

/* With capacity and target both derived, the fill is about a half, and so the rate about 2^-k. */
static void test_derived_values_fit_each_other(void **state)
{
    (void)state;
    for (uint32_t hash_count = 1; hash_count <= 255; hash_count++) {
        uint64_t bit_count = (uint64_t)1 << 40;
        uint64_t capacity = bloomfilter_sizing_capacity(bit_count, hash_count);
        double rate = bloomfilter_sizing_target_fpr(bit_count, hash_count, capacity);
        assert_true(fabs(rate / pow(0.5, hash_count) - 1.0) < 1e-4);
        assert_true(bloomfilter_sizing_hash_count(bit_count, capacity) == hash_count);
    }
}

/* What becomes of the edges in the public interface. */
static void test_limits(void **state)
{
    static const struct {
        uint64_t capacity;
        double target_fpr;
        int code;
        uint64_t bit_count;
    } rows[] = {
        {1, LARGEST_RATE, 0, 1},
        {MAX_CAPACITY, LARGEST_RATE, 0, 4263},
        {1, 0x1p-255, 0, 368},                /* k = 255 */
        {1, 0x1p-256, BLOOMFILTER_EINVAL, 0}, /* k = 256 */
        {1, SMALLEST_RATE, BLOOMFILTER_EINVAL, 0},
        {MAX_CAPACITY, SMALLEST_RATE, BLOOMFILTER_ETOOLARGE, 0},
        {MAX_CAPACITY, 0.5, BLOOMFILTER_ETOOLARGE, 0},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        bloomfilter_options options = BLOOMFILTER_OPTIONS_INIT;
        bloomfilter_info info = BLOOMFILTER_INFO_INIT;
        options.capacity = rows[i].capacity;
        options.target_fpr = rows[i].target_fpr;
        assert_int_equal(bloomfilter_plan(&options, &info), rows[i].code);
        assert_int_equal(info.bit_count, rows[i].bit_count);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bit_count),
        cmocka_unit_test(test_bit_count_of_the_largest_capacity),
        cmocka_unit_test(test_bit_count_is_a_whole_number),
        cmocka_unit_test(test_hash_count),
        cmocka_unit_test(test_hash_count_halves_go_to_even),
        cmocka_unit_test(test_capacity),
        cmocka_unit_test(test_target_fpr),
        cmocka_unit_test(test_target_fpr_stays_inside),
        cmocka_unit_test(test_derived_values_fit_each_other),
        cmocka_unit_test(test_limits),
    };
    return RUN(tests);
}
