/* SPDX-License-Identifier: MIT */
#ifndef BENCH_MEASURE_H
#define BENCH_MEASURE_H

#include "report.h"

/* Measures every contestant at every size: rows of the report. */
void measure_keys(struct report *report);

/* One thread against two that add to the filter of a row, in batches. */
void measure_threads(const struct settings *settings, struct row *row, void *filter);

/* Measures what works on whole filters: bulk rows of the report. */
void measure_bulk(struct report *report);

#endif
