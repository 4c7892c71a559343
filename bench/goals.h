/* SPDX-License-Identifier: MIT */
/* What the library is meant to reach, and what it reached in this run: ratios of medians. */
#ifndef BENCH_GOALS_H
#define BENCH_GOALS_H

#include "report.h"

enum { GOAL_COUNT = 10, MOST_FIGURES = 8, FIGURE_LABEL_ROOM = 96 };

enum verdict { GOAL_NOT_MEASURED, GOAL_REACHED, GOAL_MISSED };

struct figure {
    char label[FIGURE_LABEL_ROOM];
    double value; /* NaN: not measured */
    double bound;
    bool is_ceiling; /* value <= bound is good; else value >= bound */
    bool is_time;    /* nanoseconds, per key or per call; else a ratio */
};

struct goal {
    const char *what;
    const char *wanted;
    struct figure figures[MOST_FIGURES];
    size_t figure_count;
};

void goals_find(const struct report *report, struct goal goals[GOAL_COUNT]);

/* Missed if one of its figures is; else not measured if one of them was not. */
enum verdict goal_verdict(const struct goal *goal);
const char *goal_verdict_name(enum verdict verdict);

#endif
