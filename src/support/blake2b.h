/* SPDX-License-Identifier: MIT */
/*
 * BLAKE2b (RFC 7693) with personalization, key and tree parameters. The only file that calls
 * libb2 is blake2b.c; it calls blake2b_init_param, _update and _final, and nothing else.
 */
#ifndef BLOOMFILTER_SUPPORT_BLAKE2B_H
#define BLOOMFILTER_SUPPORT_BLAKE2B_H

#include <blake2.h>
#include <stddef.h>
#include <stdint.h>

#include "support/secret.h"

/* A node of BLAKE2's tree mode; the ordinary, sequential mode is a tree of one node. */
struct blake2b_node {
    uint8_t fanout;
    uint8_t depth;
    uint32_t leaf_length;
    uint64_t node_offset;
    uint8_t node_depth;
    uint8_t inner_length;
    uint8_t is_last;
};

/*
 * Starts a digest of digest_size bytes (1 to 64). `personal` is a text of at most 16 bytes; `node`
 * NULL means sequential mode; `secret` NULL or of size 0 means not keyed. A started state may be
 * copied by assignment and the copies continued.
 */
void bloomfilter_blake2b_start(blake2b_state *state, size_t digest_size, const char *personal,
                               const struct blake2b_node *node, const struct secret *secret);
void bloomfilter_blake2b_update(blake2b_state *state, const void *bytes, size_t size);
/* Ends the digest and wipes the state. */
void bloomfilter_blake2b_finish(blake2b_state *state, uint8_t *digest, size_t digest_size);

/*
 * Whether BLAKE2b answers as published. libb2 exports unversioned names, so another library in the
 * process can stand in their way; wrong digests would make stored keys read as absent.
 */
int bloomfilter_blake2b_is_right(void);

#endif
