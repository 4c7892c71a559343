/* SPDX-License-Identifier: MIT */
/*
 * escape.h - bytes of others (file names, metadata) as text that cannot upset a terminal: what is
 * not a printable character is \n, \t, \\ or \xHH.
 */
#ifndef TOOLS_ESCAPE_H
#define TOOLS_ESCAPE_H

#include "posix.h"

#include <stddef.h>
#include <stdio.h>

void print_escaped(FILE *file, const void *bytes, size_t size);

/* Writes as many whole characters to `text` as `room` bytes hold, and a NUL. Returns the length. */
size_t write_escaped(char *text, size_t room, const void *bytes, size_t size);

#endif
