/* SPDX-License-Identifier: MIT */
/*
 * The other libbloom (Debian's libbloom1, libbloom2), when it is installed. It is opened by its
 * name at run time: no build needs it, and its header and this project's do not meet.
 */
#include <dlfcn.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "contestant.h"

/* The caller owns its struct, of 56 bytes in 1.6 and 64 in 2.0. Its fields are not looked at. */
union bloom {
    uint8_t room[1024];
    double alignment;
};

static struct {
    int (*init)(union bloom *bloom, int entries, double error);           /* of 1.x */
    int (*init2)(union bloom *bloom, unsigned int entries, double error); /* since 2.0 */
    int (*add)(union bloom *bloom, const void *key, int key_size);
    int (*check)(union bloom *bloom, const void *key, int key_size);
    int (*reset)(union bloom *bloom);
    void (*free)(union bloom *bloom);
    const char *(*version)(void);
    char name[64];
} other;

static bool find(void *handle, const char *name, void *function)
{
    void *symbol = dlsym(handle, name);
    memcpy(function, &symbol, sizeof symbol);
    return symbol != NULL;
}

static bool open_other(void)
{
    void *handle = dlopen("libbloom.so.1", RTLD_NOW | RTLD_LOCAL);
    if (handle == NULL)
        handle = dlopen("libbloom.so.2", RTLD_NOW | RTLD_LOCAL);
    if (handle == NULL)
        return false;
    bool has_init = find(handle, "bloom_init", &other.init);
    bool has_init2 = find(handle, "bloom_init2", &other.init2);
    return (has_init || has_init2) && find(handle, "bloom_add", &other.add) &&
           find(handle, "bloom_check", &other.check) && find(handle, "bloom_reset", &other.reset) &&
           find(handle, "bloom_free", &other.free) && find(handle, "bloom_version", &other.version);
}

static int initialize(union bloom *bloom, uint64_t capacity)
{
    if (other.init2 != NULL)
        return other.init2(bloom, (unsigned int)capacity, target_fpr);
    return other.init(bloom, (int)capacity, target_fpr);
}

/* Counts bits in an int: up to here they fit. */
static const uint64_t most_bits = INT_MAX;

static void *create(const struct contestant *contestant, uint64_t capacity)
{
    (void)contestant;
    if (contestant_flat_bit_count(capacity) > most_bits)
        return NULL;
    union bloom *bloom = calloc(1, sizeof *bloom);
    if (bloom == NULL || initialize(bloom, capacity) != 0) {
        free(bloom);
        return NULL;
    }
    return bloom;
}

static void destroy(const struct contestant *contestant, void *filter)
{
    (void)contestant;
    other.free(filter);
    free(filter);
}

static void clear(const struct contestant *contestant, void *filter)
{
    (void)contestant;
    other.reset(filter);
}

static void add(const struct contestant *contestant, void *filter, struct pool *pool, size_t from,
                size_t to)
{
    (void)contestant;
    for (size_t j = from; j < to; j++)
        other.add(filter, pool->keys[j], (int)pool->key_size);
}

static void query(const struct contestant *contestant, void *filter, struct pool *pool, size_t from,
                  size_t to)
{
    (void)contestant;
    for (size_t j = from; j < to; j++)
        pool->answers[j] = other.check(filter, pool->keys[j], (int)pool->key_size) == 1;
}

static const struct contestant_type libbloom_type = {
    .create = create,
    .destroy = destroy,
    .clear = clear,
    .add = {[CALL_SINGLE] = add},
    .query = {[CALL_SINGLE] = query},
};

void contestants_add_libbloom(struct contestants *contestants)
{
    if (!open_other() || contestants->count == MOST_CONTESTANTS)
        return;
    strcpy(other.name, "libbloom ");
    strncat(other.name, other.version(), sizeof other.name - strlen(other.name) - 1);
    contestants->list[contestants->count++] = (struct contestant){
        .type = &libbloom_type, .kind = KIND_LIBBLOOM, .name = other.name, .layout_name = "flat"};
}
