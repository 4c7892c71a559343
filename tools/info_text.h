/* SPDX-License-Identifier: MIT */
/* info_text.h - what info, plan and measure print for people. */
#ifndef TOOLS_INFO_TEXT_H
#define TOOLS_INFO_TEXT_H

#include "posix.h"

#include <bloomfilter.h>
#include <stdbool.h>
#include <stddef.h>

/* "LABEL            0.01003 (1 in 99.7)". */
void print_rate(const char *label, double rate);

/* All of a filter; with header_only, without what only its content can tell. */
void print_info(const char *path, const bloomfilter_info *info, bool header_only);

/* "metadata         TEXT (N bytes)", with escapes for what could upset a terminal. */
void print_metadata(const void *bytes, size_t size);

/* What a filter would be. */
void print_plan(const bloomfilter_info *info);

#endif
