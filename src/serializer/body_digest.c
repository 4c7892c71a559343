/* SPDX-License-Identifier: MIT */
/*
 * Digest id 1. Leaves of 65,536 bytes are independent of each other, so they can be hashed side by
 * side; the root, keyed where there is a secret, binds them to each other and to the header.
 */
#include "serializer/body_digest.h"

enum { LEAF_SIZE = 65536 };

static const char personal[] = "bloom-body";

static struct blake2b_node tree_node(void)
{
    struct blake2b_node node = {.fanout = 0, /* unlimited */
                                .depth = 2,
                                .leaf_length = LEAF_SIZE,
                                .inner_length = BODY_DIGEST_SIZE};
    return node;
}

static void start_leaf(struct body_digest *digest)
{
    struct blake2b_node node = tree_node();
    node.node_offset = digest->leaf_index;
    node.is_last = digest->leaf_index == digest->last_leaf;
    bloomfilter_blake2b_start(&digest->leaf, BODY_DIGEST_SIZE, personal, &node, NULL);
    digest->room = LEAF_SIZE;
}

static void finish_leaf(struct body_digest *digest)
{
    uint8_t leaf[BODY_DIGEST_SIZE];
    bloomfilter_blake2b_finish(&digest->leaf, leaf, sizeof leaf);
    bloomfilter_blake2b_update(&digest->root, leaf, sizeof leaf);
}

void bloomfilter_body_digest_start(struct body_digest *digest, const uint8_t *prefix,
                                   size_t prefix_size, uint64_t body_size,
                                   const struct secret *secret)
{
    struct blake2b_node node = tree_node();
    node.node_depth = 1;
    node.is_last = 1;
    bloomfilter_blake2b_start(&digest->root, BODY_DIGEST_SIZE, personal, &node, secret);
    bloomfilter_blake2b_update(&digest->root, prefix, prefix_size);
    digest->leaf_index = 0;
    digest->last_leaf = body_size == 0 ? 0 : (body_size - 1) / LEAF_SIZE;
    start_leaf(digest);
}

void bloomfilter_body_digest_update(struct body_digest *digest, const uint8_t *bytes, uint64_t size)
{
    while (size > 0) {
        /* A full leaf ends only when more follows, so that the last one is never an empty one. */
        if (digest->room == 0) {
            finish_leaf(digest);
            digest->leaf_index++;
            start_leaf(digest);
        }
        uint64_t part = size < digest->room ? size : digest->room;
        bloomfilter_blake2b_update(&digest->leaf, bytes, (size_t)part);
        digest->room -= part;
        bytes += part;
        size -= part;
    }
}

void bloomfilter_body_digest_finish(struct body_digest *digest, uint8_t out[BODY_DIGEST_SIZE])
{
    finish_leaf(digest);
    bloomfilter_blake2b_finish(&digest->root, out, BODY_DIGEST_SIZE);
}
