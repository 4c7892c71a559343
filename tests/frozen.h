/* SPDX-License-Identifier: MIT */
/* Filters that an index tells in full (tests/data/format-1/README.md), so that they can be made
 * again from their row. Public interface only. */
#ifndef BLOOMFILTER_TESTS_FROZEN_H
#define BLOOMFILTER_TESTS_FROZEN_H

#include <stddef.h>
#include <stdint.h>

#include "bloomfilter.h"

enum { FROZEN_COLUMNS = 17 };

struct frozen {
    const char *name; /* of the file */
    const char *keys; /* for for_each_key */
    bloomfilter_options options;
    bloomfilter_load_options load_options;
    uint64_t insert_count; /* the keys are added again and again until it is reached */
    uint8_t metadata[128];
    size_t metadata_size;
    uint64_t probes; /* of the measurement; 0: never measured */
    uint64_t probe_seed;
    uint64_t false_positives; /* of the keys asked by count_false_positives */
    uint8_t secret[BLOOMFILTER_MAX_SECRET_SIZE];
};

/* Calls `take` with each row of tests/data/NAME; returns how many. */
size_t for_each_frozen(const char *name, void (*take)(const struct frozen *row, void *context),
                       void *context);

/* Makes the filter of a row; fails the test if that cannot be done. The caller frees it. */
bloomfilter *make_frozen(const struct frozen *row);

/* How many of absent:0 to absent:999 are found. */
uint64_t count_false_positives(const bloomfilter *filter);

#endif
