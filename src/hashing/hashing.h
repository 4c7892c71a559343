/* SPDX-License-Identifier: MIT */
/*
 * Hashing: keys to positions. Knows nothing of where bits are kept.
 *
 * A scheme is one file that defines a `const struct hash_scheme`, and one row of registry.c. Its id
 * and definition (docs/format.md) are part of the file format and never change.
 */
#ifndef BLOOMFILTER_HASHING_HASHING_H
#define BLOOMFILTER_HASHING_HASHING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sizing/prediction.h"
#include "support/blake2b.h"
#include "support/secret.h"

/* A scheme made ready for one filter. Constant from then on, so any number of threads share it. */
struct hasher {
    const struct hash_scheme *scheme;
    uint64_t bit_count;
    uint32_t hash_count;
    uint32_t tweak;
    blake2b_state started[2]; /* digests that have taken parameters and secret, to be copied */
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

    /*
     * Turns `count` keys into positions below bit_count: those of key j are
     * positions[j * hash_count] to positions[j * hash_count + hash_count - 1].
     */
    void (*positions)(const struct hasher *hasher, size_t count, const void *const keys[],
                      const size_t key_sizes[], uint64_t positions[]);
};

/* The scheme of an id, or NULL. */
const struct hash_scheme *bloomfilter_hashing_find(uint32_t id);

/* Makes a hasher; bit_count and hash_count are at least 1. */
void bloomfilter_hashing_prepare(struct hasher *hasher, const struct hash_scheme *scheme,
                                 uint64_t bit_count, uint32_t hash_count, uint64_t seed,
                                 const struct secret *secret);

/* What predictions need to know of a scheme on a filter of this shape. */
struct prediction_shape bloomfilter_hashing_shape(const struct hash_scheme *scheme,
                                                  uint64_t bit_count, uint32_t hash_count);

extern const struct hash_scheme bloomfilter_hashing_blake2b_pair;
extern const struct hash_scheme bloomfilter_hashing_blake2b_indexed;
extern const struct hash_scheme bloomfilter_hashing_murmur3_tweak;

#endif
