/* SPDX-License-Identifier: MIT */
/* Keys in and out. */
#include "bitset/flat_cells.h"
#include "handle/block_keys.h"
#include "handle/handle.h"
#include "support/threads.h"

_Static_assert((int)KEY_GROUP == (int)FLAT_GROUP, "a group of keys is one of positions");

static bool is_key_valid(const void *key, size_t key_size)
{
    return key != NULL || key_size == 0;
}

static bool are_keys_valid(size_t count, const void *const keys[], const size_t key_sizes[])
{
    if (count != 0 && (keys == NULL || key_sizes == NULL))
        return false;
    for (size_t j = 0; j < count; j++)
        if (!is_key_valid(keys[j], key_sizes[j]))
            return false;
    return true;
}

/* ---- one key */

/* Apart, for the room that positions take: blocks do without. */
static __attribute__((noinline)) bool add_positions(const bloomfilter *filter, const void *key,
                                                    size_t key_size)
{
    const struct hasher *hasher = &filter->hasher;
    uint64_t positions[BLOOMFILTER_MAX_HASH_COUNT];
    hasher->scheme->positions(hasher, key, key_size, positions, 1);
    return filter->layout->add(filter->cells, positions, hasher->hash_count);
}

static __attribute__((noinline)) bool contains_positions(const bloomfilter *filter, const void *key,
                                                         size_t key_size)
{
    const struct hasher *hasher = &filter->hasher;
    uint64_t positions[BLOOMFILTER_MAX_HASH_COUNT];
    hasher->scheme->positions(hasher, key, key_size, positions, 1);
    return filter->layout->contains(filter->cells, positions, hasher->hash_count);
}

static inline bool add_one(const bloomfilter *filter, const void *key, size_t key_size)
{
    return filter->blocks != NULL ? block_keys_add(filter, key, key_size)
                                  : add_positions(filter, key, key_size);
}

static inline bool contains_one(const bloomfilter *filter, const void *key, size_t key_size)
{
    return filter->blocks != NULL ? block_keys_contains(filter, key, key_size)
                                  : contains_positions(filter, key, key_size);
}

/* ---- many keys, in groups */

enum {
    /* While a group is hashed, the cells of the one before it are fetched, and those of the one
     * before that are set or read. */
    LAG = 2,
    GROUPS_UNDERWAY = LAG + 1,
    /* Positions per key, for groups of which there is room on the stack. With more, it is the memory
     * that takes the time, and keys go one by one. */
    FEW_POSITIONS = 32,
    MANY_POSITIONS = 85,
};

struct passage {
    const bloomfilter *filter;
    size_t count;
    const void *const *keys;
    const size_t *key_sizes;
    size_t groups; /* the last one may be short */
    enum flat_task task;
    /* A byte per key, or NULL: 1 if some bit was 0, when it sets; 1 if none was, when it asks. */
    uint8_t *answers;
    uint64_t *room; /* for the positions of GROUPS_UNDERWAY */
};

static unsigned keys_in(const struct passage *passage, size_t group)
{
    size_t left = passage->count - group * KEY_GROUP;
    return left < KEY_GROUP ? (unsigned)left : KEY_GROUP;
}

static uint64_t *positions_of(struct passage *passage, size_t group)
{
    return passage->room + group % GROUPS_UNDERWAY * KEY_GROUP * passage->filter->hasher.hash_count;
}

static void set_ahead(struct passage *passage, struct flat_work *work, size_t group)
{
    work->ahead = positions_of(passage, group);
    work->ahead_count = keys_in(passage, group);
}

static void set_due(struct passage *passage, struct flat_work *work, size_t group)
{
    work->due = positions_of(passage, group);
    work->due_count = keys_in(passage, group);
}

static void hash_group(struct passage *passage, struct flat_work *work, size_t group)
{
    size_t first = group * KEY_GROUP;
    bloomfilter_hashing_positions(&passage->filter->hasher, keys_in(passage, group),
                                  passage->keys + first, passage->key_sizes + first,
                                  positions_of(passage, group), work);
}

static void finish(const struct passage *passage, struct flat_work *work)
{
    passage->filter->layout->finish(work);
}

static void note_answers(const struct passage *passage, const struct flat_work *work, size_t group)
{
    unsigned bits = passage->task == FLAT_ASK ? ~work->lacking : work->lacking;
    if (passage->answers == NULL)
        return;
    uint8_t *answers = passage->answers + group * KEY_GROUP;
    size_t count = keys_in(passage, group);
    for (size_t j = 0; j < count; j++)
        answers[j] = bits >> j & 1;
}

static struct flat_work no_work(const struct passage *passage)
{
    return (struct flat_work){.cells = passage->filter->cells,
                              .task = passage->task,
                              .hash_count = passage->filter->hasher.hash_count};
}

/* Turn number `turn`, when one group after the other is hashed. */
static void take_turn(struct passage *passage, size_t turn)
{
    struct flat_work work = no_work(passage);
    if (turn >= 1 && turn <= passage->groups)
        set_ahead(passage, &work, turn - 1);
    if (turn >= LAG)
        set_due(passage, &work, turn - LAG);
    if (turn < passage->groups)
        hash_group(passage, &work, turn);
    finish(passage, &work);
    if (turn >= LAG)
        note_answers(passage, &work, turn - LAG);
}

static void pass(struct passage *passage, uint64_t room[])
{
    passage->room = room;
    for (size_t turn = 0; turn < passage->groups + LAG; turn++)
        take_turn(passage, turn);
}

/* Threads can have small stacks: no more of it is taken than the filter needs. */
static __attribute__((noinline)) void pass_few_positions(struct passage *passage)
{
    uint64_t room[GROUPS_UNDERWAY * KEY_GROUP * FEW_POSITIONS];
    pass(passage, room);
}

static __attribute__((noinline)) void pass_many_positions(struct passage *passage)
{
    uint64_t room[GROUPS_UNDERWAY * KEY_GROUP * MANY_POSITIONS];
    pass(passage, room);
}

static void pass_one_by_one(const bloomfilter *filter, size_t count, const void *const keys[],
                            const size_t key_sizes[], bool sets, uint8_t *answers)
{
    for (size_t j = 0; j < count; j++) {
        bool answer = sets ? add_one(filter, keys[j], key_sizes[j])
                           : contains_one(filter, keys[j], key_sizes[j]);
        if (answers != NULL)
            answers[j] = answer;
    }
}

/* Sends all keys through. */
static void pass_all(const bloomfilter *filter, size_t count, const void *const keys[],
                     const size_t key_sizes[], bool sets, uint8_t *answers)
{
    if (filter->blocks != NULL) {
        bloomfilter_block_keys_pass(filter, count, keys, key_sizes, sets, answers);
        return;
    }
    if (filter->layout->finish == NULL || filter->hasher.hash_count > MANY_POSITIONS) {
        pass_one_by_one(filter, count, keys, key_sizes, sets, answers);
        return;
    }
    if (count == 0)
        return;
    struct passage passage = {
        .filter = filter,
        .count = count,
        .keys = keys,
        .key_sizes = key_sizes,
        .groups = count / KEY_GROUP + (count % KEY_GROUP != 0),
        .task = !sets               ? FLAT_ASK
                : thread_is_alone() ? FLAT_SET_ALONE
                                    : FLAT_SET,
        .answers = answers,
    };
    if (filter->hasher.hash_count <= FEW_POSITIONS)
        pass_few_positions(&passage);
    else
        pass_many_positions(&passage);
}

/* ---- the interface */

int bloomfilter_add_many(bloomfilter *filter, size_t count, const void *const keys[],
                         const size_t key_sizes[], uint8_t *was_new)
{
    if (filter == NULL || !are_keys_valid(count, keys, key_sizes))
        return BLOOMFILTER_EINVAL;
    if (is_read_only(filter))
        return BLOOMFILTER_EREADONLY;
    pass_all(filter, count, keys, key_sizes, true, was_new);
    if (count != 0)
        insert_counter_add(&filter->inserts, count);
    return 0;
}

int bloomfilter_contains_many(const bloomfilter *filter, size_t count, const void *const keys[],
                              const size_t key_sizes[], uint8_t *found)
{
    if (filter == NULL || (found == NULL && count != 0) || !are_keys_valid(count, keys, key_sizes))
        return BLOOMFILTER_EINVAL;
    pass_all(filter, count, keys, key_sizes, false, found);
    return 0;
}

int bloomfilter_add(bloomfilter *filter, const void *key, size_t key_size)
{
    if (filter == NULL || !is_key_valid(key, key_size))
        return BLOOMFILTER_EINVAL;
    if (is_read_only(filter))
        return BLOOMFILTER_EREADONLY;
    bool is_new = add_one(filter, key, key_size);
    insert_counter_add(&filter->inserts, 1);
    return is_new;
}

bool bloomfilter_contains(const bloomfilter *filter, const void *key, size_t key_size)
{
    if (filter == NULL || !is_key_valid(key, key_size))
        return true;
    return contains_one(filter, key, key_size);
}

int bloomfilter_remove(bloomfilter *filter, const void *key, size_t key_size)
{
    if (filter == NULL || !is_key_valid(key, key_size))
        return BLOOMFILTER_EINVAL;
    return BLOOMFILTER_EUNSUPPORTED; /* no layout of this release counts */
}
