/* SPDX-License-Identifier: MIT */
/*
 * Adds and queries, per key. At each size, contestants take turns slice by slice (a slice is what
 * the pool holds), so that whatever else the machine does meets them all alike.
 *
 * Adds are measured while filters fill from empty to capacity: slices spread evenly over the
 * filling are timed, by turns one key per call and in batches; the rest is added in batches. Small
 * filters are emptied and filled as often as is needed. Queries ask the full filters, a slice of
 * new random numbers each time, so that no line is in a cache because it was asked for before.
 */
#include <stdio.h>
#include <stdlib.h>

#include "library.h"
#include "measure.h"

static const uint64_t memory_budget = 900000000;        /* bytes of the filters that live at once */
static const uint64_t first_absent = UINT64_C(1) << 62; /* number of a key that is never added */
static const uint64_t first_warm = UINT64_C(3) << 61;   /* of one that is only there to warm up */

enum { WARM_UP_SHARE = 16 }; /* this part of every timed slice comes before the clock starts */

/* Contestants of one size whose filters live at once. */
struct group {
    const struct settings *settings;
    struct row *rows;
    size_t count;
    uint64_t size;
    void *filters[MOST_CONTESTANTS];
    struct pool pool;
    struct pool warm_pool; /* other keys, which are asked for before the clock starts */
};

/* ---- one slice */

typedef void slice_work(const struct contestant *contestant, void *filter, struct pool *pool,
                        size_t from, size_t to);

/* The filter was pushed out of the caches by those that had their turns before, and so was what the
 * processor knows of where its pages are: none of that is to be measured. */
static void warm_up(struct group *group, size_t index)
{
    const struct contestant *contestant = group->rows[index].contestant;
    enum call call = contestant->type->query[CALL_BATCH] != NULL ? CALL_BATCH : CALL_SINGLE;
    contestant->type->query[call](contestant, group->filters[index], &group->warm_pool, 0,
                                  group->warm_pool.count);
}

static void time_slice(struct group *group, size_t index, slice_work *work, struct samples *times)
{
    const struct contestant *contestant = group->rows[index].contestant;
    struct pool *pool = &group->pool;
    size_t warm = pool->count / WARM_UP_SHARE;

    warm_up(group, index);
    work(contestant, group->filters[index], pool, 0, warm);
    double start = clock_seconds();
    work(contestant, group->filters[index], pool, warm, pool->count);
    samples_add(times, (clock_seconds() - start) * 1e9 / (double)(pool->count - warm));
}

static void add_slice(struct group *group, size_t index, bool is_timed, enum call call)
{
    struct row *row = &group->rows[index];
    const struct contestant_type *type = row->contestant->type;

    if (type->add[call] == NULL)
        call = CALL_SINGLE;
    if (type->add[call] == NULL)
        return;
    if (is_timed)
        time_slice(group, index, type->add[call], &row->times[call][OPERATION_ADD]);
    else
        type->add[call](row->contestant, group->filters[index], &group->pool, 0, group->pool.count);
}

static void check_answers(struct row *row, const struct pool *pool, enum operation operation)
{
    size_t found = pool_count_found(pool, 0, pool->count);
    if (operation == OPERATION_POSITIVE && found != pool->count)
        report_failure("keys that were added are denied", row->contestant->name);
    if (operation == OPERATION_NEGATIVE) {
        row->absent_asked += pool->count;
        row->absent_found += found;
    }
}

static void query_slice(struct group *group, size_t index, enum call call, enum operation operation)
{
    struct row *row = &group->rows[index];
    const struct contestant_type *type = row->contestant->type;

    if (type->query[call] == NULL)
        return;
    time_slice(group, index, type->query[call], &row->times[call][operation]);
    check_answers(row, &group->pool, operation);
}

/* ---- one size */

static void clear_all(struct group *group)
{
    for (size_t i = 0; i < group->count; i++)
        if (group->filters[i] != NULL)
            group->rows[i].contestant->type->clear(group->rows[i].contestant, group->filters[i]);
}

static void fill_pool_with_slice(struct group *group, uint64_t slice)
{
    uint64_t left = group->size - slice * POOL_KEYS;
    pool_fill(&group->pool, left < POOL_KEYS ? (size_t)left : POOL_KEYS, slice * POOL_KEYS, 0);
}

/* In the end, each filter holds the keys 0 to size - 1. */
static void measure_adds(struct group *group)
{
    uint64_t timed = 2 * group->settings->repetitions;
    uint64_t slices = (group->size + POOL_KEYS - 1) / POOL_KEYS;
    uint64_t turns = (timed + slices - 1) / slices * slices;

    for (uint64_t turn = 0; turn < turns; turn++) {
        uint64_t number = turn * timed / turns;
        bool is_timed = turn == 0 || number != (turn - 1) * timed / turns;
        if (turn % slices == 0)
            clear_all(group);
        fill_pool_with_slice(group, turn % slices);
        for (size_t i = 0; i < group->count; i++)
            if (group->filters[i] != NULL)
                add_slice(group, i, is_timed,
                          is_timed && number % 2 == 0 ? CALL_SINGLE : CALL_BATCH);
    }
}

static void measure_queries(struct group *group, enum operation operation)
{
    uint64_t number = first_absent;
    for (size_t repetition = 0; repetition < group->settings->repetitions; repetition++)
        for (enum call call = 0; call < CALL_COUNT; call++) {
            number += POOL_KEYS;
            if (operation == OPERATION_POSITIVE)
                pool_fill(&group->pool, POOL_KEYS, pool_mix(number) % group->size, group->size);
            else
                pool_fill(&group->pool, POOL_KEYS, number, 0);
            for (size_t i = 0; i < group->count; i++)
                if (group->filters[i] != NULL)
                    query_slice(group, i, call, operation);
        }
}

static void create_all(struct group *group)
{
    for (size_t i = 0; i < group->count; i++) {
        const struct contestant *contestant = group->rows[i].contestant;
        group->filters[i] = contestant->type->create(contestant, group->size);
        /* The other libbloom is bounded; its row stays empty then. */
        if (group->filters[i] == NULL && contestant->kind != KIND_LIBBLOOM)
            report_failure("no filter could be made", contestant->name);
    }
}

static void destroy_all(struct group *group)
{
    for (size_t i = 0; i < group->count; i++)
        if (group->filters[i] != NULL)
            group->rows[i].contestant->type->destroy(group->rows[i].contestant, group->filters[i]);
}

static void measure_group(struct report *report, struct group *group)
{
    create_all(group);
    if (!pool_create(&group->pool, POOL_KEYS, report->settings.key_size) ||
        !pool_create(&group->warm_pool, POOL_KEYS, report->settings.key_size))
        report_failure("not enough memory", "keys");
    pool_fill(&group->warm_pool, POOL_KEYS, first_warm, 0);
    measure_adds(group);
    if (report->settings.sections & SECTION_KEYS) {
        measure_queries(group, OPERATION_POSITIVE);
        measure_queries(group, OPERATION_NEGATIVE);
    }
    pool_release(&group->warm_pool);
    pool_release(&group->pool);
    if (report->settings.sections & SECTION_THREADS && group->size == report_largest_size(report))
        for (size_t i = 0; i < group->count; i++)
            if (group->rows[i].contestant->kind == KIND_LIBRARY)
                measure_threads(&report->settings, &group->rows[i], group->filters[i]);
    destroy_all(group);
}

/* ---- all */

static uint64_t memory_of(const struct contestant *contestant, uint64_t size)
{
    bloomfilter_info info = BLOOMFILTER_INFO_INIT;
    bloomfilter_options options = library_options(contestant, size);
    if (contestant->library != NULL && bloomfilter_plan(&options, &info) == 0)
        return info.memory_bytes;
    return contestant_flat_bit_count(size) / 8 + 1;
}

static void list_rows(struct report *report, uint64_t size)
{
    for (size_t i = 0; i < report->contestants.count; i++) {
        const struct contestant *contestant = &report->contestants.list[i];
        report->rows[report->row_count++] = (struct row){
            .contestant = contestant, .size = size, .memory_bytes = memory_of(contestant, size)};
    }
}

/* How many rows from `first` on fit into the budget together; at least one. */
static size_t group_count(const struct report *report, size_t first)
{
    uint64_t memory = 0;
    size_t end = first;
    while (end < report->row_count) {
        memory += report->rows[end].memory_bytes;
        if (memory > memory_budget && end != first)
            break;
        end++;
    }
    return end - first;
}

void measure_keys(struct report *report)
{
    for (size_t i = 0; i < report->settings.size_count; i++) {
        uint64_t size = report->settings.sizes[i];
        size_t first = report->row_count;
        list_rows(report, size);
        while (first < report->row_count) {
            struct group group = {.settings = &report->settings,
                                  .rows = &report->rows[first],
                                  .count = group_count(report, first),
                                  .size = size};
            fprintf(stderr, "n = %s, %zu contestants ...\n", report_size_name(size), group.count);
            measure_group(report, &group);
            first += group.count;
        }
    }
}
