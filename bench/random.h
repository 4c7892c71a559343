/* SPDX-License-Identifier: MIT */
/* Random numbers for simulations: xoshiro256** seeded by SplitMix64 (Blackman and Vigna). */
#ifndef BENCH_RANDOM_H
#define BENCH_RANDOM_H

#include "hashing/splitmix64.h"

static uint64_t random_state[4];

static inline void random_seed(uint64_t seed)
{
    for (int i = 0; i < 4; i++)
        random_state[i] = splitmix64_next(&seed);
}

static inline uint64_t rotate_left(uint64_t value, int bits)
{
    return value << bits | value >> (64 - bits);
}

static inline uint64_t random_64(void)
{
    uint64_t *s = random_state;
    uint64_t result = rotate_left(s[1] * 5, 7) * 9;
    uint64_t shifted = s[1] << 17;

    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= shifted;
    s[3] = rotate_left(s[3], 45);
    return result;
}

#endif
