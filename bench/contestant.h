/* SPDX-License-Identifier: MIT */
/* Who is measured: a scheme and layout of the library, another library, or bare memory. */
#ifndef BENCH_CONTESTANT_H
#define BENCH_CONTESTANT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "pool.h"

enum { BATCH = 1024 }; /* keys per call of a batch */

enum call { CALL_SINGLE, CALL_BATCH, CALL_COUNT };
enum operation { OPERATION_ADD, OPERATION_POSITIVE, OPERATION_NEGATIVE, OPERATION_COUNT };

enum kind {
    KIND_LIBRARY, /* this one */
    KIND_EARLIER, /* this one, another build of it */
    KIND_LIBB2,   /* scheme 1 with nothing but libb2 */
    KIND_LIBBLOOM,
    KIND_FLOOR
};

struct contestant;

struct contestant_type {
    /* An empty filter for so many keys at target_fpr, or NULL. */
    void *(*create)(const struct contestant *contestant, uint64_t capacity);
    void (*destroy)(const struct contestant *contestant, void *filter);
    void (*clear)(const struct contestant *contestant, void *filter);

    /* Keys of the pool, from one to before another. A query sets their answers. NULL: has none. */
    void (*add[CALL_COUNT])(const struct contestant *contestant, void *filter, struct pool *pool,
                            size_t from, size_t to);
    void (*query[CALL_COUNT])(const struct contestant *contestant, void *filter, struct pool *pool,
                              size_t from, size_t to);
};

struct contestant {
    const struct contestant_type *type;
    enum kind kind;
    const char *name;
    const char *layout_name;
    const struct library *library; /* of the library: which */
    uint32_t hash;
    uint32_t layout;
    uint32_t hash_count; /* of the library: positions per key, or 0: as target_fpr says */
    size_t lines;        /* of the floor: cache lines per key */
};

enum { MOST_CONTESTANTS = 64 };

struct contestants {
    struct contestant list[MOST_CONTESTANTS];
    size_t count;
};

static const double target_fpr = 0.01;

/* Bits of a flat filter of target_fpr, and positions per key. */
uint64_t contestant_flat_bit_count(uint64_t capacity);
enum { FLAT_HASH_COUNT = 7 };

/* Each adds what there is here to the list. */
void contestants_add_floors(struct contestants *contestants);
void contestants_add_libbloom(struct contestants *contestants);
void contestants_add_libb2(struct contestants *contestants);
/*
 * The pairs of a scheme and a layout that the library accepts, of the schemes that are selected and
 * with so many positions per key (0: as target_fpr says), and beside each the same pair of the
 * earlier build (may be NULL).
 */
void contestants_add_library(struct contestants *contestants, const struct library *earlier,
                             const char *selection, uint32_t hash_count);

/* Whether a list of names with commas between has this one; NULL has all. */
bool contestants_is_selected(const char *selection, const char *name);

#endif
