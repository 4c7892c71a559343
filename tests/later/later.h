/* SPDX-License-Identifier: MIT */
/*
 * A later release, built for the tests only: the sources of this one, but for the few files of this
 * folder. It writes a later minor version (LATER_MINOR) behind a longer header (LATER_HEADER_SIZE;
 * both come from the build) with
 *
 *   - a compatible-feature bit that this release does not know, in every file;
 *   - fields of its own all over the reserved room;
 *   - a hash scheme and a layout that are new, for those who ask for them;
 *   - an incompatible-feature bit: "who opens this filter must understand its metadata", set when
 *     the metadata begins with LATER_CRITICAL.
 *
 * INDEX.csv tells filters that only such a release makes, in the columns of
 * tests/data/format-1/README.md (the last two are not used).
 */
#ifndef BLOOMFILTER_TESTS_LATER_H
#define BLOOMFILTER_TESTS_LATER_H

enum {
    LATER_HASH = 0x7001,
    LATER_LAYOUT = 0x7002,
    LATER_INCOMPATIBLE_BIT = 0x2,
    LATER_COMPATIBLE_BIT = 0x20,
    LATER_CRITICAL = '!'
};

#endif
