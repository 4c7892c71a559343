/* SPDX-License-Identifier: MIT */
#include <math.h>

#include "handle/handle.h"
#include "hashing/splitmix64.h"
#include "sizing/prediction.h"
#include "support/bytes.h"

/* How far current_fpr may be over the target before it is worth saying. */
#define TOLERANCE 1.1

struct prediction_shape bloomfilter_handle_prediction_shape(const struct filter_shape *shape)
{
    struct prediction_shape prediction =
        bloomfilter_hashing_shape(shape->scheme, shape->bit_count, shape->hash_count);
    if (shape->layout->block_bits != 0)
        prediction.model = POSITION_MODEL_BLOCKS;
    return prediction;
}

static void describe_shape(bloomfilter_info *info, const struct filter_shape *shape)
{
    struct prediction_shape prediction = bloomfilter_handle_prediction_shape(shape);
    info->capacity = shape->capacity;
    info->target_fpr = shape->target_fpr;
    info->bit_count = shape->bit_count;
    info->hash_count = shape->hash_count;
    info->hash = shape->scheme->id;
    info->layout = shape->layout->id;
    info->seed = shape->seed;
    info->expected_fpr = bloomfilter_prediction_expected_fpr(&prediction, shape->capacity);
    info->measured_fpr = NAN;
    info->format_major = FORMAT_MAJOR;
    info->format_minor = FORMAT_MINOR;
}

static void describe_content(bloomfilter_info *info, const struct filter_shape *shape,
                             uint64_t bits_set)
{
    struct prediction_shape prediction = bloomfilter_handle_prediction_shape(shape);
    info->bits_set = bits_set;
    info->fill = (double)bits_set / (double)shape->bit_count;
    info->estimated_count = bloomfilter_prediction_estimated_count(&prediction, bits_set);
    info->current_fpr = bloomfilter_prediction_current_fpr(&prediction, bits_set);
}

/* insert_count counts repeated keys too, and the estimate is off by chance: only both together say
 * that there are too many distinct keys. */
static uint32_t judge(const bloomfilter_info *info)
{
    if (info->current_fpr > TOLERANCE * info->target_fpr)
        return BLOOMFILTER_REBUILD_OVER_TARGET;
    if (info->insert_count > info->capacity && info->estimated_count > (double)info->capacity)
        return BLOOMFILTER_REBUILD_OVER_CAPACITY;
    return BLOOMFILTER_REBUILD_NO;
}

static uint64_t memory_of(const bloomfilter *filter)
{
    uint64_t cells = filter->memory.size;
    if (is_read_only(filter))
        cells = filter->content.header.payload_offset + filter->payload_size;
    return sizeof *filter + cells + filter->inserts.stripes.size +
           (filter->own_metadata != NULL ? filter->metadata_size : 0);
}

int bloomfilter_get_info(const bloomfilter *filter, bloomfilter_info *info)
{
    bloomfilter_info full = BLOOMFILTER_INFO_INIT;
    if (filter == NULL || bloomfilter_info_check(info) != 0)
        return BLOOMFILTER_EINVAL;

    struct filter_shape shape = bloomfilter_handle_shape(filter);
    describe_shape(&full, &shape);
    full.flags = (filter->secret.size != 0 ? (uint32_t)BLOOMFILTER_FLAG_KEYED : 0) |
                 (is_read_only(filter) ? (uint32_t)BLOOMFILTER_FLAG_READ_ONLY : 0);
    full.insert_count = bloomfilter_insert_counter_read(&filter->inserts);
    describe_content(&full, &shape, filter->layout->bits_set(filter->cells, shape.bit_count));
    full.measured_fpr = filter->measured_fpr;
    full.measured_probes = filter->measured_probes;
    full.memory_bytes = memory_of(filter);
    full.format_minor = filter->format_minor;
    full.rebuild = judge(&full);
    bloomfilter_info_write(info, &full);
    return 0;
}

static int plan_memory(const struct filter_shape *shape, uint64_t *bytes)
{
    uint64_t payload_size = shape->layout->payload_size(shape->bit_count);
    uint64_t cells;
    int code = bloomfilter_memory_size(payload_size, &cells);
    if (code == 0)
        *bytes = sizeof(bloomfilter) + cells + bloomfilter_insert_counter_size(payload_size);
    return code;
}

int bloomfilter_plan(const bloomfilter_options *options, bloomfilter_info *info)
{
    bloomfilter_info full = BLOOMFILTER_INFO_INIT;
    struct filter_shape shape;
    struct secret secret;

    if (bloomfilter_info_check(info) != 0)
        return BLOOMFILTER_EINVAL;
    int code = bloomfilter_options_resolve(options, &shape, &secret);
    bool keyed = code == 0 && secret.size != 0;
    bloomfilter_secret_wipe(&secret, sizeof secret);
    if (code != 0)
        return code;
    describe_shape(&full, &shape);
    full.flags = keyed ? BLOOMFILTER_FLAG_KEYED : 0;
    code = plan_memory(&shape, &full.memory_bytes);
    if (code == 0)
        bloomfilter_info_write(info, &full);
    return code;
}

int bloomfilter_peek(const void *bytes, size_t size, bloomfilter_info *info)
{
    bloomfilter_info full = BLOOMFILTER_INFO_INIT;
    struct file_header header;

    if (bytes == NULL || bloomfilter_info_check(info) != 0)
        return BLOOMFILTER_EINVAL;
    if (!bloomfilter_handle_self_test_passes())
        return BLOOMFILTER_ESELFTEST;
    int code = bloomfilter_serializer_read_header(bytes, size, NULL, &header);
    if (code != 0)
        return code;

    struct filter_shape shape = bloomfilter_handle_shape_of_file(&header);
    describe_shape(&full, &shape);
    full.flags = header.keyed ? BLOOMFILTER_FLAG_KEYED : 0;
    full.insert_count = header.insert_count;
    full.measured_fpr = header.measured_fpr;
    full.measured_probes = header.measured_probes;
    full.memory_bytes = header.payload_offset + header.payload_size;
    full.format_minor = header.format_minor;
    full.estimated_count = (double)header.insert_count; /* so that it is judged by that alone */
    full.rebuild = judge(&full);
    full.estimated_count = 0;
    bloomfilter_info_write(info, &full);
    return 0;
}

enum { PROBES_AT_A_TIME = 64, PROBE_SIZE = 16 };

/* Asks for `count` random keys, at most PROBES_AT_A_TIME; returns how many are found. How they are
 * made is fixed for ever, so that one seed gives the same probes everywhere. */
static uint64_t probe(const bloomfilter *filter, uint64_t *random, size_t count)
{
    uint8_t probes[PROBES_AT_A_TIME][PROBE_SIZE];
    const void *keys[PROBES_AT_A_TIME] = {NULL};
    size_t key_sizes[PROBES_AT_A_TIME] = {0};
    uint8_t found[PROBES_AT_A_TIME] = {0};
    uint64_t hits = 0;

    for (size_t j = 0; j < count; j++) {
        bytes_store_le(probes[j], splitmix64_next(random), 8);
        bytes_store_le(probes[j] + 8, splitmix64_next(random), 8);
        keys[j] = probes[j];
        key_sizes[j] = PROBE_SIZE;
    }
    bloomfilter_contains_many(filter, count, keys, key_sizes, found);
    for (size_t j = 0; j < count; j++)
        hits += found[j];
    return hits;
}

int bloomfilter_measure_fpr(bloomfilter *filter, uint64_t probes, uint64_t seed, double *fpr)
{
    uint64_t hits = 0;
    if (filter == NULL || probes == 0)
        return BLOOMFILTER_EINVAL;
    for (uint64_t left = probes; left != 0;) {
        size_t count = left < PROBES_AT_A_TIME ? (size_t)left : PROBES_AT_A_TIME;
        hits += probe(filter, &seed, count);
        left -= count;
    }
    double rate = (double)hits / (double)probes;
    if (!is_read_only(filter)) {
        filter->measured_fpr = rate;
        filter->measured_probes = probes;
    }
    if (fpr != NULL)
        *fpr = rate;
    return 0;
}
