/* SPDX-License-Identifier: MIT */
#include "clock.h"

#include <math.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

double clock_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

#ifdef __linux__

/* As they were at the first call, which main makes before any thread is pinned or started. */
static const cpu_set_t *allowed_processors(void)
{
    static cpu_set_t allowed;
    static bool is_known;
    if (is_known)
        return &allowed;
    if (sched_getaffinity(0, sizeof allowed, &allowed) != 0)
        CPU_ZERO(&allowed);
    is_known = true;
    return &allowed;
}

int clock_processor_count(void)
{
    return CPU_COUNT(allowed_processors());
}

bool clock_pin(int index)
{
    cpu_set_t one;
    for (size_t processor = 0; processor < CPU_SETSIZE; processor++) {
        if (!CPU_ISSET(processor, allowed_processors()) || index-- != 0)
            continue;
        CPU_ZERO(&one);
        CPU_SET(processor, &one);
        return sched_setaffinity(0, sizeof one, &one) == 0;
    }
    return false;
}

#else

int clock_processor_count(void)
{
    return (int)sysconf(_SC_NPROCESSORS_ONLN);
}

bool clock_pin(int index)
{
    (void)index;
    return false;
}

#endif

void samples_add(struct samples *samples, double value)
{
    if (samples->count < SAMPLES_ROOM)
        samples->values[samples->count++] = value;
}

static int compare(const void *a, const void *b)
{
    double left = *(const double *)a;
    double right = *(const double *)b;
    return (left > right) - (left < right);
}

double samples_median(const struct samples *samples)
{
    struct samples sorted = *samples;
    size_t middle = sorted.count / 2;
    if (sorted.count == 0)
        return NAN;
    qsort(sorted.values, sorted.count, sizeof sorted.values[0], compare);
    if (sorted.count % 2 == 1)
        return sorted.values[middle];
    return (sorted.values[middle - 1] + sorted.values[middle]) / 2;
}

double samples_minimum(const struct samples *samples)
{
    double minimum = NAN;
    for (size_t i = 0; i < samples->count; i++)
        minimum = fmin(minimum, samples->values[i]);
    return minimum;
}
