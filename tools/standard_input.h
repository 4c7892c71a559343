/* SPDX-License-Identifier: MIT */
/*
 * standard_input.h - what the name "-" means, and who reads standard input: it can be read once, so
 * it serves one purpose in a run.
 */
#ifndef TOOLS_STANDARD_INPUT_H
#define TOOLS_STANDARD_INPUT_H

#include "posix.h"

#include <stdbool.h>

/* Is it "-", standard input or output? */
bool is_standard_stream(const char *path);

/* The path for reports. */
const char *shown_input(const char *path);

typedef enum input_purpose {
    INPUT_OF_NOTHING,
    INPUT_OF_SECRET,
    INPUT_OF_FILTER,
    INPUT_OF_METADATA,
    INPUT_OF_BITS,
    INPUT_OF_KEYS /* several files of keys may be standard input; it ends in the first */
} input_purpose;

/*
 * Before a file is read: if it is standard input, by the name "-" or another (/dev/stdin), takes
 * that for the purpose. STATUS_YES, or STATUS_ERROR after a report that it was taken before.
 */
int standard_input_take(const char *path, input_purpose purpose);

/* The same for an open descriptor, which may be a copy of standard input. */
int standard_input_take_descriptor(int descriptor, input_purpose purpose);

#endif
