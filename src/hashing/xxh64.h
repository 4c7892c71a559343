/* SPDX-License-Identifier: MIT */
#ifndef BLOOMFILTER_HASHING_XXH64_H
#define BLOOMFILTER_HASHING_XXH64_H

#include "hashing/hashing.h"

/* Whether libxxhash gives the published answers. */
bool bloomfilter_xxh64_is_right(void);

#endif
