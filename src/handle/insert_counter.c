/* SPDX-License-Identifier: MIT */
#include "handle/insert_counter.h"

#include <stdatomic.h>

#include "support/checked.h"
#include "support/threads.h"

enum {
    CACHE_LINE = 64,
    MAX_STRIPES = 64,
    CELLS_PER_STRIPE = 16 * CACHE_LINE /* so that stripes take at most a sixteenth of the cells */
};

struct stripe {
    _Alignas(CACHE_LINE) _Atomic uint64_t count;
};

uint64_t bloomfilter_insert_counter_size(uint64_t payload_size)
{
    uint64_t stripes = 1;
    while (stripes < MAX_STRIPES && stripes * 2 * CELLS_PER_STRIPE <= payload_size)
        stripes *= 2;
    return stripes * sizeof(struct stripe);
}

/* Threads are numbered as they come. */
static unsigned thread_number(void)
{
    static atomic_uint threads;
    static _Thread_local unsigned number; /* 0: not numbered yet */
    if (number == 0)
        number = 1 + atomic_fetch_add_explicit(&threads, 1, memory_order_relaxed);
    return number;
}

static struct stripe *stripe(const struct insert_counter *counter, uint64_t index)
{
    return (struct stripe *)(void *)counter->stripes.start + index;
}

int bloomfilter_insert_counter_create(struct insert_counter *counter, uint64_t payload_size)
{
    uint64_t size = bloomfilter_insert_counter_size(payload_size);
    counter->base = 0;
    counter->stripe_mask = size / sizeof(struct stripe) - 1;
    return bloomfilter_memory_allocate(&counter->stripes, size);
}

void bloomfilter_insert_counter_destroy(struct insert_counter *counter)
{
    bloomfilter_memory_release(&counter->stripes);
}

void bloomfilter_insert_counter_add(struct insert_counter *counter, uint64_t count)
{
    if (thread_is_alone()) {
        _Atomic uint64_t *first = &stripe(counter, 0)->count;
        uint64_t before = atomic_load_explicit(first, memory_order_relaxed);
        atomic_store_explicit(first, before + count, memory_order_relaxed);
        return;
    }
    struct stripe *mine = stripe(counter, thread_number() & counter->stripe_mask);
    atomic_fetch_add_explicit(&mine->count, count, memory_order_relaxed);
}

uint64_t bloomfilter_insert_counter_read(const struct insert_counter *counter)
{
    uint64_t total = counter->base;
    for (uint64_t i = 0; i <= counter->stripe_mask; i++) {
        struct stripe *one = stripe(counter, i);
        total = saturating_add(total, atomic_load_explicit(&one->count, memory_order_relaxed));
    }
    return total;
}

void bloomfilter_insert_counter_set(struct insert_counter *counter, uint64_t count)
{
    counter->base = count;
    for (uint64_t i = 0; i <= counter->stripe_mask; i++)
        atomic_store_explicit(&stripe(counter, i)->count, 0, memory_order_relaxed);
}
