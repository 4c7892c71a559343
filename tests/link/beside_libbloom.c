/* SPDX-License-Identifier: MIT */
/*
 * This library and the unrelated libbloom (Debian's libbloom1, or libbloom2 in later releases) in
 * one process: both must answer rightly. With -DOTHER_LIBRARY='"libbloom.so.1"' the other one comes
 * in through dlopen, its names global, else through the linker.
 *
 *     beside_libbloom PATH    where to save
 */
#include <bloomfilter.h>
#include <stdio.h>
#include <string.h>

#ifdef OTHER_LIBRARY
#include <dlfcn.h>
#endif

/* Room for the other library's struct bloom, which differs between its releases: less than 100 bytes. */
union other_filter {
    double alignment;
    unsigned char bytes[512];
};

typedef int other_init(union other_filter *filter, int entries, double error);
typedef int other_key(union other_filter *filter, const void *key, int key_size);
typedef void other_free(union other_filter *filter);

struct other_library {
    other_init *init;
    other_key *add;
    other_key *check;
    other_free *free;
};

#ifdef OTHER_LIBRARY
/* A function's address as dlsym gives it, without the cast that ISO C forbids. */
#define FIND(library, name, target) (*(void **)(&(target)) = dlsym((library), (name)))

static int find_other(struct other_library *other)
{
    void *library = dlopen(OTHER_LIBRARY, RTLD_NOW | RTLD_GLOBAL);

    if (library == NULL)
        return 0;
    FIND(library, "bloom_init", other->init);
    FIND(library, "bloom_add", other->add);
    FIND(library, "bloom_check", other->check);
    FIND(library, "bloom_free", other->free);
    return other->init && other->add && other->check && other->free;
}
#else
other_init bloom_init;
other_key bloom_add;
other_key bloom_check;
other_free bloom_free;

static int find_other(struct other_library *other)
{
    other->init = bloom_init;
    other->add = bloom_add;
    other->check = bloom_check;
    other->free = bloom_free;
    return 1;
}
#endif

static int ours_is_right(const char *path)
{
    bloomfilter *built, *loaded;
    int is_right;

    if (bloomfilter_new(&built, 1000, 1e-6) < 0)
        return 0;
    bloomfilter_add(built, "ours", 4);
    is_right = bloomfilter_save(built, path) == 0 && bloomfilter_load(&loaded, path, NULL) == 0;
    if (is_right) {
        is_right =
            bloomfilter_contains(loaded, "ours", 4) && !bloomfilter_contains(loaded, "theirs", 6);
        bloomfilter_free(loaded);
    }
    bloomfilter_free(built);
    return is_right;
}

int main(int argc, char **argv)
{
    struct other_library other;
    union other_filter theirs;
    int is_right;

    if (argc != 2)
        return 2;
    if (!find_other(&other)) {
        printf("the other library is not there\n");
        return 2;
    }
    memset(&theirs, 0, sizeof theirs);
    if (other.init(&theirs, 1000, 0.000001) != 0)
        return 2;
    other.add(&theirs, "theirs", 6);
    is_right = ours_is_right(argv[1]);
    is_right = is_right && other.check(&theirs, "theirs", 6) == 1;
    is_right = is_right && other.check(&theirs, "ours", 4) == 0;
    other.free(&theirs);
    printf("%s\n", is_right ? "right" : "wrong");
    return is_right ? 0 : 1;
}
