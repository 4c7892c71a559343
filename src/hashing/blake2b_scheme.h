/* SPDX-License-Identifier: MIT */
/* What the schemes that hash with a kernel have in common. */
#ifndef BLOOMFILTER_HASHING_BLAKE2B_SCHEME_H
#define BLOOMFILTER_HASHING_BLAKE2B_SCHEME_H

#include "hashing/hashing.h"

/* Behind a key block, an empty message is no block of its own: it is for libb2. */
static inline bool blake2b_is_for_kernel(const struct hasher *hasher, size_t key_size,
                                         size_t longest)
{
    return key_size <= longest && (key_size != 0 || hasher->chains[0].size == 0);
}

/* Where a key begins, which may be NULL if it is empty: kernels must not add to NULL. */
static inline const void *blake2b_key_start(const void *key, size_t key_size)
{
    return key_size != 0 ? key : "";
}

/*
 * What `group_positions` of a scheme promises, by its function of the kernel, which may be NULL.
 * Keys that a kernel cannot take are hashed by themselves; groups of too few others are left alone.
 */
bool bloomfilter_blake2b_group_positions(blake2b_group_function *positions_of,
                                         const struct hasher *hasher, size_t count,
                                         const void *const keys[], const size_t key_sizes[],
                                         uint64_t positions[], struct flat_work *work);

/* What `many_hashes` of a scheme promises, for one whose hash is the start of its first digest. */
void bloomfilter_blake2b_many_hashes(const struct hasher *hasher, size_t count,
                                     const void *const keys[], const size_t key_sizes[],
                                     uint64_t hashes[]);

/* The digest, or digests, of a key as two numbers, and what positions they give. */
typedef void blake2b_hash_function(const struct hasher *hasher, const void *key, size_t key_size,
                                   struct hash_pair *pair);
typedef void blake2b_positions_function(const struct hasher *hasher, const struct hash_pair *pair,
                                        uint64_t positions[], size_t stride);

/*
 * Whether a scheme's positions and hashes are those of the digests that libb2 makes, one key at a
 * time and in groups, for a few keys of each kind. The hash is the first number.
 */
bool bloomfilter_blake2b_scheme_is_right(const struct hash_scheme *scheme,
                                         blake2b_hash_function *hash_with_libb2,
                                         blake2b_positions_function *positions_of);

#endif
