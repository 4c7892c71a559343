/* SPDX-License-Identifier: MIT */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "measure.h"

/* Keys that each thread adds: so many that the start does not count. */
enum { MOST_THREADS = 2, MOST_KEYS = 262144 };

struct worker {
    const struct contestant *contestant;
    void *filter;
    struct pool pool;
    int processor;
    atomic_int *waiting; /* threads that have not come to the start yet */
    double start;
    double end;
};

static void *run(void *argument)
{
    struct worker *worker = argument;
    clock_pin(worker->processor);
    atomic_fetch_sub(worker->waiting, 1);
    while (atomic_load(worker->waiting) > 0)
        ;
    worker->start = clock_seconds();
    worker->contestant->type->add[CALL_BATCH](worker->contestant, worker->filter, &worker->pool, 0,
                                              worker->pool.count);
    worker->end = clock_seconds();
    return NULL;
}

/* From the first start to the last end. */
static double run_together(struct worker workers[], int count)
{
    pthread_t threads[MOST_THREADS];
    atomic_int waiting = count;
    for (int i = 0; i < count; i++) {
        workers[i].waiting = &waiting;
        if (pthread_create(&threads[i], NULL, run, &workers[i]) != 0)
            report_failure("no thread could be started", workers[i].contestant->name);
    }
    for (int i = 0; i < count; i++)
        pthread_join(threads[i], NULL);
    double start = workers[0].start;
    double end = workers[0].end;
    for (int i = 1; i < count; i++) {
        start = workers[i].start < start ? workers[i].start : start;
        end = workers[i].end > end ? workers[i].end : end;
    }
    return end - start;
}

static void time_threads(struct row *row, struct worker workers[], int count, uint64_t *number)
{
    size_t keys = workers[0].pool.room;
    for (int i = 0; i < count; i++) {
        pool_fill(&workers[i].pool, keys, *number, 0);
        *number += keys;
    }
    double seconds = run_together(workers, count);
    samples_add(&row->thread_times[count - 1], seconds * 1e9 / ((double)keys * count));
}

void measure_threads(const struct settings *settings, struct row *row, void *filter)
{
    struct worker workers[MOST_THREADS];
    uint64_t number = UINT64_C(1) << 61; /* keys that were not added before */
    size_t keys = row->size < MOST_KEYS ? (size_t)row->size : MOST_KEYS;

    if (clock_processor_count() < MOST_THREADS)
        return;
    for (int i = 0; i < MOST_THREADS; i++) {
        workers[i] =
            (struct worker){.contestant = row->contestant, .filter = filter, .processor = i};
        if (!pool_create(&workers[i].pool, keys, settings->key_size))
            report_failure("not enough memory", "keys");
    }
    for (size_t repetition = 0; repetition < settings->repetitions; repetition++)
        for (int count = 1; count <= MOST_THREADS; count++)
            time_threads(row, workers, count, &number);
    for (int i = 0; i < MOST_THREADS; i++)
        pool_release(&workers[i].pool);
}
