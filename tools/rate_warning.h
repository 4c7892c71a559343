/* SPDX-License-Identifier: MIT */
/* rate_warning.h - warns where the false positive rate is not, or will not be, what was asked. */
#ifndef TOOLS_RATE_WARNING_H
#define TOOLS_RATE_WARNING_H

#include "posix.h"

#include <bloomfilter.h>
#include <stdbool.h>

/* A rate misses its target when it is more than this many times as large. */
#define RATE_TOLERANCE 1.1

/*
 * Before a filter of this shape is made: warns when it will miss the target that was asked for, if
 * one was, and says why and what would not. No advice with `advise` false: for a shape that cannot
 * be chosen. `planned` is what bloomfilter_plan made of the shape.
 */
void rate_warn_of_plan(const char *subject, const bloomfilter_options *shape,
                       const bloomfilter_info *planned, bool advise);

/* Warns where a split-block filter of this shape would be much larger than a flat one, for nothing. */
void size_warn_of_plan(const char *subject, const bloomfilter_options *shape,
                       const bloomfilter_info *planned);

/* After keys were added: warns when info->rebuild says so, and tells what to do. */
void rate_warn_of_rebuild(const char *subject, const bloomfilter_info *info);

#endif
