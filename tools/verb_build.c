/* SPDX-License-Identifier: MIT */
#include "verbs.h"

#include "filter_file.h"
#include "filter_shape.h"
#include "key_adder.h"
#include "key_files.h"
#include "metadata.h"
#include "output_file.h"
#include "rate_warning.h"
#include "report.h"
#include "secret.h"

/* Without -n, the capacity is the number of keys; an empty input still makes a filter. */
static int decide_capacity(command_options *options, key_files *files)
{
    if (options->shape.capacity != 0)
        return STATUS_YES;
    int status = key_files_count(files, &options->shape.capacity);
    if (options->shape.capacity == 0)
        options->shape.capacity = 1;
    return status;
}

/* The keys are in: save, and tell if there were too many for -n. Whether the shape itself misses
 * its target was told before. */
static int finish_build(const bloomfilter *filter, const char *path, const command_options *options)
{
    bloomfilter_info info;
    int status = filter_get_info(filter, path, &info);
    if (status == STATUS_YES)
        status = filter_save_new(filter, path, options);
    if (status == STATUS_YES && info.insert_count > info.capacity &&
        info.estimated_count > (double)info.capacity)
        rate_warn_of_rebuild(path, &info);
    return status;
}

static int build_from(key_files *files, const char *path, command_options *options)
{
    bloomfilter *filter;
    uint64_t count;

    if (decide_capacity(options, files) != STATUS_YES ||
        shape_create(&filter, options, path, true) != STATUS_YES)
        return STATUS_ERROR;
    int status = add_keys(filter, files, path, &count);
    if (status == STATUS_YES)
        status = finish_build(filter, path, options);
    bloomfilter_free(filter);
    return status;
}

static int run_build(command_options *options)
{
    const char *path = options_take_output(options);
    key_files files;

    if (shape_check_given(options, "build", false) != STATUS_YES ||
        output_check(path, options->force) != STATUS_YES || secret_read(options) < 0 ||
        metadata_read(options) != STATUS_YES ||
        key_files_open(&files, options, options->operands, options->operand_count) < 0)
        return STATUS_ERROR;
    int status = build_from(&files, path, options);
    key_files_close(&files);
    return status;
}

const command_verb build_verb = {
    .name = "build",
    .summary = "make a filter of the keys in files",
    .synopsis = "[-n COUNT] -p RATE [OPTION...] FILE [KEYFILE...]",
    .text = "Makes a filter and adds every line of the KEYFILEs (or of standard input) to it.\n"
            "Without -n the keys are counted first, repeated ones each time: regular files are\n"
            "read twice, a pipe is kept in a temporary file in $TMPDIR meanwhile.\n",
    .examples = "  bloomfilter build -p 1% words.bloom /usr/share/dict/words\n"
                "  sort -u names-*.txt | bloomfilter build -p 0.001 names.bloom\n"
                "  find . -print0 | bloomfilter build -0 -n 1M -p 1% files.bloom\n",
    .option_ids = "npmkHLSFDMT0XofQh",
    .min_operands = 1,
    .max_operands = -1,
    .run = run_build,
};
