/* SPDX-License-Identifier: MIT */
/*
 * What tells this release's files from those of another minor version. Apart from everything else,
 * because the tests also build a release of the future (tests/later), which has another one.
 */
#ifndef BLOOMFILTER_SERIALIZER_RELEASE_H
#define BLOOMFILTER_SERIALIZER_RELEASE_H

enum {
    FORMAT_MINOR = 0,
    HEADER_SIZE = 192 /* of a header that this release writes; that of a file may be longer */
};

/* The incompatible-feature bits that this release can read. */
#define INCOMPATIBLE_KNOWN INCOMPATIBLE_KEYED

#endif
