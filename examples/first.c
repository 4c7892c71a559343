/* SPDX-License-Identifier: MIT */
/*
 * The first program: a filter is built, saved, loaded and asked.
 *
 *     cc first.c -lbloom -o first && ./first
 */
#include <bloomfilter.h>
#include <stdio.h>
#include <string.h>

static int fail(const char *what, int code)
{
    fprintf(stderr, "%s: %s\n", what, bloomfilter_strerror(code));
    return 1;
}

static void ask(const bloomfilter *filter, const char *name)
{
    if (bloomfilter_contains(filter, name, strlen(name)))
        printf("%s: possibly present, look it up\n", name);
    else
        printf("%s: certainly absent, no look-up needed\n", name);
}

/* Builds a filter for a million names, of which one in a hundred absent ones may pass. */
static int build(const char *path)
{
    bloomfilter *filter;
    int code = bloomfilter_new(&filter, 1000000, 0.01);

    if (code < 0)
        return fail("cannot create a filter", code);
    bloomfilter_add(filter, "alice", 5);
    bloomfilter_add(filter, "bob", 3);
    code = bloomfilter_save(filter, path);
    bloomfilter_free(filter);
    return code < 0 ? fail(path, code) : 0;
}

int main(void)
{
    const char *path = "users.bloom";
    bloomfilter *filter;
    int code;

    if (build(path) != 0)
        return 1;
    code = bloomfilter_load(&filter, path, NULL);
    if (code < 0)
        return fail(path, code);
    ask(filter, "alice");
    ask(filter, "mallory");
    bloomfilter_free(filter);
    return 0;
}
