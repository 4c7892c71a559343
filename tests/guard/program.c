/* SPDX-License-Identifier: MIT */
/*
 * guard FILE EXPECTED: tries every way to a filter; each must give EXPECTED, a number. FILE is a
 * filter file that is fine.
 */
#include <bloomfilter.h>
#include <stdio.h>
#include <stdlib.h>

static int failures;

static void expect(const char *what, int expected, int code, bloomfilter *filter)
{
    if (code != expected || (filter != NULL) != (code == 0)) {
        fprintf(stderr, "%s gives %d, not %d\n", what, code, expected);
        failures++;
    }
    bloomfilter_free(filter);
}

int main(int argc, char **argv)
{
    static unsigned char bytes[4096];
    bloomfilter_options options = BLOOMFILTER_OPTIONS_INIT;
    bloomfilter_info info = BLOOMFILTER_INFO_INIT;
    bloomfilter *filter;
    FILE *file;
    size_t size;
    int expected;

    if (argc != 3 || (file = fopen(argv[1], "rb")) == NULL)
        return 2;
    size = fread(bytes, 1, sizeof bytes, file);
    fclose(file);
    expected = atoi(argv[2]);

    int code = bloomfilter_new(&filter, 1000, 0.01);
    expect("new", expected, code, filter);
    options.capacity = 1000;
    options.target_fpr = 0.01;
    options.hash = BLOOMFILTER_HASH_MURMUR3_TWEAK; /* its files have BLAKE2b digests too */
    code = bloomfilter_create(&filter, &options);
    expect("create", expected, code, filter);
    code = bloomfilter_load(&filter, argv[1], NULL);
    expect("load", expected, code, filter);
    code = bloomfilter_map(&filter, argv[1], NULL);
    expect("map", expected, code, filter);
    code = bloomfilter_view(&filter, bytes, size, NULL);
    expect("view", expected, code, filter);
    code = bloomfilter_deserialize(&filter, bytes, size, NULL);
    expect("deserialize", expected, code, filter);
    if (bloomfilter_peek(bytes, size, &info) != expected) {
        fprintf(stderr, "peek does not give %d\n", expected);
        failures++;
    }
    return failures != 0;
}
