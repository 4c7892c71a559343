/* SPDX-License-Identifier: MIT */
#include "verbs.h"

#include <stdint.h>
#include <stdlib.h>

#include "filter_file.h"
#include "output_file.h"
#include "raw_bits.h"
#include "report.h"
#include "secret.h"

static int export_bits(const bloomfilter *filter, const char *path, const char *output,
                       const command_options *options)
{
    bloomfilter_info info;
    if (filter_get_info(filter, path, &info) != STATUS_YES)
        return STATUS_ERROR;
    uint64_t size = raw_bits_size(info.bit_count);
    void *bits = size <= SIZE_MAX ? malloc((size_t)size) : NULL;
    if (bits == NULL)
        return report_code(path, BLOOMFILTER_ENOMEM);
    int code = raw_bits_get(filter, bits, size);
    int status = code < 0 ? report_code(path, code)
                          : output_write(output, options->force, bits, (size_t)size);
    free(bits);
    return status;
}

static int run_export(command_options *options)
{
    const char *path = options_take_operand(options);
    const char *output = options_take_output(options);
    bloomfilter *filter;

    if (!options->raw)
        return report_usage("export", "in which form? Give --raw, the only one there is");
    if (output_check(output, options->force) != STATUS_YES || secret_read(options) < 0 ||
        filter_open(&filter, path, options) != STATUS_YES)
        return STATUS_ERROR;
    int status = export_bits(filter, path, output, options);
    bloomfilter_free(filter);
    return status;
}

const command_verb export_verb = {
    .name = "export",
    .summary = "write the bare bits of a filter, for other programs",
    .synopsis = "--raw [OPTION...] FILE OUT",
    .text = "Writes the bits of the filter and nothing else: as many bytes as the bits need, the\n"
            "first bit the lowest of the first byte. OUT '-' is standard output. Whoever reads\n"
            "them must know the number of bits and positions, hash and seed: see 'info'.\n",
    .examples = "  bloomfilter export --raw users.bloom users.bits\n"
                "  bloomfilter export --raw wallet.bloom - | xxd -p        prints: 614e9b\n",
    .option_ids = "wFDofQh",
    .min_operands = 2,
    .max_operands = 2,
    .run = run_export,
};
