/* SPDX-License-Identifier: MIT */
/*
 * key_files.h - the files that keys come from: reads them block by block, once, or twice where
 * they must be counted first.
 */
#ifndef TOOLS_KEY_FILES_H
#define TOOLS_KEY_FILES_H

#include "posix.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "keys.h"
#include "options.h"

typedef struct key_file {
    const char *name; /* "-": standard input */
    int descriptor;   /* what to read in the second pass; -1: open it by name */
    off_t start;      /* where in the descriptor it begins */
} key_file;

typedef struct key_files {
    key_file *files;
    int count;
    char separator;
    bool hex;
} key_files;

/* The key files of a command line: `names`, or standard input if there are none. 0, or -1 after a
 * report. */
int key_files_open(key_files *files, const command_options *options, char *const names[],
                   int count);
void key_files_close(key_files *files);

/* The last pass: gives all keys to `sink`. Returns STATUS_YES, also when the sink stopped it, or
 * STATUS_ERROR after a report: at once, or with keep_going after the other files. */
int key_files_read(key_files *files, const char *doing, key_sink *sink, void *context,
                   bool keep_going);

/* A pass before it, that counts the keys. What can be read only once (a pipe) is copied to a
 * temporary file that has no name. Returns and reports like key_files_read. */
int key_files_count(key_files *files, uint64_t *count);

#endif
