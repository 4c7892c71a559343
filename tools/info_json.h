/* SPDX-License-Identifier: MIT */
/*
 * info_json.h - what info and plan print for programs: the fields of bloomfilter_info by their
 * names, hash_name, layout_name, and for info the file, whether all of it was checked, and its
 * metadata.
 */
#ifndef TOOLS_INFO_JSON_H
#define TOOLS_INFO_JSON_H

#include "posix.h"

#include <bloomfilter.h>
#include <stdbool.h>
#include <stddef.h>

/* What a filter is, as far as it is known. */
typedef struct info_document {
    const bloomfilter_info *info;
    const char *path; /* NULL: a plan, which has no file */
    bool has_content; /* false: only the header was read; what it does not tell is null */
    const void *metadata;
    size_t metadata_size;
} info_document;

/* STATUS_YES, or STATUS_ERROR after a report. */
int print_info_json(const info_document *document);

#endif
