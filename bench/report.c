/* SPDX-License-Identifier: MIT */
#include "report.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const struct row *report_find(const struct report *report, enum kind kind, uint32_t hash,
                              uint32_t layout, uint64_t size)
{
    for (size_t i = 0; i < report->row_count; i++) {
        const struct row *row = &report->rows[i];
        const struct contestant *contestant = row->contestant;
        if (contestant->kind == kind && contestant->hash == hash && contestant->layout == layout &&
            row->size == size)
            return row;
    }
    return NULL;
}

const struct row *report_find_floor(const struct report *report, size_t lines, uint64_t size)
{
    for (size_t i = 0; i < report->row_count; i++) {
        const struct row *row = &report->rows[i];
        if (row->contestant->kind == KIND_FLOOR && row->contestant->lines == lines &&
            row->size == size)
            return row;
    }
    return NULL;
}

const struct bulk_row *report_find_bulk(const struct report *report, const char *layout_name,
                                        const char *name)
{
    for (size_t i = 0; i < report->bulk_count; i++)
        if (strcmp(report->bulk[i].layout_name, layout_name) == 0 &&
            strcmp(report->bulk[i].name, name) == 0)
            return &report->bulk[i];
    return NULL;
}

double report_share_of_beside(const struct report *report, const struct bulk_row *row)
{
    const struct bulk_row *beside =
        row->beside == NULL ? NULL : report_find_bulk(report, row->layout_name, row->beside);
    return beside == NULL ? NAN : samples_median(&beside->seconds) / samples_median(&row->seconds);
}

const char *report_size_name(uint64_t size)
{
    static char name[32];
    unsigned zeros = 0;
    uint64_t rest = size;
    while (rest != 0 && rest % 10 == 0) {
        rest /= 10;
        zeros++;
    }
    if (zeros >= 3)
        snprintf(name, sizeof name, "%" PRIu64 "e%u", rest, zeros);
    else
        snprintf(name, sizeof name, "%" PRIu64, size);
    return name;
}

uint64_t report_largest_size(const struct report *report)
{
    uint64_t largest = 0;
    for (size_t i = 0; i < report->settings.size_count; i++)
        if (report->settings.sizes[i] > largest)
            largest = report->settings.sizes[i];
    return largest;
}

void report_failure(const char *what, const char *of_what)
{
    fprintf(stderr, "bloomfilter-bench: %s: %s\n", of_what, what);
    exit(EXIT_FAILURE);
}
