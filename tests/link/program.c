/* SPDX-License-Identifier: MIT */
/*
 * A user's program in C99: builds, saves, loads and asks a filter.
 *
 *     program PATH    where to save
 */
#include <bloomfilter.h>
#include <stdio.h>
#include <string.h>

int main(int argc, char **argv)
{
    bloomfilter_options options = BLOOMFILTER_OPTIONS_INIT;
    bloomfilter_load_options load_options = BLOOMFILTER_LOAD_OPTIONS_INIT;
    bloomfilter_info info = BLOOMFILTER_INFO_INIT;
    bloomfilter *built, *loaded;
    int is_right;

    if (argc != 2)
        return 2;
    options.capacity = 1000;
    options.target_fpr = 1e-6;
    if (bloomfilter_create(&built, &options) < 0)
        return 2;
    if (bloomfilter_add(built, "alice", 5) != 1 || bloomfilter_save(built, argv[1]) < 0)
        return 2;
    bloomfilter_free(built);

    if (bloomfilter_load(&loaded, argv[1], &load_options) < 0)
        return 2;
    is_right = bloomfilter_contains(loaded, "alice", 5) &&
               !bloomfilter_contains(loaded, "mallory", 7) &&
               bloomfilter_get_info(loaded, &info) == 0 && info.bit_count == 28756;
    bloomfilter_free(loaded);
    printf("%s\n", is_right ? "right" : "wrong");
    return is_right ? 0 : 1;
}
