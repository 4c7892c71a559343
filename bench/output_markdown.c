/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdio.h>
#include <time.h>

#include "goals.h"
#include "library.h"
#include "output.h"

/* The first line is the marker of a table that was made by a run. */
static void print_head(const struct report *report)
{
    char machine[256];
    char date[32];
    time_t now = time(NULL);

    output_describe_machine(machine, sizeof machine);
    strftime(date, sizeof date, "%Y-%m-%d", gmtime(&now));
    printf("<!-- made by: %s -->\n\n## Results\n\n", report->command_line);
    printf("Release %s, %s, %s%s, keys of %zu bytes, p = %g, %zu measurements of each.\n",
           bloomfilter_version(), date, machine, report->is_pinned ? ", pinned" : "",
           report->settings.key_size, target_fpr, report->settings.repetitions);
}

/* ---- keys */

static void print_time(const struct samples *times)
{
    if (times->count == 0)
        printf(" – |");
    else
        printf(" %.1f (%.1f) |", samples_median(times), samples_minimum(times));
}

static void print_call(const struct row *row, enum call call)
{
    const struct contestant *contestant = row->contestant;

    if (contestant->type->query[call] == NULL)
        return;
    printf("| %s%s | %s | %s |", contestant->name,
           contestant->kind == KIND_EARLIER ? ", before" : "", contestant->layout_name,
           call == CALL_SINGLE ? "single" : "batch");
    for (enum operation operation = 0; operation < OPERATION_COUNT; operation++)
        print_time(&row->times[call][operation]);
    if (contestant->kind == KIND_FLOOR || row->absent_asked == 0)
        printf(" – |\n");
    else
        printf(" %.2f %% |\n", output_false_positive_share(row) * 100);
}

static void print_keys(const struct report *report, uint64_t size)
{
    printf("\n### n = %s\n", report_size_name(size));
    printf("\nNanoseconds per key: median (minimum).\n\n"
           "| scheme | layout | call | add | positive query | negative query | false positives |\n"
           "| --- | --- | --- | ---: | ---: | ---: | ---: |\n");
    for (size_t i = 0; i < report->row_count; i++)
        for (enum call call = 0; report->rows[i].size == size && call < CALL_COUNT; call++)
            print_call(&report->rows[i], call);
}

/* ---- threads */

static void print_threads(const struct report *report)
{
    printf("\n### Two threads, n = %s\n", report_size_name(report_largest_size(report)));
    printf("\nBatch adds to one filter: nanoseconds per key, median (minimum).\n\n"
           "| scheme | layout | one thread | two threads | ratio |\n"
           "| --- | --- | ---: | ---: | ---: |\n");
    for (size_t i = 0; i < report->row_count; i++) {
        const struct row *row = &report->rows[i];
        if (row->thread_times[0].count == 0)
            continue;
        printf("| %s | %s |", row->contestant->name, row->contestant->layout_name);
        print_time(&row->thread_times[0]);
        print_time(&row->thread_times[1]);
        printf(" %.2f |\n",
               samples_median(&row->thread_times[0]) / samples_median(&row->thread_times[1]));
    }
}

/* ---- whole filters */

static void print_bulk_row(const struct report *report, const struct bulk_row *row)
{
    double median = samples_median(&row->seconds);
    double minimum = samples_minimum(&row->seconds);
    double share = report_share_of_beside(report, row);

    printf("| %s | %s |", row->layout_name, row->name);
    if (row->bytes == 0)
        printf(" %.1f µs (%.1f µs) |", median * 1e6, minimum * 1e6);
    else
        printf(" %.2f GB/s (%.2f GB/s) |", (double)row->bytes / median * 1e-9,
               (double)row->bytes / minimum * 1e-9);
    if (isnan(share))
        printf(" |\n");
    else
        printf(" %.0f %% of %s |\n", share * 100, row->beside);
}

static void print_bulk(const struct report *report)
{
    printf("\n### Whole filters, n = %s\n", report_size_name(report->bulk_size));
    printf("\nThe filter's bytes per second, or the time of one call: median (best).\n\n"
           "| layout | operation | speed | beside the system |\n"
           "| --- | --- | ---: | --- |\n");
    for (size_t i = 0; i < report->bulk_count; i++)
        print_bulk_row(report, &report->bulk[i]);
}

/* ---- goals */

static void print_figure(const struct figure *figure, bool is_first)
{
    printf("%s%s ", is_first ? " " : ", ", figure->label);
    if (isnan(figure->value))
        printf("–");
    else if (figure->is_time)
        printf(figure->value < 1000 ? "%.1f ns" : "%.0f ns", figure->value);
    else
        printf("%.2f ×", figure->value);
}

static void print_goals(const struct report *report)
{
    struct goal goals[GOAL_COUNT];

    goals_find(report, goals);
    printf("\n### Goals\n\nRatios of medians of this run.\n\n"
           "| what | goal | reached | |\n"
           "| --- | --- | --- | --- |\n");
    for (size_t i = 0; i < GOAL_COUNT; i++) {
        printf("| %s | %s |", goals[i].what, goals[i].wanted);
        for (size_t j = 0; j < goals[i].figure_count; j++)
            print_figure(&goals[i].figures[j], j == 0);
        printf(" | %s |\n", goal_verdict_name(goal_verdict(&goals[i])));
    }
}

void output_markdown(const struct report *report)
{
    print_head(report);
    if (report->settings.sections & SECTION_KEYS)
        for (size_t i = 0; i < report->settings.size_count; i++)
            print_keys(report, report->settings.sizes[i]);
    if (report->settings.sections & SECTION_THREADS)
        print_threads(report);
    if (report->settings.sections & SECTION_BULK)
        print_bulk(report);
    print_goals(report);
}
