/* SPDX-License-Identifier: MIT */
/*
 * report.h - what the command says when something is wrong: the program, the file, what is wrong
 * and what to do. All of it goes to standard error.
 */
#ifndef TOOLS_REPORT_H
#define TOOLS_REPORT_H

#include "posix.h"

#include <stdbool.h>

/* The exit statuses, the same for every verb (and those of grep). */
enum status {
    STATUS_YES = 0,  /* done; for query: something was selected */
    STATUS_NO = 1,   /* query: nothing was selected; verify: a file is damaged or no filter */
    STATUS_ERROR = 2 /* anything that kept the command from doing what it was asked for */
};

/*
 * Each of these returns STATUS_ERROR, so that a caller can write `return report_...(...)`. Control
 * characters, which a file's name may hold, are escaped.
 */

/* "bloomfilter: SUBJECT: TEXT". */
int report_error(const char *subject, const char *format, ...) PRINTF_LIKE(2, 3);

/* The same for a system call that failed: the text, a colon, and the reason that errno gives. */
int report_errno(const char *subject, const char *format, ...) PRINTF_LIKE(2, 3);

/* The same for a wrong command line, with a pointer to the help of `verb` (NULL: the main help). */
int report_usage(const char *verb, const char *format, ...) PRINTF_LIKE(2, 3);

/*
 * The same for a code that the library returned about the file `subject`: its text and advice. For
 * BLOOMFILTER_EIO, errno must be what the library left.
 */
int report_code(const char *subject, int code);

/* The same for a filter that could not be opened, and for one that could not be saved. */
int report_open(const char *subject, int code, bool secret_given);
int report_save(const char *subject, int code);

/* Not an error, but the user should know. */
void report_warning(const char *subject, const char *format, ...) PRINTF_LIKE(2, 3);

/* Writes out what was printed so far; a failure is reported in the end. */
void report_flush_output(void);

/* Writes out what is left for standard output. Returns `status`, or STATUS_ERROR after saying so
 * when some of it could not be written (a full disk, a closed pipe). */
int report_close_output(int status);

#endif
