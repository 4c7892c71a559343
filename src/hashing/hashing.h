/* SPDX-License-Identifier: MIT */
/*
 * Hashing: keys to positions, or to one hash each. Knows nothing of where bits are kept.
 *
 * A scheme is one file that defines a `const struct hash_scheme`, and one row of registry.c. Its id
 * and definition (docs/format.md) are part of the file format and never change.
 */
#ifndef BLOOMFILTER_HASHING_HASHING_H
#define BLOOMFILTER_HASHING_HASHING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "hashing/blake2b_kernel.h"
#include "sizing/prediction.h"
#include "support/blake2b.h"
#include "support/secret.h"

/* A scheme made ready for one filter. Constant from then on, so any number of threads share it. */
struct hasher {
    const struct hash_scheme *scheme;
    uint64_t bit_count;
    uint32_t hash_count;
    uint32_t tweak;
    uint64_t reciprocal; /* floor((2^64 - 1) / bit_count) */
    const struct blake2b_kernel *kernel;
    struct blake2b_chain chains[2]; /* digests that have taken parameters and secret: for kernels */
    blake2b_state started[2];       /* the same for libb2, to be copied */
};

struct hash_scheme {
    uint32_t id;
    const char *name;
    bool takes_secret;
    bool takes_seed;
    enum position_model position_model; /* for predictions */
    uint32_t hash_bits;                 /* each hash is uniform below 2^hash_bits */

    /* Fills what `positions` needs of a hasher whose other fields are set. */
    void (*prepare)(struct hasher *hasher, uint64_t seed, const struct secret *secret);

    /* The positions of one key, all below bit_count: number i goes to positions[i * stride]. NULL:
     * the scheme has none. */
    void (*positions)(const struct hasher *hasher, const void *key, size_t key_size,
                      uint64_t positions[], size_t stride);

    /*
     * The positions of up to KEY_GROUP keys at once: number i of key j goes to
     * positions[i * KEY_GROUP + j], which has room for a whole group's. Does some of the work (or
     * NULL) meanwhile, or none. Returns false, and has done nothing, where keys are better hashed
     * one by one. NULL: always.
     */
    bool (*group_positions)(const struct hasher *hasher, size_t count, const void *const keys[],
                            const size_t key_sizes[], uint64_t positions[], struct flat_work *work);

    /* The hash of one key, for layouts of blocks. NULL: the scheme has none. */
    uint64_t (*hash)(const struct hasher *hasher, const void *key, size_t key_size);

    /* The same of many keys. NULL: they are hashed one by one. */
    void (*many_hashes)(const struct hasher *hasher, size_t count, const void *const keys[],
                        const size_t key_sizes[], uint64_t hashes[]);
};

/* The scheme of an id, or NULL. */
const struct hash_scheme *bloomfilter_hashing_find(uint32_t id);

/* Whether the scheme gives what a layout takes: a hash for one of blocks, else positions. */
static inline bool bloomfilter_hashing_suits(const struct hash_scheme *scheme, bool has_blocks)
{
    return has_blocks ? scheme->hash != NULL : scheme->positions != NULL;
}

/* Makes a hasher; bit_count and hash_count are at least 1. */
void bloomfilter_hashing_prepare(struct hasher *hasher, const struct hash_scheme *scheme,
                                 uint64_t bit_count, uint32_t hash_count, uint64_t seed,
                                 const struct secret *secret);

/*
 * The positions of up to KEY_GROUP keys, number i of key j at positions[i * KEY_GROUP + j], which
 * has room for a whole group's. Does some of the work (or NULL) meanwhile, or none.
 */
void bloomfilter_hashing_positions(const struct hasher *hasher, size_t count,
                                   const void *const keys[], const size_t key_sizes[],
                                   uint64_t positions[], struct flat_work *work);

/* The hashes of many keys, of a scheme that has them. */
void bloomfilter_hashing_hashes(const struct hasher *hasher, size_t count, const void *const keys[],
                                const size_t key_sizes[], uint64_t hashes[]);

/* value mod bit_count. By Barrett's method: the quotient is right or one too small. */
static inline uint64_t bloomfilter_hashing_reduce(const struct hasher *hasher, uint64_t value)
{
#ifdef __SIZEOF_INT128__
    __extension__ typedef unsigned __int128 wide;
    uint64_t quotient = (uint64_t)((wide)value * hasher->reciprocal >> 64);
    uint64_t rest = value - quotient * hasher->bit_count;
    return rest < hasher->bit_count ? rest : rest - hasher->bit_count;
#else
    return value % hasher->bit_count;
#endif
}

/* floor(value * bit_count / 2^64): values of 64 bits, scaled down to positions. */
static inline uint64_t bloomfilter_hashing_scale(const struct hasher *hasher, uint64_t value)
{
#ifdef __SIZEOF_INT128__
    __extension__ typedef unsigned __int128 wide;
    return (uint64_t)((wide)value * hasher->bit_count >> 64);
#else
    uint64_t value_low = value & UINT32_MAX;
    uint64_t value_high = value >> 32;
    uint64_t count_low = hasher->bit_count & UINT32_MAX;
    uint64_t count_high = hasher->bit_count >> 32;
    uint64_t cross = value_high * count_low + (value_low * count_low >> 32);
    uint64_t other = value_low * count_high + (cross & UINT32_MAX);
    return value_high * count_high + (cross >> 32) + (other >> 32);
#endif
}

/* What predictions need to know of a scheme on a filter of this shape. */
struct prediction_shape bloomfilter_hashing_shape(const struct hash_scheme *scheme,
                                                  uint64_t bit_count, uint32_t hash_count);

extern const struct hash_scheme bloomfilter_hashing_blake2b_pair;
extern const struct hash_scheme bloomfilter_hashing_blake2b_indexed;
extern const struct hash_scheme bloomfilter_hashing_murmur3_tweak;
extern const struct hash_scheme bloomfilter_hashing_blake2b_wide;
extern const struct hash_scheme bloomfilter_hashing_xxh64;

#endif
