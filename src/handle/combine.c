/* SPDX-License-Identifier: MIT */
#include <math.h>

#include "handle/handle.h"
#include "support/bytes.h"
#include "support/checked.h"

static bool have_same_secret(const struct secret *a, const struct secret *b)
{
    return a->size == b->size && bytes_equal_secretly(a->bytes, b->bytes, a->size);
}

/* A scheme that has no seed gives the same positions whatever its file says. */
static bool have_same_seed(const bloomfilter *a, const bloomfilter *b)
{
    return !a->hasher.scheme->takes_seed || a->hasher.tweak == b->hasher.tweak;
}

int bloomfilter_compatible(const bloomfilter *a, const bloomfilter *b)
{
    if (a == NULL || b == NULL)
        return BLOOMFILTER_EINVAL;
    return a->hasher.scheme == b->hasher.scheme && a->layout == b->layout &&
           a->hasher.bit_count == b->hasher.bit_count &&
           a->hasher.hash_count == b->hasher.hash_count && have_same_seed(a, b) &&
           have_same_secret(&a->secret, &b->secret);
}

static int check_combination(const bloomfilter *into, const bloomfilter *from)
{
    int compatible = bloomfilter_compatible(into, from);
    if (compatible < 0)
        return compatible;
    if (is_read_only(into))
        return BLOOMFILTER_EREADONLY;
    return compatible ? bloomfilter_verify(from) : BLOOMFILTER_EINCOMPATIBLE;
}

static void set_combined_count(bloomfilter *into, uint64_t count)
{
    bloomfilter_insert_counter_set(&into->inserts, count);
    into->measured_fpr = NAN;
    into->measured_probes = 0;
}

int bloomfilter_union(bloomfilter *into, const bloomfilter *from)
{
    int code = check_combination(into, from);
    if (code != 0 || into == from)
        return code;
    into->layout->unite(into->cells, from->cells, into->payload_size);
    set_combined_count(into, saturating_add(bloomfilter_insert_counter_read(&into->inserts),
                                            bloomfilter_insert_counter_read(&from->inserts)));
    return 0;
}

int bloomfilter_intersect(bloomfilter *into, const bloomfilter *from)
{
    int code = check_combination(into, from);
    if (code != 0 || into == from)
        return code;
    uint64_t a = bloomfilter_insert_counter_read(&into->inserts);
    uint64_t b = bloomfilter_insert_counter_read(&from->inserts);
    into->layout->intersect(into->cells, from->cells, into->payload_size);
    set_combined_count(into, a < b ? a : b);
    return 0;
}
