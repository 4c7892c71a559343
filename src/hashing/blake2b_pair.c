/* SPDX-License-Identifier: MIT */
/* Scheme 1: two personalized BLAKE2b digests, combined by double hashing. */
#include "hashing/blake2b_pair.h"

#include "hashing/blake2b_scheme.h"
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

void bloomfilter_blake2b_pair_hash(const struct hasher *hasher, const void *key, size_t key_size,
                                   struct hash_pair *pair)
{
    if (blake2b_is_for_kernel(hasher, key_size, hasher->kernel->longest))
        hasher->kernel->pair(hasher->chains, blake2b_key_start(key, key_size), key_size, pair);
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

/* For layouts of blocks: h1 alone. */
static uint64_t hash(const struct hasher *hasher, const void *key, size_t key_size)
{
    struct hash_pair pair;
    bloomfilter_blake2b_pair_hash(hasher, key, key_size, &pair);
    return pair.h1;
}

bool bloomfilter_blake2b_pair_is_right(void)
{
    return bloomfilter_blake2b_scheme_is_right(&bloomfilter_hashing_blake2b_pair,
                                               hash_pair_with_libb2,
                                               bloomfilter_blake2b_pair_positions);
}

static bool group_positions(const struct hasher *hasher, size_t count, const void *const keys[],
                            const size_t key_sizes[], uint64_t positions[], struct flat_work *work)
{
    return bloomfilter_blake2b_group_positions(hasher->kernel->pair_positions, hasher, count, keys,
                                               key_sizes, positions, work);
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
    .hash = hash,
    .many_hashes = bloomfilter_blake2b_many_hashes,
};
