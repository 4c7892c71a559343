/* SPDX-License-Identifier: MIT */
/* Keys in and out. One key is a batch of one. */
#include "handle/handle.h"

/* Positions made at a time, on the stack; several keys' worth even with the most positions each. */
enum { POSITION_ROOM = 4 * BLOOMFILTER_MAX_HASH_COUNT };

static size_t keys_at_a_time(const bloomfilter *filter, size_t left)
{
    size_t most = POSITION_ROOM / filter->hasher.hash_count;
    return left < most ? left : most;
}

static bool are_keys_valid(size_t count, const void *const keys[], const size_t key_sizes[])
{
    if (count != 0 && (keys == NULL || key_sizes == NULL))
        return false;
    for (size_t j = 0; j < count; j++)
        if (keys[j] == NULL && key_sizes[j] != 0)
            return false;
    return true;
}

int bloomfilter_add_many(bloomfilter *filter, size_t count, const void *const keys[],
                         const size_t key_sizes[], uint8_t *was_new)
{
    uint64_t positions[POSITION_ROOM];

    if (filter == NULL || !are_keys_valid(count, keys, key_sizes))
        return BLOOMFILTER_EINVAL;
    if (is_read_only(filter))
        return BLOOMFILTER_EREADONLY;
    const struct hasher *hasher = &filter->hasher;
    for (size_t done = 0; done < count;) {
        size_t group = keys_at_a_time(filter, count - done);
        hasher->scheme->positions(hasher, group, keys + done, key_sizes + done, positions);
        filter->layout->add(filter->cells, positions, hasher->hash_count, group,
                            was_new != NULL ? was_new + done : NULL);
        done += group;
    }
    if (count != 0)
        bloomfilter_insert_counter_add(&filter->inserts, count);
    return 0;
}

int bloomfilter_contains_many(const bloomfilter *filter, size_t count, const void *const keys[],
                              const size_t key_sizes[], uint8_t *found)
{
    uint64_t positions[POSITION_ROOM];

    if (filter == NULL || (found == NULL && count != 0) || !are_keys_valid(count, keys, key_sizes))
        return BLOOMFILTER_EINVAL;
    const struct hasher *hasher = &filter->hasher;
    for (size_t done = 0; done < count;) {
        size_t group = keys_at_a_time(filter, count - done);
        hasher->scheme->positions(hasher, group, keys + done, key_sizes + done, positions);
        filter->layout->contains(filter->cells, positions, hasher->hash_count, group, found + done);
        done += group;
    }
    return 0;
}

int bloomfilter_add(bloomfilter *filter, const void *key, size_t key_size)
{
    uint8_t was_new;
    int code = bloomfilter_add_many(filter, 1, &key, &key_size, &was_new);
    return code != 0 ? code : was_new;
}

bool bloomfilter_contains(const bloomfilter *filter, const void *key, size_t key_size)
{
    uint8_t found;
    int code = bloomfilter_contains_many(filter, 1, &key, &key_size, &found);
    return code != 0 || found;
}

int bloomfilter_remove(bloomfilter *filter, const void *key, size_t key_size)
{
    if (filter == NULL || !are_keys_valid(1, &key, &key_size))
        return BLOOMFILTER_EINVAL;
    return BLOOMFILTER_EUNSUPPORTED; /* no layout of this release counts */
}
