/* SPDX-License-Identifier: MIT */
/*
 * Past 2^32 bits: filters of 2^33 + 12345 bits, a gigabyte each, and what is said of larger ones.
 * Needs up to 3.5 GB of memory and 1.1 GB of disk, which is why CI can leave it out (label
 * "large").
 */
#include "support.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "handle/handle.h"
#include "hashing/blake2b_pair.h"
#include "serializer/format.h"
#include "support/bytes.h"

static const uint64_t BIT_COUNT = ((uint64_t)1 << 33) + 12345; /* 57 bits in the last word */
static const uint64_t PAYLOAD_SIZE = ((uint64_t)1 << 30) + 1544;
static const uint64_t FILE_SIZE = ((uint64_t)1 << 30) + 1544 + HEADER_SIZE;
static const uint64_t HALF = (uint64_t)1 << 32;

enum { HASH_COUNT = 7, KEYS = 3000, PROBES = 30000, POSITIONS = KEYS * HASH_COUNT };

/* Keys 0 to KEYS - 1 are added; those from here on are not. */
static const uint64_t FIRST_PROBE = (uint64_t)1 << 40;

static bloomfilter *filter; /* with the keys in it */
static char *directory;
static char *path;
static uint64_t positions[POSITIONS + 1]; /* of the keys, sorted, each once, and the last bit */
static size_t position_count;

/* ---- Keys and positions ---- */

struct key {
    uint8_t bytes[8];
};

static struct key key_of(uint64_t number)
{
    struct key key;
    bytes_store_le(key.bytes, number, sizeof key.bytes);
    return key;
}

static bool contains_number(const bloomfilter *in, uint64_t number)
{
    struct key key = key_of(number);
    return bloomfilter_contains(in, key.bytes, sizeof key.bytes);
}

static void add_number(bloomfilter *to, uint64_t number)
{
    struct key key = key_of(number);
    assert_true(bloomfilter_add(to, key.bytes, sizeof key.bytes) >= 0);
}

static void positions_of(const bloomfilter *of, uint64_t number, uint64_t out[HASH_COUNT])
{
    struct key key = key_of(number);
    of->hasher.scheme->positions(&of->hasher, key.bytes, sizeof key.bytes, out, 1);
}

/* Scheme 1 by its definition, in whole numbers. */
static void define_positions(const bloomfilter *of, uint64_t number, uint64_t out[HASH_COUNT])
{
    __extension__ typedef unsigned __int128 wide;
    struct key key = key_of(number);
    uint64_t bit_count = of->hasher.bit_count;
    struct hash_pair pair;

    bloomfilter_blake2b_pair_hash(&of->hasher, key.bytes, sizeof key.bytes, &pair);
    wide step = pair.h2 % bit_count != 0 ? pair.h2 % bit_count : 1;
    for (uint32_t i = 0; i < HASH_COUNT; i++)
        out[i] = (uint64_t)(((wide)pair.h1 + i * step) % bit_count);
}

static int compare(const void *a, const void *b)
{
    uint64_t left = *(const uint64_t *)a;
    uint64_t right = *(const uint64_t *)b;
    return (left > right) - (left < right);
}

static void list_positions(void)
{
    for (uint64_t i = 0; i < KEYS; i++)
        define_positions(filter, i, positions + i * HASH_COUNT);
    positions[POSITIONS] = BIT_COUNT - 1;
    qsort(positions, POSITIONS + 1, sizeof positions[0], compare);
    position_count = 0;
    for (size_t i = 0; i < POSITIONS + 1; i++)
        if (position_count == 0 || positions[i] != positions[position_count - 1])
            positions[position_count++] = positions[i];
}

static bool has_bit(const uint8_t *cells, uint64_t position)
{
    return cells[position / 8] >> position % 8 & 1;
}

static bloomfilter *create(uint64_t bit_count, uint32_t hash)
{
    bloomfilter_options options = BLOOMFILTER_OPTIONS_INIT;
    bloomfilter *created_filter;
    options.bit_count = bit_count;
    options.hash_count = HASH_COUNT;
    options.hash = hash;
    assert_int_equal(bloomfilter_create(&created_filter, &options), 0);
    return created_filter;
}

/* ---- What all tests start from ---- */

static int set_up(void **state)
{
    uint64_t last = BIT_COUNT - 1;
    (void)state;

    filter = create(BIT_COUNT, BLOOMFILTER_HASH_BLAKE2B_PAIR);
    for (uint64_t i = 0; i < KEYS; i++)
        add_number(filter, i);
    filter->layout->add(filter->cells, &last, 1); /* which no key of these has */
    list_positions();
    directory = strdup(make_temporary_directory());
    path = strdup(path_in(directory, "large.bloom"));
    assert_int_equal(bloomfilter_save(filter, path), 0);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    remove_tree(directory);
    free(directory);
    free(path);
    bloomfilter_free(filter);
    return 0;
}

static void assert_same_answers(const bloomfilter *other)
{
    bloomfilter_info info = info_of(other);
    assert_int_equal(info.bit_count, BIT_COUNT);
    assert_int_equal(info.hash_count, HASH_COUNT);
    assert_int_equal(info.insert_count, KEYS);
    assert_int_equal(info.bits_set, position_count);
    for (size_t i = 0; i < position_count; i++)
        assert_true(has_bit(other->cells, positions[i]));
    for (uint64_t i = 0; i < KEYS; i++)
        assert_true(contains_number(other, i));
    for (uint64_t i = FIRST_PROBE; i < FIRST_PROBE + PROBES; i++)
        assert_true(contains_number(other, i) == contains_number(filter, i));
}

/* ---- One filter ---- */

static void test_positions_past_2_32(void **state)
{
    unsigned past = 0;
    (void)state;
    for (uint64_t i = 0; i < KEYS; i++) {
        uint64_t actual[HASH_COUNT];
        uint64_t defined[HASH_COUNT];
        positions_of(filter, i, actual);
        define_positions(filter, i, defined);
        assert_memory_equal(actual, defined, sizeof actual);
        for (uint32_t j = 0; j < HASH_COUNT; j++)
            past += actual[j] >= HALF;
    }
    print_message("%u of %d positions at or past 2^32\n", past, POSITIONS);
    assert_within(past, (double)POSITIONS / 2, 0.05);
    assert_true(positions[position_count - 1] == BIT_COUNT - 1);
    assert_true(positions[position_count - 2] > BIT_COUNT - BIT_COUNT / 1000);
}

static void test_bits_past_2_32(void **state)
{
    bloomfilter_info info = info_of(filter);
    (void)state;
    assert_same_answers(filter);
    unsigned found = 0;
    for (uint64_t i = FIRST_PROBE; i < FIRST_PROBE + PROBES; i++)
        found += contains_number(filter, i);
    assert_int_equal(found, 0);
    assert_within(info.fill, (double)position_count / (double)BIT_COUNT, 1e-12);
    assert_within(info.estimated_count, KEYS, 0.001);
    assert_true(info.current_fpr < 1e-12);
    assert_true(info.memory_bytes >= PAYLOAD_SIZE);
    assert_true(info.memory_bytes < PAYLOAD_SIZE + (4 << 20));
    assert_within(info.expected_fpr, info.target_fpr, 0.001);
}

static void flip(uint64_t position)
{
    filter->cells[position / 8] ^= (uint8_t)(1u << position % 8);
}

/* A key is denied when nothing but one of its bits past 2^32 is missing. */
static void test_each_high_bit_counts(void **state)
{
    (void)state;
    for (uint64_t i = 0; i < KEYS; i++) {
        uint64_t own[HASH_COUNT];
        define_positions(filter, i, own);
        for (uint32_t j = 0; j < HASH_COUNT; j++) {
            if (own[j] < HALF)
                continue;
            flip(own[j]);
            assert_false(contains_number(filter, i));
            flip(own[j]);
        }
        assert_true(contains_number(filter, i));
    }
}

/* ---- Its file ---- */

static int open_for_change(void)
{
    int file = open(path, O_RDWR | O_CLOEXEC);
    assert_true(file >= 0);
    return file;
}

static void flip_in_file(uint64_t at, unsigned bit)
{
    uint8_t byte;
    int file = open_for_change();
    assert_int_equal(pread(file, &byte, 1, (off_t)at), 1);
    byte ^= (uint8_t)(1u << bit);
    assert_int_equal(pwrite(file, &byte, 1, (off_t)at), 1);
    close(file);
}

static void test_file(void **state)
{
    struct stat status;
    uint64_t size;
    (void)state;
    assert_int_equal(bloomfilter_serialized_size(filter, &size), 0);
    assert_int_equal(size, FILE_SIZE);
    assert_int_equal(stat(path, &status), 0);
    assert_int_equal(status.st_size, FILE_SIZE);

    int file = open_for_change();
    for (size_t i = 0; i < position_count; i++) {
        uint8_t byte;
        off_t at = (off_t)(HEADER_SIZE + positions[i] / 8);
        assert_int_equal(pread(file, &byte, 1, at), 1);
        assert_true(byte >> positions[i] % 8 & 1);
    }
    close(file);
}

static void test_load(void **state)
{
    bloomfilter_load_options options = BLOOMFILTER_LOAD_OPTIONS_INIT;
    bloomfilter *loaded;
    (void)state;
    options.max_bytes = FILE_SIZE - 1;
    assert_int_equal(bloomfilter_load(&loaded, path, &options), BLOOMFILTER_ETOOLARGE);
    assert_null(loaded);
    options.max_bytes = FILE_SIZE;
    assert_int_equal(bloomfilter_load(&loaded, path, &options), 0);
    assert_same_answers(loaded);
    bloomfilter_free(loaded);
}

static void test_map(void **state)
{
    bloomfilter *mapped;
    (void)state;
    assert_int_equal(bloomfilter_map(&mapped, path, NULL), 0);
    assert_int_equal(bloomfilter_verify(mapped), 0);
    assert_same_answers(mapped);
    assert_true(info_of(mapped).flags & BLOOMFILTER_FLAG_READ_ONLY);
    bloomfilter_free(mapped);
}

static void assert_load_finds(const char *damage)
{
    bloomfilter *opened;
    int code = bloomfilter_load(&opened, path, NULL);
    if (code != BLOOMFILTER_EDAMAGED)
        fail_msg("%s: load gives %d", damage, code);
    assert_null(opened);
}

static void assert_map_finds(const char *damage)
{
    bloomfilter *opened;
    int code = bloomfilter_map(&opened, path, NULL);
    if (code != BLOOMFILTER_EDAMAGED)
        fail_msg("%s: map gives %d", damage, code);
    assert_null(opened);
}

static void assert_verify_finds(const char *damage)
{
    bloomfilter *opened;
    assert_int_equal(bloomfilter_map(&opened, path, NULL), 0);
    int code = bloomfilter_verify(opened);
    bloomfilter_free(opened);
    if (code != BLOOMFILTER_EDAMAGED)
        fail_msg("%s: verify gives %d", damage, code);
}

static void test_flipped_bits(void **state)
{
    uint64_t middle = HEADER_SIZE + HALF / 8;
    uint64_t last = FILE_SIZE - 1;
    (void)state;
    flip_in_file(middle, 0);
    assert_load_finds("bit 2^32 flipped");
    assert_verify_finds("bit 2^32 flipped");
    flip_in_file(middle, 0);
    flip_in_file(last, 0);
    assert_verify_finds("last bit flipped");
    flip_in_file(last, 0);
    flip_in_file(last, 7);
    assert_load_finds("bit past the last set");
    assert_verify_finds("bit past the last set");
    flip_in_file(last, 7);
    test_map(NULL); /* all is as it was */
}

static void test_wrong_sizes(void **state)
{
    (void)state;
    assert_int_equal(truncate(path, (off_t)FILE_SIZE - 1), 0);
    assert_load_finds("a byte less");
    assert_map_finds("a byte less");
    assert_int_equal(truncate(path, (off_t)FILE_SIZE), 0);
    flip_in_file(FILE_SIZE - 1, 0); /* as it was */
    assert_int_equal(truncate(path, (off_t)FILE_SIZE + 1), 0);
    assert_load_finds("a byte more");
    assert_map_finds("a byte more");
    assert_int_equal(truncate(path, (off_t)(FILE_SIZE - HALF / 8)), 0);
    assert_load_finds("2^29 bytes less");
    assert_map_finds("2^29 bytes less");
}

static void test_bytes(void **state)
{
    bloomfilter *opened;
    uint8_t *bytes = malloc((size_t)FILE_SIZE + 1);
    (void)state;
    assert_non_null(bytes);
    bytes[FILE_SIZE] = 0xa5;
    assert_int_equal(bloomfilter_serialize(filter, bytes, (size_t)FILE_SIZE - 1),
                     BLOOMFILTER_EINVAL);
    assert_int_equal(bloomfilter_serialize(filter, bytes, (size_t)FILE_SIZE), 0);
    assert_int_equal(bytes[FILE_SIZE], 0xa5);
    assert_int_equal(bloomfilter_view(&opened, bytes, (size_t)FILE_SIZE, NULL), 0);
    assert_int_equal(bloomfilter_verify(opened), 0);
    assert_same_answers(opened);
    bloomfilter_free(opened);
    assert_int_equal(bloomfilter_deserialize(&opened, bytes, (size_t)FILE_SIZE, NULL), 0);
    free(bytes);
    assert_same_answers(opened);
    bloomfilter_free(opened);
}

/* ---- Two filters ---- */

static void test_copy_and_combine(void **state)
{
    bloomfilter *copy;
    bloomfilter *other = create(BIT_COUNT, BLOOMFILTER_HASH_BLAKE2B_PAIR);
    (void)state;

    assert_int_equal(bloomfilter_copy(&copy, filter), 0);
    assert_same_answers(copy);
    for (uint64_t i = FIRST_PROBE; i < FIRST_PROBE + KEYS; i++)
        add_number(other, i);
    assert_int_equal(bloomfilter_union(copy, other), 0);
    assert_int_equal(info_of(copy).insert_count, 2 * KEYS);
    for (uint64_t i = 0; i < KEYS; i++) {
        assert_true(contains_number(copy, i));
        assert_true(contains_number(copy, FIRST_PROBE + i));
        assert_false(contains_number(copy, FIRST_PROBE + KEYS + i));
    }
    uint64_t united = info_of(copy).bits_set;
    uint64_t others = info_of(other).bits_set;
    assert_int_equal(bloomfilter_intersect(other, filter), 0);
    assert_int_equal(united, position_count + others - info_of(other).bits_set);
    bloomfilter_free(other);

    assert_int_equal(bloomfilter_intersect(copy, filter), 0);
    assert_same_answers(copy);
    bloomfilter_clear(copy);
    assert_int_equal(info_of(copy).bits_set, 0);
    bloomfilter_free(copy);
}

/* ---- Scheme 3 makes positions of 32 bits ---- */

static void test_scheme_3_stays_below(void **state)
{
    bloomfilter *murmur = create(BIT_COUNT, BLOOMFILTER_HASH_MURMUR3_TWEAK);
    unsigned upper_half = 0;
    (void)state;
    for (uint64_t i = 0; i < KEYS; i++) {
        uint64_t own[HASH_COUNT];
        positions_of(murmur, i, own);
        for (uint32_t j = 0; j < HASH_COUNT; j++) {
            assert_true(own[j] < HALF);
            upper_half += own[j] >= HALF / 2;
        }
        add_number(murmur, i);
    }
    assert_within(upper_half, (double)POSITIONS / 2, 0.05); /* but all of the 32 bits are used */
    assert_int_equal(murmur->layout->bits_set(murmur->cells + HALF / 8, BIT_COUNT - HALF), 0);
    assert_true(info_of(murmur).bits_set > POSITIONS - 10);
    assert_within(info_of(murmur).estimated_count, KEYS, 0.001);
    bloomfilter_free(murmur);
}

/* Half of the bits that it reaches are a quarter of all: the rate is 2^-7 and not 4^-7. */
static void test_scheme_3_rate(void **state)
{
    static const uint64_t probes = 1000000;
    bloomfilter *murmur = create(BIT_COUNT, BLOOMFILTER_HASH_MURMUR3_TWEAK);
    double measured;
    (void)state;

    memset(murmur->cells, 0x0f, (size_t)HALF / 8);
    bloomfilter_info info = info_of(murmur);
    assert_int_equal(info.bits_set, HALF / 2);
    assert_within(info.fill, 0.25, 1e-5);
    assert_within(info.current_fpr, 1.0 / 128, 1e-6);
    assert_within(info.estimated_count, (double)HALF * log(2.0) / (double)HASH_COUNT, 1e-6);
    assert_int_equal(bloomfilter_measure_fpr(murmur, probes, 1, &measured), 0);
    double error = sqrt(info.current_fpr * (1 - info.current_fpr) / (double)probes);
    print_message("scheme 3, a quarter of 2^33 bits set: measured %.4e, current_fpr %.4e\n",
                  measured, info.current_fpr);
    assert_true(fabs(measured - info.current_fpr) <= 3 * error);

    memset(murmur->cells, 0xff, (size_t)HALF / 8);
    info = info_of(murmur);
    assert_true(info.current_fpr == 1.0);
    assert_true(isinf(info.estimated_count));
    assert_int_equal(info.rebuild, BLOOMFILTER_REBUILD_OVER_TARGET);
    bloomfilter_free(murmur);
}

/* ---- Plans ---- */

static int plan(uint64_t bit_count, uint64_t capacity, uint32_t hash_count, uint32_t hash,
                bloomfilter_info *info)
{
    bloomfilter_options options = BLOOMFILTER_OPTIONS_INIT;
    options.bit_count = bit_count;
    options.capacity = capacity;
    options.hash_count = hash_count;
    options.hash = hash;
    *info = (bloomfilter_info)BLOOMFILTER_INFO_INIT;
    return bloomfilter_plan(&options, info);
}

static double classic_rate(double bits, uint64_t capacity, uint32_t hash_count)
{
    return pow(-expm1(-(double)hash_count * (double)capacity / bits), hash_count);
}

/*
 * The rate of hashes below 2^hash_bits, modulo bit_count: of the bits that they reach, the first
 * are reached by one more hash than the others. Near 2^60 that is one more than 16 to 32.
 */
static double independent_rate(uint64_t bit_count, uint64_t capacity, uint32_t hash_count,
                               int hash_bits)
{
    long double values = ldexpl(1, hash_bits);
    long double quotient = floorl(values / (long double)bit_count);
    long double first = values - quotient * (long double)bit_count;
    long double others = (long double)bit_count - first;
    long double hashes = (long double)capacity * hash_count;
    long double more = (quotient + 1) / values;
    long double fewer = quotient / values;
    long double hit = first * more * -expm1l(-hashes * more);
    hit += others * fewer * -expm1l(-hashes * fewer);
    return (double)powl(hit, hash_count);
}

/* The prediction knows that scheme 3 reaches no more than 2^32 bits. */
static void test_scheme_3_plan(void **state)
{
    static const uint64_t capacity = 400000000;
    bloomfilter_info info;
    (void)state;
    assert_int_equal(plan(BIT_COUNT, capacity, 7, BLOOMFILTER_HASH_MURMUR3_TWEAK, &info), 0);
    assert_within(info.expected_fpr, classic_rate((double)HALF, capacity, 7), 0.001);
    assert_true(info.expected_fpr > 10 * info.target_fpr);
    assert_int_equal(plan(BIT_COUNT, capacity, 7, BLOOMFILTER_HASH_BLAKE2B_INDEXED, &info), 0);
    assert_within(info.expected_fpr, classic_rate((double)BIT_COUNT, capacity, 7), 0.001);
    assert_int_equal(plan(BIT_COUNT, capacity, 7, BLOOMFILTER_HASH_BLAKE2B_PAIR, &info), 0);
    assert_within(info.expected_fpr, classic_rate((double)BIT_COUNT, capacity, 7), 0.001);
}

/* Of the processor, so that others who use it too do not count. */
static double processor_seconds(void)
{
    return (double)clock() / CLOCKS_PER_SEC;
}

static const uint64_t
    plan_bit_counts[] = {((uint64_t)1 << 32) - 1, ((uint64_t)1 << 32),     ((uint64_t)1 << 32) + 1,
                         ((uint64_t)1 << 40),     ((uint64_t)1 << 40) + 1, ((uint64_t)1 << 50),
                         ((uint64_t)1 << 50) - 1, ((uint64_t)1 << 60),     ((uint64_t)1 << 60) - 1,
                         897612484786617600u /* the number below 2^60 with the most divisors */};

static void check_plan(uint64_t bit_count, uint32_t hash_count, uint32_t hash, double *slowest)
{
    bloomfilter_info info;
    uint64_t payload_size = (bit_count + 63) / 64 * 8;
    double start = processor_seconds();
    int code = plan(bit_count, 0, hash_count, hash, &info);
    *slowest = fmax(*slowest, processor_seconds() - start);

    if (payload_size > PTRDIFF_MAX / 2) { /* more than this machine can address */
        assert_int_equal(code, BLOOMFILTER_ETOOLARGE);
        return;
    }
    assert_int_equal(code, 0);
    assert_int_equal(info.bit_count, bit_count);
    assert_int_equal(info.hash_count, hash_count);
    assert_int_equal(info.hash, hash);
    assert_true(info.memory_bytes >= payload_size);
    assert_true(info.memory_bytes <= payload_size + (4 << 20));
    assert_true(fabs((double)info.capacity - (double)bit_count * log(2.0) / hash_count) <=
                0.5 + (double)info.capacity * 1e-15);
    if (hash == BLOOMFILTER_HASH_BLAKE2B_PAIR) { /* adds a little that falls with bit_count */
        double rate = classic_rate((double)bit_count, info.capacity, hash_count);
        assert_true(info.expected_fpr >= rate * 0.999);
        assert_true(info.expected_fpr <= rate * 1.001 + 3.0 / (double)bit_count);
    } else {
        int hash_bits = hash == BLOOMFILTER_HASH_MURMUR3_TWEAK ? 32 : 64;
        double rate = independent_rate(bit_count, info.capacity, hash_count, hash_bits);
        assert_within(info.expected_fpr, rate, 0.001);
    }
}

static void test_plans(void **state)
{
    static const uint32_t hash_counts[] = {1, 7, 20, 50, 255};
    double slowest = 0;
    (void)state;
    for (size_t i = 0; i < sizeof plan_bit_counts / sizeof plan_bit_counts[0]; i++)
        for (size_t j = 0; j < sizeof hash_counts / sizeof hash_counts[0]; j++)
            for (uint32_t hash = 1; hash <= 4; hash++)
                check_plan(plan_bit_counts[i], hash_counts[j], hash, &slowest);
    print_message("slowest plan: %.3f ms\n", slowest * 1e3);
    assert_true(slowest < 0.2); /* with room for sanitizers */
}

static void test_plans_past_the_limit(void **state)
{
    bloomfilter_options options = BLOOMFILTER_OPTIONS_INIT;
    bloomfilter_info info = BLOOMFILTER_INFO_INIT;
    bloomfilter *none = filter;
    (void)state;
    for (uint32_t hash = 1; hash <= 4; hash++) {
        assert_int_equal(plan(((uint64_t)1 << 60) + 1, 0, 7, hash, &info), BLOOMFILTER_EINVAL);
        assert_int_equal(plan(UINT64_MAX, 0, 7, hash, &info), BLOOMFILTER_EINVAL);
    }
    options.target_fpr = 0.5;
    for (unsigned shift = 60; shift < 64; shift++) {
        options.capacity = (uint64_t)1 << shift;
        assert_int_equal(bloomfilter_plan(&options, &info), BLOOMFILTER_ETOOLARGE);
        assert_int_equal(bloomfilter_create(&none, &options), BLOOMFILTER_ETOOLARGE);
        assert_null(none);
    }
    assert_int_equal(bloomfilter_new(&none, UINT64_MAX, 0.01), BLOOMFILTER_ETOOLARGE);
    assert_int_equal(bloomfilter_new(&none, UINT64_MAX, 1e-60), BLOOMFILTER_ETOOLARGE);
    assert_null(none);
}

/* ---- More than there is ---- */

static bool can_have_memory(uint64_t size)
{
    if (size > PTRDIFF_MAX)
        return false;
    void *start =
        mmap(NULL, (size_t)size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (start == MAP_FAILED)
        return false;
    munmap(start, (size_t)size);
    return true;
}

/* A system that overcommits may promise more than it has; none has 2^57 bytes. */
static void test_creating_too_much(void **state)
{
    static const unsigned shifts[] = {40, 44, 47, 50, 55, 60};
    unsigned refused = 0;
    (void)state;
    for (size_t i = 0; i < sizeof shifts / sizeof shifts[0]; i++) {
        bloomfilter_options options = BLOOMFILTER_OPTIONS_INIT;
        options.bit_count = (uint64_t)1 << shifts[i];
        options.hash_count = 7;
        bloomfilter *created_filter = filter;
        bool possible = can_have_memory(options.bit_count / 8 + (8 << 20));
        errno = 12345;
        int code = bloomfilter_create(&created_filter, &options);
        assert_int_equal(errno, 12345);
        if (code != 0) {
            assert_true(code == BLOOMFILTER_ENOMEM || code == BLOOMFILTER_ETOOLARGE);
            assert_null(created_filter);
            refused++;
        }
        assert_true(possible == (code == 0));
        bloomfilter_free(created_filter);
    }
    print_message("%u of 6 filters of 2^40 to 2^60 bits refused\n", refused);
    assert_true(refused > 0);
    bloomfilter *created_filter;
    int code = bloomfilter_new(&created_filter, (uint64_t)1 << 56, 0.01);
    assert_true(code == BLOOMFILTER_ENOMEM || code == BLOOMFILTER_ETOOLARGE);
}

/* ---- A file of a terabyte, nearly all of it hole ---- */

static const uint64_t VAST_BIT_COUNT = ((uint64_t)1 << 43) + 12345;

static uint64_t vast_file_size(void)
{
    return HEADER_SIZE + (VAST_BIT_COUNT + 63) / 64 * 8;
}

/* The header of a small filter, as if it were vast. */
static void write_vast_header(int file)
{
    bloomfilter *small = create(64, BLOOMFILTER_HASH_BLAKE2B_PAIR);
    struct secret none = {.size = 0};
    size_t size;
    uint8_t *bytes = serialized(small, &size);
    bytes_store_le(bytes + AT_BIT_COUNT, VAST_BIT_COUNT, 8);
    bytes_store_le(bytes + AT_PAYLOAD_SIZE, (VAST_BIT_COUNT + 63) / 64 * 8, 8);
    bloomfilter_format_header_tag(bytes, HEADER_SIZE, &none, bytes + HEADER_SIZE - TAG_SIZE);
    assert_int_equal(pwrite(file, bytes, HEADER_SIZE, 0), HEADER_SIZE);
    free(bytes);
    bloomfilter_free(small);
}

static void set_bit_in_file(int file, uint64_t position)
{
    uint8_t byte = 0;
    off_t at = (off_t)(HEADER_SIZE + position / 8);
    assert_int_equal(pread(file, &byte, 1, at), 1);
    byte |= (uint8_t)(1u << position % 8);
    assert_int_equal(pwrite(file, &byte, 1, at), 1);
}

static void check_vast_map(int file, const char *vast_path)
{
    bloomfilter *mapped;
    uint64_t own[HASH_COUNT];
    assert_int_equal(bloomfilter_map(&mapped, vast_path, NULL), 0);
    assert_false(contains_number(mapped, 5));
    define_positions(mapped, 5, own);
    for (uint32_t i = 0; i < HASH_COUNT; i++) {
        assert_false(contains_number(mapped, 5));
        set_bit_in_file(file, own[i]);
    }
    assert_true(contains_number(mapped, 5));
    for (uint64_t i = 6; i < 100; i++)
        assert_false(contains_number(mapped, i));
    bloomfilter_free(mapped);
}

static void test_vast_file(void **state)
{
    bloomfilter_load_options options = BLOOMFILTER_LOAD_OPTIONS_INIT;
    char *vast_path = strdup(path_in(directory, "vast.bloom"));
    bloomfilter *loaded;
    (void)state;

    int file = open(vast_path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    assert_true(file >= 0);
    assert_int_equal(ftruncate(file, (off_t)vast_file_size()), 0);
    write_vast_header(file);
    check_vast_map(file, vast_path);
    options.max_bytes = FILE_SIZE;
    assert_int_equal(bloomfilter_load(&loaded, vast_path, &options), BLOOMFILTER_ETOOLARGE);
    if (!can_have_memory(vast_file_size())) { /* else it would be read, for hours */
        assert_int_equal(bloomfilter_load(&loaded, vast_path, NULL), BLOOMFILTER_ENOMEM);
        assert_null(loaded);
    }
    assert_int_equal(ftruncate(file, (off_t)vast_file_size() - 1), 0);
    assert_int_equal(bloomfilter_map(&loaded, vast_path, NULL), BLOOMFILTER_EDAMAGED);
    /* The header alone tells: no memory is asked for, and nothing more is read. */
    assert_int_equal(bloomfilter_load(&loaded, vast_path, NULL), BLOOMFILTER_EDAMAGED);
    close(file);
    unlink(vast_path);
    free(vast_path);
}

int main(void)
{
    const struct CMUnitTest everywhere[] = {
        cmocka_unit_test(test_scheme_3_plan),
        cmocka_unit_test(test_plans),
        cmocka_unit_test(test_plans_past_the_limit),
        cmocka_unit_test(test_creating_too_much),
    };
    const struct CMUnitTest on_64_bits[] = {
        cmocka_unit_test(test_positions_past_2_32),
        cmocka_unit_test(test_bits_past_2_32),
        cmocka_unit_test(test_each_high_bit_counts),
        cmocka_unit_test(test_file),
        cmocka_unit_test(test_load),
        cmocka_unit_test(test_map),
        cmocka_unit_test(test_flipped_bits),
        cmocka_unit_test(test_wrong_sizes), /* after this the file is of no more use */
        cmocka_unit_test(test_bytes),
        cmocka_unit_test(test_copy_and_combine),
        cmocka_unit_test(test_scheme_3_stays_below),
        cmocka_unit_test(test_scheme_3_rate),
        cmocka_unit_test(test_vast_file),
    };
    int failed = RUN(everywhere);
    if (sizeof(size_t) >= 8) /* others cannot address three filters of a gigabyte */
        failed += cmocka_run_group_tests(on_64_bits, set_up, tear_down);
    return failed;
}
