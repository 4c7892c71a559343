/* SPDX-License-Identifier: MIT */
/*
 * output_file.h - the files that verbs make: whole or not at all, on the disk when the verb ends,
 * and never over another file unless --force permits it. Both functions return STATUS_YES or, after
 * a report, STATUS_ERROR.
 */
#ifndef TOOLS_OUTPUT_FILE_H
#define TOOLS_OUTPUT_FILE_H

#include "posix.h"

#include <stdbool.h>

#include "new_file.h"

/* Sees before the work that `path` may be made: there is no such file, or a regular one that
 * `force` permits to replace. */
int output_check(const char *path, bool force);

/* Makes the file, after another look. Without `force`, of several processes that make one file at
 * once, one does and the others report that it exists. */
int output_write(const char *path, bool force, file_writer *write, const void *content);

#endif
