/* SPDX-License-Identifier: MIT */
#include "verbs.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "file_lock.h"
#include "filter_file.h"
#include "info_text.h"
#include "progress.h"
#include "report.h"
#include "secret.h"

/* With fewer hits than this, chance moves the result by more than a tenth. */
static const double FEW_HITS = 100.0;

static void print_measured(const command_options *options, const bloomfilter_info *info,
                           double measured)
{
    double probes = (double)options->probes;
    double hits = measured * probes;

    print_rate("measured rate", measured);
    printf("%-16s %.3g, from %.0f of %" PRIu64 " random keys\n", "standard error",
           sqrt(measured * (1.0 - measured) / probes), hits, options->probes);
    print_rate("predicted rate", info->current_fpr);
    print_rate("target rate", info->target_fpr);
    if (hits < FEW_HITS)
        report_warning(NULL,
                       "only %.0f of the random keys were found, so the measured rate is "
                       "rough. Give more --probes.",
                       hits);
}

static int measure(const char *path, const command_options *options)
{
    bloomfilter *filter;
    bloomfilter_info info;
    double measured = 0.0;

    int status = filter_open(&filter, path, options);
    if (status != STATUS_YES)
        return status;
    status = filter_get_info(filter, path, &info);
    if (status == STATUS_YES) {
        progress_begin_call("measuring", path);
        int code = bloomfilter_measure_fpr(filter, options->probes, options->probe_seed, &measured);
        progress_end();
        if (code < 0)
            status = report_code(path, code);
    }
    if (status == STATUS_YES && options->record)
        status = filter_save(filter, path, true);
    if (status == STATUS_YES)
        print_measured(options, &info, measured);
    bloomfilter_free(filter);
    return status;
}

static int run_measure(command_options *options)
{
    const char *path = options_take_operand(options);
    int lock = -1;

    if (options->record && filter_check_regular(path) != STATUS_YES)
        return STATUS_ERROR;
    if (secret_read(options) < 0)
        return STATUS_ERROR;
    if (options->record && filter_lock(path, false, &lock) != STATUS_YES)
        return STATUS_ERROR;
    int status = measure(path, options);
    file_lock_release(lock);
    return status;
}

const command_verb measure_verb = {
    .name = "measure",
    .summary = "measure the false positive rate with random keys",
    .synopsis = "[--probes COUNT] [--probe-seed N] [--record] FILE",
    .text = "Asks the filter for random keys, practically none of which were added, and prints\n"
            "how many were found. With --record the result is stored in the file, for 'info'.\n",
    .examples = "  bloomfilter measure users.bloom\n"
                "      measured rate    0.01004 (1 in 99.6)\n"
                "      standard error   9.97e-05, from 10040 of 1000000 random keys\n"
                "  bloomfilter measure --probes 1e8 --record rare.bloom\n",
    .option_ids = "PRrFDQh",
    .min_operands = 1,
    .max_operands = 1,
    .run = run_measure,
};
