/* SPDX-License-Identifier: MIT */
#include "verbs.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/stat.h>
#include <unistd.h>

#include "filter_file.h"
#include "output_file.h"
#include "raw_bits.h"
#include "report.h"
#include "secret.h"
#include "standard_input.h"
#include "system_files.h"

/* Standard output, a pipe or a device: it is written to, and there is nothing to keep whole. */
static bool is_stream(const char *path)
{
    struct stat status;
    return is_standard_stream(path) ||
           (stat(path, &status) == 0 && !S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode));
}

static int write_to_stream(const raw_bits *bits, const char *path)
{
    bool is_output = is_standard_stream(path);
    const char *shown = is_output ? "standard output" : path;
    int descriptor = is_output ? STDOUT_FILENO : open_file(path, O_WRONLY);
    if (descriptor < 0)
        return report_errno(shown, "cannot open");
    int failed = write_all(descriptor, bits->bytes, (size_t)bits->size) < 0;
    if (!is_output)
        failed |= close(descriptor) < 0;
    return failed ? report_errno(shown, "cannot write") : STATUS_YES;
}

static int write_file(const void *bits, const char *path)
{
    return raw_bits_save(bits, path);
}

static int export_bits(const bloomfilter *filter, const char *path, const char *output,
                       const command_options *options)
{
    raw_bits bits = {NULL, 0};
    int code = raw_bits_get(filter, &bits);
    int status = code < 0            ? report_code(path, code)
                 : is_stream(output) ? write_to_stream(&bits, output)
                                     : output_write(output, options->force, write_file, &bits);
    raw_bits_free(&bits);
    return status;
}

static int run_export(command_options *options)
{
    const char *path = options_take_operand(options);
    const char *output = options_take_output(options);
    bloomfilter *filter;

    if (!options->raw)
        return report_usage("export", "in which form? Give --raw, the only one there is");
    if (!is_stream(output) && output_check(output, options->force) != STATUS_YES)
        return STATUS_ERROR;
    if (secret_read(options) < 0 || filter_open(&filter, path, options) != STATUS_YES)
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
            "them must know the number of bits and positions, hash and seed: see 'info'. Those of\n"
            "split-block and xxh64 are what a Parquet file holds as Bloom filter of a column.\n",
    .examples = "  bloomfilter export --raw users.bloom users.bits\n"
                "  bloomfilter export --raw wallet.bloom - | xxd -p        prints: 614e9b\n",
    .option_ids = "wFDofQh",
    .min_operands = 2,
    .max_operands = 2,
    .run = run_export,
};
