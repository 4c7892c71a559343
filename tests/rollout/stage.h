/* SPDX-License-Identifier: MIT */
/*
 * What the processes of a played rollout share: a mapped file in which each says what it is about
 * to write, before it does, and what it has written, after. So every reader knows exactly which
 * filters it may meet at a path.
 */
#ifndef BLOOMFILTER_TESTS_ROLLOUT_STAGE_H
#define BLOOMFILTER_TESTS_ROLLOUT_STAGE_H

#include <stdatomic.h>
#include <stdint.h>

enum { PATHS = 5, PLAYERS = 8, MAX_SERIAL = 100000 };

/* What is counted, for the figures at the end. */
enum count {
    SAVES,       /* files replaced */
    REBUILDS,    /* of these, from all keys and not from the file that was there */
    LOADS,       /* files loaded */
    COPIES,      /* deserialized */
    MAPS,        /* mapped */
    LATER_FILES, /* files of a later minor version than one's own that were read */
    REFUSALS,    /* new features that a reader of today refused, and went on with its old file */
    KEYS,        /* asked that had been added */
    ABSENT,      /* asked that had not */
    FOUND,       /* of these, found all the same */
    COUNTS
};

/* A filter with this serial is of a kind: its format_minor, and whether it has a new feature. */
struct stage_path {
    _Atomic uint32_t started;  /* serial of the latest save that was begun */
    _Atomic uint32_t finished; /* serial of the latest save that ended */
    _Atomic uint32_t minors[MAX_SERIAL + 1];
    _Atomic uint8_t has_feature[MAX_SERIAL + 1];
};

struct stage_player {
    _Atomic uint32_t must_stop;
    _Atomic uint32_t rounds;
};

struct stage {
    _Atomic uint32_t uses_feature; /* writers that can shall use what is new */
    struct stage_player players[PLAYERS];
    _Atomic uint64_t counts[COUNTS];
    struct stage_path paths[PATHS];
};

#endif
