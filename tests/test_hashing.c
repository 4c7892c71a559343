/* SPDX-License-Identifier: MIT */
/*
 * BLAKE2b as the library calls it, and each scheme at its edges. Long lists of keys and positions
 * are in test_vectors.c. Where Python's hashlib made a value, a comment gives the expression;
 * `pattern(n)` in it is bytes(i % 256 for i in range(n)), and K is pattern(64).
 */
#include "support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hashing/blake2b_pair.h"
#include "hashing/blake2b_wide.h"
#include "hashing/hashing.h"
#include "support/blake2b.h"
#include "support/bytes.h"

#define MAX_BIT_COUNT BLOOMFILTER_MAX_BIT_COUNT

static const struct secret no_secret;

static const uint64_t bit_counts[] = {
    1, 2, 3, 63, 64, 65, 4294967295, 4294967296, 4294967297, MAX_BIT_COUNT - 1, MAX_BIT_COUNT,
};
enum { BIT_COUNTS = sizeof bit_counts / sizeof bit_counts[0] };

static const struct hash_scheme *const schemes[] = {
    &bloomfilter_hashing_blake2b_pair,
    &bloomfilter_hashing_blake2b_indexed,
    &bloomfilter_hashing_murmur3_tweak,
    &bloomfilter_hashing_blake2b_wide,
};
enum { SCHEMES = sizeof schemes / sizeof schemes[0] };

static void fill_pattern(uint8_t *bytes, size_t size)
{
    for (size_t i = 0; i < size; i++)
        bytes[i] = (uint8_t)i;
}

/* The first `size` bytes of K. */
static struct secret secret_of(size_t size)
{
    struct secret secret = {.size = size};
    fill_pattern(secret.bytes, size);
    return secret;
}

static void digest_of(const char *personal, const struct blake2b_node *node,
                      const struct secret *secret, const void *message, size_t size,
                      uint8_t *digest, size_t digest_size)
{
    blake2b_state state;
    bloomfilter_blake2b_start(&state, digest_size, personal, node, secret);
    bloomfilter_blake2b_update(&state, message, size);
    bloomfilter_blake2b_finish(&state, digest, digest_size);
}

static void assert_hex(const uint8_t *bytes, size_t size, const char *expected)
{
    char hex[129];
    for (size_t i = 0; i < size; i++)
        snprintf(hex + 2 * i, 3, "%02x", bytes[i]);
    assert_string_equal(hex, expected);
}

/* ---- BLAKE2b */

/* RFC 7693, appendix A, and the known answers that come with the reference implementation. */
static void test_published_digests(void **state)
{
    static const struct {
        const char *message; /* NULL: the pattern */
        size_t size;
        size_t secret_size;
        const char *expected;
    } rows[] = {
        {"abc", 3, 0,
         "ba80a53f981c4d0d6a2797b69f12f6e94c212f14685ac4b74b12bb6fdbffa2d1"
         "7d87c5392aab792dc252d5de4533cc9518d38aa8dbf1925ab92386edd4009923"},
        {NULL, 0, 0,
         "786a02f742015903c6c6fd852552d272912f4740e15847618a86e217f71f5419"
         "d25e1031afee585313896444934eb04b903a685b1448b755d56f701afe9be2ce"},
        {NULL, 0, 64,
         "10ebb67700b1868efb4417987acf4690ae9d972fb7a590c2f02871799aaa4786"
         "b5e996e8f0f4eb981fc214b005f42d2ff4233499391653df7aefcbc13fc51568"},
        {NULL, 1, 64,
         "961f6dd1e4dd30f63901690c512e78e4b45e4742ed197c3c5e45c549fd25f2e4"
         "187b0bc9fe30492b16b0d0bc4ef9b0f34c7003fac09a5ef1532e69430234cebd"},
        {NULL, 255, 64,
         "142709d62e28fcccd0af97fad0f8465b971e82201dc51070faa0372aa43e9248"
         "4be1c1e73ba10906d5d1853db6a4106e0a7bf9800d373d6dee2d46d62ef2a461"},
    };
    uint8_t pattern[255];
    (void)state;
    fill_pattern(pattern, sizeof pattern);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct secret secret = secret_of(rows[i].secret_size);
        const void *message = rows[i].message != NULL ? (const void *)rows[i].message : pattern;
        uint8_t digest[64];
        digest_of("", NULL, &secret, message, rows[i].size, digest, sizeof digest);
        assert_hex(digest, sizeof digest, rows[i].expected);
    }
}

/* The pseudorandom bytes of RFC 7693, appendix E. */
static void fill_sequence(uint8_t *bytes, size_t size, uint32_t seed)
{
    uint32_t a = 0xDEAD4BADu * seed;
    uint32_t b = 1;
    for (size_t i = 0; i < size; i++) {
        uint32_t sum = a + b;
        a = b;
        b = sum;
        bytes[i] = (uint8_t)(sum >> 24);
    }
}

/* RFC 7693, appendix E: one published digest over 48 others, keyed and not. */
static void test_published_self_test(void **state)
{
    static const size_t digest_sizes[] = {20, 32, 48, 64};
    static const size_t message_sizes[] = {0, 3, 128, 129, 255, 1024};
    blake2b_state all;
    uint8_t message[1024];
    uint8_t digest[64];
    (void)state;
    bloomfilter_blake2b_start(&all, 32, "", NULL, NULL);
    for (size_t i = 0; i < 4; i++)
        for (size_t j = 0; j < 6; j++) {
            struct secret secret = {.size = digest_sizes[i]};
            fill_sequence(message, message_sizes[j], (uint32_t)message_sizes[j]);
            digest_of("", NULL, NULL, message, message_sizes[j], digest, digest_sizes[i]);
            bloomfilter_blake2b_update(&all, digest, digest_sizes[i]);
            fill_sequence(secret.bytes, secret.size, (uint32_t)secret.size);
            digest_of("", NULL, &secret, message, message_sizes[j], digest, digest_sizes[i]);
            bloomfilter_blake2b_update(&all, digest, digest_sizes[i]);
        }
    bloomfilter_blake2b_finish(&all, digest, 32);
    assert_hex(digest, 32, "c23a7800d98123bd10f506c61e29da5603d763b8bbad2e737f5e765a7bccd475");
}

static void test_parameters(void **state)
{
    static const struct blake2b_node leaf = {
        .depth = 2, .leaf_length = 65536, .node_offset = 1, .inner_length = 32};
    static const struct blake2b_node last_leaf = {
        .depth = 2, .leaf_length = 65536, .node_offset = 1, .inner_length = 32, .is_last = 1};
    static const struct blake2b_node root = {
        .depth = 2, .leaf_length = 65536, .node_depth = 1, .inner_length = 32, .is_last = 1};
    static const struct blake2b_node extreme = {.fanout = 255,
                                                .depth = 255,
                                                .leaf_length = UINT32_MAX,
                                                .node_offset = UINT64_MAX,
                                                .node_depth = 255,
                                                .inner_length = 64,
                                                .is_last = 1};
    static const struct blake2b_node sequential = {.fanout = 1, .depth = 1};
    struct secret short_secret = secret_of(16);
    struct secret long_secret = secret_of(64);
    uint8_t digest[64];
    (void)state;

    /* blake2b(b'abc', digest_size=16, person=b'0123456789abcdef') */
    digest_of("0123456789abcdef", NULL, NULL, "abc", 3, digest, 16);
    assert_hex(digest, 16, "4243ca07c67e8dc379d9036ae7386a2f");
    digest_of("0123456789abcdef", &sequential, &no_secret, "abc", 3, digest, 16);
    assert_hex(digest, 16, "4243ca07c67e8dc379d9036ae7386a2f");
    /* blake2b(b'', digest_size=8, person=b'bloom-h1') */
    digest_of("bloom-h1", NULL, NULL, NULL, 0, digest, 8);
    assert_hex(digest, 8, "dc17c95276f0e6e6");

    /* tree = dict(digest_size=32, person=b'bloom-body', fanout=0, depth=2, leaf_size=65536,
     *             inner_size=32)
     * blake2b(b'abc', node_offset=1, node_depth=0, last_node=False, **tree), then last_node=True */
    digest_of("bloom-body", &leaf, NULL, "abc", 3, digest, 32);
    assert_hex(digest, 32, "ac9e0e0131ec460a9c38ec0c0faa750808d501c0d56cf819683f5e237b7eceb6");
    digest_of("bloom-body", &last_leaf, NULL, "abc", 3, digest, 32);
    assert_hex(digest, 32, "949af834f298c2463d711749f3c5c7d318a97d37e0236a8cb87109fe550049ae");
    /* blake2b(b'abc', key=K[:16], node_offset=0, node_depth=1, last_node=True, **tree) */
    digest_of("bloom-body", &root, &short_secret, "abc", 3, digest, 32);
    assert_hex(digest, 32, "4214915eeb47707db4afc6e20e7c0859a9bba9bb2f52514d300a79bdbebff8b4");
    /* blake2b(b'abc', digest_size=64, key=K, person=b'p', fanout=255, depth=255,
     *         leaf_size=2**32-1, node_offset=2**64-1, node_depth=255, inner_size=64,
     *         last_node=True) */
    digest_of("p", &extreme, &long_secret, "abc", 3, digest, 64);
    assert_hex(digest, 64,
               "c90b22db4e9c8ab3272e0ab53f85c1d58c875e254834f4d6a7119d9acb591e51"
               "aed5b931a7be5017606afe53f03ebdca5624b3cb55b3597450022d866828f385");
}

/* All messages of 0 to 300 bytes, each given in two pieces, split wherever it can be. */
static void check_every_split(const struct secret *secret, const char *expected)
{
    uint8_t message[300];
    uint8_t digest[32];
    blake2b_state all;

    fill_pattern(message, sizeof message);
    bloomfilter_blake2b_start(&all, 32, "", NULL, NULL);
    for (size_t size = 0; size <= sizeof message; size++) {
        uint8_t whole[8];
        digest_of("bloom-h1", NULL, secret, message, size, whole, sizeof whole);
        for (size_t split = 0; split <= size; split++) {
            blake2b_state state;
            bloomfilter_blake2b_start(&state, 8, "bloom-h1", NULL, secret);
            bloomfilter_blake2b_update(&state, message, split);
            bloomfilter_blake2b_update(&state, message + split, size - split);
            bloomfilter_blake2b_finish(&state, digest, 8);
            assert_memory_equal(digest, whole, 8);
        }
        bloomfilter_blake2b_update(&all, whole, sizeof whole);
    }
    bloomfilter_blake2b_finish(&all, digest, 32);
    assert_hex(digest, 32, expected);
}

/* blake2b(b''.join(blake2b(pattern(n), digest_size=8, key=key, person=b'bloom-h1').digest()
 *                  for n in range(301)), digest_size=32), for key=b'' and key=K[:16] */
static void test_every_split(void **state)
{
    struct secret secret = secret_of(16);
    (void)state;
    check_every_split(&no_secret,
                      "f5cd80ba796728cc6311eb4b4b290bbfe5b4f40aa3c79968d9d77c3c29a2ae1d");
    check_every_split(&secret, "1b750c0b18651feaaf49ec584833e912ca085cfa69b629fca0ddcdddff8a3434");
}

static void test_copied_states(void **state)
{
    uint8_t message[400];
    (void)state;
    fill_pattern(message, sizeof message);
    for (size_t secret_size = 0; secret_size <= 64; secret_size += 16)
        for (size_t size = 0; size <= sizeof message; size += 25) {
            struct secret secret = secret_of(secret_size);
            uint8_t expected[64];
            uint8_t digest[64];
            blake2b_state begun;
            digest_of("x", NULL, &secret, message, sizeof message, expected, 64);
            bloomfilter_blake2b_start(&begun, 64, "x", NULL, &secret);
            bloomfilter_blake2b_update(&begun, message, size);
            for (int copies = 0; copies < 3; copies++) {
                blake2b_state copy = begun;
                bloomfilter_blake2b_update(&copy, message + size, sizeof message - size);
                bloomfilter_blake2b_finish(&copy, digest, 64);
                assert_memory_equal(digest, expected, 64);
                /* What another copy takes is no concern of the first. */
                copy = begun;
                bloomfilter_blake2b_update(&copy, "other", 5);
                bloomfilter_blake2b_finish(&copy, digest, 64);
                assert_memory_not_equal(digest, expected, 64);
            }
        }
}

static void test_finished_states_are_wiped(void **state)
{
    struct secret secret = secret_of(64);
    blake2b_state blake;
    uint8_t digest[8];
    (void)state;
    bloomfilter_blake2b_start(&blake, 8, "", NULL, &secret);
    bloomfilter_blake2b_finish(&blake, digest, 8);
    assert_true(bytes_are_zero((const uint8_t *)&blake, sizeof blake));
    bloomfilter_secret_wipe(&secret, sizeof secret);
    assert_true(bytes_are_zero((const uint8_t *)&secret, sizeof secret));
}

/* A digest depends on the size of the secret too, not only on its bytes padded with zeros. */
static void test_secret_size_counts(void **state)
{
    uint8_t digests[65][8];
    (void)state;
    for (size_t size = 0; size <= 64; size++) {
        struct secret secret = {.size = size};
        digest_of("", NULL, &secret, "abc", 3, digests[size], 8);
        for (size_t other = 0; other < size; other++)
            assert_memory_not_equal(digests[size], digests[other], 8);
    }
}

/*
 * blake2b(pattern(300), digest_size=32, key=K, person=b'bloom-self-test', fanout=0, depth=2,
 *         leaf_size=65536, node_offset=0x0102030405060708, node_depth=1, inner_size=32,
 *         last_node=True)
 */
static void test_self_test(void **state)
{
    static const struct blake2b_node node = {.depth = 2,
                                             .leaf_length = 65536,
                                             .node_offset = 0x0102030405060708,
                                             .node_depth = 1,
                                             .inner_length = 32,
                                             .is_last = 1};
    struct secret secret = secret_of(64);
    uint8_t message[300];
    uint8_t digest[32];
    (void)state;
    fill_pattern(message, sizeof message);
    digest_of("bloom-self-test", &node, &secret, message, sizeof message, digest, 32);
    assert_hex(digest, 32, "74024ebfcbe7df5d3d5d8010348f5b190b94737be4e38adf2a0b341a2d162bbe");
    for (int i = 0; i < 3; i++)
        assert_true(bloomfilter_blake2b_is_right());
    assert_true(bloomfilter_blake2b_pair_is_right());
    assert_true(bloomfilter_blake2b_wide_is_right());
}

/* ---- the registry */

static void test_registry(void **state)
{
    static const uint32_t unknown[] = {0,   6,     7,          255,        257,
                                       258, 65537, 0x01000001, 0x80000001, UINT32_MAX};
    static const struct {
        uint32_t id;
        const char *name;
        bool takes_secret;
        bool takes_seed;
        uint32_t hash_bits;
        enum position_model model;
    } known[] = {
        {BLOOMFILTER_HASH_BLAKE2B_PAIR, "blake2b-pair", true, false, 64,
         POSITION_MODEL_PROGRESSION},
        {BLOOMFILTER_HASH_BLAKE2B_INDEXED, "blake2b-indexed", true, false, 64,
         POSITION_MODEL_INDEPENDENT},
        {BLOOMFILTER_HASH_MURMUR3_TWEAK, "murmur3-tweak", false, true, 32,
         POSITION_MODEL_INDEPENDENT},
        {BLOOMFILTER_HASH_BLAKE2B_WIDE, "blake2b-wide", true, false, 64,
         POSITION_MODEL_INDEPENDENT},
        {BLOOMFILTER_HASH_XXH64, "xxh64", false, false, 64, POSITION_MODEL_INDEPENDENT},
    };
    (void)state;
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        const struct hash_scheme *scheme = bloomfilter_hashing_find(known[i].id);
        assert_ptr_equal(scheme, i < SCHEMES ? schemes[i] : &bloomfilter_hashing_xxh64);
        assert_int_equal(scheme->id, known[i].id);
        assert_string_equal(scheme->name, known[i].name);
        assert_int_equal(scheme->takes_secret, known[i].takes_secret);
        assert_int_equal(scheme->takes_seed, known[i].takes_seed);

        struct prediction_shape shape = bloomfilter_hashing_shape(scheme, MAX_BIT_COUNT, 255);
        assert_int_equal(shape.model, known[i].model);
        assert_int_equal(shape.hash_bits, known[i].hash_bits);
        assert_int_equal(shape.bit_count, MAX_BIT_COUNT);
        assert_int_equal(shape.hash_count, 255);
    }
    for (size_t i = 0; i < sizeof unknown / sizeof unknown[0]; i++)
        assert_null(bloomfilter_hashing_find(unknown[i]));
}

/* ---- hashes of keys, for layouts of blocks */

/* The values that xxHash's own program checks: the first bytes of a sequence, seed 0. */
static void test_published_xxh64(void **state)
{
    static const struct {
        size_t size;
        uint64_t hash;
    } rows[] = {{0, UINT64_C(0xef46db3751d8e999)},
                {1, UINT64_C(0xe934a84adb052768)},
                {4, UINT64_C(0x9136a0dca57457ee)},
                {14, UINT64_C(0x8282dcc4994e35c8)},
                {222, UINT64_C(0xb641ae8cb691c174)}};
    uint8_t bytes[222];
    uint64_t number = 2654435761u;
    struct hasher hasher;
    (void)state;
    for (size_t i = 0; i < sizeof bytes; i++) {
        bytes[i] = (uint8_t)(number >> 56);
        number *= UINT64_C(11400714785074694797);
    }
    bloomfilter_hashing_prepare(&hasher, &bloomfilter_hashing_xxh64, 256, 8, 0, &no_secret);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        assert_int_equal(hasher.scheme->hash(&hasher, bytes, rows[i].size), rows[i].hash);
    assert_int_equal(hasher.scheme->hash(&hasher, NULL, 0), rows[0].hash);
}

/* Of scheme 1, for keys on all its ways: h1. */
static void test_hash_of_a_pair_is_its_first(void **state)
{
    uint8_t key[1001];
    (void)state;
    fill_pattern(key, sizeof key);
    for (size_t secret_size = 0; secret_size <= 64; secret_size += 32) {
        struct secret secret = secret_of(secret_size);
        struct hasher hasher;
        bloomfilter_hashing_prepare(&hasher, &bloomfilter_hashing_blake2b_pair, 256, 8, 0, &secret);
        for (size_t size = 0; size < sizeof key; size++) {
            struct hash_pair pair;
            bloomfilter_blake2b_pair_hash(&hasher, key, size, &pair);
            assert_int_equal(hasher.scheme->hash(&hasher, key, size), pair.h1);
        }
    }
}

/* Keys of up to `largest` bytes, of every mixture and number. */
static void check_many_hashes(const struct hasher *hasher, size_t largest)
{
    enum { MOST = 2 * KEY_GROUP + 2 };
    uint8_t bytes[MOST + 300];
    const void *keys[MOST];
    size_t sizes[MOST];
    uint64_t hashes[MOST + 1];
    uint64_t single[MOST];
    fill_pattern(bytes, sizeof bytes);
    for (size_t j = 0; j < MOST; j++) {
        sizes[j] = j % 3 == 0 ? largest : j * 37 % (largest + 1);
        keys[j] = sizes[j] != 0 ? bytes + j : NULL;
        single[j] = hasher->scheme->hash(hasher, keys[j], sizes[j]);
    }
    for (size_t count = 0; count <= MOST; count++) {
        hashes[count] = 1;
        bloomfilter_hashing_hashes(hasher, count, keys, sizes, hashes);
        for (size_t j = 0; j < count; j++)
            assert_int_equal(hashes[j], single[j]);
        assert_int_equal(hashes[count], 1);
    }
}

static void test_many_hashes_equal_single_ones(void **state)
{
    struct hasher hasher;
    (void)state;
    for (size_t largest = 0; largest < 290; largest++) {
        bloomfilter_hashing_prepare(&hasher, &bloomfilter_hashing_xxh64, 256, 8, 0, &no_secret);
        check_many_hashes(&hasher, largest);
        for (size_t secret_size = 0; secret_size <= 64; secret_size += 32) {
            struct secret secret = secret_of(secret_size);
            bloomfilter_hashing_prepare(&hasher, &bloomfilter_hashing_blake2b_pair, 256, 8, 0,
                                        &secret);
            check_many_hashes(&hasher, largest);
        }
    }
}

/* What goes with what: a scheme is for positions, for hashes, or for both. */
static void test_what_schemes_give(void **state)
{
    (void)state;
    assert_true(bloomfilter_hashing_suits(&bloomfilter_hashing_blake2b_pair, false));
    assert_true(bloomfilter_hashing_suits(&bloomfilter_hashing_blake2b_pair, true));
    assert_true(bloomfilter_hashing_suits(&bloomfilter_hashing_blake2b_indexed, false));
    assert_false(bloomfilter_hashing_suits(&bloomfilter_hashing_blake2b_indexed, true));
    assert_true(bloomfilter_hashing_suits(&bloomfilter_hashing_murmur3_tweak, false));
    assert_false(bloomfilter_hashing_suits(&bloomfilter_hashing_murmur3_tweak, true));
    assert_false(bloomfilter_hashing_suits(&bloomfilter_hashing_xxh64, false));
    assert_true(bloomfilter_hashing_suits(&bloomfilter_hashing_xxh64, true));
}

/* ---- all schemes */

static void positions_of(const struct hash_scheme *scheme, uint64_t bit_count, uint32_t hash_count,
                         uint64_t seed, const struct secret *secret, const void *key, size_t size,
                         uint64_t positions[])
{
    struct hasher hasher;
    bloomfilter_hashing_prepare(&hasher, scheme, bit_count, hash_count, seed, secret);
    scheme->positions(&hasher, key, size, positions, 1);
}

/* Keys of many sizes, about the borders of BLAKE2b's blocks and of murmur's groups among them. */
enum { KEYS = 150, LARGEST_KEY = 500, CANARY = 0x5A };
static uint8_t key_bytes[LARGEST_KEY];
static const void *keys[KEYS];
static size_t key_sizes[KEYS];

static int make_keys(void **state)
{
    (void)state;
    fill_pattern(key_bytes, sizeof key_bytes);
    for (size_t j = 0; j < KEYS; j++) {
        key_sizes[j] = j < 140 ? j : 110 + j;               /* 0 to 139, 250 to 259 */
        keys[j] = key_sizes[j] != 0 ? key_bytes + j : NULL; /* at any alignment */
    }
    return 0;
}

/* The positions of each key by itself. */
static uint64_t single_positions[KEYS][255];

/* A group of `count` keys from `from` on has the positions that its keys have one by one. */
static void check_group(const struct hasher *hasher, size_t from, size_t count)
{
    uint64_t positions[KEY_GROUP * 255 + 1];
    size_t room = (size_t)KEY_GROUP * hasher->hash_count;

    memset(positions, CANARY, sizeof positions);
    bloomfilter_hashing_positions(hasher, count, keys + from, key_sizes + from, positions, NULL);
    assert_int_equal(positions[room], UINT64_C(0x5A5A5A5A5A5A5A5A));
    for (size_t j = 0; j < count; j++)
        for (size_t i = 0; i < hasher->hash_count; i++)
            assert_int_equal(positions[i * KEY_GROUP + j], single_positions[from + j][i]);
}

/* Groups of one length class, of several, and with keys that are longer than a block. */
static void check_batches(const struct hash_scheme *scheme, uint64_t bit_count, uint32_t hash_count)
{
    for (int keyed = 0; keyed <= scheme->takes_secret; keyed++) {
        struct secret secret = keyed ? secret_of(16) : no_secret;
        struct hasher hasher;
        struct hasher before;

        memset(&hasher, 0, sizeof hasher);
        bloomfilter_hashing_prepare(&hasher, scheme, bit_count, hash_count, 0x80000001, &secret);
        memcpy(&before, &hasher, sizeof before);
        for (size_t j = 0; j < KEYS; j++)
            scheme->positions(&hasher, keys[j], key_sizes[j], single_positions[j], 1);
        for (size_t from = 0; from < KEYS; from++)
            for (size_t count = 0; count <= KEY_GROUP && from + count <= KEYS; count++)
                check_group(&hasher, from, count);
        assert_memory_equal(&hasher, &before, sizeof hasher);
    }
}

static void test_batches(void **state)
{
    (void)state;
    for (size_t s = 0; s < SCHEMES; s++) {
        check_batches(schemes[s], 1000003, 1);
        check_batches(schemes[s], MAX_BIT_COUNT, 7);
        check_batches(schemes[s], 1, 3);
        check_batches(schemes[s], 65536, 40);
    }
    for (size_t i = 0; i < BIT_COUNTS; i++) {
        check_batches(&bloomfilter_hashing_blake2b_pair, bit_counts[i], i % 2 ? 255 : 4);
        check_batches(&bloomfilter_hashing_blake2b_wide, bit_counts[i], i % 2 ? 255 : 4);
    }
}

static void test_positions_are_below_bit_count(void **state)
{
    uint64_t positions[255];
    (void)state;
    for (size_t s = 0; s < SCHEMES; s++)
        for (size_t i = 0; i < BIT_COUNTS; i++)
            for (size_t j = 0; j < KEYS; j += 3) {
                positions_of(schemes[s], bit_counts[i], 255, 7, &no_secret, keys[j], key_sizes[j],
                             positions);
                for (size_t p = 0; p < 255; p++)
                    assert_true(positions[p] < bit_counts[i]);
            }
}

/* The first positions do not depend on how many follow. */
static void test_hash_count_only_adds(void **state)
{
    uint64_t all[255];
    uint64_t some[256];
    (void)state;
    for (size_t s = 0; s < SCHEMES; s++) {
        positions_of(schemes[s], 1000003, 255, 1, &no_secret, "alice", 5, all);
        for (uint32_t hash_count = 1; hash_count <= 255; hash_count++) {
            some[hash_count] = UINT64_MAX;
            positions_of(schemes[s], 1000003, hash_count, 1, &no_secret, "alice", 5, some);
            assert_memory_equal(some, all, hash_count * sizeof *all);
            assert_true(some[hash_count] == UINT64_MAX);
        }
    }
}

static void test_empty_key(void **state)
{
    uint64_t none[7];
    uint64_t empty[7];
    uint64_t nul[7];
    (void)state;
    for (size_t s = 0; s < SCHEMES; s++) {
        positions_of(schemes[s], 1000003, 7, 0, &no_secret, NULL, 0, none);
        positions_of(schemes[s], 1000003, 7, 0, &no_secret, "x", 0, empty);
        positions_of(schemes[s], 1000003, 7, 0, &no_secret, "", 1, nul);
        assert_memory_equal(none, empty, sizeof none);
        assert_memory_not_equal(none, nul, sizeof none);
    }
}

static void test_secrets_change_positions(void **state)
{
    (void)state;
    for (size_t s = 0; s < SCHEMES; s++) {
        uint64_t positions[65][3];
        if (!schemes[s]->takes_secret)
            continue;
        positions_of(schemes[s], MAX_BIT_COUNT, 3, 0, &no_secret, "alice", 5, positions[0]);
        for (size_t size = 16; size <= 64; size++) {
            struct secret secret = secret_of(size);
            positions_of(schemes[s], MAX_BIT_COUNT, 3, 0, &secret, "alice", 5, positions[size]);
            for (size_t i = 0; i < 3; i++) {
                assert_true(positions[size][i] != positions[0][i]);
                for (size_t other = 16; other < size; other++)
                    assert_true(positions[size][i] != positions[other][i]);
            }
        }
    }
}

/* ---- scheme 1 */

static void progression(uint64_t h1, uint64_t h2, uint64_t m, uint32_t hash_count,
                        uint64_t positions[])
{
    struct hash_pair pair = {.h1 = h1, .h2 = h2};
    struct hasher hasher;
    bloomfilter_hashing_prepare(&hasher, &bloomfilter_hashing_blake2b_pair, m, hash_count, 0,
                                &no_secret);
    bloomfilter_blake2b_pair_positions(&hasher, &pair, positions, 1);
}

/* a * b mod m by doubling and adding: another way than the library's, for m up to 2^63. */
static uint64_t multiply_modulo(uint64_t a, uint64_t b, uint64_t m)
{
    uint64_t product = 0;
    for (a %= m; b != 0; b >>= 1) {
        if (b & 1)
            product = (product + a) % m;
        a = (a + a) % m;
    }
    return product;
}

static void check_progression(uint64_t h1, uint64_t h2, uint64_t m)
{
    uint64_t positions[256];
    uint64_t step = h2 % m != 0 ? h2 % m : 1;
    positions[255] = UINT64_MAX;
    progression(h1, h2, m, 255, positions);
    for (uint64_t i = 0; i < 255; i++) {
        uint64_t expected = (h1 % m + multiply_modulo(step, i, m)) % m;
        if (positions[i] != expected)
            fail_msg("h1 %llx, h2 %llx, m %llu, i %llu", (unsigned long long)h1,
                     (unsigned long long)h2, (unsigned long long)m, (unsigned long long)i);
    }
    assert_true(positions[255] == UINT64_MAX);
}

static void test_progressions(void **state)
{
    (void)state;
    for (size_t i = 0; i < BIT_COUNTS; i++) {
        uint64_t m = bit_counts[i];
        uint64_t last = UINT64_MAX / m * m; /* the largest multiple */
        const uint64_t hashes[] = {
            0,
            1,
            2,
            m - 1,
            m,
            m + 1,
            2 * m - 1,
            2 * m,
            m / 2,
            last - 1,
            last,
            UINT64_MAX - 1,
            UINT64_MAX,
            UINT64_C(1) << 63,
            UINT64_C(0x0123456789ABCDEF),
        };
        for (size_t a = 0; a < sizeof hashes / sizeof hashes[0]; a++)
            for (size_t b = 0; b < sizeof hashes / sizeof hashes[0]; b++)
                check_progression(hashes[a], hashes[b], m);
    }
}

/* In Python, with whole numbers of any size:
 * [((2**64 - 1) + i * ((2**64 - 2) % m or 1)) % m for i in (0, 1, 2, 254)] */
static void test_progressions_from_python(void **state)
{
    static const struct {
        uint64_t m;
        uint64_t expected[4];
    } rows[] = {
        {1, {0, 0, 0, 0}},
        {2, {1, 0, 1, 1}},
        {3, {0, 2, 1, 1}},
        {63, {15, 29, 43, 43}},
        {64, {63, 61, 59, 3}},
        {65, {15, 29, 43, 61}},
        {4294967295, {0, 4294967294, 4294967293, 4294967041}},
        {4294967296, {4294967295, 4294967293, 4294967291, 4294966787}},
        {4294967297, {0, 4294967296, 4294967295, 4294967043}},
        {MAX_BIT_COUNT,
         {UINT64_C(1152921504606846975), UINT64_C(1152921504606846973),
          UINT64_C(1152921504606846971), UINT64_C(1152921504606846467)}},
    };
    uint64_t positions[255];
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        progression(UINT64_MAX, UINT64_MAX - 1, rows[i].m, 255, positions);
        assert_memory_equal(positions, rows[i].expected, 3 * sizeof *positions);
        assert_int_equal(positions[254], rows[i].expected[3]);
    }
}

/* A step of 0 would put all positions of a key on one bit. */
static void test_step_of_zero_becomes_one(void **state)
{
    uint64_t positions[4];
    (void)state;
    progression(998, 1000 * 77, 1000, 4, positions);
    assert_int_equal(positions[0], 998);
    assert_int_equal(positions[1], 999);
    assert_int_equal(positions[2], 0);
    assert_int_equal(positions[3], 1);
    progression(998, 0, 2, 4, positions);
    assert_int_equal(positions[0], 0);
    assert_int_equal(positions[1], 1);
    assert_int_equal(positions[2], 0);
    progression(998, 0, 1, 4, positions);
    for (int i = 0; i < 4; i++)
        assert_int_equal(positions[i], 0);
}

/* blake2b(b'alice', digest_size=8, key=K, person=b'bloom-h1') and so on, in whole numbers */
static void test_pair_of_a_keyed_filter(void **state)
{
    static const uint64_t with_64[3] = {UINT64_C(597425242463079063), UINT64_C(309523375588006010),
                                        UINT64_C(21621508712932957)};
    static const uint64_t with_16[3] = {UINT64_C(139411877369041859), UINT64_C(1141711241943738154),
                                        UINT64_C(991089101911587473)};
    const struct hash_scheme *scheme = &bloomfilter_hashing_blake2b_pair;
    struct secret secret = secret_of(64);
    uint64_t positions[3];
    (void)state;
    positions_of(scheme, MAX_BIT_COUNT, 3, 0, &secret, "alice", 5, positions);
    assert_memory_equal(positions, with_64, sizeof positions);
    secret = secret_of(16);
    positions_of(scheme, MAX_BIT_COUNT, 3, 0, &secret, "alice", 5, positions);
    assert_memory_equal(positions, with_16, sizeof positions);
}

/* As libb2 hashes, with and without a secret, at every size, on both sides of each block's end. */
static void test_pair_hashes(void **state)
{
    static uint8_t message[1001];
    (void)state;
    fill_pattern(message, sizeof message);
    for (size_t secret_size = 0; secret_size <= 64; secret_size += 32) {
        struct secret secret = secret_of(secret_size);
        struct hasher hasher;
        bloomfilter_hashing_prepare(&hasher, &bloomfilter_hashing_blake2b_pair, 1, 1, 0, &secret);
        for (size_t size = 0; size <= 1000; size++) {
            /* At any alignment, and from memory of its own, so that sanitizers see an over-read. */
            uint8_t *key = malloc(size % 8 + size);
            struct hash_pair pair;
            uint8_t digest[8];
            memcpy(key + size % 8, message, size);
            bloomfilter_blake2b_pair_hash(&hasher, key + size % 8, size, &pair);
            digest_of("bloom-h1", NULL, &secret, message, size, digest, 8);
            assert_int_equal(pair.h1, bytes_load_be64(digest));
            digest_of("bloom-h2", NULL, &secret, message, size, digest, 8);
            assert_int_equal(pair.h2, bytes_load_be64(digest));
            free(key);
        }
    }
}

/* ---- scheme 2 */

/* int.from_bytes(blake2b(b'alice:%d' % i, digest_size=8, key=key).digest(), 'big') % 2**60 */
static void test_indexed_from_python(void **state)
{
    static const struct {
        uint32_t i;
        uint64_t unkeyed;
        uint64_t keyed; /* with K; 0: not computed */
    } rows[] = {
        {0, UINT64_C(964971502342806078), UINT64_C(13002879192438724)},
        {1, UINT64_C(1038688288551701946), 0},
        {9, UINT64_C(1119228994455862408), UINT64_C(51072712120803685)},
        {10, UINT64_C(347512961987900115), UINT64_C(605713280550315390)},
        {11, UINT64_C(149786047189764794), 0},
        {99, UINT64_C(108708406692091589), UINT64_C(154642312793356689)},
        {100, UINT64_C(525058945769256126), UINT64_C(882570723803504453)},
        {101, UINT64_C(1152463267710684800), 0},
        {199, UINT64_C(944775805575592311), 0},
        {200, UINT64_C(926068915931077602), 0},
        {253, UINT64_C(421032562392253915), 0},
        {254, UINT64_C(122472685036354141), UINT64_C(28069301047098850)},
    };
    const struct hash_scheme *scheme = &bloomfilter_hashing_blake2b_indexed;
    struct secret secret = secret_of(64);
    uint64_t unkeyed[255];
    uint64_t keyed[255];
    (void)state;
    positions_of(scheme, MAX_BIT_COUNT, 255, 0, &no_secret, "alice", 5, unkeyed);
    positions_of(scheme, MAX_BIT_COUNT, 255, 0, &secret, "alice", 5, keyed);
    for (size_t j = 0; j < sizeof rows / sizeof rows[0]; j++) {
        assert_int_equal(unkeyed[rows[j].i], rows[j].unkeyed);
        if (rows[j].keyed != 0)
            assert_int_equal(keyed[rows[j].i], rows[j].keyed);
    }
}

static void check_indexed(uint32_t hash_count, size_t size, const struct secret *secret)
{
    uint64_t positions[255];
    positions_of(&bloomfilter_hashing_blake2b_indexed, MAX_BIT_COUNT, hash_count, 0, secret,
                 key_bytes, size, positions);
    for (unsigned i = 0; i < hash_count; i++) {
        char message[LARGEST_KEY + 8];
        uint8_t digest[8];
        memcpy(message, key_bytes, size);
        int suffix_size = snprintf(message + size, sizeof message - size, ":%u", i);
        digest_of("", NULL, secret, message, size + (size_t)suffix_size, digest, 8);
        assert_int_equal(positions[i], bytes_load_be64(digest) % MAX_BIT_COUNT);
    }
}

/* Every number of a position, behind keys of every size. */
static void test_indexed_messages(void **state)
{
    const struct secret secret = secret_of(16);
    (void)state;
    for (size_t size = 0; size <= LARGEST_KEY; size++) {
        check_indexed(1, size, &no_secret);
        check_indexed(2, size, &no_secret);
        check_indexed(17, size, &no_secret);
        check_indexed(255, size, &no_secret);
        check_indexed(7, size, &secret);
    }
}

/* ---- scheme 3 */

static uint32_t murmur(const void *key, size_t size, uint64_t seed)
{
    uint64_t position;
    positions_of(&bloomfilter_hashing_murmur3_tweak, UINT64_C(1) << 32, 1, seed, &no_secret, key,
                 size, &position);
    return (uint32_t)position;
}

/* Answers that are published for MurmurHash3_x86_32: those that implementations in other languages
 * commonly share, and those of Bitcoin's unit tests (src/test/hash_tests.cpp). */
static void test_published_murmur3(void **state)
{
    static const struct {
        const char *key_hex;
        uint32_t seed;
        uint32_t expected;
    } rows[] = {
        {"", 0, 0},
        {"", 1, 0x514E28B7},
        {"", 0xFFFFFFFF, 0x81F16F39},
        {"ffffffff", 0, 0x76293B50},
        {"21436587", 0, 0xF55B516B},
        {"21436587", 0x5082EDEE, 0x2362F9DE},
        {"214365", 0, 0x7E4A8634},
        {"2143", 0, 0xA0F7B07A},
        {"21", 0, 0x72661CF4},
        {"00000000", 0, 0x2362F9DE},
        {"000000", 0, 0x85F0B427},
        {"0000", 0, 0x30F4C306},
        {"00", 0, 0x514E28B7},
        {"", 0xFBA4C795, 0x6A396F08},
        {"00", 0xFBA4C795, 0xEA3F0B17},
        {"ff", 0, 0xFD6CF10D},
        {"0011", 0, 0x16C6B7AB},
        {"001122", 0, 0x8EB51C3D},
        {"00112233", 0, 0xB4471BF8},
        {"0011223344", 0, 0xE2301FA8},
        {"001122334455", 0, 0xFC2E4A15},
        {"00112233445566", 0, 0xB074502C},
        {"0011223344556677", 0, 0x8034D2A0},
        {"001122334455667788", 0, 0xB4698DEF},
    };
    static const struct {
        const char *key;
        uint32_t seed;
        uint32_t expected;
    } texts[] = {
        {"abc", 0, 0xB3DD93FA},
        {"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", 0, 0xEE925B90},
        {"a", 0x9747B28C, 0x7FA09EA6},
        {"aa", 0x9747B28C, 0x5D211726},
        {"aaa", 0x9747B28C, 0x283E0130},
        {"aaaa", 0x9747B28C, 0x5A97808A},
        {"ab", 0x9747B28C, 0x74875592},
        {"abc", 0x9747B28C, 0xC84A62DD},
        {"abcd", 0x9747B28C, 0xF0478627},
        {"Hello, world!", 0x9747B28C, 0x24884CBA},
        {"The quick brown fox jumps over the lazy dog", 0x9747B28C, 0x2FA826CD},
    };
    uint8_t many[256];
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        uint8_t key[16];
        size_t size = from_hex(rows[i].key_hex, key, sizeof key);
        assert_int_equal(murmur(key, size, rows[i].seed), rows[i].expected);
    }
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        assert_int_equal(murmur(texts[i].key, strlen(texts[i].key), texts[i].seed),
                         texts[i].expected);
    memset(many, 'a', sizeof many);
    assert_int_equal(murmur(many, sizeof many, 0x9747B28C), 0x37405BDC);
}

/* Position i is the hash with seed i * 0xFBA4C795 + tweak, modulo 2^32. */
static void test_murmur3_tweaks(void **state)
{
    static const uint32_t tweaks[] = {0, 1, 0x7FFFFFFF, 0x80000000, 0x80000001, 0xFFFFFFFF};
    uint64_t positions[255];
    (void)state;
    for (size_t t = 0; t < sizeof tweaks / sizeof tweaks[0]; t++) {
        uint32_t seed = tweaks[t];
        positions_of(&bloomfilter_hashing_murmur3_tweak, UINT64_C(1) << 32, 255, tweaks[t],
                     &no_secret, "alice", 5, positions);
        for (int i = 0; i < 255; i++) {
            assert_int_equal(positions[i], murmur("alice", 5, seed));
            seed += 0xFBA4C795u;
        }
    }
    /* In Python, from the definition: murmur3(b'alice', (i * 0xFBA4C795 + 0x80000001) % 2**32) */
    positions_of(&bloomfilter_hashing_murmur3_tweak, UINT64_C(1) << 32, 255, 0x80000001, &no_secret,
                 "alice", 5, positions);
    assert_int_equal(positions[0], UINT64_C(4096316446));
    assert_int_equal(positions[1], UINT64_C(3788085761));
    assert_int_equal(positions[2], UINT64_C(3558646367));
    assert_int_equal(positions[3], UINT64_C(2645075974));
    assert_int_equal(positions[254], UINT64_C(1063379740));
}

/* Hashes of 32 bits do not reach the bits past 2^32, and the high half of a seed means nothing. */
static void test_murmur3_is_of_32_bits(void **state)
{
    const struct hash_scheme *scheme = &bloomfilter_hashing_murmur3_tweak;
    uint64_t positions[255];
    uint64_t others[255];
    (void)state;
    positions_of(scheme, UINT64_C(1) << 32, 255, 5, &no_secret, "alice", 5, positions);
    positions_of(scheme, MAX_BIT_COUNT, 255, 5, &no_secret, "alice", 5, others);
    assert_memory_equal(positions, others, sizeof positions);
    positions_of(scheme, UINT64_C(1) << 32, 255, UINT64_C(0xFFFFFFFF00000005), &no_secret, "alice",
                 5, others);
    assert_memory_equal(positions, others, sizeof positions);
    positions_of(scheme, 1000, 255, 5, &no_secret, "alice", 5, others);
    for (int i = 0; i < 255; i++)
        assert_int_equal(others[i], positions[i] % 1000);
}

/* ---- scheme 4 */

/* Positions of a hash whose halves are given. */
static void generated(uint64_t h1, uint64_t h2, uint64_t m, uint32_t hash_count,
                      uint64_t positions[])
{
    struct hash_pair halves = {.h1 = h1, .h2 = h2};
    struct hasher hasher;
    bloomfilter_hashing_prepare(&hasher, &bloomfilter_hashing_blake2b_wide, m, hash_count, 0,
                                &no_secret);
    bloomfilter_blake2b_wide_positions(&hasher, &halves, positions, 1);
}

/* As libb2 hashes, with and without a secret, at every size, on both sides of each block's end. */
static void test_wide_hashes(void **state)
{
    static uint8_t message[1001];
    (void)state;
    fill_pattern(message, sizeof message);
    for (size_t secret_size = 0; secret_size <= 64; secret_size += 32) {
        struct secret secret = secret_of(secret_size);
        struct hasher hasher;
        bloomfilter_hashing_prepare(&hasher, &bloomfilter_hashing_blake2b_wide, 1, 1, 0, &secret);
        for (size_t size = 0; size <= 1000; size++) {
            /* At any alignment, and from memory of its own, so that sanitizers see an over-read. */
            uint8_t *key = malloc(size % 8 + size);
            struct hash_pair halves;
            uint8_t digest[16];
            memcpy(key + size % 8, message, size);
            bloomfilter_blake2b_wide_hash(&hasher, key + size % 8, size, &halves);
            digest_of("bloom-wide", NULL, &secret, message, size, digest, 16);
            assert_int_equal(halves.h1, bytes_load_be64(digest));
            assert_int_equal(halves.h2, bytes_load_be64(digest + 8));
            free(key);
        }
    }
}

/* What SplitMix64 gives from seed 1234567, as published with many implementations (Vigna's
 * splitmix64.c; Rosetta Code). Scaled down to 2^60, the upper 60 bits are left. */
static void test_published_splitmix64(void **state)
{
    static const uint64_t published[] = {
        UINT64_C(6457827717110365317), UINT64_C(3203168211198807973), UINT64_C(9817491932198370423),
        UINT64_C(4593380528125082431), UINT64_C(16408922859458223821)};
    uint64_t positions[5];
    (void)state;
    generated(1234567, UINT64_C(0x9E3779B97F4A7C15), MAX_BIT_COUNT, 5, positions);
    for (int i = 0; i < 5; i++)
        assert_int_equal(positions[i], published[i] >> 4);
}

/* The upper word of a product, word by word of 16 bits: another way than the library's. */
static uint64_t upper_word(uint64_t a, uint64_t b)
{
    uint64_t columns[8] = {0};
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++) {
            uint64_t product = (a >> 16 * i & 0xFFFF) * (b >> 16 * j & 0xFFFF);
            columns[i + j] += product & 0xFFFF;
            columns[i + j + 1] += product >> 16;
        }
    for (int i = 0; i < 7; i++)
        columns[i + 1] += columns[i] >> 16;
    return (columns[4] & 0xFFFF) | (columns[5] & 0xFFFF) << 16 | (columns[6] & 0xFFFF) << 32 |
           columns[7] << 48;
}

static void test_scaling(void **state)
{
    static const uint64_t values[] = {0,
                                      1,
                                      2,
                                      UINT32_MAX,
                                      UINT64_C(1) << 32,
                                      UINT64_C(0x0123456789ABCDEF),
                                      UINT64_C(0x7FFFFFFFFFFFFFFF),
                                      UINT64_C(0x8000000000000000),
                                      UINT64_C(0xFFFFFFFF00000000),
                                      UINT64_MAX - 1,
                                      UINT64_MAX};
    (void)state;
    assert_int_equal(upper_word(UINT64_MAX, UINT64_MAX), UINT64_MAX - 1);
    for (size_t i = 0; i < BIT_COUNTS; i++)
        for (size_t j = 0; j < sizeof values / sizeof values[0]; j++) {
            struct hasher hasher = {.bit_count = bit_counts[i]};
            assert_int_equal(bloomfilter_hashing_scale(&hasher, values[j]),
                             upper_word(values[j], bit_counts[i]));
        }
}

/* An even step is made odd, or else 2^63 would lead to two positions, and 0 to one. */
static void test_generator_steps_are_odd(void **state)
{
    static const uint64_t steps[] = {0, 2, UINT64_C(1) << 63, UINT64_MAX - 1};
    uint64_t even[255];
    uint64_t odd[255];
    (void)state;
    for (size_t i = 0; i < sizeof steps / sizeof steps[0]; i++) {
        generated(7, steps[i], MAX_BIT_COUNT, 255, even);
        generated(7, steps[i] + 1, MAX_BIT_COUNT, 255, odd);
        assert_memory_equal(even, odd, sizeof even);
        for (int a = 0; a < 255; a++)
            for (int b = 0; b < a; b++)
                assert_true(even[a] != even[b]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_published_digests),
        cmocka_unit_test(test_published_self_test),
        cmocka_unit_test(test_parameters),
        cmocka_unit_test(test_every_split),
        cmocka_unit_test(test_copied_states),
        cmocka_unit_test(test_finished_states_are_wiped),
        cmocka_unit_test(test_secret_size_counts),
        cmocka_unit_test(test_self_test),
        cmocka_unit_test(test_registry),
        cmocka_unit_test(test_published_xxh64),
        cmocka_unit_test(test_hash_of_a_pair_is_its_first),
        cmocka_unit_test(test_many_hashes_equal_single_ones),
        cmocka_unit_test(test_what_schemes_give),
        cmocka_unit_test(test_batches),
        cmocka_unit_test(test_positions_are_below_bit_count),
        cmocka_unit_test(test_hash_count_only_adds),
        cmocka_unit_test(test_empty_key),
        cmocka_unit_test(test_secrets_change_positions),
        cmocka_unit_test(test_progressions),
        cmocka_unit_test(test_progressions_from_python),
        cmocka_unit_test(test_step_of_zero_becomes_one),
        cmocka_unit_test(test_pair_of_a_keyed_filter),
        cmocka_unit_test(test_pair_hashes),
        cmocka_unit_test(test_indexed_from_python),
        cmocka_unit_test(test_indexed_messages),
        cmocka_unit_test(test_published_murmur3),
        cmocka_unit_test(test_murmur3_tweaks),
        cmocka_unit_test(test_murmur3_is_of_32_bits),
        cmocka_unit_test(test_wide_hashes),
        cmocka_unit_test(test_published_splitmix64),
        cmocka_unit_test(test_scaling),
        cmocka_unit_test(test_generator_steps_are_odd),
    };
    return cmocka_run_group_tests(tests, make_keys, NULL);
}
