/* SPDX-License-Identifier: MIT */
/* The body digest, a small BLAKE2b tree over all that follows the header. */
#ifndef BLOOMFILTER_SERIALIZER_BODY_DIGEST_H
#define BLOOMFILTER_SERIALIZER_BODY_DIGEST_H

#include <stddef.h>
#include <stdint.h>

#include "support/blake2b.h"

enum { BODY_DIGEST_SIZE = 32 };

struct body_digest {
    blake2b_state root;
    blake2b_state leaf;
    uint64_t leaf_index; /* of the leaf being filled */
    uint64_t last_leaf;  /* index of the last one */
    uint64_t room;       /* bytes that the leaf still takes */
};

/* Starts the digest of a body of body_size bytes; `prefix` is what the root takes first. */
void bloomfilter_body_digest_start(struct body_digest *digest, const uint8_t *prefix,
                                   size_t prefix_size, uint64_t body_size,
                                   const struct secret *secret);

/* Takes the next bytes; body_size in all. */
void bloomfilter_body_digest_update(struct body_digest *digest, const uint8_t *bytes,
                                    uint64_t size);

void bloomfilter_body_digest_finish(struct body_digest *digest, uint8_t out[BODY_DIGEST_SIZE]);

#endif
