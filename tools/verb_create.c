/* SPDX-License-Identifier: MIT */
#include "verbs.h"

#include "filter_file.h"
#include "filter_shape.h"
#include "metadata.h"
#include "output_file.h"
#include "report.h"
#include "secret.h"

static int run_create(command_options *options)
{
    const char *path = options_take_output(options);
    bloomfilter *filter;

    if (shape_check_given(options, "create", true) != STATUS_YES ||
        output_check(path, options->force) != STATUS_YES || secret_read(options) < 0 ||
        metadata_read(options) != STATUS_YES ||
        shape_create(&filter, options, path, true) != STATUS_YES)
        return STATUS_ERROR;
    int status = filter_save_new(filter, path, options);
    bloomfilter_free(filter);
    return status;
}

const command_verb create_verb = {
    .name = "create",
    .summary = "make an empty filter",
    .synopsis = "-n COUNT -p RATE [OPTION...] FILE",
    .text = "Makes an empty filter for COUNT distinct keys at a false positive rate of RATE. Add\n"
            "keys with 'bloomfilter add'.\n",
    .examples = "  bloomfilter create -n 1M -p 1% users.bloom\n"
                "  bloomfilter create -n 5000 -p 1e-6 --hash blake2b-wide rare.bloom\n"
                "  bloomfilter create -n 1M -p 0.01 --secret-file key --metadata 'keys: lower\n"
                "      case, UTF-8 NFC' users.bloom\n",
    .option_ids = "npmkHLSFDMTofQh",
    .min_operands = 1,
    .max_operands = 1,
    .run = run_create,
};
