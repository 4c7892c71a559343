/* SPDX-License-Identifier: MIT */
/* What a run was asked for, and what it found. */
#ifndef BENCH_REPORT_H
#define BENCH_REPORT_H

#include "clock.h"
#include "contestant.h"

enum { MOST_SIZES = 8, MOST_ROWS = MOST_CONTESTANTS * MOST_SIZES, MOST_BULK_ROWS = 64 };

enum section { SECTION_KEYS = 1, SECTION_THREADS = 2, SECTION_BULK = 4, SECTION_ALL = 7 };

struct settings {
    bool as_json;
    bool is_quick;
    unsigned sections; /* enum section, or-ed */
    uint64_t sizes[MOST_SIZES];
    size_t size_count;
    const char *schemes;   /* NULL: all */
    uint32_t hash_count;   /* of the library's filters; 0: as their target says */
    const char *against;   /* path of another build, or NULL */
    const char *directory; /* for files of the bulk part */
    size_t key_size;
    size_t repetitions;
};

/* One contestant at one size; nanoseconds per key. */
struct row {
    const struct contestant *contestant;
    uint64_t size;
    uint64_t memory_bytes; /* of the filter, about */
    struct samples times[CALL_COUNT][OPERATION_COUNT];
    struct samples thread_times[2]; /* batch adds of one thread; of two, per key of both */
    uint64_t absent_asked;
    uint64_t absent_found;
};

/* One operation on whole filters. */
struct bulk_row {
    const char *layout_name;
    const char *name;
    const char *beside; /* the row of the same layout that it is measured against, or NULL */
    uint64_t bytes;     /* that the operation is about; 0: its time does not depend on them */
    struct samples seconds;
};

struct report {
    struct settings settings;
    const char *command_line;
    struct contestants contestants;
    struct row rows[MOST_ROWS];
    size_t row_count;
    struct bulk_row bulk[MOST_BULK_ROWS];
    size_t bulk_count;
    uint64_t bulk_size; /* keys that the filters of the bulk part are for */
    bool is_pinned;
};

/* The row of a contestant at a size; 0 for hash and layout where the kind has none. Or NULL. */
const struct row *report_find(const struct report *report, enum kind kind, uint32_t hash,
                              uint32_t layout, uint64_t size);
/* The floor, likewise. */
const struct row *report_find_floor(const struct report *report, size_t lines, uint64_t size);
const struct bulk_row *report_find_bulk(const struct report *report, const char *layout_name,
                                        const char *name);
/* Median time of the row that this one is beside, over its own; NaN if there is none. */
double report_share_of_beside(const struct report *report, const struct bulk_row *row);
/* 1e4, 1e6, 25000. The text is good until the next call. */
const char *report_size_name(uint64_t size);

uint64_t report_largest_size(const struct report *report);

/* Says what is wrong on standard error, and exits 1. */
_Noreturn void report_failure(const char *what, const char *of_what);

#endif
