/* SPDX-License-Identifier: MIT */
/* help.h - what --help prints. */
#ifndef TOOLS_HELP_H
#define TOOLS_HELP_H

#include "posix.h"

#include <stdio.h>

#include "options.h"

/* The verbs, in the order of the help, and NULL. */
extern const command_verb *const all_verbs[];

void help_print_main(FILE *file);
void help_print_verb(const command_verb *verb);

#endif
