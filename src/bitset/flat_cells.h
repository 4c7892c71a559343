/* SPDX-License-Identifier: MIT */
/*
 * The bits of layout 1, one by one, and work on many of them in small steps. Hash kernels are full
 * of arithmetic and leave the memory idle; they do such work between their rounds.
 *
 * Single bits are read and set through atomic bytes: that is independent of the machine's byte
 * order and needs no alignment, which the bytes of a caller's view do not have. Relaxed order is
 * enough: bits only ever go from 0 to 1 while filters are shared, and whatever orders an add before
 * a question (a mutex, a join) orders its bits too.
 */
#ifndef BLOOMFILTER_BITSET_FLAT_CELLS_H
#define BLOOMFILTER_BITSET_FLAT_CELLS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define FLAT_INLINE static inline __attribute__((always_inline))

_Static_assert(sizeof(_Atomic uint8_t) == 1, "cells are accessed as atomic bytes in place");

/* 1 if the bit is set. */
FLAT_INLINE unsigned flat_bit(const uint8_t *cells, uint64_t position)
{
    const _Atomic uint8_t *byte = (const _Atomic uint8_t *)cells + (position >> 3);
    return (unsigned)atomic_load_explicit(byte, memory_order_relaxed) >> (position & 7) & 1;
}

/*
 * Sets the bit; 1 if it was set before. An atomic OR that returns nothing costs less than one that
 * returns the byte. A bit that another thread sets after the look is told as new by both.
 */
FLAT_INLINE unsigned flat_set_bit(uint8_t *cells, uint64_t position)
{
    _Atomic uint8_t *byte = (_Atomic uint8_t *)cells + (position >> 3);
    unsigned was_set = flat_bit(cells, position);
    atomic_fetch_or_explicit(byte, (uint8_t)(1u << (position & 7)), memory_order_relaxed);
    return was_set;
}

/* The same for a thread that is alone (support/threads.h). */
FLAT_INLINE unsigned flat_set_bit_alone(uint8_t *cells, uint64_t position)
{
    _Atomic uint8_t *byte = (_Atomic uint8_t *)cells + (position >> 3);
    unsigned before = atomic_load_explicit(byte, memory_order_relaxed);
    unsigned bit = 1u << (position & 7);
    atomic_store_explicit(byte, (uint8_t)(before | bit), memory_order_relaxed);
    return before >> (position & 7) & 1;
}

enum { FLAT_GROUP = 16 }; /* keys */

enum flat_task {
    FLAT_ASK,
    FLAT_SET,       /* while other threads may, too */
    FLAT_SET_ALONE, /* while this thread is alone */
};

/*
 * Work on the positions of groups of keys, number i of key j at [i * FLAT_GROUP + j]: the bytes of
 * one group, which will be needed soon, are fetched, and the bits of another one are set or asked
 * for, key by key, so that adds tell the same as they would one after the other.
 */
struct flat_work {
    uint8_t *cells;
    enum flat_task task;
    uint32_t hash_count;
    const uint64_t *ahead; /* positions to fetch */
    const uint64_t *due;   /* positions to set or ask for */
    unsigned ahead_count;  /* keys of either group, at most FLAT_GROUP */
    unsigned due_count;
    unsigned keys_done; /* of either group */
    unsigned lacking;   /* bit j: some position of key j was not set */
    unsigned steps;     /* in which all is to be done */
    unsigned progress;  /* FLAT_GROUP for each step taken, less `steps` for each key done */
};

/* Into the second-level cache. */
FLAT_INLINE void flat_work_fetch(const struct flat_work *work)
{
    const uint64_t *positions = work->ahead + work->keys_done;
    const uint8_t *cells = work->cells;
    uint32_t count = work->hash_count;
    if (work->task == FLAT_SET) /* for writing: else each line would be asked for a second time */
        for (uint32_t i = 0; i < count; i++)
            __builtin_prefetch(cells + (positions[i * FLAT_GROUP] >> 3), 1, 2);
    else
        for (uint32_t i = 0; i < count; i++)
            __builtin_prefetch(cells + (positions[i * FLAT_GROUP] >> 3), 0, 2);
}

FLAT_INLINE unsigned flat_work_key(const struct flat_work *work)
{
    const uint64_t *positions = work->due + work->keys_done;
    uint8_t *cells = work->cells;
    uint32_t count = work->hash_count;
    unsigned were_set = 1;
    if (work->task == FLAT_ASK)
        for (uint32_t i = 0; i < count; i++)
            were_set &= flat_bit(cells, positions[i * FLAT_GROUP]);
    else if (work->task == FLAT_SET)
        for (uint32_t i = 0; i < count; i++)
            were_set &= flat_set_bit(cells, positions[i * FLAT_GROUP]);
    else
        for (uint32_t i = 0; i < count; i++)
            were_set &= flat_set_bit_alone(cells, positions[i * FLAT_GROUP]);
    return were_set;
}

/* One key of each group. */
FLAT_INLINE void flat_work_do_key(struct flat_work *work)
{
    if (work->keys_done < work->ahead_count)
        flat_work_fetch(work);
    if (work->keys_done < work->due_count)
        work->lacking |= (flat_work_key(work) ^ 1) << work->keys_done;
    work->keys_done++;
}

/* A share of the work. Where sanitizers check each access, so many copies would take minutes to
 * compile. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define FLAT_STEP static __attribute__((noinline, unused))
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define FLAT_STEP static __attribute__((noinline, unused))
#endif
#endif
#ifndef FLAT_STEP
#define FLAT_STEP FLAT_INLINE
#endif
FLAT_STEP void flat_work_step(struct flat_work *work)
{
    /* Hides from the compiler that the task stays the same: it would make a copy of all that lies
     * between two steps for each task. */
    __asm__ volatile("" : "+r"(work));
    work->progress += FLAT_GROUP;
    while (work->progress >= work->steps) {
        work->progress -= work->steps;
        flat_work_do_key(work);
    }
}

/* All that is left. */
FLAT_INLINE void flat_work_finish(struct flat_work *work)
{
    while (work->keys_done < work->ahead_count || work->keys_done < work->due_count)
        flat_work_do_key(work);
}

#endif
