/* SPDX-License-Identifier: MIT */
/* Scheme 4: one personalized BLAKE2b digest, which seeds a generator of positions, SplitMix64. */
#include "hashing/blake2b_wide.h"

#include "hashing/splitmix64.h"
#include "support/bytes.h"

enum { DIGEST_SIZE = 16 };
static const char personal[] = "bloom-wide";

static void prepare(struct hasher *hasher, uint64_t seed, const struct secret *secret)
{
    (void)seed;
    bloomfilter_blake2b_start(&hasher->started[0], DIGEST_SIZE, personal, NULL, secret);
}

void bloomfilter_blake2b_wide_hash(const struct hasher *hasher, const void *key, size_t key_size,
                                   struct hash_pair *halves)
{
    blake2b_state state = hasher->started[0];
    uint8_t digest[DIGEST_SIZE];
    bloomfilter_blake2b_update(&state, key, key_size);
    bloomfilter_blake2b_finish(&state, digest, sizeof digest);
    halves->h1 = bytes_load_be64(digest);
    halves->h2 = bytes_load_be64(digest + 8);
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

const struct hash_scheme bloomfilter_hashing_blake2b_wide = {
    .id = 4,
    .name = "blake2b-wide",
    .takes_secret = true,
    .position_model = POSITION_MODEL_INDEPENDENT,
    .hash_bits = 64,
    .prepare = prepare,
    .positions = positions,
};
