/* SPDX-License-Identifier: MIT */
/*
 * BLAKE2b of a group of keys side by side, one key per vector lane; included once for each
 * instruction set. The file that includes it defines
 *
 *     ALWAYS_INLINE, TARGET         function attributes that select the instruction set
 *     LANES, vector                 keys per vector; a vector of as many 64-bit words
 *     INTERLEAVED                   whether two compressions at once are faster than one after the
 *                                   other: each step waits for the one before it, so two fill the
 *                                   pauses, if the processor has registers for 32 vectors
 *     ADD, XOR, AND, OR, ROTATE_32, ROTATE_24, ROTATE_16, ROTATE_63, BROADCAST, LOAD, STORE
 *     reverse_bytes, one_for_zero   of each word
 *     add_modulo(a, b, m)           of words below m, m at most 2^60
 *     reduce(v, hasher)             each word modulo bit_count
 *     mix_and_scale(v, hasher)      SplitMix64's mix of each word, scaled down to bit_count
 *     load_words(keys, sizes, chunk, words)
 *                                   words 8 * chunk to 8 * chunk + 7 of each key, zeros past its end
 *
 * Between rounds, the kernels do work on cells that was handed to them (bitset/flat_cells.h): the
 * arithmetic of one group hides the memory traffic of those before. Messages of few words have a
 * copy of the rounds of their own, without the words that are zero.
 */
#include "bitset/flat_cells.h"
#include "support/bytes.h"
#include "support/leaf_kernel.h"

/* Which word each mixing step of a round takes (RFC 7693, section 2.7); a pause after each third. */
#define BLAKE2B_ROUNDS(ROUND, PAUSE)                                                               \
    ROUND(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);                                   \
    ROUND(14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3);                                   \
    ROUND(11, 8, 12, 0, 5, 2, 15, 13, 10, 14, 3, 6, 7, 1, 9, 4);                                   \
    PAUSE;                                                                                         \
    ROUND(7, 9, 3, 1, 13, 12, 11, 14, 2, 6, 5, 10, 4, 0, 15, 8);                                   \
    ROUND(9, 0, 5, 7, 2, 4, 10, 15, 14, 1, 11, 12, 6, 8, 3, 13);                                   \
    ROUND(2, 12, 6, 10, 0, 11, 8, 3, 4, 13, 7, 5, 15, 14, 1, 9);                                   \
    PAUSE;                                                                                         \
    ROUND(12, 5, 1, 15, 14, 13, 4, 10, 0, 7, 6, 3, 9, 2, 8, 11);                                   \
    ROUND(13, 11, 7, 14, 12, 1, 3, 9, 5, 0, 15, 4, 8, 6, 2, 10);                                   \
    ROUND(6, 15, 14, 9, 11, 3, 0, 8, 12, 2, 13, 7, 1, 4, 10, 5);                                   \
    PAUSE;                                                                                         \
    ROUND(10, 2, 8, 4, 7, 6, 1, 5, 15, 11, 9, 14, 3, 12, 13, 0);                                   \
    ROUND(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);                                   \
    ROUND(14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3);                                   \
    PAUSE;

/* Plus a word of the message. Those from word_count on, a constant, are zero, and are not there. */
#define ADD_WORD(sum, m, i) ((i) < word_count ? ADD(sum, (m)[i]) : (sum))

/* The message is added first: it does not have to wait for the step before. */
#define MIX(v, m, a, b, c, d, x, y)                                                                \
    v[a] = ADD(ADD_WORD(v[a], m, x), v[b]);                                                        \
    v[d] = ROTATE_32(XOR(v[d], v[a]));                                                             \
    v[c] = ADD(v[c], v[d]);                                                                        \
    v[b] = ROTATE_24(XOR(v[b], v[c]));                                                             \
    v[a] = ADD(ADD_WORD(v[a], m, y), v[b]);                                                        \
    v[d] = ROTATE_16(XOR(v[d], v[a]));                                                             \
    v[c] = ADD(v[c], v[d]);                                                                        \
    v[b] = ROTATE_63(XOR(v[b], v[c]))

#define LANES_ROUND(v, m, s0, s1, s2, s3, s4, s5, s6, s7, s8, s9, s10, s11, s12, s13, s14, s15)    \
    MIX(v, m, 0, 4, 8, 12, s0, s1);                                                                \
    MIX(v, m, 1, 5, 9, 13, s2, s3);                                                                \
    MIX(v, m, 2, 6, 10, 14, s4, s5);                                                               \
    MIX(v, m, 3, 7, 11, 15, s6, s7);                                                               \
    MIX(v, m, 0, 5, 10, 15, s8, s9);                                                               \
    MIX(v, m, 1, 6, 11, 12, s10, s11);                                                             \
    MIX(v, m, 2, 7, 8, 13, s12, s13);                                                              \
    MIX(v, m, 3, 4, 9, 14, s14, s15)

#define PLAIN_ROUND(...) LANES_ROUND(v, m, __VA_ARGS__)
#define NOTHING ((void)0)

/* ---- keys */

/* Some keys side by side: their first words, zeros past their ends, and their sizes. */
struct block_lanes {
    vector m[16];
    vector sizes;
};

/* Keys of at most 8 * word_count bytes. */
ALWAYS_INLINE void load_lanes(struct block_lanes *lanes, const void *const keys[],
                              const size_t key_sizes[], int word_count)
{
    uint64_t sizes[LANES];
    for (int chunk = 0; 8 * chunk < word_count; chunk++)
        load_words(keys, key_sizes, chunk, lanes->m + 8 * chunk);
    for (int i = 0; i < LANES; i++)
        sizes[i] = key_sizes[i];
    lanes->sizes = LOAD(sizes);
}

/* One digest of each key: what it is made of, and how far it is. */
struct digest_lanes {
    const struct block_lanes *block;
    const struct blake2b_chain *chain;
    vector v[16];
};

ALWAYS_INLINE void start_digest(struct digest_lanes *digest, const struct block_lanes *block,
                                const struct blake2b_chain *chain)
{
    vector *v = digest->v;
    digest->block = block;
    digest->chain = chain;
    for (int i = 0; i < 8; i++) {
        v[i] = BROADCAST(chain->h[i]);
        v[8 + i] = BROADCAST(bloomfilter_blake2b_initial_vector[i]);
    }
    v[12] = XOR(v[12], ADD(block->sizes, BROADCAST(chain->size)));
    v[14] = XOR(v[14], BROADCAST(UINT64_MAX)); /* the last block */
}

/* Word i of a finished digest, read big-endian. */
ALWAYS_INLINE vector digest_word(const struct digest_lanes *digest, int i)
{
    const vector *v = digest->v;
    return reverse_bytes(XOR(XOR(BROADCAST(digest->chain->h[i]), v[i]), v[8 + i]));
}

#define ROUND_OF_FIRST(...) LANES_ROUND(first->v, first->block->m, __VA_ARGS__)
#define ROUND_OF_SECOND(...) LANES_ROUND(second->v, second->block->m, __VA_ARGS__)

#define ROUND_OF_BOTH(...)                                                                         \
    ROUND_OF_FIRST(__VA_ARGS__);                                                                   \
    ROUND_OF_SECOND(__VA_ARGS__);                                                                  \
    STEP

/* Of the work of the function that it stands in. */
#define STEP                                                                                       \
    do {                                                                                           \
        if (work != NULL)                                                                          \
            flat_work_step(work);                                                                  \
    } while (0)

/* Steps of the work that finish_two takes. */
enum { STEPS_OF_TWO = INTERLEAVED ? 12 : 8 };

ALWAYS_INLINE void finish_two(struct digest_lanes *first, struct digest_lanes *second,
                              int word_count, struct flat_work *work)
{
    if (INTERLEAVED) {
        BLAKE2B_ROUNDS(ROUND_OF_BOTH, NOTHING)
    } else {
        BLAKE2B_ROUNDS(ROUND_OF_FIRST, STEP)
        BLAKE2B_ROUNDS(ROUND_OF_SECOND, STEP)
    }
}

/* (h1 + i * step) mod bit_count for every i, step = h2 mod bit_count or 1 if that is 0. */
ALWAYS_INLINE void store_pair_positions(const struct hasher *hasher, vector h1, vector h2,
                                        uint64_t positions[])
{
    vector m = BROADCAST(hasher->bit_count);
    vector position = reduce(h1, hasher);
    vector step = one_for_zero(reduce(h2, hasher));
    for (uint32_t i = 0; i < hasher->hash_count; i++) {
        STORE(positions + (size_t)i * KEY_GROUP, position);
        position = add_modulo(position, step, m); /* modulo 1: 0 + 1 is 0 */
    }
}

ALWAYS_INLINE void pair_positions_of(const struct hasher *hasher, const void *const keys[],
                                     const size_t key_sizes[], int word_count, uint64_t positions[],
                                     struct flat_work *work)
{
    work->steps = KEY_GROUP / LANES * STEPS_OF_TWO;
    for (size_t lane = 0; lane < KEY_GROUP; lane += LANES) {
        struct block_lanes block;
        struct digest_lanes first, second;
        load_lanes(&block, keys + lane, key_sizes + lane, word_count);
        start_digest(&first, &block, &hasher->chains[0]);
        start_digest(&second, &block, &hasher->chains[1]);
        finish_two(&first, &second, word_count, work);
        store_pair_positions(hasher, digest_word(&first, 0), digest_word(&second, 0),
                             positions + lane);
    }
}

/* The outputs of SplitMix64 from state h1 and step h2 | 1, scaled down to bit_count. */
ALWAYS_INLINE void store_wide_positions(const struct hasher *hasher, vector h1, vector h2,
                                        uint64_t positions[])
{
    vector state = h1;
    vector step = OR(h2, BROADCAST(1));
    for (uint32_t i = 0; i < hasher->hash_count; i++) {
        state = ADD(state, step);
        STORE(positions + (size_t)i * KEY_GROUP, mix_and_scale(state, hasher));
    }
}

ALWAYS_INLINE void wide_positions_of(const struct hasher *hasher, const void *const keys[],
                                     const size_t key_sizes[], int word_count, uint64_t positions[],
                                     struct flat_work *work)
{
    work->steps = KEY_GROUP / (2 * LANES) * STEPS_OF_TWO;
    for (size_t lane = 0; lane < KEY_GROUP; lane += 2 * LANES) {
        struct block_lanes blocks[2];
        struct digest_lanes first, second;
        load_lanes(&blocks[0], keys + lane, key_sizes + lane, word_count);
        load_lanes(&blocks[1], keys + lane + LANES, key_sizes + lane + LANES, word_count);
        start_digest(&first, &blocks[0], &hasher->chains[0]);
        start_digest(&second, &blocks[1], &hasher->chains[0]);
        finish_two(&first, &second, word_count, work);
        store_wide_positions(hasher, digest_word(&first, 0), digest_word(&first, 1),
                             positions + lane);
        store_wide_positions(hasher, digest_word(&second, 0), digest_word(&second, 1),
                             positions + lane + LANES);
    }
}

#define POSITIONS_OF_SIZE(scheme, word_count)                                                      \
    static TARGET __attribute__((noinline)) void scheme##_positions_##word_count(                  \
        const struct hasher *hasher, const void *const keys[], const size_t key_sizes[],           \
        uint64_t positions[], struct flat_work *work)                                              \
    {                                                                                              \
        scheme##_positions_of(hasher, keys, key_sizes, word_count, positions, work);               \
    }

/* A function for each length class, and the one that chooses among them. */
#define POSITIONS_OF_ALL_SIZES(scheme)                                                             \
    POSITIONS_OF_SIZE(scheme, 2)                                                                   \
    POSITIONS_OF_SIZE(scheme, 4)                                                                   \
    POSITIONS_OF_SIZE(scheme, 8)                                                                   \
    POSITIONS_OF_SIZE(scheme, 16)                                                                  \
    static void scheme##_positions(const struct hasher *hasher, const void *const keys[],          \
                                   const size_t key_sizes[], uint64_t positions[],                 \
                                   struct flat_work *work)                                         \
    {                                                                                              \
        struct flat_work none = {.cells = NULL};                                                   \
        size_t largest = largest_of(key_sizes);                                                    \
        if (work == NULL)                                                                          \
            work = &none;                                                                          \
        if (largest <= 16)                                                                         \
            scheme##_positions_2(hasher, keys, key_sizes, positions, work);                        \
        else if (largest <= 32)                                                                    \
            scheme##_positions_4(hasher, keys, key_sizes, positions, work);                        \
        else if (largest <= 64)                                                                    \
            scheme##_positions_8(hasher, keys, key_sizes, positions, work);                        \
        else                                                                                       \
            scheme##_positions_16(hasher, keys, key_sizes, positions, work);                       \
    }

static size_t largest_of(const size_t key_sizes[])
{
    size_t largest = 0;
    for (int j = 0; j < KEY_GROUP; j++)
        largest = key_sizes[j] > largest ? key_sizes[j] : largest;
    return largest;
}

POSITIONS_OF_ALL_SIZES(pair)
POSITIONS_OF_ALL_SIZES(wide)

/* ---- one digest of each key */

ALWAYS_INLINE void group_hashes_of(const struct blake2b_chain *chain, const void *const keys[],
                                   const size_t key_sizes[], int word_count, uint64_t hashes[])
{
    for (size_t lane = 0; lane < KEY_GROUP; lane += 2 * LANES) {
        struct block_lanes blocks[2];
        struct digest_lanes first, second;
        load_lanes(&blocks[0], keys + lane, key_sizes + lane, word_count);
        load_lanes(&blocks[1], keys + lane + LANES, key_sizes + lane + LANES, word_count);
        start_digest(&first, &blocks[0], chain);
        start_digest(&second, &blocks[1], chain);
        finish_two(&first, &second, word_count, NULL);
        STORE(hashes + lane, digest_word(&first, 0));
        STORE(hashes + lane + LANES, digest_word(&second, 0));
    }
}

static TARGET __attribute__((noinline)) void group_hashes_4(const struct blake2b_chain *chain,
                                                            const void *const keys[],
                                                            const size_t key_sizes[],
                                                            uint64_t hashes[])
{
    group_hashes_of(chain, keys, key_sizes, 4, hashes);
}

static TARGET __attribute__((noinline)) void group_hashes_16(const struct blake2b_chain *chain,
                                                             const void *const keys[],
                                                             const size_t key_sizes[],
                                                             uint64_t hashes[])
{
    group_hashes_of(chain, keys, key_sizes, 16, hashes);
}

static void group_hashes(const struct blake2b_chain *chain, const void *const keys[],
                         const size_t key_sizes[], uint64_t hashes[])
{
    if (largest_of(key_sizes) <= 32)
        group_hashes_4(chain, keys, key_sizes, hashes);
    else
        group_hashes_16(chain, keys, key_sizes, hashes);
}

/* ---- leaves of a tree, one per lane; a lane without one hashes nothing */

enum { LEAF_LANES = 2 * LANES };

/* Some leaves side by side, and where they are. */
struct leaf_lanes {
    vector h[8];
    const void *bytes[LANES];
    size_t left[LANES];
    size_t first; /* which of the run's leaves is in lane 0 */
};

ALWAYS_INLINE void start_leaves(struct leaf_lanes *lanes, const struct leaf_run *run, size_t first)
{
    uint64_t second_words[LANES];
    for (size_t i = 0; i < LANES; i++) {
        size_t at = (first + i) * run->leaf_size;
        size_t left = first + i < run->count ? run->size - at : 0;
        lanes->bytes[i] = left != 0 ? run->bytes + at : run->bytes;
        lanes->left[i] = left < run->leaf_size ? left : run->leaf_size;
        second_words[i] = run->h[1] ^ (run->first_index + first + i);
    }
    for (int i = 0; i < 8; i++)
        lanes->h[i] = BROADCAST(run->h[i]);
    lanes->h[1] = LOAD(second_words);
    lanes->first = first;
}

/* All but the marks of the block. */
ALWAYS_INLINE void start_block(struct digest_lanes *digest, struct block_lanes *block,
                               const struct leaf_lanes *lanes, const size_t sizes[])
{
    load_words(lanes->bytes, sizes, 0, block->m);
    load_words(lanes->bytes, sizes, 1, block->m + 8);
    digest->block = block;
    for (int i = 0; i < 8; i++) {
        digest->v[i] = lanes->h[i];
        digest->v[8 + i] = BROADCAST(bloomfilter_blake2b_initial_vector[i]);
    }
}

/* ---- blocks that are whole and not the last ones of their leaves, of all lanes */

/* So many blocks of each leaf. */
ALWAYS_INLINE size_t plain_blocks(const struct leaf_run *run)
{
    size_t shortest = run->size - (run->count - 1) * run->leaf_size;
    return run->count == LEAF_LANES ? (shortest - 1) / BLAKE2B_BLOCK : 0;
}

ALWAYS_INLINE void start_plain_block(struct digest_lanes *digest, struct block_lanes *block,
                                     const struct leaf_lanes *lanes, size_t at)
{
    size_t sizes[LANES];
    for (int i = 0; i < LANES; i++)
        sizes[i] = BLAKE2B_BLOCK;
    start_block(digest, block, lanes, sizes);
    digest->v[12] = XOR(digest->v[12], BROADCAST(at + BLAKE2B_BLOCK));
}

ALWAYS_INLINE void finish_plain_block(struct leaf_lanes *lanes, const struct digest_lanes *digest)
{
    for (int i = 0; i < LANES; i++) {
        lanes->bytes[i] = (const uint8_t *)lanes->bytes[i] + BLAKE2B_BLOCK;
        lanes->left[i] -= BLAKE2B_BLOCK;
    }
    for (int i = 0; i < 8; i++)
        lanes->h[i] = XOR(lanes->h[i], XOR(digest->v[i], digest->v[8 + i]));
}

/* Returns how many bytes of each leaf. */
static TARGET __attribute__((noinline)) size_t take_plain_blocks(struct leaf_lanes lanes[2],
                                                                 const struct leaf_run *run)
{
    size_t end = plain_blocks(run) * BLAKE2B_BLOCK;
    for (size_t at = 0; at < end; at += BLAKE2B_BLOCK) {
        struct block_lanes blocks[2];
        struct digest_lanes first, second;
        start_plain_block(&first, &blocks[0], &lanes[0], at);
        start_plain_block(&second, &blocks[1], &lanes[1], at);
        finish_two(&first, &second, 16, NULL);
        finish_plain_block(&lanes[0], &first);
        finish_plain_block(&lanes[1], &second);
    }
    return end;
}

/* ---- any blocks */

ALWAYS_INLINE void start_any_block(struct digest_lanes *digest, struct block_lanes *block,
                                   const struct leaf_lanes *lanes, const struct leaf_run *run,
                                   size_t at)
{
    uint64_t totals[LANES];
    uint64_t last_blocks[LANES];
    uint64_t last_nodes[LANES];
    for (size_t i = 0; i < LANES; i++) {
        bool is_last = lanes->left[i] <= BLAKE2B_BLOCK;
        bool ends = run->ends_the_tree && lanes->first + i == run->count - 1;
        totals[i] = at + (is_last ? lanes->left[i] : BLAKE2B_BLOCK);
        last_blocks[i] = is_last ? UINT64_MAX : 0;
        last_nodes[i] = is_last && ends ? UINT64_MAX : 0;
    }
    start_block(digest, block, lanes, lanes->left);
    digest->v[12] = XOR(digest->v[12], LOAD(totals));
    digest->v[14] = XOR(digest->v[14], LOAD(last_blocks));
    digest->v[15] = XOR(digest->v[15], LOAD(last_nodes));
}

ALWAYS_INLINE void finish_any_block(struct leaf_lanes *lanes, const struct digest_lanes *digest)
{
    uint64_t present[LANES];
    for (int i = 0; i < LANES; i++) {
        size_t step = lanes->left[i] < BLAKE2B_BLOCK ? lanes->left[i] : BLAKE2B_BLOCK;
        present[i] = step != 0 ? UINT64_MAX : 0;
        lanes->bytes[i] = (const uint8_t *)lanes->bytes[i] + step;
        lanes->left[i] -= step;
    }
    for (int i = 0; i < 8; i++)
        lanes->h[i] = XOR(lanes->h[i], AND(XOR(digest->v[i], digest->v[8 + i]), LOAD(present)));
}

/* All from byte `at` of each leaf on. */
static TARGET __attribute__((noinline)) void take_any_blocks(struct leaf_lanes *lanes,
                                                             const struct leaf_run *run, size_t at)
{
    enum { word_count = 16 };
    for (; lanes->left[0] != 0; at += BLAKE2B_BLOCK) { /* no leaf is longer than the first */
        struct block_lanes block;
        struct digest_lanes digest;
        vector *v = digest.v;
        const vector *m = block.m;
        start_any_block(&digest, &block, lanes, run, at);
        BLAKE2B_ROUNDS(PLAIN_ROUND, NOTHING)
        finish_any_block(lanes, &digest);
    }
}

static TARGET void digest_leaves(const struct leaf_run *run, uint8_t digests[][LEAF_DIGEST_SIZE])
{
    struct leaf_lanes lanes[2];
    start_leaves(&lanes[0], run, 0);
    start_leaves(&lanes[1], run, LANES);
    size_t at = take_plain_blocks(lanes, run);
    take_any_blocks(&lanes[0], run, at);
    take_any_blocks(&lanes[1], run, at);
    for (int i = 0; i < LEAF_DIGEST_SIZE / 8; i++) {
        uint64_t words[LEAF_LANES];
        STORE(words, lanes[0].h[i]);
        STORE(words + LANES, lanes[1].h[i]);
        for (size_t lane = 0; lane < run->count; lane++)
            bytes_store_le(digests[lane] + 8 * i, words[lane], 8);
    }
}
