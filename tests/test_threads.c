/* SPDX-License-Identifier: MIT */
/*
 * Many threads on one filter, and on one path. Made for ThreadSanitizer, which sees a race that did
 * no harm this time; but each test also looks for the harm itself, so that it means something
 * without: keys denied, bits lost, adds not counted, files that are not whole.
 */
#include "support.h"

#include <inttypes.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "handle/handle.h"
#include "handle/insert_counter.h"

/* ---- Threads ---- */

enum { MAX_THREADS = 80, CACHE_LINE = 64 };

/* Where threads wait for each other. They spin, so that they go on at the same moment and not one
 * after the other as the scheduler wakes them. */
struct meeting {
    atomic_uint arrived;
    unsigned count;
};

static void meet(struct meeting *meeting)
{
    unsigned ticket = atomic_fetch_add(&meeting->arrived, 1);
    unsigned wanted = ticket - ticket % meeting->count + meeting->count;
    for (unsigned spins = 1; atomic_load(&meeting->arrived) < wanted; spins++)
        if (spins % 1024 == 0)
            sched_yield();
}

struct worker {
    void (*work)(struct worker *worker);
    void *context;
    struct meeting *meeting;
    unsigned number; /* 0, 1, 2 ... */
    int failed_line; /* of this file; 0: all was well */
    pthread_t thread;
};

/* CMocka's assertions jump, which a thread other than the first must not. */
#define EXPECT(condition)                                                                          \
    do {                                                                                           \
        if (!(condition) && worker->failed_line == 0)                                              \
            worker->failed_line = __LINE__;                                                        \
    } while (0)

static void *start_work(void *argument)
{
    struct worker *worker = argument;
    meet(worker->meeting);
    worker->work(worker);
    return NULL;
}

/* Runs `work` in `count` threads at once; fails the test if an EXPECT failed in one. */
static void run_threads(unsigned count, void (*work)(struct worker *worker), void *context)
{
    struct worker workers[MAX_THREADS];
    struct meeting meeting = {.count = count};

    assert_true(count <= MAX_THREADS);
    for (unsigned i = 0; i < count; i++) {
        workers[i] =
            (struct worker){.work = work, .context = context, .meeting = &meeting, .number = i};
        assert_int_equal(pthread_create(&workers[i].thread, NULL, start_work, &workers[i]), 0);
    }
    for (unsigned i = 0; i < count; i++)
        assert_int_equal(pthread_join(workers[i].thread, NULL), 0);
    for (unsigned i = 0; i < count; i++)
        if (workers[i].failed_line != 0)
            fail_msg("thread %u of %u: line %d", i, count, workers[i].failed_line);
}

/* ---- Keys: the bytes of a number ---- */

enum { BATCH = 32 };

struct batch {
    uint64_t numbers[BATCH];
    const void *keys[BATCH];
    size_t key_sizes[BATCH];
};

static void fill_batch(struct batch *batch, uint64_t first)
{
    for (size_t j = 0; j < BATCH; j++) {
        batch->numbers[j] = first + j;
        batch->keys[j] = &batch->numbers[j];
        batch->key_sizes[j] = sizeof batch->numbers[j];
    }
}

static int add_number(bloomfilter *filter, uint64_t number)
{
    return bloomfilter_add(filter, &number, sizeof number);
}

static bool contains_number(const bloomfilter *filter, uint64_t number)
{
    return bloomfilter_contains(filter, &number, sizeof number);
}

static bool contains_batch(const bloomfilter *filter, const struct batch *batch)
{
    uint8_t found[BATCH];
    if (bloomfilter_contains_many(filter, BATCH, batch->keys, batch->key_sizes, found) != 0)
        return false;
    return memchr(found, 0, BATCH) == NULL;
}

/* ---- Filters ---- */

/* Scheme 5 goes with the split-block layout only. */
static bloomfilter *create(uint64_t bit_count, uint32_t hash_count, uint32_t hash)
{
    bloomfilter_options options = BLOOMFILTER_OPTIONS_INIT;
    bloomfilter *filter;
    options.bit_count = bit_count;
    options.hash_count = hash_count;
    options.hash = hash;
    if (hash == BLOOMFILTER_HASH_XXH64)
        options.layout = BLOOMFILTER_LAYOUT_SPLIT_BLOCK;
    assert_int_equal(bloomfilter_create(&filter, &options), 0);
    return filter;
}

/* Same bits, same insert_count, same everything. */
static void assert_same_bytes(const bloomfilter *filter, const bloomfilter *expected)
{
    size_t size;
    size_t expected_size;
    uint8_t *bytes = serialized(filter, &size);
    uint8_t *expected_bytes = serialized(expected, &expected_size);
    assert_int_equal(size, expected_size);
    assert_memory_equal(bytes, expected_bytes, size);
    free(bytes);
    free(expected_bytes);
}

/* ---- First use: must be the first test, since a process has only one ---- */

static uint8_t *sample_bytes;
static size_t sample_size;

static int open_sample(bloomfilter **out, unsigned how)
{
    bloomfilter_info info = BLOOMFILTER_INFO_INIT;
    *out = NULL;
    switch (how % 4) {
    case 0:
        return bloomfilter_new(out, 1000, 0.01);
    case 1:
        return bloomfilter_deserialize(out, sample_bytes, sample_size, NULL);
    case 2:
        return bloomfilter_view(out, sample_bytes, sample_size, NULL);
    default:
        return bloomfilter_peek(sample_bytes, sample_size, &info);
    }
}

static void use_first(struct worker *worker)
{
    bloomfilter *filter;
    EXPECT(open_sample(&filter, worker->number) == 0);
    EXPECT((filter != NULL) == (worker->number % 4 != 3));
    bloomfilter_free(filter);
}

static void test_first_use(void **state)
{
    (void)state;
    sample_bytes = read_data("format/good-metadata-measured.bloom", &sample_size);
    run_threads(8, use_first, NULL);
    free(sample_bytes);
}

/* ---- Adds beside questions and inspectors ---- */

enum { WRITERS = 4, READERS = 2, OWN_KEYS = 60 * BATCH, SHARED_KEYS = 500 };
#define SHARED_FIRST ((uint64_t)1 << 40)
#define EARLIER_FIRST ((uint64_t)1 << 41)

struct mix {
    bloomfilter *filter;
    bloomfilter *other; /* compatible */
    uint64_t serialized_size;
    _Atomic uint64_t published[WRITERS]; /* own keys that a writer has added */
    atomic_uint writers_left;
};

static uint64_t own_first(unsigned writer)
{
    return (uint64_t)(writer + 1) << 32;
}

enum { ADDS_PER_WRITER = OWN_KEYS + SHARED_KEYS };

/* Keys of its own in batches, keys that all writers add one by one. */
static bool write_mix(struct mix *mix, unsigned writer)
{
    bool all_found = true;
    uint64_t shared = 0;
    for (uint64_t done = 0; done < OWN_KEYS; done += BATCH) {
        struct batch batch;
        uint8_t was_new[BATCH];
        bool asks = done / BATCH % 2 == 0;
        fill_batch(&batch, own_first(writer) + done);
        all_found &= bloomfilter_add_many(mix->filter, BATCH, batch.keys, batch.key_sizes,
                                          asks ? was_new : NULL) == 0;
        all_found &= contains_batch(mix->filter, &batch);
        atomic_store_explicit(&mix->published[writer], done + BATCH, memory_order_release);
        for (; shared * OWN_KEYS < (done + BATCH) * SHARED_KEYS; shared++) {
            all_found &= add_number(mix->filter, SHARED_FIRST + shared) >= 0;
            all_found &= contains_number(mix->filter, SHARED_FIRST + shared);
        }
    }
    return all_found && shared == SHARED_KEYS;
}

/* Whoever saw that a key was added finds it, and its add counted. */
static void check_published(struct worker *worker, struct mix *mix)
{
    uint64_t total = 0;
    for (unsigned writer = 0; writer < WRITERS; writer++) {
        uint64_t published = atomic_load_explicit(&mix->published[writer], memory_order_acquire);
        struct batch batch;
        total += published;
        if (published == 0)
            continue;
        fill_batch(&batch, own_first(writer) + published - BATCH);
        EXPECT(contains_batch(mix->filter, &batch));
        EXPECT(contains_number(mix->filter, own_first(writer)));
    }
    bloomfilter_info info = BLOOMFILTER_INFO_INIT;
    EXPECT(bloomfilter_get_info(mix->filter, &info) == 0);
    EXPECT(info.insert_count >= 1 + total);
}

/* Both only ever grow. */
static void check_growth(struct worker *worker, const struct mix *mix, bloomfilter_info *last)
{
    bloomfilter_info info = BLOOMFILTER_INFO_INIT;
    EXPECT(bloomfilter_get_info(mix->filter, &info) == 0);
    EXPECT(info.insert_count >= last->insert_count);
    EXPECT(info.insert_count <= 1 + WRITERS * ADDS_PER_WRITER);
    EXPECT(info.bits_set >= last->bits_set);
    EXPECT(info.bits_set <= info.bit_count);
    *last = info;
}

static void check_constants(struct worker *worker, const struct mix *mix)
{
    const void *metadata;
    size_t size;
    uint64_t file_size;
    EXPECT(bloomfilter_compatible(mix->filter, mix->other) == 1);
    EXPECT(bloomfilter_serialized_size(mix->filter, &file_size) == 0);
    EXPECT(file_size == mix->serialized_size);
    EXPECT(bloomfilter_get_metadata(mix->filter, &metadata, &size) == 0);
    EXPECT(size == 5 && memcmp(metadata, "NFC\n", 5) == 0);
}

static void write_or_read(struct worker *worker)
{
    struct mix *mix = worker->context;
    bloomfilter_info last = {0};
    if (worker->number < WRITERS) {
        EXPECT(write_mix(mix, worker->number));
        atomic_fetch_sub(&mix->writers_left, 1);
        return;
    }
    do {
        EXPECT(contains_number(mix->filter, EARLIER_FIRST));
        check_published(worker, mix);
        check_growth(worker, mix, &last);
        check_constants(worker, mix);
    } while (atomic_load(&mix->writers_left) != 0);
}

static void check_mix(uint64_t bit_count, uint32_t hash_count, uint32_t hash)
{
    struct mix mixed = {.filter = create(bit_count, hash_count, hash),
                        .other = create(bit_count, hash_count, hash),
                        .writers_left = WRITERS};
    struct mix expected = {.filter = mixed.other};

    add_number(mixed.filter, EARLIER_FIRST);
    add_number(expected.filter, EARLIER_FIRST);
    assert_int_equal(bloomfilter_set_metadata(mixed.filter, "NFC\n", 5), 0);
    assert_int_equal(bloomfilter_set_metadata(expected.filter, "NFC\n", 5), 0);
    bloomfilter_serialized_size(mixed.filter, &mixed.serialized_size);
    run_threads(WRITERS + READERS, write_or_read, &mixed);

    for (unsigned writer = 0; writer < WRITERS; writer++)
        assert_true(write_mix(&expected, writer));
    for (unsigned writer = 0; writer < WRITERS; writer++)
        for (uint64_t i = 0; i < OWN_KEYS; i++)
            assert_true(contains_number(mixed.filter, own_first(writer) + i));
    for (uint64_t i = 0; i < SHARED_KEYS; i++)
        assert_true(contains_number(mixed.filter, SHARED_FIRST + i));
    assert_int_equal(info_of(mixed.filter).insert_count, 1 + WRITERS * ADDS_PER_WRITER);
    assert_int_equal(info_of(mixed.filter).bits_set, info_of(expected.filter).bits_set);
    assert_same_bytes(mixed.filter, expected.filter);
    bloomfilter_free(mixed.filter);
    bloomfilter_free(expected.filter);
}

static void test_mix_on_one_bit(void **state)
{
    (void)state;
    check_mix(1, 1, BLOOMFILTER_HASH_BLAKE2B_PAIR);
}

static void test_mix_on_small_filters(void **state)
{
    (void)state;
    check_mix(61, 3, BLOOMFILTER_HASH_BLAKE2B_PAIR);
    check_mix(16383, 2, BLOOMFILTER_HASH_MURMUR3_TWEAK);
    check_mix(16384, 255, BLOOMFILTER_HASH_MURMUR3_TWEAK);
    check_mix(256, 8, BLOOMFILTER_HASH_XXH64);
}

static void test_mix_on_middling_filters(void **state)
{
    (void)state;
    check_mix(100003, 7, BLOOMFILTER_HASH_BLAKE2B_PAIR);
    check_mix(100003, 7, BLOOMFILTER_HASH_BLAKE2B_INDEXED);
    check_mix(100003, 7, BLOOMFILTER_HASH_MURMUR3_TWEAK);
    check_mix(100003, 7, BLOOMFILTER_HASH_BLAKE2B_WIDE);
    check_mix(102400, 8, BLOOMFILTER_HASH_XXH64);
}

/* In pages of its own and with as many counters as there can be. */
static void test_mix_on_a_large_filter(void **state)
{
    (void)state;
    check_mix(((uint64_t)1 << 26) + 1, 7, BLOOMFILTER_HASH_BLAKE2B_PAIR);
    check_mix(((uint64_t)1 << 26) + 256, 8, BLOOMFILTER_HASH_XXH64);
}

/* ---- No bit is lost ---- */

/*
 * Two threads set bits in the same few bytes at the same moment. With a plain `byte |= bit` each
 * overwrites what the other did between its load and its store: so written, every second round
 * loses bits where both threads run. Each round takes fresh keys and a cleared filter, since a bit
 * that is set already cannot be lost; and only rounds count in which the threads were there
 * together, since on a busy machine they mostly are not.
 */
enum { CROWD = 2, CROWD_ROUNDS = 3000, CROWD_SECONDS = 5, MOST_CROWD_KEYS = 16 };

struct crowd {
    unsigned keys; /* of each thread in a round */
    bloomfilter *filter;
    bloomfilter *expected;
    struct meeting meeting;
    atomic_uint entered; /* of this round */
    atomic_uint left;
    unsigned rounds;
    unsigned rounds_together;
    unsigned rounds_with_loss;
    unsigned rounds_miscounted;
    uint64_t bits_lost;
    time_t end;
    bool is_over;
};

static void add_crowd_keys(bloomfilter *filter, unsigned count, unsigned round, unsigned thread)
{
    uint64_t first = ((uint64_t)round << 16) + thread * count;
    uint64_t numbers[MOST_CROWD_KEYS];
    const void *keys[MOST_CROWD_KEYS];
    size_t sizes[MOST_CROWD_KEYS];
    for (unsigned i = 0; i < count; i++) {
        numbers[i] = first + i;
        keys[i] = &numbers[i];
        sizes[i] = sizeof numbers[i];
    }
    if (round % 2 == 0)
        bloomfilter_add_many(filter, count, keys, sizes, NULL);
    else
        for (unsigned i = 0; i < count; i++)
            add_number(filter, first + i);
}

static void add_together(struct crowd *crowd, unsigned thread)
{
    atomic_fetch_add(&crowd->entered, 1);
    add_crowd_keys(crowd->filter, crowd->keys, crowd->rounds, thread);
    if (atomic_fetch_add(&crowd->left, 1) == 0 && atomic_load(&crowd->entered) == CROWD)
        crowd->rounds_together++;
}

static uint64_t count_differences(const bloomfilter *a, const bloomfilter *b)
{
    uint64_t count = 0;
    for (uint64_t i = 0; i < a->payload_size; i++)
        count += (unsigned)__builtin_popcount((unsigned)(a->cells[i] ^ b->cells[i]));
    return count;
}

static void finish_round(struct crowd *crowd)
{
    bloomfilter_clear(crowd->expected);
    for (unsigned thread = 0; thread < CROWD; thread++)
        add_crowd_keys(crowd->expected, crowd->keys, crowd->rounds, thread);
    uint64_t lost = count_differences(crowd->filter, crowd->expected);
    uint64_t counted = bloomfilter_insert_counter_read(&crowd->filter->inserts);
    crowd->bits_lost += lost;
    crowd->rounds_with_loss += lost != 0;
    crowd->rounds_miscounted += counted != CROWD * crowd->keys;

    bloomfilter_clear(crowd->filter);
    atomic_store(&crowd->entered, 0);
    atomic_store(&crowd->left, 0);
    crowd->rounds++;
    crowd->is_over = crowd->rounds_together >= CROWD_ROUNDS || time(NULL) > crowd->end;
}

static void crowd_in(struct worker *worker)
{
    struct crowd *crowd = worker->context;
    do {
        meet(&crowd->meeting);
        add_together(crowd, worker->number);
        meet(&crowd->meeting);
        if (worker->number == 0)
            finish_round(crowd);
        meet(&crowd->meeting);
    } while (!crowd->is_over);
}

static void check_crowd(uint64_t bit_count, uint32_t hash_count, uint32_t hash, unsigned keys)
{
    struct crowd crowd = {.keys = keys,
                          .filter = create(bit_count, hash_count, hash),
                          .expected = create(bit_count, hash_count, hash),
                          .meeting = {.count = CROWD},
                          .end = time(NULL) + CROWD_SECONDS};
    run_threads(CROWD, crowd_in, &crowd);
    if (crowd.bits_lost != 0)
        fail_msg("%" PRIu64 " bits, %u positions: %" PRIu64 " bits lost, in %u of %u rounds",
                 bit_count, hash_count, crowd.bits_lost, crowd.rounds_with_loss,
                 crowd.rounds_together);
    assert_int_equal(crowd.rounds_miscounted, 0);
    print_message("%u of %u rounds together\n", crowd.rounds_together, crowd.rounds);
    bloomfilter_free(crowd.filter);
    bloomfilter_free(crowd.expected);
}

static void test_no_bit_is_lost(void **state)
{
    (void)state;
    check_crowd(2003, 255, BLOOMFILTER_HASH_BLAKE2B_PAIR, 2);
}

static void test_no_bit_of_a_block_is_lost(void **state)
{
    (void)state;
    check_crowd(256, 8, BLOOMFILTER_HASH_XXH64, MOST_CROWD_KEYS);
}

/* ---- Of those who add an absent key at once, one is told that it was new ---- */

struct rivals {
    bloomfilter *filter;
    struct meeting meeting;
    unsigned rounds;
    atomic_uint told_new;
    bool was_absent;
    unsigned absent_rounds;
    unsigned untold_rounds;
};

static bool add_as_rival(bloomfilter *filter, uint64_t number, bool in_batch)
{
    const void *key = &number;
    size_t key_size = sizeof number;
    uint8_t was_new = 0;
    if (!in_batch)
        return add_number(filter, number) == 1;
    return bloomfilter_add_many(filter, 1, &key, &key_size, &was_new) == 0 && was_new == 1;
}

static void rival(struct worker *worker)
{
    struct rivals *rivals = worker->context;
    for (uint64_t round = 0; round < rivals->rounds; round++) {
        if (worker->number == 0) {
            atomic_store(&rivals->told_new, 0);
            rivals->was_absent = !contains_number(rivals->filter, round);
        }
        meet(&rivals->meeting);
        if (add_as_rival(rivals->filter, round, (round + worker->number) % 2 == 0))
            atomic_fetch_add(&rivals->told_new, 1);
        EXPECT(contains_number(rivals->filter, round));
        meet(&rivals->meeting);
        if (worker->number == 0) {
            bool told = atomic_load(&rivals->told_new) != 0;
            rivals->absent_rounds += rivals->was_absent;
            rivals->untold_rounds += rivals->was_absent && !told;
            EXPECT(rivals->was_absent || !told);
        }
    }
}

static void check_rivals(unsigned threads, unsigned rounds, uint32_t hash_count, uint32_t hash)
{
    struct rivals rivals = {.filter = create(1 << 20, hash_count, hash),
                            .meeting = {.count = threads},
                            .rounds = rounds};
    run_threads(threads, rival, &rivals);
    assert_int_equal(rivals.untold_rounds, 0);
    assert_true(rivals.absent_rounds >= rounds * 9 / 10);
    assert_int_equal(info_of(rivals.filter).insert_count, threads * rounds);
    bloomfilter_free(rivals.filter);
}

static void test_one_is_told_new(void **state)
{
    (void)state;
    check_rivals(2, 3000, 1, BLOOMFILTER_HASH_BLAKE2B_PAIR);
    check_rivals(2, 3000, 7, BLOOMFILTER_HASH_BLAKE2B_PAIR);
    check_rivals(2, 3000, 255, BLOOMFILTER_HASH_BLAKE2B_PAIR);
    check_rivals(8, 100, 7, BLOOMFILTER_HASH_BLAKE2B_PAIR);
    check_rivals(2, 3000, 8, BLOOMFILTER_HASH_XXH64);
}

/* ---- insert_count ---- */

static uint64_t stripes_beside(uint64_t payload_size)
{
    return bloomfilter_insert_counter_size(payload_size) / CACHE_LINE;
}

/* As many counters, each on a cache line of its own, as cost at most a sixteenth of the cells. */
static void test_stripes(void **state)
{
    (void)state;
    assert_int_equal(stripes_beside(8), 1);
    assert_int_equal(stripes_beside(2040), 1);
    assert_int_equal(stripes_beside(2048), 2);
    assert_int_equal(stripes_beside(65528), 32);
    assert_int_equal(stripes_beside(65536), 64);
    assert_int_equal(stripes_beside((uint64_t)1 << 57), 64);
    for (uint64_t size = 2048; size < (1 << 20); size += 1000)
        assert_true(bloomfilter_insert_counter_size(size) <= size / 16);
}

struct tally {
    bloomfilter *filter;
    unsigned adds;
    bool is_full; /* the count is near its end, or past it */
};

static void add_to_tally(struct worker *worker)
{
    const struct tally *tally = worker->context;
    for (unsigned i = 0; i < tally->adds; i++) {
        bloomfilter_info info = BLOOMFILTER_INFO_INIT;
        EXPECT(add_number(tally->filter, worker->number % 8) >= 0);
        if (i % 64 != 0)
            continue;
        EXPECT(bloomfilter_get_info(tally->filter, &info) == 0);
        EXPECT(info.insert_count > i);
        EXPECT(!tally->is_full || info.insert_count >= UINT64_MAX - 100);
    }
}

static void check_tally(uint64_t bit_count, unsigned threads, unsigned adds)
{
    struct tally tally = {.filter = create(bit_count, 2, BLOOMFILTER_HASH_MURMUR3_TWEAK),
                          .adds = adds};
    run_threads(threads, add_to_tally, &tally);
    run_threads(threads, add_to_tally, &tally); /* other threads, other counters */
    assert_int_equal(info_of(tally.filter).insert_count, 2ull * threads * adds);
    bloomfilter_free(tally.filter);
}

static void test_insert_count_is_exact(void **state)
{
    (void)state;
    check_tally(64, 4, 10000);
    check_tally(1 << 14, 4, 10000);
    check_tally(1 << 20, 4, 10000);
    check_tally(64, MAX_THREADS, 200);
    check_tally(1 << 20, MAX_THREADS, 200); /* more threads than counters */
}

static void test_insert_count_stays_at_its_end(void **state)
{
    static const uint64_t bit_counts[] = {64, 1 << 20};
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        struct tally tally = {.filter = create(bit_counts[i], 2, BLOOMFILTER_HASH_MURMUR3_TWEAK),
                              .adds = 1000,
                              .is_full = true};
        bloomfilter_insert_counter_set(&tally.filter->inserts, UINT64_MAX - 100);
        run_threads(4, add_to_tally, &tally);
        assert_true(info_of(tally.filter).insert_count == UINT64_MAX);
        bloomfilter_free(tally.filter);
    }
}

/* ---- Functions that only read, on one filter ---- */

struct shared {
    const bloomfilter *filter;
    const bloomfilter *mapped;
    const char *directory;
    const uint8_t *bytes;
    size_t size;
};

static bool serializes_to(const bloomfilter *filter, const uint8_t *expected, size_t size)
{
    uint8_t *bytes = malloc(size);
    bool same = bytes != NULL && bloomfilter_serialize(filter, bytes, size) == 0 &&
                memcmp(bytes, expected, size) == 0;
    free(bytes);
    return same;
}

static void copy_and_unite(struct worker *worker, const struct shared *shared)
{
    bloomfilter *copy;
    EXPECT(bloomfilter_copy(&copy, worker->number % 2 ? shared->mapped : shared->filter) == 0);
    EXPECT(serializes_to(copy, shared->bytes, shared->size));
    bloomfilter_clear(copy);
    EXPECT(bloomfilter_union(copy, shared->filter) == 0);
    EXPECT(bloomfilter_intersect(copy, shared->mapped) == 0);
    EXPECT(serializes_to(copy, shared->bytes, shared->size));
    bloomfilter_free(copy);
}

static void read_shared(struct worker *worker)
{
    const struct shared *shared = worker->context;
    char path[4300];
    snprintf(path, sizeof path, "%s/copy-%u.bloom", shared->directory, worker->number);
    for (int round = 0; round < 8; round++) {
        bloomfilter_info info = BLOOMFILTER_INFO_INIT;
        struct batch batch;
        fill_batch(&batch, 0);
        EXPECT(contains_batch(shared->filter, &batch));
        EXPECT(contains_batch(shared->mapped, &batch));
        EXPECT(bloomfilter_verify(shared->filter) == 0);
        EXPECT(bloomfilter_verify(shared->mapped) == 0);
        EXPECT(bloomfilter_compatible(shared->filter, shared->mapped) == 1);
        EXPECT(bloomfilter_get_info(shared->mapped, &info) == 0 && info.insert_count == BATCH);
        EXPECT(serializes_to(shared->filter, shared->bytes, shared->size));
        EXPECT(serializes_to(shared->mapped, shared->bytes, shared->size));
        EXPECT(bloomfilter_save(worker->number % 2 ? shared->filter : shared->mapped, path) == 0);
        copy_and_unite(worker, shared);
    }
}

static void test_reading_at_once(void **state)
{
    const char *directory = make_temporary_directory();
    const char *path = path_in(directory, "shared.bloom");
    bloomfilter *filter = create(30000, 7, BLOOMFILTER_HASH_BLAKE2B_PAIR);
    bloomfilter *mapped;
    struct batch batch;
    (void)state;

    fill_batch(&batch, 0);
    assert_int_equal(bloomfilter_add_many(filter, BATCH, batch.keys, batch.key_sizes, NULL), 0);
    assert_int_equal(bloomfilter_save(filter, path), 0);
    assert_int_equal(bloomfilter_map(&mapped, path, NULL), 0);
    struct shared shared = {.filter = filter, .mapped = mapped, .directory = directory};
    uint8_t *bytes = serialized(filter, &shared.size);
    shared.bytes = bytes;
    run_threads(6, read_shared, &shared);
    for (unsigned i = 0; i < 6; i++) {
        char name[32];
        size_t size;
        snprintf(name, sizeof name, "copy-%u.bloom", i);
        uint8_t *saved = read_path(path_in(directory, name), &size);
        assert_int_equal(size, shared.size);
        assert_memory_equal(saved, bytes, size);
        free(saved);
    }
    free(bytes);
    bloomfilter_free(mapped);
    bloomfilter_free(filter);
    remove_tree(directory);
}

/* ---- Different filters, different paths ---- */

static void save_and_open(struct worker *worker)
{
    bloomfilter_options options = BLOOMFILTER_OPTIONS_INIT;
    bloomfilter_load_options load_options = BLOOMFILTER_LOAD_OPTIONS_INIT;
    bool keyed = worker->number % 2 == 0;
    char path[4300];
    bloomfilter *filter;
    bloomfilter *opened;

    snprintf(path, sizeof path, "%s/own-%u.bloom", (const char *)worker->context, worker->number);
    options.capacity = 1000 * (worker->number + 1);
    options.target_fpr = 0.001;
    options.secret = load_options.secret = keyed ? "0123456789abcdef" : NULL;
    options.secret_size = load_options.secret_size = keyed ? 16 : 0;
    EXPECT(bloomfilter_create(&filter, &options) == 0);
    for (uint64_t round = 0; round < 10; round++) {
        uint64_t first = ((uint64_t)worker->number << 32) + 100 * round;
        for (uint64_t i = 0; i < 100; i++)
            EXPECT(add_number(filter, first + i) >= 0);
        EXPECT(bloomfilter_save(filter, path) == 0);
        EXPECT((round % 2 ? bloomfilter_load : bloomfilter_map)(&opened, path, &load_options) == 0);
        EXPECT(bloomfilter_verify(opened) == 0);
        for (uint64_t i = 0; i < 100; i++)
            EXPECT(contains_number(opened, first + i));
        bloomfilter_info info = BLOOMFILTER_INFO_INIT;
        EXPECT(bloomfilter_get_info(opened, &info) == 0);
        EXPECT(info.insert_count == 100 * (round + 1));
        EXPECT(info.capacity == options.capacity);
        bloomfilter_free(opened);
    }
    bloomfilter_free(filter);
}

static void test_different_files_at_once(void **state)
{
    const char *directory = make_temporary_directory();
    (void)state;
    run_threads(6, save_and_open, (void *)(uintptr_t)directory);
    assert_int_equal(count_entries(directory), 6);
    remove_tree(directory);
}

/* ---- One path ---- */

enum { SAVERS = 4, LOADERS = 2, SAVES = 25 };

struct contest {
    const char *path;
    bloomfilter *filters[SAVERS];
    uint8_t *bytes[SAVERS];
    size_t sizes[SAVERS];
    atomic_uint savers_left;
    atomic_uint loads;
};

static bool is_one_of(const struct contest *contest, const bloomfilter *filter)
{
    uint64_t size;
    if (filter == NULL || bloomfilter_serialized_size(filter, &size) != 0)
        return false;
    for (unsigned i = 0; i < SAVERS; i++)
        if (size == contest->sizes[i] &&
            serializes_to(filter, contest->bytes[i], contest->sizes[i]))
            return true;
    return false;
}

/* Whoever opens the path finds a whole filter; a map stays as it was when others replace the
 * file. */
static void open_contested(struct worker *worker, struct contest *contest)
{
    bloomfilter *mapped;
    bloomfilter *loaded;
    EXPECT(bloomfilter_map(&mapped, contest->path, NULL) == 0);
    EXPECT(bloomfilter_load(&loaded, contest->path, NULL) == 0);
    EXPECT(is_one_of(contest, loaded));
    EXPECT(bloomfilter_verify(mapped) == 0);
    EXPECT(is_one_of(contest, mapped));
    bloomfilter_free(mapped);
    bloomfilter_free(loaded);
    atomic_fetch_add(&contest->loads, 1);
}

static void contend(struct worker *worker)
{
    struct contest *contest = worker->context;
    if (worker->number < SAVERS) {
        for (int i = 0; i < SAVES; i++)
            EXPECT(bloomfilter_save(contest->filters[worker->number], contest->path) == 0);
        atomic_fetch_sub(&contest->savers_left, 1);
        return;
    }
    do
        open_contested(worker, contest);
    while (atomic_load(&contest->savers_left) != 0);
}

/* `distinct` filters, of different sizes, shared among the savers. */
static void check_contest(unsigned distinct)
{
    const char *directory = make_temporary_directory();
    struct contest contest = {.path = path_in(directory, "contested.bloom"), .savers_left = SAVERS};
    bloomfilter *winner;

    for (unsigned i = 0; i < SAVERS; i++) {
        contest.filters[i] = i < distinct
                                 ? create(40000 + 90000 * i, 7, BLOOMFILTER_HASH_BLAKE2B_PAIR)
                                 : contest.filters[i % distinct];
        add_number(contest.filters[i], i);
    }
    for (unsigned i = 0; i < SAVERS; i++)
        contest.bytes[i] = serialized(contest.filters[i], &contest.sizes[i]);
    assert_int_equal(bloomfilter_save(contest.filters[0], contest.path), 0);
    run_threads(SAVERS + LOADERS, contend, &contest);

    assert_int_equal(bloomfilter_load(&winner, contest.path, NULL), 0);
    assert_true(is_one_of(&contest, winner));
    bloomfilter_free(winner);
    assert_true(atomic_load(&contest.loads) >= LOADERS);
    assert_int_equal(count_entries(directory), 1); /* no temporary file left */
    for (unsigned i = 0; i < SAVERS; i++) {
        free(contest.bytes[i]);
        if (i < distinct)
            bloomfilter_free(contest.filters[i]);
    }
    remove_tree(directory);
}

static void test_one_filter_to_one_path(void **state)
{
    (void)state;
    check_contest(1);
}

static void test_different_filters_to_one_path(void **state)
{
    (void)state;
    check_contest(SAVERS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_first_use),
        cmocka_unit_test(test_mix_on_one_bit),
        cmocka_unit_test(test_mix_on_small_filters),
        cmocka_unit_test(test_mix_on_middling_filters),
        cmocka_unit_test(test_mix_on_a_large_filter),
        cmocka_unit_test(test_no_bit_is_lost),
        cmocka_unit_test(test_no_bit_of_a_block_is_lost),
        cmocka_unit_test(test_one_is_told_new),
        cmocka_unit_test(test_stripes),
        cmocka_unit_test(test_insert_count_is_exact),
        cmocka_unit_test(test_insert_count_stays_at_its_end),
        cmocka_unit_test(test_reading_at_once),
        cmocka_unit_test(test_different_files_at_once),
        cmocka_unit_test(test_one_filter_to_one_path),
        cmocka_unit_test(test_different_filters_to_one_path),
    };
    return RUN(tests);
}
