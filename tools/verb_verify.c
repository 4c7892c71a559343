/* SPDX-License-Identifier: MIT */
#include "verbs.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "escape.h"
#include "filter_file.h"
#include "report.h"
#include "secret.h"
#include "standard_input.h"

/* What SIGBUS says, with the name of the file that is being checked. */
static char unreadable_text[1024];
static size_t unreadable_size;

/* SIGBUS: a page of the mapped file cannot be read, because the disk failed or somebody cut the
 * file short. Nothing can go on from here. */
static void report_unreadable(int signal_number)
{
    ssize_t written = write(STDERR_FILENO, unreadable_text, unreadable_size);
    (void)written;
    (void)signal_number;
    _exit(STATUS_ERROR);
}

static void catch_unreadable(const char *path)
{
    static const char before[] = "bloomfilter: ";
    static const char after[] = ": cannot read: the disk failed, or the file was cut short "
                                "meanwhile\n";
    struct sigaction action = {.sa_handler = report_unreadable};
    size_t room = sizeof unreadable_text - sizeof after;

    strcpy(unreadable_text, before);
    write_escaped(unreadable_text + sizeof before - 1, room - sizeof before, path, strlen(path));
    strcat(unreadable_text, after);
    unreadable_size = strlen(unreadable_text);
    sigaction(SIGBUS, &action, NULL);
}

/* What a code of the library says about the file: bad, or just not to be checked here. */
static int verdict(int code)
{
    return code == BLOOMFILTER_ENOTFILTER || code == BLOOMFILTER_EDAMAGED ? STATUS_NO
                                                                          : STATUS_ERROR;
}

static int verify_file(const char *path, const command_options *options)
{
    if (standard_input_take(path, INPUT_OF_FILTER) != STATUS_YES)
        return STATUS_ERROR;
    report_flush_output(); /* what was found so far, should this file end the process */
    catch_unreadable(path);
    int code = filter_verify(path, options);
    if (code < 0) {
        report_open(path, code, options->shape.secret != NULL);
        return verdict(code);
    }
    if (!options->quiet) {
        print_escaped(stdout, path, strlen(path));
        puts(": fine");
    }
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
