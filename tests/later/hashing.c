/* SPDX-License-Identifier: MIT */
/* The later release's schemes: those of this one, and one whose positions are scheme 1's counted
 * from the other end. Who took it for scheme 1 would deny keys. */
#define bloomfilter_hashing_find find_scheme_of_1_0
#include "../../src/hashing/registry.c"
#undef bloomfilter_hashing_find

#include "later.h"

static void prepare(struct hasher *hasher, uint64_t seed, const struct secret *secret)
{
    bloomfilter_hashing_blake2b_pair.prepare(hasher, seed, secret);
}

static void positions(const struct hasher *hasher, const void *key, size_t key_size, uint64_t out[],
                      size_t stride)
{
    bloomfilter_hashing_blake2b_pair.positions(hasher, key, key_size, out, stride);
    for (size_t i = 0; i < hasher->hash_count; i++)
        out[i * stride] = hasher->bit_count - 1 - out[i * stride];
}

static const struct hash_scheme new_scheme = {
    .id = LATER_HASH,
    .name = "later",
    .takes_secret = true,
    .position_model = POSITION_MODEL_PROGRESSION,
    .hash_bits = 64,
    .prepare = prepare,
    .positions = positions,
};

const struct hash_scheme *bloomfilter_hashing_find(uint32_t id);

const struct hash_scheme *bloomfilter_hashing_find(uint32_t id)
{
    return id == LATER_HASH ? &new_scheme : find_scheme_of_1_0(id);
}
