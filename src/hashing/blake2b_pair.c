/* SPDX-License-Identifier: MIT */
/* Scheme 1: two personalized BLAKE2b digests, combined by double hashing. */
#include "hashing/blake2b_pair.h"

#include "support/bytes.h"

static const char *const personal[2] = {"bloom-h1", "bloom-h2"};

static void prepare(struct hasher *hasher, uint64_t seed, const struct secret *secret)
{
    (void)seed;
    for (int i = 0; i < 2; i++) {
        bloomfilter_blake2b_start(&hasher->started[i], 8, personal[i], NULL, secret);
        bloomfilter_blake2b_start_chain(&hasher->chains[i], 8, personal[i], secret);
    }
}

static uint64_t hash_with_libb2(const blake2b_state *started, const void *key, size_t key_size)
{
    blake2b_state state = *started;
    uint8_t digest[8];
    bloomfilter_blake2b_update(&state, key, key_size);
    bloomfilter_blake2b_finish(&state, digest, sizeof digest);
    return bytes_load_be64(digest);
}

static void hash_pair_with_libb2(const struct hasher *hasher, const void *key, size_t key_size,
                                 struct hash_pair *pair)
{
    pair->h1 = hash_with_libb2(&hasher->started[0], key, key_size);
    pair->h2 = hash_with_libb2(&hasher->started[1], key, key_size);
}

/* An empty key may be NULL, to which kernels must not add. */
static const void *start_of(const void *key, size_t key_size)
{
    return key_size != 0 ? key : "";
}

/* Behind a key block, an empty message is no block of its own. */
static bool is_for_kernel(const struct hasher *hasher, size_t key_size, size_t longest)
{
    return key_size <= longest && (key_size != 0 || hasher->chains[0].size == 0);
}

void bloomfilter_blake2b_pair_hash(const struct hasher *hasher, const void *key, size_t key_size,
                                   struct hash_pair *pair)
{
    if (is_for_kernel(hasher, key_size, hasher->kernel->longest))
        hasher->kernel->pair(hasher->chains, start_of(key, key_size), key_size, pair);
    else
        hash_pair_with_libb2(hasher, key, key_size, pair);
}

void bloomfilter_blake2b_pair_positions(const struct hasher *hasher, const struct hash_pair *pair,
                                        uint64_t positions[], size_t stride)
{
    uint64_t bit_count = hasher->bit_count;
    uint64_t position = bloomfilter_hashing_reduce(hasher, pair->h1);
    uint64_t step = bloomfilter_hashing_reduce(hasher, pair->h2);
    if (step == 0 && bit_count > 1)
        step = 1;
    uint64_t before_wrap = bit_count - step;
    for (uint32_t i = 0; i < hasher->hash_count; i++) {
        positions[i * stride] = position;
        /* Adds modulo bit_count without the sum, which may not fit 64 bits. */
        position = position >= before_wrap ? position - before_wrap : position + step;
    }
}

static void positions(const struct hasher *hasher, const void *key, size_t key_size,
                      uint64_t positions[], size_t stride)
{
    struct hash_pair pair;
    bloomfilter_blake2b_pair_hash(hasher, key, key_size, &pair);
    bloomfilter_blake2b_pair_positions(hasher, &pair, positions, stride);
}

static bool group_positions(const struct hasher *hasher, size_t count, const void *const keys[],
                            const size_t key_sizes[], uint64_t positions[], struct flat_work *work)
{
    const void *group[KEY_GROUP];
    size_t sizes[KEY_GROUP];

    if (hasher->kernel->pair_positions == NULL || count < hasher->kernel->worthwhile)
        return false;
    for (size_t j = 0; j < KEY_GROUP; j++) {
        size_t from = j < count ? j : 0; /* the first key fills the group up */
        if (!is_for_kernel(hasher, key_sizes[from], BLAKE2B_BLOCK))
            return false;
        group[j] = start_of(keys[from], key_sizes[from]);
        sizes[j] = key_sizes[from];
    }
    hasher->kernel->pair_positions(hasher, group, sizes, positions, work);
    return true;
}

/* ---- the kernel against libb2 */

enum { TEST_BIT_COUNT = 1000003, TEST_HASH_COUNT = 3 };

/* A group of keys that end in all length classes up to `largest`. */
static bool is_group_right(const struct hasher *hasher, size_t largest)
{
    static const uint8_t bytes[BLAKE2B_BLOCK] = "self-test";
    uint64_t positions[KEY_GROUP * TEST_HASH_COUNT];
    uint64_t expected[TEST_HASH_COUNT];
    const void *keys[KEY_GROUP];
    size_t sizes[KEY_GROUP];
    bool is_right = true;

    for (size_t j = 0; j < KEY_GROUP; j++) {
        keys[j] = bytes;
        sizes[j] = largest - j;
    }
    bloomfilter_hashing_positions(hasher, KEY_GROUP, keys, sizes, positions, NULL);
    for (size_t j = 0; j < KEY_GROUP; j++) {
        struct hash_pair pair;
        hash_pair_with_libb2(hasher, bytes, sizes[j], &pair);
        bloomfilter_blake2b_pair_positions(hasher, &pair, expected, 1);
        for (size_t i = 0; i < TEST_HASH_COUNT; i++)
            is_right &= positions[i * KEY_GROUP + j] == expected[i];
        bloomfilter_blake2b_pair_hash(hasher, bytes, sizes[j], &pair);
        bloomfilter_blake2b_pair_positions(hasher, &pair, expected, 1);
        for (size_t i = 0; i < TEST_HASH_COUNT; i++)
            is_right &= positions[i * KEY_GROUP + j] == expected[i];
    }
    return is_right;
}

bool bloomfilter_blake2b_pair_is_right(void)
{
    static const size_t largest[] = {8, 16, 32, 64, BLAKE2B_BLOCK};
    bool is_right = true;
    for (size_t secret_size = 0; secret_size <= 64; secret_size += 64) {
        struct secret secret = {.size = secret_size};
        struct hasher hasher;
        bloomfilter_hashing_prepare(&hasher, &bloomfilter_hashing_blake2b_pair, TEST_BIT_COUNT,
                                    TEST_HASH_COUNT, 0, &secret);
        for (size_t i = 0; i < sizeof largest / sizeof largest[0]; i++)
            is_right &= is_group_right(&hasher, largest[i]);
    }
    return is_right;
}

const struct hash_scheme bloomfilter_hashing_blake2b_pair = {
    .id = 1,
    .name = "blake2b-pair",
    .takes_secret = true,
    .position_model = POSITION_MODEL_PROGRESSION,
    .hash_bits = 64,
    .prepare = prepare,
    .positions = positions,
    .group_positions = group_positions,
};
