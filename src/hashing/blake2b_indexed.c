/* SPDX-License-Identifier: MIT */
/* Scheme 2: a BLAKE2b digest per position, of the key, a colon and the position's number. */
#include "hashing/hashing.h"

#include "support/bytes.h"

enum {
    DIGEST_SIZE = 8,
    LONGEST_SUFFIX = 4, /* a colon and three digits */
    LONGEST_KEY_FOR_KERNEL = BLAKE2B_BLOCK - LONGEST_SUFFIX
};

static void prepare(struct hasher *hasher, uint64_t seed, const struct secret *secret)
{
    (void)seed;
    bloomfilter_blake2b_start(&hasher->started[0], DIGEST_SIZE, "", NULL, secret);
    bloomfilter_blake2b_start_chain(&hasher->chains[0], DIGEST_SIZE, "", secret);
}

/* Writes ":" and `number` in decimal; returns the size. */
static size_t write_suffix(uint8_t suffix[LONGEST_SUFFIX], uint32_t number)
{
    uint8_t reversed[LONGEST_SUFFIX - 1];
    size_t digits = 0;
    size_t size = 0;
    do {
        reversed[digits++] = (uint8_t)('0' + number % 10);
        number /= 10;
    } while (number != 0);
    suffix[size++] = ':';
    while (digits > 0)
        suffix[size++] = reversed[--digits];
    return size;
}

/* One key, one message after the other. */
static void hash_with_libb2(const struct hasher *hasher, const void *key, size_t key_size,
                            uint64_t positions[], size_t stride)
{
    /* The key is the same beginning of all messages: it is hashed once. */
    blake2b_state after_key = hasher->started[0];
    bloomfilter_blake2b_update(&after_key, key, key_size);
    for (uint32_t i = 0; i < hasher->hash_count; i++) {
        blake2b_state state = after_key;
        uint8_t suffix[LONGEST_SUFFIX];
        uint8_t digest[DIGEST_SIZE];
        bloomfilter_blake2b_update(&state, suffix, write_suffix(suffix, i));
        bloomfilter_blake2b_finish(&state, digest, sizeof digest);
        positions[i * stride] = bloomfilter_hashing_reduce(hasher, bytes_load_be64(digest));
    }
    bloomfilter_secret_wipe(&after_key, sizeof after_key);
}

/* Messages side by side, of one key or of several. */
struct messages {
    uint8_t bytes[KEY_GROUP][BLAKE2B_BLOCK];
    const void *starts[KEY_GROUP];
    size_t sizes[KEY_GROUP];
    uint64_t *positions[KEY_GROUP]; /* where their positions go */
    size_t count;
};

static void hash_messages(const struct hasher *hasher, struct messages *messages)
{
    uint64_t hashes[KEY_GROUP];
    for (size_t j = 0; j < KEY_GROUP; j++) {
        size_t from = j < messages->count ? j : 0; /* one fills the group up */
        messages->starts[j] = messages->bytes[from];
        messages->sizes[j] = messages->sizes[from];
    }
    hasher->kernel->group_hashes(&hasher->chains[0], messages->starts, messages->sizes, hashes);
    for (size_t j = 0; j < messages->count; j++)
        *messages->positions[j] = bloomfilter_hashing_reduce(hasher, hashes[j]);
    messages->count = 0;
}

static void take_key(const struct hasher *hasher, const void *key, size_t key_size,
                     uint64_t positions[], size_t stride, struct messages *messages)
{
    for (uint32_t i = 0; i < hasher->hash_count; i++) {
        uint8_t *bytes = messages->bytes[messages->count];
        bytes_copy(bytes, key, key_size);
        messages->sizes[messages->count] = key_size + write_suffix(bytes + key_size, i);
        messages->positions[messages->count] = &positions[i * stride];
        messages->count++;
        if (messages->count == KEY_GROUP)
            hash_messages(hasher, messages);
    }
}

/* Whether there is a kernel, and enough for it to do: a single message takes libb2 at least twice as
 * long as a kernel. */
static bool is_worthwhile(const struct hasher *hasher, size_t count, const size_t key_sizes[])
{
    size_t messages = 0;
    for (size_t j = 0; j < count; j++)
        if (key_sizes[j] <= LONGEST_KEY_FOR_KERNEL)
            messages += hasher->hash_count;
    return hasher->kernel->group_hashes != NULL && 2 * messages >= hasher->kernel->worthwhile;
}

/* Position i of key j goes to positions[i * stride + j]. Returns false, and has done nothing, where
 * that is better left to libb2. */
static bool hash_with_kernel(const struct hasher *hasher, size_t count, const void *const keys[],
                             const size_t key_sizes[], uint64_t positions[], size_t stride)
{
    struct messages messages;
    if (!is_worthwhile(hasher, count, key_sizes))
        return false;
    messages.count = 0;
    for (size_t j = 0; j < count; j++)
        if (key_sizes[j] <= LONGEST_KEY_FOR_KERNEL)
            take_key(hasher, keys[j], key_sizes[j], positions + j, stride, &messages);
        else
            hash_with_libb2(hasher, keys[j], key_sizes[j], positions + j, stride);
    if (messages.count != 0)
        hash_messages(hasher, &messages);
    return true;
}

static void positions(const struct hasher *hasher, const void *key, size_t key_size,
                      uint64_t positions[], size_t stride)
{
    if (!hash_with_kernel(hasher, 1, &key, &key_size, positions, stride))
        hash_with_libb2(hasher, key, key_size, positions, stride);
}

static bool group_positions(const struct hasher *hasher, size_t count, const void *const keys[],
                            const size_t key_sizes[], uint64_t positions[], struct flat_work *work)
{
    (void)work; /* all of it is left to the caller */
    return hash_with_kernel(hasher, count, keys, key_sizes, positions, KEY_GROUP);
}

const struct hash_scheme bloomfilter_hashing_blake2b_indexed = {
    .id = 2,
    .name = "blake2b-indexed",
    .takes_secret = true,
    .position_model = POSITION_MODEL_INDEPENDENT,
    .hash_bits = 64,
    .prepare = prepare,
    .positions = positions,
    .group_positions = group_positions,
};
