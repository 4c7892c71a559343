/* SPDX-License-Identifier: MIT */
/*
 * Makes the files that an index tells in full (tests/data/format-1/README.md), through the public interface:
 *
 *     make-files INDEX DIRECTORY       INDEX below tests/data: format-1/INDEX.csv
 *
 * With this release it made tests/data/format-1, and makes what a new line of its index asks for.
 * With a later release (tests/later) it makes the same filters as that one would write them.
 */
#include <stdio.h>
#include <stdlib.h>

#include "frozen.h"
#include "support.h"

static void make_file(const struct frozen *row, void *directory)
{
    bloomfilter *filter = make_frozen(row);
    const char *path = path_in(directory, row->name);
    int code = bloomfilter_save(filter, path);
    if (code != 0) {
        fprintf(stderr, "%s: %s\n", path, bloomfilter_strerror(code));
        exit(1);
    }
    bloomfilter_free(filter);
}

int main(int argc, char *argv[])
{
    if (argc != 3) {
        fprintf(stderr, "usage: %s INDEX DIRECTORY\n", argv[0]);
        return 2;
    }
    printf("%zu files\n", for_each_frozen(argv[1], make_file, argv[2]));
    return 0;
}
