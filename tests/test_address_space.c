/* SPDX-License-Identifier: MIT */
/*
 * Filters that no address space of 32 bits holds. There, each way to one is refused with ETOOLARGE;
 * where addresses have 64 bits, the same files are opened in place. Their files are sparse: a
 * header, and zeros that take no room on the disk.
 */
#include "support.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "serializer/format.h"
#include "serializer/serializer.h"
#include "support/bytes.h"

static const bool is_32_bit = SIZE_MAX == UINT32_MAX;

enum { FEW = 1216 };

/* Bytes of cells: too many for a pointer difference; 2^32 and few more, which are few if they are cut
 * to 32 bits. */
static const uint64_t payload_sizes[] = {(uint64_t)1 << 31, (uint64_t)3 << 30,
                                         ((uint64_t)1 << 32) + FEW};

struct kind {
    uint32_t hash;
    uint32_t layout;
};

static const struct kind kinds[] = {{BLOOMFILTER_HASH_BLAKE2B_PAIR, BLOOMFILTER_LAYOUT_FLAT},
                                    {BLOOMFILTER_HASH_XXH64, BLOOMFILTER_LAYOUT_SPLIT_BLOCK}};

static void for_each_size(void (*check)(const struct kind *kind, uint64_t payload_size))
{
    for (size_t k = 0; k < sizeof kinds / sizeof kinds[0]; k++)
        for (size_t i = 0; i < sizeof payload_sizes / sizeof payload_sizes[0]; i++)
            check(&kinds[k], payload_sizes[i]);
}

/* Of that many bits, or of as many as the capacity takes if there are none given. */
static bloomfilter_options options_for(const struct kind *kind, uint64_t capacity,
                                       uint64_t bit_count)
{
    bloomfilter_options options = BLOOMFILTER_OPTIONS_INIT;
    options.capacity = capacity;
    options.target_fpr = 0.01;
    options.bit_count = bit_count;
    options.hash = kind->hash;
    options.layout = kind->layout;
    return options;
}

/* The header of a file of that many bytes of cells. Its body digest is not theirs. */
static void make_header(uint8_t header[HEADER_SIZE], const struct kind *kind, uint64_t payload_size)
{
    size_t size;
    bloomfilter_options options = options_for(kind, 1000, 0);
    bloomfilter *small = created(&options);
    uint8_t *bytes = serialized(small, &size);
    memcpy(header, bytes, HEADER_SIZE);
    free(bytes);
    bloomfilter_free(small);
    bytes_store_le(header + 32, payload_size * 8, 8); /* bit_count */
    bytes_store_le(header + 128, payload_size, 8);
    bloomfilter_format_header_tag(header, HEADER_SIZE, NULL, header + HEADER_SIZE - 16);
}

/* ---- New filters ---- */

static void check_create(const struct kind *kind, uint64_t payload_size)
{
    bloomfilter_options options = options_for(kind, payload_size, payload_size * 8);
    bloomfilter_info info = BLOOMFILTER_INFO_INIT;
    bloomfilter *filter = (bloomfilter *)&options;
    if (is_32_bit) {
        assert_int_equal(bloomfilter_plan(&options, &info), BLOOMFILTER_ETOOLARGE);
        assert_int_equal(bloomfilter_create(&filter, &options), BLOOMFILTER_ETOOLARGE);
        assert_null(filter);
        options = options_for(kind, payload_size, 0);
        assert_int_equal(bloomfilter_plan(&options, &info), BLOOMFILTER_ETOOLARGE);
        assert_int_equal(bloomfilter_create(&filter, &options), BLOOMFILTER_ETOOLARGE);
        assert_null(filter);
        assert_int_equal(bloomfilter_new(&filter, payload_size, 0.01), BLOOMFILTER_ETOOLARGE);
        assert_null(filter);
    } else {
        assert_int_equal(bloomfilter_plan(&options, &info), 0);
        assert_int_equal(info.bit_count, payload_size * 8);
        assert_true(info.memory_bytes >= payload_size);
    }
}

static void test_create(void **state)
{
    (void)state;
    for_each_size(check_create);
}

/* ---- Files ---- */

static const char *make_sparse_file(const struct kind *kind, uint64_t payload_size)
{
    uint8_t header[HEADER_SIZE];
    const char *path = path_in(make_temporary_directory(), "sparse.bloom");
    make_header(header, kind, payload_size);
    write_path(path, header, sizeof header);
    assert_int_equal(truncate(path, (off_t)(HEADER_SIZE + payload_size)), 0);
    return path;
}

static void remove_sparse_file(char *path)
{
    assert_int_equal(unlink(path), 0);
    *strrchr(path, '/') = '\0';
    assert_int_equal(rmdir(path), 0);
    free(path);
}

static void check_map(const char *path, uint64_t payload_size)
{
    bloomfilter *filter = (bloomfilter *)&payload_size;
    int code = bloomfilter_map(&filter, path, NULL);
    if (is_32_bit) {
        assert_int_equal(code, BLOOMFILTER_ETOOLARGE);
        assert_null(filter);
    } else {
        uint64_t size;
        assert_int_equal(code, 0);
        assert_int_equal(bloomfilter_serialized_size(filter, &size), 0);
        assert_int_equal(size, HEADER_SIZE + payload_size);
        assert_false(bloomfilter_contains(filter, "alice", 5));
        bloomfilter_free(filter);
    }
}

static void check_load(const char *path)
{
    bloomfilter_load_options limit = BLOOMFILTER_LOAD_OPTIONS_INIT;
    bloomfilter *filter = (bloomfilter *)&limit;
    limit.max_bytes = UINT32_MAX / 4;
    assert_int_equal(bloomfilter_load(&filter, path, &limit), BLOOMFILTER_ETOOLARGE);
    assert_null(filter);
    if (is_32_bit) { /* else it might be read */
        assert_int_equal(bloomfilter_load(&filter, path, NULL), BLOOMFILTER_ETOOLARGE);
        assert_null(filter);
    }
}

static void check_file(const struct kind *kind, uint64_t payload_size)
{
    char *path = strdup(make_sparse_file(kind, payload_size));
    check_map(path, payload_size);
    check_load(path);
    remove_sparse_file(path);
}

static void test_files(void **state)
{
    (void)state;
    for_each_size(check_file);
}

/* The block of `user:42`, whose hash docs/format.md tells, in a filter of 8 GiB: 6.9 GiB away. */
static void test_a_block_far_away(void **state)
{
    static const unsigned bits[8] = {22, 9, 1, 5, 20, 12, 4, 13};
    const uint64_t payload_size = (uint64_t)1 << 33;
    const uint64_t block = 230817447; /* 0xdc1fea7d * 2^28 / 2^32 */
    uint8_t words[32] = {0};
    bloomfilter *filter;
    (void)state;
    if (is_32_bit)
        return;
    char *path = strdup(make_sparse_file(&kinds[1], payload_size));
    for (size_t i = 0; i < 8; i++)
        words[4 * i + bits[i] / 8] = (uint8_t)(1u << bits[i] % 8);
    int file = open(path, O_WRONLY);
    assert_true(file >= 0);
    assert_int_equal(pwrite(file, words, sizeof words, (off_t)(HEADER_SIZE + block * 32)), 32);
    assert_int_equal(close(file), 0);
    assert_int_equal(bloomfilter_map(&filter, path, NULL), 0);
    assert_true(bloomfilter_contains(filter, "user:42", 7));
    assert_false(bloomfilter_contains(filter, "alice", 5));
    bloomfilter_free(filter);
    remove_sparse_file(path);
}

/* ---- Bytes ---- */

/* The sizes that a header tells are compared with those that are there, all 64 bits of them. */
static void check_bytes(const struct kind *kind, uint64_t payload_size)
{
    uint8_t bytes[HEADER_SIZE + FEW] = {0};
    bloomfilter_info info = BLOOMFILTER_INFO_INIT;
    bloomfilter *filter = (bloomfilter *)&info;
    make_header(bytes, kind, payload_size);
    assert_int_equal(bloomfilter_peek(bytes, sizeof bytes, &info), 0);
    assert_int_equal(info.memory_bytes, HEADER_SIZE + payload_size);
    assert_int_equal(bloomfilter_view(&filter, bytes, sizeof bytes, NULL), BLOOMFILTER_EDAMAGED);
    assert_null(filter);
    assert_int_equal(bloomfilter_deserialize(&filter, bytes, sizeof bytes, NULL),
                     BLOOMFILTER_EDAMAGED);
    assert_null(filter);
}

static void test_bytes(void **state)
{
    (void)state;
    for_each_size(check_bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_create),
        cmocka_unit_test(test_files),
        cmocka_unit_test(test_a_block_far_away),
        cmocka_unit_test(test_bytes),
    };
    return RUN(tests);
}
