/* SPDX-License-Identifier: MIT */
#include "filter_shape.h"

#include <stddef.h>

#include "metadata.h"
#include "names.h"
#include "rate_warning.h"
#include "report.h"

int shape_check_given(const command_options *options, const char *verb, bool needs_capacity)
{
    const bloomfilter_options *shape = &options->shape;
    bool has_positions = shape->hash_count != 0 || shape->layout == BLOOMFILTER_LAYOUT_SPLIT_BLOCK;
    if (shape->bit_count != 0 && has_positions)
        return STATUS_YES;
    if (shape->target_fpr == 0.0)
        return report_usage(verb, "which false positive rate? Give -p RATE (or -m BITS and -k "
                                  "COUNT)");
    if (needs_capacity && shape->capacity == 0)
        return report_usage(verb, "for how many keys? Give -n COUNT");
    return STATUS_YES;
}

/* Hash and layout are known, one by one. */
static int report_pair(const bloomfilter_options *shape, const char *subject)
{
    if (shape->hash == BLOOMFILTER_HASH_XXH64)
        return report_error(subject, "xxh64 goes with --layout split-block only");
    return report_error(subject,
                        "%s does not go with --layout split-block. Use xxh64, "
                        "blake2b-pair or blake2b-wide",
                        hash_name(shape->hash));
}

/* What a split-block filter cannot be; else NULL. */
static const char *find_block_fault(const bloomfilter_options *shape)
{
    if (shape->layout != BLOOMFILTER_LAYOUT_SPLIT_BLOCK)
        return NULL;
    if (shape->hash_count != 0 && shape->hash_count != 8)
        return "split-block has 8 positions per key. Leave out -k";
    if (shape->bit_count % 256 != 0)
        return "split-block needs a multiple of 256 bits";
    return NULL;
}

/* The library says EINVAL of most of these; only here it is known which. */
static int report_shape(const bloomfilter_options *shape, const char *subject, int code)
{
    if (code == BLOOMFILTER_EUNSUPPORTED)
        return report_pair(shape, subject);
    if (code != BLOOMFILTER_EINVAL)
        return report_code(subject, code);
    if (find_block_fault(shape) != NULL)
        return report_error(subject, "%s", find_block_fault(shape));
    if (shape->hash == BLOOMFILTER_HASH_MURMUR3_TWEAK && shape->secret != NULL)
        return report_error(subject, "murmur3-tweak takes no secret. Use blake2b-pair or "
                                     "blake2b-wide");
    if (shape->hash == BLOOMFILTER_HASH_XXH64 && shape->secret != NULL)
        return report_error(subject, "xxh64 takes no secret. Use blake2b-pair");
    if (shape->hash != BLOOMFILTER_HASH_MURMUR3_TWEAK && shape->seed != 0)
        return report_error(subject, "only murmur3-tweak has a --seed. To vary the hashes of the "
                                     "others, use a secret");
    return report_error(subject, "more than 255 positions per key would be needed. Use a larger "
                                 "-p, or give -k");
}

int shape_plan(const command_options *options, const char *subject, bloomfilter_info *planned)
{
    static const bloomfilter_info empty = BLOOMFILTER_INFO_INIT;
    *planned = empty;
    int code = bloomfilter_plan(&options->shape, planned);
    return code < 0 ? report_shape(&options->shape, subject, code) : STATUS_YES;
}

int shape_create(bloomfilter **filter, const command_options *options, const char *subject,
                 bool advise)
{
    bloomfilter_info planned;
    *filter = NULL;
    if (shape_plan(options, subject, &planned) != STATUS_YES)
        return STATUS_ERROR;
    rate_warn_of_plan(subject, &options->shape, &planned, advise);
    size_warn_of_plan(subject, &options->shape, &planned);
    int code = bloomfilter_create(filter, &options->shape);
    if (code < 0)
        return report_shape(&options->shape, subject, code);
    int status = metadata_store(*filter, options, subject);
    if (status != STATUS_YES) {
        bloomfilter_free(*filter);
        *filter = NULL;
    }
    return status;
}
