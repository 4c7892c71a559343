/* SPDX-License-Identifier: MIT */
/* A report on standard output. */
#ifndef BENCH_OUTPUT_H
#define BENCH_OUTPUT_H

#include "report.h"

void output_markdown(const struct report *report);
void output_json(const struct report *report);

/* "AMD EPYC, 2 processors", as the system tells it. */
void output_describe_machine(char *text, size_t room);

/* Part of absent keys that were found; NaN when none were asked. */
double output_false_positive_share(const struct row *row);

#endif
