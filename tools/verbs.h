/* SPDX-License-Identifier: MIT */
/* verbs.h - the verbs of the command; each is in verb_NAME.c. */
#ifndef TOOLS_VERBS_H
#define TOOLS_VERBS_H

#include "posix.h"

#include "options.h"

extern const command_verb create_verb;
extern const command_verb build_verb;
extern const command_verb add_verb;
extern const command_verb query_verb;
extern const command_verb info_verb;
extern const command_verb verify_verb;
extern const command_verb measure_verb;
extern const command_verb union_verb;
extern const command_verb intersect_verb;
extern const command_verb plan_verb;
extern const command_verb export_verb;
extern const command_verb import_verb;

#endif
