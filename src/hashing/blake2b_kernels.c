/* SPDX-License-Identifier: MIT */
#include "hashing/blake2b_kernel.h"

#include "support/cpu.h"

static const struct {
    const struct blake2b_kernel *kernel;
    unsigned needs; /* enum cpu_feature */
} kernels[] = {
/* the fastest first */
#if defined(__x86_64__) && defined(__GNUC__)
    {&bloomfilter_x86_blake2b_avx512, CPU_AVX512},
    {&bloomfilter_x86_blake2b_avx2, CPU_AVX2},
#endif
#if defined(__AARCH64EL__) && defined(__GNUC__)
    {&bloomfilter_arm_blake2b_neon, CPU_NEON},
#endif
    {&bloomfilter_blake2b_portable, 0},
};

const struct blake2b_kernel *bloomfilter_blake2b_kernel(void)
{
    unsigned has = bloomfilter_cpu_features();
    size_t i = 0;
    while ((kernels[i].needs & ~has) != 0)
        i++;
    return kernels[i].kernel;
}
