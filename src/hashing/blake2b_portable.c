/* SPDX-License-Identifier: MIT */
/* BLAKE2b's compression function (RFC 7693) in portable C, of one and of two messages at once. */
#include "hashing/blake2b_kernel.h"
#include "support/bytes.h"

const uint64_t bloomfilter_blake2b_initial_vector[8] = {
    0x6a09e667f3bcc908, 0xbb67ae8584caa73b, 0x3c6ef372fe94f82b, 0xa54ff53a5f1d36f1,
    0x510e527fade682d1, 0x9b05688c2b3e6c1f, 0x1f83d9abfb41bd6b, 0x5be0cd19137e2179};

enum { ROUNDS = 12, WORDS = 16 };

/* Which word each mixing step takes. */
static const uint8_t schedule[10][WORDS] = {{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15},
                                            {14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3},
                                            {11, 8, 12, 0, 5, 2, 15, 13, 10, 14, 3, 6, 7, 1, 9, 4},
                                            {7, 9, 3, 1, 13, 12, 11, 14, 2, 6, 5, 10, 4, 0, 15, 8},
                                            {9, 0, 5, 7, 2, 4, 10, 15, 14, 1, 11, 12, 6, 8, 3, 13},
                                            {2, 12, 6, 10, 0, 11, 8, 3, 4, 13, 7, 5, 15, 14, 1, 9},
                                            {12, 5, 1, 15, 14, 13, 4, 10, 0, 7, 6, 3, 9, 2, 8, 11},
                                            {13, 11, 7, 14, 12, 1, 3, 9, 5, 0, 15, 4, 8, 6, 2, 10},
                                            {6, 15, 14, 9, 11, 3, 0, 8, 12, 2, 13, 7, 1, 4, 10, 5},
                                            {10, 2, 8, 4, 7, 6, 1, 5, 15, 11, 9, 14, 3, 12, 13, 0}};

static inline uint64_t rotate_right(uint64_t word, int by)
{
    return word >> by | word << (64 - by);
}

static inline void mix(uint64_t *a, uint64_t *b, uint64_t *c, uint64_t *d, uint64_t x, uint64_t y)
{
    *a += *b + x;
    *d = rotate_right(*d ^ *a, 32);
    *c += *d;
    *b = rotate_right(*b ^ *c, 24);
    *a += *b + y;
    *d = rotate_right(*d ^ *a, 16);
    *c += *d;
    *b = rotate_right(*b ^ *c, 63);
}

static inline void mix_round(uint64_t v[WORDS], const uint64_t m[WORDS], const uint8_t s[WORDS])
{
    mix(&v[0], &v[4], &v[8], &v[12], m[s[0]], m[s[1]]);
    mix(&v[1], &v[5], &v[9], &v[13], m[s[2]], m[s[3]]);
    mix(&v[2], &v[6], &v[10], &v[14], m[s[4]], m[s[5]]);
    mix(&v[3], &v[7], &v[11], &v[15], m[s[6]], m[s[7]]);
    mix(&v[0], &v[5], &v[10], &v[15], m[s[8]], m[s[9]]);
    mix(&v[1], &v[6], &v[11], &v[12], m[s[10]], m[s[11]]);
    mix(&v[2], &v[7], &v[8], &v[13], m[s[12]], m[s[13]]);
    mix(&v[3], &v[4], &v[9], &v[14], m[s[14]], m[s[15]]);
}

static inline void start(uint64_t v[WORDS], const uint64_t h[8], uint64_t total, int is_last)
{
    memcpy(v, h, 8 * sizeof v[0]);
    memcpy(v + 8, bloomfilter_blake2b_initial_vector, 8 * sizeof v[0]);
    v[12] ^= total; /* below 2^64: no key is longer than memory */
    v[14] ^= is_last ? UINT64_MAX : 0;
}

static inline void load_message(uint64_t m[WORDS], const uint8_t block[BLAKE2B_BLOCK])
{
    for (int i = 0; i < WORDS; i++)
        m[i] = bytes_load_le64(block + 8 * i);
}

/* RFC 7693, section 2.9: the key, padded with zeros to a block, comes before the message. */
static void take_secret(struct blake2b_chain *chain, const struct secret *secret)
{
    uint8_t block[BLAKE2B_BLOCK] = {0};
    uint64_t m[WORDS];
    uint64_t v[WORDS];

    memcpy(block, secret->bytes, secret->size);
    load_message(m, block);
    start(v, chain->h, sizeof block, 0);
    for (int round = 0; round < ROUNDS; round++)
        mix_round(v, m, schedule[round % 10]);
    for (int i = 0; i < 8; i++)
        chain->h[i] ^= v[i] ^ v[i + 8];
    chain->size = sizeof block;
    bloomfilter_secret_wipe(block, sizeof block);
    bloomfilter_secret_wipe(m, sizeof m);
    bloomfilter_secret_wipe(v, sizeof v);
}

/* The parameter block is that of sequential mode. */
void bloomfilter_blake2b_start_chain(struct blake2b_chain *chain, size_t digest_size,
                                     const char *personal, const struct secret *secret)
{
    uint8_t parameters[64] = {(uint8_t)digest_size, (uint8_t)secret->size, 1, 1};
    memcpy(parameters + 48, personal, strlen(personal));
    for (int i = 0; i < 8; i++)
        chain->h[i] = bloomfilter_blake2b_initial_vector[i] ^ bytes_load_le64(parameters + 8 * i);
    chain->size = 0;
    if (secret->size != 0)
        take_secret(chain, secret);
}

/* Both digests in step: while one waits for a result, the other goes on. */
static void pair(const struct blake2b_chain chains[2], const void *message, size_t size,
                 struct hash_pair *pair)
{
    uint8_t block[BLAKE2B_BLOCK] = {0};
    uint64_t m[WORDS];
    uint64_t v1[WORDS];
    uint64_t v2[WORDS];
    bytes_copy(block, message, size);
    load_message(m, block);
    start(v1, chains[0].h, chains[0].size + size, 1);
    start(v2, chains[1].h, chains[1].size + size, 1);
    for (int round = 0; round < ROUNDS; round++) {
        mix_round(v1, m, schedule[round % 10]);
        mix_round(v2, m, schedule[round % 10]);
    }
    pair->h1 = bytes_swap64(chains[0].h[0] ^ v1[0] ^ v1[8]);
    pair->h2 = bytes_swap64(chains[1].h[0] ^ v2[0] ^ v2[8]);
}

static void wide(const struct blake2b_chain *chain, const void *message, size_t size,
                 struct hash_pair *halves)
{
    uint8_t block[BLAKE2B_BLOCK] = {0};
    uint64_t m[WORDS];
    uint64_t v[WORDS];
    bytes_copy(block, message, size);
    load_message(m, block);
    start(v, chain->h, chain->size + size, 1);
    for (int round = 0; round < ROUNDS; round++)
        mix_round(v, m, schedule[round % 10]);
    halves->h1 = bytes_swap64(chain->h[0] ^ v[0] ^ v[8]);
    halves->h2 = bytes_swap64(chain->h[1] ^ v[1] ^ v[9]);
}

const struct blake2b_kernel bloomfilter_blake2b_portable = {
    .name = "portable",
    .longest = BLAKE2B_BLOCK,
    .pair = pair,
    .wide = wide,
};
