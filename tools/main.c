/* SPDX-License-Identifier: MIT */
/*
 * The command `bloomfilter`: finds the verb, reads its options, runs it. From here on, read
 * verb_create.c and its neighbours.
 */
#include "posix.h"

#include <bloomfilter.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "help.h"
#include "metadata.h"
#include "options.h"
#include "report.h"
#include "secret.h"
#include "system_files.h"
#include "verbs.h"

const command_verb *const all_verbs[] = {
    &create_verb, &build_verb,   &add_verb,   &query_verb,     &info_verb,
    &verify_verb, &measure_verb, &union_verb, &intersect_verb, &plan_verb,
    &export_verb, &import_verb,  NULL,
};

static const command_verb *find_verb(const char *name)
{
    for (const command_verb *const *verb = all_verbs; *verb != NULL; verb++)
        if (strcmp((*verb)->name, name) == 0)
            return *verb;
    return NULL;
}

static int run_verb(const command_verb *verb, int argc, char **argv)
{
    command_options options;
    int status = options_parse(&options, verb, argc, argv);
    if (status < 0)
        status = verb->run(&options);
    metadata_free(&options);
    secret_wipe();
    return status;
}

static int run_help(const char *name)
{
    const command_verb *verb = name != NULL ? find_verb(name) : NULL;
    if (name != NULL && verb == NULL)
        return report_usage(NULL, "unknown verb '%s'", name);
    if (verb != NULL)
        help_print_verb(verb);
    else
        help_print_main(stdout);
    return STATUS_YES;
}

static int run(int argc, char **argv)
{
    const char *word = argv[1];
    if (word == NULL) {
        help_print_main(stderr);
        return STATUS_ERROR;
    }
    if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0 || strcmp(word, "help") == 0)
        return run_help(argv[2]);
    if (strcmp(word, "--version") == 0) {
        printf("bloomfilter %s\n", bloomfilter_version());
        return STATUS_YES;
    }
    const command_verb *verb = find_verb(word);
    if (verb == NULL && *word == '-')
        return report_usage(NULL, "options follow the verb: bloomfilter VERB %s ...", word);
    if (verb == NULL)
        return report_usage(NULL, "unknown verb '%s'", word);
    return run_verb(verb, argc - 1, argv + 1);
}

int main(int argc, char **argv)
{
    open_standard_descriptors();
    setvbuf(stderr, NULL, _IOLBF, BUFSIZ); /* whole lines, also beside those of other processes */
    ignore_size_signal();
    return report_close_output(run(argc, argv));
}
