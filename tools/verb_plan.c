/* SPDX-License-Identifier: MIT */
#include "verbs.h"

#include <stddef.h>

#include "filter_shape.h"
#include "info_json.h"
#include "info_text.h"
#include "rate_warning.h"
#include "report.h"

static int run_plan(command_options *options)
{
    bloomfilter_info info;
    int status = shape_check_given(options, "plan", true);
    if (status == STATUS_YES)
        status = shape_plan(options, "plan", &info);
    if (status != STATUS_YES)
        return status;
    if (options->json) {
        info_document document = {&info, NULL, true, NULL, 0};
        status = print_info_json(&document);
    } else {
        print_plan(&info);
    }
    rate_warn_of_plan("plan", &options->shape, &info, true);
    size_warn_of_plan("plan", &options->shape, &info);
    return status;
}

const command_verb plan_verb = {
    .name = "plan",
    .summary = "tell how large a filter would be, and how good",
    .synopsis = "-n COUNT -p RATE [OPTION...]",
    .text = "Prints what 'create' would make of the same options: bits, positions, memory, and\n"
            "the false positive rate to expect. Makes nothing.\n",
    .examples = "  bloomfilter plan -n 1G -p 1%\n"
                "  bloomfilter plan -n 1M -p 1e-3 --json | jq .memory_bytes\n",
    .option_ids = "npmkHLSjh",
    .min_operands = 0,
    .max_operands = 0,
    .run = run_plan,
};
