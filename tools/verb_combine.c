/* SPDX-License-Identifier: MIT */
#include "verbs.h"

#include <inttypes.h>
#include <stddef.h>

#include "file_lock.h"
#include "filter_file.h"
#include "names.h"
#include "output_file.h"
#include "rate_warning.h"
#include "report.h"
#include "secret.h"

typedef int combine_function(bloomfilter *into, const bloomfilter *from);

/* Why two filters cannot be combined. */
static int report_difference(const bloomfilter *a, const char *a_path, const bloomfilter *b,
                             const char *b_path)
{
    bloomfilter_info x, y;
    if (filter_get_info(a, a_path, &x) != STATUS_YES ||
        filter_get_info(b, b_path, &y) != STATUS_YES)
        return STATUS_ERROR;
    report_error(b_path,
                 "cannot be combined with %s: %" PRIu64 " bits, %" PRIu32
                 " positions, %s, %s, seed "
                 "%" PRIu64 "%s here; %" PRIu64 ", %" PRIu32 ", %s, %s, seed %" PRIu64 "%s there",
                 a_path, y.bit_count, y.hash_count, hash_name(y.hash), layout_name(y.layout),
                 y.seed, (y.flags & BLOOMFILTER_FLAG_KEYED) != 0 ? ", a secret" : "", x.bit_count,
                 x.hash_count, hash_name(x.hash), layout_name(x.layout), x.seed,
                 (x.flags & BLOOMFILTER_FLAG_KEYED) != 0 ? ", a secret" : "");
    return report_code(b_path, BLOOMFILTER_EINCOMPATIBLE);
}

static int combine_next(bloomfilter *into, const char *into_path, const char *path,
                        const command_options *options, combine_function *function)
{
    bloomfilter *from;
    int status = filter_open(&from, path, options);
    if (status != STATUS_YES)
        return status;
    int code = function(into, from);
    if (code == BLOOMFILTER_EINCOMPATIBLE)
        status = report_difference(into, into_path, from, path);
    else if (code < 0)
        status = report_code(path, code);
    bloomfilter_free(from);
    return status;
}

static int combine_inputs(const char *output, command_options *options, combine_function *function)
{
    const char *first_path = options_take_operand(options);
    bloomfilter *filter;
    bloomfilter_info info;

    int status = filter_open(&filter, first_path, options);
    if (status != STATUS_YES)
        return status;
    while (status == STATUS_YES && options->operand_count > 0)
        status = combine_next(filter, first_path, options_take_operand(options), options, function);
    if (status == STATUS_YES)
        status = filter_get_info(filter, output, &info);
    if (status == STATUS_YES)
        status = filter_save(filter, output, options->force);
    if (status == STATUS_YES)
        rate_warn_of_rebuild(output, &info);
    bloomfilter_free(filter);
    return status;
}

/* The output may be one of the inputs. Then this is a change of it, as 'add' is, so it is locked
 * from before it is read until it is saved. */
static int combine(command_options *options, combine_function *function)
{
    const char *output = options_take_output(options);
    int lock = -1;

    if (output_check(output, options->force) != STATUS_YES || secret_read(options) < 0)
        return STATUS_ERROR;
    if (options->force && filter_lock(output, true, &lock) != STATUS_YES)
        return STATUS_ERROR;
    int status = combine_inputs(output, options, function);
    file_lock_release(lock);
    return status;
}

static int run_union(command_options *options)
{
    return combine(options, bloomfilter_union);
}

static int run_intersect(command_options *options)
{
    return combine(options, bloomfilter_intersect);
}

const command_verb union_verb = {
    .name = "union",
    .summary = "make the filter of all keys of several filters",
    .synopsis = "[OPTION...] OUT IN IN...",
    .text = "Makes OUT, the filter of the keys of all INs: the same as adding all of them to one.\n"
            "The INs must be made with the same -m, -k, --hash, --layout, --seed and secret.\n"
            "Capacity, target and metadata are those of the first.\n",
    .examples = "  bloomfilter union week.bloom monday.bloom tuesday.bloom wednesday.bloom\n"
                "  bloomfilter union --force all.bloom all.bloom today.bloom\n",
    .option_ids = "FDofQh",
    .min_operands = 3,
    .max_operands = -1,
    .run = run_union,
};

const command_verb intersect_verb = {
    .name = "intersect",
    .summary = "make the filter of the keys that several filters share",
    .synopsis = "[OPTION...] OUT IN IN...",
    .text = "Makes OUT, a filter that finds every key which is in all INs. Its false positive\n"
            "rate is higher than that of a filter built from those keys alone. The INs must be\n"
            "made with the same -m, -k, --hash, --layout, --seed and secret. Capacity, target\n"
            "and metadata are those of the first.\n",
    .examples = "  bloomfilter intersect both.bloom monday.bloom tuesday.bloom\n",
    .option_ids = "FDofQh",
    .min_operands = 3,
    .max_operands = -1,
    .run = run_intersect,
};
