/* SPDX-License-Identifier: MIT */
/*
 * The caller's structs, of whatever release: only struct_size bytes of them are read or written.
 *
 * A field appended in a later release must make the struct larger than it was here, padding
 * included, or struct_size could not tell the two apart: append 8-byte fields.
 */
#include <string.h>

#include "handle/handle.h"
#include "sizing/sizing.h"
#include "support/bytes.h"

/* No release's struct comes near; a larger size is memory that was never initialized. */
enum { LARGEST_STRUCT = 4096 };

/* Whether a struct can be taken, of which this release knows the first known_size bytes. */
static bool is_struct_known(const void *given, size_t known_size)
{
    size_t struct_size;
    memcpy(&struct_size, given, sizeof struct_size);
    if (struct_size < sizeof struct_size || struct_size > LARGEST_STRUCT)
        return false;
    return struct_size <= known_size ||
           bytes_are_zero((const uint8_t *)given + known_size, struct_size - known_size);
}

/* Copies what the caller's struct covers over `known`, which holds the defaults. */
static bool read_struct(void *known, size_t known_size, const void *given)
{
    size_t struct_size;
    if (!is_struct_known(given, known_size))
        return false;
    memcpy(&struct_size, given, sizeof struct_size);
    memcpy(known, given, struct_size < known_size ? struct_size : known_size);
    return true;
}

static bool read_secret(struct secret *secret, const void *bytes, size_t size)
{
    if ((bytes == NULL) != (size == 0) || size > BLOOMFILTER_MAX_SECRET_SIZE ||
        (size != 0 && size < BLOOMFILTER_MIN_SECRET_SIZE))
        return false;
    *secret = (struct secret){.size = size};
    bytes_copy(secret->bytes, bytes, size);
    return true;
}

static int resolve_kind(const bloomfilter_options *options, struct filter_shape *shape)
{
    uint32_t hash = options->hash != 0 ? options->hash : BLOOMFILTER_HASH_BLAKE2B_PAIR;
    uint32_t layout = options->layout != 0 ? options->layout : BLOOMFILTER_LAYOUT_FLAT;
    shape->scheme = bloomfilter_hashing_find(hash);
    shape->layout = bloomfilter_bitset_find(layout);
    return shape->scheme != NULL && shape->layout != NULL &&
                   bloomfilter_hashing_suits(shape->scheme, shape->layout->block_bits != 0)
               ? 0
               : BLOOMFILTER_EUNSUPPORTED;
}

/* Each argument alone. A NaN fails the comparisons. */
static bool are_in_range(const bloomfilter_options *options, const struct filter_shape *shape)
{
    uint32_t fixed = shape->layout->hash_count;
    bool derives = options->bit_count != 0 && (options->hash_count != 0 || fixed != 0);
    bool has_target = options->target_fpr > 0.0 && options->target_fpr < 1.0;
    return options->flags == 0 && (options->capacity != 0 || derives) &&
           (has_target || (derives && options->target_fpr == 0.0)) &&
           options->bit_count <= BLOOMFILTER_MAX_BIT_COUNT &&
           options->hash_count <= BLOOMFILTER_MAX_HASH_COUNT &&
           (fixed == 0 || options->hash_count == 0 || options->hash_count == fixed) &&
           (options->seed == 0 || shape->scheme->takes_seed) &&
           (options->secret_size == 0 || shape->scheme->takes_secret);
}

static double computed_bit_count(const bloomfilter_options *options,
                                 const struct bitset_layout *layout)
{
    if (layout->block_bits == 0)
        return bloomfilter_sizing_bit_count(options->capacity, options->target_fpr);
    return layout->block_bits * bloomfilter_sizing_block_count(
                                    options->capacity, options->target_fpr, layout->hash_count);
}

static int resolve_size(const bloomfilter_options *options, struct filter_shape *shape)
{
    double bit_count = (double)options->bit_count;
    double hash_count = options->hash_count;

    if (options->bit_count == 0)
        bit_count = computed_bit_count(options, shape->layout);
    if (bit_count > (double)shape->layout->max_bit_count)
        return BLOOMFILTER_ETOOLARGE;
    shape->bit_count = options->bit_count != 0 ? options->bit_count : (uint64_t)bit_count;
    if (!bloomfilter_bitset_fits(shape->layout, shape->bit_count))
        return BLOOMFILTER_EINVAL;

    if (shape->layout->hash_count != 0)
        hash_count = shape->layout->hash_count;
    else if (options->hash_count == 0)
        hash_count = bloomfilter_sizing_hash_count(shape->bit_count, options->capacity);
    if (hash_count > BLOOMFILTER_MAX_HASH_COUNT)
        return BLOOMFILTER_EINVAL;
    shape->hash_count = (uint32_t)hash_count;
    return 0;
}

static double implied_target(const struct filter_shape *shape)
{
    if (shape->layout->block_bits == 0)
        return bloomfilter_sizing_target_fpr(shape->bit_count, shape->hash_count, shape->capacity);
    return bloomfilter_sizing_block_target_fpr(shape->bit_count / shape->layout->block_bits,
                                               shape->capacity, shape->hash_count);
}

static void complete(const bloomfilter_options *options, struct filter_shape *shape)
{
    shape->seed = options->seed;
    shape->capacity = options->capacity != 0
                          ? options->capacity
                          : bloomfilter_sizing_capacity(shape->bit_count, shape->hash_count);
    shape->target_fpr = options->target_fpr;
    if (options->target_fpr == 0.0)
        shape->target_fpr = implied_target(shape);
}

int bloomfilter_options_resolve(const bloomfilter_options *given, struct filter_shape *shape,
                                struct secret *secret)
{
    bloomfilter_options options = BLOOMFILTER_OPTIONS_INIT;
    int code;

    if (given == NULL || !read_struct(&options, sizeof options, given))
        return BLOOMFILTER_EINVAL;
    code = resolve_kind(&options, shape);
    if (code != 0)
        return code;
    if (!are_in_range(&options, shape) || !read_secret(secret, options.secret, options.secret_size))
        return BLOOMFILTER_EINVAL;
    code = resolve_size(&options, shape);
    if (code != 0)
        return code;
    complete(&options, shape);
    return 0;
}

int bloomfilter_load_options_read(const bloomfilter_load_options *given, uint64_t *max_bytes,
                                  struct secret *secret)
{
    bloomfilter_load_options options = BLOOMFILTER_LOAD_OPTIONS_INIT;
    if (given != NULL && !read_struct(&options, sizeof options, given))
        return BLOOMFILTER_EINVAL;
    if (options.flags != 0 || !read_secret(secret, options.secret, options.secret_size))
        return BLOOMFILTER_EINVAL;
    *max_bytes = options.max_bytes;
    return 0;
}

int bloomfilter_info_check(const bloomfilter_info *info)
{
    return info != NULL && is_struct_known(info, sizeof *info) ? 0 : BLOOMFILTER_EINVAL;
}

void bloomfilter_info_write(bloomfilter_info *info, const bloomfilter_info *full)
{
    const size_t head = sizeof info->struct_size;
    size_t size = info->struct_size < sizeof *full ? info->struct_size : sizeof *full;
    memcpy((uint8_t *)info + head, (const uint8_t *)full + head, size - head);
}
