/* SPDX-License-Identifier: MIT */
/*
 * secret.h - the secret of a keyed filter. It comes from a file or a file descriptor and never
 * from the command line, which every process can read.
 */
#ifndef TOOLS_SECRET_H
#define TOOLS_SECRET_H

#include "posix.h"

#include "options.h"

/*
 * Reads the secret that the options name and puts it into options->shape.secret; does nothing if
 * they name none. The bytes are taken as they are: a newline at the end is one of them. 0, or -1
 * after a report.
 */
int secret_read(command_options *options);

/* The secret in the form that opens a filter. */
bloomfilter_load_options secret_load_options(const command_options *options);

/* Wipes the secret from memory. */
void secret_wipe(void);

#endif
