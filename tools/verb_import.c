/* SPDX-License-Identifier: MIT */
#include "verbs.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "filter_file.h"
#include "filter_shape.h"
#include "metadata.h"
#include "output_file.h"
#include "raw_bits.h"
#include "report.h"
#include "secret.h"
#include "standard_input.h"
#include "system_files.h"

static int report_size(const char *input, uint64_t size, bool or_more, uint64_t expected,
                       uint64_t bit_count)
{
    return report_error(input,
                        "has %" PRIu64 " bytes%s, but %" PRIu64 " bits need exactly %" PRIu64
                        ". Give the right -m",
                        size, or_more ? " or more" : "", bit_count, expected);
}

/* Before anything is allocated for a -m that is far off. */
static int check_file_size(const char *input, int descriptor, uint64_t expected, uint64_t bit_count)
{
    struct stat status;
    if (descriptor == STDIN_FILENO || fstat(descriptor, &status) < 0 || !S_ISREG(status.st_mode) ||
        (uint64_t)status.st_size == expected)
        return STATUS_YES;
    return report_size(input, (uint64_t)status.st_size, false, expected, bit_count);
}

/* Reads exactly the bytes for the bits. */
static int read_bits(const char *input, int descriptor, uint64_t bit_count, raw_bits *bits)
{
    bits->size = raw_bits_size(bit_count);
    if (check_file_size(input, descriptor, bits->size, bit_count) != STATUS_YES)
        return STATUS_ERROR;
    bits->bytes = bits->size < SIZE_MAX ? malloc((size_t)bits->size + 1) : NULL;
    if (bits->bytes == NULL)
        return report_code(input, BLOOMFILTER_ENOMEM);
    ssize_t size = read_full(descriptor, bits->bytes, (size_t)bits->size + 1);
    if (size < 0)
        return report_errno(input, "cannot read");
    if ((uint64_t)size != bits->size)
        return report_size(input, (uint64_t)size, (uint64_t)size > bits->size, bits->size,
                           bit_count);
    return STATUS_YES;
}

static int open_bits(const char *input, uint64_t bit_count, raw_bits *bits)
{
    if (standard_input_take(input, INPUT_OF_BITS) != STATUS_YES)
        return STATUS_ERROR;
    int descriptor = is_standard_stream(input) ? STDIN_FILENO : open_file(input, O_RDONLY);
    if (descriptor < 0)
        return report_errno(input, "cannot open");
    int status = read_bits(shown_input(input), descriptor, bit_count, bits);
    if (descriptor != STDIN_FILENO)
        close(descriptor);
    return status;
}

static int import_bits(const char *input, const char *output, const command_options *options,
                       const raw_bits *bits)
{
    bloomfilter *filter;

    if (shape_create(&filter, options, output, false) != STATUS_YES)
        return STATUS_ERROR;
    int code = raw_bits_set(filter, bits, options->insert_count);
    int status = STATUS_YES;
    if (code == BLOOMFILTER_EDAMAGED)
        status = report_error(shown_input(input),
                              "a bit after the %" PRIu64 "th is set in the last byte. Give "
                              "the right -m",
                              options->shape.bit_count);
    else if (code < 0)
        status = report_code(output, code);
    if (status == STATUS_YES)
        status = filter_save_new(filter, output, options);
    bloomfilter_free(filter);
    return status;
}

/* Bare blocks are taken for Parquet's, and a file of them says how many there are. */
static int complete_blocks(bloomfilter_options *shape, const char *input)
{
    struct stat status;
    if (shape->hash == 0)
        shape->hash = BLOOMFILTER_HASH_XXH64;
    if (shape->bit_count != 0)
        return STATUS_YES;
    if (!is_standard_stream(input) && stat(input, &status) < 0)
        return report_errno(input, "cannot open");
    if (is_standard_stream(input) || !S_ISREG(status.st_mode) || status.st_size == 0)
        return report_usage("import", "give -m BITS; only a file of bare blocks tells them");
    shape->bit_count = (uint64_t)status.st_size * 8;
    return STATUS_YES;
}

static int complete_shape(bloomfilter_options *shape, const char *input)
{
    if (shape->layout == BLOOMFILTER_LAYOUT_SPLIT_BLOCK)
        return complete_blocks(shape, input);
    if (shape->bit_count == 0 || shape->hash_count == 0)
        return report_usage("import", "give -m BITS and -k COUNT; bare bits do not tell them");
    return STATUS_YES;
}

static int run_import(command_options *options)
{
    const char *input = options_take_operand(options);
    const char *output = options_take_output(options);
    raw_bits bits = {NULL, 0};

    if (!options->raw)
        return report_usage("import", "from which form? Give --raw, the only one there is");
    if (complete_shape(&options->shape, input) != STATUS_YES)
        return STATUS_ERROR;
    if (output_check(output, options->force) != STATUS_YES || secret_read(options) < 0 ||
        metadata_read(options) != STATUS_YES)
        return STATUS_ERROR;
    int status = open_bits(input, options->shape.bit_count, &bits);
    if (status == STATUS_YES)
        status = import_bits(input, output, options, &bits);
    raw_bits_free(&bits);
    return status;
}

const command_verb import_verb = {
    .name = "import",
    .summary = "make a filter of bare bits from other programs",
    .synopsis = "--raw -m BITS -k COUNT [OPTION...] IN FILE",
    .text = "Makes a filter of the bits in IN ('-': standard input): as many bytes as BITS need,\n"
            "the first bit the lowest of the first byte, none set past the last. Hash and seed\n"
            "must be those that the bits were made with, or keys in it will be denied.\n"
            "With '--layout split-block' the bits are those of a Parquet file's Bloom filter: the\n"
            "hash is xxh64, -k is not needed, nor is -m if IN is a file.\n",
    .examples = "  bloomfilter import --raw -m 24 -k 5 --hash murmur3-tweak wallet.bits w.bloom\n"
                "  printf 'aN\\233' | bloomfilter import --raw -m 24 -k 5 --hash 3 - w.bloom\n"
                "  bloomfilter import --raw --layout split-block column.bits column.bloom\n",
    .option_ids = "wBKnpHLSIFDMTofQh",
    .min_operands = 2,
    .max_operands = 2,
    .run = run_import,
};
