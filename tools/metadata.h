/* SPDX-License-Identifier: MIT */
/* metadata.h - what is stored with a filter that is made: --metadata and --metadata-file. */
#ifndef TOOLS_METADATA_H
#define TOOLS_METADATA_H

#include "posix.h"

#include <bloomfilter.h>

#include "options.h"

/* Reads the metadata that the options name, before long work. STATUS_YES or, after a report,
 * STATUS_ERROR. */
int metadata_read(command_options *options);

/* Puts it into the filter whose file is `subject`. Returns and reports likewise. */
int metadata_store(bloomfilter *filter, const command_options *options, const char *subject);

/* Frees what was read. */
void metadata_free(command_options *options);

#endif
