/* SPDX-License-Identifier: MIT */
/*
 * The reader, by every way in: peek, view, deserialize, and map and load of a file. Whatever the
 * bytes are, the ways agree, and what opens can be used.
 */
#include "fuzz.h"

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "bloomfilter.h"

/* The secret of the seeds that have one (generate_seeds.py). */
static const uint8_t secret[32] = {0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14, 15,
                                   16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31};

static bloomfilter_load_options options_with(int keyed)
{
    bloomfilter_load_options options = BLOOMFILTER_LOAD_OPTIONS_INIT;
    if (keyed) {
        options.secret = secret;
        options.secret_size = sizeof secret;
    }
    return options;
}

/* Does with a filter what an application may. */
static void use(bloomfilter *filter)
{
    bloomfilter_info info = BLOOMFILTER_INFO_INIT;
    const void *metadata;
    size_t metadata_size;
    volatile uint8_t sum = 0;

    REQUIRE(bloomfilter_get_info(filter, &info) == 0);
    REQUIRE(info.bits_set <= info.bit_count);
    REQUIRE(info.expected_fpr >= 0 && info.expected_fpr <= 1);
    REQUIRE(info.current_fpr >= 0 && info.current_fpr <= 1);
    bloomfilter_contains(filter, "alice", 5);
    REQUIRE(bloomfilter_get_metadata(filter, &metadata, &metadata_size) == 0);
    for (size_t i = 0; i < metadata_size; i++)
        sum = (uint8_t)(sum + ((const uint8_t *)metadata)[i]);
    if (info.flags & BLOOMFILTER_FLAG_READ_ONLY) {
        REQUIRE(bloomfilter_add(filter, "bob", 3) == BLOOMFILTER_EREADONLY);
        return;
    }
    REQUIRE(bloomfilter_add(filter, "bob", 3) >= 0);
    REQUIRE(bloomfilter_contains(filter, "bob", 3));
}

/* What was read is written, read again, and the same. */
static void round_trip(const bloomfilter *filter, const bloomfilter_load_options *options)
{
    uint64_t size;
    bloomfilter *again;
    REQUIRE(bloomfilter_serialized_size(filter, &size) == 0);
    uint8_t *bytes = malloc((size_t)size);
    uint8_t *second = malloc((size_t)size);
    REQUIRE(bytes != NULL && second != NULL);
    REQUIRE(bloomfilter_serialize(filter, bytes, (size_t)size) == 0);
    REQUIRE(bloomfilter_deserialize(&again, bytes, (size_t)size, options) == 0);
    REQUIRE(bloomfilter_serialize(again, second, (size_t)size) == 0);
    REQUIRE(memcmp(bytes, second, (size_t)size) == 0);
    bloomfilter_free(again);
    free(bytes);
    free(second);
}

static int open_in_memory(const uint8_t *data, size_t size, const bloomfilter_load_options *options)
{
    bloomfilter *filter;
    int viewed = bloomfilter_view(&filter, data, size, options);
    if (viewed == 0) {
        use(filter);
        viewed = bloomfilter_verify(filter);
        bloomfilter_free(filter);
    }
    int copied = bloomfilter_deserialize(&filter, data, size, options);
    REQUIRE(copied == viewed);
    if (copied == 0) {
        round_trip(filter, options);
        use(filter);
        bloomfilter_free(filter);
    }
    return copied;
}

static void open_file(const char *path, const bloomfilter_load_options *options, int expected)
{
    bloomfilter *filter;
    int mapped = bloomfilter_map(&filter, path, options);
    if (mapped == 0) {
        use(filter);
        mapped = bloomfilter_verify(filter);
        bloomfilter_free(filter);
    }
    REQUIRE(mapped == expected);
    int loaded = bloomfilter_load(&filter, path, options);
    REQUIRE(loaded == expected);
    if (loaded == 0)
        use(filter);
    bloomfilter_free(filter);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    bloomfilter_info info = BLOOMFILTER_INFO_INIT;
    char path[64];
    int file = memfd_create("fuzz", 0);
    REQUIRE(file >= 0);
    REQUIRE(write(file, data, size) == (ssize_t)size);
    snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    int peeked = bloomfilter_peek(data, size, &info);
    for (int keyed = 0; keyed < 2; keyed++) {
        bloomfilter_load_options options = options_with(keyed);
        int code = open_in_memory(data, size, &options);
        REQUIRE(code != 0 || peeked == 0);
        open_file(path, &options, code);
    }
    close(file);
    return 0;
}
