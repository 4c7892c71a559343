/* SPDX-License-Identifier: MIT */
/* filter_shape.h - what the verbs that make a filter share: the plan, the warning, the filter. */
#ifndef TOOLS_FILTER_SHAPE_H
#define TOOLS_FILTER_SHAPE_H

#include "posix.h"

#include <bloomfilter.h>
#include <stdbool.h>

#include "options.h"

/* Says so when -n and -p, or -m and -k, are missing. STATUS_YES or STATUS_ERROR. */
int shape_check_given(const command_options *options, const char *verb, bool needs_capacity);

/* bloomfilter_plan with a report. */
int shape_plan(const command_options *options, const char *subject, bloomfilter_info *planned);

/* Makes the empty filter that the options describe, with the metadata that was read, after a warning
 * if it will miss its target. With `advise` false the warning gives no advice. */
int shape_create(bloomfilter **filter, const command_options *options, const char *subject,
                 bool advise);

#endif
