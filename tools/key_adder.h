/* SPDX-License-Identifier: MIT */
/* key_adder.h - adds the keys of files to a filter in memory. */
#ifndef TOOLS_KEY_ADDER_H
#define TOOLS_KEY_ADDER_H

#include "posix.h"

#include <bloomfilter.h>

#include "key_files.h"

/* Adds all keys and tells how many. `subject` is the filter's file, for reports. STATUS_YES or
 * STATUS_ERROR: then some keys are added and the filter must not be saved. */
int add_keys(bloomfilter *filter, key_files *files, const char *subject, uint64_t *count);

#endif
