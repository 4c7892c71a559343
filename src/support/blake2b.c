/* SPDX-License-Identifier: MIT */
#include "support/blake2b.h"

#include <string.h>

#include "support/bytes.h"

static void set_node(blake2b_param *parameters, const struct blake2b_node *node)
{
    uint8_t little_endian[8];
    parameters->fanout = node->fanout;
    parameters->depth = node->depth;
    bytes_store_le(little_endian, node->leaf_length, 4);
    memcpy(&parameters->leaf_length, little_endian, 4);
    bytes_store_le(little_endian, node->node_offset, 8);
    memcpy(&parameters->node_offset, little_endian, 8);
    parameters->node_depth = node->node_depth;
    parameters->inner_length = node->inner_length;
}

/* RFC 7693, section 2.9: the key, padded with zeros to a block, comes before the message. */
static void update_with_key_block(blake2b_state *state, const struct secret *secret)
{
    uint8_t block[BLAKE2B_BLOCKBYTES] = {0};
    memcpy(block, secret->bytes, secret->size);
    blake2b_update(state, block, sizeof block);
    bloomfilter_secret_wipe(block, sizeof block);
}

void bloomfilter_blake2b_start(blake2b_state *state, size_t digest_size, const char *personal,
                               const struct blake2b_node *node, const struct secret *secret)
{
    static const struct blake2b_node sequential = {.fanout = 1, .depth = 1};
    blake2b_param parameters;
    int keyed = secret != NULL && secret->size != 0;

    if (node == NULL)
        node = &sequential;
    memset(&parameters, 0, sizeof parameters);
    parameters.digest_length = (uint8_t)digest_size;
    parameters.key_length = (uint8_t)(keyed ? secret->size : 0);
    set_node(&parameters, node);
    memcpy(parameters.personal, personal, strlen(personal));
    blake2b_init_param(state, &parameters);
    state->last_node = node->is_last;
    if (keyed)
        update_with_key_block(state, secret);
}

void bloomfilter_blake2b_update(blake2b_state *state, const void *bytes, size_t size)
{
    if (size != 0)
        blake2b_update(state, bytes, size);
}

void bloomfilter_blake2b_finish(blake2b_state *state, uint8_t *digest, size_t digest_size)
{
    blake2b_final(state, digest, digest_size);
    bloomfilter_secret_wipe(state, sizeof *state); /* it holds the secret of a short message */
}

/*
 * One answer through every path that the library uses: personalization, a key, a message of several
 * blocks given in uneven pieces, a node of a tree and its last-node flag. The expected value was
 * made by Python's hashlib; tests/test_hashing.c says how.
 */
static int answers_as_published(void)
{
    static const uint8_t expected[32] = {0x74, 0x02, 0x4e, 0xbf, 0xcb, 0xe7, 0xdf, 0x5d,
                                         0x3d, 0x5d, 0x80, 0x10, 0x34, 0x8f, 0x5b, 0x19,
                                         0x0b, 0x94, 0x73, 0x7b, 0xe4, 0xe3, 0x8a, 0xdf,
                                         0x2a, 0x0b, 0x34, 0x1a, 0x2d, 0x16, 0x2b, 0xbe};
    static const struct blake2b_node node = {.depth = 2,
                                             .leaf_length = 65536,
                                             .node_offset = 0x0102030405060708,
                                             .node_depth = 1,
                                             .inner_length = 32,
                                             .is_last = 1};
    struct secret secret = {.size = 64};
    uint8_t message[300];
    uint8_t digest[32];
    blake2b_state state;

    for (size_t i = 0; i < sizeof message; i++)
        message[i] = (uint8_t)i;
    memcpy(secret.bytes, message, sizeof secret.bytes);
    bloomfilter_blake2b_start(&state, sizeof digest, "bloom-self-test", &node, &secret);
    bloomfilter_blake2b_update(&state, message, 1);
    bloomfilter_blake2b_update(&state, message + 1, sizeof message - 1);
    bloomfilter_blake2b_finish(&state, digest, sizeof digest);
    return memcmp(digest, expected, sizeof expected) == 0;
}

/* The hashes that decide where keys lie, each as the default scheme takes it. */
static int pair_answers_as_published(void)
{
    static const char *const personal[2] = {"bloom-h1", "bloom-h2"};
    static const uint64_t expected[2] = {0x14c953c6544d6afb, 0xbd9b859fc3c6530e}; /* of "alice" */
    for (int i = 0; i < 2; i++) {
        blake2b_state state;
        uint8_t digest[8];
        bloomfilter_blake2b_start(&state, sizeof digest, personal[i], NULL, NULL);
        bloomfilter_blake2b_update(&state, "alice", 5);
        bloomfilter_blake2b_finish(&state, digest, sizeof digest);
        if (bytes_load_be64(digest) != expected[i])
            return 0;
    }
    return 1;
}

int bloomfilter_blake2b_is_right(void)
{
    return answers_as_published() && pair_answers_as_published();
}
