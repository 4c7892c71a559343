/* SPDX-License-Identifier: MIT */
/* BLAKE2b with AVX2: four keys side by side, or both digests of one key. */
#include "hashing/blake2b_kernel.h"

#if defined(__x86_64__) && defined(__GNUC__)

#include <immintrin.h>
#include <string.h>

#include "hashing/hashing.h"
#include "hashing/splitmix64.h"
#include "support/bytes.h"

/* Checks of pointers take compilers many minutes in code as long as this. */
#define TARGET                                                                                     \
    __attribute__((target("avx2,bmi,bmi2,prfchw"),                                                 \
                   no_sanitize("pointer-overflow", "alignment", "null", "object-size")))
#define ALWAYS_INLINE static inline __attribute__((always_inline)) TARGET

enum { LANES = 4, INTERLEAVED = 0 };
typedef __m256i vector;

#define ADD(a, b) _mm256_add_epi64(a, b)
#define XOR(a, b) _mm256_xor_si256(a, b)
#define AND(a, b) _mm256_and_si256(a, b)
#define OR(a, b) _mm256_or_si256(a, b)
#define ROTATE_32(v) _mm256_shuffle_epi32(v, 0xb1)
#define ROTATE_24(v)                                                                               \
    rotate_bytes(v, _mm_setr_epi8(3, 4, 5, 6, 7, 0, 1, 2, 11, 12, 13, 14, 15, 8, 9, 10))
#define ROTATE_16(v)                                                                               \
    rotate_bytes(v, _mm_setr_epi8(2, 3, 4, 5, 6, 7, 0, 1, 10, 11, 12, 13, 14, 15, 8, 9))
#define ROTATE_63(v) rotate_63(v)
#define BROADCAST(word) _mm256_set1_epi64x((long long)(word))
#define LOAD(words) _mm256_loadu_si256((const __m256i *)(const void *)(words))
#define STORE(to, v) _mm256_storeu_si256((__m256i *)(void *)(to), v)

ALWAYS_INLINE vector rotate_bytes(vector v, __m128i order)
{
    return _mm256_shuffle_epi8(v, _mm256_broadcastsi128_si256(order));
}

ALWAYS_INLINE vector rotate_63(vector v)
{
    return XOR(_mm256_srli_epi64(v, 63), ADD(v, v));
}

ALWAYS_INLINE vector reverse_bytes(vector v)
{
    return rotate_bytes(v, _mm_set_epi8(8, 9, 10, 11, 12, 13, 14, 15, 0, 1, 2, 3, 4, 5, 6, 7));
}

ALWAYS_INLINE vector one_for_zero(vector v)
{
    return _mm256_sub_epi64(v, _mm256_cmpeq_epi64(v, BROADCAST(0)));
}

/* The sum modulo m, of words below m; sums are below 2^61, so their signs do not matter. */
ALWAYS_INLINE vector add_modulo(vector a, vector b, vector m)
{
    vector sum = ADD(a, b);
    return _mm256_sub_epi64(sum, _mm256_andnot_si256(_mm256_cmpgt_epi64(m, sum), m));
}

/* Word by word: the 64-bit multiplier does it faster than vectors of 32-bit products. */
ALWAYS_INLINE vector reduce(vector v, const struct hasher *hasher)
{
    uint64_t words[LANES];
    STORE(words, v);
    for (int i = 0; i < LANES; i++)
        words[i] = bloomfilter_hashing_reduce(hasher, words[i]);
    return LOAD(words);
}

/* Word by word too. */
ALWAYS_INLINE vector mix_and_scale(vector v, const struct hasher *hasher)
{
    uint64_t words[LANES];
    STORE(words, v);
    for (int i = 0; i < LANES; i++)
        words[i] = bloomfilter_hashing_scale(hasher, splitmix64_mix(words[i]));
    return LOAD(words);
}

/* Transposes four rows of four words. */
ALWAYS_INLINE void transpose(const vector rows[4], vector words[4])
{
    vector even01 = _mm256_unpacklo_epi64(rows[0], rows[1]);
    vector even23 = _mm256_unpacklo_epi64(rows[2], rows[3]);
    vector odd01 = _mm256_unpackhi_epi64(rows[0], rows[1]);
    vector odd23 = _mm256_unpackhi_epi64(rows[2], rows[3]);
    words[0] = _mm256_permute2x128_si256(even01, even23, 0x20);
    words[1] = _mm256_permute2x128_si256(odd01, odd23, 0x20);
    words[2] = _mm256_permute2x128_si256(even01, even23, 0x31);
    words[3] = _mm256_permute2x128_si256(odd01, odd23, 0x31);
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
    for (int half = 0; half < 2; half++) {
        vector rows[4];
        for (int j = 0; j < LANES; j++)
            rows[j] = LOAD(chunks[j] + 32 * half);
        transpose(rows, words + 4 * half);
    }
}

#include "hashing/blake2b_group.h"

/* ---- one key: a row of four words in a vector, both digests of a pair in step */

#define WORDS_OF(w0, w1, w2, w3)                                                                   \
    _mm256_setr_epi64x((long long)m[w0], (long long)m[w1], (long long)m[w2], (long long)m[w3])

#define HALF_ROUND(x, y)                                                                           \
    do {                                                                                           \
        vector x_ = x, y_ = y;                                                                     \
        for (int i = 0; i < digests; i++) {                                                        \
            a[i] = ADD(ADD(a[i], x_), b[i]);                                                       \
            d[i] = ROTATE_32(XOR(d[i], a[i]));                                                     \
            c[i] = ADD(c[i], d[i]);                                                                \
            b[i] = ROTATE_24(XOR(b[i], c[i]));                                                     \
            a[i] = ADD(ADD(a[i], y_), b[i]);                                                       \
            d[i] = ROTATE_16(XOR(d[i], a[i]));                                                     \
            c[i] = ADD(c[i], d[i]);                                                                \
            b[i] = ROTATE_63(XOR(b[i], c[i]));                                                     \
        }                                                                                          \
    } while (0)

#define TURN(for_a, for_d, for_c)                                                                  \
    for (int i = 0; i < digests; i++) {                                                            \
        a[i] = _mm256_permute4x64_epi64(a[i], for_a);                                              \
        d[i] = _mm256_permute4x64_epi64(d[i], for_d);                                              \
        c[i] = _mm256_permute4x64_epi64(c[i], for_c);                                              \
    }

/* b stays in place, since the next step waits for it; the other rows turn around it. */
#define ROW_ROUND(s0, s1, s2, s3, s4, s5, s6, s7, s8, s9, s10, s11, s12, s13, s14, s15)            \
    HALF_ROUND(WORDS_OF(s0, s2, s4, s6), WORDS_OF(s1, s3, s5, s7));                                \
    TURN(0x93, 0x4e, 0x39)                                                                         \
    HALF_ROUND(WORDS_OF(s14, s8, s10, s12), WORDS_OF(s15, s9, s11, s13));                          \
    TURN(0x39, 0x4e, 0x93)

/* The first four words of one or two digests of a message, read big-endian. */
ALWAYS_INLINE void hash_rows(const struct blake2b_chain chains[], int digests, const void *message,
                             size_t size, vector low[])
{
    const uint64_t *iv = bloomfilter_blake2b_initial_vector;
    vector high[2];
    for (int i = 0; i < digests; i++) {
        low[i] = LOAD(chains[i].h);
        high[i] = LOAD(chains[i].h + 4);
    }

    for (size_t at = 0;; at += BLAKE2B_BLOCK) {
        int is_last = size - at <= BLAKE2B_BLOCK;
        uint64_t total = chains[0].size + (is_last ? size : at + BLAKE2B_BLOCK);
        uint64_t m[16] = {0};
        if (size != 0)
            memcpy(m, (const uint8_t *)message + at, is_last ? size - at : BLAKE2B_BLOCK);
        vector a[2], b[2], c[2], d[2];
        for (int i = 0; i < digests; i++) {
            a[i] = low[i];
            b[i] = high[i];
            c[i] = LOAD(iv);
            d[i] = XOR(LOAD(iv + 4), _mm256_setr_epi64x((long long)total, 0, is_last ? -1 : 0, 0));
        }
        BLAKE2B_ROUNDS(ROW_ROUND, NOTHING)
        for (int i = 0; i < digests; i++) {
            low[i] = XOR(low[i], XOR(a[i], c[i]));
            high[i] = XOR(high[i], XOR(b[i], d[i]));
        }
        if (is_last)
            break;
    }
    for (int i = 0; i < digests; i++)
        low[i] = reverse_bytes(low[i]);
}

static TARGET void pair(const struct blake2b_chain chains[2], const void *message, size_t size,
                        struct hash_pair *pair)
{
    vector low[2];
    hash_rows(chains, 2, message, size, low);
    pair->h1 = (uint64_t)_mm_cvtsi128_si64(_mm256_castsi256_si128(low[0]));
    pair->h2 = (uint64_t)_mm_cvtsi128_si64(_mm256_castsi256_si128(low[1]));
}

static TARGET void wide(const struct blake2b_chain *chain, const void *message, size_t size,
                        struct hash_pair *halves)
{
    vector low;
    hash_rows(chain, 1, message, size, &low);
    halves->h1 = (uint64_t)_mm256_extract_epi64(low, 0);
    halves->h2 = (uint64_t)_mm256_extract_epi64(low, 1);
}

const struct blake2b_kernel bloomfilter_x86_blake2b_avx2 = {
    .name = "avx2",
    .longest = SIZE_MAX,
    .pair = pair,
    .wide = wide,
    .pair_positions = pair_positions,
    .wide_positions = wide_positions,
    .group_hashes = group_hashes,
    .worthwhile = 10,
};

const struct leaf_kernel bloomfilter_x86_leaves_avx2 = {.lanes = LEAF_LANES,
                                                        .digest = digest_leaves};

#endif
