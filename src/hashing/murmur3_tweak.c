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

/* Hashes of one key side by side, which do not wait for each other. */
enum {
    MOST_LANES = 8,
    WORTH_LANES = 4 /* so many, at least, take less time so than one after the other */
};
#define ALWAYS_INLINE static inline __attribute__((always_inline))

ALWAYS_INLINE void take_block(uint32_t hashes[], uint32_t lanes, uint32_t block)
{
    uint32_t scrambled = scramble(block);
    for (uint32_t i = 0; i < lanes; i++)
        hashes[i] = rotate_left(hashes[i] ^ scrambled, 13) * 5 + 0xe6546b64u;
}

/* `hashes` are seeds, and become the hashes. */
ALWAYS_INLINE void murmur3_x86_32(const uint8_t *key, size_t key_size, uint32_t hashes[],
                                  uint32_t lanes)
{
    size_t whole = key_size & ~(size_t)3;
    size_t rest = key_size & 3;
    uint32_t last = (uint32_t)key_size; /* the published definition takes it modulo 2^32 */

    for (size_t at = 0; at < whole; at += 4)
        take_block(hashes, lanes, bytes_load_le32(key + at));
    if (rest != 0)
        last ^= scramble((uint32_t)bytes_load_le(key + whole, (int)rest));
    for (uint32_t i = 0; i < lanes; i++) {
        uint32_t hash = hashes[i] ^ last;
        hash = (hash ^ hash >> 16) * 0x85ebca6bu;
        hash = (hash ^ hash >> 13) * 0xc2b2ae35u;
        hashes[i] = hash ^ hash >> 16;
    }
}

static void prepare(struct hasher *hasher, uint64_t seed, const struct secret *secret)
{
    (void)secret;
    hasher->tweak = (uint32_t)seed;
}

/* As many positions from number `first` on as there are, at most `lanes`; returns the next number. */
ALWAYS_INLINE uint32_t some_positions(const struct hasher *hasher, const void *key, size_t key_size,
                                      uint64_t positions[], size_t stride, uint32_t first,
                                      uint32_t lanes)
{
    uint32_t hashes[MOST_LANES];
    for (uint32_t i = 0; i < lanes; i++)
        hashes[i] = (first + i) * 0xFBA4C795u + hasher->tweak;
    murmur3_x86_32(key, key_size, hashes, lanes);
    for (uint32_t i = 0; i < lanes && first + i < hasher->hash_count; i++)
        positions[(first + i) * stride] = bloomfilter_hashing_reduce(hasher, hashes[i]);
    return first + lanes;
}

static void positions(const struct hasher *hasher, const void *key, size_t key_size,
                      uint64_t positions[], size_t stride)
{
    uint32_t next = 0;
    while (next + WORTH_LANES <= hasher->hash_count)
        next = some_positions(hasher, key, key_size, positions, stride, next, MOST_LANES);
    while (next < hasher->hash_count)
        next = some_positions(hasher, key, key_size, positions, stride, next, 1);
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
