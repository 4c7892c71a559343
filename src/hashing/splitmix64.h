/* SPDX-License-Identifier: MIT */
/* SplitMix64 (Steele, Lea and Flood, 2014), with Stafford's variant 13 of the mix. */
#ifndef BLOOMFILTER_HASHING_SPLITMIX64_H
#define BLOOMFILTER_HASHING_SPLITMIX64_H

#include <stdint.h>

#define SPLITMIX64_FIRST UINT64_C(0xBF58476D1CE4E5B9)
#define SPLITMIX64_SECOND UINT64_C(0x94D049BB133111EB)

static inline uint64_t splitmix64_mix(uint64_t state)
{
    state = (state ^ state >> 30) * SPLITMIX64_FIRST;
    state = (state ^ state >> 27) * SPLITMIX64_SECOND;
    return state ^ state >> 31;
}

/* The next output, of the generator with the usual step. */
static inline uint64_t splitmix64_next(uint64_t *state)
{
    *state += UINT64_C(0x9E3779B97F4A7C15);
    return splitmix64_mix(*state);
}

#endif
