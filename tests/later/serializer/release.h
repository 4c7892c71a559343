/* SPDX-License-Identifier: MIT */
/* In place of src/serializer/release.h: see tests/later/later.h. */
#ifndef BLOOMFILTER_SERIALIZER_RELEASE_H
#define BLOOMFILTER_SERIALIZER_RELEASE_H

#include "later.h"

enum { FORMAT_MINOR = LATER_MINOR, HEADER_SIZE = LATER_HEADER_SIZE };

#define INCOMPATIBLE_KNOWN (INCOMPATIBLE_KEYED | LATER_INCOMPATIBLE_BIT)

#endif
