/* SPDX-License-Identifier: MIT */
/*
 * newer_client SAMPLE: a program of a later release, whose structs have more fields, and an older
 * library. What it leaves zero is accepted and stays zero; what it asks for that the library
 * cannot do is refused, byte by byte. SAMPLE is good-users-1000.bloom.
 */
#include "client.h"

static const char *sample;
static uint8_t sample_bytes[8192];
static size_t sample_size;

/* ---- Every function that takes a struct; each returns its code, with nothing left behind */

static int finish(int code, bloomfilter *filter)
{
    REQUIRE((code == 0) == (filter != NULL));
    bloomfilter_free(filter);
    return code;
}

static int create(void *options)
{
    bloomfilter *filter;
    int code = bloomfilter_create(&filter, options);
    return finish(code, filter);
}

static int plan(void *options)
{
    bloomfilter_info info = BLOOMFILTER_INFO_INIT;
    return bloomfilter_plan(options, &info);
}

static int load(void *options)
{
    bloomfilter *filter;
    int code = bloomfilter_load(&filter, sample, options);
    return finish(code, filter);
}

static int map(void *options)
{
    bloomfilter *filter;
    int code = bloomfilter_map(&filter, sample, options);
    return finish(code, filter);
}

static int view(void *options)
{
    bloomfilter *filter;
    int code = bloomfilter_view(&filter, sample_bytes, sample_size, options);
    return finish(code, filter);
}

static int deserialize(void *options)
{
    bloomfilter *filter;
    int code = bloomfilter_deserialize(&filter, sample_bytes, sample_size, options);
    return finish(code, filter);
}

static int get_info(void *info)
{
    bloomfilter *filter;
    REQUIRE(bloomfilter_new(&filter, 1000, 0.01) == 0);
    int code = bloomfilter_get_info(filter, info);
    bloomfilter_free(filter);
    return code;
}

static int plan_into(void *info)
{
    bloomfilter_options options = BLOOMFILTER_OPTIONS_INIT;
    options.capacity = 1000;
    options.target_fpr = 0.01;
    return bloomfilter_plan(&options, info);
}

static int peek(void *info)
{
    return bloomfilter_peek(sample_bytes, sample_size, info);
}

/* ---- What is appended */

/* `is_written`: an info, of which the library fills the part that it knows. */
static void check(const char *name, int (*call)(void *), const void *bytes, size_t known,
                  size_t size, int is_written)
{
    uint8_t *given = at_the_edge(bytes, size);
    printf("%s: %zu bytes, of which the library knows %zu\n", name, size, known);
    REQUIRE(size > known);
    REQUIRE(call(given) == 0);
    for (size_t at = known; at < size; at++)
        REQUIRE(given[at] == 0);
    REQUIRE((memcmp(given, bytes, known) != 0) == is_written);

    for (size_t at = known; at < size; at++) {
        memcpy(given, bytes, size);
        given[at] = 1;
        REQUIRE(call(given) == BLOOMFILTER_EINVAL);
        REQUIRE(memcmp(given, bytes, at) == 0 && given[at] == 1);
        REQUIRE(memcmp(given + at + 1, (const uint8_t *)bytes + at + 1, size - at - 1) == 0);
    }
}

static void check_structs(void)
{
    bloomfilter_options options = BLOOMFILTER_OPTIONS_INIT;
    const bloomfilter_load_options load_options = BLOOMFILTER_LOAD_OPTIONS_INIT;
    const bloomfilter_info info = BLOOMFILTER_INFO_INIT;
    const size_t options_known = offsetof(bloomfilter_options, tomorrow);
    const size_t load_known = offsetof(bloomfilter_load_options, tomorrow);
    const size_t info_known = offsetof(bloomfilter_info, tomorrow);
    options.capacity = 1000;
    options.target_fpr = 0.01;

    check("create", create, &options, options_known, sizeof options, 0);
    check("plan", plan, &options, options_known, sizeof options, 0);
    check("load", load, &load_options, load_known, sizeof load_options, 0);
    check("map", map, &load_options, load_known, sizeof load_options, 0);
    check("view", view, &load_options, load_known, sizeof load_options, 0);
    check("deserialize", deserialize, &load_options, load_known, sizeof load_options, 0);
    check("get_info", get_info, &info, info_known, sizeof info, 1);
    check("plan", plan_into, &info, info_known, sizeof info, 1);
    check("peek", peek, &info, info_known, sizeof info, 1);
}

/* ---- Values that enums have gained */

static void check_enums(void)
{
    bloomfilter_options options = BLOOMFILTER_OPTIONS_INIT;
    options.capacity = 1000;
    options.target_fpr = 0.01;
    options.hash = BLOOMFILTER_HASH_TOMORROW;
    REQUIRE(create(&options) == BLOOMFILTER_EUNSUPPORTED);
    REQUIRE(plan(&options) == BLOOMFILTER_EUNSUPPORTED);
    options.hash = 0;
    options.layout = BLOOMFILTER_LAYOUT_TOMORROW;
    REQUIRE(create(&options) == BLOOMFILTER_EUNSUPPORTED);
    REQUIRE(plan(&options) == BLOOMFILTER_EUNSUPPORTED);
    REQUIRE(bloomfilter_strerror(BLOOMFILTER_ETOMORROW)[0] != '\0');
}

int main(int argc, char **argv)
{
    FILE *file;
    if (argc != 2 || (file = fopen(argv[1], "rb")) == NULL)
        return 2;
    sample = argv[1];
    sample_size = fread(sample_bytes, 1, sizeof sample_bytes, file);
    fclose(file);
    check_structs();
    check_enums();
    return 0;
}
