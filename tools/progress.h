/* SPDX-License-Identifier: MIT */
/*
 * progress.h - one line on standard error that tells how far long work has come. It is shown only
 * on a terminal, only after half a second, and is wiped when the work ends. There is one for the
 * process, as there is one terminal.
 */
#ifndef TOOLS_PROGRESS_H
#define TOOLS_PROGRESS_H

#include "posix.h"

#include <stdint.h>

/* No progress line from now on. */
void progress_disable(void);

/* Work that is done piece by piece: a bar. total_bytes 0: nobody knows, so no percentage. */
void progress_begin(const char *doing, uint64_t total_bytes);
void progress_advance(uint64_t bytes, uint64_t keys);

/* Work that is one call of the library: the seconds tick, by SIGALRM. */
void progress_begin_call(const char *doing, const char *subject);

/* Ends either. Leaves errno as it was. */
void progress_end(void);

/* Wipes the line so that something else can be written; it comes back with the next advance. */
void progress_clear(void);

#endif
