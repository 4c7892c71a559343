/* SPDX-License-Identifier: MIT */
/*
 * What someone can do who chooses keys (docs/adversaries.md), with a filter that has no secret and
 * with the same filter that has one. The attacker knows the scheme, the filter's file where it has
 * no secret, and computes positions offline. All keys come from fixed seeds, so every figure is the
 * same on every run; the bounds are five standard deviations.
 */
#include "support.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bitset/split_block.h"
#include "hashing/hashing.h"

/* Filters of 1000 keys at 1 %. The first is what bloomfilter_new(&filter, 1000, 0.01) makes. */
struct target {
    const char *name;
    uint32_t hash;
    uint32_t layout;
    uint64_t bit_count;
    unsigned hash_count;
    bool takes_secret;
};

enum { CAPACITY = 1000, FLAT_BITS = 9586, MOST_BITS = 10752, MOST_HASHES = 8 };

static const struct target pair = {
    "scheme 1", BLOOMFILTER_HASH_BLAKE2B_PAIR, BLOOMFILTER_LAYOUT_FLAT, FLAT_BITS, 7, true};
static const struct target indexed = {
    "scheme 2", BLOOMFILTER_HASH_BLAKE2B_INDEXED, BLOOMFILTER_LAYOUT_FLAT, FLAT_BITS, 7, true};
static const struct target wide = {
    "scheme 4", BLOOMFILTER_HASH_BLAKE2B_WIDE, BLOOMFILTER_LAYOUT_FLAT, FLAT_BITS, 7, true};
static const struct target wide_blocks = {"scheme 4 in blocks",
                                          BLOOMFILTER_HASH_BLAKE2B_WIDE,
                                          BLOOMFILTER_LAYOUT_SPLIT_BLOCK,
                                          MOST_BITS,
                                          8,
                                          true};
static const struct target xxh64_blocks = {"scheme 5 in blocks",
                                           BLOOMFILTER_HASH_XXH64,
                                           BLOOMFILTER_LAYOUT_SPLIT_BLOCK,
                                           MOST_BITS,
                                           8,
                                           false};

enum {
    MOST_CHOSEN = 3000, /* keys that are chosen to fill a filter; it needs fewer */
    AIMED = 3000,       /* keys that are chosen to be found */
    PATIENCE = 3000     /* tries, before the attacker is content with one new bit less */
};

static const char theirs[] = "the secret that the service has";
static const char guessed[] = "the secret that the attacker guessed";

/* ---- keys: 8 bytes, the n-th of a stream */

enum stream { MEMBERS, RANDOM_KEYS, CANDIDATES };

static uint64_t key_of(enum stream stream, uint64_t n)
{
    uint64_t x = ((uint64_t)stream << 48) + n; /* SplitMix64: no key comes twice */
    x = (x + 1) * 0x9e3779b97f4a7c15;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
    x = (x ^ x >> 27) * 0x94d049bb133111eb;
    return x ^ x >> 31;
}

static void add_keys(bloomfilter *filter, const uint64_t keys[], size_t count)
{
    for (size_t i = 0; i < count; i++)
        assert_true(bloomfilter_add(filter, &keys[i], sizeof keys[i]) >= 0);
}

static size_t count_found(const bloomfilter *filter, const uint64_t keys[], size_t count)
{
    size_t found = 0;
    for (size_t i = 0; i < count; i++)
        found += bloomfilter_contains(filter, &keys[i], sizeof keys[i]);
    return found;
}

static void take_keys(uint64_t keys[], enum stream stream, size_t count)
{
    for (size_t i = 0; i < count; i++)
        keys[i] = key_of(stream, i);
}

/* ---- filters */

static bloomfilter *make_filter(const struct target *target, const char *secret)
{
    bloomfilter_options options = BLOOMFILTER_OPTIONS_INIT;
    options.capacity = CAPACITY;
    options.target_fpr = 0.01;
    options.hash = target->hash;
    options.layout = target->layout;
    options.secret = secret;
    options.secret_size = secret != NULL ? strlen(secret) : 0;
    bloomfilter *filter = created(&options);
    assert_int_equal(info_of(filter).bit_count, target->bit_count);
    assert_int_equal(info_of(filter).hash_count, target->hash_count);
    return filter;
}

static bloomfilter *make_full_filter(const struct target *target, const char *secret)
{
    static uint64_t members[CAPACITY];
    bloomfilter *filter = make_filter(target, secret);
    take_keys(members, MEMBERS, CAPACITY);
    add_keys(filter, members, CAPACITY);
    return filter;
}

/* ---- the attacker, who has no access to the filter while keys are chosen */

struct attacker {
    const struct target *target;
    struct hasher hasher;
    bool is_set[MOST_BITS]; /* the filter as the attacker thinks that it is */
    uint64_t tries;         /* candidates looked at */
};

static void start_attack(struct attacker *attacker, const struct target *target, const char *secret)
{
    struct secret assumed = {.size = secret != NULL ? strlen(secret) : 0};
    if (secret != NULL)
        memcpy(assumed.bytes, secret, assumed.size);
    memset(attacker, 0, sizeof *attacker);
    attacker->target = target;
    bloomfilter_hashing_prepare(&attacker->hasher, bloomfilter_hashing_find(target->hash),
                                target->bit_count, target->hash_count, 0, &assumed);
}

/* The bits of a key: in blocks as docs/format.md numbers them. */
static void compute_positions(const struct attacker *attacker, const void *key, size_t size,
                              uint64_t positions[MOST_HASHES])
{
    const struct hasher *hasher = &attacker->hasher;
    if (attacker->target->layout == BLOOMFILTER_LAYOUT_FLAT) {
        hasher->scheme->positions(hasher, key, size, positions, 1);
        return;
    }
    uint64_t hash = hasher->scheme->hash(hasher, key, size);
    for (unsigned i = 0; i < attacker->target->hash_count; i++)
        positions[i] = split_block_offset(attacker->target->bit_count, hash) * 8 + 32 * i +
                       ((uint32_t)hash * bloomfilter_split_block_salts[i] >> 27);
}

/* Sets the bits of a key; returns how many were not set before. */
static unsigned set_bits(struct attacker *attacker, uint64_t key)
{
    uint64_t positions[MOST_HASHES];
    unsigned count = 0;
    compute_positions(attacker, &key, sizeof key, positions);
    for (unsigned i = 0; i < attacker->target->hash_count; i++) {
        count += !attacker->is_set[positions[i]];
        attacker->is_set[positions[i]] = true;
    }
    return count;
}

/* How many bits that are not set a key would set. */
static unsigned count_new_bits(const struct attacker *attacker, uint64_t key)
{
    uint64_t positions[MOST_HASHES];
    unsigned count = 0;
    compute_positions(attacker, &key, sizeof key, positions);
    for (unsigned i = 0; i < attacker->target->hash_count; i++) {
        bool is_new = !attacker->is_set[positions[i]];
        for (unsigned j = 0; j < i; j++)
            is_new &= positions[j] != positions[i];
        count += is_new;
    }
    return count;
}

/* The next candidate that sets `wanted` new bits. False: there is none soon. */
static bool find_filler(struct attacker *attacker, unsigned wanted, uint64_t *key)
{
    for (int i = 0; i < PATIENCE; i++) {
        *key = key_of(CANDIDATES, attacker->tries++);
        if (count_new_bits(attacker, *key) >= wanted)
            return true;
    }
    return false;
}

/* Chooses keys that fill an empty filter as fast as keys can, until every bit is set or there are
 * `most` keys. Returns how many. */
static size_t choose_fillers(struct attacker *attacker, uint64_t keys[], size_t most)
{
    unsigned wanted = attacker->target->hash_count;
    unsigned bits = 0;
    size_t count = 0;
    while (bits < attacker->target->bit_count && count < most)
        if (find_filler(attacker, wanted, &keys[count]))
            bits += set_bits(attacker, keys[count++]);
        else if (wanted > 1)
            wanted--;
    return count;
}

/* Chooses keys whose bits are all set. */
static void choose_false_positives(struct attacker *attacker, uint64_t keys[], size_t count)
{
    for (size_t i = 0; i < count; i++)
        do
            keys[i] = key_of(CANDIDATES, attacker->tries++);
        while (count_new_bits(attacker, keys[i]) != 0);
}

/* ---- what chance gives */

/* Whether a count is what chance gives, within five standard deviations. */
static void assert_by_chance(const char *what, double count, double mean, double variance)
{
    print_message("    %s: %.0f, chance gives %.1f +- %.1f\n", what, count, mean, sqrt(variance));
    if (fabs(count - mean) > 5 * sqrt(variance))
        fail_msg("%s: %g; chance gives %g +- %g", what, count, mean, sqrt(variance));
}

/* Keys that are found: each with the rate that the filter states. */
static void assert_found_by_chance(const bloomfilter *filter, const uint64_t keys[], size_t count)
{
    double rate = info_of(filter).current_fpr;
    assert_by_chance("keys found", (double)count_found(filter, keys, count), (double)count * rate,
                     (double)count * rate * (1 - rate));
}

/*
 * Bits set by `count` random keys in an empty filter: balls thrown into bins. Words of one block
 * have the same keys, so what they have set varies together: e^(-2 load) (e^(load / 32) - 1) is the
 * variance of (31/32)^j, where j keys are in a block.
 */
static void assert_filled_by_chance(const bloomfilter *filter, const struct target *target,
                                    size_t count)
{
    double bits = (double)target->bit_count;
    double load = (double)count * target->hash_count / bits;
    double unset = exp(-load);
    double variance = unset * (1 - unset) - load * unset * unset;
    if (target->layout == BLOOMFILTER_LAYOUT_SPLIT_BLOCK)
        variance =
            unset * (1 - unset) - 8 * load * unset * unset + 224 * unset * unset * expm1(load / 32);
    assert_by_chance("bits set", (double)info_of(filter).bits_set, bits * (1 - unset),
                     bits * variance);
}

static void tell_fill(const char *whose, size_t count, const bloomfilter *filter)
{
    bloomfilter_info info = info_of(filter);
    print_message("    %zu %s: %" PRIu64 " of %" PRIu64 " bits set (%.1f %%), rate %.2g\n", count,
                  whose, info.bits_set, info.bit_count, 100 * info.fill, info.current_fpr);
}

/* ---- filling a filter early */

/* The fillers, added to a filter that the attacker does not know: as good as random keys. */
static void check_fillers_by_chance(const struct target *target, const uint64_t keys[],
                                    size_t count)
{
    bloomfilter *filter = make_filter(target, theirs);
    add_keys(filter, keys, CAPACITY);
    tell_fill("chosen keys", CAPACITY, filter);
    assert_filled_by_chance(filter, target, CAPACITY);
    add_keys(filter, keys + CAPACITY, count - CAPACITY);
    tell_fill("chosen keys", count, filter);
    assert_filled_by_chance(filter, target, count);
    bloomfilter_free(filter);
}

static void check_random_keys(const struct target *target, size_t count)
{
    static uint64_t keys[MOST_CHOSEN];
    bloomfilter *filter = make_filter(target, NULL);
    take_keys(keys, RANDOM_KEYS, count);
    add_keys(filter, keys, CAPACITY);
    tell_fill("random keys", CAPACITY, filter);
    assert_filled_by_chance(filter, target, CAPACITY);
    add_keys(filter, keys + CAPACITY, count - CAPACITY);
    tell_fill("random keys", count, filter);
    assert_filled_by_chance(filter, target, count);
    bloomfilter_free(filter);
}

static void check_fillers(const struct target *target, const uint64_t keys[], size_t count)
{
    static uint64_t others[AIMED];
    bloomfilter *filter = make_filter(target, NULL);
    add_keys(filter, keys, CAPACITY);
    tell_fill("chosen keys", CAPACITY, filter);
    assert_true(info_of(filter).fill > 0.71);
    assert_true(info_of(filter).current_fpr > 0.08); /* 0.01 would be right */
    add_keys(filter, keys + CAPACITY, count - CAPACITY);
    tell_fill("chosen keys", count, filter);
    assert_int_equal(info_of(filter).bits_set, target->bit_count);
    take_keys(others, RANDOM_KEYS, AIMED);
    assert_int_equal(count_found(filter, others, AIMED), AIMED);
    bloomfilter_free(filter);
}

static void check_saturation(const struct target *target)
{
    static uint64_t keys[MOST_CHOSEN];
    struct attacker attacker;

    start_attack(&attacker, target, NULL);
    size_t count = choose_fillers(&attacker, keys, MOST_CHOSEN);
    print_message("  %s, no secret; %" PRIu64 " tries offline\n", target->name, attacker.tries);
    assert_true(count > CAPACITY && count < MOST_CHOSEN);
    check_random_keys(target, count);
    check_fillers(target, keys, count);
    if (!target->takes_secret)
        return;
    print_message("  the same keys, with a secret\n");
    check_fillers_by_chance(target, keys, count);

    start_attack(&attacker, target, guessed);
    count = choose_fillers(&attacker, keys, CAPACITY + 100);
    print_message("  keys chosen for another secret\n");
    check_fillers_by_chance(target, keys, count);
}

static void test_saturation_of_scheme_1(void **state)
{
    (void)state;
    check_saturation(&pair);
}

static void test_saturation_of_scheme_2(void **state)
{
    (void)state;
    check_saturation(&indexed);
}

static void test_saturation_of_scheme_4(void **state)
{
    (void)state;
    check_saturation(&wide);
}

static void test_saturation_of_blocks(void **state)
{
    (void)state;
    check_saturation(&wide_blocks);
    check_saturation(&xxh64_blocks);
}

/* ---- false positives at will */

/* The attacker's picture of a filter whose members are known, under the secret assumed. */
static void picture_full_filter(struct attacker *attacker, const struct target *target,
                                const char *secret)
{
    start_attack(attacker, target, secret);
    for (uint64_t i = 0; i < CAPACITY; i++)
        set_bits(attacker, key_of(MEMBERS, i));
}

static void check_false_positives(const struct target *target)
{
    static uint64_t keys[AIMED];
    struct attacker attacker;
    bloomfilter *plain = make_full_filter(target, NULL);

    take_keys(keys, RANDOM_KEYS, AIMED);
    print_message("  %s, no secret: %d random keys\n", target->name, AIMED);
    assert_found_by_chance(plain, keys, AIMED);

    picture_full_filter(&attacker, target, NULL);
    choose_false_positives(&attacker, keys, AIMED);
    print_message("  %d keys chosen for it, %" PRIu64 " tries offline: %zu found\n", AIMED,
                  attacker.tries, count_found(plain, keys, AIMED));
    assert_int_equal(count_found(plain, keys, AIMED), AIMED);
    bloomfilter_free(plain);
    if (!target->takes_secret)
        return;

    bloomfilter *keyed = make_full_filter(target, theirs);
    print_message("  the same keys, with a secret\n");
    assert_found_by_chance(keyed, keys, AIMED);

    picture_full_filter(&attacker, target, guessed);
    choose_false_positives(&attacker, keys, AIMED);
    print_message("  keys chosen for another secret\n");
    assert_found_by_chance(keyed, keys, AIMED);
    bloomfilter_free(keyed);
}

static void test_false_positives_of_scheme_1(void **state)
{
    (void)state;
    check_false_positives(&pair);
}

static void test_false_positives_of_scheme_2(void **state)
{
    (void)state;
    check_false_positives(&indexed);
}

static void test_false_positives_of_scheme_4(void **state)
{
    (void)state;
    check_false_positives(&wide);
}

static void test_false_positives_of_blocks(void **state)
{
    (void)state;
    check_false_positives(&wide_blocks);
    check_false_positives(&xxh64_blocks);
}

/* ---- one given key made found, by at most k others */

static const char victim[] = "alice";

/* A key that sets this bit. */
static uint64_t find_key_for_bit(struct attacker *attacker, uint64_t bit)
{
    for (;;) {
        uint64_t positions[MOST_HASHES];
        uint64_t key = key_of(CANDIDATES, attacker->tries++);
        compute_positions(attacker, &key, sizeof key, positions);
        for (unsigned i = 0; i < attacker->target->hash_count; i++)
            if (positions[i] == bit)
                return key;
    }
}

static void check_victim(const struct target *target)
{
    struct attacker attacker;
    uint64_t bits[MOST_HASHES];
    uint64_t keys[MOST_HASHES];
    size_t size = strlen(victim);
    bloomfilter *plain = make_filter(target, NULL);

    start_attack(&attacker, target, NULL);
    compute_positions(&attacker, victim, size, bits);
    for (unsigned i = 0; i < target->hash_count; i++)
        keys[i] = find_key_for_bit(&attacker, bits[i]);
    assert_false(bloomfilter_contains(plain, victim, size));
    add_keys(plain, keys, target->hash_count);
    assert_true(bloomfilter_contains(plain, victim, size));
    bloomfilter_free(plain);
    print_message("  %s: %u keys, %" PRIu64 " tries offline\n", target->name, target->hash_count,
                  attacker.tries);
    if (!target->takes_secret)
        return;

    bloomfilter *keyed = make_filter(target, theirs);
    add_keys(keyed, keys, target->hash_count);
    assert_false(bloomfilter_contains(keyed, victim, size)); /* by chance 10^-12 at most */
    bloomfilter_free(keyed);
}

static void test_one_key_made_found(void **state)
{
    (void)state;
    check_victim(&pair);
    check_victim(&indexed);
    check_victim(&wide);
    check_victim(&wide_blocks);
    check_victim(&xxh64_blocks);
}

/* ---- what there is no secret for */

static void test_scheme_5_takes_no_secret(void **state)
{
    bloomfilter_options options = BLOOMFILTER_OPTIONS_INIT;
    bloomfilter *filter;
    (void)state;
    options.capacity = CAPACITY;
    options.target_fpr = 0.01;
    options.hash = xxh64_blocks.hash;
    options.layout = xxh64_blocks.layout;
    options.secret = theirs;
    options.secret_size = strlen(theirs);
    assert_int_equal(bloomfilter_create(&filter, &options), BLOOMFILTER_EINVAL);
    assert_null(filter);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_saturation_of_scheme_1),
        cmocka_unit_test(test_saturation_of_scheme_2),
        cmocka_unit_test(test_saturation_of_scheme_4),
        cmocka_unit_test(test_saturation_of_blocks),
        cmocka_unit_test(test_false_positives_of_scheme_1),
        cmocka_unit_test(test_false_positives_of_scheme_2),
        cmocka_unit_test(test_false_positives_of_scheme_4),
        cmocka_unit_test(test_false_positives_of_blocks),
        cmocka_unit_test(test_one_key_made_found),
        cmocka_unit_test(test_scheme_5_takes_no_secret),
    };
    return RUN(tests);
}
