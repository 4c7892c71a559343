/* SPDX-License-Identifier: MIT */
#include "handle/block_keys.h"

/* Keys. So many that what is fetched arrives in time, so few that it stays in the cache until then. */
enum { BATCH = 128 };

struct batch {
    size_t first;
    size_t count;
    uint64_t hashes[BATCH];
};

struct passage {
    const bloomfilter *filter;
    size_t count;
    const void *const *keys;
    const size_t *key_sizes;
    bool sets; /* else: asks */
    uint8_t *answers;
};

/* Hashes a batch, and has its blocks fetched. */
static void begin(const struct passage *passage, struct batch *batch, size_t first)
{
    const bloomfilter *filter = passage->filter;
    size_t left = passage->count - first;
    batch->first = first;
    batch->count = left < BATCH ? left : BATCH;
    bloomfilter_hashing_hashes(&filter->hasher, batch->count, passage->keys + first,
                               passage->key_sizes + first, batch->hashes);
    filter->blocks->fetch(filter->cells, filter->hasher.bit_count, batch->count, batch->hashes,
                          passage->sets);
}

/* Sets or asks. */
static void finish(const struct passage *passage, const struct batch *batch)
{
    const bloomfilter *filter = passage->filter;
    uint8_t *answers = passage->answers != NULL ? passage->answers + batch->first : NULL;
    if (passage->sets)
        filter->blocks->add_many(filter->cells, filter->hasher.bit_count, batch->count,
                                 batch->hashes, answers);
    else
        filter->blocks->contains_many(filter->cells, filter->hasher.bit_count, batch->count,
                                      batch->hashes, answers);
}

/* The blocks of a batch arrive while the next one is hashed. */
void bloomfilter_block_keys_pass(const bloomfilter *filter, size_t count, const void *const keys[],
                                 const size_t key_sizes[], bool sets, uint8_t *answers)
{
    struct passage passage = {filter, count, keys, key_sizes, sets, answers};
    struct batch batches[2];
    size_t turn = 0;

    for (size_t first = 0; first < count; first += BATCH, turn++) {
        begin(&passage, &batches[turn % 2], first);
        if (turn > 0)
            finish(&passage, &batches[(turn - 1) % 2]);
    }
    if (turn > 0)
        finish(&passage, &batches[(turn - 1) % 2]);
}
