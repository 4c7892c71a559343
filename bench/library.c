/* SPDX-License-Identifier: MIT */
#include "library.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 * What releases may have; which of it this one has is asked at run time. Those that are compared
 * with each other come first: they have to live at once.
 */
static const struct {
    uint32_t hash;
    const char *hash_text;
    const char *name;
    uint32_t layout;
    const char *layout_name;
} pairs[] = {
    {1, "1", "blake2b-pair", 1, "flat"},           {4, "4", "blake2b-wide", 1, "flat"},
    {5, "5", "xxh64", 2, "split-block"},           {1, "1", "blake2b-pair", 2, "split-block"},
    {4, "4", "blake2b-wide", 2, "split-block"},    {5, "5", "xxh64", 1, "flat"},
    {2, "2", "blake2b-indexed", 1, "flat"},        {3, "3", "murmur3-tweak", 1, "flat"},
    {2, "2", "blake2b-indexed", 2, "split-block"}, {3, "3", "murmur3-tweak", 2, "split-block"},
};

const struct library library_linked = {
    .create = bloomfilter_create,
    .free = bloomfilter_free,
    .clear = bloomfilter_clear,
    .add = bloomfilter_add,
    .contains = bloomfilter_contains,
    .add_many = bloomfilter_add_many,
    .contains_many = bloomfilter_contains_many,
};

/* ---- another build */

/* POSIX makes the pointers convertible, ISO C has no word for it. */
static bool find(void *handle, const char *name, void *function)
{
    void *symbol = dlsym(handle, name);
    memcpy(function, &symbol, sizeof symbol);
    return symbol != NULL;
}

/* Never closed: its filters live as long as the program. */
bool library_open(struct library *library, const char *path)
{
    void *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    bool is_complete = handle != NULL && find(handle, "bloomfilter_create", &library->create) &&
                       find(handle, "bloomfilter_free", &library->free) &&
                       find(handle, "bloomfilter_clear", &library->clear) &&
                       find(handle, "bloomfilter_add", &library->add) &&
                       find(handle, "bloomfilter_contains", &library->contains) &&
                       find(handle, "bloomfilter_add_many", &library->add_many) &&
                       find(handle, "bloomfilter_contains_many", &library->contains_many);
    if (!is_complete)
        fprintf(stderr, "bloomfilter-bench: %s\n", dlerror());
    return is_complete;
}

/* ---- filters */

bloomfilter_options library_options(const struct contestant *contestant, uint64_t capacity)
{
    bloomfilter_options options = BLOOMFILTER_OPTIONS_INIT;
    options.capacity = capacity;
    options.target_fpr = target_fpr;
    options.hash_count = contestant->hash_count;
    options.hash = contestant->hash;
    options.layout = contestant->layout;
    return options;
}

static void *create(const struct contestant *contestant, uint64_t capacity)
{
    bloomfilter *filter;
    bloomfilter_options options = library_options(contestant, capacity);
    return contestant->library->create(&filter, &options) == 0 ? filter : NULL;
}

static void destroy(const struct contestant *contestant, void *filter)
{
    contestant->library->free(filter);
}

static void clear(const struct contestant *contestant, void *filter)
{
    contestant->library->clear(filter);
}

static void add_single(const struct contestant *contestant, void *filter, struct pool *pool,
                       size_t from, size_t to)
{
    for (size_t j = from; j < to; j++)
        contestant->library->add(filter, pool->keys[j], pool->key_size);
}

static void query_single(const struct contestant *contestant, void *filter, struct pool *pool,
                         size_t from, size_t to)
{
    for (size_t j = from; j < to; j++)
        pool->answers[j] = contestant->library->contains(filter, pool->keys[j], pool->key_size);
}

static size_t batch_size(size_t left)
{
    return left < BATCH ? left : BATCH;
}

static void add_batch(const struct contestant *contestant, void *filter, struct pool *pool,
                      size_t from, size_t to)
{
    for (size_t j = from; j < to; j += batch_size(to - j))
        contestant->library->add_many(filter, batch_size(to - j), pool->keys + j,
                                      pool->key_sizes + j, NULL);
}

static void query_batch(const struct contestant *contestant, void *filter, struct pool *pool,
                        size_t from, size_t to)
{
    for (size_t j = from; j < to; j += batch_size(to - j))
        contestant->library->contains_many(filter, batch_size(to - j), pool->keys + j,
                                           pool->key_sizes + j, pool->answers + j);
}

static const struct contestant_type library_type = {
    .create = create,
    .destroy = destroy,
    .clear = clear,
    .add = {add_single, add_batch},
    .query = {query_single, query_batch},
};

/* ---- which there are */

/* A pair that the library does not have is refused. */
static bool is_accepted(const struct contestant *pair)
{
    void *filter = create(pair, 1000);
    if (filter != NULL)
        destroy(pair, filter);
    return filter != NULL;
}

bool contestants_is_selected(const char *selection, const char *name)
{
    size_t length = strlen(name);
    for (const char *rest = selection; rest != NULL; rest = strchr(rest, ',')) {
        rest += *rest == ',';
        if (strncmp(rest, name, length) == 0 && (rest[length] == ',' || rest[length] == '\0'))
            return true;
    }
    return selection == NULL;
}

static void add_pair(struct contestants *contestants, const struct library *library, enum kind kind,
                     size_t index, uint32_t hash_count)
{
    struct contestant pair = {
        .type = &library_type,
        .kind = kind,
        .name = pairs[index].name,
        .layout_name = pairs[index].layout_name,
        .library = library,
        .hash = pairs[index].hash,
        .layout = pairs[index].layout,
        .hash_count = hash_count,
    };
    if (library != NULL && contestants->count < MOST_CONTESTANTS && is_accepted(&pair))
        contestants->list[contestants->count++] = pair;
}

void contestants_add_library(struct contestants *contestants, const struct library *earlier,
                             const char *selection, uint32_t hash_count)
{
    for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++) {
        if (!contestants_is_selected(selection, pairs[i].hash_text))
            continue;
        add_pair(contestants, &library_linked, KIND_LIBRARY, i, hash_count);
        add_pair(contestants, earlier, KIND_EARLIER, i, hash_count);
    }
}
