/* SPDX-License-Identifier: MIT */
#include "support/cpu.h"

#include <stdatomic.h>
#include <stdbool.h>

#if defined(__x86_64__) && defined(__GNUC__)
#include <cpuid.h>
#endif

enum { KNOWN = 1 << 30 };

static atomic_uint known_features;

#if defined(__x86_64__) && defined(__GNUC__)
/* Compilers have no common name for it. */
static bool has_cmpxchg16b(void)
{
    unsigned a, b, c = 0, d;
    return __get_cpuid(1, &a, &b, &c, &d) && (c & bit_CMPXCHG16B) != 0;
}
#endif

static unsigned present_features(void)
{
    unsigned features = 0;
#if defined(__x86_64__) && defined(__GNUC__)
    __builtin_cpu_init(); /* a filter can be made before the constructors have run */
    if (__builtin_cpu_supports("popcnt"))
        features |= CPU_POPCNT;
    if (has_cmpxchg16b() && __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") &&
        __builtin_cpu_supports("bmi2"))
        features |= CPU_AVX2;
    if ((features & CPU_AVX2) && __builtin_cpu_supports("avx512f") &&
        __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
        __builtin_cpu_supports("avx512vl"))
        features |= CPU_AVX512;
#endif
#if defined(__AARCH64EL__) && defined(__GNUC__)
    features |= CPU_NEON;
#endif
    return features;
}

unsigned bloomfilter_cpu_features(void)
{
    unsigned features = atomic_load_explicit(&known_features, memory_order_relaxed);

    /* Threads that come first at once all find the same answer: no lock is needed. */
    if (features == 0) {
        features = KNOWN | present_features();
        atomic_store_explicit(&known_features, features, memory_order_relaxed);
    }
    return features & ~(unsigned)KNOWN;
}

void bloomfilter_cpu_leave_out(unsigned features)
{
    if (features & CPU_AVX2)
        features |= CPU_AVX512;
    unsigned left = bloomfilter_cpu_features() & ~features;
    atomic_store_explicit(&known_features, KNOWN | left, memory_order_relaxed);
}
