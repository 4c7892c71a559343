/* SPDX-License-Identifier: MIT */
#include "verbs.h"

#include <stddef.h>

#include "file_lock.h"
#include "filter_file.h"
#include "key_adder.h"
#include "key_files.h"
#include "rate_warning.h"
#include "report.h"
#include "secret.h"

/*
 * Keys may come slowly, from a pipe for hours, and the file must not be locked so long. So they
 * are first added to an empty filter of the same shape; then, under the lock, the file as it is by
 * then is read, united with it and saved.
 */

/* An empty filter like the one in the file. Mapping checks the header and the secret at once, so
 * that nobody types keys for a file that cannot be opened. */
static int make_twin(bloomfilter **twin, const char *path, command_options *options)
{
    bloomfilter_load_options load_options = secret_load_options(options);
    bloomfilter_info info = BLOOMFILTER_INFO_INIT;
    bloomfilter *mapped;

    if (filter_check_regular(path) != STATUS_YES)
        return STATUS_ERROR;
    int code = bloomfilter_map(&mapped, path, &load_options);
    if (code < 0)
        return report_open(path, code, options->shape.secret != NULL);
    bloomfilter_free(mapped);
    if (filter_peek(path, &info) != STATUS_YES)
        return STATUS_ERROR;
    options->shape.capacity = info.capacity;
    options->shape.target_fpr = info.target_fpr;
    options->shape.bit_count = info.bit_count;
    options->shape.hash_count = info.hash_count;
    options->shape.hash = info.hash;
    options->shape.layout = info.layout;
    options->shape.seed = info.seed;
    code = bloomfilter_create(twin, &options->shape);
    return code < 0 ? report_code(path, code) : STATUS_YES;
}

static int unite_and_save(const char *path, const bloomfilter *added,
                          const command_options *options)
{
    bloomfilter *filter;
    bloomfilter_info info;

    int status = filter_open(&filter, path, options);
    if (status != STATUS_YES)
        return status;
    int code = bloomfilter_union(filter, added);
    if (code == BLOOMFILTER_EINCOMPATIBLE)
        status = report_error(path, "was replaced by a filter of another shape while the keys "
                                    "were read. Nothing was added; add them again");
    else if (code < 0)
        status = report_code(path, code);
    if (status == STATUS_YES)
        status = filter_get_info(filter, path, &info);
    if (status == STATUS_YES)
        status = filter_save(filter, path, true);
    if (status == STATUS_YES)
        rate_warn_of_rebuild(path, &info);
    bloomfilter_free(filter);
    return status;
}

static int merge_into_file(const char *path, const bloomfilter *added,
                           const command_options *options)
{
    int lock;
    int status = filter_lock(path, false, &lock);
    if (status == STATUS_YES)
        status = unite_and_save(path, added, options);
    file_lock_release(lock);
    return status;
}

static int run_add(command_options *options)
{
    const char *path = options_take_operand(options);
    bloomfilter *added;
    key_files files;
    uint64_t count = 0;

    if (secret_read(options) < 0 || make_twin(&added, path, options) != STATUS_YES)
        return STATUS_ERROR;
    int status = STATUS_ERROR;
    if (key_files_open(&files, options, options->operands, options->operand_count) == 0) {
        status = add_keys(added, &files, path, &count);
        key_files_close(&files);
    }
    if (status == STATUS_YES && count > 0)
        status = merge_into_file(path, added, options);
    bloomfilter_free(added);
    return status;
}

const command_verb add_verb = {
    .name = "add",
    .summary = "add keys to a filter",
    .synopsis = "[OPTION...] FILE [KEYFILE...]",
    .text = "Adds every line of the KEYFILEs (or of standard input) to the filter in FILE. All\n"
            "keys are read before the file is touched: when one cannot be read, none is added.\n"
            "Several may add to one file at once; they take turns, and no key is lost.\n",
    .examples = "  bloomfilter add users.bloom new-users.txt\n"
                "  echo alice | bloomfilter add users.bloom\n",
    .option_ids = "FD0XQh",
    .min_operands = 1,
    .max_operands = -1,
    .run = run_add,
};
