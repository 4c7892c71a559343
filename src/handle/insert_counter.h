/* SPDX-License-Identifier: MIT */
/*
 * Counts add operations, exactly, from many threads at once. Each thread adds to a stripe on a
 * cache line of its own, so that threads do not fight over one; the count is the sum.
 */
#ifndef BLOOMFILTER_HANDLE_INSERT_COUNTER_H
#define BLOOMFILTER_HANDLE_INSERT_COUNTER_H

#include <stdint.h>

#include "file/file.h"

struct insert_counter {
    uint64_t base;        /* what was counted before this filter was opened or last combined */
    uint64_t stripe_mask; /* number of stripes less 1 */
    struct memory stripes;
};

/* Bytes of the stripes that are worth it beside payload_size bytes of cells. */
uint64_t bloomfilter_insert_counter_size(uint64_t payload_size);

/* Makes a counter at 0. Returns 0 or ENOMEM. */
int bloomfilter_insert_counter_create(struct insert_counter *counter, uint64_t payload_size);
void bloomfilter_insert_counter_destroy(struct insert_counter *counter);

/* Any number of threads may add and read at once. */
void bloomfilter_insert_counter_add(struct insert_counter *counter, uint64_t count);
uint64_t bloomfilter_insert_counter_read(const struct insert_counter *counter); /* saturating */

/* Needs the counter to itself. */
void bloomfilter_insert_counter_set(struct insert_counter *counter, uint64_t count);

#endif
