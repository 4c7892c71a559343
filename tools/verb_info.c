/* SPDX-License-Identifier: MIT */
#include "verbs.h"

#include <stdio.h>

#include "filter_file.h"
#include "info_json.h"
#include "info_text.h"
#include "report.h"
#include "secret.h"

static int show_header(const char *path, const command_options *options)
{
    bloomfilter_info info = BLOOMFILTER_INFO_INIT;
    if (filter_peek(path, &info) != STATUS_YES)
        return STATUS_ERROR;
    if (options->json) {
        info_document document = {&info, path, false, NULL, 0};
        return print_info_json(&document);
    }
    print_info(path, &info, true);
    return STATUS_YES;
}

static int show_filter(const bloomfilter *filter, const char *path, const command_options *options)
{
    bloomfilter_info info;
    const void *metadata;
    size_t metadata_size;

    int code = bloomfilter_get_metadata(filter, &metadata, &metadata_size);
    if (code < 0)
        return report_code(path, code);
    if (options->print_metadata) {
        if (metadata_size > 0)
            fwrite(metadata, 1, metadata_size, stdout);
        return STATUS_YES;
    }
    if (filter_get_info(filter, path, &info) != STATUS_YES)
        return STATUS_ERROR;
    if (options->json) {
        info_document document = {&info, path, true, metadata, metadata_size};
        return print_info_json(&document);
    }
    print_info(path, &info, false);
    print_metadata(metadata, metadata_size);
    return STATUS_YES;
}

static int run_info(command_options *options)
{
    const char *path = options_take_operand(options);
    bloomfilter *filter;

    if (options->print_metadata && (options->json || options->header_only))
        return report_usage("info", "--print-metadata goes with neither --json nor --header");
    if (options->header_only)
        return show_header(path, options);
    if (secret_read(options) < 0 || filter_open(&filter, path, options) != STATUS_YES)
        return STATUS_ERROR;
    int status = show_filter(filter, path, options);
    bloomfilter_free(filter);
    return status;
}

const command_verb info_verb = {
    .name = "info",
    .summary = "tell what a filter is and what is in it",
    .synopsis = "[--json] [--header | --print-metadata] [OPTION...] FILE",
    .text = "Checks every byte of the file and prints what it is: capacity, size, hash, fill, and\n"
            "the false positive rates: the target; the one expected at capacity; the current one;\n"
            "and the last measured one. 'rebuild' tells whether a larger filter is due.\n",
    .examples = "  bloomfilter info users.bloom\n"
                "  bloomfilter info --json users.bloom | jq .current_fpr      prints: 0.0098\n"
                "  bloomfilter info --header users.bloom      at once, whatever the size\n",
    .option_ids = "jegFDQh",
    .min_operands = 1,
    .max_operands = 1,
    .run = run_info,
};
