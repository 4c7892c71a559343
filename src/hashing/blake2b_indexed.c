/* SPDX-License-Identifier: MIT */
/* Scheme 2: a BLAKE2b digest per position, of the key, a colon and the position's number. */
#include "hashing/hashing.h"

#include "support/bytes.h"

static void prepare(struct hasher *hasher, uint64_t seed, const struct secret *secret)
{
    (void)seed;
    bloomfilter_blake2b_start(&hasher->started[0], 8, "", NULL, secret);
}

/* Writes ":" and `number` in decimal; returns the size. */
static size_t write_suffix(char suffix[8], uint32_t number)
{
    char reversed[4];
    size_t digits = 0;
    size_t size = 0;
    do {
        reversed[digits++] = (char)('0' + number % 10);
        number /= 10;
    } while (number != 0);
    suffix[size++] = ':';
    while (digits > 0)
        suffix[size++] = reversed[--digits];
    return size;
}

static void positions(const struct hasher *hasher, const void *key, size_t key_size,
                      uint64_t positions[], size_t stride)
{
    /* The key is the same beginning of all messages: it is hashed once. */
    blake2b_state after_key = hasher->started[0];
    bloomfilter_blake2b_update(&after_key, key, key_size);
    for (uint32_t i = 0; i < hasher->hash_count; i++) {
        blake2b_state state = after_key;
        char suffix[8];
        uint8_t digest[8];
        bloomfilter_blake2b_update(&state, suffix, write_suffix(suffix, i));
        bloomfilter_blake2b_finish(&state, digest, sizeof digest);
        positions[i * stride] = bloomfilter_hashing_reduce(hasher, bytes_load_be64(digest));
    }
    bloomfilter_secret_wipe(&after_key, sizeof after_key);
}

const struct hash_scheme bloomfilter_hashing_blake2b_indexed = {
    .id = 2,
    .name = "blake2b-indexed",
    .takes_secret = true,
    .position_model = POSITION_MODEL_INDEPENDENT,
    .hash_bits = 64,
    .prepare = prepare,
    .positions = positions,
};
