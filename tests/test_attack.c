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

#include "hashing/hashing.h"

/* What bloomfilter_new(&filter, 1000, 0.01) makes. */
enum { CAPACITY = 1000, BIT_COUNT = 9586, HASH_COUNT = 7 };

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

static bloomfilter *make_filter(uint32_t hash, const char *secret)
{
    bloomfilter_options options = BLOOMFILTER_OPTIONS_INIT;
    options.capacity = CAPACITY;
    options.target_fpr = 0.01;
    options.hash = hash;
    options.secret = secret;
    options.secret_size = secret != NULL ? strlen(secret) : 0;
    bloomfilter *filter = created(&options);
    assert_int_equal(info_of(filter).bit_count, BIT_COUNT);
    assert_int_equal(info_of(filter).hash_count, HASH_COUNT);
    return filter;
}

static bloomfilter *make_full_filter(uint32_t hash, const char *secret)
{
    static uint64_t members[CAPACITY];
    bloomfilter *filter = make_filter(hash, secret);
    take_keys(members, MEMBERS, CAPACITY);
    add_keys(filter, members, CAPACITY);
    return filter;
}

/* ---- the attacker, who has no access to the filter while keys are chosen */

struct attacker {
    struct hasher hasher;
    bool is_set[BIT_COUNT]; /* the filter as the attacker thinks that it is */
    uint64_t tries;         /* candidates looked at */
};

static void start_attack(struct attacker *attacker, uint32_t hash, const char *secret)
{
    struct secret assumed = {.size = secret != NULL ? strlen(secret) : 0};
    if (secret != NULL)
        memcpy(assumed.bytes, secret, assumed.size);
    memset(attacker, 0, sizeof *attacker);
    bloomfilter_hashing_prepare(&attacker->hasher, bloomfilter_hashing_find(hash), BIT_COUNT,
                                HASH_COUNT, 0, &assumed);
}

static void compute_positions(const struct attacker *attacker, uint64_t key,
                              uint64_t positions[HASH_COUNT])
{
    attacker->hasher.scheme->positions(&attacker->hasher, &key, sizeof key, positions, 1);
}

/* Sets the bits of a key; returns how many were not set before. */
static unsigned set_bits(struct attacker *attacker, uint64_t key)
{
    uint64_t positions[HASH_COUNT];
    unsigned count = 0;
    compute_positions(attacker, key, positions);
    for (int i = 0; i < HASH_COUNT; i++) {
        count += !attacker->is_set[positions[i]];
        attacker->is_set[positions[i]] = true;
    }
    return count;
}

/* How many bits that are not set a key would set. */
static unsigned count_new_bits(const struct attacker *attacker, uint64_t key)
{
    uint64_t positions[HASH_COUNT];
    unsigned count = 0;
    compute_positions(attacker, key, positions);
    for (int i = 0; i < HASH_COUNT; i++) {
        bool is_new = !attacker->is_set[positions[i]];
        for (int j = 0; j < i; j++)
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
    unsigned wanted = HASH_COUNT;
    unsigned bits = 0;
    size_t count = 0;
    while (bits < BIT_COUNT && count < most)
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

/* Bits set by `count` random keys in an empty filter: balls thrown into bins. */
static void assert_filled_by_chance(const bloomfilter *filter, size_t count)
{
    double load = (double)count * HASH_COUNT / BIT_COUNT;
    double unset = exp(-load);
    assert_by_chance("bits set", (double)info_of(filter).bits_set, BIT_COUNT * (1 - unset),
                     BIT_COUNT * unset * (1 - (1 + load) * unset));
}

static void tell_fill(const char *whose, size_t count, const bloomfilter *filter)
{
    bloomfilter_info info = info_of(filter);
    print_message("    %zu %s: %" PRIu64 " of %d bits set (%.1f %%), rate %.2g\n", count, whose,
                  info.bits_set, BIT_COUNT, 100 * info.fill, info.current_fpr);
}

/* ---- filling a filter early */

/* The fillers, added to a filter that the attacker does not know: as good as random keys. */
static void check_fillers_by_chance(uint32_t hash, const uint64_t keys[], size_t count)
{
    bloomfilter *filter = make_filter(hash, theirs);
    add_keys(filter, keys, CAPACITY);
    tell_fill("chosen keys", CAPACITY, filter);
    assert_filled_by_chance(filter, CAPACITY);
    add_keys(filter, keys + CAPACITY, count - CAPACITY);
    tell_fill("chosen keys", count, filter);
    assert_filled_by_chance(filter, count);
    bloomfilter_free(filter);
}

static void check_random_keys(uint32_t hash, size_t count)
{
    static uint64_t keys[MOST_CHOSEN];
    bloomfilter *filter = make_filter(hash, NULL);
    take_keys(keys, RANDOM_KEYS, count);
    add_keys(filter, keys, CAPACITY);
    tell_fill("random keys", CAPACITY, filter);
    assert_filled_by_chance(filter, CAPACITY);
    add_keys(filter, keys + CAPACITY, count - CAPACITY);
    tell_fill("random keys", count, filter);
    assert_filled_by_chance(filter, count);
    bloomfilter_free(filter);
}

static void check_fillers(uint32_t hash, const uint64_t keys[], size_t count)
{
    static uint64_t others[AIMED];
    bloomfilter *filter = make_filter(hash, NULL);
    add_keys(filter, keys, CAPACITY);
    tell_fill("chosen keys", CAPACITY, filter);
    assert_true(info_of(filter).fill > 0.71);
    assert_true(info_of(filter).current_fpr > 0.09);
    add_keys(filter, keys + CAPACITY, count - CAPACITY);
    tell_fill("chosen keys", count, filter);
    assert_int_equal(info_of(filter).bits_set, BIT_COUNT);
    take_keys(others, RANDOM_KEYS, AIMED);
    assert_int_equal(count_found(filter, others, AIMED), AIMED);
    bloomfilter_free(filter);
}

static void check_saturation(uint32_t hash)
{
    static uint64_t keys[MOST_CHOSEN];
    struct attacker attacker;

    start_attack(&attacker, hash, NULL);
    size_t count = choose_fillers(&attacker, keys, MOST_CHOSEN);
    print_message("  scheme %u, no secret; %" PRIu64 " tries offline\n", (unsigned)hash,
                  attacker.tries);
    assert_true(count > CAPACITY && count < MOST_CHOSEN);
    check_random_keys(hash, count);
    check_fillers(hash, keys, count);
    print_message("  the same keys, with a secret\n");
    check_fillers_by_chance(hash, keys, count);

    start_attack(&attacker, hash, guessed);
    count = choose_fillers(&attacker, keys, CAPACITY + 100);
    print_message("  keys chosen for another secret\n");
    check_fillers_by_chance(hash, keys, count);
}

static void test_saturation_of_scheme_1(void **state)
{
    (void)state;
    check_saturation(BLOOMFILTER_HASH_BLAKE2B_PAIR);
}

static void test_saturation_of_scheme_2(void **state)
{
    (void)state;
    check_saturation(BLOOMFILTER_HASH_BLAKE2B_INDEXED);
}

/* ---- false positives at will */

/* The attacker's picture of a filter whose members are known, under the secret assumed. */
static void picture_full_filter(struct attacker *attacker, uint32_t hash, const char *secret)
{
    start_attack(attacker, hash, secret);
    for (uint64_t i = 0; i < CAPACITY; i++)
        set_bits(attacker, key_of(MEMBERS, i));
}

static void check_false_positives(uint32_t hash)
{
    static uint64_t keys[AIMED];
    struct attacker attacker;
    bloomfilter *plain = make_full_filter(hash, NULL);
    bloomfilter *keyed = make_full_filter(hash, theirs);

    take_keys(keys, RANDOM_KEYS, AIMED);
    print_message("  scheme %u, no secret: %d random keys\n", (unsigned)hash, AIMED);
    assert_found_by_chance(plain, keys, AIMED);

    picture_full_filter(&attacker, hash, NULL);
    choose_false_positives(&attacker, keys, AIMED);
    print_message("  %d keys chosen for it, %" PRIu64 " tries offline: %zu found\n", AIMED,
                  attacker.tries, count_found(plain, keys, AIMED));
    assert_int_equal(count_found(plain, keys, AIMED), AIMED);
    print_message("  the same keys, with a secret\n");
    assert_found_by_chance(keyed, keys, AIMED);

    picture_full_filter(&attacker, hash, guessed);
    choose_false_positives(&attacker, keys, AIMED);
    print_message("  keys chosen for another secret\n");
    assert_found_by_chance(keyed, keys, AIMED);
    bloomfilter_free(plain);
    bloomfilter_free(keyed);
}

static void test_false_positives_of_scheme_1(void **state)
{
    (void)state;
    check_false_positives(BLOOMFILTER_HASH_BLAKE2B_PAIR);
}

static void test_false_positives_of_scheme_2(void **state)
{
    (void)state;
    check_false_positives(BLOOMFILTER_HASH_BLAKE2B_INDEXED);
}

/* ---- one given key made found, by at most k others */

static const char victim[] = "alice";

/* A key that sets this bit. */
static uint64_t find_key_for_bit(struct attacker *attacker, uint64_t bit)
{
    for (;;) {
        uint64_t positions[HASH_COUNT];
        uint64_t key = key_of(CANDIDATES, attacker->tries++);
        compute_positions(attacker, key, positions);
        for (int i = 0; i < HASH_COUNT; i++)
            if (positions[i] == bit)
                return key;
    }
}

static void check_victim(uint32_t hash)
{
    struct attacker attacker;
    uint64_t bits[HASH_COUNT];
    uint64_t keys[HASH_COUNT];
    size_t size = strlen(victim);
    bloomfilter *plain = make_filter(hash, NULL);
    bloomfilter *keyed = make_filter(hash, theirs);

    start_attack(&attacker, hash, NULL);
    attacker.hasher.scheme->positions(&attacker.hasher, victim, size, bits, 1);
    for (int i = 0; i < HASH_COUNT; i++)
        keys[i] = find_key_for_bit(&attacker, bits[i]);
    assert_false(bloomfilter_contains(plain, victim, size));
    add_keys(plain, keys, HASH_COUNT);
    add_keys(keyed, keys, HASH_COUNT);
    assert_true(bloomfilter_contains(plain, victim, size));
    assert_false(bloomfilter_contains(keyed, victim, size)); /* chance: (49 / 9586)^7 */
    print_message("  scheme %u: %d keys, %" PRIu64 " tries offline\n", (unsigned)hash, HASH_COUNT,
                  attacker.tries);
    bloomfilter_free(plain);
    bloomfilter_free(keyed);
}

static void test_one_key_made_found(void **state)
{
    (void)state;
    check_victim(BLOOMFILTER_HASH_BLAKE2B_PAIR);
    check_victim(BLOOMFILTER_HASH_BLAKE2B_INDEXED);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_saturation_of_scheme_1),
        cmocka_unit_test(test_saturation_of_scheme_2),
        cmocka_unit_test(test_false_positives_of_scheme_1),
        cmocka_unit_test(test_false_positives_of_scheme_2),
        cmocka_unit_test(test_one_key_made_found),
    };
    return RUN(tests);
}
