/* SPDX-License-Identifier: MIT */
/* output_file.h - writes bytes to a new file, whole or not at all, or to standard output. */
#ifndef TOOLS_OUTPUT_FILE_H
#define TOOLS_OUTPUT_FILE_H

#include "posix.h"

#include <stdbool.h>
#include <stddef.h>

/* Sees before the work that `path` may be written: "-", no file yet, a pipe or device, or a file
 * that `force` permits to replace. STATUS_YES or STATUS_ERROR. */
int output_check(const char *path, bool force);

/* Writes the file, after another look. A file that is replaced is whole at any time, old or new. */
int output_write(const char *path, bool force, const void *bytes, size_t size);

#endif
