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

/* Sets the bit; 1 if it was set before. */
FLAT_INLINE unsigned flat_set_bit(uint8_t *cells, uint64_t position)
{
    _Atomic uint8_t *byte = (_Atomic uint8_t *)cells + (position >> 3);
    uint8_t bit = (uint8_t)(1u << (position & 7));
    return (unsigned)atomic_fetch_or_explicit(byte, bit, memory_order_relaxed) >> (position & 7) &
           1;
}

enum { FLAT_GROUP = 8 }; /* keys */

/*
 * Positions of groups of keys, number i of key j at [i * FLAT_GROUP + j]: some whose bytes will be
 * needed soon, and some that are to be set or asked for now. All of one key come before those of
 * the next, so that adds tell the same as they would one after the other.
 */
struct flat_work {
    uint8_t *cells;
    const uint64_t *ahead;
    size_t ahead_left;
    size_t ahead_at;
    const uint64_t *due;
    size_t due_count;
    size_t due_left;
    size_t due_at;
    size_t step;      /* positions of each kind that one step takes */
    bool sets;        /* else: asks */
    unsigned lacking; /* bit j: some position of key j was not set */
};

FLAT_INLINE void flat_work_ahead(struct flat_work *work, size_t count)
{
    size_t end = work->ahead_at + count;
    for (size_t i = work->ahead_at; i < end; i++)
        __builtin_prefetch(work->cells + (work->ahead[i] >> 3), 0, 2); /* second-level cache */
    work->ahead_at = end;
    work->ahead_left -= count;
}

FLAT_INLINE void flat_work_due(struct flat_work *work, size_t count)
{
    size_t at = work->due_at;
    for (size_t i = 0; i < count; i++) {
        unsigned was_set = work->sets ? flat_set_bit(work->cells, work->due[at])
                                      : flat_bit(work->cells, work->due[at]);
        work->lacking |= (was_set ^ 1) << at % FLAT_GROUP;
        at += FLAT_GROUP;
        if (at >= work->due_count)
            at -= work->due_count - 1;
    }
    work->due_at = at;
    work->due_left -= count;
}

FLAT_INLINE void flat_work_step(struct flat_work *work)
{
    flat_work_ahead(work, work->ahead_left < work->step ? work->ahead_left : work->step);
    flat_work_due(work, work->due_left < work->step ? work->due_left : work->step);
}

/* All that is left. */
FLAT_INLINE void flat_work_finish(struct flat_work *work)
{
    flat_work_ahead(work, work->ahead_left);
    flat_work_due(work, work->due_left);
}

#endif
