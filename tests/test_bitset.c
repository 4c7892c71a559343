/* SPDX-License-Identifier: MIT */
/* The flat layout, bit by bit, against a reference that is as plain as can be. */
#include "support.h"

#include <stdlib.h>
#include <string.h>

#include "bitset/bitset.h"

/* Work on cells tells here what it fetches, which nothing else shows. */
static void note_fetched(const uint8_t *byte);
#define __builtin_prefetch(address, for_writing, level) note_fetched(address)
#include "bitset/flat_cells.h"
#undef __builtin_prefetch

enum { MAX_BITS = 1024, MAX_BYTES = MAX_BITS / 8, SHIFTS = 8 };

static const struct bitset_layout *flat;

/* Bytes that are the same in every run (xorshift64). */
static void fill_randomly(uint8_t *bytes, size_t size, uint64_t seed)
{
    uint64_t random = seed * 0x9E3779B97F4A7C15u + 1;
    for (size_t i = 0; i < size; i++) {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        bytes[i] = (uint8_t)(random >> 32);
    }
}

static int reference_bit(const uint8_t *cells, uint64_t position)
{
    return cells[position / 8] >> position % 8 & 1;
}

static uint64_t reference_count(const uint8_t *cells, uint64_t bit_count)
{
    uint64_t count = 0;
    for (uint64_t position = 0; position < bit_count; position++)
        count += (uint64_t)reference_bit(cells, position);
    return count;
}

/* Exactly `size` bytes that begin `shift` bytes behind an aligned address, so that sanitizers see a
 * read or write past either end. The start goes to *block, to be freed. */
static uint8_t *cells_at(size_t shift, size_t size, uint8_t **block)
{
    *block = malloc(shift + size);
    assert_non_null(*block);
    memset(*block, 0, shift + size);
    return *block + shift;
}

static void add_one(uint8_t *cells, uint64_t position)
{
    flat->add(cells, &position, 1);
}

static int contains_one(const uint8_t *cells, uint64_t position)
{
    return flat->contains(cells, &position, 1);
}

static int find_layout(void **state)
{
    (void)state;
    flat = bloomfilter_bitset_find(BLOOMFILTER_LAYOUT_FLAT);
    return flat == NULL;
}

static void test_registry(void **state)
{
    static const uint32_t unknown[] = {0,   3,     4,          5,          255,
                                       257, 65537, 0x01000001, 0x80000001, UINT32_MAX};
    (void)state;
    assert_ptr_equal(flat, &bloomfilter_bitset_flat);
    assert_int_equal(flat->id, 1);
    assert_string_equal(flat->name, "flat");
    for (size_t i = 0; i < sizeof unknown / sizeof unknown[0]; i++)
        assert_null(bloomfilter_bitset_find(unknown[i]));
}

static void test_payload_size(void **state)
{
    const uint64_t largest = BLOOMFILTER_MAX_BIT_COUNT;
    (void)state;
    assert_int_equal(flat->payload_size(1), 8);
    assert_int_equal(flat->payload_size(64), 8);
    assert_int_equal(flat->payload_size(65), 16);
    for (uint64_t bit_count = 1; bit_count <= 200; bit_count++) {
        uint64_t size = flat->payload_size(bit_count);
        assert_int_equal(size % 8, 0);
        assert_true(size * 8 >= bit_count);
        assert_true(size * 8 < bit_count + 64);
    }
    assert_int_equal(flat->payload_size(UINT64_C(1) << 32), UINT64_C(1) << 29);
    assert_int_equal(flat->payload_size((UINT64_C(1) << 32) + 1), (UINT64_C(1) << 29) + 8);
    assert_int_equal(flat->payload_size(largest - 64), largest / 8 - 8);
    assert_int_equal(flat->payload_size(largest - 63), largest / 8);
    assert_int_equal(flat->payload_size(largest - 1), largest / 8);
    assert_int_equal(flat->payload_size(largest), largest / 8);
}

/* Bit j is bit j mod 8 of byte j div 8, least significant first, and no other bit changes. */
static void test_bit_order(void **state)
{
    (void)state;
    for (size_t shift = 0; shift < SHIFTS; shift++)
        for (uint64_t position = 0; position < MAX_BITS; position++) {
            uint8_t expected[MAX_BYTES] = {0};
            uint8_t *block;
            uint8_t *cells = cells_at(shift, MAX_BYTES, &block);
            expected[position / 8] = (uint8_t)(1u << position % 8);
            add_one(cells, position);
            assert_memory_equal(cells, expected, sizeof expected);
            free(block);
        }
}

/* The last cell of all is in reach, and the byte behind it is not touched. */
static void test_last_bit(void **state)
{
    (void)state;
    for (uint64_t bit_count = 1; bit_count <= 200; bit_count++) {
        uint8_t *block;
        size_t size = (size_t)flat->payload_size(bit_count);
        uint8_t *cells = cells_at(0, size, &block);
        add_one(cells, bit_count - 1);
        assert_true(contains_one(cells, bit_count - 1));
        assert_int_equal(flat->bits_set(cells, bit_count), 1);
        assert_int_equal(flat->bits_set(cells, bit_count - 1), 0);
        assert_true(flat->is_padded_with_zeros(cells, bit_count));
        free(block);
    }
}

static void test_add_tells_what_was_new(void **state)
{
    static const uint64_t positions[][3] = {
        {0, 63, 64},     /* all new */
        {0, 63, 64},     /* none */
        {0, 63, 65},     /* the last */
        {1, 63, 64},     /* the first */
        {0, 66, 64},     /* the middle one */
        {100, 100, 100}, /* one bit, three times */
        {100, 100, 100}, {0, 0, 101}, {102, 102, 0},
    };
    static const uint8_t expected[] = {1, 0, 1, 1, 1, 1, 0, 1, 1};
    uint8_t cells[16] = {0};
    (void)state;
    for (size_t j = 0; j < sizeof expected; j++)
        assert_int_equal(flat->add(cells, positions[j], 3), expected[j]);
    assert_int_equal(flat->bits_set(cells, 128), 9);
}

static void test_adding_every_bit(void **state)
{
    uint8_t cells[MAX_BYTES] = {0};
    (void)state;
    for (uint64_t i = 0; i < MAX_BITS; i++) {
        uint64_t position = i * 387 % MAX_BITS; /* 387 is odd: all of them, in another order */
        assert_false(contains_one(cells, position));
        assert_true(flat->add(cells, &position, 1));
        assert_true(contains_one(cells, position));
        assert_int_equal(flat->bits_set(cells, MAX_BITS), i + 1);
        assert_false(flat->add(cells, &position, 1));
    }
}

/* A key is found if, and only if, all its bits are set. */
static void test_contains(void **state)
{
    (void)state;
    for (size_t shift = 0; shift < SHIFTS; shift++) {
        uint8_t *block;
        uint8_t *cells = cells_at(shift, MAX_BYTES, &block);
        fill_randomly(cells, MAX_BYTES, shift);
        for (uint64_t j = 0; j < MAX_BITS; j++)
            assert_int_equal(contains_one(cells, j), reference_bit(cells, j));
        for (uint32_t hash_count = 1; hash_count <= 8; hash_count++) {
            enum { KEYS = 300 };
            uint64_t positions[KEYS * 8];
            uint8_t noise[KEYS * 8 * 2];
            fill_randomly(noise, sizeof noise, hash_count + 100);
            for (size_t i = 0; i < KEYS * hash_count; i++)
                positions[i] = (noise[2 * i] | (uint64_t)noise[2 * i + 1] << 8) % MAX_BITS;
            for (size_t j = 0; j < KEYS; j++) {
                int expected = 1;
                for (size_t i = 0; i < hash_count; i++)
                    expected &= reference_bit(cells, positions[j * hash_count + i]);
                assert_int_equal(flat->contains(cells, positions + j * hash_count, hash_count),
                                 expected);
            }
        }
        free(block);
    }
}

static void test_contains_misses_any_one_bit(void **state)
{
    uint64_t positions[255];
    uint8_t cells[MAX_BYTES];
    (void)state;
    for (uint64_t i = 0; i < 255; i++)
        positions[i] = i * 4 + 1;
    memset(cells, 0xFF, sizeof cells);
    assert_true(flat->contains(cells, positions, 255));
    for (size_t i = 0; i < 255; i++) {
        uint8_t bit = (uint8_t)(1u << positions[i] % 8);
        cells[positions[i] / 8] ^= bit;
        assert_false(flat->contains(cells, positions, 255));
        cells[positions[i] / 8] ^= bit;
    }
}

/* At every alignment, for every size, whatever lies past the last bit. */
static void test_bits_set(void **state)
{
    (void)state;
    for (size_t shift = 0; shift < SHIFTS; shift++)
        for (uint64_t bit_count = 1; bit_count <= 330; bit_count++) {
            size_t size = (size_t)flat->payload_size(bit_count);
            uint8_t *block;
            uint8_t *cells = cells_at(shift, size, &block);
            assert_int_equal(flat->bits_set(cells, bit_count), 0);
            fill_randomly(cells, size, bit_count);
            assert_int_equal(flat->bits_set(cells, bit_count), reference_count(cells, bit_count));
            memset(cells, 0xFF, size);
            assert_int_equal(flat->bits_set(cells, bit_count), bit_count);
            free(block);
        }
}

static void test_padding(void **state)
{
    (void)state;
    for (size_t shift = 0; shift < SHIFTS; shift++)
        for (uint64_t bit_count = 1; bit_count <= 200; bit_count++) {
            size_t size = (size_t)flat->payload_size(bit_count);
            uint8_t *block;
            uint8_t *cells = cells_at(shift, size, &block);
            for (uint64_t position = 0; position < bit_count; position++)
                add_one(cells, position);
            assert_true(flat->is_padded_with_zeros(cells, bit_count));
            for (uint64_t position = bit_count; position < size * 8; position++) {
                uint8_t bit = (uint8_t)(1u << position % 8);
                cells[position / 8] |= bit;
                assert_false(flat->is_padded_with_zeros(cells, bit_count));
                assert_int_equal(flat->bits_set(cells, bit_count), bit_count);
                cells[position / 8] ^= bit;
            }
            assert_true(flat->is_padded_with_zeros(cells, bit_count));
            free(block);
        }
}

typedef void combine(uint8_t *into, const uint8_t *from, uint64_t size);

static void check_combine(combine *combine_cells, int is_union, size_t size, size_t into_shift,
                          size_t from_shift)
{
    uint8_t *blocks[4];
    uint8_t *into = cells_at(into_shift, size, &blocks[0]);
    uint8_t *from = cells_at(from_shift, size, &blocks[1]);
    uint8_t *expected = cells_at(0, size, &blocks[2]);
    uint8_t *from_before = cells_at(0, size, &blocks[3]);

    fill_randomly(into, size, size + 1);
    fill_randomly(from, size, size + 2);
    memcpy(from_before, from, size);
    for (size_t i = 0; i < size; i++)
        expected[i] = is_union ? into[i] | from[i] : into[i] & from[i];
    combine_cells(into, from, size);
    assert_memory_equal(into, expected, size);
    assert_memory_equal(from, from_before, size);
    combine_cells(into, into, size); /* of itself: no change */
    assert_memory_equal(into, expected, size);
    for (size_t i = 0; i < 4; i++)
        free(blocks[i]);
}

static void test_unite_and_intersect(void **state)
{
    (void)state;
    for (size_t size = 8; size <= 264; size += 8)
        for (size_t shifts = 0; shifts < SHIFTS * SHIFTS; shifts += 3) {
            check_combine(flat->unite, 1, size, shifts / SHIFTS, shifts % SHIFTS);
            check_combine(flat->intersect, 0, size, shifts / SHIFTS, shifts % SHIFTS);
        }
    check_combine(flat->unite, 1, 1 << 20, 0, 0);
    check_combine(flat->intersect, 0, 1 << 20, 0, 0);
}

/* ---- what work on groups of keys fetches */

enum { FETCH_BITS = 65536 };

static uint8_t fetch_cells[FETCH_BITS / 8];
static unsigned fetched[FETCH_BITS / 8];
static unsigned fetched_in_all;

static void note_fetched(const uint8_t *byte)
{
    assert_true(byte >= fetch_cells && byte < fetch_cells + sizeof fetch_cells);
    fetched[byte - fetch_cells]++;
    fetched_in_all++;
}

/* Key j has the positions 8 * (500 * j + i), and those of keys that are not there lie outside. */
static void assert_fetches_its_keys(unsigned keys, uint32_t hash_count, enum flat_task task)
{
    static uint64_t positions[FLAT_GROUP * BLOOMFILTER_MAX_HASH_COUNT];
    struct flat_work work = {.cells = fetch_cells,
                             .task = task,
                             .hash_count = hash_count,
                             .ahead = positions,
                             .ahead_count = keys};
    for (uint64_t j = 0; j < FLAT_GROUP; j++)
        for (uint64_t i = 0; i < hash_count; i++)
            positions[i * FLAT_GROUP + j] = j < keys ? 8 * (500 * j + i) : UINT64_MAX;
    memset(fetched, 0, sizeof fetched);
    fetched_in_all = 0;
    flat_work_finish(&work);
    assert_int_equal(fetched_in_all, keys * hash_count);
    for (uint64_t j = 0; j < keys; j++)
        for (uint64_t i = 0; i < hash_count; i++)
            assert_int_equal(fetched[500 * j + i], 1);
}

static void test_groups_fetch_the_cells_of_their_keys(void **state)
{
    const uint32_t hash_counts[] = {1, 7, 32, 85, 255};
    (void)state;
    for (unsigned keys = 0; keys <= FLAT_GROUP; keys++)
        for (size_t i = 0; i < sizeof hash_counts / sizeof hash_counts[0]; i++)
            for (int task = FLAT_ASK; task <= FLAT_SET_ALONE; task++)
                assert_fetches_its_keys(keys, hash_counts[i], (enum flat_task)task);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_registry),
        cmocka_unit_test(test_payload_size),
        cmocka_unit_test(test_bit_order),
        cmocka_unit_test(test_last_bit),
        cmocka_unit_test(test_add_tells_what_was_new),
        cmocka_unit_test(test_adding_every_bit),
        cmocka_unit_test(test_contains),
        cmocka_unit_test(test_contains_misses_any_one_bit),
        cmocka_unit_test(test_bits_set),
        cmocka_unit_test(test_padding),
        cmocka_unit_test(test_unite_and_intersect),
        cmocka_unit_test(test_groups_fetch_the_cells_of_their_keys),
    };
    return cmocka_run_group_tests(tests, find_layout, NULL);
}
