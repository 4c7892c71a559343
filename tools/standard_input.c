/* SPDX-License-Identifier: MIT */
#include "standard_input.h"

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "report.h"

static const char *const purpose_names[] = {
    [INPUT_OF_NOTHING] = "",          [INPUT_OF_SECRET] = "the secret",
    [INPUT_OF_FILTER] = "the filter", [INPUT_OF_METADATA] = "the metadata",
    [INPUT_OF_BITS] = "the bits",     [INPUT_OF_KEYS] = "the keys",
};

static input_purpose taken_for;

bool is_standard_stream(const char *path)
{
    return strcmp(path, "-") == 0;
}

const char *shown_input(const char *path)
{
    return is_standard_stream(path) ? "standard input" : path;
}

static int take(input_purpose purpose)
{
    if (taken_for != INPUT_OF_NOTHING && !(taken_for == purpose && purpose == INPUT_OF_KEYS))
        return report_error("standard input",
                            "it was read for %s already, and cannot be read "
                            "again for %s. Name a file",
                            purpose_names[taken_for], purpose_names[purpose]);
    taken_for = purpose;
    return STATUS_YES;
}

/* A device such as /dev/null can be read by many, a terminal cannot. */
static bool can_be_read_once(const struct stat *status)
{
    return S_ISFIFO(status->st_mode) || S_ISSOCK(status->st_mode) || isatty(STDIN_FILENO);
}

static bool is_standard_input(const struct stat *status)
{
    struct stat input;
    return fstat(STDIN_FILENO, &input) == 0 && input.st_dev == status->st_dev &&
           input.st_ino == status->st_ino;
}

int standard_input_take(const char *path, input_purpose purpose)
{
    struct stat status;
    if (is_standard_stream(path))
        return take(purpose);
    if (stat(path, &status) < 0 || !is_standard_input(&status) || !can_be_read_once(&status))
        return STATUS_YES;
    return take(purpose);
}

int standard_input_take_descriptor(int descriptor, input_purpose purpose)
{
    struct stat status;
    if (fstat(descriptor, &status) < 0 || !is_standard_input(&status))
        return STATUS_YES;
    if (!can_be_read_once(&status) && !S_ISREG(status.st_mode))
        return STATUS_YES;
    return take(purpose);
}
