/* SPDX-License-Identifier: MIT */
/*
 * Scheme 3: MurmurHash3_x86_32 per position, each with a seed of its own: the filter of BIP 37 and
 * of Neo. Not for keys that an adversary chooses.
 */
#include "hashing/hashing.h"

#include "support/bytes.h"

static inline uint32_t rotate_left(uint32_t value, int by)
{
    return value << by | value >> (32 - by);
}

static inline uint32_t scramble(uint32_t block)
{
    return rotate_left(block * 0xcc9e2d51u, 15) * 0x1b873593u;
}

static uint32_t murmur3_x86_32(const uint8_t *key, size_t key_size, uint32_t seed)
{
    uint32_t hash = seed;
    size_t whole = key_size & ~(size_t)3;
    size_t rest = key_size & 3;

    for (size_t at = 0; at < whole; at += 4)
        hash = rotate_left(hash ^ scramble(bytes_load_le32(key + at)), 13) * 5 + 0xe6546b64u;
    if (rest != 0)
        hash ^= scramble((uint32_t)bytes_load_le(key + whole, (int)rest));

    /* The published definition takes the size modulo 2^32. */
    hash ^= (uint32_t)key_size;
    hash = (hash ^ hash >> 16) * 0x85ebca6bu;
    hash = (hash ^ hash >> 13) * 0xc2b2ae35u;
    return hash ^ hash >> 16;
}

static void prepare(struct hasher *hasher, uint64_t seed, const struct secret *secret)
{
    (void)secret;
    hasher->tweak = (uint32_t)seed;
}

static void positions(const struct hasher *hasher, const void *key, size_t key_size,
                      uint64_t positions[], size_t stride)
{
    for (uint32_t i = 0; i < hasher->hash_count; i++)
        positions[i * stride] = bloomfilter_hashing_reduce(
            hasher, murmur3_x86_32(key, key_size, i * 0xFBA4C795u + hasher->tweak));
}

const struct hash_scheme bloomfilter_hashing_murmur3_tweak = {
    .id = 3,
    .name = "murmur3-tweak",
    .takes_seed = true,
    .position_model = POSITION_MODEL_INDEPENDENT,
    .hash_bits = 32,
    .prepare = prepare,
    .positions = positions,
};
