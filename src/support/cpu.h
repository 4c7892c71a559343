/* SPDX-License-Identifier: MIT */
/* What the processor can do, for those who choose between kernels. */
#ifndef BLOOMFILTER_SUPPORT_CPU_H
#define BLOOMFILTER_SUPPORT_CPU_H

enum cpu_feature {
    CPU_POPCNT = 1,
    CPU_AVX2 = 2,   /* with BMI, BMI2 and CMPXCHG16B */
    CPU_AVX512 = 4, /* F, BW, DQ and VL, with all of AVX2 */
    CPU_NEON = 8    /* all of aarch64; known where it is little-endian */
};

/* The features that the processor and the system have, less those that are left out. */
unsigned bloomfilter_cpu_features(void);

/*
 * From now on, leaves these features out, and those that build on them. For tests of the other
 * kernels, before the first use; the library itself never calls it.
 */
void bloomfilter_cpu_leave_out(unsigned features);

#endif
