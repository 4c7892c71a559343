/* SPDX-License-Identifier: MIT */
/*
 * Digest id 1. Leaves are independent of each other, so they can be hashed side by side; the root,
 * keyed where there is a secret, binds them to each other and to the header.
 */
#include "serializer/body_digest.h"

#include <string.h>

static const char personal[] = "bloom-body";

static struct blake2b_node tree_node(void)
{
    struct blake2b_node node = {.fanout = 0, /* unlimited */
                                .depth = 2,
                                .leaf_length = BODY_LEAF_SIZE,
                                .inner_length = BODY_DIGEST_SIZE};
    return node;
}

static void start_leaf(struct body_digest *digest)
{
    struct blake2b_node node = tree_node();
    node.node_offset = digest->leaf_index;
    node.is_last = digest->left <= BODY_LEAF_SIZE;
    bloomfilter_blake2b_start(&digest->leaf, BODY_DIGEST_SIZE, personal, &node, NULL);
    digest->room = digest->left < BODY_LEAF_SIZE ? digest->left : BODY_LEAF_SIZE;
}

static void take_leaf(struct body_digest *digest, const uint8_t leaf[BODY_DIGEST_SIZE])
{
    bloomfilter_blake2b_update(&digest->root, leaf, BODY_DIGEST_SIZE);
    digest->leaf_index++;
}

static void finish_leaf(struct body_digest *digest)
{
    uint8_t leaf[BODY_DIGEST_SIZE];
    bloomfilter_blake2b_finish(&digest->leaf, leaf, sizeof leaf);
    take_leaf(digest, leaf);
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
    digest->kernel = bloomfilter_leaf_kernel();
    digest->leaf_index = 0;
    digest->left = body_size;
    digest->room = 0;
    if (body_size == 0) { /* has a leaf, too */
        start_leaf(digest);
        finish_leaf(digest);
    }
}

/* The next leaves that are whole in these bytes, as many as the kernel takes at once. */
static struct leaf_run next_run(const struct body_digest *digest, const uint8_t *bytes,
                                uint64_t size)
{
    uint64_t whole = size < digest->left ? size / BODY_LEAF_SIZE * BODY_LEAF_SIZE : size;
    uint64_t most = digest->kernel->lanes * (uint64_t)BODY_LEAF_SIZE;
    struct leaf_run run = {.first_index = digest->leaf_index,
                           .leaf_size = BODY_LEAF_SIZE,
                           .bytes = bytes,
                           .size = (size_t)(whole < most ? whole : most)};
    run.count = (run.size + BODY_LEAF_SIZE - 1) / BODY_LEAF_SIZE;
    run.ends_the_tree = run.size == digest->left;
    return run;
}

/* The chaining value of leaf 0, which libb2 makes of its parameters. */
static void start_run(struct leaf_run *run)
{
    struct blake2b_node node = tree_node();
    blake2b_state state;
    bloomfilter_blake2b_start(&state, BODY_DIGEST_SIZE, personal, &node, NULL);
    memcpy(run->h, state.h, sizeof run->h);
}

/* Hashes leaves side by side; returns how many bytes, 0 where they are better taken in turn. */
static uint64_t take_run(struct body_digest *digest, const uint8_t *bytes, uint64_t size)
{
    uint8_t leaves[MAX_LEAF_LANES][BODY_DIGEST_SIZE];

    if (digest->kernel == NULL || digest->room != 0)
        return 0;
    struct leaf_run run = next_run(digest, bytes, size);
    if (run.count < 2)
        return 0;
    start_run(&run);
    digest->kernel->digest(&run, leaves);
    for (size_t i = 0; i < run.count; i++)
        take_leaf(digest, leaves[i]);
    return run.size;
}

/* Takes bytes into one leaf; returns how many. */
static uint64_t take_part(struct body_digest *digest, const uint8_t *bytes, uint64_t size)
{
    if (digest->room == 0)
        start_leaf(digest);
    uint64_t part = size < digest->room ? size : digest->room;
    bloomfilter_blake2b_update(&digest->leaf, bytes, (size_t)part);
    digest->room -= part;
    if (digest->room == 0)
        finish_leaf(digest);
    return part;
}

void bloomfilter_body_digest_update(struct body_digest *digest, const uint8_t *bytes, uint64_t size)
{
    while (size > 0) {
        uint64_t part = take_run(digest, bytes, size);
        if (part == 0)
            part = take_part(digest, bytes, size);
        digest->left -= part;
        bytes += part;
        size -= part;
    }
}

void bloomfilter_body_digest_finish(struct body_digest *digest, uint8_t out[BODY_DIGEST_SIZE])
{
    bloomfilter_blake2b_finish(&digest->root, out, BODY_DIGEST_SIZE);
}

/* ---- the kernel against libb2 */

static bool is_leaf_right(const struct leaf_run *run, size_t i, const uint8_t *digest)
{
    struct blake2b_node node = tree_node();
    size_t at = i * run->leaf_size;
    size_t left = run->size - at;
    uint8_t expected[BODY_DIGEST_SIZE];
    blake2b_state state;

    node.node_offset = run->first_index + i;
    node.is_last = run->ends_the_tree && i == run->count - 1;
    bloomfilter_blake2b_start(&state, BODY_DIGEST_SIZE, personal, &node, NULL);
    bloomfilter_blake2b_update(&state, run->bytes + at,
                               left < run->leaf_size ? left : run->leaf_size);
    bloomfilter_blake2b_finish(&state, expected, sizeof expected);
    return memcmp(digest, expected, sizeof expected) == 0;
}

bool bloomfilter_body_digest_is_right(void)
{
    enum { SIZE = 300 }; /* of a leaf, that this does not take long */
    static const uint8_t bytes[MAX_LEAF_LANES * SIZE] = "self-test";
    const struct leaf_kernel *kernel = bloomfilter_leaf_kernel();
    struct leaf_run run = {.first_index = 3, .leaf_size = SIZE, .bytes = bytes};
    uint8_t digests[MAX_LEAF_LANES][BODY_DIGEST_SIZE];
    bool is_right = true;

    if (kernel == NULL)
        return true;
    run.count = kernel->lanes;
    run.size = kernel->lanes * SIZE - SIZE / 2;
    run.ends_the_tree = true;
    start_run(&run);
    kernel->digest(&run, digests);
    for (size_t i = 0; i < run.count; i++)
        is_right &= is_leaf_right(&run, i, digests[i]);
    return is_right;
}
