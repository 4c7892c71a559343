/* SPDX-License-Identifier: MIT */
/* What the header promises of filters in memory: create, structs, keys, combine, inspect. */
#include "support.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COUNT_OF(array) (sizeof(array) / sizeof(array)[0])
#define OPTIONS(...)                                                                               \
    {                                                                                              \
        .struct_size = sizeof(bloomfilter_options), __VA_ARGS__                                    \
    }

static const uint8_t secret[BLOOMFILTER_MAX_SECRET_SIZE + 1] =
    "a secret of 65 bytes, of which tests take as many as they need: .";

/* Every scheme in every layout that it goes with. */
static const struct {
    uint32_t hash;
    uint32_t layout;
    bool takes_secret;
} kinds[] = {
    {BLOOMFILTER_HASH_BLAKE2B_PAIR, BLOOMFILTER_LAYOUT_FLAT, true},
    {BLOOMFILTER_HASH_BLAKE2B_INDEXED, BLOOMFILTER_LAYOUT_FLAT, true},
    {BLOOMFILTER_HASH_MURMUR3_TWEAK, BLOOMFILTER_LAYOUT_FLAT, false},
    {BLOOMFILTER_HASH_BLAKE2B_WIDE, BLOOMFILTER_LAYOUT_FLAT, true},
    {BLOOMFILTER_HASH_BLAKE2B_PAIR, BLOOMFILTER_LAYOUT_SPLIT_BLOCK, true},
    {BLOOMFILTER_HASH_BLAKE2B_WIDE, BLOOMFILTER_LAYOUT_SPLIT_BLOCK, true},
    {BLOOMFILTER_HASH_XXH64, BLOOMFILTER_LAYOUT_SPLIT_BLOCK, false},
};

/* An address that no filter has: shows whether *out was set. */
static bloomfilter *const poison = (bloomfilter *)(uintptr_t)&secret;

/* ---- Arguments of create, new and plan */

struct refusal {
    const char *what;
    int code;
    bloomfilter_options options;
};

static void assert_create_refuses(const struct refusal *refusal)
{
    bloomfilter *filter = poison;
    int code = bloomfilter_create(&filter, &refusal->options);
    if (code != refusal->code || filter != NULL)
        fail_msg("create, %s: %d, not %d; *out is %p", refusal->what, code, refusal->code,
                 (void *)filter);
}

static void assert_plan_refuses(const struct refusal *refusal)
{
    bloomfilter_info info = BLOOMFILTER_INFO_INIT;
    bloomfilter_info before;
    info.capacity = 12345;
    memcpy(&before, &info, sizeof info);
    int code = bloomfilter_plan(&refusal->options, &info);
    if (code != refusal->code)
        fail_msg("plan, %s: %d, not %d", refusal->what, code, refusal->code);
    assert_memory_equal(&info, &before, sizeof info);
}

static void assert_refused(const struct refusal refusals[], size_t count)
{
    for (size_t i = 0; i < count; i++) {
        assert_create_refuses(&refusals[i]);
        assert_plan_refuses(&refusals[i]);
    }
}

static void test_capacity_0_is_refused_unless_it_can_be_derived(void **state)
{
    const struct refusal refusals[] = {
        {"nothing given", BLOOMFILTER_EINVAL, OPTIONS(0)},
        {"target", BLOOMFILTER_EINVAL, OPTIONS(.target_fpr = 0.01)},
        {"bits", BLOOMFILTER_EINVAL, OPTIONS(.target_fpr = 0.01, .bit_count = 1000)},
        {"hashes", BLOOMFILTER_EINVAL, OPTIONS(.target_fpr = 0.01, .hash_count = 7)},
    };
    bloomfilter *filter = poison;
    (void)state;
    assert_refused(refusals, COUNT_OF(refusals));
    assert_int_equal(bloomfilter_new(&filter, 0, 0.01), BLOOMFILTER_EINVAL);
    assert_null(filter);
}

static void test_target_0_is_refused_unless_it_can_be_derived(void **state)
{
    const struct refusal refusals[] = {
        {"capacity", BLOOMFILTER_EINVAL, OPTIONS(.capacity = 1000)},
        {"bits", BLOOMFILTER_EINVAL, OPTIONS(.capacity = 1000, .bit_count = 1000)},
        {"hashes", BLOOMFILTER_EINVAL, OPTIONS(.capacity = 1000, .hash_count = 7)},
    };
    (void)state;
    assert_refused(refusals, COUNT_OF(refusals));
}

static void test_target_outside_0_to_1_is_refused(void **state)
{
    const double targets[] = {0.0, -0.0,    -0.01, -1.0, -DBL_MIN, 1.0,      1.000001,
                              2.0, DBL_MAX, NAN,   -NAN, INFINITY, -INFINITY};
    (void)state;
    for (size_t i = 0; i < COUNT_OF(targets); i++) {
        bloomfilter *filter = poison;
        assert_int_equal(bloomfilter_new(&filter, 1000, targets[i]), BLOOMFILTER_EINVAL);
        assert_null(filter);
        if (targets[i] == 0.0) /* asks to derive it below */
            continue;
        struct refusal derived = {"with bits and hashes", BLOOMFILTER_EINVAL,
                                  OPTIONS(.capacity = 1000, .target_fpr = targets[i],
                                          .bit_count = 1000, .hash_count = 7)};
        assert_refused(&derived, 1);
    }
}

static void test_target_that_needs_over_255_hashes_is_refused(void **state)
{
    const struct refusal refusals[] = {
        {"denormal", BLOOMFILTER_EINVAL, OPTIONS(.capacity = 1000, .target_fpr = 5e-324)},
        {"normal", BLOOMFILTER_EINVAL, OPTIONS(.capacity = 1000, .target_fpr = 1e-78)},
        {"by bits", BLOOMFILTER_EINVAL,
         OPTIONS(.capacity = 1, .target_fpr = 0.5, .bit_count = 1000)},
    };
    bloomfilter *filter = poison;
    (void)state;
    assert_refused(refusals, COUNT_OF(refusals));
    assert_int_equal(bloomfilter_new(&filter, 1000, 5e-324), BLOOMFILTER_EINVAL);
    assert_null(filter);
}

static void test_every_target_between_is_accepted(void **state)
{
    const double targets[] = {1e-76, 1e-50, 1e-9, 0.01, 0.5, 0.999, 1.0 - DBL_EPSILON / 2};
    (void)state;
    for (size_t i = 0; i < COUNT_OF(targets); i++) {
        bloomfilter *filter = new_filter(10, targets[i]);
        assert_true(info_of(filter).target_fpr == targets[i]);
        assert_true(info_of(filter).bit_count >= 1);
        assert_true(info_of(filter).hash_count >= 1);
        bloomfilter_free(filter);
    }
}

static void test_denormal_target_is_accepted_with_a_hash_count(void **state)
{
    bloomfilter_options options = OPTIONS(.capacity = 10, .target_fpr = 5e-324, .hash_count = 255);
    (void)state;
    bloomfilter *filter = created(&options);
    assert_true(info_of(filter).target_fpr == 5e-324);
    bloomfilter_free(filter);
}

static void test_more_than_2_to_60_bits_are_refused(void **state)
{
    const struct refusal refusals[] = {
        {"capacity", BLOOMFILTER_ETOOLARGE,
         OPTIONS(.capacity = (uint64_t)1 << 60, .target_fpr = 0.01)},
        {"all capacity", BLOOMFILTER_ETOOLARGE,
         OPTIONS(.capacity = UINT64_MAX, .target_fpr = 0.01)},
        {"all", BLOOMFILTER_ETOOLARGE,
         OPTIONS(.capacity = UINT64_MAX, .target_fpr = 5e-324, .hash_count = 1)},
        {"bits", BLOOMFILTER_EINVAL,
         OPTIONS(.capacity = 10, .target_fpr = 0.1, .bit_count = BLOOMFILTER_MAX_BIT_COUNT + 1)},
        {"all bits", BLOOMFILTER_EINVAL,
         OPTIONS(.capacity = 10, .target_fpr = 0.1, .bit_count = UINT64_MAX, .hash_count = 1)},
    };
    bloomfilter *filter = poison;
    (void)state;
    assert_refused(refusals, COUNT_OF(refusals));
    assert_int_equal(bloomfilter_new(&filter, UINT64_MAX, 0.01), BLOOMFILTER_ETOOLARGE);
    assert_null(filter);
}

static void test_2_to_60_bits_can_be_planned_and_fail_cleanly(void **state)
{
    bool is_addressable = SIZE_MAX > UINT32_MAX;
    bloomfilter_options options = OPTIONS(.capacity = (uint64_t)1 << 56, .target_fpr = 0.01,
                                          .bit_count = BLOOMFILTER_MAX_BIT_COUNT);
    bloomfilter_info info = BLOOMFILTER_INFO_INIT;
    bloomfilter *filter = poison;
    (void)state;
    int code = bloomfilter_plan(&options, &info);
    assert_int_equal(code, is_addressable ? 0 : BLOOMFILTER_ETOOLARGE);
    if (is_addressable) {
        assert_int_equal(info.bit_count, BLOOMFILTER_MAX_BIT_COUNT);
        assert_true(info.memory_bytes >= BLOOMFILTER_MAX_BIT_COUNT / 8);
    }
    code = bloomfilter_create(&filter, &options);
    assert_int_equal(code, is_addressable ? BLOOMFILTER_ENOMEM : BLOOMFILTER_ETOOLARGE);
    assert_null(filter);
}

static void test_hash_count_is_1_to_255(void **state)
{
    const struct refusal refusals[] = {
        {"256", BLOOMFILTER_EINVAL, OPTIONS(.capacity = 10, .target_fpr = 0.1, .hash_count = 256)},
        {"all", BLOOMFILTER_EINVAL,
         OPTIONS(.capacity = 10, .target_fpr = 0.1, .hash_count = UINT32_MAX)},
        {"with bits", BLOOMFILTER_EINVAL, OPTIONS(.bit_count = 1000, .hash_count = 256)},
    };
    (void)state;
    assert_refused(refusals, COUNT_OF(refusals));
    for (uint32_t hash_count = 1; hash_count <= 255; hash_count += 254) {
        bloomfilter_options options =
            OPTIONS(.capacity = 10, .target_fpr = 0.1, .hash_count = hash_count);
        bloomfilter *filter = created(&options);
        assert_int_equal(info_of(filter).hash_count, hash_count);
        assert_int_equal(bloomfilter_add(filter, "key", 3), 1);
        assert_true(bloomfilter_contains(filter, "key", 3));
        bloomfilter_free(filter);
    }
}

static void test_unknown_flags_are_refused(void **state)
{
    (void)state;
    for (unsigned bit = 0; bit < 32; bit++) {
        struct refusal refusal = {
            "flag", BLOOMFILTER_EINVAL,
            OPTIONS(.capacity = 10, .target_fpr = 0.1, .flags = (uint32_t)1 << bit)};
        assert_refused(&refusal, 1);
    }
}

static void test_unknown_hash_or_layout_is_unsupported(void **state)
{
    const uint32_t unknown[] = {200, 0x10000, UINT32_MAX};
    (void)state;
    for (size_t i = 0; i < COUNT_OF(unknown); i++) {
        struct refusal refusals[] = {
            {"hash", BLOOMFILTER_EUNSUPPORTED,
             OPTIONS(.capacity = 10, .target_fpr = 0.1, .hash = unknown[i])},
            {"layout", BLOOMFILTER_EUNSUPPORTED,
             OPTIONS(.capacity = 10, .target_fpr = 0.1, .layout = unknown[i])},
        };
        assert_refused(refusals, COUNT_OF(refusals));
    }
}

static void test_secret_is_16_to_64_bytes(void **state)
{
    const size_t refused[] = {1, 15, 65, SIZE_MAX};
    const size_t accepted[] = {16, 17, 63, 64};
    (void)state;
    for (size_t i = 0; i < COUNT_OF(refused); i++) {
        struct refusal refusal = {"size", BLOOMFILTER_EINVAL,
                                  OPTIONS(.capacity = 10, .target_fpr = 0.1, .secret = secret,
                                          .secret_size = refused[i])};
        assert_refused(&refusal, 1);
    }
    for (size_t i = 0; i < COUNT_OF(accepted); i++) {
        bloomfilter_options options = OPTIONS(.capacity = 10, .target_fpr = 0.1, .secret = secret,
                                              .secret_size = accepted[i]);
        bloomfilter *filter = created(&options);
        assert_int_equal(info_of(filter).flags, BLOOMFILTER_FLAG_KEYED);
        bloomfilter_free(filter);
    }
}

static void test_half_a_secret_is_refused(void **state)
{
    const struct refusal refusals[] = {
        {"no bytes", BLOOMFILTER_EINVAL,
         OPTIONS(.capacity = 10, .target_fpr = 0.1, .secret = NULL, .secret_size = 16)},
        {"no size", BLOOMFILTER_EINVAL,
         OPTIONS(.capacity = 10, .target_fpr = 0.1, .secret = secret, .secret_size = 0)},
    };
    (void)state;
    assert_refused(refusals, COUNT_OF(refusals));
}

static void test_scheme_3_takes_no_secret(void **state)
{
    const struct refusal refusal = {"secret", BLOOMFILTER_EINVAL,
                                    OPTIONS(.capacity = 10, .target_fpr = 0.1,
                                            .hash = BLOOMFILTER_HASH_MURMUR3_TWEAK,
                                            .secret = secret, .secret_size = 32)};
    (void)state;
    assert_refused(&refusal, 1);
}

static void test_only_scheme_3_takes_a_seed(void **state)
{
    const struct refusal refusals[] = {
        {"default", BLOOMFILTER_EINVAL, OPTIONS(.capacity = 10, .target_fpr = 0.1, .seed = 1)},
        {"pair", BLOOMFILTER_EINVAL,
         OPTIONS(.capacity = 10, .target_fpr = 0.1, .hash = BLOOMFILTER_HASH_BLAKE2B_PAIR,
                 .seed = 1)},
        {"indexed", BLOOMFILTER_EINVAL,
         OPTIONS(.capacity = 10, .target_fpr = 0.1, .hash = BLOOMFILTER_HASH_BLAKE2B_INDEXED,
                 .seed = (uint64_t)1 << 32)},
        {"wide", BLOOMFILTER_EINVAL,
         OPTIONS(.capacity = 10, .target_fpr = 0.1, .hash = BLOOMFILTER_HASH_BLAKE2B_WIDE,
                 .seed = 1)},
    };
    bloomfilter_options options =
        OPTIONS(.capacity = 10, .target_fpr = 0.1, .hash = BLOOMFILTER_HASH_MURMUR3_TWEAK,
                .seed = UINT32_MAX);
    (void)state;
    assert_refused(refusals, COUNT_OF(refusals));
    bloomfilter *filter = created(&options);
    assert_int_equal(info_of(filter).seed, UINT32_MAX);
    bloomfilter_free(filter);
}

static void test_null_arguments_are_refused(void **state)
{
    const bloomfilter_options options = OPTIONS(.capacity = 10, .target_fpr = 0.1);
    bloomfilter_info info = BLOOMFILTER_INFO_INIT;
    bloomfilter *filter = poison;
    (void)state;
    assert_int_equal(bloomfilter_new(NULL, 10, 0.1), BLOOMFILTER_EINVAL);
    assert_int_equal(bloomfilter_create(NULL, &options), BLOOMFILTER_EINVAL);
    assert_int_equal(bloomfilter_create(NULL, NULL), BLOOMFILTER_EINVAL);
    assert_int_equal(bloomfilter_create(&filter, NULL), BLOOMFILTER_EINVAL);
    assert_null(filter);
    assert_int_equal(bloomfilter_plan(NULL, &info), BLOOMFILTER_EINVAL);
    assert_int_equal(bloomfilter_plan(&options, NULL), BLOOMFILTER_EINVAL);
    assert_int_equal(bloomfilter_get_info(NULL, &info), BLOOMFILTER_EINVAL);
    filter = new_filter(10, 0.1);
    assert_int_equal(bloomfilter_get_info(filter, NULL), BLOOMFILTER_EINVAL);
    bloomfilter_free(filter);
}

/* ---- What create makes */

static void test_new_filter_is_empty_and_as_asked_for(void **state)
{
    bloomfilter *filter = new_filter(1000, 0.01);
    bloomfilter_info info = info_of(filter);
    (void)state;
    assert_int_equal(info.capacity, 1000);
    assert_true(info.target_fpr == 0.01);
    assert_int_equal(info.bit_count, 9586);
    assert_int_equal(info.hash_count, 7);
    assert_int_equal(info.hash, BLOOMFILTER_HASH_BLAKE2B_PAIR);
    assert_int_equal(info.layout, BLOOMFILTER_LAYOUT_FLAT);
    assert_int_equal(info.flags, 0);
    assert_int_equal(info.seed, 0);
    assert_int_equal(info.insert_count, 0);
    assert_int_equal(info.bits_set, 0);
    assert_true(info.fill == 0.0);
    assert_true(info.estimated_count == 0.0);
    assert_true(info.current_fpr == 0.0);
    assert_true(isnan(info.measured_fpr));
    assert_int_equal(info.measured_probes, 0);
    assert_int_equal(info.format_major, 1);
    assert_int_equal(info.format_minor, 0);
    assert_int_equal(info.rebuild, BLOOMFILTER_REBUILD_NO);
    for (unsigned key = 0; key < 1000; key++)
        assert_false(bloomfilter_contains(filter, &key, sizeof key));
    bloomfilter_free(filter);
}

static void test_new_is_create_with_defaults(void **state)
{
    bloomfilter_options zero = BLOOMFILTER_OPTIONS_INIT;
    bloomfilter_options named =
        OPTIONS(.capacity = 1000, .target_fpr = 0.01, .bit_count = 9586, .hash_count = 7,
                .hash = BLOOMFILTER_HASH_BLAKE2B_PAIR, .layout = BLOOMFILTER_LAYOUT_FLAT);
    (void)state;
    zero.capacity = 1000;
    zero.target_fpr = 0.01;
    bloomfilter *made = new_filter(1000, 0.01);
    bloomfilter *by_zero = created(&zero);
    bloomfilter *by_name = created(&named);
    add_numbered(made, "user:", 0, 100);
    add_numbered(by_zero, "user:", 0, 100);
    add_numbered(by_name, "user:", 0, 100);
    assert_same_filter(by_zero, made);
    assert_same_filter(by_name, made);
    bloomfilter_free(made);
    bloomfilter_free(by_zero);
    bloomfilter_free(by_name);
}

static void test_given_values_are_kept(void **state)
{
    bloomfilter_options options = OPTIONS(.capacity = 77, .target_fpr = 0.25, .bit_count = 12345,
                                          .hash_count = 3, .hash = 3, .layout = 1, .seed = 99);
    bloomfilter *filter = created(&options);
    bloomfilter_info info = info_of(filter);
    (void)state;
    assert_int_equal(info.capacity, 77);
    assert_true(info.target_fpr == 0.25);
    assert_int_equal(info.bit_count, 12345);
    assert_int_equal(info.hash_count, 3);
    assert_int_equal(info.hash, 3);
    assert_int_equal(info.layout, 1);
    assert_int_equal(info.seed, 99);
    bloomfilter_free(filter);
}

static void test_one_given_size_leaves_the_other_to_the_library(void **state)
{
    /* ceil(-1000 ln 0.01 / (ln 2)^2) = 9586; 5000 / 1000 ln 2 = 3.47 */
    bloomfilter_options bits = OPTIONS(.capacity = 1000, .target_fpr = 0.01, .bit_count = 5000);
    bloomfilter_options hashes = OPTIONS(.capacity = 1000, .target_fpr = 0.01, .hash_count = 2);
    bloomfilter_options few = OPTIONS(.capacity = 1000, .target_fpr = 0.01, .bit_count = 1);
    bloomfilter_info info = BLOOMFILTER_INFO_INIT;
    (void)state;
    assert_int_equal(bloomfilter_plan(&bits, &info), 0);
    assert_int_equal(info.bit_count, 5000);
    assert_int_equal(info.hash_count, 3);
    assert_int_equal(bloomfilter_plan(&hashes, &info), 0);
    assert_int_equal(info.bit_count, 9586);
    assert_int_equal(info.hash_count, 2);
    assert_int_equal(bloomfilter_plan(&few, &info), 0);
    assert_int_equal(info.bit_count, 1);
    assert_int_equal(info.hash_count, 1);
}

static void test_capacity_and_target_are_derived(void **state)
{
    const struct {
        uint64_t bit_count;
        uint32_t hash_count;
        uint64_t capacity;
    } rows[] = {{1000, 7, 99}, {9586, 7, 949}, {1, 255, 1}, {1, 1, 1}, {65536, 1, 45426}};
    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        bloomfilter_options options =
            OPTIONS(.bit_count = rows[i].bit_count, .hash_count = rows[i].hash_count);
        bloomfilter *filter = created(&options);
        bloomfilter_info info = info_of(filter);
        double k = rows[i].hash_count;
        double x = k * (double)rows[i].capacity / (double)rows[i].bit_count;
        assert_int_equal(info.capacity, rows[i].capacity);
        assert_within(info.target_fpr, pow(1.0 - exp(-x), k), 1e-9);
        bloomfilter_free(filter);
    }
}

static void test_target_is_derived_for_a_given_capacity(void **state)
{
    bloomfilter_options options = OPTIONS(.capacity = 200, .bit_count = 1000, .hash_count = 3);
    bloomfilter_info info = BLOOMFILTER_INFO_INIT;
    (void)state;
    assert_int_equal(bloomfilter_plan(&options, &info), 0);
    assert_int_equal(info.capacity, 200);
    assert_within(info.target_fpr, pow(1.0 - exp(-0.6), 3), 1e-12);
}

static void test_capacity_is_derived_for_a_given_target(void **state)
{
    bloomfilter_options options = OPTIONS(.target_fpr = 0.3, .bit_count = 1000, .hash_count = 7);
    bloomfilter_info info = BLOOMFILTER_INFO_INIT;
    (void)state;
    assert_int_equal(bloomfilter_plan(&options, &info), 0);
    assert_int_equal(info.capacity, 99);
    assert_true(info.target_fpr == 0.3);
}

/* Derived fields are as complete as given ones: the file can be read again. */
static void test_extreme_derived_targets_stay_between_0_and_1(void **state)
{
    const bloomfilter_options rows[] = {
        OPTIONS(.capacity = 1, .bit_count = (uint64_t)1 << 20, .hash_count = 255),
        OPTIONS(.capacity = UINT64_MAX, .bit_count = 1, .hash_count = 255),
        OPTIONS(.capacity = 1000000, .bit_count = 1, .hash_count = 1),
    };
    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        bloomfilter *filter = created(&rows[i]);
        bloomfilter *again;
        size_t size;
        uint8_t *bytes = serialized(filter, &size);
        assert_true(info_of(filter).target_fpr > 0.0 && info_of(filter).target_fpr < 1.0);
        assert_int_equal(bloomfilter_deserialize(&again, bytes, size, NULL), 0);
        assert_same_filter(again, filter);
        bloomfilter_free(again);
        bloomfilter_free(filter);
        free(bytes);
    }
}

static void test_secret_is_copied_and_changes_every_position(void **state)
{
    uint8_t mine[32];
    bloomfilter_options options =
        OPTIONS(.capacity = 1000, .target_fpr = 0.01, .secret = mine, .secret_size = sizeof mine);
    (void)state;
    memcpy(mine, secret, sizeof mine);
    bloomfilter *keyed = created(&options);
    bloomfilter *same = created(&options);
    memset(mine, 0, sizeof mine);
    bloomfilter *other = created(&options);
    bloomfilter *unkeyed = new_filter(1000, 0.01);
    add_numbered(keyed, "user:", 0, 200);
    add_numbered(same, "user:", 0, 200);
    assert_same_filter(keyed, same);
    assert_int_equal(bloomfilter_compatible(keyed, other), 0);
    add_numbered(other, "user:", 0, 200);
    add_numbered(unkeyed, "user:", 0, 200);
    assert_true(info_of(keyed).bits_set != info_of(other).bits_set);
    assert_true(info_of(keyed).bits_set != info_of(unkeyed).bits_set);
    bloomfilter_free(keyed);
    bloomfilter_free(same);
    bloomfilter_free(other);
    bloomfilter_free(unkeyed);
}

static void test_secrets_that_differ_by_trailing_zeros_are_different(void **state)
{
    const uint8_t zeros[64] = {0};
    bloomfilter_options options =
        OPTIONS(.capacity = 100, .target_fpr = 0.01, .secret = zeros, .secret_size = 16);
    (void)state;
    bloomfilter *a = created(&options);
    options.secret_size = 17;
    bloomfilter *b = created(&options);
    assert_int_equal(bloomfilter_compatible(a, b), 0);
    bloomfilter_free(a);
    bloomfilter_free(b);
}

/* ---- Structs of other releases, in blocks of exactly struct_size bytes: a read past shows */

static void *block_of(const void *bytes, size_t size, size_t struct_size)
{
    uint8_t *block = calloc(1, struct_size > sizeof(size_t) ? struct_size : sizeof(size_t));
    assert_non_null(block);
    memcpy(block, bytes, struct_size < size ? struct_size : size);
    memcpy(block, &struct_size, sizeof struct_size);
    return block;
}

static int create_of_size(const bloomfilter_options *options, size_t struct_size,
                          bloomfilter_info *made)
{
    bloomfilter_options *block = block_of(options, sizeof *options, struct_size);
    bloomfilter_info planned = BLOOMFILTER_INFO_INIT;
    bloomfilter *filter = poison;
    int code = bloomfilter_create(&filter, block);
    assert_int_equal(bloomfilter_plan(block, &planned), code);
    assert_true((filter != NULL) == (code == 0));
    if (code == 0)
        *made = info_of(filter);
    bloomfilter_free(filter);
    free(block);
    return code;
}

static const bloomfilter_options full_options =
    OPTIONS(.capacity = 1000, .target_fpr = 0.01, .bit_count = 10007, .hash_count = 5, .hash = 2,
            .layout = 1, .secret = secret, .secret_size = 32);

static void test_smaller_options_have_zeros_for_the_rest(void **state)
{
    bloomfilter_info info;
    (void)state;
    assert_int_equal(create_of_size(&full_options, offsetof(bloomfilter_options, capacity), &info),
                     BLOOMFILTER_EINVAL);
    assert_int_equal(
        create_of_size(&full_options, offsetof(bloomfilter_options, target_fpr), &info),
        BLOOMFILTER_EINVAL);
    assert_int_equal(create_of_size(&full_options, offsetof(bloomfilter_options, bit_count), &info),
                     0);
    assert_int_equal(info.bit_count, 9586);
    assert_int_equal(info.hash_count, 7);
    assert_int_equal(
        create_of_size(&full_options, offsetof(bloomfilter_options, hash_count), &info), 0);
    assert_int_equal(info.bit_count, 10007);
    assert_int_equal(info.hash_count, 7);
    assert_int_equal(create_of_size(&full_options, offsetof(bloomfilter_options, hash), &info), 0);
    assert_int_equal(info.hash_count, 5);
    assert_int_equal(info.hash, BLOOMFILTER_HASH_BLAKE2B_PAIR);
    assert_int_equal(create_of_size(&full_options, offsetof(bloomfilter_options, layout), &info),
                     0);
    assert_int_equal(info.hash, BLOOMFILTER_HASH_BLAKE2B_INDEXED);
    assert_int_equal(create_of_size(&full_options, offsetof(bloomfilter_options, secret), &info),
                     0);
    assert_int_equal(info.flags, 0);
    assert_int_equal(create_of_size(&full_options, sizeof full_options, &info), 0);
    assert_int_equal(info.flags, BLOOMFILTER_FLAG_KEYED);
}

/* Each field in turn: rubbish behind struct_size would be refused if it were read. */
static void test_nothing_past_the_size_of_options_is_read(void **state)
{
    const size_t ends[] = {
        offsetof(bloomfilter_options, bit_count), offsetof(bloomfilter_options, hash_count),
        offsetof(bloomfilter_options, hash),      offsetof(bloomfilter_options, layout),
        offsetof(bloomfilter_options, flags),     offsetof(bloomfilter_options, seed),
        offsetof(bloomfilter_options, secret)};
    (void)state;
    for (size_t i = 0; i < COUNT_OF(ends); i++) {
        bloomfilter_options options = OPTIONS(.capacity = 1000, .target_fpr = 0.01);
        bloomfilter *filter;
        memset((uint8_t *)&options + ends[i], 0xff, sizeof options - ends[i]);
        options.struct_size = ends[i];
        assert_int_equal(bloomfilter_create(&filter, &options), 0);
        assert_int_equal(info_of(filter).bit_count, 9586);
        bloomfilter_free(filter);
    }
}

static void test_options_with_a_size_that_cannot_be_are_refused(void **state)
{
    const size_t sizes[] = {
        0, 1, sizeof(size_t) - 1, SIZE_MAX, SIZE_MAX / 2, SIZE_MAX - sizeof(bloomfilter_options)};
    (void)state;
    for (size_t i = 0; i < COUNT_OF(sizes); i++) {
        struct refusal refusal = {"struct_size", BLOOMFILTER_EINVAL,
                                  OPTIONS(.capacity = 10, .target_fpr = 0.1)};
        refusal.options.struct_size = sizes[i];
        assert_refused(&refusal, 1);
    }
}

static void test_larger_options_are_accepted_while_the_rest_is_zero(void **state)
{
    (void)state;
    for (size_t more = 1; more <= 200; more += more < 17 ? 1 : 61) {
        size_t size = sizeof(bloomfilter_options) + more;
        bloomfilter_info info;
        bloomfilter *filter = poison;
        assert_int_equal(create_of_size(&full_options, size, &info), 0);
        assert_int_equal(info.bit_count, 10007);
        for (size_t at = sizeof(bloomfilter_options); at < size; at++) {
            uint8_t *block = block_of(&full_options, sizeof full_options, size);
            block[at] = 1;
            assert_int_equal(bloomfilter_create(&filter, (const void *)block), BLOOMFILTER_EINVAL);
            assert_null(filter);
            free(block);
        }
    }
}

/* Three functions fill an info. */
typedef int fill_info(const bloomfilter *filter, bloomfilter_info *info);

static int fill_by_plan(const bloomfilter *filter, bloomfilter_info *info)
{
    (void)filter;
    return bloomfilter_plan(&full_options, info);
}

static int fill_by_peek(const bloomfilter *filter, bloomfilter_info *info)
{
    size_t size;
    uint8_t *bytes = serialized(filter, &size);
    int code = bloomfilter_peek(bytes, size, info);
    free(bytes);
    return code;
}

static fill_info *const fills[] = {bloomfilter_get_info, fill_by_plan, fill_by_peek};

/* An info of struct_size `size` in a block of exactly that size, and in one with guards behind. */
static void assert_fills_only(fill_info *fill, const bloomfilter *filter, size_t size)
{
    const size_t head = sizeof(size_t);
    bloomfilter_info full = BLOOMFILTER_INFO_INIT;
    bloomfilter_info guarded;
    uint8_t guards[sizeof guarded];
    bloomfilter_info *block = block_of(&full, 0, size);

    assert_int_equal(fill(filter, &full), 0);
    assert_int_equal(fill(filter, block), 0);
    assert_int_equal(block->struct_size, size);
    assert_memory_equal((uint8_t *)block + head, (uint8_t *)&full + head, size - head);
    free(block);

    memset(&guarded, 0xa5, sizeof guarded);
    memset(guards, 0xa5, sizeof guards);
    guarded.struct_size = size;
    assert_int_equal(fill(filter, &guarded), 0);
    assert_memory_equal((uint8_t *)&guarded + head, (uint8_t *)&full + head, size - head);
    assert_memory_equal((uint8_t *)&guarded + size, guards, sizeof guarded - size);
}

static void test_nothing_past_the_size_of_an_info_is_written(void **state)
{
    bloomfilter *filter = created(&full_options);
    (void)state;
    add_numbered(filter, "user:", 0, 700);
    for (size_t i = 0; i < COUNT_OF(fills); i++)
        for (size_t size = sizeof(size_t); size <= sizeof(bloomfilter_info); size += 4)
            assert_fills_only(fills[i], filter, size);
    bloomfilter_free(filter);
}

static void test_info_with_a_size_that_cannot_be_is_refused(void **state)
{
    const size_t sizes[] = {
        0, 1, sizeof(size_t) - 1, SIZE_MAX, SIZE_MAX / 2, SIZE_MAX - sizeof(bloomfilter_info)};
    bloomfilter *filter = new_filter(10, 0.1);
    (void)state;
    for (size_t i = 0; i < COUNT_OF(fills); i++) {
        for (size_t j = 0; j < COUNT_OF(sizes); j++) {
            bloomfilter_info info = BLOOMFILTER_INFO_INIT;
            bloomfilter_info before;
            info.struct_size = sizes[j];
            memcpy(&before, &info, sizeof info);
            assert_int_equal(fills[i](filter, &info), BLOOMFILTER_EINVAL);
            assert_memory_equal(&info, &before, sizeof info);
        }
    }
    bloomfilter_free(filter);
}

static void test_larger_info_is_accepted_while_the_rest_is_zero(void **state)
{
    const size_t size = sizeof(bloomfilter_info) + 40;
    bloomfilter *filter = new_filter(10, 0.1);
    bloomfilter_info init = BLOOMFILTER_INFO_INIT;
    (void)state;
    for (size_t i = 0; i < COUNT_OF(fills); i++) {
        uint8_t *block = block_of(&init, sizeof init, size);
        uint8_t *before = block_of(&init, sizeof init, size);
        for (size_t at = sizeof init; at < size; at++) {
            block[at] = before[at] = 1;
            assert_int_equal(fills[i](filter, (void *)block), BLOOMFILTER_EINVAL);
            assert_memory_equal(block, before, size);
            block[at] = before[at] = 0;
        }
        assert_int_equal(fills[i](filter, (void *)block), 0);
        assert_int_equal(((bloomfilter_info *)(void *)block)->struct_size, size);
        assert_int_equal(((bloomfilter_info *)(void *)block)->layout, 1);
        assert_memory_equal(block + sizeof init, before + sizeof init, size - sizeof init);
        free(block);
        free(before);
    }
    bloomfilter_free(filter);
}

/* ---- Keys */

/* Keys of sizes around the blocks that hashes work in, the empty key among them. */
enum { MOST_KEYS = 300, LARGEST_KEY = 1000 };

struct batch {
    const void *keys[MOST_KEYS];
    size_t sizes[MOST_KEYS];
    uint8_t bytes[MOST_KEYS + LARGEST_KEY];
};

static void make_batch(struct batch *batch, uint32_t seed)
{
    static const size_t sizes[] = {0,   1,   2,   3,   4,   5,   7,   8,   15,
                                   16,  17,  31,  63,  64,  65,  125, 126, 127,
                                   128, 129, 130, 255, 256, 257, 511, 999, LARGEST_KEY};
    for (size_t i = 0; i < sizeof batch->bytes; i++) {
        seed = seed * 1664525 + 1013904223;
        batch->bytes[i] = (uint8_t)(seed >> 24);
    }
    for (size_t j = 0; j < MOST_KEYS; j++) {
        batch->sizes[j] = sizes[j * 7 % COUNT_OF(sizes)];
        batch->keys[j] = batch->sizes[j] != 0 ? batch->bytes + j : NULL;
    }
}

static void assert_many_equals_single(const bloomfilter_options *options, size_t count)
{
    struct batch batch;
    struct batch others;
    uint8_t was_new[MOST_KEYS];
    uint8_t found[MOST_KEYS];
    bloomfilter *many = created(options);
    bloomfilter *single = created(options);

    make_batch(&batch, 1);
    make_batch(&others, 2);
    assert_int_equal(bloomfilter_add_many(many, count, batch.keys, batch.sizes, was_new), 0);
    for (size_t j = 0; j < count; j++)
        assert_int_equal(bloomfilter_add(single, batch.keys[j], batch.sizes[j]), was_new[j]);
    assert_same_filter(many, single);
    assert_int_equal(info_of(many).insert_count, count);

    assert_int_equal(bloomfilter_contains_many(many, count, batch.keys, batch.sizes, found), 0);
    for (size_t j = 0; j < count; j++) {
        assert_int_equal(found[j], 1);
        assert_true(bloomfilter_contains(single, batch.keys[j], batch.sizes[j]));
    }
    assert_int_equal(bloomfilter_contains_many(many, count, others.keys, others.sizes, found), 0);
    for (size_t j = 0; j < count; j++)
        assert_int_equal(found[j], bloomfilter_contains(single, others.keys[j], others.sizes[j]));
    bloomfilter_free(many);
    bloomfilter_free(single);
}

/* Every size up to some that are several groups and more than one batch inside; then every 19th,
 * and what is about two batches. */
static size_t next_count(size_t count)
{
    if (count < 140 || (count >= 254 && count < 260))
        return count + 1;
    return count < 254 && count + 19 > 254 ? 254 : count + 19;
}

static void test_a_batch_of_any_size_equals_single_calls(void **state)
{
    (void)state;
    for (size_t kind = 0; kind < COUNT_OF(kinds); kind++) {
        bloomfilter_options options =
            OPTIONS(.capacity = 100, .target_fpr = 0.05, .hash = kinds[kind].hash,
                    .layout = kinds[kind].layout);
        for (size_t count = 0; count <= MOST_KEYS; count = next_count(count))
            assert_many_equals_single(&options, count);
    }
}

static void test_batches_of_many_positions_equal_single_calls(void **state)
{
    /* About the largest ones for which there is room for groups, the smaller one and the larger. */
    const uint32_t hash_counts[] = {1, 2, 32, 33, 85, 86, 255};
    (void)state;
    for (uint32_t hash = 1; hash <= 4; hash++)
        for (size_t i = 0; i < COUNT_OF(hash_counts); i++) {
            bloomfilter_options options =
                OPTIONS(.capacity = 20, .target_fpr = 0.05, .bit_count = 2999,
                        .hash_count = hash_counts[i], .hash = hash);
            for (size_t count = 0; count <= 51; count += count < 21 ? 1 : 15)
                assert_many_equals_single(&options, count);
        }
}

static void test_keyed_batches_equal_single_calls(void **state)
{
    (void)state;
    for (size_t kind = 0; kind < COUNT_OF(kinds); kind++) {
        bloomfilter_options options =
            OPTIONS(.capacity = 100, .target_fpr = 0.05, .hash = kinds[kind].hash,
                    .layout = kinds[kind].layout, .secret = secret, .secret_size = 64);
        if (!kinds[kind].takes_secret)
            continue;
        for (size_t count = 0; count <= MOST_KEYS; count += 19)
            assert_many_equals_single(&options, count);
    }
}

static void test_batches_write_exactly_count_bytes(void **state)
{
    struct batch batch;
    bloomfilter *filter = new_filter(1000, 0.01);
    (void)state;
    make_batch(&batch, 3);
    for (size_t count = 0; count <= MOST_KEYS; count += 3) {
        uint8_t answers[MOST_KEYS + 2];
        memset(answers, 0xa5, sizeof answers);
        bloomfilter_add_many(filter, count, batch.keys, batch.sizes, answers + 1);
        assert_int_equal(answers[0], 0xa5);
        assert_int_equal(answers[count + 1], 0xa5);
        memset(answers, 0xa5, sizeof answers);
        bloomfilter_contains_many(filter, count, batch.keys, batch.sizes, answers + 1);
        assert_int_equal(answers[0], 0xa5);
        assert_int_equal(answers[count + 1], 0xa5);
    }
    bloomfilter_free(filter);
}

static void test_a_key_repeated_in_a_batch_is_new_once(void **state)
{
    const void *keys[100];
    size_t sizes[100];
    uint8_t was_new[100];
    bloomfilter *filter = new_filter(1000, 1e-6);
    (void)state;
    for (size_t j = 0; j < 100; j++) { /* "a", "b", ... "e", "a", ... */
        keys[j] = &"abcde"[j % 5];
        sizes[j] = 1;
    }
    assert_int_equal(bloomfilter_add_many(filter, 100, keys, sizes, was_new), 0);
    for (size_t j = 0; j < 100; j++)
        assert_int_equal(was_new[j], j < 5);
    assert_int_equal(info_of(filter).insert_count, 100);
    bloomfilter_free(filter);
}

static void test_was_new_may_be_null(void **state)
{
    struct batch batch;
    bloomfilter *with = new_filter(100, 0.01);
    bloomfilter *without = new_filter(100, 0.01);
    uint8_t was_new[MOST_KEYS];
    (void)state;
    make_batch(&batch, 4);
    assert_int_equal(bloomfilter_add_many(with, 150, batch.keys, batch.sizes, was_new), 0);
    assert_int_equal(bloomfilter_add_many(without, 150, batch.keys, batch.sizes, NULL), 0);
    assert_same_filter(with, without);
    bloomfilter_free(with);
    bloomfilter_free(without);
}

static void test_a_batch_of_none_needs_no_arrays(void **state)
{
    bloomfilter *filter = new_filter(100, 0.01);
    bloomfilter *fresh = new_filter(100, 0.01);
    (void)state;
    assert_int_equal(bloomfilter_add_many(filter, 0, NULL, NULL, NULL), 0);
    assert_int_equal(bloomfilter_contains_many(filter, 0, NULL, NULL, NULL), 0);
    assert_same_filter(filter, fresh);
    bloomfilter_free(filter);
    bloomfilter_free(fresh);
}

static void test_one_invalid_key_and_nothing_is_added(void **state)
{
    enum { COUNT = 170 };
    bloomfilter *filter = new_filter(100, 0.01);
    bloomfilter *before;
    (void)state;
    add_numbered(filter, "user:", 0, 10);
    before = copy_of(filter);
    for (size_t invalid = 0; invalid < COUNT; invalid++) {
        struct batch batch;
        uint8_t answers[COUNT];
        uint8_t untouched[COUNT];
        make_batch(&batch, 5);
        batch.keys[invalid] = NULL;
        batch.sizes[invalid] = 1;
        memset(answers, 0xa5, sizeof answers);
        memset(untouched, 0xa5, sizeof untouched);
        assert_int_equal(bloomfilter_add_many(filter, COUNT, batch.keys, batch.sizes, answers),
                         BLOOMFILTER_EINVAL);
        assert_int_equal(bloomfilter_contains_many(filter, COUNT, batch.keys, batch.sizes, answers),
                         BLOOMFILTER_EINVAL);
        assert_memory_equal(answers, untouched, sizeof answers);
        assert_same_filter(filter, before);
    }
    bloomfilter_free(filter);
    bloomfilter_free(before);
}

static void test_invalid_arguments_add_nothing(void **state)
{
    const void *keys[1] = {"key"};
    const size_t sizes[1] = {3};
    uint8_t answer = 0xa5;
    bloomfilter *filter = new_filter(100, 0.01);
    bloomfilter *fresh = new_filter(100, 0.01);
    (void)state;
    assert_int_equal(bloomfilter_add(NULL, "key", 3), BLOOMFILTER_EINVAL);
    assert_int_equal(bloomfilter_add(filter, NULL, 1), BLOOMFILTER_EINVAL);
    assert_int_equal(bloomfilter_add(filter, NULL, SIZE_MAX), BLOOMFILTER_EINVAL);
    assert_int_equal(bloomfilter_add_many(NULL, 1, keys, sizes, &answer), BLOOMFILTER_EINVAL);
    assert_int_equal(bloomfilter_add_many(NULL, 0, NULL, NULL, NULL), BLOOMFILTER_EINVAL);
    assert_int_equal(bloomfilter_add_many(filter, 1, NULL, sizes, &answer), BLOOMFILTER_EINVAL);
    assert_int_equal(bloomfilter_add_many(filter, 1, keys, NULL, &answer), BLOOMFILTER_EINVAL);
    assert_int_equal(bloomfilter_contains_many(NULL, 1, keys, sizes, &answer), BLOOMFILTER_EINVAL);
    assert_int_equal(bloomfilter_contains_many(filter, 1, NULL, sizes, &answer),
                     BLOOMFILTER_EINVAL);
    assert_int_equal(bloomfilter_contains_many(filter, 1, keys, NULL, &answer), BLOOMFILTER_EINVAL);
    assert_int_equal(bloomfilter_contains_many(filter, 1, keys, sizes, NULL), BLOOMFILTER_EINVAL);
    assert_int_equal(answer, 0xa5);
    assert_same_filter(filter, fresh);
    bloomfilter_free(filter);
    bloomfilter_free(fresh);
}

static void test_contains_says_true_of_invalid_arguments(void **state)
{
    bloomfilter *filter = new_filter(100, 0.01);
    (void)state;
    assert_true(bloomfilter_contains(NULL, "key", 3));
    assert_true(bloomfilter_contains(NULL, NULL, 0));
    assert_true(bloomfilter_contains(filter, NULL, 1));
    assert_true(bloomfilter_contains(filter, NULL, SIZE_MAX));
    bloomfilter_free(filter);
}

static void test_the_empty_key_is_a_key_like_any_other(void **state)
{
    (void)state;
    for (size_t kind = 0; kind < COUNT_OF(kinds); kind++) {
        bloomfilter_options options =
            OPTIONS(.capacity = 100, .target_fpr = 1e-9, .hash = kinds[kind].hash,
                    .layout = kinds[kind].layout);
        bloomfilter *filter = created(&options);
        assert_false(bloomfilter_contains(filter, NULL, 0));
        assert_false(bloomfilter_contains(filter, "", 0));
        assert_int_equal(bloomfilter_add(filter, NULL, 0), 1);
        assert_int_equal(bloomfilter_add(filter, "ignored", 0), 0);
        assert_true(bloomfilter_contains(filter, NULL, 0));
        assert_true(bloomfilter_contains(filter, "", 0));
        assert_false(bloomfilter_contains(filter, "", 1));
        assert_int_equal(info_of(filter).insert_count, 2);
        bloomfilter_free(filter);
    }
}

static void test_keys_are_bytes_nul_included(void **state)
{
    static const struct {
        const char *bytes;
        size_t size;
    } keys[] = {{"a", 1},    {"a\0", 2}, {"a\0b", 3}, {"a\0c", 3},     {"\0", 1},       {"\0\0", 2},
                {"\0a", 2},  {"A", 1},   {"a\n", 2},  {"a\r\n", 3},    {"\xff", 1},     {"\xfe", 1},
                {"\x7f", 1}, {"a ", 2},  {" a", 2},   {"\xc3\xa9", 2}, {"e\xcc\x81", 3}};
    (void)state;
    for (size_t kind = 0; kind < COUNT_OF(kinds); kind++) {
        bloomfilter_options options =
            OPTIONS(.capacity = 100, .target_fpr = 1e-9, .hash = kinds[kind].hash,
                    .layout = kinds[kind].layout);
        bloomfilter *filter = created(&options);
        for (size_t i = 0; i < COUNT_OF(keys); i++) {
            assert_false(bloomfilter_contains(filter, keys[i].bytes, keys[i].size));
            assert_int_equal(bloomfilter_add(filter, keys[i].bytes, keys[i].size), 1);
            assert_int_equal(bloomfilter_add(filter, keys[i].bytes, keys[i].size), 0);
        }
        for (size_t i = 0; i < COUNT_OF(keys); i++)
            assert_true(bloomfilter_contains(filter, keys[i].bytes, keys[i].size));
        bloomfilter_free(filter);
    }
}

static void test_every_byte_of_a_large_key_counts(void **state)
{
    enum { SIZE = 1 << 17 };
    static uint8_t key[SIZE];
    const size_t places[] = {0, 1, 127, 128, 65535, 65536, SIZE / 2, SIZE - 2, SIZE - 1};
    (void)state;
    for (size_t kind = 0; kind < COUNT_OF(kinds); kind++) {
        bloomfilter_options options =
            OPTIONS(.capacity = 100, .target_fpr = 1e-9, .hash = kinds[kind].hash,
                    .layout = kinds[kind].layout);
        bloomfilter *filter = created(&options);
        memset(key, 'x', sizeof key);
        assert_int_equal(bloomfilter_add(filter, key, SIZE), 1);
        assert_true(bloomfilter_contains(filter, key, SIZE));
        assert_false(bloomfilter_contains(filter, key, SIZE - 1));
        for (size_t i = 0; i < COUNT_OF(places); i++) {
            key[places[i]] = 'y';
            assert_false(bloomfilter_contains(filter, key, SIZE));
            key[places[i]] = 'x';
        }
        bloomfilter_free(filter);
    }
}

static void test_large_keys_in_a_batch_equal_single_calls(void **state)
{
    enum { SIZE = 1 << 20, COUNT = 5 };
    uint8_t *bytes = calloc(1, SIZE + COUNT);
    const void *keys[COUNT];
    size_t sizes[COUNT];
    bloomfilter *many = new_filter(100, 0.01);
    bloomfilter *single = new_filter(100, 0.01);
    (void)state;
    for (size_t j = 0; j < COUNT; j++) {
        keys[j] = bytes + j;
        sizes[j] = SIZE - 1 + j % 3;
        assert_true(bloomfilter_add(single, keys[j], sizes[j]) >= 0);
    }
    assert_int_equal(bloomfilter_add_many(many, COUNT, keys, sizes, NULL), 0);
    assert_same_filter(many, single);
    bloomfilter_free(many);
    bloomfilter_free(single);
    free(bytes);
}

static void test_no_added_key_is_ever_denied(void **state)
{
    (void)state;
    for (size_t kind = 0; kind < COUNT_OF(kinds); kind++) {
        bloomfilter_options options =
            OPTIONS(.capacity = 2000, .target_fpr = 0.01, .hash = kinds[kind].hash,
                    .layout = kinds[kind].layout);
        bloomfilter *filter = created(&options);
        for (uint64_t i = 0; i < 4000; i += 500) { /* past its capacity too */
            add_numbered(filter, "user:", i, i + 500);
            assert_contains_numbered(filter, "user:", 0, i + 500);
        }
        bloomfilter_free(filter);
    }
}

static void test_add_says_new_exactly_when_the_key_was_absent(void **state)
{
    bloomfilter *filter = new_filter(300, 0.05);
    (void)state;
    for (unsigned key = 0; key < 900; key++) {
        bool was_found = bloomfilter_contains(filter, &key, sizeof key);
        uint64_t bits_before = info_of(filter).bits_set;
        int was_new = bloomfilter_add(filter, &key, sizeof key);
        assert_int_equal(was_new, was_found ? 0 : 1);
        assert_int_equal(info_of(filter).bits_set > bits_before, was_new);
        assert_int_equal(info_of(filter).insert_count, key + 1);
    }
    bloomfilter_free(filter);
}

static void test_a_filter_of_one_bit_contains_all_after_one_key(void **state)
{
    bloomfilter_options options = OPTIONS(.bit_count = 1, .hash_count = 5);
    bloomfilter *filter = created(&options);
    (void)state;
    assert_false(bloomfilter_contains(filter, "a", 1));
    assert_int_equal(bloomfilter_add(filter, "a", 1), 1);
    assert_int_equal(bloomfilter_add(filter, "b", 1), 0);
    assert_true(bloomfilter_contains(filter, "c", 1));
    bloomfilter_free(filter);
}

static void test_a_flat_filter_cannot_remove(void **state)
{
    bloomfilter *filter = new_filter(100, 0.01);
    (void)state;
    add_numbered(filter, "user:", 0, 50);
    bloomfilter *before = copy_of(filter);
    assert_int_equal(bloomfilter_remove(filter, "user:1", 6), BLOOMFILTER_EUNSUPPORTED);
    assert_int_equal(bloomfilter_remove(filter, "absent", 6), BLOOMFILTER_EUNSUPPORTED);
    assert_int_equal(bloomfilter_remove(filter, NULL, 0), BLOOMFILTER_EUNSUPPORTED);
    assert_int_equal(bloomfilter_remove(filter, NULL, 1), BLOOMFILTER_EINVAL);
    assert_int_equal(bloomfilter_remove(NULL, "user:1", 6), BLOOMFILTER_EINVAL);
    assert_same_filter(filter, before);
    bloomfilter_free(filter);
    bloomfilter_free(before);
}

/* ---- Free, clear, copy */

static void test_nothing_may_be_freed_and_cleared(void **state)
{
    (void)state;
    bloomfilter_free(NULL);
    bloomfilter_clear(NULL);
}

static void test_clear_leaves_a_fresh_filter_with_its_metadata(void **state)
{
    bloomfilter *filter = created(&full_options);
    bloomfilter *fresh = created(&full_options);
    (void)state;
    assert_int_equal(bloomfilter_set_metadata(filter, "NFC", 3), 0);
    assert_int_equal(bloomfilter_set_metadata(fresh, "NFC", 3), 0);
    add_numbered(filter, "user:", 0, 1500);
    assert_int_equal(bloomfilter_measure_fpr(filter, 100, 1, NULL), 0);
    bloomfilter_clear(filter);
    assert_same_filter(filter, fresh);
    assert_int_equal(info_of(filter).bits_set, 0);
    assert_int_equal(info_of(filter).insert_count, 0);
    assert_true(isnan(info_of(filter).measured_fpr));
    assert_int_equal(info_of(filter).measured_probes, 0);
    add_numbered(filter, "user:", 0, 100); /* the secret stayed */
    add_numbered(fresh, "user:", 0, 100);
    assert_same_filter(filter, fresh);
    bloomfilter_free(filter);
    bloomfilter_free(fresh);
}

static void test_copy_is_the_same_with_metadata_count_secret_and_measurement(void **state)
{
    bloomfilter *filter = created(&full_options);
    (void)state;
    assert_int_equal(bloomfilter_set_metadata(filter, "NFC", 3), 0);
    add_numbered(filter, "user:", 0, 500);
    assert_int_equal(bloomfilter_measure_fpr(filter, 1000, 1, NULL), 0);
    bloomfilter *copy = copy_of(filter);
    assert_same_filter(copy, filter);
    assert_int_equal(info_of(copy).insert_count, 500);
    assert_int_equal(info_of(copy).measured_probes, 1000);
    assert_int_equal(info_of(copy).memory_bytes, info_of(filter).memory_bytes);
    assert_int_equal(bloomfilter_compatible(copy, filter), 1);
    bloomfilter_free(copy);
    bloomfilter_free(filter);
}

static void test_copy_and_original_do_not_touch_each_other(void **state)
{
    const void *metadata;
    size_t size;
    bloomfilter *filter = new_filter(1000, 0.01);
    (void)state;
    add_numbered(filter, "user:", 0, 100);
    assert_int_equal(bloomfilter_set_metadata(filter, "old", 3), 0);
    bloomfilter *copy = copy_of(filter);
    bloomfilter *before = copy_of(filter);
    add_numbered(copy, "item:", 0, 100);
    assert_int_equal(bloomfilter_set_metadata(copy, "newer", 5), 0);
    assert_same_filter(filter, before);
    bloomfilter_clear(filter);
    assert_int_equal(bloomfilter_set_metadata(filter, NULL, 0), 0);
    bloomfilter_free(filter);
    assert_contains_numbered(copy, "user:", 0, 100);
    assert_contains_numbered(copy, "item:", 0, 100);
    assert_int_equal(bloomfilter_get_metadata(copy, &metadata, &size), 0);
    assert_int_equal(size, 5);
    assert_memory_equal(metadata, "newer", 5);
    bloomfilter_free(copy);
    bloomfilter_free(before);
}

static void test_copy_refuses_null(void **state)
{
    bloomfilter *copy = poison;
    bloomfilter *filter = new_filter(10, 0.1);
    (void)state;
    assert_int_equal(bloomfilter_copy(NULL, filter), BLOOMFILTER_EINVAL);
    assert_int_equal(bloomfilter_copy(&copy, NULL), BLOOMFILTER_EINVAL);
    assert_null(copy);
    bloomfilter_free(filter);
}

/* ---- Combine */

static void test_filters_that_differ_cannot_be_combined(void **state)
{
    const bloomfilter_options base = OPTIONS(.capacity = 100, .target_fpr = 0.01, .bit_count = 1000,
                                             .hash_count = 5, .hash = 3, .seed = 1);
    bloomfilter_options others[5];
    (void)state;
    for (size_t i = 0; i < COUNT_OF(others); i++)
        others[i] = base;
    others[0].bit_count = 1001; /* the same number of words */
    others[1].hash_count = 6;
    others[2].hash = 1;
    others[2].seed = 0;
    others[3].seed = 2;
    others[4].seed = 0;
    bloomfilter *a = created(&base);
    add_numbered(a, "user:", 0, 50);
    bloomfilter *before = copy_of(a);
    for (size_t i = 0; i < COUNT_OF(others); i++) {
        bloomfilter *b = created(&others[i]);
        add_numbered(b, "item:", 0, 50);
        assert_int_equal(bloomfilter_compatible(a, b), 0);
        assert_int_equal(bloomfilter_compatible(b, a), 0);
        assert_int_equal(bloomfilter_union(a, b), BLOOMFILTER_EINCOMPATIBLE);
        assert_int_equal(bloomfilter_intersect(a, b), BLOOMFILTER_EINCOMPATIBLE);
        assert_same_filter(a, before);
        bloomfilter_free(b);
    }
    bloomfilter_free(a);
    bloomfilter_free(before);
}

static void test_filters_of_different_secrets_cannot_be_combined(void **state)
{
    bloomfilter_options options[4] = {
        OPTIONS(.capacity = 100, .target_fpr = 0.01),
        OPTIONS(.capacity = 100, .target_fpr = 0.01, .secret = secret, .secret_size = 32),
        OPTIONS(.capacity = 100, .target_fpr = 0.01, .secret = secret, .secret_size = 33),
        OPTIONS(.capacity = 100, .target_fpr = 0.01, .secret = secret + 1, .secret_size = 32)};
    bloomfilter *filters[4];
    (void)state;
    for (size_t i = 0; i < 4; i++)
        filters[i] = created(&options[i]);
    for (size_t i = 0; i < 4; i++)
        for (size_t j = 0; j < 4; j++) {
            int expected = i == j ? 0 : BLOOMFILTER_EINCOMPATIBLE;
            assert_int_equal(bloomfilter_compatible(filters[i], filters[j]), i == j);
            assert_int_equal(bloomfilter_union(filters[i], filters[j]), expected);
            assert_int_equal(bloomfilter_intersect(filters[i], filters[j]), expected);
        }
    for (size_t i = 0; i < 4; i++)
        bloomfilter_free(filters[i]);
}

static void test_capacity_and_target_may_differ(void **state)
{
    bloomfilter_options options =
        OPTIONS(.capacity = 100, .target_fpr = 0.01, .bit_count = 1000, .hash_count = 5);
    (void)state;
    bloomfilter *a = created(&options);
    options.capacity = 200;
    options.target_fpr = 0.1;
    bloomfilter *b = created(&options);
    add_numbered(b, "user:", 0, 50);
    assert_int_equal(bloomfilter_compatible(a, b), 1);
    assert_int_equal(bloomfilter_union(a, b), 0);
    assert_contains_numbered(a, "user:", 0, 50);
    assert_int_equal(info_of(a).capacity, 100);
    assert_true(info_of(a).target_fpr == 0.01);
    bloomfilter_free(a);
    bloomfilter_free(b);
}

static void test_only_the_tweak_of_a_seed_must_be_the_same(void **state)
{
    bloomfilter_options options =
        OPTIONS(.capacity = 100, .target_fpr = 0.01, .hash = 3, .seed = 7);
    (void)state;
    bloomfilter *a = created(&options);
    options.seed = (uint64_t)1 << 32 | 7;
    bloomfilter *b = created(&options);
    add_numbered(b, "user:", 0, 50);
    assert_int_equal(bloomfilter_compatible(a, b), 1);
    assert_int_equal(bloomfilter_union(a, b), 0);
    assert_contains_numbered(a, "user:", 0, 50);
    assert_int_equal(info_of(a).bits_set, info_of(b).bits_set);
    bloomfilter_free(a);
    bloomfilter_free(b);
}

static void test_combining_refuses_null(void **state)
{
    bloomfilter *filter = new_filter(10, 0.1);
    (void)state;
    assert_int_equal(bloomfilter_compatible(NULL, filter), BLOOMFILTER_EINVAL);
    assert_int_equal(bloomfilter_compatible(filter, NULL), BLOOMFILTER_EINVAL);
    assert_int_equal(bloomfilter_compatible(NULL, NULL), BLOOMFILTER_EINVAL);
    assert_int_equal(bloomfilter_union(NULL, filter), BLOOMFILTER_EINVAL);
    assert_int_equal(bloomfilter_union(filter, NULL), BLOOMFILTER_EINVAL);
    assert_int_equal(bloomfilter_intersect(NULL, filter), BLOOMFILTER_EINVAL);
    assert_int_equal(bloomfilter_intersect(filter, NULL), BLOOMFILTER_EINVAL);
    bloomfilter_free(filter);
}

/* Shapes that end inside, at and behind a word, of every scheme, keyed and not. */
static const bloomfilter_options shapes[] = {
    OPTIONS(.capacity = 1000, .target_fpr = 0.01),
    OPTIONS(.capacity = 100, .target_fpr = 0.01, .bit_count = 63, .hash_count = 2),
    OPTIONS(.capacity = 100, .target_fpr = 0.01, .bit_count = 4096, .hash_count = 7),
    OPTIONS(.capacity = 100, .target_fpr = 0.01, .bit_count = 4097, .hash_count = 7, .hash = 2),
    OPTIONS(.capacity = 500, .target_fpr = 0.001, .hash = 3, .seed = 12345),
    OPTIONS(.capacity = 500, .target_fpr = 0.001, .secret = secret, .secret_size = 16),
    OPTIONS(.capacity = 500, .target_fpr = 0.001, .hash = 2, .secret = secret, .secret_size = 64),
};

static void test_union_equals_the_filter_of_all_keys(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(shapes); i++) {
        bloomfilter *a = created(&shapes[i]);
        bloomfilter *b = created(&shapes[i]);
        bloomfilter *all = created(&shapes[i]);
        add_numbered(a, "user:", 0, 300);
        add_numbered(b, "user:", 200, 450); /* some in both */
        add_numbered(all, "user:", 0, 300);
        add_numbered(all, "user:", 200, 450);
        bloomfilter *b_before = copy_of(b);
        assert_int_equal(bloomfilter_union(a, b), 0);
        assert_same_filter(a, all);
        assert_same_filter(b, b_before);
        assert_int_equal(info_of(a).insert_count, 550);
        assert_contains_numbered(a, "user:", 0, 450);
        bloomfilter_free(a);
        bloomfilter_free(b);
        bloomfilter_free(all);
        bloomfilter_free(b_before);
    }
}

static uint64_t payload_size_of(const bloomfilter_info *info)
{
    return (info->bit_count + 63) / 64 * 8;
}

static void assert_is_intersection(const bloomfilter *result, const bloomfilter *a,
                                   const bloomfilter *b)
{
    size_t size;
    bloomfilter_info info = info_of(result);
    uint8_t *a_bytes = serialized(a, &size);
    uint8_t *b_bytes = serialized(b, &size);
    uint8_t *bytes = serialized(result, &size);
    for (uint64_t at = size - payload_size_of(&info); at < size; at++)
        assert_int_equal(bytes[at], a_bytes[at] & b_bytes[at]);
    free(a_bytes);
    free(b_bytes);
    free(bytes);
}

static void test_intersection_holds_the_bits_that_both_have(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(shapes); i++) {
        bloomfilter *a = created(&shapes[i]);
        bloomfilter *b = created(&shapes[i]);
        add_numbered(a, "user:", 0, 60);
        add_numbered(b, "user:", 40, 90);
        bloomfilter *a_before = copy_of(a);
        bloomfilter *b_before = copy_of(b);
        assert_int_equal(bloomfilter_intersect(a, b), 0);
        assert_is_intersection(a, a_before, b_before);
        assert_same_filter(b, b_before);
        assert_contains_numbered(a, "user:", 40, 60);
        assert_int_equal(info_of(a).insert_count, 50);
        assert_true(info_of(a).current_fpr <= info_of(a_before).current_fpr);
        assert_true(info_of(a).current_fpr <= info_of(b_before).current_fpr);
        assert_int_equal(bloomfilter_intersect(b, a_before), 0);
        assert_int_equal(info_of(b).insert_count, 50);
        bloomfilter_free(a);
        bloomfilter_free(b);
        bloomfilter_free(a_before);
        bloomfilter_free(b_before);
    }
}

static void test_combining_with_itself_changes_nothing(void **state)
{
    bloomfilter *filter = new_filter(100, 0.01);
    (void)state;
    add_numbered(filter, "user:", 0, 50);
    assert_int_equal(bloomfilter_measure_fpr(filter, 1000, 1, NULL), 0);
    bloomfilter *before = copy_of(filter);
    assert_int_equal(bloomfilter_compatible(filter, filter), 1);
    assert_int_equal(bloomfilter_union(filter, filter), 0);
    assert_same_filter(filter, before);
    assert_int_equal(bloomfilter_intersect(filter, filter), 0);
    assert_same_filter(filter, before);
    bloomfilter_free(filter);
    bloomfilter_free(before);
}

static void test_combining_forgets_the_measurement(void **state)
{
    typedef int combine(bloomfilter * into, const bloomfilter *from);
    combine *const combinations[] = {bloomfilter_union, bloomfilter_intersect};
    (void)state;
    for (size_t i = 0; i < COUNT_OF(combinations); i++) {
        bloomfilter *a = new_filter(100, 0.2);
        bloomfilter *b = new_filter(100, 0.2);
        add_numbered(a, "user:", 0, 50);
        assert_int_equal(bloomfilter_measure_fpr(a, 1000, 1, NULL), 0);
        assert_int_equal(bloomfilter_measure_fpr(b, 1000, 1, NULL), 0);
        assert_int_equal(combinations[i](a, b), 0);
        assert_true(isnan(info_of(a).measured_fpr));
        assert_int_equal(info_of(a).measured_probes, 0);
        assert_int_equal(info_of(b).measured_probes, 1000);
        bloomfilter_free(a);
        bloomfilter_free(b);
    }
}

static void test_combining_leaves_metadata(void **state)
{
    const void *metadata;
    size_t size;
    bloomfilter *a = new_filter(100, 0.01);
    bloomfilter *b = new_filter(100, 0.01);
    (void)state;
    assert_int_equal(bloomfilter_set_metadata(a, "mine", 4), 0);
    assert_int_equal(bloomfilter_set_metadata(b, "theirs", 6), 0);
    assert_int_equal(bloomfilter_union(a, b), 0);
    assert_int_equal(bloomfilter_intersect(a, b), 0);
    assert_int_equal(bloomfilter_get_metadata(a, &metadata, &size), 0);
    assert_int_equal(size, 4);
    assert_memory_equal(metadata, "mine", 4);
    bloomfilter_free(a);
    bloomfilter_free(b);
}

static void test_insert_count_stays_at_its_largest_value(void **state)
{
    bloomfilter *filter = new_filter(100, 0.01);
    (void)state;
    add_numbered(filter, "user:", 0, 1);
    for (unsigned i = 0; i < 64; i++) { /* doubles it each time */
        bloomfilter *copy = copy_of(filter);
        assert_int_equal(info_of(filter).insert_count, (uint64_t)1 << i);
        assert_int_equal(bloomfilter_union(filter, copy), 0);
        bloomfilter_free(copy);
    }
    assert_true(info_of(filter).insert_count == UINT64_MAX);
    add_numbered(filter, "user:", 0, 10);
    assert_true(info_of(filter).insert_count == UINT64_MAX);
    bloomfilter *copy = copy_of(filter);
    assert_int_equal(bloomfilter_union(filter, copy), 0);
    assert_true(info_of(filter).insert_count == UINT64_MAX);
    assert_true(info_of(copy).insert_count == UINT64_MAX);
    bloomfilter_clear(filter);
    add_numbered(filter, "user:", 0, 3);
    assert_int_equal(info_of(filter).insert_count, 3);
    assert_int_equal(bloomfilter_intersect(copy, filter), 0);
    assert_int_equal(info_of(copy).insert_count, 3);
    bloomfilter_free(copy);
    bloomfilter_free(filter);
}

static void test_insert_count_just_below_its_largest_value_is_exact(void **state)
{
    bloomfilter *filter = new_filter(100, 0.01);
    bloomfilter *sum = new_filter(100, 0.01);
    (void)state;
    add_numbered(filter, "user:", 0, 1);
    for (unsigned i = 0; i < 64; i++) { /* 1 + 2 + 4 + ... */
        assert_int_equal(bloomfilter_union(sum, filter), 0);
        bloomfilter *copy = copy_of(filter);
        assert_int_equal(bloomfilter_union(filter, copy), 0);
        bloomfilter_free(copy);
        if (i == 62) {
            assert_true(info_of(sum).insert_count == UINT64_MAX >> 1);
            assert_true(info_of(filter).insert_count == (uint64_t)1 << 63);
            assert_int_equal(bloomfilter_union(sum, filter), 0);
            assert_true(info_of(sum).insert_count == UINT64_MAX);
            break;
        }
    }
    bloomfilter_free(filter);
    bloomfilter_free(sum);
}

/* ---- Inspect */

static uint64_t ones_in_payload(const bloomfilter *filter)
{
    size_t size;
    bloomfilter_info info = info_of(filter);
    uint8_t *bytes = serialized(filter, &size);
    uint64_t ones = 0;
    for (uint64_t at = size - payload_size_of(&info); at < size; at++)
        for (unsigned bit = 0; bit < 8; bit++)
            ones += bytes[at] >> bit & 1;
    free(bytes);
    return ones;
}

static void test_fill_and_estimate_follow_from_the_bits(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(shapes); i++) {
        bloomfilter *filter = created(&shapes[i]);
        for (uint64_t n = 0; n < 400; n += 40) {
            bloomfilter_info info = info_of(filter);
            double m = (double)info.bit_count;
            assert_int_equal(info.insert_count, n);
            assert_int_equal(info.bits_set, ones_in_payload(filter));
            assert_true(info.fill == (double)info.bits_set / m);
            if (info.bits_set < info.bit_count)
                assert_within(info.estimated_count, -m / info.hash_count * log(1 - info.fill),
                              1e-9);
            else
                assert_true(isinf(info.estimated_count) && info.estimated_count > 0);
            add_numbered(filter, "user:", n, n + 40);
        }
        bloomfilter_free(filter);
    }
}

static void test_estimated_count_is_near_the_number_of_distinct_keys(void **state)
{
    bloomfilter *filter = new_filter(20000, 0.01);
    (void)state;
    for (int repeats = 0; repeats < 3; repeats++)
        add_numbered(filter, "user:", 0, 15000);
    assert_within(info_of(filter).estimated_count, 15000, 0.02);
    assert_int_equal(info_of(filter).insert_count, 45000);
    bloomfilter_free(filter);
}

static void test_current_fpr_grows_from_0_to_expected_at_capacity(void **state)
{
    (void)state;
    for (size_t kind = 0; kind < COUNT_OF(kinds); kind++) {
        bloomfilter_options options =
            OPTIONS(.capacity = 5000, .target_fpr = 0.01, .hash = kinds[kind].hash,
                    .layout = kinds[kind].layout);
        bloomfilter *filter = created(&options);
        double last = info_of(filter).current_fpr;
        assert_true(last == 0.0);
        for (uint64_t n = 0; n < 5000; n += 500) {
            add_numbered(filter, "user:", n, n + 500);
            assert_true(info_of(filter).current_fpr > last);
            last = info_of(filter).current_fpr;
        }
        assert_within(last, info_of(filter).expected_fpr, 0.1);
        assert_within(last, 0.01, 0.15);
        bloomfilter_free(filter);
    }
}

static void test_a_full_filter_says_so(void **state)
{
    bloomfilter_options options = OPTIONS(.bit_count = 100, .hash_count = 3);
    bloomfilter *filter = created(&options);
    (void)state;
    add_numbered(filter, "user:", 0, 2000);
    bloomfilter_info info = info_of(filter);
    assert_int_equal(info.bits_set, 100);
    assert_true(info.fill == 1.0);
    assert_true(isinf(info.estimated_count));
    assert_true(info.current_fpr == 1.0);
    assert_int_equal(info.rebuild, BLOOMFILTER_REBUILD_OVER_TARGET);
    bloomfilter_free(filter);
}

static void assert_plan_is(const bloomfilter_info *plan, const bloomfilter_info *made)
{
    assert_int_equal(plan->struct_size, made->struct_size);
    assert_int_equal(plan->capacity, made->capacity);
    assert_true(plan->target_fpr == made->target_fpr);
    assert_int_equal(plan->bit_count, made->bit_count);
    assert_int_equal(plan->hash_count, made->hash_count);
    assert_int_equal(plan->hash, made->hash);
    assert_int_equal(plan->layout, made->layout);
    assert_int_equal(plan->flags, made->flags);
    assert_int_equal(plan->seed, made->seed);
    assert_int_equal(plan->insert_count, made->insert_count);
    assert_int_equal(plan->bits_set, made->bits_set);
    assert_true(plan->fill == made->fill);
    assert_true(plan->estimated_count == made->estimated_count);
    assert_true(plan->expected_fpr == made->expected_fpr);
    assert_true(plan->current_fpr == made->current_fpr);
    assert_true(isnan(plan->measured_fpr) && isnan(made->measured_fpr));
    assert_int_equal(plan->measured_probes, made->measured_probes);
    assert_int_equal(plan->memory_bytes, made->memory_bytes);
    assert_int_equal(plan->format_major, made->format_major);
    assert_int_equal(plan->format_minor, made->format_minor);
    assert_int_equal(plan->rebuild, made->rebuild);
}

static void test_plan_tells_what_create_makes(void **state)
{
    const bloomfilter_options large = OPTIONS(.capacity = 9000000, .target_fpr = 0.01);
    (void)state;
    for (size_t i = 0; i <= COUNT_OF(shapes); i++) {
        const bloomfilter_options *options = i < COUNT_OF(shapes) ? &shapes[i] : &large;
        bloomfilter_info plan = BLOOMFILTER_INFO_INIT;
        bloomfilter *filter = created(options);
        bloomfilter_info made = info_of(filter);
        assert_int_equal(bloomfilter_plan(options, &plan), 0);
        assert_plan_is(&plan, &made);
        assert_true(plan.memory_bytes >= payload_size_of(&made));
        assert_true(plan.expected_fpr > 0.0 && plan.expected_fpr <= 1.0);
        bloomfilter_free(filter);
    }
}

static void test_memory_bytes_count_the_metadata(void **state)
{
    bloomfilter *filter = new_filter(1000, 0.01);
    uint64_t without = info_of(filter).memory_bytes;
    static const uint8_t metadata[5000];
    (void)state;
    assert_int_equal(bloomfilter_set_metadata(filter, metadata, sizeof metadata), 0);
    assert_int_equal(info_of(filter).memory_bytes, without + sizeof metadata);
    assert_int_equal(bloomfilter_set_metadata(filter, NULL, 0), 0);
    assert_int_equal(info_of(filter).memory_bytes, without);
    bloomfilter_free(filter);
}

static void test_rebuild_is_no_up_to_capacity(void **state)
{
    bloomfilter *filter = new_filter(10000, 0.01);
    (void)state;
    add_numbered(filter, "user:", 0, 10000);
    assert_int_equal(info_of(filter).rebuild, BLOOMFILTER_REBUILD_NO);
    bloomfilter_free(filter);
}

static void test_repeated_keys_are_no_reason_to_rebuild(void **state)
{
    bloomfilter *filter = new_filter(1000, 0.01);
    (void)state;
    for (int repeats = 0; repeats < 5; repeats++)
        add_numbered(filter, "user:", 0, 900);
    assert_int_equal(info_of(filter).insert_count, 4500);
    assert_int_equal(info_of(filter).rebuild, BLOOMFILTER_REBUILD_NO);
    bloomfilter_free(filter);
}

static void test_rebuild_over_capacity_needs_count_and_estimate(void **state)
{
    /* One position per key: the estimate of 10 keys is a little over 10. */
    bloomfilter_options options =
        OPTIONS(.capacity = 10, .target_fpr = 0.5, .bit_count = 1000, .hash_count = 1);
    bloomfilter *filter = created(&options);
    uint64_t key = 0;
    (void)state;
    while (info_of(filter).bits_set < 10) {
        if (!bloomfilter_contains(filter, &key, sizeof key))
            bloomfilter_add(filter, &key, sizeof key);
        key++;
    }
    assert_int_equal(info_of(filter).insert_count, 10);
    assert_true(info_of(filter).estimated_count > 10);
    assert_int_equal(info_of(filter).rebuild, BLOOMFILTER_REBUILD_NO);
    bloomfilter_add(filter, &key, sizeof key);
    assert_int_equal(info_of(filter).insert_count, 11);
    assert_int_equal(info_of(filter).rebuild, BLOOMFILTER_REBUILD_OVER_CAPACITY);
    bloomfilter_free(filter);
}

static void test_rebuild_follows_its_rule_at_every_count(void **state)
{
    bool was_seen[3] = {false, false, false};
    bloomfilter *filter = new_filter(1000, 0.01);
    (void)state;
    for (uint64_t n = 0; n < 1200; n += 4) {
        add_numbered(filter, "user:", n, n + 4);
        bloomfilter_info info = info_of(filter);
        uint32_t expected = BLOOMFILTER_REBUILD_NO;
        if (info.current_fpr > 1.1 * info.target_fpr)
            expected = BLOOMFILTER_REBUILD_OVER_TARGET;
        else if (info.insert_count > 1000 && info.estimated_count > 1000)
            expected = BLOOMFILTER_REBUILD_OVER_CAPACITY;
        assert_int_equal(info.rebuild, expected);
        was_seen[info.rebuild] = true;
    }
    assert_true(was_seen[0] && was_seen[1] && was_seen[2]);
    bloomfilter_free(filter);
}

/* ---- Measuring */

static void test_measuring_refuses_null_and_no_probes(void **state)
{
    double fpr = 12.5;
    bloomfilter *filter = new_filter(10, 0.1);
    (void)state;
    assert_int_equal(bloomfilter_measure_fpr(NULL, 10, 1, &fpr), BLOOMFILTER_EINVAL);
    assert_int_equal(bloomfilter_measure_fpr(filter, 0, 1, &fpr), BLOOMFILTER_EINVAL);
    assert_true(fpr == 12.5);
    assert_true(isnan(info_of(filter).measured_fpr));
    assert_int_equal(info_of(filter).measured_probes, 0);
    bloomfilter_free(filter);
}

static void test_measurement_is_recorded_and_replaced(void **state)
{
    double fpr;
    bloomfilter *filter = new_filter(100, 0.2);
    (void)state;
    add_numbered(filter, "user:", 0, 100);
    assert_int_equal(bloomfilter_measure_fpr(filter, 1000, 7, &fpr), 0);
    assert_true(info_of(filter).measured_fpr == fpr);
    assert_int_equal(info_of(filter).measured_probes, 1000);
    assert_int_equal(bloomfilter_measure_fpr(filter, 333, 8, NULL), 0);
    assert_int_equal(info_of(filter).measured_probes, 333);
    double hits = info_of(filter).measured_fpr * 333;
    assert_within(hits, rint(hits), 1e-12);
    bloomfilter_free(filter);
}

static void test_measuring_adds_nothing(void **state)
{
    bloomfilter *filter = new_filter(100, 0.2);
    (void)state;
    add_numbered(filter, "user:", 0, 100);
    bloomfilter_info before = info_of(filter);
    assert_int_equal(bloomfilter_measure_fpr(filter, 1000, 7, NULL), 0);
    assert_int_equal(info_of(filter).bits_set, before.bits_set);
    assert_int_equal(info_of(filter).insert_count, before.insert_count);
    bloomfilter_free(filter);
}

static void test_keys_added_later_leave_the_measurement(void **state)
{
    double fpr;
    bloomfilter *filter = new_filter(100, 0.2);
    (void)state;
    add_numbered(filter, "user:", 0, 50);
    assert_int_equal(bloomfilter_measure_fpr(filter, 1000, 7, &fpr), 0);
    add_numbered(filter, "user:", 50, 500);
    assert_true(info_of(filter).measured_fpr == fpr);
    assert_int_equal(info_of(filter).measured_probes, 1000);
    bloomfilter_free(filter);
}

static void test_the_same_seed_asks_for_the_same_keys(void **state)
{
    const uint64_t seeds[] = {0, 1, UINT64_MAX};
    bloomfilter *a = new_filter(1000, 0.1);
    bloomfilter *b = new_filter(1000, 0.1);
    double rates[3];
    (void)state;
    add_numbered(a, "user:", 0, 1000);
    add_numbered(b, "user:", 0, 1000);
    for (size_t i = 0; i < COUNT_OF(seeds); i++) {
        double again;
        assert_int_equal(bloomfilter_measure_fpr(a, 10000, seeds[i], &rates[i]), 0);
        assert_int_equal(bloomfilter_measure_fpr(a, 10000, seeds[i], &again), 0);
        assert_true(again == rates[i]);
        assert_int_equal(bloomfilter_measure_fpr(b, 10000, seeds[i], &again), 0);
        assert_true(again == rates[i]);
    }
    assert_false(rates[0] == rates[1] && rates[1] == rates[2]);
    assert_same_filter(a, b);
    bloomfilter_free(a);
    bloomfilter_free(b);
}

/* One probe more finds at most one key more, whatever size the library asks in at a time. */
static void test_exactly_so_many_probes_are_asked_for(void **state)
{
    bloomfilter *filter = new_filter(100, 0.5);
    double last_hits = 0;
    (void)state;
    add_numbered(filter, "user:", 0, 100);
    for (uint64_t probes = 1; probes < 300; probes++) {
        double fpr;
        assert_int_equal(bloomfilter_measure_fpr(filter, probes, 3, &fpr), 0);
        double hits = rint(fpr * (double)probes);
        assert_true(fpr == hits / (double)probes);
        assert_true(hits == last_hits || hits == last_hits + 1);
        last_hits = hits;
    }
    assert_true(last_hits > 75 && last_hits < 225);
    bloomfilter_free(filter);
}

static void test_an_empty_filter_measures_0_and_a_full_one_1(void **state)
{
    double fpr;
    bloomfilter_options options = OPTIONS(.bit_count = 1, .hash_count = 1);
    bloomfilter *filter = created(&options);
    (void)state;
    assert_int_equal(bloomfilter_measure_fpr(filter, 500, 1, &fpr), 0);
    assert_true(fpr == 0.0);
    assert_int_equal(bloomfilter_add(filter, "key", 3), 1);
    assert_int_equal(bloomfilter_measure_fpr(filter, 500, 1, &fpr), 0);
    assert_true(fpr == 1.0);
    bloomfilter_free(filter);
}

static void test_measured_fpr_is_near_current_fpr(void **state)
{
    const double probes = 20000;
    (void)state;
    for (size_t kind = 0; kind < COUNT_OF(kinds); kind++) {
        bloomfilter_options options =
            OPTIONS(.capacity = 5000, .target_fpr = 0.05, .hash = kinds[kind].hash,
                    .layout = kinds[kind].layout);
        bloomfilter *filter = created(&options);
        double fpr;
        add_numbered(filter, "user:", 0, 5000);
        assert_int_equal(bloomfilter_measure_fpr(filter, (uint64_t)probes, 42, &fpr), 0);
        double current = info_of(filter).current_fpr;
        assert_true(fabs(fpr - current) < 5 * sqrt(current * (1 - current) / probes));
        bloomfilter_free(filter);
    }
}

/* ---- Texts */

static void test_every_error_has_a_text_of_its_own(void **state)
{
    (void)state;
    for (int a = BLOOMFILTER_ESELFTEST; a <= BLOOMFILTER_EINVAL; a++) {
        assert_non_null(bloomfilter_strerror(a));
        assert_true(bloomfilter_strerror(a)[0] != '\0');
        assert_ptr_equal(bloomfilter_strerror(a), bloomfilter_strerror(a));
        for (int b = a + 1; b <= 0; b++)
            assert_string_not_equal(bloomfilter_strerror(a), bloomfilter_strerror(b));
    }
}

static void test_any_int_has_a_text(void **state)
{
    const int codes[] = {INT32_MIN, -1000, BLOOMFILTER_ESELFTEST - 1, 0, 1, 2, 1000, INT32_MAX};
    (void)state;
    for (size_t i = 0; i < COUNT_OF(codes); i++) {
        assert_non_null(bloomfilter_strerror(codes[i]));
        assert_true(bloomfilter_strerror(codes[i])[0] != '\0');
    }
    assert_string_equal(bloomfilter_strerror(BLOOMFILTER_ENOTFILTER), "not a filter file");
}

static void test_error_numbers_never_change(void **state)
{
    (void)state;
    assert_int_equal(BLOOMFILTER_EINVAL, -1);
    assert_int_equal(BLOOMFILTER_ENOMEM, -2);
    assert_int_equal(BLOOMFILTER_EIO, -3);
    assert_int_equal(BLOOMFILTER_ENOTFILTER, -4);
    assert_int_equal(BLOOMFILTER_EDAMAGED, -5);
    assert_int_equal(BLOOMFILTER_ENEWER, -6);
    assert_int_equal(BLOOMFILTER_EUNSUPPORTED, -7);
    assert_int_equal(BLOOMFILTER_ESECRET, -8);
    assert_int_equal(BLOOMFILTER_EINCOMPATIBLE, -9);
    assert_int_equal(BLOOMFILTER_EREADONLY, -10);
    assert_int_equal(BLOOMFILTER_ETOOLARGE, -11);
    assert_int_equal(BLOOMFILTER_ENOTFOUND, -12);
    assert_int_equal(BLOOMFILTER_ESELFTEST, -13);
}

static void test_version_is_that_of_the_header(void **state)
{
    char version[32];
    (void)state;
    snprintf(version, sizeof version, "%d.%d.%d", BLOOMFILTER_VERSION_MAJOR,
             BLOOMFILTER_VERSION_MINOR, BLOOMFILTER_VERSION_PATCH);
    assert_string_equal(bloomfilter_version(), version);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_capacity_0_is_refused_unless_it_can_be_derived),
        cmocka_unit_test(test_target_0_is_refused_unless_it_can_be_derived),
        cmocka_unit_test(test_target_outside_0_to_1_is_refused),
        cmocka_unit_test(test_target_that_needs_over_255_hashes_is_refused),
        cmocka_unit_test(test_every_target_between_is_accepted),
        cmocka_unit_test(test_denormal_target_is_accepted_with_a_hash_count),
        cmocka_unit_test(test_more_than_2_to_60_bits_are_refused),
        cmocka_unit_test(test_2_to_60_bits_can_be_planned_and_fail_cleanly),
        cmocka_unit_test(test_hash_count_is_1_to_255),
        cmocka_unit_test(test_unknown_flags_are_refused),
        cmocka_unit_test(test_unknown_hash_or_layout_is_unsupported),
        cmocka_unit_test(test_secret_is_16_to_64_bytes),
        cmocka_unit_test(test_half_a_secret_is_refused),
        cmocka_unit_test(test_scheme_3_takes_no_secret),
        cmocka_unit_test(test_only_scheme_3_takes_a_seed),
        cmocka_unit_test(test_null_arguments_are_refused),
        cmocka_unit_test(test_new_filter_is_empty_and_as_asked_for),
        cmocka_unit_test(test_new_is_create_with_defaults),
        cmocka_unit_test(test_given_values_are_kept),
        cmocka_unit_test(test_one_given_size_leaves_the_other_to_the_library),
        cmocka_unit_test(test_capacity_and_target_are_derived),
        cmocka_unit_test(test_target_is_derived_for_a_given_capacity),
        cmocka_unit_test(test_capacity_is_derived_for_a_given_target),
        cmocka_unit_test(test_extreme_derived_targets_stay_between_0_and_1),
        cmocka_unit_test(test_secret_is_copied_and_changes_every_position),
        cmocka_unit_test(test_secrets_that_differ_by_trailing_zeros_are_different),
        cmocka_unit_test(test_smaller_options_have_zeros_for_the_rest),
        cmocka_unit_test(test_nothing_past_the_size_of_options_is_read),
        cmocka_unit_test(test_options_with_a_size_that_cannot_be_are_refused),
        cmocka_unit_test(test_larger_options_are_accepted_while_the_rest_is_zero),
        cmocka_unit_test(test_nothing_past_the_size_of_an_info_is_written),
        cmocka_unit_test(test_info_with_a_size_that_cannot_be_is_refused),
        cmocka_unit_test(test_larger_info_is_accepted_while_the_rest_is_zero),
        cmocka_unit_test(test_a_batch_of_any_size_equals_single_calls),
        cmocka_unit_test(test_batches_of_many_positions_equal_single_calls),
        cmocka_unit_test(test_keyed_batches_equal_single_calls),
        cmocka_unit_test(test_batches_write_exactly_count_bytes),
        cmocka_unit_test(test_a_key_repeated_in_a_batch_is_new_once),
        cmocka_unit_test(test_was_new_may_be_null),
        cmocka_unit_test(test_a_batch_of_none_needs_no_arrays),
        cmocka_unit_test(test_one_invalid_key_and_nothing_is_added),
        cmocka_unit_test(test_invalid_arguments_add_nothing),
        cmocka_unit_test(test_contains_says_true_of_invalid_arguments),
        cmocka_unit_test(test_the_empty_key_is_a_key_like_any_other),
        cmocka_unit_test(test_keys_are_bytes_nul_included),
        cmocka_unit_test(test_every_byte_of_a_large_key_counts),
        cmocka_unit_test(test_large_keys_in_a_batch_equal_single_calls),
        cmocka_unit_test(test_no_added_key_is_ever_denied),
        cmocka_unit_test(test_add_says_new_exactly_when_the_key_was_absent),
        cmocka_unit_test(test_a_filter_of_one_bit_contains_all_after_one_key),
        cmocka_unit_test(test_a_flat_filter_cannot_remove),
        cmocka_unit_test(test_nothing_may_be_freed_and_cleared),
        cmocka_unit_test(test_clear_leaves_a_fresh_filter_with_its_metadata),
        cmocka_unit_test(test_copy_is_the_same_with_metadata_count_secret_and_measurement),
        cmocka_unit_test(test_copy_and_original_do_not_touch_each_other),
        cmocka_unit_test(test_copy_refuses_null),
        cmocka_unit_test(test_filters_that_differ_cannot_be_combined),
        cmocka_unit_test(test_filters_of_different_secrets_cannot_be_combined),
        cmocka_unit_test(test_capacity_and_target_may_differ),
        cmocka_unit_test(test_only_the_tweak_of_a_seed_must_be_the_same),
        cmocka_unit_test(test_combining_refuses_null),
        cmocka_unit_test(test_union_equals_the_filter_of_all_keys),
        cmocka_unit_test(test_intersection_holds_the_bits_that_both_have),
        cmocka_unit_test(test_combining_with_itself_changes_nothing),
        cmocka_unit_test(test_combining_forgets_the_measurement),
        cmocka_unit_test(test_combining_leaves_metadata),
        cmocka_unit_test(test_insert_count_stays_at_its_largest_value),
        cmocka_unit_test(test_insert_count_just_below_its_largest_value_is_exact),
        cmocka_unit_test(test_fill_and_estimate_follow_from_the_bits),
        cmocka_unit_test(test_estimated_count_is_near_the_number_of_distinct_keys),
        cmocka_unit_test(test_current_fpr_grows_from_0_to_expected_at_capacity),
        cmocka_unit_test(test_a_full_filter_says_so),
        cmocka_unit_test(test_plan_tells_what_create_makes),
        cmocka_unit_test(test_memory_bytes_count_the_metadata),
        cmocka_unit_test(test_rebuild_is_no_up_to_capacity),
        cmocka_unit_test(test_repeated_keys_are_no_reason_to_rebuild),
        cmocka_unit_test(test_rebuild_over_capacity_needs_count_and_estimate),
        cmocka_unit_test(test_rebuild_follows_its_rule_at_every_count),
        cmocka_unit_test(test_measuring_refuses_null_and_no_probes),
        cmocka_unit_test(test_measurement_is_recorded_and_replaced),
        cmocka_unit_test(test_measuring_adds_nothing),
        cmocka_unit_test(test_keys_added_later_leave_the_measurement),
        cmocka_unit_test(test_the_same_seed_asks_for_the_same_keys),
        cmocka_unit_test(test_exactly_so_many_probes_are_asked_for),
        cmocka_unit_test(test_an_empty_filter_measures_0_and_a_full_one_1),
        cmocka_unit_test(test_measured_fpr_is_near_current_fpr),
        cmocka_unit_test(test_every_error_has_a_text_of_its_own),
        cmocka_unit_test(test_any_int_has_a_text),
        cmocka_unit_test(test_error_numbers_never_change),
        cmocka_unit_test(test_version_is_that_of_the_header),
    };
    return RUN(tests);
}
