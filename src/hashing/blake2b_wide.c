/* SPDX-License-Identifier: MIT */
/* Scheme 4: one personalized BLAKE2b digest, which seeds a generator of positions, SplitMix64. */
#include "hashing/blake2b_wide.h"

#include "hashing/blake2b_scheme.h"
#include "hashing/splitmix64.h"
#include "support/bytes.h"

enum { DIGEST_SIZE = 16 };
static const char personal[] = "bloom-wide";

static void prepare(struct hasher *hasher, uint64_t seed, const struct secret *secret)
{
    (void)seed;
    bloomfilter_blake2b_start(&hasher->started[0], DIGEST_SIZE, personal, NULL, secret);
    bloomfilter_blake2b_start_chain(&hasher->chains[0], DIGEST_SIZE, personal, secret);
}

static void hash_with_libb2(const struct hasher *hasher, const void *key, size_t key_size,
                            struct hash_pair *halves)
{
    blake2b_state state = hasher->started[0];
    uint8_t digest[DIGEST_SIZE];
    bloomfilter_blake2b_update(&state, key, key_size);
    bloomfilter_blake2b_finish(&state, digest, sizeof digest);
    halves->h1 = bytes_load_be64(digest);
    halves->h2 = bytes_load_be64(digest + 8);
}

void bloomfilter_blake2b_wide_hash(const struct hasher *hasher, const void *key, size_t key_size,
                                   struct hash_pair *halves)
{
    if (blake2b_is_for_kernel(hasher, key_size, hasher->kernel->longest))
        hasher->kernel->wide(hasher->chains, blake2b_key_start(key, key_size), key_size, halves);
    else
        hash_with_libb2(hasher, key, key_size, halves);
}

void bloomfilter_blake2b_wide_positions(const struct hasher *hasher, const struct hash_pair *halves,
                                        uint64_t positions[], size_t stride)
{
    uint64_t state = halves->h1;
    uint64_t step = halves->h2 | 1; /* an even step would come back to its start too soon */
    for (uint32_t i = 0; i < hasher->hash_count; i++) {
        state += step;
        positions[i * stride] = bloomfilter_hashing_scale(hasher, splitmix64_mix(state));
    }
}

static void positions(const struct hasher *hasher, const void *key, size_t key_size,
                      uint64_t positions[], size_t stride)
{
    struct hash_pair halves;
    bloomfilter_blake2b_wide_hash(hasher, key, key_size, &halves);
    bloomfilter_blake2b_wide_positions(hasher, &halves, positions, stride);
}

/* For layouts of blocks: a alone. */
static uint64_t hash(const struct hasher *hasher, const void *key, size_t key_size)
{
    struct hash_pair halves;
    bloomfilter_blake2b_wide_hash(hasher, key, key_size, &halves);
    return halves.h1;
}

bool bloomfilter_blake2b_wide_is_right(void)
{
    return bloomfilter_blake2b_scheme_is_right(&bloomfilter_hashing_blake2b_wide, hash_with_libb2,
                                               bloomfilter_blake2b_wide_positions);
}

static bool group_positions(const struct hasher *hasher, size_t count, const void *const keys[],
                            const size_t key_sizes[], uint64_t positions[], struct flat_work *work)
{
    return bloomfilter_blake2b_group_positions(hasher->kernel->wide_positions, hasher, count, keys,
                                               key_sizes, positions, work);
}

const struct hash_scheme bloomfilter_hashing_blake2b_wide = {
    .id = 4,
    .name = "blake2b-wide",
    .takes_secret = true,
    .position_model = POSITION_MODEL_INDEPENDENT,
    .hash_bits = 64,
    .prepare = prepare,
    .positions = positions,
    .group_positions = group_positions,
    .hash = hash,
    .many_hashes = bloomfilter_blake2b_many_hashes,
};
