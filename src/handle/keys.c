/* SPDX-License-Identifier: MIT */
/* Keys in and out. */
#include "bitset/flat_cells.h"
#include "handle/block_keys.h"
#include "handle/handle.h"

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

static bool add_one(const bloomfilter *filter, const void *key, size_t key_size)
{
    const struct hasher *hasher = &filter->hasher;
    uint64_t positions[BLOOMFILTER_MAX_HASH_COUNT];
    if (filter->blocks != NULL)
        return block_keys_add(filter, key, key_size);
    hasher->scheme->positions(hasher, key, key_size, positions, 1);
    return filter->layout->add(filter->cells, positions, hasher->hash_count);
}

static bool contains_one(const bloomfilter *filter, const void *key, size_t key_size)
{
    const struct hasher *hasher = &filter->hasher;
    uint64_t positions[BLOOMFILTER_MAX_HASH_COUNT];
    if (filter->blocks != NULL)
        return block_keys_contains(filter, key, key_size);
    hasher->scheme->positions(hasher, key, key_size, positions, 1);
    return filter->layout->contains(filter->cells, positions, hasher->hash_count);
}

/* ---- many keys, in groups */

enum {
    POSITION_ROOM = KEY_GROUP * BLOOMFILTER_MAX_HASH_COUNT, /* on the stack */
    /* While a group is hashed, the cells of the one before it are fetched, and those of the one
     * before that are set or read. */
    LAG = 2,
    STEPS = 24, /* of a kernel, in which it does a share of the work */
};

struct passage {
    const bloomfilter *filter;
    const void *const *keys;
    const size_t *key_sizes;
    size_t groups;
    bool sets; /* else: asks */
    /* A byte per key, or NULL: 1 if some bit was 0, when it sets; 1 if none was, when it asks. */
    uint8_t *answers;
    size_t positions; /* per group */
    size_t slots;     /* groups for which there is room */
    uint64_t room[POSITION_ROOM];
};

static uint64_t *positions_of(struct passage *passage, size_t group)
{
    return passage->room + group % passage->slots * passage->positions;
}

static void set_due(struct passage *passage, struct flat_work *work, size_t group)
{
    work->due = positions_of(passage, group);
    work->due_count = passage->positions;
    work->due_left = passage->positions;
}

static void hash_group(struct passage *passage, struct flat_work *work, size_t group)
{
    size_t first = group * KEY_GROUP;
    bloomfilter_hashing_positions(&passage->filter->hasher, KEY_GROUP, passage->keys + first,
                                  passage->key_sizes + first, positions_of(passage, group), work);
}

static void note_answers(const struct passage *passage, const struct flat_work *work, size_t group)
{
    unsigned bits = passage->sets ? work->lacking : ~work->lacking;
    if (passage->answers != NULL)
        for (size_t j = 0; j < KEY_GROUP; j++)
            passage->answers[group * KEY_GROUP + j] = bits >> j & 1;
}

/* Turn number `turn`, when one group after the other is hashed. */
static void take_turn(struct passage *passage, size_t turn, size_t lag)
{
    struct flat_work work = {.cells = passage->filter->cells,
                             .step = (passage->positions + STEPS - 1) / STEPS,
                             .sets = passage->sets};
    if (lag != 0 && turn >= 1 && turn <= passage->groups) {
        work.ahead = positions_of(passage, turn - 1);
        work.ahead_left = passage->positions;
    }
    if (lag != 0 && turn >= lag)
        set_due(passage, &work, turn - lag);
    if (turn < passage->groups)
        hash_group(passage, &work, turn);
    if (lag == 0)
        set_due(passage, &work, turn);
    passage->filter->layout->finish(&work);
    if (turn >= lag)
        note_answers(passage, &work, turn - lag);
}

static void pass(struct passage *passage)
{
    passage->positions = (size_t)KEY_GROUP * passage->filter->hasher.hash_count;
    passage->slots = POSITION_ROOM / passage->positions;
    size_t lag = passage->slots > LAG ? LAG : 0;
    for (size_t turn = 0; turn < passage->groups + lag; turn++)
        take_turn(passage, turn, lag);
}

/* Sends all keys through that make whole groups, or all there are into blocks; returns how many. */
static size_t pass_groups(const bloomfilter *filter, size_t count, const void *const keys[],
                          const size_t key_sizes[], bool sets, uint8_t *answers)
{
    struct passage passage;
    if (filter->blocks != NULL) {
        bloomfilter_block_keys_pass(filter, count, keys, key_sizes, sets, answers);
        return count;
    }
    if (count < KEY_GROUP || filter->layout->finish == NULL)
        return 0;
    passage.filter = filter;
    passage.keys = keys;
    passage.key_sizes = key_sizes;
    passage.groups = count / KEY_GROUP;
    passage.sets = sets;
    passage.answers = answers;
    pass(&passage);
    return passage.groups * KEY_GROUP;
}

/* ---- the interface */

int bloomfilter_add_many(bloomfilter *filter, size_t count, const void *const keys[],
                         const size_t key_sizes[], uint8_t *was_new)
{
    if (filter == NULL || !are_keys_valid(count, keys, key_sizes))
        return BLOOMFILTER_EINVAL;
    if (is_read_only(filter))
        return BLOOMFILTER_EREADONLY;
    for (size_t j = pass_groups(filter, count, keys, key_sizes, true, was_new); j < count; j++) {
        bool is_new = add_one(filter, keys[j], key_sizes[j]);
        if (was_new != NULL)
            was_new[j] = is_new;
    }
    if (count != 0)
        bloomfilter_insert_counter_add(&filter->inserts, count);
    return 0;
}

int bloomfilter_contains_many(const bloomfilter *filter, size_t count, const void *const keys[],
                              const size_t key_sizes[], uint8_t *found)
{
    if (filter == NULL || (found == NULL && count != 0) || !are_keys_valid(count, keys, key_sizes))
        return BLOOMFILTER_EINVAL;
    for (size_t j = pass_groups(filter, count, keys, key_sizes, false, found); j < count; j++)
        found[j] = contains_one(filter, keys[j], key_sizes[j]);
    return 0;
}

int bloomfilter_add(bloomfilter *filter, const void *key, size_t key_size)
{
    if (filter == NULL || !is_key_valid(key, key_size))
        return BLOOMFILTER_EINVAL;
    if (is_read_only(filter))
        return BLOOMFILTER_EREADONLY;
    bool is_new = add_one(filter, key, key_size);
    bloomfilter_insert_counter_add(&filter->inserts, 1);
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
