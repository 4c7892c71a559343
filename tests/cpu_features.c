/* SPDX-License-Identifier: MIT */
/*
 * In a program that is linked with this, the environment variable BLOOMFILTER_LEAVE_OUT names the
 * processor's features that the library is not to use: "avx512", "avx2", "popcnt", "neon", or
 * several. The library itself does not look at its environment. "alone" starts a second thread,
 * which does nothing: beside one, the library sets bits in another way.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "support/cpu.h"
#include "support/threads.h"

static void *wait_for_the_end(void *argument)
{
    for (;;)
        pause();
    return argument;
}

static void start_a_thread(void)
{
    pthread_t thread;
    if (pthread_create(&thread, NULL, wait_for_the_end, NULL) != 0 || thread_is_alone()) {
        printf("no second thread\n");
        exit(1);
    }
    printf("left out: alone\n");
}

__attribute__((constructor)) static void leave_out(void)
{
    static const struct {
        const char *name;
        unsigned feature;
    } features[] = {
        {"avx512", CPU_AVX512}, {"avx2", CPU_AVX2}, {"popcnt", CPU_POPCNT}, {"neon", CPU_NEON}};
    const char *names = getenv("BLOOMFILTER_LEAVE_OUT");
    for (size_t i = 0; names != NULL && i < sizeof features / sizeof features[0]; i++)
        if (strstr(names, features[i].name) != NULL) {
            bloomfilter_cpu_leave_out(features[i].feature);
            printf("left out: %s\n", features[i].name);
        }
    if (names != NULL && strstr(names, "alone") != NULL)
        start_a_thread();
}
