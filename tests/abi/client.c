/* SPDX-License-Identifier: MIT */
/*
 * client VERSION DATA PATH: a program that uses every function of release 1.0, and knows the
 * answers. It is compiled with the header of 1.0 and runs with the library of today, and with one
 * whose structs have grown. VERSION is what the library in use must call itself, DATA is
 * tests/data/format, PATH is where to save.
 *
 * The expected numbers come from tests/read_format.py, which shares no code with the library.
 */
#include <bloomfilter.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "client.h"

enum { KEYS = 1000, OTHERS = 10000, MOST_BYTES = 8192, BATCH = 100 };

static const uint8_t secret[32] = {0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14, 15,
                                   16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31};

/* ---- Structs, each in front of a page that cannot be touched */

static bloomfilter_options *options_of(uint64_t capacity, double target_fpr)
{
    const bloomfilter_options init = BLOOMFILTER_OPTIONS_INIT;
    bloomfilter_options *options = at_the_edge(&init, sizeof init);
    options->capacity = capacity;
    options->target_fpr = target_fpr;
    return options;
}

static bloomfilter_load_options *load_options(void)
{
    const bloomfilter_load_options init = BLOOMFILTER_LOAD_OPTIONS_INIT;
    return at_the_edge(&init, sizeof init);
}

/* What was there before must not matter, but what a newer header appended must be zero. */
static bloomfilter_info *empty_info(void)
{
    const bloomfilter_info init = BLOOMFILTER_INFO_INIT;
    const size_t from = offsetof(bloomfilter_info, capacity);
    const size_t end = offsetof(bloomfilter_info, rebuild) + sizeof init.rebuild;
    bloomfilter_info *info = at_the_edge(&init, sizeof init);
    memset((uint8_t *)info + from, 0xa5, end - from);
    return info;
}

static bloomfilter_info *info_of(const bloomfilter *filter)
{
    bloomfilter_info *info = empty_info();
    REQUIRE(bloomfilter_get_info(filter, info) == 0);
    return info;
}

/* ---- Keys */

static size_t name_key(char *key, size_t room, const char *prefix, int i)
{
    return (size_t)snprintf(key, room, "%s:%d", prefix, i);
}

static int add_users(bloomfilter *filter, int from, int to)
{
    int new_count = 0;
    for (int i = from; i < to; i++) {
        char key[32];
        int code = bloomfilter_add(filter, key, name_key(key, sizeof key, "user", i));
        REQUIRE(code == 0 || code == 1);
        new_count += code;
    }
    return new_count;
}

static int count_found(const bloomfilter *filter, const char *prefix, int from, int to)
{
    int found = 0;
    for (int i = from; i < to; i++) {
        char key[32];
        found += bloomfilter_contains(filter, key, name_key(key, sizeof key, prefix, i));
    }
    return found;
}

/* BATCH users at once, from one on: how many are found, and were new before. */
static void add_and_find_batch(bloomfilter *filter, int from, int *new_count, int *found_count)
{
    char names[BATCH][32];
    const void *keys[BATCH];
    size_t sizes[BATCH];
    uint8_t was_new[BATCH], found[BATCH];
    for (int i = 0; i < BATCH; i++) {
        keys[i] = names[i];
        sizes[i] = name_key(names[i], sizeof names[i], "user", from + i);
    }
    REQUIRE(bloomfilter_add_many(filter, BATCH, keys, sizes, was_new) == 0);
    REQUIRE(bloomfilter_contains_many(filter, BATCH, keys, sizes, found) == 0);
    for (int i = 0; i < BATCH; i++) {
        *new_count += was_new[i];
        *found_count += found[i];
    }
}

static bloomfilter *filter_of_users(int from, int to)
{
    bloomfilter *filter;
    REQUIRE(bloomfilter_create(&filter, options_of(KEYS, 0.01)) == 0);
    add_users(filter, from, to);
    return filter;
}

/* ---- What the functions answer */

static void check_texts(const char *version)
{
    REQUIRE(strcmp(bloomfilter_version(), version) == 0);
    for (int code = BLOOMFILTER_ESELFTEST - 5; code <= 1; code++)
        REQUIRE(bloomfilter_strerror(code)[0] != '\0');
}

static void check_plan(void)
{
    bloomfilter_info *info = empty_info();
    bloomfilter_options *options = options_of(KEYS, 0.01);
    REQUIRE(bloomfilter_plan(options, info) == 0);
    REQUIRE(info->struct_size == sizeof *info && info->bit_count == 9586 && info->hash_count == 7);
    REQUIRE(info->hash == BLOOMFILTER_HASH_BLAKE2B_PAIR);
    REQUIRE(info->layout == BLOOMFILTER_LAYOUT_FLAT);
    REQUIRE(info->expected_fpr > 0.0100 && info->expected_fpr < 0.0104);

    options->bit_count = 4096;
    options->hash_count = 11;
    options->hash = BLOOMFILTER_HASH_MURMUR3_TWEAK;
    options->seed = 123456;
    REQUIRE(bloomfilter_plan(options, info) == 0);
    REQUIRE(info->bit_count == 4096 && info->hash_count == 11 && info->seed == 123456);
    options->secret = secret;
    options->secret_size = sizeof secret;
    REQUIRE(bloomfilter_plan(options, info) == BLOOMFILTER_EINVAL);
}

static void check_info(const bloomfilter *filter)
{
    const bloomfilter_info *info = info_of(filter);
    REQUIRE(info->struct_size == sizeof *info && info->capacity == KEYS);
    REQUIRE(info->target_fpr == 0.01 && info->bit_count == 9586 && info->hash_count == 7);
    REQUIRE(info->hash == BLOOMFILTER_HASH_BLAKE2B_PAIR && info->layout == BLOOMFILTER_LAYOUT_FLAT);
    REQUIRE(info->flags == 0 && info->seed == 0 && info->insert_count == KEYS);
    REQUIRE(info->bits_set == 4961 && info->fill == 4961.0 / 9586.0);
    REQUIRE(fabs(info->estimated_count - -9586.0 / 7.0 * log(1.0 - info->fill)) < 1e-6);
    REQUIRE(info->current_fpr > 0.0100 && info->current_fpr < 0.0108);
    REQUIRE(isnan(info->measured_fpr) && info->measured_probes == 0);
    REQUIRE(info->memory_bytes >= 9586 / 8 && info->format_major == 1 && info->format_minor == 0);
    REQUIRE(info->rebuild == BLOOMFILTER_REBUILD_NO);
}

static void check_adding(void)
{
    bloomfilter *filter;
    int new_count = 0, found_count = 0;
    REQUIRE(bloomfilter_new(&filter, KEYS, 0.01) == 0);
    REQUIRE(count_found(filter, "user", 0, KEYS) == 0);
    new_count = add_users(filter, 0, KEYS / 2);
    for (int i = KEYS / 2; i < KEYS; i += BATCH)
        add_and_find_batch(filter, i, &new_count, &found_count);
    REQUIRE(new_count == 999 && found_count == KEYS / 2);
    REQUIRE(count_found(filter, "user", 0, KEYS) == KEYS);
    REQUIRE(count_found(filter, "other", 0, OTHERS) == 116);
    check_info(filter);

    double fpr;
    REQUIRE(bloomfilter_measure_fpr(filter, 10000, 7, &fpr) == 0 && fpr == 0.0102);
    REQUIRE(info_of(filter)->measured_fpr == fpr && info_of(filter)->measured_probes == 10000);
    REQUIRE(bloomfilter_remove(filter, "user:1", 6) == BLOOMFILTER_EUNSUPPORTED);
    bloomfilter_clear(filter);
    REQUIRE(info_of(filter)->bits_set == 0 && count_found(filter, "user", 0, KEYS) == 0);
    bloomfilter_free(filter);
    bloomfilter_free(NULL);
}

static void check_combining(void)
{
    bloomfilter *both = filter_of_users(0, KEYS), *other = filter_of_users(500, 1500), *common;
    REQUIRE(bloomfilter_copy(&common, both) == 0);
    REQUIRE(bloomfilter_compatible(both, other) == 1);
    REQUIRE(bloomfilter_union(both, other) == 0 && info_of(both)->bits_set == 6381);
    REQUIRE(count_found(both, "user", 0, 1500) == 1500);
    REQUIRE(bloomfilter_intersect(common, other) == 0 && info_of(common)->bits_set == 3531);
    REQUIRE(count_found(common, "user", 500, KEYS) == KEYS - 500);
    bloomfilter_free(both);
    bloomfilter_free(other);
    bloomfilter_free(common);
}

/* ---- Files, compared with those that an independent writer made */

static size_t read_file(const char *path, uint8_t *bytes)
{
    FILE *file = fopen(path, "rb");
    REQUIRE(file != NULL);
    size_t size = fread(bytes, 1, MOST_BYTES, file);
    REQUIRE(size < MOST_BYTES && !ferror(file) && fclose(file) == 0);
    return size;
}

static size_t read_sample(const char *data, const char *name, uint8_t *bytes)
{
    char path[4096];
    REQUIRE(snprintf(path, sizeof path, "%s/%s", data, name) < (int)sizeof path);
    return read_file(path, bytes);
}

static void check_opened(bloomfilter *filter, uint32_t flags)
{
    REQUIRE(bloomfilter_verify(filter) == 0);
    REQUIRE(info_of(filter)->flags == flags && info_of(filter)->bits_set == 4961);
    REQUIRE(count_found(filter, "user", 0, KEYS) == KEYS);
    REQUIRE(count_found(filter, "other", 0, OTHERS) == 116);
    bloomfilter_free(filter);
}

static void check_files(const char *data, const char *path)
{
    static uint8_t expected[MOST_BYTES], bytes[MOST_BYTES];
    size_t expected_size = read_sample(data, "good-users-1000.bloom", expected);
    bloomfilter_info *info = empty_info();
    bloomfilter *filter = filter_of_users(0, KEYS);
    uint64_t size;

    REQUIRE(bloomfilter_serialized_size(filter, &size) == 0 && size == expected_size);
    REQUIRE(bloomfilter_serialize(filter, bytes, sizeof bytes) == 0);
    REQUIRE(memcmp(bytes, expected, expected_size) == 0);
    memset(bytes, 0, sizeof bytes);
    REQUIRE(bloomfilter_save(filter, path) == 0);
    REQUIRE(read_file(path, bytes) == expected_size);
    REQUIRE(memcmp(bytes, expected, expected_size) == 0);
    bloomfilter_free(filter);

    REQUIRE(bloomfilter_peek(bytes, 192, info) == 0 && info->insert_count == KEYS);
    REQUIRE(bloomfilter_load(&filter, path, load_options()) == 0);
    check_opened(filter, 0);
    REQUIRE(bloomfilter_load(&filter, path, NULL) == 0);
    check_opened(filter, 0);
    REQUIRE(bloomfilter_deserialize(&filter, bytes, expected_size, load_options()) == 0);
    check_opened(filter, 0);
    REQUIRE(bloomfilter_map(&filter, path, load_options()) == 0);
    check_opened(filter, BLOOMFILTER_FLAG_READ_ONLY);
    REQUIRE(bloomfilter_view(&filter, bytes, expected_size, load_options()) == 0);
    REQUIRE(bloomfilter_add(filter, "key", 3) == BLOOMFILTER_EREADONLY);
    check_opened(filter, BLOOMFILTER_FLAG_READ_ONLY);

    bloomfilter_load_options *limited = load_options();
    limited->max_bytes = 100;
    REQUIRE(bloomfilter_load(&filter, path, limited) == BLOOMFILTER_ETOOLARGE && filter == NULL);
    bytes[expected_size - 100] ^= 1;
    REQUIRE(bloomfilter_deserialize(&filter, bytes, expected_size, NULL) == BLOOMFILTER_EDAMAGED);
    REQUIRE(remove(path) == 0);
}

static void check_secret(const char *data)
{
    static uint8_t expected[MOST_BYTES], bytes[MOST_BYTES];
    size_t size = read_sample(data, "good-keyed.bloom", expected);
    bloomfilter_options *options = options_of(1000, 0.01);
    bloomfilter_load_options *load = load_options();
    bloomfilter *filter;

    options->secret = secret;
    options->secret_size = sizeof secret;
    REQUIRE(bloomfilter_create(&filter, options) == 0);
    add_users(filter, 0, 100);
    REQUIRE(bloomfilter_serialize(filter, bytes, sizeof bytes) == 0);
    REQUIRE(memcmp(bytes, expected, size) == 0);
    bloomfilter_free(filter);

    REQUIRE(bloomfilter_view(&filter, bytes, size, load) == BLOOMFILTER_ESECRET);
    load->secret = secret;
    load->secret_size = sizeof secret;
    REQUIRE(bloomfilter_view(&filter, bytes, size, load) == 0);
    REQUIRE(count_found(filter, "user", 0, 100) == 100);
    REQUIRE(info_of(filter)->flags == (BLOOMFILTER_FLAG_KEYED | BLOOMFILTER_FLAG_READ_ONLY));
    bloomfilter_free(filter);
}

static void check_metadata(void)
{
    bloomfilter *filter = filter_of_users(0, 10);
    const void *bytes;
    size_t size;
    REQUIRE(bloomfilter_get_metadata(filter, &bytes, &size) == 0 && bytes == NULL && size == 0);
    REQUIRE(bloomfilter_set_metadata(filter, "lower case", 10) == 0);
    REQUIRE(bloomfilter_get_metadata(filter, &bytes, &size) == 0 && size == 10);
    REQUIRE(memcmp(bytes, "lower case", 10) == 0);
    bloomfilter_free(filter);
}

int main(int argc, char **argv)
{
    if (argc != 4)
        return 2;
    check_texts(argv[1]);
    check_plan();
    check_adding();
    check_combining();
    check_files(argv[2], argv[3]);
    check_secret(argv[2]);
    check_metadata();
    return 0;
}
