/* SPDX-License-Identifier: MIT */
/*
 * Scheme 5: XXH64, the hash of Apache Parquet's Bloom filters. For layouts of blocks only. Not for
 * keys that an adversary chooses.
 */
#include "hashing/xxh64.h"

#include <string.h>
#include <xxhash.h>

static void prepare(struct hasher *hasher, uint64_t seed, const struct secret *secret)
{
    (void)hasher, (void)seed, (void)secret;
}

static uint64_t hash(const struct hasher *hasher, const void *key, size_t key_size)
{
    (void)hasher;
    return XXH64(key, key_size, 0);
}

static void many_hashes(const struct hasher *hasher, size_t count, const void *const keys[],
                        const size_t key_sizes[], uint64_t hashes[])
{
    (void)hasher;
    for (size_t j = 0; j < count; j++)
        hashes[j] = XXH64(keys[j], key_sizes[j], 0);
}

/* Known answers of each way through the function: short keys by their last bytes, long ones by
 * stripes of 32. */
bool bloomfilter_xxh64_is_right(void)
{
    static const struct {
        const char *key;
        uint64_t hash;
    } known[] = {
        {"", 0xef46db3751d8e999u},
        {"abc", 0x44bc2cf5ad770999u},
        {"a Bloom filter of blocks: 47 bytes to be hashed", 0x20ab5cd139bfb863u},
    };
    bool is_right = true;
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        is_right &= XXH64(known[i].key, strlen(known[i].key), 0) == known[i].hash;
    return is_right;
}

const struct hash_scheme bloomfilter_hashing_xxh64 = {
    .id = 5,
    .name = "xxh64",
    .hash_bits = 64,
    .prepare = prepare,
    .hash = hash,
    .many_hashes = many_hashes,
};
