/* SPDX-License-Identifier: MIT */
/*
 * filter_file.h - opens and saves filters for the verbs, and says what went wrong. All functions
 * return STATUS_YES or, after a report, STATUS_ERROR.
 */
#ifndef TOOLS_FILTER_FILE_H
#define TOOLS_FILTER_FILE_H

#include "posix.h"

#include <bloomfilter.h>

#include "options.h"

/* Reads a filter; "-" is standard input. The secret of `options` was read before. */
int filter_open(bloomfilter **filter, const char *path, const command_options *options);

/* The same, without a report: what the library returned. */
int filter_load(bloomfilter **filter, const char *path, const command_options *options);

/* What a file says in its header, in constant time. */
int filter_peek(const char *path, bloomfilter_info *info);

/* Sees before the work that `path` may be made: it does not exist, or is a file that --force
 * permits to replace. */
int filter_check_output(const char *path, const command_options *options);

/* Saves a new filter, after another look; waits for other writers of a file that it replaces. */
int filter_save_new(const bloomfilter *filter, const char *path, const command_options *options);

/* Sees that a file that is to be changed is a regular one, without opening it: a named pipe would
 * make whoever opens it wait. */
int filter_check_regular(const char *path);

/* Locks a file for a change; *lock is for file_lock_release. With may_be_missing, *lock is -1 when
 * there is no file. */
int filter_lock(const char *path, bool may_be_missing, int *lock);

/* Saves to a file whose lock is held. */
int filter_save(const bloomfilter *filter, const char *path);

/* bloomfilter_get_info with a report. */
int filter_get_info(const bloomfilter *filter, const char *path, bloomfilter_info *info);

#endif
