/* SPDX-License-Identifier: MIT */
/*
 * options.h - the command line. All verbs share one table of options, so that an option means the
 * same and reads the same everywhere; a verb names those that it takes.
 */
#ifndef TOOLS_OPTIONS_H
#define TOOLS_OPTIONS_H

#include "posix.h"

#include <bloomfilter.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What a command line said. A text is NULL and a flag false where it said nothing. */
typedef struct command_options {
    bloomfilter_options shape; /* -n -p -m -k --hash --seed; the secret once it was read */
    uint64_t probes;           /* measure */
    uint64_t probe_seed;
    bool record;
    bool raw; /* export, import */
    uint64_t insert_count;
    const char *output; /* the file to make, in place of an operand */
    bool force;
    const char *secret_file;
    int secret_descriptor; /* -1: none */
    const char *metadata_text;
    const char *metadata_file;
    void *metadata; /* what the file holds, once it was read */
    size_t metadata_size;
    bool null_separated; /* how keys are written */
    bool hex;
    bool invert_match; /* query */
    bool count_only;
    bool json; /* info, plan */
    bool header_only;
    bool print_metadata;
    bool quiet;
    bool help;
    char **operands;
    int operand_count;
} command_options;

/* A verb of the command. */
typedef struct command_verb {
    const char *name;
    const char *summary;  /* for the list of verbs */
    const char *synopsis; /* what follows "bloomfilter NAME " */
    const char *text;     /* a paragraph or two for its help */
    const char *examples;
    const char *option_ids; /* the options that it takes, by the ids in options.c */
    int min_operands;       /* an --output counts as one */
    int max_operands;       /* -1: any number */
    int (*run)(command_options *options);
} command_verb;

/*
 * Reads the command line of `verb`; argv[0] is its name. Returns -1 to go on, or the exit status:
 * after --help, or after the report of an error.
 */
int options_parse(command_options *options, const command_verb *verb, int argc, char **argv);

/* Takes the first operand off: the file that is made. It is --output if that was given. */
const char *options_take_output(command_options *options);
/* Takes the next operand off. */
const char *options_take_operand(command_options *options);

/* Prints the lines of the help that describe the options of `verb`. */
void options_print_help(const command_verb *verb);

#endif
