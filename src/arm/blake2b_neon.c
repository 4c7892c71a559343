/* SPDX-License-Identifier: MIT */
/* BLAKE2b with NEON: two keys side by side, or both digests of one key. */
#include "hashing/blake2b_kernel.h"

#if defined(__AARCH64EL__) && defined(__GNUC__)

#include <arm_neon.h>

#include "hashing/hashing.h"
#include "hashing/splitmix64.h"
#include "support/bytes.h"

/* NEON is part of every such processor. Checks of pointers take compilers many minutes in code as
 * long as this. */
#define TARGET __attribute__((no_sanitize("pointer-overflow", "alignment", "null", "object-size")))
#define ALWAYS_INLINE static inline __attribute__((always_inline)) TARGET

enum { LANES = 2, INTERLEAVED = 0 };
typedef uint64x2_t vector;

#define ADD(a, b) vaddq_u64(a, b)
#define XOR(a, b) veorq_u64(a, b)
#define AND(a, b) vandq_u64(a, b)
#define OR(a, b) vorrq_u64(a, b)
#define ROTATE_32(v) vreinterpretq_u64_u32(vrev64q_u32(vreinterpretq_u32_u64(v)))
#define ROTATE_24(v)                                                                               \
    order_bytes(v, (uint8x16_t){3, 4, 5, 6, 7, 0, 1, 2, 11, 12, 13, 14, 15, 8, 9, 10})
#define ROTATE_16(v)                                                                               \
    order_bytes(v, (uint8x16_t){2, 3, 4, 5, 6, 7, 0, 1, 10, 11, 12, 13, 14, 15, 8, 9})
#define ROTATE_63(v) vsriq_n_u64(vaddq_u64(v, v), v, 63)
#define BROADCAST(word) vdupq_n_u64(word)
#define LOAD(words) vld1q_u64(words)
#define STORE(to, v) vst1q_u64(to, v)

ALWAYS_INLINE vector order_bytes(vector v, uint8x16_t order)
{
    return vreinterpretq_u64_u8(vqtbl1q_u8(vreinterpretq_u8_u64(v), order));
}

ALWAYS_INLINE vector reverse_bytes(vector v)
{
    return vreinterpretq_u64_u8(vrev64q_u8(vreinterpretq_u8_u64(v)));
}

ALWAYS_INLINE vector one_for_zero(vector v)
{
    return vsubq_u64(v, vceqzq_u64(v));
}

ALWAYS_INLINE vector add_modulo(vector a, vector b, vector m)
{
    vector sum = ADD(a, b);
    return vsubq_u64(sum, AND(m, vcgeq_u64(sum, m)));
}

ALWAYS_INLINE vector both(uint64_t first, uint64_t second)
{
    return vcombine_u64(vcreate_u64(first), vcreate_u64(second));
}

/* Word by word: NEON has no product of 64-bit words. */
ALWAYS_INLINE vector reduce(vector v, const struct hasher *hasher)
{
    return both(bloomfilter_hashing_reduce(hasher, vgetq_lane_u64(v, 0)),
                bloomfilter_hashing_reduce(hasher, vgetq_lane_u64(v, 1)));
}

/* Word by word too. */
ALWAYS_INLINE vector mix_and_scale(vector v, const struct hasher *hasher)
{
    return both(bloomfilter_hashing_scale(hasher, splitmix64_mix(vgetq_lane_u64(v, 0))),
                bloomfilter_hashing_scale(hasher, splitmix64_mix(vgetq_lane_u64(v, 1))));
}

/* words[i] gets word 8 * chunk + i of each key. */
ALWAYS_INLINE void load_words(const void *const keys[], const size_t sizes[], int chunk,
                              vector words[8])
{
    enum { CHUNK = 64 };
    uint8_t padded[LANES][CHUNK];
    const uint8_t *chunks[LANES];
    for (int j = 0; j < LANES; j++) {
        size_t at = (size_t)chunk * CHUNK;
        size_t left = sizes[j] > at ? sizes[j] - at : 0;
        chunks[j] = bytes_padded(padded[j], CHUNK, (const uint8_t *)keys[j] + at, left);
    }
    for (int i = 0; i < 8; i += 2) {
        vector first = vreinterpretq_u64_u8(vld1q_u8(chunks[0] + 8 * i));
        vector second = vreinterpretq_u64_u8(vld1q_u8(chunks[1] + 8 * i));
        words[i] = vzip1q_u64(first, second);
        words[i + 1] = vzip2q_u64(first, second);
    }
}

#include "hashing/blake2b_group.h"

/* ---- one key: two digests of it in the two lanes */

ALWAYS_INLINE void load_block(const void *message, size_t size, vector m[16])
{
    uint64_t words[16] = {0};
    bytes_copy(words, message, size);
    for (int i = 0; i < 16; i++)
        m[i] = BROADCAST(words[i]);
}

/* The first two words of both digests of a message, read big-endian. */
static TARGET void hash_both(const struct blake2b_chain *first, const struct blake2b_chain *second,
                             const void *message, size_t size, vector words[2])
{
    enum { word_count = 16 };
    vector h[8];
    for (int i = 0; i < 8; i++)
        h[i] = both(first->h[i], second->h[i]);
    for (size_t at = 0;; at += BLAKE2B_BLOCK) {
        bool is_last = size - at <= BLAKE2B_BLOCK;
        size_t end = is_last ? size : at + BLAKE2B_BLOCK;
        vector m[16];
        vector v[16];
        load_block((const uint8_t *)message + at, end - at, m);
        for (int i = 0; i < 8; i++) {
            v[i] = h[i];
            v[8 + i] = BROADCAST(bloomfilter_blake2b_initial_vector[i]);
        }
        v[12] = XOR(v[12], BROADCAST(first->size + end));
        v[14] = XOR(v[14], BROADCAST(is_last ? UINT64_MAX : 0));
        BLAKE2B_ROUNDS(PLAIN_ROUND, NOTHING)
        for (int i = 0; i < 8; i++)
            h[i] = XOR(h[i], XOR(v[i], v[8 + i]));
        if (is_last)
            break;
    }
    for (int i = 0; i < 2; i++)
        words[i] = reverse_bytes(h[i]);
}

static void pair(const struct blake2b_chain chains[2], const void *message, size_t size,
                 struct hash_pair *pair)
{
    vector words[2];
    hash_both(&chains[0], &chains[1], message, size, words);
    pair->h1 = vgetq_lane_u64(words[0], 0);
    pair->h2 = vgetq_lane_u64(words[0], 1);
}

/* Twice the same digest. */
static void wide(const struct blake2b_chain *chain, const void *message, size_t size,
                 struct hash_pair *halves)
{
    vector words[2];
    hash_both(chain, chain, message, size, words);
    halves->h1 = vgetq_lane_u64(words[0], 0);
    halves->h2 = vgetq_lane_u64(words[1], 0);
}

const struct blake2b_kernel bloomfilter_arm_blake2b_neon = {
    .name = "neon",
    .longest = SIZE_MAX,
    .pair = pair,
    .wide = wide,
    .pair_positions = pair_positions,
    .wide_positions = wide_positions,
    .group_hashes = group_hashes,
    .worthwhile = KEY_GROUP, /* one by one, both lanes are in use, too */
};

const struct leaf_kernel bloomfilter_arm_leaves_neon = {.lanes = LEAF_LANES,
                                                        .digest = digest_leaves};

#endif
