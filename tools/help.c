/* SPDX-License-Identifier: MIT */
#include "help.h"

static const char main_text[] =
    "Bloom filters: sets of keys in a few bits per key, that say \"certainly absent\" or\n"
    "\"possibly present\". A key is a line of a file or of standard input.\n";

static const char main_examples[] =
    "Examples:\n"
    "  bloomfilter build -p 1% words.bloom /usr/share/dict/words\n"
    "      makes a filter of all words, in which 1 of 100 other keys seems present\n"
    "  echo zebra | bloomfilter query words.bloom\n"
    "      prints: zebra\n"
    "  echo zebbra | bloomfilter query -v words.bloom\n"
    "      prints: zebbra (-v: what is certainly absent)\n"
    "  bloomfilter create -n 1M -p 0.1% users.bloom && bloomfilter add users.bloom names.txt\n"
    "      makes an empty filter, then adds keys\n"
    "  bloomfilter info users.bloom\n"
    "      prints size, fill, and the false positive rate now\n"
    "  bloomfilter plan -n 1G -p 1%\n"
    "      prints that such a filter takes 1.1 GiB, and the rate to expect\n";

void help_print_main(FILE *file)
{
    fprintf(file, "Usage: bloomfilter VERB [OPTION...] FILE...\n\n%s\nVerbs:\n", main_text);
    for (const command_verb *const *verb = all_verbs; *verb != NULL; verb++)
        fprintf(file, "  %-10s %s\n", (*verb)->name, (*verb)->summary);
    fprintf(
        file,
        "\n%s\n'bloomfilter VERB --help' or 'bloomfilter help VERB' tells the options of a verb,\n"
        "'bloomfilter --version' the release.\n",
        main_examples);
}

void help_print_verb(const command_verb *verb)
{
    printf("Usage: bloomfilter %s %s\n\n%s\nOptions:\n", verb->name, verb->synopsis, verb->text);
    options_print_help(verb);
    printf("\nExamples:\n%s", verb->examples);
}
