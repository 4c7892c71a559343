/* SPDX-License-Identifier: MIT */
#include "verbs.h"

#include <stdio.h>

#include "filter_file.h"
#include "report.h"
#include "secret.h"

/* What a code of bloomfilter_load says about the file: bad, or just not to be checked here. */
static int verdict(int code)
{
    return code == BLOOMFILTER_ENOTFILTER || code == BLOOMFILTER_EDAMAGED ? STATUS_NO
                                                                          : STATUS_ERROR;
}

static int verify_file(const char *path, const command_options *options)
{
    bloomfilter *filter;
    int code = filter_load(&filter, path, options);
    if (code < 0) {
        report_open(path, code, options->shape.secret != NULL);
        return verdict(code);
    }
    bloomfilter_free(filter);
    if (!options->quiet)
        printf("%s: fine\n", path);
    return STATUS_YES;
}

static int run_verify(command_options *options)
{
    int worst = STATUS_YES;
    if (secret_read(options) < 0)
        return STATUS_ERROR;
    while (options->operand_count > 0) {
        int status = verify_file(options_take_operand(options), options);
        if (status > worst)
            worst = status;
    }
    return worst;
}

const command_verb verify_verb = {
    .name = "verify",
    .summary = "check every byte of filter files",
    .synopsis = "[OPTION...] FILE...",
    .text = "Checks every byte of the files. Exits with 0 if all are fine, 1 if one is damaged or\n"
            "no filter file, 2 if one could not be checked (not readable, secret missing or\n"
            "wrong, made by a newer release).\n",
    .examples = "  bloomfilter verify users.bloom            prints: users.bloom: fine\n"
                "  bloomfilter verify -q *.bloom && deploy\n",
    .option_ids = "FDQh",
    .min_operands = 1,
    .max_operands = -1,
    .run = run_verify,
};
