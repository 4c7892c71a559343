/* SPDX-License-Identifier: MIT */
#include "hashing/blake2b_scheme.h"

bool bloomfilter_blake2b_group_positions(blake2b_group_function *positions_of,
                                         const struct hasher *hasher, size_t count,
                                         const void *const keys[], const size_t key_sizes[],
                                         uint64_t positions[], struct flat_work *work)
{
    const void *group[KEY_GROUP];
    size_t sizes[KEY_GROUP];

    if (positions_of == NULL || count < hasher->kernel->worthwhile)
        return false;
    for (size_t j = 0; j < KEY_GROUP; j++) {
        size_t from = j < count ? j : 0; /* the first key fills the group up */
        if (!blake2b_is_for_kernel(hasher, key_sizes[from], BLAKE2B_BLOCK))
            return false;
        group[j] = blake2b_key_start(keys[from], key_sizes[from]);
        sizes[j] = key_sizes[from];
    }
    positions_of(hasher, group, sizes, positions, work);
    return true;
}

/* ---- the kernel against libb2 */

enum { TEST_BIT_COUNT = 1000003, TEST_HASH_COUNT = 3 };

typedef void positions_function(const struct hasher *hasher, const void *key, size_t key_size,
                                uint64_t positions[], size_t stride);

/* A group of keys that end in all length classes up to `largest`. */
static bool is_group_right(const struct hasher *hasher, positions_function *with_libb2,
                           size_t largest)
{
    static const uint8_t bytes[BLAKE2B_BLOCK] = "self-test";
    uint64_t positions[KEY_GROUP * TEST_HASH_COUNT];
    uint64_t expected[TEST_HASH_COUNT];
    uint64_t single[TEST_HASH_COUNT];
    const void *keys[KEY_GROUP];
    size_t sizes[KEY_GROUP];
    bool is_right = true;

    for (size_t j = 0; j < KEY_GROUP; j++) {
        keys[j] = bytes;
        sizes[j] = largest - j;
    }
    bloomfilter_hashing_positions(hasher, KEY_GROUP, keys, sizes, positions, NULL);
    for (size_t j = 0; j < KEY_GROUP; j++) {
        with_libb2(hasher, bytes, sizes[j], expected, 1);
        hasher->scheme->positions(hasher, bytes, sizes[j], single, 1);
        for (size_t i = 0; i < TEST_HASH_COUNT; i++) {
            is_right &= positions[i * KEY_GROUP + j] == expected[i];
            is_right &= single[i] == expected[i];
        }
    }
    return is_right;
}

bool bloomfilter_blake2b_scheme_is_right(const struct hash_scheme *scheme,
                                         positions_function *with_libb2)
{
    static const size_t largest[] = {8, 16, 32, 64, BLAKE2B_BLOCK};
    bool is_right = true;
    for (size_t secret_size = 0; secret_size <= 64; secret_size += 64) {
        struct secret secret = {.size = secret_size};
        struct hasher hasher;
        bloomfilter_hashing_prepare(&hasher, scheme, TEST_BIT_COUNT, TEST_HASH_COUNT, 0, &secret);
        for (size_t i = 0; i < sizeof largest / sizeof largest[0]; i++)
            is_right &= is_group_right(&hasher, with_libb2, largest[i]);
    }
    return is_right;
}
