/* SPDX-License-Identifier: MIT */
/* Arithmetic on sizes from outside: each function says whether the result fits. */
#ifndef BLOOMFILTER_SUPPORT_CHECKED_H
#define BLOOMFILTER_SUPPORT_CHECKED_H

#include <stdbool.h>
#include <stdint.h>

static inline bool checked_add(uint64_t a, uint64_t b, uint64_t *sum)
{
    *sum = a + b;
    return *sum >= a;
}

/* Rounds up to a multiple of `unit`, a power of two. */
static inline bool checked_round_up(uint64_t value, uint64_t unit, uint64_t *rounded)
{
    if (!checked_add(value, unit - 1, rounded))
        return false;
    *rounded &= ~(unit - 1);
    return true;
}

static inline uint64_t saturating_add(uint64_t a, uint64_t b)
{
    uint64_t sum;
    return checked_add(a, b, &sum) ? sum : UINT64_MAX;
}

#endif
