/* SPDX-License-Identifier: MIT */
/*
 * The layout split-block: each kernel against a reference that is as plain as can be, filters of
 * both hash schemes that it goes with, and bitsets that implementations of Apache Parquet made.
 */
#include "support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bitset/split_block.h"
#include "handle/raw_bits.h"
#include "sizing/sizing.h"
#include "support/cpu.h"

enum { BYTES = SPLIT_BLOCK_BYTES, MOST_BLOCKS = 9, SHIFTS = 65, ALIGNMENT = 64 };

static const struct bitset_layout *layout;

static const struct block_kernel *kernels[4];
static size_t kernel_count;

static int find_kernels(void **state)
{
    (void)state;
    layout = bloomfilter_bitset_find(BLOOMFILTER_LAYOUT_SPLIT_BLOCK);
    kernels[kernel_count++] = &bloomfilter_split_block_portable;
#if defined(__x86_64__) && defined(__GNUC__)
    if (bloomfilter_cpu_features() & CPU_AVX2)
        kernels[kernel_count++] = &bloomfilter_x86_split_block_avx2;
#endif
#if defined(__AARCH64EL__) && defined(__GNUC__)
    if (bloomfilter_cpu_features() & CPU_NEON)
        kernels[kernel_count++] = &bloomfilter_arm_split_block_neon;
#endif
    for (size_t i = 0; i < kernel_count; i++)
        print_message("kernel %s\n", kernels[i]->name);
    return layout == NULL;
}

/* splitmix64 (Steele, Lea and Flood). */
static uint64_t next_random(uint64_t *state)
{
    uint64_t z = (*state += UINT64_C(0x9E3779B97F4A7C15));
    z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
    return z ^ (z >> 31);
}

/* ---- the reference: bits by their number, as docs/format.md counts them */

static void reference_bits(uint64_t bit_count, uint64_t hash, uint64_t bits[8])
{
    static const uint32_t salts[8] = {0x47b6137b, 0x44974d91, 0x8824ad5b, 0xa2b7289d,
                                      0x705495c7, 0x2df1424b, 0x9efc4947, 0x5c6bfb31};
    uint64_t block = (hash >> 32) * (bit_count / 256) / UINT64_C(0x100000000);
    for (uint64_t i = 0; i < 8; i++)
        bits[i] = block * 256 + i * 32 +
                  hash % UINT64_C(0x100000000) * salts[i] % UINT64_C(0x100000000) / (1u << 27);
}

static int reference_contains(const uint8_t *cells, uint64_t bit_count, uint64_t hash)
{
    uint64_t bits[8];
    int all = 1;
    reference_bits(bit_count, hash, bits);
    for (int i = 0; i < 8; i++)
        all &= cells[bits[i] / 8] >> bits[i] % 8;
    return all & 1;
}

static int reference_add(uint8_t *cells, uint64_t bit_count, uint64_t hash)
{
    uint64_t bits[8];
    int is_new = !reference_contains(cells, bit_count, hash);
    reference_bits(bit_count, hash, bits);
    for (int i = 0; i < 8; i++)
        cells[bits[i] / 8] |= (uint8_t)(1u << bits[i] % 8);
    return is_new;
}

/* ---- cells of exactly `size` bytes, `shift` behind a cache line: sanitizers see what is past them */

static uint8_t *cells_at(size_t shift, size_t size, void **block)
{
    assert_int_equal(posix_memalign(block, ALIGNMENT, shift + size), 0);
    uint8_t *cells = (uint8_t *)*block + shift;
    memset(cells, 0, size);
    return cells;
}

/* Bits that are set one in `rarity` are clear, so that keys are found and are not. */
static void fill_randomly(uint8_t *cells, size_t size, uint64_t *random, unsigned rarity)
{
    for (size_t i = 0; i < size; i++)
        for (unsigned bit = 0; bit < 8; bit++)
            if (next_random(random) % rarity != 0)
                cells[i] |= (uint8_t)(1u << bit);
}

/* ---- the layout */

static void test_the_layout_in_figures(void **state)
{
    (void)state;
    assert_ptr_equal(layout, &bloomfilter_bitset_split_block);
    assert_int_equal(layout->id, 2);
    assert_string_equal(layout->name, "split-block");
    assert_int_equal(layout->block_bits, 256);
    assert_int_equal(layout->hash_count, 8);
    assert_int_equal(layout->payload_size(256), 32);
    assert_int_equal(layout->payload_size(512), 64);
    assert_int_equal(layout->payload_size(UINT64_C(1) << 40), UINT64_C(1) << 37);
    assert_true(bloomfilter_bitset_fits(layout, 256));
    assert_true(bloomfilter_bitset_fits(layout, UINT64_C(1) << 40));
    assert_false(bloomfilter_bitset_fits(layout, 0));
    assert_false(bloomfilter_bitset_fits(layout, 255));
    assert_false(bloomfilter_bitset_fits(layout, 257));
    assert_false(bloomfilter_bitset_fits(layout, (UINT64_C(1) << 40) + 256));
    assert_ptr_equal(layout->block_kernel(), kernels[kernel_count - 1]); /* the fastest */
}

static void test_bits_are_counted_and_combined(void **state)
{
    uint8_t a[2 * BYTES] = {0};
    uint8_t b[2 * BYTES] = {0};
    uint8_t expected[2 * BYTES];
    uint64_t random = 1;
    uint64_t count = 0;
    (void)state;
    fill_randomly(a, sizeof a, &random, 2);
    fill_randomly(b, sizeof b, &random, 2);
    for (size_t i = 0; i < sizeof a; i++)
        count += (unsigned)__builtin_popcount(a[i]);
    assert_int_equal(layout->bits_set(a, 512), count);
    assert_true(layout->is_padded_with_zeros(a, 512));
    for (size_t i = 0; i < sizeof a; i++)
        expected[i] = a[i] | b[i];
    layout->unite(a, b, sizeof a);
    assert_memory_equal(a, expected, sizeof a);
    layout->intersect(a, b, sizeof a);
    assert_memory_equal(a, b, sizeof a);
}

/* ---- the kernels */

static void check_adds(const struct block_kernel *kernel, uint64_t blocks, uint64_t seed)
{
    void *allocated;
    size_t size = (size_t)blocks * BYTES;
    uint8_t *cells = cells_at(0, size, &allocated);
    uint8_t *expected = calloc(1, size);
    assert_non_null(expected);
    for (int i = 0; i < 400; i++) {
        uint64_t hash = next_random(&seed);
        assert_int_equal(kernel->contains(cells, blocks * 256, hash),
                         reference_contains(expected, blocks * 256, hash));
        assert_int_equal(kernel->add(cells, blocks * 256, hash),
                         reference_add(expected, blocks * 256, hash));
        assert_memory_equal(cells, expected, size);
        assert_true(kernel->contains(cells, blocks * 256, hash));
        assert_false(kernel->add(cells, blocks * 256, hash));
    }
    free(expected);
    free(allocated);
}

static void test_adds_set_the_bits_of_the_reference(void **state)
{
    (void)state;
    for (size_t k = 0; k < kernel_count; k++)
        for (uint64_t blocks = 1; blocks <= MOST_BLOCKS; blocks++)
            check_adds(kernels[k], blocks, blocks);
}

/* Every single bit of a key that is missing is missed, and no other one. */
static void test_contains_misses_any_one_bit(void **state)
{
    uint64_t random = 3;
    (void)state;
    for (size_t k = 0; k < kernel_count; k++)
        for (int i = 0; i < 50; i++) {
            uint64_t hash = next_random(&random);
            uint64_t bits[8];
            reference_bits(256, hash, bits);
            for (uint64_t bit = 0; bit < 256; bit++) {
                uint8_t cells[BYTES];
                int is_of_key = bits[bit / 32] == bit;
                memset(cells, 0xFF, sizeof cells);
                cells[bit / 8] ^= (uint8_t)(1u << bit % 8);
                assert_int_equal(kernels[k]->contains(cells, 256, hash), !is_of_key);
            }
        }
}

/* At every alignment: the bytes of a view lie anywhere. */
static void test_contains_at_any_alignment(void **state)
{
    uint64_t random = 4;
    (void)state;
    for (size_t k = 0; k < kernel_count; k++)
        for (size_t shift = 0; shift < SHIFTS; shift++) {
            void *allocated;
            uint64_t blocks = 1 + shift % MOST_BLOCKS;
            uint8_t *cells = cells_at(shift, (size_t)blocks * BYTES, &allocated);
            unsigned found = 0;
            fill_randomly(cells, (size_t)blocks * BYTES, &random, 16);
            for (int i = 0; i < 200; i++) {
                uint64_t hash = next_random(&random);
                int expected = reference_contains(cells, blocks * 256, hash);
                assert_int_equal(kernels[k]->contains(cells, blocks * 256, hash), expected);
                found += (unsigned)expected;
            }
            assert_in_range(found, 20, 180);
            free(allocated);
        }
}

/* The first and the last value of half a hash that choose a block, for each block. */
static void test_blocks_are_chosen_at_their_edges(void **state)
{
    static const uint64_t counts[] = {
        1, 2, 3, 5, 8, 9, 1000003, UINT64_C(1) << 31, (UINT64_C(1) << 32) - 1, UINT64_C(1) << 32};
    (void)state;
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++)
        for (uint64_t j = 0; j < counts[i] && j < 20; j++) {
            uint64_t block = j % 2 == 0 ? j / 2 : counts[i] - 1 - j / 2;
            if (block >= counts[i])
                continue;
            uint64_t first = ((block << 32) + counts[i] - 1) / counts[i];
            uint64_t last = (((block + 1) << 32) + counts[i] - 1) / counts[i] - 1;
            assert_int_equal(split_block_offset(counts[i] * 256, first << 32), block * 32);
            assert_int_equal(split_block_offset(counts[i] * 256, last << 32 | UINT32_MAX),
                             block * 32);
        }
}

static void check_many(const struct block_kernel *kernel, size_t count)
{
    enum { MOST = 130, BLOCKS = 5 };
    void *allocated[2];
    uint8_t *many = cells_at(0, BLOCKS * BYTES, &allocated[0]);
    uint8_t *single = cells_at(0, BLOCKS * BYTES, &allocated[1]);
    uint64_t hashes[MOST];
    uint8_t answers[MOST + 1];
    uint64_t random = count;
    for (size_t j = 0; j < count; j++) /* some of them twice */
        hashes[j] = j % 5 == 4 ? hashes[j - 2] : next_random(&random);

    memset(answers, 0xA5, sizeof answers);
    kernel->fetch(many, BLOCKS * 256, count, hashes, count % 2 == 0);
    kernel->add_many(many, BLOCKS * 256, count, hashes, answers);
    for (size_t j = 0; j < count; j++)
        assert_int_equal(answers[j], kernel->add(single, BLOCKS * 256, hashes[j]));
    assert_int_equal(answers[count], 0xA5);
    assert_memory_equal(many, single, BLOCKS * BYTES);
    kernel->add_many(many, BLOCKS * 256, count, hashes, NULL);
    assert_memory_equal(many, single, BLOCKS * BYTES);

    for (size_t j = 0; j < count; j += 2)
        hashes[j] = next_random(&random);
    kernel->contains_many(many, BLOCKS * 256, count, hashes, answers);
    for (size_t j = 0; j < count; j++)
        assert_int_equal(answers[j], reference_contains(single, BLOCKS * 256, hashes[j]));
    assert_int_equal(answers[count], 0xA5);
    free(allocated[0]);
    free(allocated[1]);
}

static void test_many_equal_single_ones(void **state)
{
    (void)state;
    for (size_t k = 0; k < kernel_count; k++)
        for (size_t count = 0; count <= 130; count++)
            check_many(kernels[k], count);
}

/* ---- filters */

static bloomfilter *filter_of(uint64_t bit_count, uint32_t hash)
{
    bloomfilter_options options = BLOOMFILTER_OPTIONS_INIT;
    options.bit_count = bit_count;
    options.layout = BLOOMFILTER_LAYOUT_SPLIT_BLOCK;
    options.hash = hash;
    return created(&options);
}

/* What the Java implementation of Parquet made of the strings "a0" to "a9"; implementations in
 * other languages keep it among their tests. */
static void test_a_block_of_parquet(void **state)
{
    static const uint8_t expected[BYTES] = {200, 1,   80, 20, 64,  68, 8,   109, 6,  37, 4,
                                            67,  144, 80, 96, 32,  8,  132, 43,  33, 0,  5,
                                            99,  65,  2,  0,  224, 44, 64,  78,  96, 4};
    uint8_t bits[BYTES];
    bloomfilter *filter = filter_of(256, BLOOMFILTER_HASH_XXH64);
    (void)state;
    add_numbered(filter, "a", 0, 10);
    assert_int_equal(bloomfilter_raw_bits_get(filter, bits, sizeof bits), 0);
    assert_memory_equal(bits, expected, sizeof bits);

    bloomfilter_clear(filter);
    assert_int_equal(bloomfilter_raw_bits_set(filter, expected, sizeof expected, 10), 0);
    assert_contains_numbered(filter, "a", 0, 10);
    assert_false(bloomfilter_contains(filter, "b", 1));
    bloomfilter_free(filter);
}

/* The one of Parquet's test data, 32 blocks with four keys: all of the bits that are set. */
static void test_blocks_of_parquet(void **state)
{
    static const uint16_t set_bytes[][2] = {
        {0x82, 0x10},  {0x85, 0x02},  {0x89, 0x04},  {0x8c, 0x80},  {0x91, 0x02},  {0x97, 0x80},
        {0x9b, 0x10},  {0x9f, 0x08},  {0xa2, 0x80},  {0xa7, 0x10},  {0xa8, 0x01},  {0xaf, 0x10},
        {0xb0, 0x20},  {0xb6, 0x20},  {0xbb, 0x40},  {0xbe, 0x08},  {0xe0, 0x04},  {0xe6, 0x40},
        {0xea, 0x40},  {0xee, 0x08},  {0xf3, 0x04},  {0xf5, 0x20},  {0xf8, 0x10},  {0xfc, 0x02},
        {0x142, 0x20}, {0x145, 0x08}, {0x149, 0x01}, {0x14f, 0x20}, {0x152, 0x80}, {0x157, 0x08},
        {0x159, 0x01}, {0x15d, 0x10},
    };
    static const char *const keys[] = {"hello", "parquet", "bloom", "filter"};
    uint8_t expected[1024] = {0};
    uint8_t bits[1024];
    bloomfilter *filter = filter_of(8192, BLOOMFILTER_HASH_XXH64);
    (void)state;
    for (size_t i = 0; i < sizeof set_bytes / sizeof set_bytes[0]; i++)
        expected[set_bytes[i][0]] = (uint8_t)set_bytes[i][1];
    for (size_t i = 0; i < 4; i++)
        add_key(keys[i], strlen(keys[i]), filter);
    assert_int_equal(bloomfilter_raw_bits_get(filter, bits, sizeof bits), 0);
    assert_memory_equal(bits, expected, sizeof bits);
    bloomfilter_free(filter);
}

static void assert_refused(int expected, const bloomfilter_options *options)
{
    bloomfilter_info info = BLOOMFILTER_INFO_INIT;
    bloomfilter *filter = (bloomfilter *)&info;
    assert_int_equal(bloomfilter_plan(options, &info), expected);
    assert_int_equal(bloomfilter_create(&filter, options), expected);
    assert_null(filter);
}

static bloomfilter_options options_of(uint32_t hash, uint32_t chosen)
{
    bloomfilter_options options = BLOOMFILTER_OPTIONS_INIT;
    options.capacity = 1000;
    options.target_fpr = 0.01;
    options.hash = hash;
    options.layout = chosen;
    return options;
}

static void test_what_does_not_go_together(void **state)
{
    bloomfilter_options options = options_of(BLOOMFILTER_HASH_BLAKE2B_INDEXED, 2);
    (void)state;
    assert_refused(BLOOMFILTER_EUNSUPPORTED, &options);
    options.hash = BLOOMFILTER_HASH_MURMUR3_TWEAK;
    assert_refused(BLOOMFILTER_EUNSUPPORTED, &options);
    options = options_of(BLOOMFILTER_HASH_XXH64, 1);
    assert_refused(BLOOMFILTER_EUNSUPPORTED, &options);
    options.layout = 0;
    assert_refused(BLOOMFILTER_EUNSUPPORTED, &options);

    options = options_of(BLOOMFILTER_HASH_XXH64, 2);
    options.secret = "sixteen bytes...";
    options.secret_size = 16;
    assert_refused(BLOOMFILTER_EINVAL, &options);
    options = options_of(BLOOMFILTER_HASH_XXH64, 2);
    options.seed = 1;
    assert_refused(BLOOMFILTER_EINVAL, &options);
}

static void test_sizes_that_it_cannot_have(void **state)
{
    static const uint64_t not_whole[] = {1, 8, 32, 255, 257, (UINT64_C(1) << 40) - 1};
    bloomfilter_options options = options_of(BLOOMFILTER_HASH_XXH64, 2);
    (void)state;
    for (size_t i = 0; i < sizeof not_whole / sizeof not_whole[0]; i++) {
        options.bit_count = not_whole[i];
        assert_refused(BLOOMFILTER_EINVAL, &options);
    }
    options.bit_count = (UINT64_C(1) << 40) + 256;
    assert_refused(BLOOMFILTER_ETOOLARGE, &options);
    options.bit_count = BLOOMFILTER_MAX_BIT_COUNT + 256;
    assert_refused(BLOOMFILTER_EINVAL, &options);

    options = options_of(BLOOMFILTER_HASH_XXH64, 2);
    for (uint32_t hash_count = 1; hash_count <= 256; hash_count++) {
        options.hash_count = hash_count;
        if (hash_count != 8)
            assert_refused(BLOOMFILTER_EINVAL, &options);
    }
    options.hash_count = 0;
    options.target_fpr = 1e-13; /* two keys with the same half of a hash are more likely */
    assert_refused(BLOOMFILTER_ETOOLARGE, &options);
    options.target_fpr = 5e-324;
    assert_refused(BLOOMFILTER_ETOOLARGE, &options);
    options.target_fpr = 0.01;
    options.capacity = UINT64_C(1) << 40; /* 2^40 / 24.3 blocks */
    assert_refused(BLOOMFILTER_ETOOLARGE, &options);
    options.capacity = UINT64_MAX;
    assert_refused(BLOOMFILTER_ETOOLARGE, &options);
    options = options_of(BLOOMFILTER_HASH_XXH64, 2);
    options.capacity = 0;
    assert_refused(BLOOMFILTER_EINVAL, &options);
}

static void test_what_is_left_out_is_derived(void **state)
{
    bloomfilter_options options = BLOOMFILTER_OPTIONS_INIT;
    bloomfilter_info one = BLOOMFILTER_INFO_INIT;
    bloomfilter_info other = BLOOMFILTER_INFO_INIT;
    (void)state;
    options.hash = BLOOMFILTER_HASH_XXH64;
    options.layout = BLOOMFILTER_LAYOUT_SPLIT_BLOCK;
    options.bit_count = 256000;
    assert_int_equal(bloomfilter_plan(&options, &one), 0);
    assert_int_equal(one.hash_count, 8);
    assert_int_equal(one.capacity, 22181);       /* 256000 ln 2 / 8 */
    assert_true(one.target_fpr == 0x1.ab53ap-8); /* 0.0065204855, to 20 binary digits */
    options.hash_count = 8;
    assert_int_equal(bloomfilter_plan(&options, &other), 0);
    assert_memory_equal(&one, &other, sizeof one);
}

/* The target is met at capacity, whatever the size, and not by a block too many. */
static void test_targets_are_met(void **state)
{
    static const double targets[] = {0.5, 0.1, 0.01, 1e-3, 1e-4, 1e-6, 1e-9, 1e-11};
    static const double bits_per_key[] = {3.25, 5.99, 10.53, 16.89, 26.34, 64.68, 336.1, 6241.5};
    (void)state;
    for (size_t i = 0; i < sizeof targets / sizeof targets[0]; i++)
        for (uint64_t capacity = 1; capacity <= 100000000; capacity *= 10) {
            bloomfilter_options options = options_of(BLOOMFILTER_HASH_XXH64, 2);
            bloomfilter_info info = BLOOMFILTER_INFO_INIT;
            options.capacity = capacity;
            options.target_fpr = targets[i];
            double blocks = bloomfilter_sizing_block_count(capacity, targets[i], 8);
            bool is_too_large = exceeds_addresses((uint64_t)blocks * 256);
            assert_int_equal(bloomfilter_plan(&options, &info),
                             is_too_large ? BLOOMFILTER_ETOOLARGE : 0);
            if (is_too_large)
                continue;
            assert_true(info.bit_count == (uint64_t)blocks * 256);
            assert_true(info.expected_fpr <= targets[i]);
            if (capacity < 1000000 || info.bit_count > UINT64_C(1) << 28)
                continue; /* whole blocks are coarse, and so are numbers of half hashes per block */
            if (i < 7)    /* steps of 1/1024 key per block are coarse below */
                assert_true(info.expected_fpr > 0.99 * targets[i]);
            assert_within((double)info.bit_count / (double)capacity, bits_per_key[i], 0.001);
        }
}

static void check_files(uint32_t hash, const void *secret, size_t secret_size)
{
    bloomfilter_options options = options_of(hash, BLOOMFILTER_LAYOUT_SPLIT_BLOCK);
    bloomfilter_load_options load_options = BLOOMFILTER_LOAD_OPTIONS_INIT;
    bloomfilter *again;
    size_t size;
    options.secret = load_options.secret = secret;
    options.secret_size = load_options.secret_size = secret_size;
    bloomfilter *filter = created(&options);
    add_numbered(filter, "user:", 0, 1000);
    uint8_t *bytes = serialized(filter, &size);
    assert_int_equal(size, 192 + info_of(filter).bit_count / 8);

    assert_int_equal(bloomfilter_deserialize(&again, bytes, size, &load_options), 0);
    assert_contains_numbered(again, "user:", 0, 1000);
    assert_same_filter(again, filter);
    add_numbered(again, "user:", 1000, 1010); /* what was loaded can be added to */
    assert_contains_numbered(again, "user:", 0, 1010);
    bloomfilter_free(again);
    for (size_t shift = 0; shift < 33; shift += 3) {
        uint8_t *moved = malloc(size + shift);
        assert_non_null(moved);
        memcpy(moved + shift, bytes, size);
        assert_int_equal(bloomfilter_view(&again, moved + shift, size, &load_options), 0);
        assert_int_equal(bloomfilter_verify(again), 0);
        assert_contains_numbered(again, "user:", 0, 1000);
        bloomfilter_free(again);
        free(moved);
    }
    free(bytes);
    bloomfilter_free(filter);
}

static void test_files(void **state)
{
    (void)state;
    check_files(BLOOMFILTER_HASH_XXH64, NULL, 0);
    check_files(BLOOMFILTER_HASH_BLAKE2B_PAIR, NULL, 0);
    check_files(BLOOMFILTER_HASH_BLAKE2B_PAIR, "sixteen bytes...", 16);
    check_files(BLOOMFILTER_HASH_BLAKE2B_WIDE, NULL, 0);
    check_files(BLOOMFILTER_HASH_BLAKE2B_WIDE, "sixteen bytes...", 16);
}

static void test_union_and_intersection(void **state)
{
    bloomfilter *a = filter_of(25600, BLOOMFILTER_HASH_XXH64);
    bloomfilter *b = filter_of(25600, BLOOMFILTER_HASH_XXH64);
    bloomfilter *both = filter_of(25600, BLOOMFILTER_HASH_XXH64);
    bloomfilter *other_hash = filter_of(25600, BLOOMFILTER_HASH_BLAKE2B_PAIR);
    bloomfilter_options options = options_of(BLOOMFILTER_HASH_BLAKE2B_PAIR, 1);
    (void)state;
    options.bit_count = 25600;
    options.hash_count = 8;
    bloomfilter *flat = created(&options);
    assert_int_equal(bloomfilter_compatible(a, b), 1);
    assert_int_equal(bloomfilter_compatible(a, other_hash), 0);
    assert_int_equal(bloomfilter_compatible(other_hash, flat), 0);
    assert_int_equal(bloomfilter_union(flat, other_hash), BLOOMFILTER_EINCOMPATIBLE);

    add_numbered(a, "user:", 0, 1000);
    add_numbered(b, "user:", 500, 1500);
    add_numbered(both, "user:", 0, 1000);
    add_numbered(both, "user:", 500, 1500);
    assert_int_equal(bloomfilter_intersect(b, a), 0);
    assert_contains_numbered(b, "user:", 500, 1000);
    add_numbered(b, "user:", 500, 1500);
    assert_int_equal(bloomfilter_union(a, b), 0);
    assert_int_equal(info_of(a).bits_set, info_of(both).bits_set);
    assert_contains_numbered(a, "user:", 0, 1500);
    bloomfilter_free(a);
    bloomfilter_free(b);
    bloomfilter_free(both);
    bloomfilter_free(other_hash);
    bloomfilter_free(flat);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_layout_in_figures),
        cmocka_unit_test(test_bits_are_counted_and_combined),
        cmocka_unit_test(test_adds_set_the_bits_of_the_reference),
        cmocka_unit_test(test_contains_misses_any_one_bit),
        cmocka_unit_test(test_contains_at_any_alignment),
        cmocka_unit_test(test_blocks_are_chosen_at_their_edges),
        cmocka_unit_test(test_many_equal_single_ones),
        cmocka_unit_test(test_a_block_of_parquet),
        cmocka_unit_test(test_blocks_of_parquet),
        cmocka_unit_test(test_what_does_not_go_together),
        cmocka_unit_test(test_sizes_that_it_cannot_have),
        cmocka_unit_test(test_what_is_left_out_is_derived),
        cmocka_unit_test(test_targets_are_met),
        cmocka_unit_test(test_files),
        cmocka_unit_test(test_union_and_intersection),
    };
    return cmocka_run_group_tests(tests, find_kernels, NULL);
}
