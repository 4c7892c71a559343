/* SPDX-License-Identifier: MIT */
/* Scheme 1: two personalized BLAKE2b digests, combined by double hashing. */
#include "hashing/blake2b_pair.h"

#include "support/bytes.h"

enum { GROUP = 16 }; /* keys hashed before their positions are made */

static void prepare(struct hasher *hasher, uint64_t seed, const struct secret *secret)
{
    (void)seed;
    bloomfilter_blake2b_start(&hasher->started[0], 8, "bloom-h1", NULL, secret);
    bloomfilter_blake2b_start(&hasher->started[1], 8, "bloom-h2", NULL, secret);
}

static uint64_t hash(const blake2b_state *started, const void *key, size_t key_size)
{
    blake2b_state state = *started;
    uint8_t digest[8];
    bloomfilter_blake2b_update(&state, key, key_size);
    bloomfilter_blake2b_finish(&state, digest, sizeof digest);
    return bytes_load_be64(digest);
}

void bloomfilter_blake2b_pair_hash(const struct hasher *hasher, size_t count,
                                   const void *const keys[], const size_t key_sizes[],
                                   struct hash_pair pairs[])
{
    for (size_t j = 0; j < count; j++) {
        pairs[j].h1 = hash(&hasher->started[0], keys[j], key_sizes[j]);
        pairs[j].h2 = hash(&hasher->started[1], keys[j], key_sizes[j]);
    }
}

void bloomfilter_blake2b_pair_positions(struct hash_pair pair, uint64_t bit_count,
                                        uint32_t hash_count, uint64_t positions[])
{
    uint64_t position = pair.h1 % bit_count;
    uint64_t step = pair.h2 % bit_count;
    if (step == 0 && bit_count > 1)
        step = 1;
    for (uint32_t i = 0; i < hash_count; i++) {
        positions[i] = position;
        /* Adds modulo bit_count without the sum, which may not fit 64 bits. */
        position = position >= bit_count - step ? position - (bit_count - step) : position + step;
    }
}

static void positions(const struct hasher *hasher, size_t count, const void *const keys[],
                      const size_t key_sizes[], uint64_t out[])
{
    struct hash_pair pairs[GROUP];
    for (size_t done = 0; done < count;) {
        size_t size = count - done < GROUP ? count - done : GROUP;
        bloomfilter_blake2b_pair_hash(hasher, size, keys + done, key_sizes + done, pairs);
        for (size_t j = 0; j < size; j++)
            bloomfilter_blake2b_pair_positions(pairs[j], hasher->bit_count, hasher->hash_count,
                                               out + (done + j) * hasher->hash_count);
        done += size;
    }
}

const struct hash_scheme bloomfilter_hashing_blake2b_pair = {
    .id = 1,
    .name = "blake2b-pair",
    .takes_secret = true,
    .position_model = POSITION_MODEL_PROGRESSION,
    .hash_bits = 64,
    .prepare = prepare,
    .positions = positions,
};
