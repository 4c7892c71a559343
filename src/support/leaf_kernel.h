/* SPDX-License-Identifier: MIT */
/*
 * Kernels that hash leaves of a BLAKE2b tree side by side, for processors that can; all give the
 * same digests as libb2, which the tests hold them against.
 */
#ifndef BLOOMFILTER_SUPPORT_LEAF_KERNEL_H
#define BLOOMFILTER_SUPPORT_LEAF_KERNEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { LEAF_DIGEST_SIZE = 32, MAX_LEAF_LANES = 16 };

/* Leaves that follow each other in memory and in the tree. */
struct leaf_run {
    uint64_t h[8];        /* the chaining value that leaf 0 starts from */
    uint64_t first_index; /* of the first leaf of this run */
    size_t count;         /* 1 to the kernel's lanes */
    size_t leaf_size;     /* bytes, of all but the last, which may be shorter */
    const uint8_t *bytes;
    size_t size;        /* bytes of all, more than 0 */
    bool ends_the_tree; /* the last leaf is the last one of all */
};

struct leaf_kernel {
    size_t lanes; /* leaves at a time, at most MAX_LEAF_LANES */
    void (*digest)(const struct leaf_run *run, uint8_t digests[][LEAF_DIGEST_SIZE]);
};

/* The fastest one that this processor has, or NULL. */
const struct leaf_kernel *bloomfilter_leaf_kernel(void);

#if defined(__x86_64__) && defined(__GNUC__)
extern const struct leaf_kernel bloomfilter_x86_leaves_avx2;
extern const struct leaf_kernel bloomfilter_x86_leaves_avx512;
#endif
#if defined(__AARCH64EL__) && defined(__GNUC__)
extern const struct leaf_kernel bloomfilter_arm_leaves_neon;
#endif

#endif
