/* SPDX-License-Identifier: MIT */
#include "options.h"

#include <getopt.h>
#include <limits.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "help.h"
#include "names.h"
#include "numbers.h"
#include "progress.h"
#include "report.h"

/* What is done with an option: set a flag, keep its argument as it is, or read a value from it. */
typedef enum option_kind { FLAG, TEXT, VALUE } option_kind;

/* Each option once. The id names it inside the command; short_name 0: it has only a long one. */
typedef struct option_row {
    char id;
    char short_name;
    const char *long_name;
    const char *argument; /* NULL: takes none */
    const char *help;
    option_kind kind;
    size_t field; /* of a flag or text: where in command_options it goes */
} option_row;

#define TO_FLAG(field) FLAG, offsetof(command_options, field)
#define TO_TEXT(field) TEXT, offsetof(command_options, field)
#define TO_VALUE VALUE, 0

static const option_row option_rows[] = {
    {'n', 'n', "capacity", "COUNT", "distinct keys expected: 1000000, 1e6 or 1M", TO_VALUE},
    {'p', 'p', "rate", "RATE", "false positive rate wanted: 0.01, 1e-2, 1% or 1/100", TO_VALUE},
    {'m', 'm', "bits", "BITS", "bits of the filter (default: from -n and -p)", TO_VALUE},
    {'k', 'k', "hashes", "COUNT", "positions per key, 1 to 255 (default: from -n and -m)",
     TO_VALUE},
    {'B', 'm', "bits", "BITS", "bits of the filter: how many IN has", TO_VALUE},
    {'K', 'k', "hashes", "COUNT", "positions per key, 1 to 255: what IN was made with", TO_VALUE},
    {'H', 0, "hash", "NAME",
     "default blake2b-pair; blake2b-wide, blake2b-indexed, murmur3-tweak, xxh64", TO_VALUE},
    {'L', 0, "layout", "NAME", "flat (default) or split-block: fast, larger, not with every hash",
     TO_VALUE},
    {'S', 0, "seed", "TWEAK", "the tweak of murmur3-tweak, 0 to 4294967295 or 0x...", TO_VALUE},
    {'I', 0, "insert-count", "N", "keys that were added, to be recorded (default 0)", TO_VALUE},
    {'F', 0, "secret-file", "FILE", "the filter's secret: the bytes of FILE, 16 to 64",
     TO_TEXT(secret_file)},
    {'D', 0, "secret-fd", "N", "the same, from the open file descriptor N", TO_VALUE},
    {'M', 0, "metadata", "TEXT", "what to store with the filter, 16 MiB at most",
     TO_TEXT(metadata_text)},
    {'T', 0, "metadata-file", "FILE", "the same, from a file", TO_TEXT(metadata_file)},
    {'0', '0', "null", NULL, "keys end in a NUL byte, not in a newline", TO_FLAG(null_separated)},
    {'X', 0, "hex", NULL, "keys are written in hexadecimal", TO_FLAG(hex)},
    {'v', 'v', "invert-match", NULL, "select the keys that are certainly absent",
     TO_FLAG(invert_match)},
    {'c', 'c', "count", NULL, "print only how many keys were selected", TO_FLAG(count_only)},
    {'q', 'q', "quiet", NULL, "print nothing, stop at the first selected key", TO_FLAG(quiet)},
    {'P', 0, "probes", "COUNT", "random keys to ask for (default 1M)", TO_VALUE},
    {'R', 0, "probe-seed", "N", "where the random keys start (default 1)", TO_VALUE},
    {'r', 0, "record", NULL, "store the result in FILE", TO_FLAG(record)},
    {'w', 0, "raw", NULL, "bare bits, least significant bit of each byte first", TO_FLAG(raw)},
    {'e', 0, "header", NULL, "read the header only: at once, without secret, the rest unchecked",
     TO_FLAG(header_only)},
    {'g', 0, "print-metadata", NULL, "print the stored metadata and nothing else",
     TO_FLAG(print_metadata)},
    {'j', 0, "json", NULL, "print JSON", TO_FLAG(json)},
    {'o', 'o', "output", "FILE", "the file to make, in place of the operand", TO_TEXT(output)},
    {'f', 'f', "force", NULL, "replace the file if it exists", TO_FLAG(force)},
    {'Q', 'q', "quiet", NULL, "no progress line, no remarks; warnings and errors stay",
     TO_FLAG(quiet)},
    {'h', 'h', "help", NULL, "this help", TO_FLAG(help)},
};

enum { OPTION_COUNT = sizeof option_rows / sizeof option_rows[0] };

static bool takes(const command_verb *verb, const option_row *row)
{
    return strchr(verb->option_ids, row->id) != NULL;
}

/* What getopt_long gives for a long option is its id and this; for a short one, its letter. */
enum { LONG_OPTION = 256 };

/* The two forms in which getopt_long wants the options of a verb. */
typedef struct getopt_tables {
    char short_options[2 * OPTION_COUNT + 2];
    struct option long_options[OPTION_COUNT + 1];
} getopt_tables;

static void fill_tables(getopt_tables *tables, const command_verb *verb)
{
    size_t shorts = 0;
    size_t longs = 0;
    memset(tables, 0, sizeof *tables);
    tables->short_options[shorts++] = ':'; /* tell a missing argument apart; print nothing */
    for (size_t i = 0; i < OPTION_COUNT; i++) {
        const option_row *row = &option_rows[i];
        if (!takes(verb, row))
            continue;
        if (row->short_name != 0) {
            tables->short_options[shorts++] = row->short_name;
            if (row->argument != NULL)
                tables->short_options[shorts++] = ':';
        }
        tables->long_options[longs].name = row->long_name;
        tables->long_options[longs].has_arg =
            row->argument != NULL ? required_argument : no_argument;
        tables->long_options[longs].val = LONG_OPTION + row->id;
        longs++;
    }
}

/* The row of what getopt_long found: a letter, or LONG_OPTION and the id. */
static const option_row *find_row(const command_verb *verb, int found)
{
    for (size_t i = 0; i < OPTION_COUNT; i++) {
        const option_row *row = &option_rows[i];
        if (takes(verb, row) &&
            found == (found >= LONG_OPTION ? LONG_OPTION + row->id : row->short_name))
            return row;
    }
    return NULL;
}

static const char *parse_hash_count(const char *text, uint32_t *hash_count)
{
    uint64_t count;
    const char *wrong = parse_count(text, &count);
    if (wrong != NULL)
        return wrong;
    if (count < 1 || count > BLOOMFILTER_MAX_HASH_COUNT)
        return "not between 1 and 255";
    *hash_count = (uint32_t)count;
    return NULL;
}

static const char *parse_positive(const char *text, uint64_t *count)
{
    const char *wrong = parse_count(text, count);
    return wrong == NULL && *count == 0 ? "must be 1 at least" : wrong;
}

static const char *parse_bit_count(const char *text, uint64_t *bit_count)
{
    const char *wrong = parse_positive(text, bit_count);
    return wrong == NULL && *bit_count > BLOOMFILTER_MAX_BIT_COUNT
               ? "too large: a filter has at most 2^60 bits"
               : wrong;
}

static const char *parse_tweak(const char *text, uint64_t *tweak)
{
    const char *wrong = parse_seed(text, tweak);
    return wrong == NULL && *tweak > UINT32_MAX ? "too large: a tweak has 32 bits" : wrong;
}

static const char *parse_descriptor(const char *text, int *descriptor)
{
    uint64_t number;
    if (text[strspn(text, "0123456789")] != '\0' || parse_count(text, &number) != NULL ||
        number > INT_MAX)
        return "not a file descriptor; give the number of one that is open, such as 3";
    *descriptor = (int)number;
    return NULL;
}

/* Takes an option with a value. NULL, or what is wrong with it. */
static const char *take_value(command_options *options, char id, const char *argument)
{
    switch (id) {
    case 'n':
        return parse_positive(argument, &options->shape.capacity);
    case 'p':
        return parse_rate(argument, &options->shape.target_fpr);
    case 'm':
    case 'B':
        return parse_bit_count(argument, &options->shape.bit_count);
    case 'k':
    case 'K':
        return parse_hash_count(argument, &options->shape.hash_count);
    case 'H':
        return parse_hash_name(argument, &options->shape.hash);
    case 'L':
        return parse_layout_name(argument, &options->shape.layout);
    case 'S':
        return parse_tweak(argument, &options->shape.seed);
    case 'I':
        return parse_count(argument, &options->insert_count);
    case 'P':
        return parse_positive(argument, &options->probes);
    case 'R':
        return parse_seed(argument, &options->probe_seed);
    case 'D':
        return parse_descriptor(argument, &options->secret_descriptor);
    default:
        return "not known here"; /* a row of the table without a case */
    }
}

static const char *take_option(command_options *options, const option_row *row,
                               const char *argument)
{
    void *field = (char *)options + row->field;
    if (row->kind == VALUE)
        return take_value(options, row->id, argument);
    if (row->kind == FLAG)
        *(bool *)field = true;
    else
        *(const char **)field = argument;
    return NULL;
}

static void set_defaults(command_options *options)
{
    static const bloomfilter_options empty_shape = BLOOMFILTER_OPTIONS_INIT;
    memset(options, 0, sizeof *options);
    options->shape = empty_shape;
    options->secret_descriptor = -1;
    options->probes = 1000000;
    options->probe_seed = 1;
}

static int report_refused(const command_verb *verb, int found, char **argv)
{
    const char *word = argv[optind - 1];
    if (found == ':')
        return report_usage(verb->name, "%s needs an argument", word);
    if (optopt == 0) /* without its value, which may be meant to be secret */
        return report_usage(verb->name, "unknown or ambiguous option %.*s", (int)strcspn(word, "="),
                            word);
    if (strncmp(word, "--", 2) == 0 && strchr(word, '=') != NULL)
        return report_usage(verb->name, "%s: the option takes no argument", word);
    return report_usage(verb->name, "unknown option -%c", optopt);
}

/* Names the option as it was typed. */
static int report_value(const command_verb *verb, const option_row *row, int found,
                        const char *wrong)
{
    if (found < LONG_OPTION)
        return report_usage(verb->name, "-%c %s: %s", row->short_name, optarg, wrong);
    return report_usage(verb->name, "--%s %s: %s", row->long_name, optarg, wrong);
}

/* "" is what a variable that is not set leaves. */
static bool has_empty_name(const command_options *options)
{
    for (int i = 0; i < options->operand_count; i++)
        if (*options->operands[i] == '\0')
            return true;
    return options->output != NULL && *options->output == '\0';
}

static int check_together(const command_options *options, const command_verb *verb)
{
    int given = options->operand_count + (options->output != NULL);
    if (options->secret_file != NULL && options->secret_descriptor >= 0)
        return report_usage(verb->name, "--secret-file and --secret-fd exclude each other");
    if (options->metadata_text != NULL && options->metadata_file != NULL)
        return report_usage(verb->name, "--metadata and --metadata-file exclude each other");
    if (has_empty_name(options))
        return report_usage(verb->name, "a file name is empty");
    if (given < verb->min_operands)
        return report_usage(verb->name, "too few file names; usage: bloomfilter %s %s", verb->name,
                            verb->synopsis);
    if (verb->max_operands >= 0 && given > verb->max_operands)
        return report_usage(verb->name, "too many file names, from '%s' on",
                            options->operands[options->operand_count - 1]);
    return -1;
}

int options_parse(command_options *options, const command_verb *verb, int argc, char **argv)
{
    getopt_tables tables;
    int found;

    set_defaults(options);
    fill_tables(&tables, verb);
    opterr = 0;
    while ((found = getopt_long(argc, argv, tables.short_options, tables.long_options, NULL)) !=
           -1) {
        const option_row *row = found == '?' || found == ':' ? NULL : find_row(verb, found);
        if (row == NULL)
            return report_refused(verb, found, argv);
        const char *wrong = take_option(options, row, optarg);
        if (wrong != NULL)
            return report_value(verb, row, found, wrong);
        if (options->help) {
            help_print_verb(verb);
            return STATUS_YES;
        }
    }
    options->operands = argv + optind;
    options->operand_count = argc - optind;
    if (options->quiet)
        progress_disable();
    return check_together(options, verb);
}

const char *options_take_operand(command_options *options)
{
    options->operand_count--;
    return *options->operands++;
}

const char *options_take_output(command_options *options)
{
    return options->output != NULL ? options->output : options_take_operand(options);
}

void options_print_help(const command_verb *verb)
{
    for (size_t i = 0; i < OPTION_COUNT; i++) {
        const option_row *row = &option_rows[i];
        char names[40];
        if (!takes(verb, row))
            continue;
        snprintf(names, sizeof names, "%c%c%s --%s%s%s", row->short_name != 0 ? '-' : ' ',
                 row->short_name != 0 ? row->short_name : ' ', row->short_name != 0 ? "," : " ",
                 row->long_name, row->argument != NULL ? " " : "",
                 row->argument != NULL ? row->argument : "");
        printf("  %-24s %s\n", names, row->help);
    }
}
