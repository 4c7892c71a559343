/* SPDX-License-Identifier: MIT */
#include "report.h"

#include <bloomfilter.h>

#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "escape.h"
#include "progress.h"

/* What to do about a code of the library. */
static const struct {
    int code;
    const char *advice;
} code_advice[] = {
    {BLOOMFILTER_EINVAL, "Check the options against --help."},
    {BLOOMFILTER_ENOMEM, "Use a smaller filter or a machine with more memory."},
    {BLOOMFILTER_ENOTFILTER, "Is it the right file? Was it sent through a text-mode transfer?"},
    {BLOOMFILTER_EDAMAGED, "Was it cut short or altered on the way? Fetch it or build it again."},
    {BLOOMFILTER_ENEWER, "A newer release of bloomfilter can read it."},
    {BLOOMFILTER_EUNSUPPORTED, "A newer release of bloomfilter may know it."},
    {BLOOMFILTER_ESECRET,
     "It was made with a secret: give that by --secret-file FILE or --secret-fd N."},
    {BLOOMFILTER_EINCOMPATIBLE, "Only filters made with the same -m, -k, --hash, --layout, --seed "
                                "and secret can be combined."},
    {BLOOMFILTER_ETOOLARGE, "Use a smaller -n or a larger -p."},
    {BLOOMFILTER_ESELFTEST, "Another library in this process shadows libb2 or libxxhash (look at "
                            "LD_PRELOAD and LD_LIBRARY_PATH), or the processor is at fault."},
};

/* What to say of an errno that a filter file gave, while it was read and while it was saved. */
typedef struct errno_row {
    int number;
    const char *text; /* NULL: the system's */
    const char *advice;
} errno_row;

static const errno_row read_errors[] = {
    {ENOENT, NULL, "Check the name; 'bloomfilter create' and 'bloomfilter build' make filters."},
    {EISDIR, NULL, "Give the name of a file in it."},
    {ENODEV, "not a regular file", "Give the name of a filter file."},
    {0, NULL, ""},
};

static const errno_row save_errors[] = {
    {ENOENT, NULL, "Make the directory first."},
    {EACCES, NULL, "Its directory must be one that you may write to."},
    {EROFS, NULL, "Give the name of a file elsewhere."},
    {ENOSPC, NULL, "Make room and try again."},
    {EDQUOT, NULL, "Make room and try again."},
    {EFBIG, NULL, "Raise the limit ('ulimit -f'), or give the name of a file elsewhere."},
    {EISDIR, NULL, "Give the name of a file in it."},
    {EEXIST, "not a regular file", "Give another name."},
    {0, NULL, ""},
};

static const char *advice_for_code(int code)
{
    for (size_t i = 0; i < sizeof code_advice / sizeof code_advice[0]; i++)
        if (code_advice[i].code == code)
            return code_advice[i].advice;
    return "";
}

static const errno_row *find_errno(const errno_row *row, int number)
{
    while (row->number != 0 && row->number != number)
        row++;
    return row;
}

/* Why standard output could not be written, when that was found out before the end. */
static int output_errno;

/* What was printed so far comes before what is reported now. */
void report_flush_output(void)
{
    if (fflush(stdout) != 0 && output_errno == 0)
        output_errno = errno;
}

/* Reports name files, and the name of a file can hold anything. */
static void print_escaped_format(const char *format, va_list values)
{
    char few[1024];
    va_list again;
    va_copy(again, values);
    int size = vsnprintf(few, sizeof few, format, values);
    char *text = size >= (int)sizeof few ? malloc((size_t)size + 1) : NULL;
    if (text != NULL)
        vsnprintf(text, (size_t)size + 1, format, again);
    va_end(again);
    const char *shown = text != NULL ? text : few;
    print_escaped(stderr, shown, strlen(shown));
    free(text);
}

/* The part that all reports share: "bloomfilter: [warning: ]SUBJECT: TEXT", no newline. */
static void print_report(const char *kind, const char *subject, const char *format, va_list values)
{
    progress_clear();
    report_flush_output();
    fprintf(stderr, "bloomfilter: ");
    if (subject != NULL) {
        print_escaped(stderr, subject, strlen(subject));
        fputs(": ", stderr);
    }
    fputs(kind, stderr);
    print_escaped_format(format, values);
}

int report_error(const char *subject, const char *format, ...)
{
    va_list values;
    va_start(values, format);
    print_report("", subject, format, values);
    va_end(values);
    fputc('\n', stderr);
    return STATUS_ERROR;
}

int report_errno(const char *subject, const char *format, ...)
{
    int number = errno;
    va_list values;
    va_start(values, format);
    print_report("", subject, format, values);
    va_end(values);
    fprintf(stderr, ": %s\n", strerror(number));
    return STATUS_ERROR;
}

int report_usage(const char *verb, const char *format, ...)
{
    va_list values;
    va_start(values, format);
    print_report("", verb, format, values);
    va_end(values);
    fprintf(stderr, "\nTry 'bloomfilter %s%s--help'.\n", verb != NULL ? verb : "",
            verb != NULL ? " " : "");
    return STATUS_ERROR;
}

static int report_with_advice(const char *subject, const char *doing, const char *text,
                              const char *advice)
{
    return report_error(subject, "%s%s%s%s", doing, text, *advice != '\0' ? ". " : "", advice);
}

static int report_system(const char *subject, const char *doing, const errno_row *rows)
{
    const errno_row *row = find_errno(rows, errno);
    return report_with_advice(subject, doing, row->text != NULL ? row->text : strerror(errno),
                              row->advice);
}

int report_code(const char *subject, int code)
{
    if (code == BLOOMFILTER_EIO)
        return report_system(subject, "", read_errors);
    return report_with_advice(subject, "", bloomfilter_strerror(code), advice_for_code(code));
}

int report_open(const char *subject, int code, bool secret_given)
{
    if (code == BLOOMFILTER_ESECRET && secret_given)
        return report_with_advice(subject, "", bloomfilter_strerror(code),
                                  "Give the secret that it was made with, or none if it was made "
                                  "without.");
    return report_code(subject, code);
}

int report_save(const char *subject, int code)
{
    if (code == BLOOMFILTER_EIO)
        return report_system(subject, "cannot save: ", save_errors);
    return report_code(subject, code);
}

void report_warning(const char *subject, const char *format, ...)
{
    va_list values;
    va_start(values, format);
    print_report("warning: ", subject, format, values);
    va_end(values);
    fputc('\n', stderr);
}

int report_close_output(int status)
{
    report_flush_output();
    int failed_before = ferror(stdout); /* perhaps in a printf, with an errno long gone */
    if (fclose(stdout) != 0 && output_errno == 0)
        output_errno = errno; /* some file systems tell only now */
    if (status == STATUS_ERROR || (!failed_before && output_errno == 0))
        return status; /* an error was said already */
    errno = output_errno;
    if (errno != 0)
        return report_errno("standard output", "cannot write");
    return report_error("standard output", "cannot write");
}
