/* SPDX-License-Identifier: MIT */
/* names.h - the names of the hash schemes and layouts. */
#ifndef TOOLS_NAMES_H
#define TOOLS_NAMES_H

#include "posix.h"

#include <stdint.h>

/* "blake2b-pair"; "unknown" for an id that has no name here. */
const char *hash_name(uint32_t hash);
const char *layout_name(uint32_t layout);

/* A name or a number. Returns NULL and the id, or what is wrong. */
const char *parse_hash_name(const char *text, uint32_t *hash);
const char *parse_layout_name(const char *text, uint32_t *layout);

#endif
