/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "handle/handle.h"
#include "support/bytes.h"

int bloomfilter_handle_make(bloomfilter **out, const struct filter_shape *shape,
                            const struct secret *secret)
{
    bloomfilter *filter = calloc(1, sizeof *filter);
    if (filter == NULL)
        return BLOOMFILTER_ENOMEM;
    filter->layout = shape->layout;
    if (shape->layout->block_kernel != NULL)
        filter->blocks = shape->layout->block_kernel();
    filter->payload_size = shape->layout->payload_size(shape->bit_count);
    filter->capacity = shape->capacity;
    filter->target_fpr = shape->target_fpr;
    filter->seed = shape->seed;
    filter->measured_fpr = NAN;
    filter->format_minor = FORMAT_MINOR;
    filter->secret = *secret;
    bloomfilter_hashing_prepare(&filter->hasher, shape->scheme, shape->bit_count, shape->hash_count,
                                shape->seed, secret);

    int code = bloomfilter_insert_counter_create(&filter->inserts, filter->payload_size);
    if (code != 0) {
        bloomfilter_free(filter);
        return code;
    }
    *out = filter;
    return 0;
}

int bloomfilter_handle_make_empty(bloomfilter **out, const struct filter_shape *shape,
                                  const struct secret *secret)
{
    bloomfilter *filter;
    int code = bloomfilter_handle_make(&filter, shape, secret);
    if (code != 0)
        return code;
    code = bloomfilter_memory_allocate(&filter->memory, filter->payload_size);
    if (code != 0) {
        bloomfilter_free(filter);
        return code;
    }
    filter->cells = filter->memory.start;
    *out = filter;
    return 0;
}

struct filter_shape bloomfilter_handle_shape(const bloomfilter *filter)
{
    struct filter_shape shape = {.scheme = filter->hasher.scheme,
                                 .layout = filter->layout,
                                 .bit_count = filter->hasher.bit_count,
                                 .hash_count = filter->hasher.hash_count,
                                 .capacity = filter->capacity,
                                 .target_fpr = filter->target_fpr,
                                 .seed = filter->seed};
    return shape;
}

struct filter_shape bloomfilter_handle_shape_of_file(const struct file_header *header)
{
    struct filter_shape shape = {.scheme = bloomfilter_hashing_find(header->hash),
                                 .layout = bloomfilter_bitset_find(header->layout),
                                 .bit_count = header->bit_count,
                                 .hash_count = header->hash_count,
                                 .capacity = header->capacity,
                                 .target_fpr = header->target_fpr,
                                 .seed = header->seed};
    return shape;
}

int bloomfilter_create(bloomfilter **out, const bloomfilter_options *options)
{
    struct filter_shape shape;
    struct secret secret = {.size = 0};

    if (out == NULL)
        return BLOOMFILTER_EINVAL;
    *out = NULL;
    int code = bloomfilter_options_resolve(options, &shape, &secret);
    if (code == 0 && !bloomfilter_handle_self_test_passes())
        code = BLOOMFILTER_ESELFTEST;
    if (code == 0)
        code = bloomfilter_handle_make_empty(out, &shape, &secret);
    bloomfilter_secret_wipe(&secret, sizeof secret);
    return code;
}

int bloomfilter_new(bloomfilter **out, uint64_t capacity, double target_fpr)
{
    bloomfilter_options options = BLOOMFILTER_OPTIONS_INIT;
    options.capacity = capacity;
    options.target_fpr = target_fpr;
    return bloomfilter_create(out, &options);
}

void bloomfilter_free(bloomfilter *filter)
{
    if (filter == NULL)
        return;
    int saved_errno = errno;
    bloomfilter_memory_release(&filter->memory);
    bloomfilter_insert_counter_destroy(&filter->inserts);
    free(filter->own_metadata);
    bloomfilter_secret_wipe(filter, sizeof *filter);
    free(filter);
    errno = saved_errno;
}

int bloomfilter_copy(bloomfilter **out, const bloomfilter *filter)
{
    if (out == NULL)
        return BLOOMFILTER_EINVAL;
    *out = NULL;
    if (filter == NULL)
        return BLOOMFILTER_EINVAL;

    struct filter_shape shape = bloomfilter_handle_shape(filter);
    bloomfilter *copy;
    int code = bloomfilter_verify(filter);
    if (code == 0)
        code = bloomfilter_handle_make_empty(&copy, &shape, &filter->secret);
    if (code != 0)
        return code;
    memcpy(copy->cells, filter->cells, (size_t)filter->payload_size);
    bloomfilter_insert_counter_set(&copy->inserts,
                                   bloomfilter_insert_counter_read(&filter->inserts));
    copy->measured_fpr = filter->measured_fpr;
    copy->measured_probes = filter->measured_probes;
    copy->format_minor = filter->format_minor;
    code = bloomfilter_set_metadata(copy, filter->metadata, (size_t)filter->metadata_size);
    if (code != 0) {
        bloomfilter_free(copy);
        return code;
    }
    *out = copy;
    return 0;
}

void bloomfilter_clear(bloomfilter *filter)
{
    if (filter == NULL || is_read_only(filter))
        return;
    memset(filter->cells, 0, (size_t)filter->payload_size);
    bloomfilter_insert_counter_set(&filter->inserts, 0);
    filter->measured_fpr = NAN;
    filter->measured_probes = 0;
}

int bloomfilter_set_metadata(bloomfilter *filter, const void *bytes, size_t size)
{
    uint8_t *copy = NULL;

    if (filter == NULL || (bytes == NULL && size != 0))
        return BLOOMFILTER_EINVAL;
    if (is_read_only(filter))
        return BLOOMFILTER_EREADONLY;
    if (size > BLOOMFILTER_MAX_METADATA_SIZE)
        return BLOOMFILTER_ETOOLARGE;
    if (size != 0) {
        copy = malloc(size);
        if (copy == NULL)
            return BLOOMFILTER_ENOMEM;
        memcpy(copy, bytes, size);
    }
    free(filter->own_metadata);
    filter->own_metadata = copy;
    filter->metadata = copy;
    filter->metadata_size = size;
    return 0;
}

int bloomfilter_get_metadata(const bloomfilter *filter, const void **bytes, size_t *size)
{
    if (bytes != NULL)
        *bytes = NULL;
    if (size != NULL)
        *size = 0;
    if (filter == NULL || bytes == NULL || size == NULL)
        return BLOOMFILTER_EINVAL;
    if (filter->metadata_size != 0)
        *bytes = filter->metadata;
    *size = (size_t)filter->metadata_size;
    return 0;
}
