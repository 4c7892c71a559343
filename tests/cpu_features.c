/* SPDX-License-Identifier: MIT */
/*
 * In a program that is linked with this, the environment variable BLOOMFILTER_LEAVE_OUT names the
 * processor's features that the library is not to use: "avx512", "avx2", "popcnt", or several. The
 * library itself does not look at its environment.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/cpu.h"

__attribute__((constructor)) static void leave_out(void)
{
    static const struct {
        const char *name;
        unsigned feature;
    } features[] = {{"avx512", CPU_AVX512}, {"avx2", CPU_AVX2}, {"popcnt", CPU_POPCNT}};
    const char *names = getenv("BLOOMFILTER_LEAVE_OUT");
    for (size_t i = 0; names != NULL && i < sizeof features / sizeof features[0]; i++)
        if (strstr(names, features[i].name) != NULL) {
            bloomfilter_cpu_leave_out(features[i].feature);
            printf("left out: %s\n", features[i].name);
        }
}
