/* SPDX-License-Identifier: MIT */
#include "goals.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { PAIR = 1, WIDE = 4, XXH64 = 5, FLAT = 1, SPLIT_BLOCK = 2 };

static const uint64_t large_size = 10000000; /* keys of a large filter, at least */

/* ---- figures */

static double median(const struct row *row, enum call call, enum operation operation)
{
    return row == NULL ? NAN : samples_median(&row->times[call][operation]);
}

static struct figure *next_figure(struct goal *goal, const char *label)
{
    struct figure *figure = &goal->figures[goal->figure_count++];
    *figure = (struct figure){0};
    snprintf(figure->label, sizeof figure->label, "%s", label);
    return figure;
}

static void want_at_least(struct goal *goal, const char *label, double value, double bound)
{
    struct figure *figure = next_figure(goal, label);
    figure->value = value;
    figure->bound = bound;
}

static void want_at_most(struct goal *goal, const char *label, double value, double bound,
                         bool is_time)
{
    want_at_least(goal, label, value, bound);
    goal->figures[goal->figure_count - 1].is_ceiling = true;
    goal->figures[goal->figure_count - 1].is_time = is_time;
}

static const char *const operation_labels[] = {"add", "positive", "negative"};

/* How many times faster `row` is in its call than `slow` is in its, for operations from one on. */
static void want_faster(struct goal *goal, const struct row *row, enum call call,
                        const struct row *slow, enum call slow_call, enum operation from,
                        double bound)
{
    for (enum operation operation = from; operation < OPERATION_COUNT; operation++)
        want_at_least(goal, operation_labels[operation],
                      median(slow, slow_call, operation) / median(row, call, operation), bound);
}

/* ---- goals, in the order of the table */

static const struct row *pair(const struct report *report, uint64_t size)
{
    return report_find(report, KIND_LIBRARY, PAIR, FLAT, size);
}

static const struct row *split_block(const struct report *report, uint64_t size)
{
    return report_find(report, KIND_LIBRARY, XXH64, SPLIT_BLOCK, size);
}

static const struct row *libbloom(const struct report *report, uint64_t size)
{
    return report_find(report, KIND_LIBBLOOM, 0, 0, size);
}

static const struct row *libb2(const struct report *report, uint64_t size)
{
    return report_find(report, KIND_LIBB2, 0, 0, size);
}

static void find_pair_large(const struct report *report, struct goal *goal)
{
    const struct row *row = pair(report, 100000000);
    const struct row *slow = libbloom(report, 100000000);
    goal->what = "scheme 1, batch query and add, n=1e8";
    goal->wanted = "≥ 2.5 × faster than Debian's libbloom's query, ≥ 3 × than its add; ≤ 80 ns";
    want_faster(goal, row, CALL_BATCH, slow, CALL_SINGLE, OPERATION_POSITIVE, 2.5);
    want_at_least(goal, "add",
                  median(slow, CALL_SINGLE, OPERATION_ADD) / median(row, CALL_BATCH, OPERATION_ADD),
                  3);
    for (enum operation operation = 0; operation < OPERATION_COUNT; operation++)
        want_at_most(goal, operation_labels[operation], median(row, CALL_BATCH, operation), 80,
                     true);
}

static void find_pair_batch(const struct report *report, struct goal *goal)
{
    goal->what = "scheme 1, batch, n=1e6";
    goal->wanted = "≥ 6 × faster than the same scheme over libb2 alone";
    want_faster(goal, pair(report, 1000000), CALL_BATCH, libb2(report, 1000000), CALL_BATCH,
                OPERATION_ADD, 6);
}

static void find_pair_single(const struct report *report, struct goal *goal)
{
    goal->what = "scheme 1, one key per call, n=1e6";
    goal->wanted = "≥ 2.3 × faster than the same scheme over libb2 alone";
    want_faster(goal, pair(report, 1000000), CALL_SINGLE, libb2(report, 1000000), CALL_SINGLE,
                OPERATION_ADD, 2.3);
}

static void find_wide(const struct report *report, struct goal *goal)
{
    goal->what = "scheme 4, batch, n=1e8";
    goal->wanted = "≥ 1.6 × faster than scheme 1";
    want_faster(goal, report_find(report, KIND_LIBRARY, WIDE, FLAT, 100000000), CALL_BATCH,
                pair(report, 100000000), CALL_BATCH, OPERATION_ADD, 1.6);
}

static void find_split_block_large(const struct report *report, struct goal *goal)
{
    const struct row *row = split_block(report, 100000000);
    double line = median(report_find_floor(report, 1, 100000000), CALL_BATCH, OPERATION_NEGATIVE);
    goal->what = "split-block + xxh64, batch query, n=1e8";
    goal->wanted = "≥ 15 × faster than Debian's libbloom; within 2.5 × of one random cache line";
    want_faster(goal, row, CALL_BATCH, libbloom(report, 100000000), CALL_SINGLE, OPERATION_POSITIVE,
                15);
    for (enum operation operation = OPERATION_POSITIVE; operation < OPERATION_COUNT; operation++) {
        char label[FIGURE_LABEL_ROOM];
        snprintf(label, sizeof label, "%s over one line", operation_labels[operation]);
        want_at_most(goal, label, median(row, CALL_BATCH, operation) / line, 2.5, false);
    }
}

/* The slowest operation of each call and size. */
static void find_split_block_small(const struct report *report, struct goal *goal)
{
    static const uint64_t sizes[] = {10000, 1000000};
    static const char *const labels[2][CALL_COUNT] = {{"n=1e4 single", "n=1e4 batch"},
                                                      {"n=1e6 single", "n=1e6 batch"}};
    goal->what = "split-block + xxh64, n=1e4 and 1e6";
    goal->wanted = "≤ 8 ns single and batch";
    for (size_t i = 0; i < 2; i++)
        for (enum call call = 0; call < CALL_COUNT; call++) {
            const struct row *row = split_block(report, sizes[i]);
            double slowest = median(row, call, OPERATION_ADD);
            for (enum operation operation = 1; operation < OPERATION_COUNT; operation++)
                slowest = fmax(slowest, median(row, call, operation));
            want_at_most(goal, labels[i][call], slowest, 8, true);
        }
}

/* Earlier over now, the least of one row; `label` becomes where that was. */
static double least_gain(const struct report *report, const struct row *row, double least,
                         char label[FIGURE_LABEL_ROOM])
{
    const struct contestant *contestant = row->contestant;
    const struct row *earlier =
        report_find(report, KIND_EARLIER, contestant->hash, contestant->layout, row->size);
    if (contestant->kind != KIND_LIBRARY || earlier == NULL)
        return least;
    for (enum call call = 0; call < CALL_COUNT; call++)
        for (enum operation operation = 0; operation < OPERATION_COUNT; operation++) {
            double gain = median(earlier, call, operation) / median(row, call, operation);
            if (isnan(gain) || gain >= least)
                continue;
            least = gain;
            snprintf(label, FIGURE_LABEL_ROOM, "least: %s %s n=%s, %s %s", contestant->name,
                     contestant->layout_name, report_size_name(row->size),
                     call == CALL_SINGLE ? "single" : "batch", operation_labels[operation]);
        }
    return least;
}

/* Two runs of the same code differ by some per cent. */
static const double noise = 0.05;

static void find_no_loss(const struct report *report, struct goal *goal)
{
    char label[FIGURE_LABEL_ROOM] = "needs --against";
    double least = INFINITY;
    goal->what = "no scheme, layout or size";
    goal->wanted = "slower than before (the build given by --against; 5 % are noise)";
    for (size_t i = 0; i < report->row_count; i++)
        least = least_gain(report, &report->rows[i], least, label);
    want_at_least(goal, label, isinf(least) ? NAN : least, 1 - noise);
}

static void find_threads(const struct report *report, struct goal *goal)
{
    uint64_t size = report_largest_size(report);
    const struct row *row = size >= large_size ? pair(report, size) : NULL;
    goal->what = "two threads adding to one large filter";
    goal->wanted = "≥ 1.7 × one thread";
    want_at_least(goal, "scheme 1, batch",
                  row == NULL ? NAN
                              : samples_median(&row->thread_times[0]) /
                                    samples_median(&row->thread_times[1]),
                  1.7);
}

/* An operation on a large filter of the layout flat, or NULL. */
static const struct bulk_row *large_bulk(const struct report *report, const char *name)
{
    return report->bulk_size < large_size ? NULL : report_find_bulk(report, "flat", name);
}

static void want_share_of_beside(const struct report *report, struct goal *goal, const char *label,
                                 const char *name, double bound)
{
    const struct bulk_row *row = large_bulk(report, name);
    want_at_least(goal, label, row == NULL ? NAN : report_share_of_beside(report, row), bound);
}

static void find_load(const struct report *report, struct goal *goal)
{
    goal->what = "load of a large filter, all of it checked";
    goal->wanted = "≥ 0.6 × the speed of reading the same file";
    want_share_of_beside(report, goal, "from the disk", "load from the disk", 0.6);
    want_share_of_beside(report, goal, "from the page cache", "load", 0.6);
}

static void find_map(const struct report *report, struct goal *goal)
{
    const struct bulk_row *row = large_bulk(report, "open a map");
    goal->what = "map of a large filter";
    goal->wanted = "opens in ≤ 50 µs";
    want_at_most(goal, "flat", row == NULL ? NAN : samples_median(&row->seconds) * 1e9, 50e3, true);
}

void goals_find(const struct report *report, struct goal goals[GOAL_COUNT])
{
    static void (*const find[GOAL_COUNT])(const struct report *, struct goal *) = {
        find_pair_large, find_pair_batch,        find_pair_single,
        find_wide,       find_split_block_large, find_split_block_small,
        find_no_loss,    find_threads,           find_load,
        find_map};
    for (size_t i = 0; i < GOAL_COUNT; i++) {
        goals[i] = (struct goal){0};
        find[i](report, &goals[i]);
    }
}

enum verdict goal_verdict(const struct goal *goal)
{
    enum verdict verdict = GOAL_REACHED;
    for (size_t i = 0; i < goal->figure_count; i++) {
        const struct figure *figure = &goal->figures[i];
        if (isnan(figure->value))
            verdict = verdict == GOAL_MISSED ? verdict : GOAL_NOT_MEASURED;
        else if (figure->is_ceiling ? figure->value > figure->bound : figure->value < figure->bound)
            verdict = GOAL_MISSED;
    }
    return verdict;
}

const char *goal_verdict_name(enum verdict verdict)
{
    static const char *const names[] = {"not measured", "reached", "missed"};
    return names[verdict];
}
