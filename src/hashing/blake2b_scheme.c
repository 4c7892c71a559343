/* SPDX-License-Identifier: MIT */
#include "hashing/blake2b_scheme.h"

/* The arguments of a group function of a kernel. */
struct group {
    const void *keys[KEY_GROUP];
    size_t sizes[KEY_GROUP];
};

static bool is_for_group(const struct hasher *hasher, size_t key_size)
{
    return blake2b_is_for_kernel(hasher, key_size, BLAKE2B_BLOCK);
}

/*
 * A group of the keys that the kernel can take; one of them fills it up in place of the others,
 * which are hashed by themselves afterwards. False if it is not worth while.
 */
static bool make_group(struct group *group, const struct hasher *hasher, size_t count,
                       const void *const keys[], const size_t key_sizes[])
{
    size_t fitting = 0;
    size_t filler = 0;
    for (size_t j = 0; j < count; j++)
        if (is_for_group(hasher, key_sizes[j])) {
            filler = j;
            fitting++;
        }
    if (fitting < hasher->kernel->worthwhile)
        return false;
    for (size_t j = 0; j < KEY_GROUP; j++) {
        size_t from = j < count && is_for_group(hasher, key_sizes[j]) ? j : filler;
        group->keys[j] = blake2b_key_start(keys[from], key_sizes[from]);
        group->sizes[j] = key_sizes[from];
    }
    return true;
}

bool bloomfilter_blake2b_group_positions(blake2b_group_function *positions_of,
                                         const struct hasher *hasher, size_t count,
                                         const void *const keys[], const size_t key_sizes[],
                                         uint64_t positions[], struct flat_work *work)
{
    struct group group;
    if (positions_of == NULL || !make_group(&group, hasher, count, keys, key_sizes))
        return false;
    positions_of(hasher, group.keys, group.sizes, positions, work);
    for (size_t j = 0; j < count; j++)
        if (!is_for_group(hasher, key_sizes[j]))
            hasher->scheme->positions(hasher, keys[j], key_sizes[j], positions + j, KEY_GROUP);
    return true;
}

/* The hashes of a part of a group, or of a whole one. */
static void hash_group(const struct hasher *hasher, size_t count, const void *const keys[],
                       const size_t key_sizes[], uint64_t hashes[])
{
    struct group group;
    uint64_t all[KEY_GROUP];
    if (hasher->kernel->group_hashes == NULL ||
        !make_group(&group, hasher, count, keys, key_sizes)) {
        for (size_t j = 0; j < count; j++)
            hashes[j] = hasher->scheme->hash(hasher, keys[j], key_sizes[j]);
        return;
    }
    hasher->kernel->group_hashes(&hasher->chains[0], group.keys, group.sizes, all);
    for (size_t j = 0; j < count; j++)
        hashes[j] = is_for_group(hasher, key_sizes[j])
                        ? all[j]
                        : hasher->scheme->hash(hasher, keys[j], key_sizes[j]);
}

void bloomfilter_blake2b_many_hashes(const struct hasher *hasher, size_t count,
                                     const void *const keys[], const size_t key_sizes[],
                                     uint64_t hashes[])
{
    for (size_t first = 0; first < count; first += KEY_GROUP) {
        size_t size = count - first < KEY_GROUP ? count - first : KEY_GROUP;
        hash_group(hasher, size, keys + first, key_sizes + first, hashes + first);
    }
}

/* ---- the kernel against libb2 */

enum { TEST_BIT_COUNT = 1000003, TEST_HASH_COUNT = 3 };

/* What a group of keys gave, and single ones. */
static bool is_key_right(const struct hasher *hasher, const void *key, size_t size,
                         const struct hash_pair *pair, blake2b_positions_function *positions_of,
                         const uint64_t positions[])
{
    uint64_t expected[TEST_HASH_COUNT];
    uint64_t single[TEST_HASH_COUNT];
    bool is_right = hasher->scheme->hash(hasher, key, size) == pair->h1;
    positions_of(hasher, pair, expected, 1);
    hasher->scheme->positions(hasher, key, size, single, 1);
    for (size_t i = 0; i < TEST_HASH_COUNT; i++) {
        is_right &= positions[i * KEY_GROUP] == expected[i];
        is_right &= single[i] == expected[i];
    }
    return is_right;
}

/* A group of keys of `largest` bytes and of the sizes below it. */
static bool is_group_right(const struct hasher *hasher, blake2b_hash_function *hash_with_libb2,
                           blake2b_positions_function *positions_of, size_t largest)
{
    static const uint8_t bytes[2 * BLAKE2B_BLOCK] = "self-test";
    uint64_t positions[KEY_GROUP * TEST_HASH_COUNT];
    uint64_t hashes[KEY_GROUP];
    const void *keys[KEY_GROUP];
    size_t sizes[KEY_GROUP];
    bool is_right = true;

    for (size_t j = 0; j < KEY_GROUP; j++) {
        keys[j] = bytes;
        sizes[j] = largest > j ? largest - j : 0;
    }
    bloomfilter_hashing_positions(hasher, KEY_GROUP, keys, sizes, positions, NULL);
    bloomfilter_hashing_hashes(hasher, KEY_GROUP, keys, sizes, hashes);
    for (size_t j = 0; j < KEY_GROUP; j++) {
        struct hash_pair pair;
        hash_with_libb2(hasher, bytes, sizes[j], &pair);
        is_right &= hashes[j] == pair.h1;
        is_right &= is_key_right(hasher, bytes, sizes[j], &pair, positions_of, positions + j);
    }
    return is_right;
}

bool bloomfilter_blake2b_scheme_is_right(const struct hash_scheme *scheme,
                                         blake2b_hash_function *hash_with_libb2,
                                         blake2b_positions_function *positions_of)
{
    static const size_t largest[] = {8, 16, 32, 64, BLAKE2B_BLOCK, 2 * BLAKE2B_BLOCK};
    bool is_right = true;
    for (size_t secret_size = 0; secret_size <= 64; secret_size += 64) {
        struct secret secret = {.size = secret_size};
        struct hasher hasher;
        bloomfilter_hashing_prepare(&hasher, scheme, TEST_BIT_COUNT, TEST_HASH_COUNT, 0, &secret);
        for (size_t i = 0; i < sizeof largest / sizeof largest[0]; i++)
            is_right &= is_group_right(&hasher, hash_with_libb2, positions_of, largest[i]);
    }
    return is_right;
}
