/* SPDX-License-Identifier: MIT */
/*
 * Whole files: those that an independent writer made (data/format), good and bad, and those that
 * releases of this library made (data/format-1), which are frozen. Runs with this release, and with
 * one of the future (tests/later), which has to read all of them alike.
 */
#include "support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "allocations.h"
#include "frozen.h"

/* A file, and what its row says of it. */
struct sample {
    char name[300]; /* below data/ */
    int expected;
    const char *keys;
    uint8_t secret[64];
    size_t secret_size;
    uint8_t *bytes;
    size_t size;
};

typedef void sample_check(const struct sample *sample);

static int expected_code(const char *expect)
{
    static const struct {
        const char *text;
        int code;
    } codes[] = {
        {"ok", 0},
        {"not a filter", BLOOMFILTER_ENOTFILTER},
        {"damaged", BLOOMFILTER_EDAMAGED},
        {"newer format", BLOOMFILTER_ENEWER},
        {"unknown feature", BLOOMFILTER_EUNSUPPORTED},
        {"secret", BLOOMFILTER_ESECRET},
    };
    for (size_t i = 0; i < sizeof codes / sizeof codes[0]; i++)
        if (strcmp(codes[i].text, expect) == 0)
            return codes[i].code;
    fail_msg("unknown expectation: %s", expect);
    return 1;
}

struct folder {
    const char *name;
    sample_check *check;
};

static void sample_row(char *const f[], void *context)
{
    const struct folder *folder = context;
    struct sample sample = {.expected = expected_code(f[1]), .keys = f[2]};
    snprintf(sample.name, sizeof sample.name, "%s/%s", folder->name, f[0]);
    sample.secret_size = from_hex(f[3], sample.secret, sizeof sample.secret);
    sample.bytes = read_data(sample.name, &sample.size);
    folder->check(&sample);
    free(sample.bytes);
}

static void for_each_sample(sample_check *check)
{
    struct folder independent = {"format", check};
    struct folder frozen = {"format-1", check};
    assert_int_equal(for_each_row("format/INDEX.csv", 5, sample_row, &independent), 49);
    assert_true(for_each_row("format-1/INDEX.csv", FROZEN_COLUMNS, sample_row, &frozen) >= 53);
}

static bloomfilter_load_options options_of(const struct sample *sample)
{
    bloomfilter_load_options options = BLOOMFILTER_LOAD_OPTIONS_INIT;
    options.secret = sample->secret_size != 0 ? sample->secret : NULL;
    options.secret_size = sample->secret_size;
    return options;
}

static const char *sample_path(const struct sample *sample)
{
    return data_path(sample->name);
}

static void expect(const struct sample *sample, const char *how, int code, bloomfilter *filter)
{
    if (code != sample->expected)
        fail_msg("%s: %s gives %d, not %d", sample->name, how, code, sample->expected);
    assert_true((filter != NULL) == (code == 0));
}

static void check_copies(const struct sample *sample)
{
    bloomfilter_load_options options = options_of(sample);
    bloomfilter *filter = (bloomfilter *)&options;
    int code = bloomfilter_load(&filter, sample_path(sample), &options);
    expect(sample, "load", code, filter);
    if (filter != NULL)
        for_each_key(sample->keys, assert_contains_key, filter);
    bloomfilter_free(filter);

    code = bloomfilter_deserialize(&filter, sample->bytes, sample->size, &options);
    expect(sample, "deserialize", code, filter);
    if (filter != NULL) {
        assert_int_equal(bloomfilter_verify(filter), 0);
        for_each_key(sample->keys, assert_contains_key, filter);
    }
    bloomfilter_free(filter);
}

/* A file that is damaged behind the header can be opened in place; verify then finds it. */
static void check_in_place(const struct sample *sample)
{
    bloomfilter_load_options options = options_of(sample);
    bloomfilter *filter;
    int code = bloomfilter_map(&filter, sample_path(sample), &options);
    if (code == 0)
        code = bloomfilter_verify(filter);
    if (code != sample->expected)
        fail_msg("%s: map and verify give %d, not %d", sample->name, code, sample->expected);
    if (code == 0)
        for_each_key(sample->keys, assert_contains_key, filter);
    bloomfilter_free(filter);

    /* A view needs no alignment. */
    for (size_t shift = 0; shift < 9; shift += 3) {
        uint8_t *bytes = malloc(sample->size + shift);
        memcpy(bytes + shift, sample->bytes, sample->size);
        code = bloomfilter_view(&filter, bytes + shift, sample->size, &options);
        if (code == 0)
            code = bloomfilter_verify(filter);
        assert_int_equal(code, sample->expected);
        if (code == 0) {
            for_each_key(sample->keys, assert_contains_key, filter);
            assert_true(info_of(filter).flags & BLOOMFILTER_FLAG_READ_ONLY);
        }
        bloomfilter_free(filter);
        free(bytes);
    }
}

static void check_peek(const struct sample *sample)
{
    bloomfilter_info peeked = BLOOMFILTER_INFO_INIT;
    bloomfilter_load_options options = options_of(sample);
    bloomfilter *filter;
    int code = bloomfilter_peek(sample->bytes, sample->size, &peeked);
    if (sample->expected != 0) {
        /* A header says nothing of the secret that a reader has, nor of damage behind it. */
        assert_true(code == sample->expected || code == 0);
        return;
    }
    assert_int_equal(code, 0);
    assert_int_equal(bloomfilter_load(&filter, sample_path(sample), &options), 0);
    bloomfilter_info loaded = info_of(filter);
    assert_int_equal(peeked.capacity, loaded.capacity);
    assert_true(peeked.target_fpr == loaded.target_fpr);
    assert_int_equal(peeked.bit_count, loaded.bit_count);
    assert_int_equal(peeked.hash_count, loaded.hash_count);
    assert_int_equal(peeked.hash, loaded.hash);
    assert_int_equal(peeked.layout, loaded.layout);
    assert_int_equal(peeked.flags, loaded.flags);
    assert_int_equal(peeked.seed, loaded.seed);
    assert_int_equal(peeked.insert_count, loaded.insert_count);
    assert_true(peeked.expected_fpr == loaded.expected_fpr);
    assert_int_equal(peeked.measured_probes, loaded.measured_probes);
    assert_int_equal(peeked.format_minor, loaded.format_minor);
    assert_int_equal(peeked.memory_bytes, sample->size);
    bloomfilter_free(filter);
}

/* Whether the release that is tested writes another minor version than the file's. */
static bool is_other_minor(const struct sample *sample)
{
    bloomfilter *filter = new_filter(1, 0.5);
    bool is_other = info_of(filter).format_minor != sample->bytes[10];
    bloomfilter_free(filter);
    return is_other;
}

static void assert_same_bytes(const struct sample *sample, const bloomfilter *filter)
{
    size_t size;
    uint8_t *bytes = serialized(filter, &size);
    assert_int_equal(size, sample->size);
    assert_memory_equal(bytes, sample->bytes, size);
    free(bytes);
}

static void check_rewrite(const struct sample *sample)
{
    bloomfilter_load_options options = options_of(sample);
    bloomfilter *filter;
    if (sample->expected != 0 || is_other_minor(sample))
        return;
    assert_int_equal(bloomfilter_deserialize(&filter, sample->bytes, sample->size, &options), 0);
    assert_same_bytes(sample, filter);
    bloomfilter_free(filter);
}

/* What this release does not know of a later minor version is not written again. */
static void check_rewrite_of_other_minor(const struct sample *sample)
{
    bloomfilter_load_options options = options_of(sample);
    bloomfilter *filter;
    bloomfilter *again;
    size_t size;
    if (sample->expected != 0 || !is_other_minor(sample))
        return;
    assert_int_equal(bloomfilter_deserialize(&filter, sample->bytes, sample->size, &options), 0);
    uint8_t *bytes = serialized(filter, &size);
    assert_int_not_equal(bytes[10], sample->bytes[10]);
    assert_int_equal(bloomfilter_deserialize(&again, bytes, size, &options), 0);
    for_each_key(sample->keys, assert_contains_key, again);
    assert_same_filter(again, filter);
    bloomfilter_free(again);
    bloomfilter_free(filter);
    free(bytes);
}

static void check_rebuild(const struct sample *sample)
{
    bloomfilter_load_options load_options = options_of(sample);
    bloomfilter_options options = BLOOMFILTER_OPTIONS_INIT;
    bloomfilter *original;
    bloomfilter *filter;
    const void *metadata;
    size_t metadata_size;

    if (sample->expected != 0 || is_other_minor(sample))
        return;
    assert_int_equal(bloomfilter_deserialize(&original, sample->bytes, sample->size, &load_options),
                     0);
    bloomfilter_info info = info_of(original);
    options.capacity = info.capacity;
    options.target_fpr = info.target_fpr;
    options.bit_count = info.bit_count;
    options.hash_count = info.hash_count;
    options.hash = info.hash;
    options.layout = info.layout;
    options.seed = info.seed;
    options.secret = load_options.secret;
    options.secret_size = load_options.secret_size;
    assert_int_equal(bloomfilter_create(&filter, &options), 0);

    size_t added = 0;
    if (sample->keys[0] == '\0') /* good-one-bit: any key sets its only bit */
        add_numbered(filter, "user:", 0, added = (size_t)info.insert_count);
    while (added < info.insert_count)
        added += for_each_key(sample->keys, add_key, filter);
    bloomfilter_get_metadata(original, &metadata, &metadata_size);
    assert_int_equal(bloomfilter_set_metadata(filter, metadata, metadata_size), 0);
    if (info.measured_probes == 0) { /* else it was measured with probes that we have not got */
        assert_same_bytes(sample, filter);
    } else {
        assert_int_equal(info_of(filter).bits_set, info.bits_set);
        assert_int_equal(bloomfilter_union(filter, original), 0);
        assert_int_equal(info_of(filter).bits_set, info.bits_set);
    }
    bloomfilter_free(filter);
    bloomfilter_free(original);
}

/* ---- The frozen files, of which all is known */

static void assert_is_row(const bloomfilter *filter, const struct frozen *row)
{
    bloomfilter_info info = info_of(filter);
    const void *metadata;
    size_t metadata_size;
    assert_int_equal(info.capacity, row->options.capacity);
    assert_true(info.target_fpr == row->options.target_fpr);
    assert_int_equal(info.bit_count, row->options.bit_count);
    assert_int_equal(info.hash_count, row->options.hash_count);
    assert_int_equal(info.hash, row->options.hash);
    assert_int_equal(info.layout, row->options.layout);
    assert_true(info.seed == row->options.seed);
    assert_int_equal(info.flags & BLOOMFILTER_FLAG_KEYED, row->options.secret_size != 0);
    assert_int_equal(info.insert_count, row->insert_count);
    assert_int_equal(info.measured_probes, row->probes);
    assert_int_equal(info.format_minor, 0);
    assert_int_equal(bloomfilter_get_metadata(filter, &metadata, &metadata_size), 0);
    assert_int_equal(metadata_size, row->metadata_size);
    if (metadata_size != 0)
        assert_memory_equal(metadata, row->metadata, metadata_size);
    if (count_false_positives(filter) != row->false_positives)
        fail_msg("%s: %d false positives, not %d", row->name, (int)count_false_positives(filter),
                 (int)row->false_positives);
}

static void check_frozen_answers(const struct frozen *row, void *context)
{
    char name[300];
    size_t size;
    bloomfilter *filter;
    (void)context;
    snprintf(name, sizeof name, "format-1/%s", row->name);
    uint8_t *bytes = read_data(name, &size);
    assert_int_equal(bloomfilter_load(&filter, data_path(name), &row->load_options), 0);
    assert_is_row(filter, row);
    bloomfilter_free(filter);
    assert_int_equal(bloomfilter_map(&filter, data_path(name), &row->load_options), 0);
    assert_is_row(filter, row);
    bloomfilter_free(filter);
    assert_int_equal(bloomfilter_deserialize(&filter, bytes, size, &row->load_options), 0);
    assert_is_row(filter, row);
    bloomfilter_free(filter);
    free(bytes);
}

/* The same keys give the same file, in the release that is tested as in the one that made it. */
static void check_frozen_making(const struct frozen *row, void *context)
{
    char name[300];
    size_t size;
    bloomfilter *original;
    (void)context;
    snprintf(name, sizeof name, "format-1/%s", row->name);
    uint8_t *bytes = read_data(name, &size);
    bloomfilter *filter = make_frozen(row);
    assert_int_equal(bloomfilter_deserialize(&original, bytes, size, &row->load_options), 0);
    assert_same_filter(filter, original);
    if (info_of(filter).format_minor == 0)
        assert_bytes_are(filter, bytes, size);
    bloomfilter_free(original);
    bloomfilter_free(filter);
    free(bytes);
}

static void check_allocations(const struct sample *sample)
{
    bloomfilter_load_options options = options_of(sample);
    bloomfilter *filter;
    if (sample->expected == 0)
        return;
    const char *path = sample_path(sample);
    largest_allocation = 0;
    assert_true(bloomfilter_load(&filter, path, &options) < 0);
    assert_true(bloomfilter_deserialize(&filter, sample->bytes, sample->size, &options) < 0);
    if (largest_allocation > sample->size)
        fail_msg("%s of %zu bytes: %zu bytes allocated", sample->name, sample->size,
                 largest_allocation);
}

static void test_copies(void **state)
{
    (void)state;
    for_each_sample(check_copies);
}

static void test_in_place(void **state)
{
    (void)state;
    for_each_sample(check_in_place);
}

static void test_peek(void **state)
{
    (void)state;
    for_each_sample(check_peek);
}

static void test_rewrite(void **state)
{
    (void)state;
    for_each_sample(check_rewrite);
}

static void test_rewrite_of_other_minor(void **state)
{
    (void)state;
    for_each_sample(check_rewrite_of_other_minor);
}

static void test_rebuild(void **state)
{
    (void)state;
    for_each_sample(check_rebuild);
}

static void test_frozen_answers(void **state)
{
    (void)state;
    for_each_frozen("format-1/INDEX.csv", check_frozen_answers, NULL);
}

static void test_frozen_making(void **state)
{
    (void)state;
    for_each_frozen("format-1/INDEX.csv", check_frozen_making, NULL);
}

static void test_allocations(void **state)
{
    (void)state;
    for_each_sample(check_allocations);
}

/* Whichever single bit of a file is flipped, it no longer opens. From a file, every bit of the
 * header is tried and every seventh of the rest: the same reader reads both. */
static void test_every_flipped_bit(void **state)
{
    const char *directory = make_temporary_directory();
    const char *path = path_in(directory, "flipped.bloom");
    bloomfilter *filter;
    size_t size;
    (void)state;

    assert_int_equal(bloomfilter_new(&filter, 1000, 0.01), 0);
    add_numbered(filter, "user:", 0, 1000);
    uint8_t *bytes = serialized(filter, &size);
    bloomfilter_free(filter);
    for (size_t bit = 0; bit < size * 8; bit++) {
        bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
        if (bit < 2048 || bit % 7 == 0) {
            write_path(path, bytes, size);
            if (bloomfilter_load(&filter, path, NULL) >= 0)
                fail_msg("bit %zu flipped: loaded", bit);
        }
        if (bloomfilter_deserialize(&filter, bytes, size, NULL) >= 0)
            fail_msg("bit %zu flipped: deserialized", bit);
        bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
    }
    write_path(path, bytes, size);
    assert_int_equal(bloomfilter_load(&filter, path, NULL), 0);
    bloomfilter_free(filter);
    free(bytes);
    remove_tree(directory);
}

/* Wherever a file is cut, it no longer opens. */
static void test_every_truncation(void **state)
{
    bloomfilter *filter;
    size_t size;
    (void)state;
    uint8_t *bytes = read_data("format/good-metadata-measured.bloom", &size);
    for (size_t cut = 0; cut < size; cut++) {
        uint8_t *part = malloc(cut + 1); /* of its own, so that a read past the end is seen */
        memcpy(part, bytes, cut);
        int code = bloomfilter_deserialize(&filter, part, cut, NULL);
        assert_int_equal(code, cut < 8 ? BLOOMFILTER_ENOTFILTER : BLOOMFILTER_EDAMAGED);
        assert_int_equal(bloomfilter_view(&filter, part, cut, NULL), code);
        free(part);
    }
    free(bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_copies),
        cmocka_unit_test(test_in_place),
        cmocka_unit_test(test_peek),
        cmocka_unit_test(test_rewrite),
        cmocka_unit_test(test_rewrite_of_other_minor),
        cmocka_unit_test(test_rebuild),
        cmocka_unit_test(test_frozen_answers),
        cmocka_unit_test(test_frozen_making),
        cmocka_unit_test(test_allocations),
        cmocka_unit_test(test_every_flipped_bit),
        cmocka_unit_test(test_every_truncation),
    };
    return RUN(tests);
}
