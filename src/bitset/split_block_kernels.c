/* SPDX-License-Identifier: MIT */
#include "bitset/split_block.h"

#include "support/cpu.h"

const struct block_kernel *bloomfilter_split_block_kernel(void)
{
#if defined(__x86_64__) && defined(__GNUC__)
    if (bloomfilter_cpu_features() & CPU_AVX2)
        return &bloomfilter_x86_split_block_avx2;
#endif
#if defined(__AARCH64EL__) && defined(__GNUC__)
    if (bloomfilter_cpu_features() & CPU_NEON)
        return &bloomfilter_arm_split_block_neon;
#endif
    return &bloomfilter_split_block_portable;
}
