/* SPDX-License-Identifier: MIT */
/* BLAKE2b with AVX-512: two times eight digests side by side, or both digests of one key. */
#include "hashing/blake2b_kernel.h"

#if defined(__x86_64__) && defined(__GNUC__)

#include <immintrin.h>

#include "hashing/hashing.h"
#include "hashing/splitmix64.h"

/* Checks of pointers take compilers many minutes in code as long as this. */
#define TARGET                                                                                     \
    __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,bmi,bmi2,prfchw"),                   \
                   no_sanitize("pointer-overflow", "alignment", "null", "object-size")))
#define ALWAYS_INLINE static inline __attribute__((always_inline)) TARGET

enum { LANES = 8, INTERLEAVED = 1, CHUNK = 64 /* bytes of a vector */ };
typedef __m512i vector;

#define ADD(a, b) _mm512_add_epi64(a, b)
#define XOR(a, b) _mm512_xor_si512(a, b)
#define AND(a, b) _mm512_and_si512(a, b)
#define OR(a, b) _mm512_or_si512(a, b)
#define ROTATE_32(v) _mm512_ror_epi64(v, 32)
#define ROTATE_24(v) _mm512_ror_epi64(v, 24)
#define ROTATE_16(v) _mm512_ror_epi64(v, 16)
#define ROTATE_63(v) _mm512_ror_epi64(v, 63)
#define BROADCAST(word) _mm512_set1_epi64((long long)(word))
#define LOAD(words) _mm512_loadu_si512(words)
#define STORE(to, v) _mm512_storeu_si512(to, v)

ALWAYS_INLINE vector reverse_bytes(vector v)
{
    const vector order =
        _mm512_broadcast_i32x4(_mm_set_epi8(8, 9, 10, 11, 12, 13, 14, 15, 0, 1, 2, 3, 4, 5, 6, 7));
    return _mm512_shuffle_epi8(v, order);
}

ALWAYS_INLINE vector one_for_zero(vector v)
{
    return _mm512_mask_mov_epi64(v, _mm512_testn_epi64_mask(v, v), BROADCAST(1));
}

/* The sum modulo m, of words below m; the difference of a sum below m is huge. */
ALWAYS_INLINE vector add_modulo(vector a, vector b, vector m)
{
    vector sum = ADD(a, b);
    return _mm512_min_epu64(sum, _mm512_sub_epi64(sum, m));
}

/* The upper halves of the 128-bit products, from products of 32-bit halves. */
ALWAYS_INLINE vector high_product(vector a, vector b)
{
    vector a_high = _mm512_srli_epi64(a, 32);
    vector b_high = _mm512_srli_epi64(b, 32);
    vector carry = _mm512_srli_epi64(_mm512_mul_epu32(a, b), 32);
    vector cross = ADD(_mm512_mul_epu32(a_high, b), carry);
    vector other = ADD(_mm512_mul_epu32(a, b_high), _mm512_and_si512(cross, BROADCAST(UINT32_MAX)));
    return ADD(ADD(_mm512_mul_epu32(a_high, b_high), _mm512_srli_epi64(cross, 32)),
               _mm512_srli_epi64(other, 32));
}

/* Modulo bit_count, by Barrett's method: the quotient is right or one too small. */
ALWAYS_INLINE vector reduce(vector v, const struct hasher *hasher)
{
    vector m = BROADCAST(hasher->bit_count);
    vector quotient = high_product(v, BROADCAST(hasher->reciprocal));
    vector rest = _mm512_sub_epi64(v, _mm512_mullo_epi64(quotient, m));
    return _mm512_min_epu64(rest, _mm512_sub_epi64(rest, m));
}

ALWAYS_INLINE vector mix_and_scale(vector v, const struct hasher *hasher)
{
    v = _mm512_mullo_epi64(XOR(v, _mm512_srli_epi64(v, 30)), BROADCAST(SPLITMIX64_FIRST));
    v = _mm512_mullo_epi64(XOR(v, _mm512_srli_epi64(v, 27)), BROADCAST(SPLITMIX64_SECOND));
    v = XOR(v, _mm512_srli_epi64(v, 31));
    return high_product(v, BROADCAST(hasher->bit_count));
}

/* Up to CHUNK bytes of a message from `at` on, zeros past its end. Reads nothing past it. */
ALWAYS_INLINE vector load_chunk(const void *message, size_t size, size_t at)
{
    size_t left = size > at ? size - at : 0;
    __mmask64 mask = _bzhi_u64(UINT64_MAX, left < CHUNK ? (unsigned)left : CHUNK);
    return _mm512_maskz_loadu_epi8(mask, (const char *)message + at);
}

/* Words 0, 4, 2 and 6 from pairs of even words; 1, 5, 3 and 7 from pairs of odd ones. */
ALWAYS_INLINE void gather_words(const vector pairs[4], vector *w0, vector *w2, vector *w4,
                                vector *w6)
{
    vector a = _mm512_shuffle_i64x2(pairs[0], pairs[1], 0x88);
    vector b = _mm512_shuffle_i64x2(pairs[2], pairs[3], 0x88);
    vector c = _mm512_shuffle_i64x2(pairs[0], pairs[1], 0xdd);
    vector d = _mm512_shuffle_i64x2(pairs[2], pairs[3], 0xdd);
    *w0 = _mm512_shuffle_i64x2(a, b, 0x88);
    *w4 = _mm512_shuffle_i64x2(a, b, 0xdd);
    *w2 = _mm512_shuffle_i64x2(c, d, 0x88);
    *w6 = _mm512_shuffle_i64x2(c, d, 0xdd);
}

/* words[i] gets word 8 * chunk + i of each key. */
ALWAYS_INLINE void load_words(const void *const keys[], const size_t sizes[], int chunk,
                              vector words[8])
{
    vector rows[8];
    vector even[4];
    vector odd[4];
    for (int j = 0; j < 8; j++)
        rows[j] = load_chunk(keys[j], sizes[j], (size_t)chunk * CHUNK);
    for (int j = 0; j < 4; j++) {
        even[j] = _mm512_unpacklo_epi64(rows[2 * j], rows[2 * j + 1]);
        odd[j] = _mm512_unpackhi_epi64(rows[2 * j], rows[2 * j + 1]);
    }
    gather_words(even, &words[0], &words[2], &words[4], &words[6]);
    gather_words(odd, &words[1], &words[3], &words[5], &words[7]);
}

#include "hashing/blake2b_group.h"

/* ---- one key: a row of four words of both digests in one vector, h1 below h2 */

#define WORDS_OF(w0, w1, w2, w3)                                                                   \
    _mm512_permutex2var_epi64(m0, _mm512_setr_epi64(w0, w1, w2, w3, w0, w1, w2, w3), m1)

#define HALF_ROUND(x, y)                                                                           \
    a = ADD(ADD(a, x), b);                                                                         \
    d = ROTATE_32(XOR(d, a));                                                                      \
    c = ADD(c, d);                                                                                 \
    b = ROTATE_24(XOR(b, c));                                                                      \
    a = ADD(ADD(a, y), b);                                                                         \
    d = ROTATE_16(XOR(d, a));                                                                      \
    c = ADD(c, d);                                                                                 \
    b = ROTATE_63(XOR(b, c))

/* b stays in place, since the next step waits for it; the other rows turn around it. */
#define ROW_ROUND(s0, s1, s2, s3, s4, s5, s6, s7, s8, s9, s10, s11, s12, s13, s14, s15)            \
    HALF_ROUND(WORDS_OF(s0, s2, s4, s6), WORDS_OF(s1, s3, s5, s7));                                \
    a = _mm512_permutex_epi64(a, 0x93);                                                            \
    d = _mm512_permutex_epi64(d, 0x4e);                                                            \
    c = _mm512_permutex_epi64(c, 0x39);                                                            \
    HALF_ROUND(WORDS_OF(s14, s8, s10, s12), WORDS_OF(s15, s9, s11, s13));                          \
    a = _mm512_permutex_epi64(a, 0x39);                                                            \
    d = _mm512_permutex_epi64(d, 0x4e);                                                            \
    c = _mm512_permutex_epi64(c, 0x93)

ALWAYS_INLINE vector both(const uint64_t *h1_words, const uint64_t *h2_words)
{
    return _mm512_inserti64x4(_mm512_castsi256_si512(_mm256_loadu_si256((const __m256i *)h1_words)),
                              _mm256_loadu_si256((const __m256i *)h2_words), 1);
}

/* The first four words of two digests of a message, read big-endian, in one vector. */
ALWAYS_INLINE vector hash_rows(const struct blake2b_chain *first,
                               const struct blake2b_chain *second, const void *message, size_t size)
{
    const uint64_t *iv = bloomfilter_blake2b_initial_vector;
    vector low = both(first->h, second->h);
    vector high = both(first->h + 4, second->h + 4);

    for (size_t at = 0;; at += BLAKE2B_BLOCK) {
        int is_last = size - at <= BLAKE2B_BLOCK;
        uint64_t total = first->size + (is_last ? size : at + BLAKE2B_BLOCK);
        vector m0 = load_chunk(message, size, at);
        vector m1 = load_chunk(message, size, at + CHUNK);
        vector a = low;
        vector b = high;
        vector c = both(iv, iv);
        vector d = XOR(both(iv + 4, iv + 4), _mm512_maskz_set1_epi64(0x11, (long long)total));
        if (is_last)
            d = XOR(d, _mm512_maskz_set1_epi64(0x44, -1));
        BLAKE2B_ROUNDS(ROW_ROUND, NOTHING)
        low = XOR(low, XOR(a, c));
        high = XOR(high, XOR(b, d));
        if (is_last)
            return reverse_bytes(low);
    }
}

static TARGET void pair(const struct blake2b_chain chains[2], const void *message, size_t size,
                        struct hash_pair *pair)
{
    vector low = hash_rows(&chains[0], &chains[1], message, size);
    pair->h1 = (uint64_t)_mm_cvtsi128_si64(_mm512_castsi512_si128(low));
    pair->h2 = (uint64_t)_mm_cvtsi128_si64(_mm512_extracti64x2_epi64(low, 2));
}

/* Twice the same digest. */
static TARGET void wide(const struct blake2b_chain *chain, const void *message, size_t size,
                        struct hash_pair *halves)
{
    __m128i low = _mm512_castsi512_si128(hash_rows(chain, chain, message, size));
    halves->h1 = (uint64_t)_mm_cvtsi128_si64(low);
    halves->h2 = (uint64_t)_mm_extract_epi64(low, 1);
}

const struct blake2b_kernel bloomfilter_x86_blake2b_avx512 = {
    .name = "avx512",
    .longest = SIZE_MAX,
    .pair = pair,
    .wide = wide,
    .pair_positions = pair_positions,
    .wide_positions = wide_positions,
    .group_hashes = group_hashes,
    .worthwhile = 4,
};

const struct leaf_kernel bloomfilter_x86_leaves_avx512 = {.lanes = LEAF_LANES,
                                                          .digest = digest_leaves};

#endif
