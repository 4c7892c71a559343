/* SPDX-License-Identifier: MIT */
#include "verbs.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "filter_file.h"
#include "key_files.h"
#include "line_writer.h"
#include "progress.h"
#include "report.h"
#include "secret.h"
#include "standard_input.h"

typedef struct query_run {
    const bloomfilter *filter;
    const command_options *options;
    uint64_t selected;
    int write_error; /* errno of a write to standard output that failed; 0: none did */
    int code;        /* what bloomfilter_contains_many returned */
    line_writer writer;
} query_run;

static bool stop_writing(query_run *query)
{
    query->write_error = errno;
    return false;
}

/* Each batch is written out at once, so that whoever waits for the answers at the other end of a
 * pipe gets them. */
static bool answer_batch(void *context, const key_batch *batch)
{
    uint8_t found[KEY_BATCH_ROOM];
    query_run *query = context;
    const command_options *options = query->options;
    bool silent = options->quiet || options->count_only;

    query->code = bloomfilter_contains_many(query->filter, batch->count, batch->keys,
                                            batch->key_sizes, found);
    if (query->code < 0)
        return false;
    for (size_t i = 0; i < batch->count; i++) {
        if ((found[i] != 0) == options->invert_match)
            continue;
        query->selected++;
        if (options->quiet)
            return false;
        if (!silent && line_writer_put(&query->writer, batch->lines[i], batch->line_sizes[i]) < 0)
            return stop_writing(query);
    }
    return line_writer_flush(&query->writer) == 0 || stop_writing(query);
}

/* A progress line would run into the answers on a terminal, and on that of whoever reads them from
 * a pipe. */
static bool output_is_quiet(void)
{
    struct stat status;
    return fstat(STDOUT_FILENO, &status) == 0 && !S_ISFIFO(status.st_mode) &&
           !S_ISSOCK(status.st_mode) && !isatty(STDOUT_FILENO);
}

static int run_query_on(const bloomfilter *filter, const char *path, const command_options *options)
{
    query_run query = {.filter = filter, .options = options};
    key_files files;

    query.writer.separator = options->null_separated ? '\0' : '\n';
    if (!options->count_only && !output_is_quiet())
        progress_disable();
    if (key_files_open(&files, options, options->operands, options->operand_count) < 0)
        return STATUS_ERROR;
    int status = key_files_read(&files, "asking", answer_batch, &query, true);
    key_files_close(&files);
    if (query.code < 0)
        return report_code(path, query.code);
    errno = query.write_error;
    if (query.write_error != 0)
        return report_errno("standard output", "cannot write");
    if (options->count_only && !options->quiet)
        printf("%" PRIu64 "\n", query.selected);
    if (options->quiet && query.selected > 0)
        return STATUS_YES; /* the answer is sure, whatever another file would have added */
    if (status != STATUS_YES)
        return status;
    return query.selected > 0 ? STATUS_YES : STATUS_NO;
}

static bool keys_come_from_standard_input(const command_options *options)
{
    for (int i = 0; i < options->operand_count; i++)
        if (is_standard_stream(options->operands[i]))
            return true;
    return options->operand_count == 0;
}

static int run_query(command_options *options)
{
    const char *path = options_take_operand(options);
    bloomfilter *filter;

    if (is_standard_stream(path) && keys_come_from_standard_input(options))
        return report_usage("query", "the filter comes from standard input, so the keys must come "
                                     "from files");
    if (secret_read(options) < 0 || filter_open(&filter, path, options) != STATUS_YES)
        return STATUS_ERROR;
    int status = run_query_on(filter, path, options);
    bloomfilter_free(filter);
    return status;
}

const command_verb query_verb = {
    .name = "query",
    .summary = "print the keys that are possibly in a filter, or certainly not",
    .synopsis = "[-v] [-c] [-q] [OPTION...] FILE [KEYFILE...]",
    .text = "Prints the lines of the KEYFILEs (or of standard input) that are possibly in the\n"
            "filter, as they were read; with -v, those that are certainly absent. Like grep, it\n"
            "exits with 0 if some line was selected, 1 if none, 2 after an error. After an error\n"
            "a key is not absent: where it matters, ask with -v whether it certainly is.\n",
    .examples = "  echo alice | bloomfilter query users.bloom           prints: alice\n"
                "  bloomfilter query -v users.bloom names.txt           the new names\n"
                "  bloomfilter query -c users.bloom names.txt           prints: 57\n"
                "  echo bob | bloomfilter query -qv users.bloom || look_up bob\n"
                "      looks up all but what is certainly absent, after an error too\n",
    .option_ids = "vcqFD0Xh",
    .min_operands = 1,
    .max_operands = -1,
    .run = run_query,
};
