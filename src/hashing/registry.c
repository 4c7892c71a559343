/* SPDX-License-Identifier: MIT */
#include "hashing/hashing.h"

static const struct hash_scheme *const schemes[] = {
    &bloomfilter_hashing_blake2b_pair,  &bloomfilter_hashing_blake2b_indexed,
    &bloomfilter_hashing_murmur3_tweak, &bloomfilter_hashing_blake2b_wide,
    &bloomfilter_hashing_xxh64,
};

const struct hash_scheme *bloomfilter_hashing_find(uint32_t id)
{
    for (size_t i = 0; i < sizeof schemes / sizeof schemes[0]; i++)
        if (schemes[i]->id == id)
            return schemes[i];
    return NULL;
}

void bloomfilter_hashing_prepare(struct hasher *hasher, const struct hash_scheme *scheme,
                                 uint64_t bit_count, uint32_t hash_count, uint64_t seed,
                                 const struct secret *secret)
{
    hasher->scheme = scheme;
    hasher->bit_count = bit_count;
    hasher->hash_count = hash_count;
    hasher->reciprocal = UINT64_MAX / bit_count;
    hasher->kernel = bloomfilter_blake2b_kernel();
    scheme->prepare(hasher, seed, secret);
}

void bloomfilter_hashing_positions(const struct hasher *hasher, size_t count,
                                   const void *const keys[], const size_t key_sizes[],
                                   uint64_t positions[], struct flat_work *work)
{
    const struct hash_scheme *scheme = hasher->scheme;
    if (scheme->group_positions != NULL &&
        scheme->group_positions(hasher, count, keys, key_sizes, positions, work))
        return;
    for (size_t j = 0; j < count; j++)
        scheme->positions(hasher, keys[j], key_sizes[j], positions + j, KEY_GROUP);
}

void bloomfilter_hashing_hashes(const struct hasher *hasher, size_t count, const void *const keys[],
                                const size_t key_sizes[], uint64_t hashes[])
{
    const struct hash_scheme *scheme = hasher->scheme;
    if (scheme->many_hashes != NULL) {
        scheme->many_hashes(hasher, count, keys, key_sizes, hashes);
        return;
    }
    for (size_t j = 0; j < count; j++)
        hashes[j] = scheme->hash(hasher, keys[j], key_sizes[j]);
}

struct prediction_shape bloomfilter_hashing_shape(const struct hash_scheme *scheme,
                                                  uint64_t bit_count, uint32_t hash_count)
{
    struct prediction_shape shape = {.model = scheme->position_model,
                                     .hash_bits = scheme->hash_bits,
                                     .bit_count = bit_count,
                                     .hash_count = hash_count};
    return shape;
}
