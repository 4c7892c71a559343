/* SPDX-License-Identifier: MIT */
#include "handle/insert_counter.h"

#include "support/checked.h"

enum {
    MAX_STRIPES = 64,
    CELLS_PER_STRIPE = 16 * INSERT_STRIPE, /* stripes take at most a sixteenth of the cells */
};

uint64_t bloomfilter_insert_counter_size(uint64_t payload_size)
{
    uint64_t stripes = 1;
    while (stripes < MAX_STRIPES && stripes * 2 * CELLS_PER_STRIPE <= payload_size)
        stripes *= 2;
    return stripes * sizeof(struct insert_stripe);
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

int bloomfilter_insert_counter_create(struct insert_counter *counter, uint64_t payload_size)
{
    uint64_t size = bloomfilter_insert_counter_size(payload_size);
    counter->base = 0;
    counter->stripe_mask = size / sizeof(struct insert_stripe) - 1;
    return bloomfilter_memory_allocate(&counter->stripes, size);
}

void bloomfilter_insert_counter_destroy(struct insert_counter *counter)
{
    bloomfilter_memory_release(&counter->stripes);
}

void bloomfilter_insert_counter_add_shared(struct insert_counter *counter, uint64_t count)
{
    struct insert_stripe *mine = insert_stripe(counter, thread_number() & counter->stripe_mask);
    atomic_fetch_add_explicit(&mine->count, count, memory_order_relaxed);
}

uint64_t bloomfilter_insert_counter_read(const struct insert_counter *counter)
{
    uint64_t total = counter->base;
    for (uint64_t i = 0; i <= counter->stripe_mask; i++) {
        struct insert_stripe *one = insert_stripe(counter, i);
        total = saturating_add(total, atomic_load_explicit(&one->count, memory_order_relaxed));
    }
    return total;
}

void bloomfilter_insert_counter_set(struct insert_counter *counter, uint64_t count)
{
    counter->base = count;
    for (uint64_t i = 0; i <= counter->stripe_mask; i++)
        atomic_store_explicit(&insert_stripe(counter, i)->count, 0, memory_order_relaxed);
}
