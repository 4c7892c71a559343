/* SPDX-License-Identifier: MIT */
#include "frozen.h"

#include <stdio.h>
#include <stdlib.h>

#include "support.h"

enum column {
    FILE_NAME,
    EXPECT, /* "ok": for read_format.py and test_format_files.c, which read other indexes too */
    KEYS,
    SECRET,
    HASH,
    LAYOUT,
    BIT_COUNT,
    HASH_COUNT,
    CAPACITY,
    TARGET_FPR,
    SEED,
    INSERT_COUNT,
    METADATA,
    PROBES,
    PROBE_SEED,
    FALSE_POSITIVES,
    SHA256 /* for check_frozen.py */
};

struct taker {
    void (*take)(const struct frozen *row, void *context);
    void *context;
};

static uint64_t number(const char *text)
{
    char *end;
    uint64_t value = strtoull(text, &end, 10);
    if (end == text || *end != '\0')
        fail_msg("not a number: %s", text);
    return value;
}

static void take_row(char *const f[], void *context)
{
    const struct taker *taker = context;
    struct frozen row = {
        .name = f[FILE_NAME],
        .keys = f[KEYS],
        .options = {.struct_size = sizeof row.options,
                    .capacity = number(f[CAPACITY]),
                    .target_fpr = strtod(f[TARGET_FPR], NULL),
                    .bit_count = number(f[BIT_COUNT]),
                    .hash_count = (uint32_t)number(f[HASH_COUNT]),
                    .hash = (uint32_t)number(f[HASH]),
                    .layout = (uint32_t)number(f[LAYOUT]),
                    .seed = number(f[SEED])},
        .load_options = {.struct_size = sizeof row.load_options},
        .insert_count = number(f[INSERT_COUNT]),
        .probes = number(f[PROBES]),
        .probe_seed = number(f[PROBE_SEED]),
        .false_positives = number(f[FALSE_POSITIVES]),
    };
    row.metadata_size = from_hex(f[METADATA], row.metadata, sizeof row.metadata);
    size_t secret_size = from_hex(f[SECRET], row.secret, sizeof row.secret);
    row.options.secret = row.load_options.secret = secret_size != 0 ? row.secret : NULL;
    row.options.secret_size = row.load_options.secret_size = secret_size;
    taker->take(&row, taker->context);
}

size_t for_each_frozen(const char *name, void (*take)(const struct frozen *row, void *context),
                       void *context)
{
    struct taker taker = {take, context};
    return for_each_row(name, FROZEN_COLUMNS, take_row, &taker);
}

bloomfilter *make_frozen(const struct frozen *row)
{
    bloomfilter *filter = created(&row->options);
    for (uint64_t added = 0; added < row->insert_count;) {
        size_t count = for_each_key(row->keys, add_key, filter);
        if (count == 0)
            fail_msg("%s: no keys", row->name);
        added += count;
    }
    assert_int_equal(bloomfilter_set_metadata(filter, row->metadata, row->metadata_size), 0);
    if (row->probes != 0)
        assert_int_equal(bloomfilter_measure_fpr(filter, row->probes, row->probe_seed, NULL), 0);
    return filter;
}

uint64_t count_false_positives(const bloomfilter *filter)
{
    uint64_t count = 0;
    for (int i = 0; i < 1000; i++) {
        char key[32];
        count += bloomfilter_contains(filter, key, (size_t)sprintf(key, "absent:%d", i));
    }
    return count;
}
