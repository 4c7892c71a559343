/* SPDX-License-Identifier: MIT */
/*
 * Kernels: BLAKE2b of short messages, as fast as a kind of processor can. Each is one constant
 * `struct blake2b_kernel`; all give the same answers as libb2, which the tests hold them against.
 */
#ifndef BLOOMFILTER_HASHING_BLAKE2B_KERNEL_H
#define BLOOMFILTER_HASHING_BLAKE2B_KERNEL_H

#include <stddef.h>
#include <stdint.h>

#include "support/secret.h"

struct flat_work;
struct hasher;

enum {
    KEY_GROUP = 16,      /* keys that are hashed side by side */
    BLAKE2B_BLOCK = 128, /* bytes */
};

/* A digest in the making: its chaining value after the parameters and the key block. */
struct blake2b_chain {
    uint64_t h[8];
    uint64_t size; /* bytes hashed so far: 0, or a block if there is a secret */
};

/* Starts a digest of digest_size bytes; `personal` is a text of at most 16 bytes. */
void bloomfilter_blake2b_start_chain(struct blake2b_chain *chain, size_t digest_size,
                                     const char *personal, const struct secret *secret);

/* Two digests of 64 bits, or the halves of one of 128. */
struct hash_pair {
    uint64_t h1;
    uint64_t h2;
};

/*
 * The positions of KEY_GROUP keys of at most one block: number i of key j goes to
 * positions[i * KEY_GROUP + j]. Does some of the work (or NULL) meanwhile, or none.
 */
typedef void blake2b_group_function(const struct hasher *hasher, const void *const keys[],
                                    const size_t key_sizes[], uint64_t positions[],
                                    struct flat_work *work);

/* An empty message behind a key block is no block of its own; no kernel is given one. */
struct blake2b_kernel {
    const char *name;

    /* Messages up to this size; longer ones are for libb2. */
    size_t longest;
    /* The first eight bytes of both digests of a message, each read big-endian. */
    void (*pair)(const struct blake2b_chain chains[2], const void *message, size_t size,
                 struct hash_pair *pair);

    /* The first sixteen bytes of one digest of a message, as two words read big-endian. */
    void (*wide)(const struct blake2b_chain *chain, const void *message, size_t size,
                 struct hash_pair *halves);

    /* The positions of schemes 1 and 4. NULL: keys are hashed one by one. */
    blake2b_group_function *pair_positions;
    blake2b_group_function *wide_positions;
    /* The first eight bytes of one digest of KEY_GROUP messages of at most one block, each read
     * big-endian. NULL: they are hashed one by one. */
    void (*group_hashes)(const struct blake2b_chain *chain, const void *const keys[],
                         const size_t key_sizes[], uint64_t hashes[]);
    /* Messages from which a group, filled up, is faster than `pair` one by one. */
    size_t worthwhile;
};

/* The fastest one that this processor has. */
const struct blake2b_kernel *bloomfilter_blake2b_kernel(void);

extern const uint64_t bloomfilter_blake2b_initial_vector[8];

extern const struct blake2b_kernel bloomfilter_blake2b_portable;
#if defined(__x86_64__) && defined(__GNUC__)
extern const struct blake2b_kernel bloomfilter_x86_blake2b_avx2;
extern const struct blake2b_kernel bloomfilter_x86_blake2b_avx512;
#endif
#if defined(__AARCH64EL__) && defined(__GNUC__)
extern const struct blake2b_kernel bloomfilter_arm_blake2b_neon;
#endif

#endif
