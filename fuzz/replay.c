/* SPDX-License-Identifier: MIT */
/* Runs a fuzz target over files and folders: the corpus in ordinary tests, or one crash. */
#include "fuzz.h"

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

static unsigned long files_run;

static int run_file(const char *path, const struct stat *status, int type, struct FTW *walk)
{
    (void)walk;
    if (type != FTW_F)
        return 0;
    size_t size = (size_t)status->st_size;
    FILE *file = fopen(path, "rb");
    uint8_t *bytes = malloc(size); /* exactly as large: a read past the end is seen */
    if (file == NULL || (bytes == NULL && size != 0) || fread(bytes, 1, size, file) != size) {
        fprintf(stderr, "%s: cannot read\n", path);
        exit(2);
    }
    fclose(file);
    LLVMFuzzerTestOneInput(bytes, size);
    free(bytes);
    files_run++;
    return 0;
}

int main(int argc, char **argv)
{
    for (int i = 1; i < argc; i++)
        if (nftw(argv[i], run_file, 16, FTW_PHYS) != 0) {
            perror(argv[i]);
            return 2;
        }
    printf("%lu files run\n", files_run);
    return files_run == 0;
}
