/* SPDX-License-Identifier: MIT */
/*
 * Counts add operations, exactly, from many threads at once. Each thread adds to a stripe on a
 * cache line of its own, so that threads do not fight over one; the count is the sum.
 */
#ifndef BLOOMFILTER_HANDLE_INSERT_COUNTER_H
#define BLOOMFILTER_HANDLE_INSERT_COUNTER_H

#include <stdatomic.h>
#include <stdint.h>

#include "file/file.h"
#include "support/threads.h"

enum { INSERT_STRIPE = 64 /* bytes: a cache line */ };

struct insert_stripe {
    _Alignas(INSERT_STRIPE) _Atomic uint64_t count;
};

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

static inline struct insert_stripe *insert_stripe(const struct insert_counter *counter,
                                                  uint64_t index)
{
    return (struct insert_stripe *)(void *)counter->stripes.start + index;
}

/* Any number of threads may add and read at once. To add, call insert_counter_add. */
void bloomfilter_insert_counter_add_shared(struct insert_counter *counter, uint64_t count);
uint64_t bloomfilter_insert_counter_read(const struct insert_counter *counter); /* saturating */

static inline void insert_counter_add(struct insert_counter *counter, uint64_t count)
{
    if (!thread_is_alone()) {
        bloomfilter_insert_counter_add_shared(counter, count);
        return;
    }
    _Atomic uint64_t *first = &insert_stripe(counter, 0)->count;
    uint64_t before = atomic_load_explicit(first, memory_order_relaxed);
    atomic_store_explicit(first, before + count, memory_order_relaxed);
}

/* Needs the counter to itself. */
void bloomfilter_insert_counter_set(struct insert_counter *counter, uint64_t count);

#endif
