/* SPDX-License-Identifier: MIT */
/* Time, processors, and what is told of many measurements: the median and the minimum. */
#ifndef BENCH_CLOCK_H
#define BENCH_CLOCK_H

#include <stdbool.h>
#include <stddef.h>

enum { SAMPLES_ROOM = 64 };

struct samples {
    double values[SAMPLES_ROOM];
    size_t count;
};

double clock_seconds(void);

/* How many processors this process may run on. */
int clock_processor_count(void);

/* Keeps the calling thread on the processor of that index among them; whether that worked. */
bool clock_pin(int index);

void samples_add(struct samples *samples, double value);

/* NaN when there is none. */
double samples_median(const struct samples *samples);
double samples_minimum(const struct samples *samples);

#endif
