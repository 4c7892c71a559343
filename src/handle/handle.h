/* SPDX-License-Identifier: MIT */
/*
 * The handle: what a `bloomfilter` is. It puts the rooms below together: a key goes through the
 * hasher to positions (or a hash) and through the layout to bits; a filter goes through the serializer to bytes
 * and through the file room to disk.
 */
#ifndef BLOOMFILTER_HANDLE_HANDLE_H
#define BLOOMFILTER_HANDLE_HANDLE_H

#include <stdbool.h>
#include <stdint.h>

#include "bitset/bitset.h"
#include "bloomfilter.h"
#include "file/file.h"
#include "handle/insert_counter.h"
#include "hashing/hashing.h"
#include "serializer/serializer.h"
#include "support/secret.h"

struct bloomfilter {
    struct hasher hasher;
    const struct bitset_layout *layout;
    const struct block_kernel *blocks; /* of a layout of blocks; else NULL */
    uint8_t *cells;                    /* in `memory`, or in the caller's bytes of a view */
    uint64_t payload_size;
    struct insert_counter inserts;
    struct memory memory; /* the cells; of a loaded or mapped filter, its whole file */

    uint64_t capacity;
    double target_fpr;
    double measured_fpr; /* NaN: never measured */
    uint64_t measured_probes;
    uint64_t seed;
    uint32_t format_minor;
    struct secret secret;

    const uint8_t *metadata; /* in own_metadata, in `memory`, or in the caller's bytes */
    uint64_t metadata_size;
    uint8_t *own_metadata;

    const uint8_t *serialized; /* of a mapped or viewed filter: its file; else NULL */
    struct file_content content;
};

static inline bool is_read_only(const bloomfilter *filter)
{
    return filter->serialized != NULL;
}

/* A filter's shape, decided: what options ask for, or what a file says. */
struct filter_shape {
    const struct hash_scheme *scheme;
    const struct bitset_layout *layout;
    uint64_t bit_count;
    uint32_t hash_count;
    uint64_t capacity;
    double target_fpr;
    uint64_t seed;
};

/* inspect.c: what predictions need to know of a shape. */
struct prediction_shape bloomfilter_handle_prediction_shape(const struct filter_shape *shape);

/* options.c: the caller's structs. All return 0 or an error and write nothing after one. */
int bloomfilter_options_resolve(const bloomfilter_options *given, struct filter_shape *shape,
                                struct secret *secret);
int bloomfilter_load_options_read(const bloomfilter_load_options *given, uint64_t *max_bytes,
                                  struct secret *secret);
int bloomfilter_info_check(const bloomfilter_info *info);
void bloomfilter_info_write(bloomfilter_info *info, const bloomfilter_info *full);

/*
 * self_test.c: whether libb2 and libxxhash answer as published, this processor's hash kernels as
 * libb2 does, and those of blocks as the portable one. Found out once per process; any thread may
 * ask at any time.
 */
bool bloomfilter_handle_self_test_passes(void);

/* lifecycle.c: a filter of this shape without cells; the caller sets cells (and memory). */
int bloomfilter_handle_make(bloomfilter **out, const struct filter_shape *shape,
                            const struct secret *secret);
/* The same with empty cells of its own. */
int bloomfilter_handle_make_empty(bloomfilter **out, const struct filter_shape *shape,
                                  const struct secret *secret);
struct filter_shape bloomfilter_handle_shape(const bloomfilter *filter);
struct filter_shape bloomfilter_handle_shape_of_file(const struct file_header *header);

#endif
