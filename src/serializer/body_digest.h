/* SPDX-License-Identifier: MIT */
/* The body digest, a small BLAKE2b tree over all that follows the header. */
#ifndef BLOOMFILTER_SERIALIZER_BODY_DIGEST_H
#define BLOOMFILTER_SERIALIZER_BODY_DIGEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "support/blake2b.h"
#include "support/leaf_kernel.h"

enum {
    BODY_DIGEST_SIZE = LEAF_DIGEST_SIZE,
    BODY_LEAF_SIZE = 65536, /* bytes */
    /* So many bytes at a time, or all that are left, make full use of every kernel. */
    BODY_DIGEST_STRIDE = MAX_LEAF_LANES * BODY_LEAF_SIZE
};

struct body_digest {
    blake2b_state root;
    const struct leaf_kernel *kernel; /* or NULL */
    uint64_t leaf_index;              /* of the next leaf, or the one that is being filled */
    uint64_t left;                    /* bytes of the body that are still to come */
    blake2b_state leaf;
    uint64_t room; /* bytes that the leaf still takes; 0: none is being filled */
};

/* Starts the digest of a body of body_size bytes; `prefix` is what the root takes first. */
void bloomfilter_body_digest_start(struct body_digest *digest, const uint8_t *prefix,
                                   size_t prefix_size, uint64_t body_size,
                                   const struct secret *secret);

/* Takes the next bytes; body_size in all. */
void bloomfilter_body_digest_update(struct body_digest *digest, const uint8_t *bytes,
                                    uint64_t size);

void bloomfilter_body_digest_finish(struct body_digest *digest, uint8_t out[BODY_DIGEST_SIZE]);

/* Whether leaves side by side have the digests that they have one by one. */
bool bloomfilter_body_digest_is_right(void);

#endif
