/* SPDX-License-Identifier: MIT */
/* What the header promises of files, bytes, metadata, secrets, and of memory that runs out. */
#include "support.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "allocations.h"
#include "handle/handle.h"

#define COUNT_OF(array) (sizeof(array) / sizeof(array)[0])
#define OPTIONS(...)                                                                               \
    {                                                                                              \
        .struct_size = sizeof(bloomfilter_options), __VA_ARGS__                                    \
    }
#define LOAD_OPTIONS(...)                                                                          \
    {                                                                                              \
        .struct_size = sizeof(bloomfilter_load_options), __VA_ARGS__                               \
    }

/* What the library may take beside the bytes of a file: "a few kilobytes". */
enum { A_FEW_KILOBYTES = 8192 };

static const uint8_t secret[BLOOMFILTER_MAX_SECRET_SIZE + 1] =
    "a secret of 65 bytes, of which tests take as many as they need: .";

static const bloomfilter_load_options with_secret =
    LOAD_OPTIONS(.secret = secret, .secret_size = 32);

/* An address that no filter has: shows whether *out was set. */
static bloomfilter *const poison = (bloomfilter *)(uintptr_t)&secret;

/* Every scheme, keyed where it can be; bits that end inside, at and behind a word; blocks. */
static const bloomfilter_options shapes[] = {
    OPTIONS(.capacity = 1000, .target_fpr = 0.01),
    OPTIONS(.bit_count = 1, .hash_count = 1),
    OPTIONS(.capacity = 100, .target_fpr = 0.01, .bit_count = 1023, .hash_count = 2),
    OPTIONS(.capacity = 100, .target_fpr = 0.01, .bit_count = 1024, .hash_count = 7, .hash = 2),
    OPTIONS(.capacity = 100, .target_fpr = 0.01, .bit_count = 1025, .hash_count = 255),
    OPTIONS(.capacity = 500, .target_fpr = 0.001, .hash = 3, .seed = 12345),
    OPTIONS(.capacity = 500, .target_fpr = 0.001, .secret = secret, .secret_size = 32),
    OPTIONS(.capacity = 500, .target_fpr = 0.001, .hash = 2, .secret = secret, .secret_size = 32),
    OPTIONS(.capacity = 100000, .target_fpr = 0.01), /* a body of two leaves */
    OPTIONS(.capacity = 500, .target_fpr = 0.001, .hash = 4),
    OPTIONS(.capacity = 500, .target_fpr = 0.001, .hash = 4, .secret = secret, .secret_size = 32),
    OPTIONS(.capacity = 500, .target_fpr = 0.001, .hash = 5, .layout = 2),
    OPTIONS(.bit_count = 256, .hash = 5, .layout = 2),
    OPTIONS(.capacity = 500, .target_fpr = 0.001, .hash = 4, .layout = 2, .secret = secret,
            .secret_size = 32),
};

static const bloomfilter_load_options *options_for(const bloomfilter_options *shape)
{
    return shape->secret_size != 0 ? &with_secret : NULL;
}

/* ---- A filter as a file and as bytes, and the ways to open it */

struct saved {
    char directory[4096];
    char path[4200];
    uint8_t *bytes;
    size_t size;
};

static void write_saved(const struct saved *saved)
{
    write_path(saved->path, saved->bytes, saved->size);
}

static struct saved saved_from(const bloomfilter *filter)
{
    struct saved saved;
    snprintf(saved.directory, sizeof saved.directory, "%s", make_temporary_directory());
    snprintf(saved.path, sizeof saved.path, "%s", path_in(saved.directory, "filter.bloom"));
    saved.bytes = serialized(filter, &saved.size);
    assert_int_equal(bloomfilter_save(filter, saved.path), 0);
    return saved;
}

static void forget(struct saved *saved)
{
    remove_tree(saved->directory);
    free(saved->bytes);
}

typedef int open_filter(bloomfilter **out, const struct saved *saved,
                        const bloomfilter_load_options *options);

static int load_it(bloomfilter **out, const struct saved *saved,
                   const bloomfilter_load_options *options)
{
    return bloomfilter_load(out, saved->path, options);
}

static int deserialize_it(bloomfilter **out, const struct saved *saved,
                          const bloomfilter_load_options *options)
{
    return bloomfilter_deserialize(out, saved->bytes, saved->size, options);
}

static int map_it(bloomfilter **out, const struct saved *saved,
                  const bloomfilter_load_options *options)
{
    return bloomfilter_map(out, saved->path, options);
}

static int view_it(bloomfilter **out, const struct saved *saved,
                   const bloomfilter_load_options *options)
{
    return bloomfilter_view(out, saved->bytes, saved->size, options);
}

/* Writes the bytes into a named pipe from another process, and loads them. */
static int load_through_pipe(bloomfilter **out, const struct saved *saved,
                             const bloomfilter_load_options *options)
{
    char fifo[4200];
    int status;
    snprintf(fifo, sizeof fifo, "%s", path_in(saved->directory, "fifo"));
    unlink(fifo);
    assert_int_equal(mkfifo(fifo, 0600), 0);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        FILE *file = fopen(fifo, "wb");
        if (file != NULL)
            fwrite(saved->bytes, 1, saved->size, file);
        _exit(file == NULL || fclose(file) != 0);
    }
    largest_allocation = 0;
    int code = bloomfilter_load(out, fifo, options);
    assert_int_equal(waitpid(child, &status, 0), child);
    return code;
}

struct way {
    const char *name;
    open_filter *open;
    bool is_in_place;
};

static const struct way ways[] = {{"load", load_it, false},
                                  {"deserialize", deserialize_it, false},
                                  {"map", map_it, true},
                                  {"view", view_it, true}};

enum { WAYS = 4, FIRST_IN_PLACE = 2 };

static bloomfilter *opened(const struct way *way, const struct saved *saved,
                           const bloomfilter_load_options *options)
{
    bloomfilter *filter = poison;
    int code = way->open(&filter, saved, options);
    if (code != 0 || filter == NULL)
        fail_msg("%s: %d", way->name, code);
    return filter;
}

static void assert_refuses(const struct way *way, const struct saved *saved,
                           const bloomfilter_load_options *options, int expected)
{
    bloomfilter *filter = poison;
    int code = way->open(&filter, saved, options);
    if (code != expected || filter != NULL)
        fail_msg("%s: %d, not %d; *out is %p", way->name, code, expected, (void *)filter);
}

static void assert_all_refuse(const struct saved *saved, const bloomfilter_load_options *options,
                              int expected)
{
    for (size_t i = 0; i < WAYS; i++)
        assert_refuses(&ways[i], saved, options, expected);
}

/* A filter with something in every field. */
static bloomfilter *sample_of(const bloomfilter_options *shape)
{
    bloomfilter *filter = created(shape);
    add_numbered(filter, "user:", 0, 300);
    assert_int_equal(bloomfilter_measure_fpr(filter, 1000, 5, NULL), 0);
    assert_int_equal(bloomfilter_set_metadata(filter, "keys: NFC, lower case", 21), 0);
    return filter;
}

static struct saved saved_sample(const bloomfilter_options *shape)
{
    bloomfilter *filter = sample_of(shape);
    struct saved saved = saved_from(filter);
    bloomfilter_free(filter);
    return saved;
}

/* ---- Round trips */

static void test_a_saved_file_holds_the_serialized_bytes(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(shapes); i++) {
        struct saved saved = saved_sample(&shapes[i]);
        size_t size;
        uint8_t *bytes = read_path(saved.path, &size);
        assert_int_equal(size, saved.size);
        assert_memory_equal(bytes, saved.bytes, size);
        free(bytes);
        forget(&saved);
    }
}

static void assert_same_info(const bloomfilter *filter, const bloomfilter *original,
                             bool is_in_place)
{
    bloomfilter_info a = info_of(filter);
    bloomfilter_info b = info_of(original);
    assert_int_equal(a.flags, b.flags | (is_in_place ? BLOOMFILTER_FLAG_READ_ONLY : 0u));
    a.flags = b.flags = 0;
    a.memory_bytes = b.memory_bytes = 0;
    assert_memory_equal(&a, &b, offsetof(bloomfilter_info, rebuild) + sizeof a.rebuild);
}

static void test_every_way_in_gives_the_filter_that_was_saved(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(shapes); i++) {
        bloomfilter *original = sample_of(&shapes[i]);
        struct saved saved = saved_from(original);
        for (size_t j = 0; j < WAYS; j++) {
            bloomfilter *filter = opened(&ways[j], &saved, options_for(&shapes[i]));
            assert_contains_numbered(filter, "user:", 0, 300);
            assert_same_info(filter, original, ways[j].is_in_place);
            assert_bytes_are(filter, saved.bytes, saved.size);
            assert_int_equal(bloomfilter_compatible(filter, original), 1);
            assert_int_equal(bloomfilter_verify(filter), 0);
            bloomfilter_free(filter);
        }
        bloomfilter_free(original);
        forget(&saved);
    }
}

static void test_an_empty_filter_survives_every_way(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(shapes); i++) {
        bloomfilter *original = created(&shapes[i]);
        struct saved saved = saved_from(original);
        for (size_t j = 0; j < WAYS; j++) {
            bloomfilter *filter = opened(&ways[j], &saved, options_for(&shapes[i]));
            assert_false(bloomfilter_contains(filter, "user:0", 6));
            assert_bytes_are(filter, saved.bytes, saved.size);
            bloomfilter_free(filter);
        }
        bloomfilter_free(original);
        forget(&saved);
    }
}

static void test_saturated_insert_count_is_saved(void **state)
{
    bloomfilter *filter = new_filter(100, 0.01);
    (void)state;
    add_numbered(filter, "user:", 0, 1);
    for (unsigned i = 0; i < 64; i++) {
        bloomfilter *copy = copy_of(filter);
        assert_int_equal(bloomfilter_union(filter, copy), 0);
        bloomfilter_free(copy);
    }
    struct saved saved = saved_from(filter);
    for (size_t i = 0; i < WAYS; i++) {
        bloomfilter *again = opened(&ways[i], &saved, NULL);
        assert_true(info_of(again).insert_count == UINT64_MAX);
        assert_bytes_are(again, saved.bytes, saved.size);
        bloomfilter_free(again);
    }
    bloomfilter_free(filter);
    forget(&saved);
}

static void test_measurement_is_saved(void **state)
{
    bloomfilter *filter = new_filter(100, 0.2);
    double fpr;
    (void)state;
    add_numbered(filter, "user:", 0, 100);
    assert_int_equal(bloomfilter_measure_fpr(filter, 12345, 5, &fpr), 0);
    struct saved saved = saved_from(filter);
    for (size_t i = 0; i < WAYS; i++) {
        bloomfilter *again = opened(&ways[i], &saved, NULL);
        assert_true(info_of(again).measured_fpr == fpr);
        assert_int_equal(info_of(again).measured_probes, 12345);
        bloomfilter_free(again);
    }
    bloomfilter_free(filter);
    forget(&saved);
}

static void test_loaded_filters_go_on_like_the_original(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(shapes); i++) {
        bloomfilter *original = sample_of(&shapes[i]);
        struct saved saved = saved_from(original);
        add_numbered(original, "item:", 0, 100);
        for (size_t j = 0; j < FIRST_IN_PLACE; j++) {
            bloomfilter *filter = opened(&ways[j], &saved, options_for(&shapes[i]));
            add_numbered(filter, "item:", 0, 100);
            assert_same_filter(filter, original);
            assert_int_equal(bloomfilter_verify(filter), 0);
            bloomfilter_free(filter);
        }
        bloomfilter_free(original);
        forget(&saved);
    }
}

static void test_a_loaded_filter_can_be_cleared_and_combined(void **state)
{
    struct saved saved = saved_sample(&shapes[0]);
    bloomfilter *fresh = created(&shapes[0]);
    (void)state;
    assert_int_equal(bloomfilter_set_metadata(fresh, "keys: NFC, lower case", 21), 0);
    for (size_t i = 0; i < FIRST_IN_PLACE; i++) {
        bloomfilter *filter = opened(&ways[i], &saved, NULL);
        bloomfilter *other = opened(&ways[i], &saved, NULL);
        assert_int_equal(bloomfilter_union(filter, other), 0);
        assert_int_equal(info_of(filter).insert_count, 600);
        bloomfilter_clear(filter);
        assert_same_filter(filter, fresh);
        bloomfilter_free(filter);
        bloomfilter_free(other);
    }
    bloomfilter_free(fresh);
    forget(&saved);
}

static void test_copies_no_longer_need_what_they_came_from(void **state)
{
    struct saved saved = saved_sample(&shapes[0]);
    (void)state;
    bloomfilter *loaded = opened(&ways[0], &saved, NULL);
    bloomfilter *deserialized = opened(&ways[1], &saved, NULL);
    bloomfilter *original = copy_of(loaded);
    memset(saved.bytes, 0xff, saved.size);
    write_saved(&saved);
    assert_same_filter(loaded, original);
    assert_same_filter(deserialized, original);
    assert_int_equal(truncate(saved.path, 0), 0);
    assert_same_filter(loaded, original);
    bloomfilter_free(loaded);
    bloomfilter_free(deserialized);
    bloomfilter_free(original);
    forget(&saved);
}

static void test_the_copy_of_a_mapped_or_viewed_filter_can_be_changed(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(shapes); i++) {
        struct saved saved = saved_sample(&shapes[i]);
        for (size_t j = FIRST_IN_PLACE; j < WAYS; j++) {
            bloomfilter *filter = opened(&ways[j], &saved, options_for(&shapes[i]));
            bloomfilter *copy = copy_of(filter);
            assert_bytes_are(copy, saved.bytes, saved.size);
            assert_int_equal(info_of(copy).flags & BLOOMFILTER_FLAG_READ_ONLY, 0);
            add_numbered(copy, "item:", 0, 100);
            assert_int_equal(bloomfilter_set_metadata(copy, "new", 3), 0);
            assert_bytes_are(filter, saved.bytes, saved.size);
            bloomfilter_free(filter);
            memset(saved.bytes, 0, saved.size); /* nobody looks there now */
            assert_contains_numbered(copy, "user:", 0, 300);
            assert_contains_numbered(copy, "item:", 0, 100);
            bloomfilter_free(copy);
            write_path(saved.path, "", 0);
            forget(&saved);
            saved = saved_sample(&shapes[i]);
        }
        forget(&saved);
    }
}

static void test_a_mapped_filter_outlives_the_replacing_of_its_file(void **state)
{
    struct saved saved = saved_sample(&shapes[0]);
    bloomfilter *other = new_filter(10, 0.1);
    (void)state;
    bloomfilter *mapped = opened(&ways[2], &saved, NULL);
    assert_int_equal(bloomfilter_save(other, saved.path), 0);
    assert_contains_numbered(mapped, "user:", 0, 300);
    assert_bytes_are(mapped, saved.bytes, saved.size);
    assert_int_equal(bloomfilter_verify(mapped), 0);
    assert_int_equal(bloomfilter_save(mapped, saved.path), 0); /* and can be put back */
    bloomfilter *loaded = opened(&ways[0], &saved, NULL);
    assert_bytes_are(loaded, saved.bytes, saved.size);
    bloomfilter_free(loaded);
    bloomfilter_free(mapped);
    bloomfilter_free(other);
    forget(&saved);
}

static void test_a_mapped_filter_can_be_saved_over_its_own_file(void **state)
{
    struct saved saved = saved_sample(&shapes[0]);
    (void)state;
    bloomfilter *mapped = opened(&ways[2], &saved, NULL);
    assert_int_equal(bloomfilter_save(mapped, saved.path), 0);
    assert_bytes_are(mapped, saved.bytes, saved.size);
    bloomfilter_free(mapped);
    bloomfilter *loaded = opened(&ways[0], &saved, NULL);
    assert_bytes_are(loaded, saved.bytes, saved.size);
    bloomfilter_free(loaded);
    forget(&saved);
}

static void test_a_view_needs_no_alignment(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(shapes); i++) {
        struct saved saved = saved_sample(&shapes[i]);
        for (size_t shift = 1; shift < 64; shift += 6) {
            bloomfilter *filter;
            uint8_t *bytes = malloc(saved.size + shift);
            memcpy(bytes + shift, saved.bytes, saved.size);
            assert_int_equal(
                bloomfilter_view(&filter, bytes + shift, saved.size, options_for(&shapes[i])), 0);
            assert_contains_numbered(filter, "user:", 0, 300);
            assert_int_equal(bloomfilter_verify(filter), 0);
            assert_bytes_are(filter, saved.bytes, saved.size);
            bloomfilter *copy = copy_of(filter);
            assert_int_equal(info_of(filter).bits_set, info_of(copy).bits_set);
            assert_int_equal(bloomfilter_union(copy, filter), 0);
            assert_int_equal(bloomfilter_intersect(copy, filter), 0);
            assert_int_equal(info_of(filter).bits_set, info_of(copy).bits_set);
            bloomfilter_free(copy);
            bloomfilter_free(filter);
            free(bytes);
        }
        forget(&saved);
    }
}

static void test_memory_bytes_of_opened_filters_count_what_they_hold(void **state)
{
    bloomfilter *original = new_filter(100000, 0.01);
    bloomfilter_options plan = OPTIONS(.capacity = 100000, .target_fpr = 0.01);
    bloomfilter_info planned = BLOOMFILTER_INFO_INIT;
    struct saved saved = saved_from(original);
    (void)state;
    assert_int_equal(bloomfilter_plan(&plan, &planned), 0);
    for (size_t i = 0; i < WAYS; i++) {
        bloomfilter *filter = opened(&ways[i], &saved, NULL);
        uint64_t bytes = info_of(filter).memory_bytes;
        assert_true(bytes >= saved.size - 192);
        assert_true(bytes <= saved.size + A_FEW_KILOBYTES);
        bloomfilter_free(filter);
    }
    bloomfilter_free(original);
    forget(&saved);
}

/* ---- Serialize */

static void test_serialize_writes_exactly_the_serialized_size(void **state)
{
    uint64_t serialized_size = 1;
    const size_t size = 256 + 1200; /* header, metadata, zeros; 9586 bits in 150 words */
    bloomfilter *filter = sample_of(&shapes[0]);
    (void)state;
    assert_int_equal(bloomfilter_serialized_size(filter, &serialized_size), 0);
    assert_int_equal(serialized_size, size);
    uint8_t *exact = malloc(size);
    uint8_t *roomy = malloc(size + 100);
    memset(roomy, 0xa5, size + 100);
    assert_int_equal(bloomfilter_serialize(filter, exact, size), 0);
    assert_int_equal(bloomfilter_serialize(filter, roomy, size + 100), 0);
    assert_memory_equal(exact, roomy, size);
    for (size_t i = 0; i < 100; i++)
        assert_int_equal(roomy[size + i], 0xa5);
    free(exact);
    free(roomy);
    bloomfilter_free(filter);
}

static void test_serialize_refuses_too_little_room_and_writes_nothing(void **state)
{
    uint8_t buffer[2000];
    uint8_t untouched[2000];
    uint64_t size;
    bloomfilter *filter = sample_of(&shapes[0]);
    (void)state;
    memset(buffer, 0xa5, sizeof buffer);
    memset(untouched, 0xa5, sizeof untouched);
    assert_int_equal(bloomfilter_serialized_size(filter, &size), 0);
    assert_int_equal(bloomfilter_serialize(filter, buffer, (size_t)size - 1), BLOOMFILTER_EINVAL);
    assert_int_equal(bloomfilter_serialize(filter, buffer, 0), BLOOMFILTER_EINVAL);
    assert_memory_equal(buffer, untouched, sizeof buffer);
    bloomfilter_free(filter);
}

static void test_the_same_filter_gives_the_same_bytes(void **state)
{
    bloomfilter *forwards = new_filter(1000, 0.01);
    bloomfilter *backwards = new_filter(1000, 0.01);
    (void)state;
    for (uint64_t i = 0; i < 500; i++) {
        add_numbered(forwards, "user:", i, i + 1);
        add_numbered(backwards, "user:", 499 - i, 500 - i);
    }
    assert_same_filter(forwards, backwards);
    bloomfilter_free(forwards);
    bloomfilter_free(backwards);
}

static void test_null_arguments_are_refused(void **state)
{
    uint8_t buffer[2000];
    uint64_t size = 1;
    bloomfilter *filter = new_filter(1000, 0.01);
    bloomfilter *out = poison;
    bloomfilter_info info = BLOOMFILTER_INFO_INIT;
    (void)state;
    assert_int_equal(bloomfilter_save(NULL, "/nonexistent"), BLOOMFILTER_EINVAL);
    assert_int_equal(bloomfilter_save(filter, NULL), BLOOMFILTER_EINVAL);
    assert_int_equal(bloomfilter_serialized_size(NULL, &size), BLOOMFILTER_EINVAL);
    assert_int_equal(bloomfilter_serialized_size(filter, NULL), BLOOMFILTER_EINVAL);
    assert_int_equal(bloomfilter_serialize(NULL, buffer, sizeof buffer), BLOOMFILTER_EINVAL);
    assert_int_equal(bloomfilter_serialize(filter, NULL, sizeof buffer), BLOOMFILTER_EINVAL);
    assert_int_equal(bloomfilter_verify(NULL), BLOOMFILTER_EINVAL);
    assert_int_equal(bloomfilter_peek(NULL, 192, &info), BLOOMFILTER_EINVAL);
    assert_int_equal(bloomfilter_load(&out, NULL, NULL), BLOOMFILTER_EINVAL);
    assert_null(out);
    out = poison;
    assert_int_equal(bloomfilter_map(&out, NULL, NULL), BLOOMFILTER_EINVAL);
    assert_null(out);
    out = poison;
    assert_int_equal(bloomfilter_view(&out, NULL, 192, NULL), BLOOMFILTER_EINVAL);
    assert_null(out);
    out = poison;
    assert_int_equal(bloomfilter_deserialize(&out, NULL, 192, NULL), BLOOMFILTER_EINVAL);
    assert_null(out);
    struct saved saved = saved_from(filter);
    for (size_t i = 0; i < WAYS; i++)
        assert_int_equal(ways[i].open(NULL, &saved, NULL), BLOOMFILTER_EINVAL);
    assert_int_equal(bloomfilter_peek(saved.bytes, saved.size, NULL), BLOOMFILTER_EINVAL);
    forget(&saved);
    bloomfilter_free(filter);
}

/* ---- Load options */

/* A block of exactly struct_size bytes, so that a read past its end is seen. */
static bloomfilter_load_options *options_of_size(const bloomfilter_load_options *from,
                                                 size_t struct_size)
{
    size_t known = sizeof *from < struct_size ? sizeof *from : struct_size;
    uint8_t *block = calloc(1, struct_size < sizeof(size_t) ? sizeof(size_t) : struct_size);
    memcpy(block, from, known);
    memcpy(block, &struct_size, sizeof struct_size);
    return (bloomfilter_load_options *)(void *)block;
}

static void test_smaller_load_options_have_zeros_for_the_rest(void **state)
{
    const bloomfilter_load_options full =
        LOAD_OPTIONS(.flags = 0, .max_bytes = 1, .secret = secret, .secret_size = 32);
    const size_t sizes[] = {offsetof(bloomfilter_load_options, flags),
                            offsetof(bloomfilter_load_options, flags) + sizeof(uint32_t),
                            offsetof(bloomfilter_load_options, max_bytes)};
    struct saved saved = saved_sample(&shapes[0]);
    (void)state;
    for (size_t i = 0; i < COUNT_OF(sizes); i++) {
        bloomfilter_load_options *options = options_of_size(&full, sizes[i]);
        for (size_t j = 0; j < WAYS; j++)
            bloomfilter_free(opened(&ways[j], &saved, options));
        free(options);
    }
    /* From here on max_bytes is seen, then the secret too. */
    bloomfilter_load_options *options =
        options_of_size(&full, offsetof(bloomfilter_load_options, secret));
    assert_refuses(&ways[0], &saved, options, BLOOMFILTER_ETOOLARGE);
    assert_refuses(&ways[1], &saved, options, BLOOMFILTER_ETOOLARGE);
    bloomfilter_free(opened(&ways[2], &saved, options));
    bloomfilter_free(opened(&ways[3], &saved, options));
    free(options);
    forget(&saved);
}

static void test_nothing_past_the_size_of_load_options_is_read(void **state)
{
    const size_t ends[] = {offsetof(bloomfilter_load_options, flags),
                           offsetof(bloomfilter_load_options, max_bytes),
                           offsetof(bloomfilter_load_options, secret)};
    struct saved saved = saved_sample(&shapes[0]);
    (void)state;
    for (size_t i = 0; i < COUNT_OF(ends); i++) {
        bloomfilter_load_options options = BLOOMFILTER_LOAD_OPTIONS_INIT;
        memset((uint8_t *)&options + ends[i], 0xff, sizeof options - ends[i]);
        options.struct_size = ends[i];
        for (size_t j = 0; j < WAYS; j++)
            bloomfilter_free(opened(&ways[j], &saved, &options));
    }
    forget(&saved);
}

static void test_load_options_with_a_size_that_cannot_be_are_refused(void **state)
{
    const size_t sizes[] = {0, 1, sizeof(size_t) - 1, SIZE_MAX, SIZE_MAX / 2};
    struct saved saved = saved_sample(&shapes[0]);
    (void)state;
    for (size_t i = 0; i < COUNT_OF(sizes); i++) {
        bloomfilter_load_options options = BLOOMFILTER_LOAD_OPTIONS_INIT;
        options.struct_size = sizes[i];
        assert_all_refuse(&saved, &options, BLOOMFILTER_EINVAL);
    }
    forget(&saved);
}

static void test_larger_load_options_are_accepted_while_the_rest_is_zero(void **state)
{
    const size_t known = sizeof(bloomfilter_load_options);
    struct saved saved = saved_sample(&shapes[6]);
    (void)state;
    for (size_t more = 1; more <= 24; more++) {
        bloomfilter_load_options *options = options_of_size(&with_secret, known + more);
        for (size_t i = 0; i < WAYS; i++)
            bloomfilter_free(opened(&ways[i], &saved, options));
        ((uint8_t *)options)[known + more - 1] = 0x80;
        assert_all_refuse(&saved, options, BLOOMFILTER_EINVAL);
        free(options);
    }
    forget(&saved);
}

static void test_unknown_load_flags_are_refused(void **state)
{
    struct saved saved = saved_sample(&shapes[0]);
    (void)state;
    for (unsigned bit = 0; bit < 32; bit++) {
        bloomfilter_load_options options = LOAD_OPTIONS(.flags = (uint32_t)1 << bit);
        assert_all_refuse(&saved, &options, BLOOMFILTER_EINVAL);
    }
    forget(&saved);
}

static void test_load_options_of_zeros_are_like_none(void **state)
{
    const bloomfilter_load_options options = BLOOMFILTER_LOAD_OPTIONS_INIT;
    struct saved saved = saved_sample(&shapes[0]);
    (void)state;
    for (size_t i = 0; i < WAYS; i++)
        bloomfilter_free(opened(&ways[i], &saved, &options));
    forget(&saved);
}

static void test_max_bytes_is_the_largest_file_that_is_read(void **state)
{
    struct saved saved = saved_sample(&shapes[0]);
    (void)state;
    for (size_t i = 0; i < FIRST_IN_PLACE; i++) {
        bloomfilter_load_options options = BLOOMFILTER_LOAD_OPTIONS_INIT;
        options.max_bytes = saved.size;
        bloomfilter_free(opened(&ways[i], &saved, &options));
        options.max_bytes = UINT64_MAX;
        bloomfilter_free(opened(&ways[i], &saved, &options));
        options.max_bytes = saved.size - 1;
        assert_refuses(&ways[i], &saved, &options, BLOOMFILTER_ETOOLARGE);
        options.max_bytes = 1;
        assert_refuses(&ways[i], &saved, &options, BLOOMFILTER_ETOOLARGE);
    }
    forget(&saved);
}

static void test_max_bytes_refuses_before_anything_is_allocated(void **state)
{
    struct saved saved = saved_sample(&shapes[8]);
    bloomfilter_load_options options = BLOOMFILTER_LOAD_OPTIONS_INIT;
    (void)state;
    options.max_bytes = saved.size - 1;
    for (size_t i = 0; i < FIRST_IN_PLACE; i++) {
        largest_allocation = 0;
        assert_refuses(&ways[i], &saved, &options, BLOOMFILTER_ETOOLARGE);
        assert_int_equal(largest_allocation, 0);
    }
    forget(&saved);
}

static void test_max_bytes_does_not_limit_what_is_opened_in_place(void **state)
{
    struct saved saved = saved_sample(&shapes[0]);
    bloomfilter_load_options options = LOAD_OPTIONS(.max_bytes = 1);
    (void)state;
    for (size_t i = FIRST_IN_PLACE; i < WAYS; i++)
        bloomfilter_free(opened(&ways[i], &saved, &options));
    forget(&saved);
}

/* ---- How much is allocated */

static void test_reading_allocates_no_more_than_the_file_and_a_few_kilobytes(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(shapes); i++) {
        struct saved saved = saved_sample(&shapes[i]);
        for (size_t j = 0; j < FIRST_IN_PLACE; j++) {
            largest_allocation = 0;
            bloomfilter_free(opened(&ways[j], &saved, options_for(&shapes[i])));
            assert_true(largest_allocation <= saved.size + A_FEW_KILOBYTES);
        }
        forget(&saved);
    }
}

/* Sizes of files around those from which memory comes in whole pages of 2 MiB. */
static const uint64_t large_payloads[] = {4194296, 4194304, 4194312, 6291456, 6291464};

static void assert_takes_whole_2_mib(const struct way *way)
{
    const uint64_t mib_2 = 2097152;
    for (size_t i = 0; i < COUNT_OF(large_payloads); i++) {
        bloomfilter_options shape = OPTIONS(.bit_count = large_payloads[i] * 8, .hash_count = 3);
        struct saved saved = saved_sample(&shape);
        bloomfilter *filter = opened(way, &saved, NULL);
        uint64_t rounded = (saved.size + mib_2 - 1) / mib_2 * mib_2;
        assert_contains_numbered(filter, "user:", 0, 300);
        assert_bytes_are(filter, saved.bytes, saved.size);
        assert_true(info_of(filter).memory_bytes <= rounded + A_FEW_KILOBYTES);
        bloomfilter_free(filter);
        forget(&saved);
    }
}

static void test_a_large_filter_takes_whole_2_mib(void **state)
{
    (void)state;
    assert_takes_whole_2_mib(&ways[0]);
    assert_takes_whole_2_mib(&ways[1]);
}

static void test_opening_in_place_allocates_next_to_nothing(void **state)
{
    struct saved saved = saved_sample(&shapes[8]);
    (void)state;
    for (size_t i = FIRST_IN_PLACE; i < WAYS; i++) {
        largest_allocation = 0;
        bloomfilter_free(opened(&ways[i], &saved, NULL));
        assert_true(largest_allocation <= A_FEW_KILOBYTES);
        assert_true(largest_allocation < saved.size / 10);
    }
    forget(&saved);
}

/* ---- Secrets */

static void test_a_keyed_file_opens_with_its_secret_only(void **state)
{
    uint8_t other[64];
    (void)state;
    memcpy(other, secret, sizeof other);
    other[31] ^= 1;
    for (size_t i = 0; i < COUNT_OF(shapes); i++) {
        if (shapes[i].secret_size == 0)
            continue;
        struct saved saved = saved_sample(&shapes[i]);
        const bloomfilter_load_options wrong[] = {
            LOAD_OPTIONS(.secret = NULL, .secret_size = 0),
            LOAD_OPTIONS(.secret = other, .secret_size = 32),
            LOAD_OPTIONS(.secret = secret, .secret_size = 31),
            LOAD_OPTIONS(.secret = secret, .secret_size = 33),
            LOAD_OPTIONS(.secret = secret, .secret_size = 16),
            LOAD_OPTIONS(.secret = secret, .secret_size = 64),
        };
        assert_all_refuse(&saved, NULL, BLOOMFILTER_ESECRET);
        for (size_t j = 0; j < COUNT_OF(wrong); j++)
            assert_all_refuse(&saved, &wrong[j], BLOOMFILTER_ESECRET);
        for (size_t j = 0; j < WAYS; j++) {
            bloomfilter *filter = opened(&ways[j], &saved, &with_secret);
            assert_true(info_of(filter).flags & BLOOMFILTER_FLAG_KEYED);
            bloomfilter_free(filter);
        }
        forget(&saved);
    }
}

static void test_a_secret_for_an_unkeyed_file_is_refused(void **state)
{
    (void)state;
    for (size_t i = 0; i < 6; i++) {
        struct saved saved = saved_sample(&shapes[i]);
        assert_all_refuse(&saved, &with_secret, BLOOMFILTER_ESECRET);
        forget(&saved);
    }
}

static void test_a_secret_of_a_size_that_none_has_is_refused(void **state)
{
    struct saved saved = saved_sample(&shapes[6]);
    const bloomfilter_load_options wrong[] = {
        LOAD_OPTIONS(.secret = secret, .secret_size = 0),
        LOAD_OPTIONS(.secret = secret, .secret_size = 1),
        LOAD_OPTIONS(.secret = secret, .secret_size = 15),
        LOAD_OPTIONS(.secret = secret, .secret_size = 65),
        LOAD_OPTIONS(.secret = secret, .secret_size = SIZE_MAX),
        LOAD_OPTIONS(.secret = NULL, .secret_size = 32),
    };
    (void)state;
    for (size_t i = 0; i < COUNT_OF(wrong); i++)
        assert_all_refuse(&saved, &wrong[i], BLOOMFILTER_EINVAL);
    forget(&saved);
}

static void test_every_size_of_secret_survives(void **state)
{
    (void)state;
    for (size_t size = BLOOMFILTER_MIN_SECRET_SIZE; size <= BLOOMFILTER_MAX_SECRET_SIZE; size++) {
        bloomfilter_options shape =
            OPTIONS(.capacity = 100, .target_fpr = 0.01, .secret = secret, .secret_size = size);
        bloomfilter_load_options options = LOAD_OPTIONS(.secret = secret, .secret_size = size);
        bloomfilter *original = created(&shape);
        bloomfilter *filter;
        size_t file_size;
        add_numbered(original, "user:", 0, 50);
        uint8_t *bytes = serialized(original, &file_size);
        assert_int_equal(bloomfilter_deserialize(&filter, bytes, file_size, &options), 0);
        assert_contains_numbered(filter, "user:", 0, 50);
        assert_same_filter(filter, original);
        bloomfilter_free(filter);
        bloomfilter_free(original);
        free(bytes);
    }
}

static void test_the_secret_is_not_in_the_file(void **state)
{
    struct saved saved = saved_sample(&shapes[6]);
    (void)state;
    for (size_t at = 0; at + 8 <= saved.size; at++)
        for (size_t part = 0; part + 8 <= 32; part++)
            assert_true(memcmp(saved.bytes + at, secret + part, 8) != 0);
    forget(&saved);
}

static void test_the_secret_of_load_options_is_copied(void **state)
{
    struct saved saved = saved_sample(&shapes[6]);
    (void)state;
    for (size_t i = 0; i < WAYS; i++) {
        uint8_t mine[32];
        bloomfilter_load_options options = LOAD_OPTIONS(.secret = mine, .secret_size = 32);
        memcpy(mine, secret, sizeof mine);
        bloomfilter *filter = opened(&ways[i], &saved, &options);
        memset(mine, 0, sizeof mine);
        assert_contains_numbered(filter, "user:", 0, 300);
        assert_int_equal(bloomfilter_verify(filter), 0);
        assert_bytes_are(filter, saved.bytes, saved.size);
        bloomfilter_free(filter);
    }
    forget(&saved);
}

static void test_a_keyed_header_cannot_be_altered_unnoticed(void **state)
{
    struct saved saved = saved_sample(&shapes[6]);
    (void)state;
    for (size_t at = 8; at < 192; at++) {
        saved.bytes[at] ^= 0x10;
        write_saved(&saved);
        for (size_t i = 0; i < WAYS; i++) {
            bloomfilter *filter = poison;
            assert_true(ways[i].open(&filter, &saved, &with_secret) < 0);
            assert_null(filter);
        }
        saved.bytes[at] ^= 0x10;
    }
    forget(&saved);
}

/* ---- Read-only filters */

static void assert_refuses_changes(bloomfilter *filter, const bloomfilter *other)
{
    const void *keys[2] = {"new", "key"};
    const size_t sizes[2] = {3, 3};
    uint8_t was_new[2] = {0xa5, 0xa5};
    assert_int_equal(bloomfilter_add(filter, "new", 3), BLOOMFILTER_EREADONLY);
    assert_int_equal(bloomfilter_add(filter, "user:1", 6), BLOOMFILTER_EREADONLY);
    assert_int_equal(bloomfilter_add_many(filter, 2, keys, sizes, was_new), BLOOMFILTER_EREADONLY);
    assert_int_equal(was_new[0], 0xa5);
    assert_int_equal(was_new[1], 0xa5);
    assert_int_equal(bloomfilter_union(filter, other), BLOOMFILTER_EREADONLY);
    assert_int_equal(bloomfilter_intersect(filter, other), BLOOMFILTER_EREADONLY);
    assert_int_equal(bloomfilter_set_metadata(filter, "new", 3), BLOOMFILTER_EREADONLY);
    assert_int_equal(bloomfilter_set_metadata(filter, NULL, 0), BLOOMFILTER_EREADONLY);
    assert_true(bloomfilter_remove(filter, "user:1", 6) < 0);
    bloomfilter_clear(filter);
}

static void test_read_only_filters_refuse_every_change(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(shapes); i++) {
        bloomfilter *other = created(&shapes[i]);
        struct saved saved = saved_sample(&shapes[i]);
        add_numbered(other, "item:", 0, 10);
        for (size_t j = FIRST_IN_PLACE; j < WAYS; j++) {
            bloomfilter *filter = opened(&ways[j], &saved, options_for(&shapes[i]));
            assert_true(info_of(filter).flags & BLOOMFILTER_FLAG_READ_ONLY);
            assert_refuses_changes(filter, other);
            assert_bytes_are(filter, saved.bytes, saved.size);
            assert_int_equal(bloomfilter_verify(filter), 0);
            bloomfilter_free(filter);
        }
        bloomfilter_free(other);
        forget(&saved);
    }
}

static void test_read_only_filters_are_measured_but_not_recorded(void **state)
{
    struct saved saved = saved_sample(&shapes[0]);
    (void)state;
    bloomfilter *loaded = opened(&ways[0], &saved, NULL);
    double expected;
    assert_int_equal(bloomfilter_measure_fpr(loaded, 5000, 77, &expected), 0);
    for (size_t i = FIRST_IN_PLACE; i < WAYS; i++) {
        double fpr = -1;
        bloomfilter *filter = opened(&ways[i], &saved, NULL);
        assert_int_equal(bloomfilter_measure_fpr(filter, 5000, 77, &fpr), 0);
        assert_true(fpr == expected);
        assert_int_equal(info_of(filter).measured_probes, 1000);
        assert_bytes_are(filter, saved.bytes, saved.size);
        bloomfilter_free(filter);
    }
    bloomfilter_free(loaded);
    forget(&saved);
}

static void test_a_read_only_filter_can_be_combined_into_another(void **state)
{
    struct saved saved = saved_sample(&shapes[0]);
    (void)state;
    for (size_t i = FIRST_IN_PLACE; i < WAYS; i++) {
        bloomfilter *filter = opened(&ways[i], &saved, NULL);
        bloomfilter *into = created(&shapes[0]);
        assert_int_equal(bloomfilter_union(into, filter), 0);
        assert_contains_numbered(into, "user:", 0, 300);
        assert_int_equal(bloomfilter_intersect(into, filter), 0);
        assert_contains_numbered(into, "user:", 0, 300);
        assert_int_equal(info_of(into).bits_set, info_of(filter).bits_set);
        assert_bytes_are(filter, saved.bytes, saved.size);
        bloomfilter_free(into);
        bloomfilter_free(filter);
    }
    forget(&saved);
}

/* ---- Verify */

static void test_filters_in_memory_of_their_own_are_always_fine(void **state)
{
    struct saved saved = saved_sample(&shapes[0]);
    bloomfilter *fresh = new_filter(10, 0.1);
    (void)state;
    assert_int_equal(bloomfilter_verify(fresh), 0);
    add_numbered(fresh, "user:", 0, 10);
    assert_int_equal(bloomfilter_verify(fresh), 0);
    bloomfilter *loaded = opened(&ways[0], &saved, NULL);
    add_numbered(loaded, "item:", 0, 10);
    assert_int_equal(bloomfilter_set_metadata(loaded, "x", 1), 0);
    assert_int_equal(bloomfilter_verify(loaded), 0);
    bloomfilter *copy = copy_of(loaded);
    assert_int_equal(bloomfilter_verify(copy), 0);
    bloomfilter_free(copy);
    bloomfilter_free(loaded);
    bloomfilter_free(fresh);
    forget(&saved);
}

/* Nothing makes a file with a right digest, or a filter that counts as checked, out of damage. */
static void assert_does_not_spread(const struct saved *saved, const bloomfilter *damaged)
{
    struct filter_shape shape = bloomfilter_handle_shape(damaged);
    const char *other_path = path_in(saved->directory, "not-made.bloom");
    uint8_t *bytes = malloc(saved->size);
    bloomfilter *copy = poison;
    bloomfilter *own;
    assert_non_null(bytes);
    assert_int_equal(bloomfilter_handle_make_empty(&own, &shape, &damaged->secret), 0);
    assert_int_equal(bloomfilter_copy(&copy, damaged), BLOOMFILTER_EDAMAGED);
    assert_null(copy);
    assert_int_equal(bloomfilter_save(damaged, other_path), BLOOMFILTER_EDAMAGED);
    assert_int_equal(access(other_path, F_OK), -1);
    assert_int_equal(bloomfilter_serialize(damaged, bytes, saved->size), BLOOMFILTER_EDAMAGED);
    assert_int_equal(bloomfilter_union(own, damaged), BLOOMFILTER_EDAMAGED);
    assert_int_equal(bloomfilter_intersect(own, damaged), BLOOMFILTER_EDAMAGED);
    assert_int_equal(info_of(own).bits_set, 0);
    bloomfilter_free(own);
    free(bytes);
}

/* Opened in place, damage behind the header is found by verify; read, it is found at once. */
static void assert_damage_is_found(const struct saved *saved,
                                   const bloomfilter_load_options *options)
{
    write_saved(saved);
    for (size_t i = 0; i < FIRST_IN_PLACE; i++)
        assert_refuses(&ways[i], saved, options, BLOOMFILTER_EDAMAGED);
    for (size_t i = FIRST_IN_PLACE; i < WAYS; i++) {
        bloomfilter *filter = opened(&ways[i], saved, options);
        assert_int_equal(bloomfilter_verify(filter), BLOOMFILTER_EDAMAGED);
        assert_int_equal(bloomfilter_verify(filter), BLOOMFILTER_EDAMAGED);
        assert_does_not_spread(saved, filter);
        bloomfilter_free(filter);
    }
}

/* The first and last bytes of metadata, of the zeros behind it, and of the payload. */
static void test_verify_finds_damage_in_every_part(void **state)
{
    const size_t keyed_or_not[] = {0, 2, 6, 8};
    (void)state;
    for (size_t i = 0; i < COUNT_OF(keyed_or_not); i++) {
        const bloomfilter_options *shape = &shapes[keyed_or_not[i]];
        struct saved saved = saved_sample(shape);
        const size_t places[] = {192, 212, 213, 255, 256, 300, saved.size - 1};
        for (size_t j = 0; j < COUNT_OF(places); j++)
            for (unsigned bit = 0; bit < 8; bit += 7) {
                saved.bytes[places[j]] ^= (uint8_t)(1u << bit);
                assert_damage_is_found(&saved, options_for(shape));
                saved.bytes[places[j]] ^= (uint8_t)(1u << bit);
            }
        forget(&saved);
    }
}

/* A load checks bytes while others are still being read. */
static void test_damage_is_found_wherever_it_is_read(void **state)
{
    enum { MIB = 1 << 20 };
    bloomfilter_options shape = OPTIONS(.bit_count = 30000000, .hash_count = 3);
    struct saved saved = saved_sample(&shape);
    const size_t places[] = {192,         4095,        4096,        MIB,
                             MIB + 4095,  MIB + 4096,  2 * MIB,     2 * MIB + 192,
                             3 * MIB - 1, 3 * MIB + 1, 3500 * 1000, saved.size - 1};
    (void)state;
    assert_true(saved.size > 3600 * 1000);
    for (size_t i = 0; i < COUNT_OF(places); i++) {
        bloomfilter *filter = poison;
        saved.bytes[places[i]] ^= 1;
        assert_damage_is_found(&saved, NULL);
        assert_int_equal(load_through_pipe(&filter, &saved, NULL), BLOOMFILTER_EDAMAGED);
        assert_null(filter);
        saved.bytes[places[i]] ^= 1;
    }
    forget(&saved);
}

static void test_verify_finds_payloads_that_were_exchanged(void **state)
{
    bloomfilter *other = created(&shapes[0]);
    size_t size;
    (void)state;
    struct saved saved = saved_sample(&shapes[0]);
    assert_int_equal(bloomfilter_set_metadata(other, "keys: NFC, lower case", 21), 0);
    uint8_t *bytes = serialized(other, &size);
    assert_int_equal(size, saved.size);
    memcpy(saved.bytes + 256, bytes + 256, size - 256);
    assert_damage_is_found(&saved, NULL);
    free(bytes);
    bloomfilter_free(other);
    forget(&saved);
}

static void test_damage_in_the_header_is_found_by_every_way(void **state)
{
    struct saved saved = saved_sample(&shapes[0]);
    (void)state;
    for (size_t at = 12; at < 192; at++) {
        if (at >= 24 && at < 25) /* the bit that says keyed: told as a secret that is missing */
            continue;
        saved.bytes[at] ^= 4;
        write_saved(&saved);
        assert_all_refuse(&saved, NULL, BLOOMFILTER_EDAMAGED);
        saved.bytes[at] ^= 4;
    }
    forget(&saved);
}

static void test_other_files_are_not_filters(void **state)
{
    struct saved saved = saved_sample(&shapes[0]);
    (void)state;
    for (size_t at = 0; at < 8; at++) {
        saved.bytes[at] ^= 0x20;
        write_saved(&saved);
        assert_all_refuse(&saved, NULL, BLOOMFILTER_ENOTFILTER);
        saved.bytes[at] ^= 0x20;
    }
    for (saved.size = 0; saved.size < 8; saved.size++) {
        write_saved(&saved);
        assert_all_refuse(&saved, NULL, BLOOMFILTER_ENOTFILTER);
    }
    forget(&saved);
}

static void test_peek_reads_the_longer_header_of_a_later_minor(void **state)
{
    const size_t header_size = 256;
    size_t size;
    uint8_t *bytes = read_data("format/good-later-minor.bloom", &size);
    uint8_t *header = malloc(header_size);
    bloomfilter_info info = BLOOMFILTER_INFO_INIT;
    (void)state;
    memcpy(header, bytes, header_size);
    assert_int_equal(bloomfilter_peek(header, header_size, &info), 0);
    assert_int_equal(info.format_major, 1);
    assert_int_equal(info.format_minor, 7);
    assert_int_equal(info.memory_bytes, size);
    free(header);
    free(bytes);
}

static void test_a_later_major_format_is_told_apart_from_damage(void **state)
{
    struct saved saved = saved_sample(&shapes[0]);
    bloomfilter_info info = BLOOMFILTER_INFO_INIT;
    (void)state;
    for (unsigned major = 2; major <= 0xffff; major = major * 2 + 1) {
        saved.bytes[8] = (uint8_t)major;
        saved.bytes[9] = (uint8_t)(major >> 8);
        write_saved(&saved);
        assert_all_refuse(&saved, NULL, BLOOMFILTER_ENEWER);
        assert_int_equal(bloomfilter_peek(saved.bytes, saved.size, &info), BLOOMFILTER_ENEWER);
    }
    forget(&saved);
}

static void test_cut_and_longer_files_are_damaged(void **state)
{
    struct saved saved = saved_sample(&shapes[0]);
    size_t whole = saved.size;
    const size_t sizes[] = {8,   9,         10,        100,       191,       192,       255,
                            256, whole - 8, whole - 1, whole + 1, whole + 8, whole + 64};
    (void)state;
    saved.bytes = realloc(saved.bytes, whole + 64);
    memset(saved.bytes + whole, 0, 64);
    for (size_t i = 0; i < COUNT_OF(sizes); i++) {
        saved.size = sizes[i];
        write_saved(&saved);
        assert_all_refuse(&saved, NULL, BLOOMFILTER_EDAMAGED);
    }
    forget(&saved);
}

/* ---- Peek */

static void test_peek_tells_what_the_header_says(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(shapes); i++) {
        bloomfilter *filter = sample_of(&shapes[i]);
        bloomfilter_info info = info_of(filter);
        bloomfilter_info peeked = BLOOMFILTER_INFO_INIT;
        size_t size;
        uint8_t *bytes = serialized(filter, &size);
        assert_int_equal(bloomfilter_peek(bytes, size, &peeked), 0);
        assert_int_equal(peeked.memory_bytes, size);
        assert_int_equal(peeked.bits_set, 0);
        assert_true(peeked.fill == 0 && peeked.estimated_count == 0 && peeked.current_fpr == 0);
        info.memory_bytes = size;
        info.bits_set = 0;
        info.fill = info.estimated_count = info.current_fpr = 0;
        info.rebuild = peeked.rebuild;
        assert_memory_equal(&peeked, &info, offsetof(bloomfilter_info, rebuild));
        free(bytes);
        bloomfilter_free(filter);
    }
}

static void test_peek_needs_the_header_only(void **state)
{
    struct saved saved = saved_sample(&shapes[6]);
    bloomfilter_info whole = BLOOMFILTER_INFO_INIT;
    (void)state;
    assert_int_equal(bloomfilter_peek(saved.bytes, saved.size, &whole), 0);
    for (size_t size = 192; size < saved.size; size += 13) {
        bloomfilter_info info = BLOOMFILTER_INFO_INIT;
        uint8_t *part = malloc(size); /* of its own, so that a read past the end is seen */
        memcpy(part, saved.bytes, size);
        assert_int_equal(bloomfilter_peek(part, size, &info), 0);
        assert_memory_equal(&info, &whole, offsetof(bloomfilter_info, rebuild));
        free(part);
    }
    forget(&saved);
}

static void test_peek_refuses_less_than_a_header(void **state)
{
    struct saved saved = saved_sample(&shapes[0]);
    bloomfilter_info info = BLOOMFILTER_INFO_INIT;
    bloomfilter_info before;
    (void)state;
    memcpy(&before, &info, sizeof info);
    for (size_t size = 0; size < 192; size++) {
        uint8_t *part = malloc(size + 1);
        uint8_t *exact = part + 1; /* ends where the block does */
        memcpy(exact, saved.bytes, size);
        int code = bloomfilter_peek(exact, size, &info);
        assert_int_equal(code, size < 8 ? BLOOMFILTER_ENOTFILTER : BLOOMFILTER_EDAMAGED);
        assert_memory_equal(&info, &before, sizeof info);
        free(part);
    }
    forget(&saved);
}

static void test_peek_finds_damage_in_an_unkeyed_header(void **state)
{
    struct saved saved = saved_sample(&shapes[0]);
    bloomfilter_info info = BLOOMFILTER_INFO_INIT;
    (void)state;
    for (size_t at = 12; at < 192; at++) {
        saved.bytes[at] ^= 4;
        assert_int_equal(bloomfilter_peek(saved.bytes, saved.size, &info), BLOOMFILTER_EDAMAGED);
        saved.bytes[at] ^= 4;
    }
    forget(&saved);
}

static void test_peek_judges_by_insert_count_alone(void **state)
{
    bloomfilter *filter = new_filter(100, 0.01);
    (void)state;
    for (uint64_t n = 0; n < 5000; n = n * 2 + 99) {
        bloomfilter_info info = BLOOMFILTER_INFO_INIT;
        size_t size;
        add_numbered(filter, "user:", info_of(filter).insert_count, n);
        uint8_t *bytes = serialized(filter, &size);
        assert_int_equal(bloomfilter_peek(bytes, size, &info), 0);
        assert_int_equal(info.insert_count, n);
        assert_int_equal(info.rebuild,
                         n > 100 ? BLOOMFILTER_REBUILD_OVER_CAPACITY : BLOOMFILTER_REBUILD_NO);
        free(bytes);
    }
    bloomfilter_free(filter);
}

/* ---- Metadata */

static void assert_metadata(const bloomfilter *filter, const void *expected, size_t expected_size)
{
    const void *bytes = &filter;
    size_t size = 12345;
    assert_int_equal(bloomfilter_get_metadata(filter, &bytes, &size), 0);
    assert_int_equal(size, expected_size);
    if (size == 0)
        assert_null(bytes);
    else
        assert_memory_equal(bytes, expected, size);
}

static void test_a_new_filter_has_no_metadata(void **state)
{
    bloomfilter *filter = new_filter(10, 0.1);
    (void)state;
    assert_metadata(filter, NULL, 0);
    bloomfilter_free(filter);
}

static void test_metadata_is_copied_replaced_and_removed(void **state)
{
    uint8_t mine[300];
    bloomfilter *filter = new_filter(10, 0.1);
    bloomfilter *fresh = new_filter(10, 0.1);
    (void)state;
    for (size_t i = 0; i < sizeof mine; i++)
        mine[i] = (uint8_t)i; /* any bytes, NUL among them */
    assert_int_equal(bloomfilter_set_metadata(filter, mine, sizeof mine), 0);
    memset(mine, 0, sizeof mine);
    for (size_t i = 0; i < sizeof mine; i++)
        mine[i] = (uint8_t)i;
    assert_metadata(filter, mine, sizeof mine);
    assert_int_equal(bloomfilter_set_metadata(filter, "short", 5), 0);
    assert_metadata(filter, "short", 5);
    assert_int_equal(bloomfilter_set_metadata(filter, "", 1), 0);
    assert_metadata(filter, "", 1);
    assert_int_equal(bloomfilter_set_metadata(filter, "ignored", 0), 0);
    assert_metadata(filter, NULL, 0);
    assert_int_equal(bloomfilter_set_metadata(filter, NULL, 0), 0);
    assert_metadata(filter, NULL, 0);
    assert_same_filter(filter, fresh);
    bloomfilter_free(filter);
    bloomfilter_free(fresh);
}

static void assert_can_be_set_from_itself(bloomfilter *filter)
{
    const void *bytes;
    size_t size;
    assert_int_equal(bloomfilter_set_metadata(filter, "0123456789", 10), 0);
    assert_int_equal(bloomfilter_get_metadata(filter, &bytes, &size), 0);
    assert_int_equal(bloomfilter_set_metadata(filter, bytes, size), 0);
    assert_metadata(filter, "0123456789", 10);
    assert_int_equal(bloomfilter_get_metadata(filter, &bytes, &size), 0);
    assert_int_equal(bloomfilter_set_metadata(filter, (const char *)bytes + 3, size - 5), 0);
    assert_metadata(filter, "34567", 5);
}

static void test_metadata_can_be_set_from_its_own_bytes(void **state)
{
    bloomfilter *filter = new_filter(10, 0.1);
    (void)state;
    assert_can_be_set_from_itself(filter);
    bloomfilter_free(filter);
}

static void test_metadata_of_a_loaded_filter_can_be_set_from_its_own_bytes(void **state)
{
    struct saved saved = saved_sample(&shapes[0]);
    (void)state;
    for (size_t i = 0; i < FIRST_IN_PLACE; i++) {
        const void *bytes;
        size_t size;
        bloomfilter *filter = opened(&ways[i], &saved, NULL);
        assert_int_equal(bloomfilter_get_metadata(filter, &bytes, &size), 0);
        assert_int_equal(bloomfilter_set_metadata(filter, (const char *)bytes + 6, size - 6), 0);
        assert_metadata(filter, "NFC, lower case", 15);
        assert_can_be_set_from_itself(filter);
        bloomfilter_free(filter);
    }
    forget(&saved);
}

static void test_metadata_stays_where_it_is_until_it_is_set(void **state)
{
    const void *before;
    const void *after;
    size_t size;
    bloomfilter *filter = sample_of(&shapes[0]);
    bloomfilter *other = created(&shapes[0]);
    (void)state;
    assert_int_equal(bloomfilter_get_metadata(filter, &before, &size), 0);
    add_numbered(filter, "item:", 0, 100);
    assert_int_equal(bloomfilter_union(filter, other), 0);
    assert_int_equal(bloomfilter_measure_fpr(filter, 10, 1, NULL), 0);
    struct saved saved = saved_from(filter);
    bloomfilter_clear(filter);
    assert_true(bloomfilter_set_metadata(filter, NULL, 1) < 0);
    assert_int_equal(bloomfilter_get_metadata(filter, &after, &size), 0);
    assert_ptr_equal(before, after);
    assert_memory_equal(after, "keys: NFC, lower case", 21);
    forget(&saved);
    bloomfilter_free(filter);
    bloomfilter_free(other);
}

static void test_metadata_of_a_view_is_not_copied(void **state)
{
    const void *bytes;
    size_t size;
    struct saved saved = saved_sample(&shapes[0]);
    (void)state;
    bloomfilter *filter = opened(&ways[3], &saved, NULL);
    assert_int_equal(bloomfilter_get_metadata(filter, &bytes, &size), 0);
    assert_ptr_equal(bytes, saved.bytes + 192);
    bloomfilter_free(filter);
    forget(&saved);
}

static void test_metadata_of_every_size_around_64_survives(void **state)
{
    static const uint8_t metadata[200] = "\1\2\3 and zeros";
    (void)state;
    for (size_t size = 0; size <= sizeof metadata; size += size < 3 || size % 64 > 61 ? 1 : 3) {
        bloomfilter *filter = new_filter(100, 0.01);
        add_numbered(filter, "user:", 0, 100);
        assert_int_equal(bloomfilter_set_metadata(filter, metadata, size), 0);
        struct saved saved = saved_from(filter);
        assert_int_equal(saved.size, 192 + (size + 63) / 64 * 64 + 120);
        for (size_t i = 0; i < WAYS; i++) {
            bloomfilter *again = opened(&ways[i], &saved, NULL);
            assert_metadata(again, metadata, size);
            assert_int_equal(bloomfilter_verify(again), 0);
            assert_bytes_are(again, saved.bytes, saved.size);
            bloomfilter_free(again);
        }
        bloomfilter_free(filter);
        forget(&saved);
    }
}

static void test_16_mib_of_metadata_survive(void **state)
{
    const size_t size = BLOOMFILTER_MAX_METADATA_SIZE;
    uint8_t *metadata = malloc(size);
    bloomfilter *filter = new_filter(100, 0.01);
    (void)state;
    assert_int_equal(size, 16 * 1024 * 1024);
    for (size_t i = 0; i < size; i++)
        metadata[i] = (uint8_t)(i ^ i >> 8 ^ i >> 16);
    assert_int_equal(bloomfilter_set_metadata(filter, metadata, size), 0);
    struct saved saved = saved_from(filter);
    for (size_t i = 0; i < WAYS; i++) {
        bloomfilter *again = opened(&ways[i], &saved, NULL);
        assert_metadata(again, metadata, size);
        assert_int_equal(bloomfilter_verify(again), 0);
        bloomfilter_free(again);
    }
    forget(&saved);
    bloomfilter_free(filter);
    free(metadata);
}

static void test_more_than_16_mib_of_metadata_are_refused(void **state)
{
    const size_t size = BLOOMFILTER_MAX_METADATA_SIZE + 1;
    uint8_t *metadata = calloc(1, size);
    bloomfilter *filter = sample_of(&shapes[0]);
    (void)state;
    bloomfilter *before = copy_of(filter);
    assert_int_equal(bloomfilter_set_metadata(filter, metadata, size), BLOOMFILTER_ETOOLARGE);
    assert_int_equal(bloomfilter_set_metadata(filter, metadata, SIZE_MAX), BLOOMFILTER_ETOOLARGE);
    assert_same_filter(filter, before);
    bloomfilter_free(filter);
    bloomfilter_free(before);
    free(metadata);
}

static void test_metadata_refuses_null(void **state)
{
    const void *bytes = &bytes;
    size_t size = 12345;
    bloomfilter *filter = sample_of(&shapes[0]);
    (void)state;
    assert_int_equal(bloomfilter_set_metadata(NULL, "x", 1), BLOOMFILTER_EINVAL);
    assert_int_equal(bloomfilter_set_metadata(filter, NULL, 1), BLOOMFILTER_EINVAL);
    assert_int_equal(bloomfilter_get_metadata(filter, NULL, &size), BLOOMFILTER_EINVAL);
    assert_int_equal(bloomfilter_get_metadata(filter, &bytes, NULL), BLOOMFILTER_EINVAL);
    bytes = &bytes;
    assert_int_equal(bloomfilter_get_metadata(NULL, &bytes, &size), BLOOMFILTER_EINVAL);
    assert_null(bytes);
    assert_metadata(filter, "keys: NFC, lower case", 21);
    bloomfilter_free(filter);
}

/* ---- Files: what save leaves, and what cannot be opened */

static void test_save_leaves_nothing_but_the_file(void **state)
{
    bloomfilter *filter = sample_of(&shapes[0]);
    struct saved saved = saved_from(filter);
    (void)state;
    assert_int_equal(count_entries(saved.directory), 1);
    assert_int_equal(bloomfilter_save(filter, saved.path), 0);
    assert_int_equal(count_entries(saved.directory), 1);
    forget(&saved);
    bloomfilter_free(filter);
}

static mode_t mode_of(const char *path)
{
    struct stat status;
    assert_int_equal(stat(path, &status), 0);
    return status.st_mode & 07777;
}

static void test_a_new_file_gets_0666_minus_the_umask(void **state)
{
    const mode_t masks[] = {022, 0, 077};
    bloomfilter *filter = new_filter(10, 0.1);
    struct saved saved = saved_from(filter);
    (void)state;
    for (size_t i = 0; i < COUNT_OF(masks); i++) {
        assert_int_equal(unlink(saved.path), 0);
        mode_t old = umask(masks[i]);
        int code = bloomfilter_save(filter, saved.path);
        umask(old);
        assert_int_equal(code, 0);
        assert_int_equal(mode_of(saved.path), 0666 & ~masks[i]);
    }
    forget(&saved);
    bloomfilter_free(filter);
}

static void test_a_replaced_file_keeps_its_permissions(void **state)
{
    const mode_t modes[] = {0600, 0644, 0640, 0666, 0755, 0400};
    bloomfilter *filter = new_filter(10, 0.1);
    struct saved saved = saved_from(filter);
    (void)state;
    for (size_t i = 0; i < COUNT_OF(modes); i++) {
        assert_int_equal(chmod(saved.path, modes[i]), 0);
        assert_int_equal(bloomfilter_save(filter, saved.path), 0);
        assert_int_equal(mode_of(saved.path), modes[i]);
    }
    forget(&saved);
    bloomfilter_free(filter);
}

static void test_save_replaces_what_a_symbolic_link_points_to(void **state)
{
    struct stat status;
    struct saved saved = saved_sample(&shapes[0]);
    bloomfilter *other = new_filter(10, 0.1);
    char link[4200];
    (void)state;
    snprintf(link, sizeof link, "%s", path_in(saved.directory, "link.bloom"));
    assert_int_equal(symlink("filter.bloom", link), 0);
    assert_int_equal(bloomfilter_save(other, link), 0);
    assert_int_equal(lstat(link, &status), 0);
    assert_true(S_ISLNK(status.st_mode));
    assert_int_equal(lstat(saved.path, &status), 0);
    assert_true(S_ISREG(status.st_mode));
    bloomfilter *loaded = opened(&ways[0], &saved, NULL);
    assert_same_filter(loaded, other);
    bloomfilter_free(loaded);
    bloomfilter_free(other);
    forget(&saved);
}

static void test_a_symbolic_link_to_nowhere_is_refused(void **state)
{
    bloomfilter *filter = new_filter(10, 0.1);
    struct saved saved = saved_from(filter);
    char link[4200];
    (void)state;
    snprintf(link, sizeof link, "%s", path_in(saved.directory, "link.bloom"));
    assert_int_equal(symlink("absent.bloom", link), 0);
    errno = 0;
    assert_int_equal(bloomfilter_save(filter, link), BLOOMFILTER_EIO);
    assert_int_equal(errno, ENOENT);
    assert_int_equal(access(path_in(saved.directory, "absent.bloom"), F_OK), -1);
    forget(&saved);
    bloomfilter_free(filter);
}

static void test_a_hard_link_keeps_the_old_content(void **state)
{
    struct saved saved = saved_sample(&shapes[0]);
    bloomfilter *other = new_filter(10, 0.1);
    bloomfilter *old;
    char second[4200];
    (void)state;
    snprintf(second, sizeof second, "%s", path_in(saved.directory, "second.bloom"));
    assert_int_equal(link(saved.path, second), 0);
    assert_int_equal(bloomfilter_save(other, saved.path), 0);
    assert_int_equal(bloomfilter_load(&old, second, NULL), 0);
    assert_bytes_are(old, saved.bytes, saved.size);
    bloomfilter_free(old);
    bloomfilter_free(other);
    forget(&saved);
}

static void assert_save_fails(const bloomfilter *filter, const char *path, int number)
{
    errno = 0;
    assert_int_equal(bloomfilter_save(filter, path), BLOOMFILTER_EIO);
    assert_int_equal(errno, number);
}

static void test_save_says_why_it_cannot(void **state)
{
    bloomfilter *filter = new_filter(10, 0.1);
    struct saved saved = saved_from(filter);
    char fifo[4200];
    char through_file[4300];
    (void)state;
    snprintf(fifo, sizeof fifo, "%s", path_in(saved.directory, "fifo"));
    snprintf(through_file, sizeof through_file, "%s/x", saved.path);
    assert_int_equal(mkfifo(fifo, 0600), 0);
    assert_save_fails(filter, "", ENOENT);
    assert_save_fails(filter, path_in(saved.directory, "absent/x.bloom"), ENOENT);
    assert_save_fails(filter, through_file, ENOTDIR);
    assert_save_fails(filter, saved.directory, EISDIR);
    assert_save_fails(filter, fifo, EEXIST);
    assert_save_fails(filter, "/dev/null", EEXIST);
    assert_int_equal(count_entries(saved.directory), 2);
    forget(&saved);
    bloomfilter_free(filter);
}

static void test_a_file_that_is_not_there_is_told_by_errno(void **state)
{
    bloomfilter *filter = poison;
    (void)state;
    errno = 0;
    assert_int_equal(bloomfilter_load(&filter, "/nonexistent/x.bloom", NULL), BLOOMFILTER_EIO);
    assert_int_equal(errno, ENOENT);
    assert_null(filter);
    filter = poison;
    errno = 0;
    assert_int_equal(bloomfilter_map(&filter, "/nonexistent/x.bloom", NULL), BLOOMFILTER_EIO);
    assert_int_equal(errno, ENOENT);
    assert_null(filter);
    filter = poison;
    errno = 0;
    assert_int_equal(bloomfilter_load(&filter, "/", NULL), BLOOMFILTER_EIO);
    assert_int_equal(errno, EISDIR);
    assert_null(filter);
}

/* In a process of its own, which gives up: opening a pipe must not wait for a writer. */
static void assert_cannot_be_mapped(const char *path, int reason)
{
    int status;
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        bloomfilter *filter = poison;
        alarm(5);
        errno = 0;
        int code = bloomfilter_map(&filter, path, NULL);
        _exit(code != BLOOMFILTER_EIO ? 1 : filter != NULL ? 2 : errno != reason ? 3 : 0);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    if (WIFSIGNALED(status))
        fail_msg("%s: map waits for ever", path);
    if (WEXITSTATUS(status) != 0)
        fail_msg("%s: %s", path,
                 WEXITSTATUS(status) == 1   ? "not EIO"
                 : WEXITSTATUS(status) == 2 ? "*out is not NULL"
                                            : "another errno");
}

static void test_a_device_cannot_be_mapped(void **state)
{
    (void)state;
    assert_cannot_be_mapped("/dev/null", ENODEV);
}

static void test_a_directory_cannot_be_mapped(void **state)
{
    (void)state;
    assert_cannot_be_mapped("/", EISDIR);
}

static void test_a_pipe_cannot_be_mapped(void **state)
{
    char directory[4096];
    (void)state;
    snprintf(directory, sizeof directory, "%s", make_temporary_directory());
    const char *fifo = path_in(directory, "fifo");
    assert_int_equal(mkfifo(fifo, 0600), 0);
    assert_cannot_be_mapped(fifo, ENODEV);
    remove_tree(directory);
}

/* Sizes around the pieces in which a pipe is likely to be read. */
static const uint64_t bit_counts_for_pipes[] = {64,     31000,   31232,   31296,   522752,
                                                522816, 1000000, 1048576, 3000000, 30000000};

static void test_a_pipe_is_read_to_its_end(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(bit_counts_for_pipes); i++) {
        bloomfilter_options shape = OPTIONS(.bit_count = bit_counts_for_pipes[i], .hash_count = 3);
        bloomfilter *filter;
        bloomfilter *original = created(&shape);
        add_numbered(original, "user:", 0, 200);
        struct saved saved = saved_from(original);
        assert_int_equal(load_through_pipe(&filter, &saved, NULL), 0);
        assert_bytes_are(filter, saved.bytes, saved.size);
        add_numbered(filter, "item:", 0, 200);
        bloomfilter_free(filter);
        bloomfilter_free(original);
        forget(&saved);
    }
}

static void test_a_pipe_obeys_max_bytes(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(bit_counts_for_pipes); i++) {
        bloomfilter_options shape = OPTIONS(.bit_count = bit_counts_for_pipes[i], .hash_count = 3);
        bloomfilter_load_options options = BLOOMFILTER_LOAD_OPTIONS_INIT;
        bloomfilter *filter = poison;
        struct saved saved = saved_sample(&shape);
        options.max_bytes = saved.size;
        assert_int_equal(load_through_pipe(&filter, &saved, &options), 0);
        bloomfilter_free(filter);
        filter = poison;
        options.max_bytes = saved.size - 1;
        assert_int_equal(load_through_pipe(&filter, &saved, &options), BLOOMFILTER_ETOOLARGE);
        assert_null(filter);
        forget(&saved);
    }
}

static void test_a_pipe_takes_at_most_three_times_what_came_through(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(bit_counts_for_pipes); i++) {
        bloomfilter_options shape = OPTIONS(.bit_count = bit_counts_for_pipes[i], .hash_count = 3);
        struct saved saved = saved_sample(&shape);
        bloomfilter *filter;
        assert_int_equal(load_through_pipe(&filter, &saved, NULL), 0);
        if (largest_allocation > 3 * saved.size + A_FEW_KILOBYTES)
            fail_msg("%zu bytes came, %zu allocated", saved.size, largest_allocation);
        bloomfilter_free(filter);
        forget(&saved);
    }
}

/* ---- errno */

#define KEEPS_ERRNO(call)                                                                          \
    do {                                                                                           \
        errno = 4242;                                                                              \
        call;                                                                                      \
        assert_int_equal(errno, 4242);                                                             \
    } while (0)

static void test_free_keeps_errno(void **state)
{
    bloomfilter_options large = OPTIONS(.bit_count = 100000000, .hash_count = 3);
    struct saved saved = saved_sample(&shapes[0]);
    bloomfilter *filter = created(&large);
    (void)state;
    KEEPS_ERRNO(bloomfilter_free(NULL));
    KEEPS_ERRNO(bloomfilter_free(filter));
    filter = sample_of(&shapes[6]);
    KEEPS_ERRNO(bloomfilter_free(filter));
    for (size_t i = 0; i < WAYS; i++) {
        filter = opened(&ways[i], &saved, NULL);
        KEEPS_ERRNO(bloomfilter_free(filter));
    }
    forget(&saved);
}

static void test_opening_and_saving_keep_errno(void **state)
{
    struct saved saved = saved_sample(&shapes[0]);
    (void)state;
    for (size_t i = 0; i < WAYS; i++) {
        bloomfilter *filter;
        KEEPS_ERRNO(assert_int_equal(ways[i].open(&filter, &saved, NULL), 0));
        KEEPS_ERRNO(assert_int_equal(bloomfilter_save(filter, saved.path), 0));
        assert_int_equal(unlink(saved.path), 0);
        KEEPS_ERRNO(assert_int_equal(bloomfilter_save(filter, saved.path), 0));
        KEEPS_ERRNO(assert_int_equal(bloomfilter_verify(filter), 0));
        bloomfilter_free(filter);
    }
    forget(&saved);
}

static void test_successful_calls_in_memory_keep_errno(void **state)
{
    bloomfilter_options large = OPTIONS(.bit_count = 100000000, .hash_count = 3);
    bloomfilter *filter;
    bloomfilter *copy;
    (void)state;
    KEEPS_ERRNO(assert_int_equal(bloomfilter_create(&filter, &large), 0));
    bloomfilter_free(filter);
    KEEPS_ERRNO(assert_int_equal(bloomfilter_new(&filter, 1000, 0.01), 0));
    KEEPS_ERRNO(assert_int_equal(bloomfilter_add(filter, "key", 3), 1));
    KEEPS_ERRNO(assert_true(bloomfilter_contains(filter, "key", 3)));
    KEEPS_ERRNO(assert_int_equal(bloomfilter_set_metadata(filter, "meta", 4), 0));
    KEEPS_ERRNO(assert_int_equal(bloomfilter_copy(&copy, filter), 0));
    KEEPS_ERRNO(assert_int_equal(bloomfilter_union(filter, copy), 0));
    KEEPS_ERRNO(assert_int_equal(bloomfilter_intersect(filter, copy), 0));
    KEEPS_ERRNO(assert_int_equal(bloomfilter_measure_fpr(filter, 100, 1, NULL), 0));
    KEEPS_ERRNO(info_of(filter));
    KEEPS_ERRNO(bloomfilter_clear(filter));
    KEEPS_ERRNO(bloomfilter_strerror(-1));
    bloomfilter_free(filter);
    bloomfilter_free(copy);
}

/* ---- Memory that runs out */

static void fail_allocation(int n)
{
    allocations_until_failure = n;
}

static void let_allocations_pass(void)
{
    allocations_until_failure = -1;
}

/* A call that allocates; returns its code and, when it makes a filter, the filter. */
struct attempt {
    const struct saved *saved;
    const bloomfilter_options *options;
    bloomfilter *filter; /* copied, or given metadata */
};

typedef int attempt_call(const struct attempt *attempt, bloomfilter **out);

/* Fails the n-th allocation and all after it, for every n until the call passes. */
static void assert_fails_cleanly(attempt_call *call, const struct attempt *attempt,
                                 int least_allocations)
{
    for (int n = 0;; n++) {
        bloomfilter *out = poison;
        bloomfilter *before = attempt->filter != NULL ? copy_of(attempt->filter) : NULL;
        fail_allocation(n);
        int code = call(attempt, &out);
        let_allocations_pass();
        if (code == 0) {
            assert_true(n >= least_allocations);
            bloomfilter_free(out);
        } else {
            assert_int_equal(code, BLOOMFILTER_ENOMEM);
            assert_null(out);
            if (before != NULL)
                assert_same_filter(attempt->filter, before);
        }
        bloomfilter_free(before);
        if (code == 0)
            return;
    }
}

static int attempt_create(const struct attempt *attempt, bloomfilter **out)
{
    return bloomfilter_create(out, attempt->options);
}

static int attempt_new(const struct attempt *attempt, bloomfilter **out)
{
    (void)attempt;
    return bloomfilter_new(out, 1000, 0.01);
}

static int attempt_copy(const struct attempt *attempt, bloomfilter **out)
{
    return bloomfilter_copy(out, attempt->filter);
}

static int attempt_set_metadata(const struct attempt *attempt, bloomfilter **out)
{
    *out = NULL;
    return bloomfilter_set_metadata(attempt->filter, "new metadata", 12);
}

static int attempt_load(const struct attempt *attempt, bloomfilter **out)
{
    return load_it(out, attempt->saved, options_for(attempt->options));
}

static int attempt_deserialize(const struct attempt *attempt, bloomfilter **out)
{
    return deserialize_it(out, attempt->saved, options_for(attempt->options));
}

static int attempt_map(const struct attempt *attempt, bloomfilter **out)
{
    return map_it(out, attempt->saved, options_for(attempt->options));
}

static int attempt_view(const struct attempt *attempt, bloomfilter **out)
{
    return view_it(out, attempt->saved, options_for(attempt->options));
}

/* One on the heap, one keyed, one so large that its memory comes in pages. */
static const bloomfilter_options small_or_large[] = {
    OPTIONS(.capacity = 1000, .target_fpr = 0.01),
    OPTIONS(.capacity = 1000, .target_fpr = 0.01, .hash = 2, .secret = secret, .secret_size = 32),
    OPTIONS(.bit_count = (uint64_t)1 << 26, .hash_count = 3),
    OPTIONS(.bit_count = (uint64_t)1 << 26, .hash = 5, .layout = 2),
};

static void test_create_without_memory(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(small_or_large); i++) {
        struct attempt attempt = {.options = &small_or_large[i]};
        assert_fails_cleanly(attempt_create, &attempt, 2);
    }
}

static void test_new_without_memory(void **state)
{
    struct attempt attempt = {0};
    (void)state;
    assert_fails_cleanly(attempt_new, &attempt, 2);
}

static void test_copy_without_memory(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(small_or_large); i++) {
        struct attempt attempt = {.filter = sample_of(&small_or_large[i])};
        assert_fails_cleanly(attempt_copy, &attempt, 3);
        bloomfilter_free(attempt.filter);
    }
}

static void test_set_metadata_without_memory(void **state)
{
    struct attempt attempt = {.filter = sample_of(&shapes[0])};
    (void)state;
    assert_fails_cleanly(attempt_set_metadata, &attempt, 1);
    assert_metadata(attempt.filter, "new metadata", 12);
    bloomfilter_free(attempt.filter);
}

static void test_metadata_can_be_removed_without_memory(void **state)
{
    bloomfilter *filter = sample_of(&shapes[0]);
    (void)state;
    fail_allocation(0);
    int code = bloomfilter_set_metadata(filter, NULL, 0);
    let_allocations_pass();
    assert_int_equal(code, 0);
    assert_metadata(filter, NULL, 0);
    bloomfilter_free(filter);
}

static void assert_opening_fails_cleanly(attempt_call *call, int least_allocations)
{
    for (size_t i = 0; i < COUNT_OF(small_or_large); i++) {
        struct saved saved = saved_sample(&small_or_large[i]);
        struct attempt attempt = {.saved = &saved, .options = &small_or_large[i]};
        assert_fails_cleanly(call, &attempt, least_allocations);
        forget(&saved);
    }
}

static void test_load_without_memory(void **state)
{
    (void)state;
    assert_opening_fails_cleanly(attempt_load, 2);
}

static void test_deserialize_without_memory(void **state)
{
    (void)state;
    assert_opening_fails_cleanly(attempt_deserialize, 3);
}

static void test_map_without_memory(void **state)
{
    (void)state;
    assert_opening_fails_cleanly(attempt_map, 1);
}

static void test_view_without_memory(void **state)
{
    (void)state;
    assert_opening_fails_cleanly(attempt_view, 1);
}

/* The pipe is read with memory that runs out as it grows. */
static int attempt_load_through_pipe(const struct attempt *attempt, bloomfilter **out)
{
    return load_through_pipe(out, attempt->saved, NULL);
}

static void test_load_from_a_pipe_without_memory(void **state)
{
    bloomfilter_options shape = OPTIONS(.bit_count = 3000000, .hash_count = 3);
    struct saved saved = saved_sample(&shape);
    struct attempt attempt = {.saved = &saved};
    (void)state;
    assert_fails_cleanly(attempt_load_through_pipe, &attempt, 3);
    forget(&saved);
}

static void test_the_rest_needs_no_memory_at_all(void **state)
{
    struct saved saved = saved_sample(&shapes[0]);
    bloomfilter *filter = sample_of(&shapes[0]);
    bloomfilter *other = sample_of(&shapes[0]);
    bloomfilter_info info = BLOOMFILTER_INFO_INIT;
    const void *keys[2] = {"a", "b"};
    const size_t sizes[2] = {1, 1};
    uint8_t answers[2];
    (void)state;
    fail_allocation(0);
    largest_allocation = 0;
    int codes[] = {
        bloomfilter_plan(&shapes[0], &info),
        bloomfilter_peek(saved.bytes, saved.size, &info),
        bloomfilter_get_info(filter, &info),
        bloomfilter_add(filter, "user:1", 6),
        bloomfilter_add_many(filter, 2, keys, sizes, answers),
        bloomfilter_contains_many(filter, 2, keys, sizes, answers),
        bloomfilter_union(filter, other),
        bloomfilter_intersect(filter, other),
        bloomfilter_compatible(filter, other) - 1,
        bloomfilter_measure_fpr(filter, 100, 1, NULL),
        bloomfilter_serialize(filter, saved.bytes, saved.size),
        bloomfilter_verify(filter),
    };
    bloomfilter_clear(filter);
    let_allocations_pass();
    for (size_t i = 0; i < COUNT_OF(codes); i++)
        if (codes[i] != 0)
            fail_msg("call %zu: %d", i, codes[i]);
    assert_int_equal(largest_allocation, 0);
    bloomfilter_free(filter);
    bloomfilter_free(other);
    forget(&saved);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_saved_file_holds_the_serialized_bytes),
        cmocka_unit_test(test_every_way_in_gives_the_filter_that_was_saved),
        cmocka_unit_test(test_an_empty_filter_survives_every_way),
        cmocka_unit_test(test_saturated_insert_count_is_saved),
        cmocka_unit_test(test_measurement_is_saved),
        cmocka_unit_test(test_loaded_filters_go_on_like_the_original),
        cmocka_unit_test(test_a_loaded_filter_can_be_cleared_and_combined),
        cmocka_unit_test(test_copies_no_longer_need_what_they_came_from),
        cmocka_unit_test(test_the_copy_of_a_mapped_or_viewed_filter_can_be_changed),
        cmocka_unit_test(test_a_mapped_filter_outlives_the_replacing_of_its_file),
        cmocka_unit_test(test_a_mapped_filter_can_be_saved_over_its_own_file),
        cmocka_unit_test(test_a_view_needs_no_alignment),
        cmocka_unit_test(test_memory_bytes_of_opened_filters_count_what_they_hold),
        cmocka_unit_test(test_serialize_writes_exactly_the_serialized_size),
        cmocka_unit_test(test_serialize_refuses_too_little_room_and_writes_nothing),
        cmocka_unit_test(test_the_same_filter_gives_the_same_bytes),
        cmocka_unit_test(test_null_arguments_are_refused),
        cmocka_unit_test(test_smaller_load_options_have_zeros_for_the_rest),
        cmocka_unit_test(test_nothing_past_the_size_of_load_options_is_read),
        cmocka_unit_test(test_load_options_with_a_size_that_cannot_be_are_refused),
        cmocka_unit_test(test_larger_load_options_are_accepted_while_the_rest_is_zero),
        cmocka_unit_test(test_unknown_load_flags_are_refused),
        cmocka_unit_test(test_load_options_of_zeros_are_like_none),
        cmocka_unit_test(test_max_bytes_is_the_largest_file_that_is_read),
        cmocka_unit_test(test_max_bytes_refuses_before_anything_is_allocated),
        cmocka_unit_test(test_max_bytes_does_not_limit_what_is_opened_in_place),
        cmocka_unit_test(test_reading_allocates_no_more_than_the_file_and_a_few_kilobytes),
        cmocka_unit_test(test_a_large_filter_takes_whole_2_mib),
        cmocka_unit_test(test_opening_in_place_allocates_next_to_nothing),
        cmocka_unit_test(test_a_keyed_file_opens_with_its_secret_only),
        cmocka_unit_test(test_a_secret_for_an_unkeyed_file_is_refused),
        cmocka_unit_test(test_a_secret_of_a_size_that_none_has_is_refused),
        cmocka_unit_test(test_every_size_of_secret_survives),
        cmocka_unit_test(test_the_secret_is_not_in_the_file),
        cmocka_unit_test(test_the_secret_of_load_options_is_copied),
        cmocka_unit_test(test_a_keyed_header_cannot_be_altered_unnoticed),
        cmocka_unit_test(test_read_only_filters_refuse_every_change),
        cmocka_unit_test(test_read_only_filters_are_measured_but_not_recorded),
        cmocka_unit_test(test_a_read_only_filter_can_be_combined_into_another),
        cmocka_unit_test(test_filters_in_memory_of_their_own_are_always_fine),
        cmocka_unit_test(test_verify_finds_damage_in_every_part),
        cmocka_unit_test(test_damage_is_found_wherever_it_is_read),
        cmocka_unit_test(test_verify_finds_payloads_that_were_exchanged),
        cmocka_unit_test(test_damage_in_the_header_is_found_by_every_way),
        cmocka_unit_test(test_other_files_are_not_filters),
        cmocka_unit_test(test_peek_reads_the_longer_header_of_a_later_minor),
        cmocka_unit_test(test_a_later_major_format_is_told_apart_from_damage),
        cmocka_unit_test(test_cut_and_longer_files_are_damaged),
        cmocka_unit_test(test_peek_tells_what_the_header_says),
        cmocka_unit_test(test_peek_needs_the_header_only),
        cmocka_unit_test(test_peek_refuses_less_than_a_header),
        cmocka_unit_test(test_peek_finds_damage_in_an_unkeyed_header),
        cmocka_unit_test(test_peek_judges_by_insert_count_alone),
        cmocka_unit_test(test_a_new_filter_has_no_metadata),
        cmocka_unit_test(test_metadata_is_copied_replaced_and_removed),
        cmocka_unit_test(test_metadata_can_be_set_from_its_own_bytes),
        cmocka_unit_test(test_metadata_of_a_loaded_filter_can_be_set_from_its_own_bytes),
        cmocka_unit_test(test_metadata_stays_where_it_is_until_it_is_set),
        cmocka_unit_test(test_metadata_of_a_view_is_not_copied),
        cmocka_unit_test(test_metadata_of_every_size_around_64_survives),
        cmocka_unit_test(test_16_mib_of_metadata_survive),
        cmocka_unit_test(test_more_than_16_mib_of_metadata_are_refused),
        cmocka_unit_test(test_metadata_refuses_null),
        cmocka_unit_test(test_save_leaves_nothing_but_the_file),
        cmocka_unit_test(test_a_new_file_gets_0666_minus_the_umask),
        cmocka_unit_test(test_a_replaced_file_keeps_its_permissions),
        cmocka_unit_test(test_save_replaces_what_a_symbolic_link_points_to),
        cmocka_unit_test(test_a_symbolic_link_to_nowhere_is_refused),
        cmocka_unit_test(test_a_hard_link_keeps_the_old_content),
        cmocka_unit_test(test_save_says_why_it_cannot),
        cmocka_unit_test(test_a_file_that_is_not_there_is_told_by_errno),
        cmocka_unit_test(test_a_device_cannot_be_mapped),
        cmocka_unit_test(test_a_directory_cannot_be_mapped),
        cmocka_unit_test(test_a_pipe_cannot_be_mapped),
        cmocka_unit_test(test_a_pipe_is_read_to_its_end),
        cmocka_unit_test(test_a_pipe_obeys_max_bytes),
        cmocka_unit_test(test_a_pipe_takes_at_most_three_times_what_came_through),
        cmocka_unit_test(test_free_keeps_errno),
        cmocka_unit_test(test_opening_and_saving_keep_errno),
        cmocka_unit_test(test_successful_calls_in_memory_keep_errno),
        cmocka_unit_test(test_create_without_memory),
        cmocka_unit_test(test_new_without_memory),
        cmocka_unit_test(test_copy_without_memory),
        cmocka_unit_test(test_set_metadata_without_memory),
        cmocka_unit_test(test_metadata_can_be_removed_without_memory),
        cmocka_unit_test(test_load_without_memory),
        cmocka_unit_test(test_deserialize_without_memory),
        cmocka_unit_test(test_map_without_memory),
        cmocka_unit_test(test_view_without_memory),
        cmocka_unit_test(test_load_from_a_pipe_without_memory),
        cmocka_unit_test(test_the_rest_needs_no_memory_at_all),
    };
    return RUN(tests);
}
