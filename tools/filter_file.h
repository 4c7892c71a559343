/* SPDX-License-Identifier: MIT */
/*
 * filter_file.h - opens and saves filters for the verbs, and says what went wrong. Where nothing
 * else is said, functions return STATUS_YES or, after a report, STATUS_ERROR.
 */
#ifndef TOOLS_FILTER_FILE_H
#define TOOLS_FILTER_FILE_H

#include "posix.h"

#include <bloomfilter.h>
#include <stdbool.h>

#include "options.h"

/* Reads a filter; "-" is standard input. The secret of `options` was read before. */
int filter_open(bloomfilter **filter, const char *path, const command_options *options);

/* Checks every byte of a file. Returns what the library did, without a report. A regular file is
 * mapped: it takes no memory, and a fault of the disk is a SIGBUS. */
int filter_verify(const char *path, const command_options *options);

/* What a file says in its header, in constant time. */
int filter_peek(const char *path, bloomfilter_info *info);

/* Saves a new filter; with --force waits for other writers of a file that it replaces. */
int filter_save_new(const bloomfilter *filter, const char *path, const command_options *options);

/* Sees that a file that is to be changed is a regular one, without opening it: a named pipe would
 * make whoever opens it wait. */
int filter_check_regular(const char *path);

/* Locks a file for a change; *lock is for file_lock_release. With may_be_missing, *lock is -1 when
 * there is no file. */
int filter_lock(const char *path, bool may_be_missing, int *lock);

/* Saves: with `force` to a file whose lock is held, without it to one that must not exist. */
int filter_save(const bloomfilter *filter, const char *path, bool force);

/* bloomfilter_get_info with a report. */
int filter_get_info(const bloomfilter *filter, const char *path, bloomfilter_info *info);

#endif
