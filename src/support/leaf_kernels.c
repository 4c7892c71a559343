/* SPDX-License-Identifier: MIT */
#include "support/leaf_kernel.h"

#include "support/cpu.h"

const struct leaf_kernel *bloomfilter_leaf_kernel(void)
{
#if defined(__x86_64__) && defined(__GNUC__)
    unsigned has = bloomfilter_cpu_features();
    if (has & CPU_AVX512)
        return &bloomfilter_x86_leaves_avx512;
    if (has & CPU_AVX2)
        return &bloomfilter_x86_leaves_avx2;
#endif
#if defined(__AARCH64EL__) && defined(__GNUC__)
    if (bloomfilter_cpu_features() & CPU_NEON)
        return &bloomfilter_arm_leaves_neon;
#endif
    return NULL;
}
