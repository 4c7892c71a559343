/* SPDX-License-Identifier: MIT */
/* Every row of the vectors that an independent implementation made (tests/data/README.md). */
#include "support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bitset/split_block.h"
#include "hashing/blake2b_pair.h"
#include "hashing/blake2b_wide.h"
#include "hashing/hashing.h"
#include "sizing/sizing.h"
#include "support/bytes.h"

enum { MAX_KEY = 8192 };

static void check_positions(const struct hash_scheme *scheme, const char *key_hex, const char *m,
                            const char *k, uint64_t seed, const struct secret *secret,
                            const char *expected)
{
    static uint8_t key[MAX_KEY];
    uint64_t positions[BLOOMFILTER_MAX_HASH_COUNT];
    struct hasher hasher;
    uint32_t hash_count = (uint32_t)strtoul(k, NULL, 10);
    size_t size = from_hex(key_hex, key, sizeof key);

    assert_true(hash_count <= BLOOMFILTER_MAX_HASH_COUNT);
    bloomfilter_hashing_prepare(&hasher, scheme, strtoull(m, NULL, 10), hash_count, seed, secret);
    scheme->positions(&hasher, size != 0 ? key : NULL, size, positions, 1);
    assert_positions(expected, positions, hash_count);
}

static void check_pair(const char *key_hex, const char *h1, const char *h2,
                       const struct secret *secret)
{
    static uint8_t key[MAX_KEY];
    struct hasher hasher;
    struct hash_pair pair;
    size_t size = from_hex(key_hex, key, sizeof key);
    bloomfilter_hashing_prepare(&hasher, &bloomfilter_hashing_blake2b_pair, 1, 1, 0, secret);
    bloomfilter_blake2b_pair_hash(&hasher, key, size, &pair);
    assert_int_equal(pair.h1, strtoull(h1, NULL, 16));
    assert_int_equal(pair.h2, strtoull(h2, NULL, 16));
}

static void pair_row(char *const f[], void *context)
{
    static const struct secret none;
    (void)context;
    check_pair(f[0], f[3], f[4], &none);
    check_positions(&bloomfilter_hashing_blake2b_pair, f[0], f[1], f[2], 0, &none, f[5]);
}

static void pair_keyed_row(char *const f[], void *context)
{
    struct secret secret;
    (void)context;
    secret.size = from_hex(f[1], secret.bytes, sizeof secret.bytes);
    check_pair(f[0], f[4], f[5], &secret);
    check_positions(&bloomfilter_hashing_blake2b_pair, f[0], f[2], f[3], 0, &secret, f[6]);
}

static void indexed_row(char *const f[], void *context)
{
    static const struct secret none;
    (void)context;
    check_positions(&bloomfilter_hashing_blake2b_indexed, f[0], f[1], f[2], 0, &none, f[3]);
}

static void check_wide(const char *key_hex, const char *digest_hex, const struct secret *secret)
{
    static uint8_t key[MAX_KEY];
    uint8_t digest[16];
    struct hasher hasher;
    struct hash_pair halves;
    size_t size = from_hex(key_hex, key, sizeof key);
    assert_int_equal(from_hex(digest_hex, digest, sizeof digest), sizeof digest);
    bloomfilter_hashing_prepare(&hasher, &bloomfilter_hashing_blake2b_wide, 1, 1, 0, secret);
    bloomfilter_blake2b_wide_hash(&hasher, key, size, &halves);
    assert_int_equal(halves.h1, bytes_load_be64(digest));
    assert_int_equal(halves.h2, bytes_load_be64(digest + 8));
}

static void wide_row(char *const f[], void *context)
{
    struct secret secret;
    (void)context;
    secret.size = from_hex(f[1], secret.bytes, sizeof secret.bytes);
    check_wide(f[0], f[4], &secret);
    check_positions(&bloomfilter_hashing_blake2b_wide, f[0], f[2], f[3], 0, &secret, f[5]);
}

static void murmur_row(char *const f[], void *context)
{
    static const struct secret none;
    (void)context;
    check_positions(&bloomfilter_hashing_murmur3_tweak, f[0], f[1], f[2], strtoull(f[3], NULL, 10),
                    &none, f[4]);
}

static void target_fpr_row(char *const f[], void *context)
{
    double found = bloomfilter_sizing_target_fpr(
        strtoull(f[0], NULL, 10), (uint32_t)strtoul(f[1], NULL, 10), strtoull(f[2], NULL, 10));
    (void)context;
    if (found != strtod(f[3], NULL))
        fail_msg("m %s, k %s, n %s: %a, not %s", f[0], f[1], f[2], found, f[3]);
}

static void target_fpr_split_block_row(char *const f[], void *context)
{
    double found = bloomfilter_sizing_block_target_fpr(strtoull(f[0], NULL, 10) / SPLIT_BLOCK_BITS,
                                                       strtoull(f[1], NULL, 10), SPLIT_BLOCK_WORDS);
    (void)context;
    if (found != strtod(f[2], NULL))
        fail_msg("m %s, n %s: %a, not %s", f[0], f[1], found, f[2]);
}

static uint64_t key_hash(const struct hash_scheme *scheme, const char *key_hex,
                         const struct secret *secret)
{
    static uint8_t key[MAX_KEY];
    struct hasher hasher;
    const void *keys[1] = {NULL};
    size_t size = from_hex(key_hex, key, sizeof key);
    uint64_t of_many;

    if (size != 0)
        keys[0] = key;
    bloomfilter_hashing_prepare(&hasher, scheme, 256, 8, 0, secret);
    uint64_t hash = scheme->hash(&hasher, keys[0], size);
    bloomfilter_hashing_hashes(&hasher, 1, keys, &size, &of_many);
    assert_int_equal(of_many, hash);
    return hash;
}

static void xxh64_row(char *const f[], void *context)
{
    static const struct secret none;
    (void)context;
    assert_int_equal(key_hash(&bloomfilter_hashing_xxh64, f[0], &none), strtoull(f[1], NULL, 16));
}

static const struct hash_scheme *scheme_of(const char *name)
{
    if (strcmp(name, "pair") == 0)
        return &bloomfilter_hashing_blake2b_pair;
    return strcmp(name, "wide") == 0 ? &bloomfilter_hashing_blake2b_wide
                                     : &bloomfilter_hashing_xxh64;
}

/* No filter is made: most would be too large. Of each there is the one block that the key has. */
static void split_block_row(char *const f[], void *context)
{
    struct secret secret;
    _Alignas(64) uint8_t block[SPLIT_BLOCK_BYTES] = {0};
    uint64_t bits[SPLIT_BLOCK_WORDS];
    uint32_t count = 0;
    (void)context;

    secret.size = from_hex(f[2], secret.bytes, sizeof secret.bytes);
    uint64_t hash = key_hash(scheme_of(f[0]), f[1], &secret);
    assert_int_equal(hash, strtoull(f[4], NULL, 16));
    bloomfilter_bitset_split_block.block_kernel()->add(block, SPLIT_BLOCK_BITS, hash);
    for (uint64_t bit = 0; bit < SPLIT_BLOCK_BITS; bit++)
        if (block[bit / 8] >> bit % 8 & 1)
            bits[count++] = split_block_offset(strtoull(f[3], NULL, 10), hash) * 8 + bit;
    assert_positions(f[5], bits, count);
}

static void sizing_split_block_row(char *const f[], void *context)
{
    bloomfilter_options options = BLOOMFILTER_OPTIONS_INIT;
    bloomfilter_info info = BLOOMFILTER_INFO_INIT;
    uint64_t bit_count = strtoull(f[2], NULL, 10);
    (void)context;
    options.capacity = strtoull(f[0], NULL, 10);
    options.target_fpr = strtod(f[1], NULL);
    options.hash = BLOOMFILTER_HASH_XXH64;
    options.layout = BLOOMFILTER_LAYOUT_SPLIT_BLOCK;
    int code = bloomfilter_plan(&options, &info);
    if (exceeds_addresses(bit_count)) {
        assert_int_equal(code, BLOOMFILTER_ETOOLARGE);
        return;
    }
    assert_int_equal(code, 0);
    assert_int_equal(info.bit_count, bit_count);
    assert_int_equal(info.hash_count, 8);
}

static void sizing_row(char *const f[], void *context)
{
    bloomfilter_options options = BLOOMFILTER_OPTIONS_INIT;
    bloomfilter_info info = BLOOMFILTER_INFO_INIT;
    uint64_t bit_count = strtoull(f[2], NULL, 10);
    double hash_count = strtod(f[3], NULL);
    (void)context;

    options.capacity = strtoull(f[0], NULL, 10);
    options.target_fpr = strtod(f[1], NULL);
    assert_true(bloomfilter_sizing_bit_count(options.capacity, options.target_fpr) ==
                (double)bit_count);
    assert_true(bloomfilter_sizing_hash_count(bit_count, options.capacity) == hash_count);
    int code = bloomfilter_plan(&options, &info);
    if (exceeds_addresses(bit_count)) {
        assert_int_equal(code, BLOOMFILTER_ETOOLARGE);
        return;
    }
    assert_int_equal(code, 0);
    assert_int_equal(info.bit_count, bit_count);
    assert_int_equal(info.hash_count, (uint64_t)hash_count);
}

/* SHA-256 of bytes, from the program that every system has. */
static void sha256(const void *bytes, size_t size, char hex[65])
{
    const char *directory = make_temporary_directory();
    char command[5000];
    write_path(path_in(directory, "bits"), bytes, size);
    snprintf(command, sizeof command, "sha256sum < %s/bits", directory);
    FILE *output = popen(command, "r");
    assert_non_null(output);
    assert_int_equal(fread(hex, 1, 64, output), 64);
    hex[64] = '\0';
    assert_int_equal(pclose(output), 0);
    remove_tree(directory);
}

static void set_kind(bloomfilter_options *options, const char *scheme, const char *layout,
                     const char *parameter)
{
    bool is_flat = strcmp(layout, "flat") == 0;
    if (!is_flat)
        assert_string_equal(layout, "split-block");
    options->layout = is_flat ? BLOOMFILTER_LAYOUT_FLAT : BLOOMFILTER_LAYOUT_SPLIT_BLOCK;

    if (strcmp(scheme, "pair") == 0) {
        options->hash = BLOOMFILTER_HASH_BLAKE2B_PAIR;
    } else if (strcmp(scheme, "indexed") == 0) {
        options->hash = BLOOMFILTER_HASH_BLAKE2B_INDEXED;
    } else if (strcmp(scheme, "wide") == 0) {
        options->hash = BLOOMFILTER_HASH_BLAKE2B_WIDE;
    } else if (strcmp(scheme, "xxh64") == 0) {
        options->hash = BLOOMFILTER_HASH_XXH64;
    } else {
        assert_string_equal(scheme, "murmur");
        options->hash = BLOOMFILTER_HASH_MURMUR3_TWEAK;
        assert_int_equal(strncmp(parameter, "tweak=", 6), 0);
        options->seed = strtoull(parameter + 6, NULL, 10);
    }
}

static void whole_filter_row(char *const f[], void *context)
{
    bloomfilter_options options = BLOOMFILTER_OPTIONS_INIT;
    bloomfilter *filter;
    uint64_t bit_count = strtoull(f[6], NULL, 10);
    char digest[65];
    size_t size;
    (void)context;

    set_kind(&options, f[1], f[2], f[3]);
    options.capacity = strtoull(f[4], NULL, 10);
    options.target_fpr = strtod(f[5], NULL);
    if (options.capacity == 0) {
        options.bit_count = bit_count;
        options.hash_count = (uint32_t)strtoul(f[7], NULL, 10);
    }
    assert_int_equal(bloomfilter_create(&filter, &options), 0);
    assert_int_equal(for_each_key(f[0], add_key, filter), strtoull(f[8], NULL, 10));
    for_each_key(f[0], assert_contains_key, filter);

    bloomfilter_info info = info_of(filter);
    assert_int_equal(info.bit_count, bit_count);
    assert_int_equal(info.hash_count, strtoull(f[7], NULL, 10));
    assert_int_equal(info.insert_count, strtoull(f[8], NULL, 10));
    assert_int_equal(info.bits_set, strtoull(f[9], NULL, 10));
    uint8_t *bytes = serialized(filter, &size);
    sha256(bytes + 192, (size_t)(bit_count + 7) / 8, digest);
    assert_string_equal(digest, f[10]);
    free(bytes);
    bloomfilter_free(filter);
}

/* Byte for byte what an independent writer makes, whatever machine this is. */
static void whole_file_row(char *const f[], void *context)
{
    static uint8_t secret[BLOOMFILTER_MAX_SECRET_SIZE];
    static uint8_t metadata[4096];
    bloomfilter_options options = BLOOMFILTER_OPTIONS_INIT;
    char digest[65];
    size_t size;
    (void)context;

    set_kind(&options, f[0], f[1], f[2]);
    options.secret_size = from_hex(f[3], secret, sizeof secret);
    options.secret = options.secret_size != 0 ? secret : NULL;
    options.capacity = strtoull(f[4], NULL, 10);
    options.target_fpr = strtod(f[5], NULL);
    options.bit_count = strtoull(f[6], NULL, 10);
    options.hash_count = (uint32_t)strtoul(f[7], NULL, 10);
    bloomfilter *filter = created(&options);
    for_each_key(f[8], add_key, filter);
    size = from_hex(f[9], metadata, sizeof metadata);
    assert_int_equal(bloomfilter_set_metadata(filter, metadata, size), 0);
    uint64_t probes = strtoull(f[10], NULL, 10);
    if (probes != 0)
        assert_int_equal(bloomfilter_measure_fpr(filter, probes, strtoull(f[11], NULL, 10), NULL),
                         0);

    uint8_t *bytes = serialized(filter, &size);
    assert_int_equal(size, strtoull(f[12], NULL, 10));
    sha256(bytes, size, digest);
    assert_string_equal(digest, f[13]);
    free(bytes);
    bloomfilter_free(filter);
}

static void test_blake2b_pair(void **state)
{
    (void)state;
    assert_int_equal(for_each_row("blake2b_pair.csv", 6, pair_row, NULL), 622);
}

static void test_blake2b_pair_keyed(void **state)
{
    (void)state;
    assert_int_equal(for_each_row("blake2b_pair_keyed.csv", 7, pair_keyed_row, NULL), 102);
}

static void test_blake2b_indexed(void **state)
{
    (void)state;
    assert_int_equal(for_each_row("blake2b_indexed.csv", 4, indexed_row, NULL), 306);
}

static void test_blake2b_wide(void **state)
{
    (void)state;
    assert_int_equal(for_each_row("blake2b_wide.csv", 6, wide_row, NULL), 234);
}

static void test_murmur3_tweak(void **state)
{
    (void)state;
    assert_int_equal(for_each_row("murmur3_tweak.csv", 5, murmur_row, NULL), 306);
}

static void test_xxh64(void **state)
{
    (void)state;
    assert_int_equal(for_each_row("xxh64.csv", 2, xxh64_row, NULL), 294);
}

static void test_split_block(void **state)
{
    (void)state;
    assert_int_equal(for_each_row("split_block.csv", 6, split_block_row, NULL), 450);
}

static void test_sizing_split_block(void **state)
{
    (void)state;
    assert_int_equal(for_each_row("sizing_split_block.csv", 3, sizing_split_block_row, NULL), 349);
}

static void test_sizing(void **state)
{
    (void)state;
    assert_int_equal(for_each_row("sizing.csv", 4, sizing_row, NULL), 442);
}

static void test_target_fpr(void **state)
{
    (void)state;
    assert_int_equal(for_each_row("target_fpr.csv", 4, target_fpr_row, NULL), 400);
}

static void test_target_fpr_split_block(void **state)
{
    (void)state;
    assert_int_equal(
        for_each_row("target_fpr_split_block.csv", 3, target_fpr_split_block_row, NULL), 300);
}

static void test_whole_filters(void **state)
{
    (void)state;
    assert_int_equal(for_each_row("whole_filters.csv", 11, whole_filter_row, NULL), 19);
}

static void test_whole_files(void **state)
{
    (void)state;
    assert_int_equal(for_each_row("whole_files.csv", 14, whole_file_row, NULL), 80);
}

/* The published MurmurHash3 value that Neo's documents give: seed 10, "he". */
static void test_published_murmur3(void **state)
{
    static const struct secret none;
    struct hasher hasher;
    uint64_t position;
    (void)state;
    bloomfilter_hashing_prepare(&hasher, &bloomfilter_hashing_murmur3_tweak, (uint64_t)1 << 32, 1,
                                10, &none);
    hasher.scheme->positions(&hasher, "he", 2, &position, 1);
    assert_int_equal(position, 972873329);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_blake2b_pair),
        cmocka_unit_test(test_blake2b_pair_keyed),
        cmocka_unit_test(test_blake2b_indexed),
        cmocka_unit_test(test_blake2b_wide),
        cmocka_unit_test(test_murmur3_tweak),
        cmocka_unit_test(test_xxh64),
        cmocka_unit_test(test_split_block),
        cmocka_unit_test(test_sizing_split_block),
        cmocka_unit_test(test_sizing),
        cmocka_unit_test(test_whole_filters),
        cmocka_unit_test(test_whole_files),
        cmocka_unit_test(test_target_fpr),
        cmocka_unit_test(test_target_fpr_split_block),
        cmocka_unit_test(test_published_murmur3),
    };
    return RUN(tests);
}
