/* SPDX-License-Identifier: MIT */
/*
 * This release as the older reader (docs/rollout.md): files that later releases (tests/later) wrote
 * are read with the same answers and become 1.0 files when they are saved again, or are refused
 * with the right code. What a later release does with files of this one is in test_format_files.c,
 * which runs with it too.
 */
#include "support.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "frozen.h"
#include "later/later.h"

/* Of each later release: its program that makes files, and how its files differ from ours. */
static const struct release {
    const char *maker;
    const char *name; /* of the directory with its files */
    uint32_t minor;
    size_t header_size; /* 4096: all that load looks at first; 65536: the most there can be */
} releases[] = {
    {MAKERS "/make-files-later-256", "256", 1, 256},
    {MAKERS "/make-files-later-4096", "4096", 2, 4096},
    {MAKERS "/make-files-later-65536", "65536", 65535, 65536},
};

enum { RELEASES = sizeof releases / sizeof releases[0] };

static const char *const known = "format-1/INDEX.csv"; /* filters that both releases have */
static const char *const new = "../later/INDEX.csv";   /* filters that only later ones have */

static char directory[4096];

static void make_files(const struct release *release, const char *index)
{
    int status;
    pid_t child = fork();
    if (child == 0) {
        execl(release->maker, release->maker, index, path_in(directory, release->name), NULL);
        _exit(127);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
}

static int make_all_files(void **state)
{
    (void)state;
    snprintf(directory, sizeof directory, "%s", make_temporary_directory());
    for (size_t i = 0; i < RELEASES; i++) {
        assert_int_equal(mkdir(path_in(directory, releases[i].name), 0777), 0);
        make_files(&releases[i], known);
        make_files(&releases[i], new);
    }
    return 0;
}

static int remove_all_files(void **state)
{
    (void)state;
    remove_tree(directory);
    return 0;
}

/* ---- A file of a later release, and the row that tells what is in it */

struct later_file {
    const struct release *release;
    const struct frozen *row;
    char path[4300];
    uint8_t *bytes;
    size_t size;
};

typedef void file_check(const struct later_file *file);

static void check_row(const struct frozen *row, void *context)
{
    for (size_t i = 0; i < RELEASES; i++) {
        struct later_file file = {.release = &releases[i], .row = row};
        snprintf(file.path, sizeof file.path, "%s/%s/%s", directory, releases[i].name, row->name);
        file.bytes = read_path(file.path, &file.size);
        (*(file_check **)context)(&file);
        free(file.bytes);
    }
}

static void for_each_file(const char *index, file_check *check)
{
    assert_true(for_each_frozen(index, check_row, &check) >= 8);
}

/* The bytes of the same filter's file as 1.0 writes it. */
static uint8_t *bytes_of_1_0(const struct later_file *file, size_t *size)
{
    char name[300];
    snprintf(name, sizeof name, "format-1/%s", file->row->name);
    return read_data(name, size);
}

/* ---- Every way in */

static int load_it(bloomfilter **out, const struct later_file *file,
                   const bloomfilter_load_options *options)
{
    return bloomfilter_load(out, file->path, options);
}

/* Through a pipe, whose size load cannot know: the header says it, if it is in the first bytes. */
static int load_from_pipe(bloomfilter **out, const struct later_file *file,
                          const bloomfilter_load_options *options)
{
    const char *pipe = path_in(directory, "pipe");
    assert_int_equal(mkfifo(pipe, 0600), 0);
    pid_t child = fork();
    if (child == 0) {
        int end = open(pipe, O_WRONLY);
        for (size_t at = 0; at < file->size;) {
            ssize_t count = write(end, file->bytes + at, file->size - at);
            if (count < 0)
                _exit(1); /* refused before the end: SIGPIPE comes first */
            at += (size_t)count;
        }
        _exit(0);
    }
    int code = bloomfilter_load(out, pipe, options);
    waitpid(child, NULL, 0);
    unlink(pipe);
    return code;
}

static int deserialize_it(bloomfilter **out, const struct later_file *file,
                          const bloomfilter_load_options *options)
{
    return bloomfilter_deserialize(out, file->bytes, file->size, options);
}

static int map_it(bloomfilter **out, const struct later_file *file,
                  const bloomfilter_load_options *options)
{
    return bloomfilter_map(out, file->path, options);
}

static int view_it(bloomfilter **out, const struct later_file *file,
                   const bloomfilter_load_options *options)
{
    return bloomfilter_view(out, file->bytes, file->size, options);
}

static const struct way {
    const char *name;
    int (*open)(bloomfilter **out, const struct later_file *file,
                const bloomfilter_load_options *options);
} ways[] = {{"load", load_it},
            {"load from a pipe", load_from_pipe},
            {"deserialize", deserialize_it},
            {"map", map_it},
            {"view", view_it}};

enum { WAYS = sizeof ways / sizeof ways[0] };

/* ---- What both know */

/* That the later release is one: else all that follows would prove nothing. */
static void check_that_it_is_later(const struct later_file *file)
{
    const uint8_t *bytes = file->bytes;
    const size_t reserved = 168;
    assert_int_equal(bytes[8] | bytes[9] << 8, 1);
    assert_int_equal(bytes[10] | bytes[11] << 8, file->release->minor);
    assert_int_equal(bytes[12] | bytes[13] << 8 | bytes[14] << 16, file->release->header_size);
    assert_int_equal(bytes[28], LATER_COMPATIBLE_BIT);
    for (size_t at = reserved; at < file->release->header_size - 16; at++)
        if (bytes[at] == 0)
            fail_msg("%s: byte %zu of the header is not in use", file->path, at);
}

static void assert_same_info(const struct later_file *file, const bloomfilter *filter,
                             const bloomfilter *of_1_0)
{
    bloomfilter_info a = info_of(filter);
    bloomfilter_info b = info_of(of_1_0);
    assert_int_equal(a.format_minor, file->release->minor);
    assert_int_equal(a.format_major, 1);
    a.format_minor = b.format_minor;
    a.flags &= ~(uint32_t)BLOOMFILTER_FLAG_READ_ONLY;
    a.memory_bytes = b.memory_bytes;
    assert_memory_equal(&a, &b, offsetof(bloomfilter_info, rebuild) + sizeof a.rebuild);
}

static void check_that_it_is_read(const struct later_file *file)
{
    size_t size;
    uint8_t *bytes = bytes_of_1_0(file, &size);
    bloomfilter *of_1_0;
    assert_int_equal(bloomfilter_deserialize(&of_1_0, bytes, size, &file->row->load_options), 0);
    for (size_t i = 0; i < WAYS; i++) {
        bloomfilter *filter;
        int code = ways[i].open(&filter, file, &file->row->load_options);
        if (code != 0)
            fail_msg("%s: %s gives %d", file->path, ways[i].name, code);
        assert_int_equal(bloomfilter_verify(filter), 0);
        assert_same_info(file, filter, of_1_0);
        for_each_key(file->row->keys, assert_contains_key, filter);
        assert_int_equal(count_false_positives(filter), file->row->false_positives);
        assert_int_equal(bloomfilter_compatible(filter, of_1_0), 1);
        assert_bytes_are(filter, bytes, size); /* metadata too */
        bloomfilter_free(filter);
    }
    bloomfilter_free(of_1_0);
    free(bytes);
}

static void check_that_it_is_saved_as_1_0(const struct later_file *file)
{
    size_t size;
    size_t saved_size;
    uint8_t *bytes = bytes_of_1_0(file, &size);
    bloomfilter *filter;
    assert_int_equal(bloomfilter_load(&filter, file->path, &file->row->load_options), 0);
    assert_int_equal(bloomfilter_save(filter, file->path), 0);
    uint8_t *saved_bytes = read_path(file->path, &saved_size);
    write_path(file->path, file->bytes, file->size); /* for the next test */
    assert_int_equal(saved_size, size);
    assert_memory_equal(saved_bytes, bytes, size);
    bloomfilter_free(filter);
    free(saved_bytes);
    free(bytes);
}

/* The whole header, of whatever length, is enough; one byte less is not. */
static void check_peek(const struct later_file *file)
{
    bloomfilter_info info = BLOOMFILTER_INFO_INIT;
    bloomfilter_info info_of_1_0 = BLOOMFILTER_INFO_INIT;
    size_t header_size = file->release->header_size;
    size_t size;
    uint8_t *header = malloc(header_size); /* of its own, so that a read past the end is seen */
    uint8_t *bytes = bytes_of_1_0(file, &size);
    memcpy(header, file->bytes, header_size);
    assert_int_equal(bloomfilter_peek(header, header_size, &info), 0);
    assert_int_equal(bloomfilter_peek(bytes, size, &info_of_1_0), 0);
    assert_int_equal(info.format_minor, file->release->minor);
    assert_int_equal(info.memory_bytes, file->size);
    info.format_minor = 0;
    info.memory_bytes = size;
    assert_memory_equal(&info, &info_of_1_0, offsetof(bloomfilter_info, rebuild) + 4);
    assert_int_equal(bloomfilter_peek(header, header_size - 1, &info), BLOOMFILTER_EDAMAGED);
    free(header);
    free(bytes);
}

/* A filter that came from a later file takes new keys like the one that came from ours. */
static void check_adding(const struct later_file *file)
{
    size_t size;
    uint8_t *bytes = bytes_of_1_0(file, &size);
    bloomfilter *filter;
    bloomfilter *of_1_0;
    assert_int_equal(bloomfilter_load(&filter, file->path, &file->row->load_options), 0);
    assert_int_equal(bloomfilter_deserialize(&of_1_0, bytes, size, &file->row->load_options), 0);
    add_numbered(filter, "new:", 0, 20);
    add_numbered(of_1_0, "new:", 0, 20);
    assert_same_filter(filter, of_1_0);
    assert_int_equal(bloomfilter_union(filter, of_1_0), 0);
    bloomfilter_free(filter);
    bloomfilter_free(of_1_0);
    free(bytes);
}

/* ---- What only the later release knows */

static void assert_refused(const struct later_file *file, const bloomfilter_load_options *options,
                           int expected)
{
    for (size_t i = 0; i < WAYS; i++) {
        bloomfilter *filter = (bloomfilter *)&options;
        int code = ways[i].open(&filter, file, options);
        if (code != expected || filter != NULL)
            fail_msg("%s: %s gives %d, not %d", file->path, ways[i].name, code, expected);
    }
}

static void check_that_it_is_refused(const struct later_file *file)
{
    bloomfilter_info info = BLOOMFILTER_INFO_INIT;
    assert_refused(file, &file->row->load_options, BLOOMFILTER_EUNSUPPORTED);
    assert_int_equal(bloomfilter_peek(file->bytes, file->size, &info), BLOOMFILTER_EUNSUPPORTED);
}

/* Step 7 of docs/format.md, section 8, comes before 10: whoever cannot know that the file is
 * genuine is not told to upgrade. */
static void check_that_the_secret_comes_first(const struct later_file *file)
{
    static const uint8_t other[] = "some other secret";
    bloomfilter_load_options options = BLOOMFILTER_LOAD_OPTIONS_INIT;
    if (file->row->options.secret_size != 0)
        assert_refused(file, NULL, BLOOMFILTER_ESECRET);
    options.secret = other;
    options.secret_size = sizeof other;
    assert_refused(file, &options, BLOOMFILTER_ESECRET);
}

/* Step 9 comes before 10, and a later file that is damaged is damaged. */
static void check_that_damage_is_told(const struct later_file *file)
{
    size_t header_size = file->release->header_size;
    const size_t places[] = {16, 20, 28, 168, header_size - 17, header_size - 1, file->size - 1};
    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
        bool is_new = file->row->metadata[0] == LATER_CRITICAL ||
                      file->row->options.hash == LATER_HASH ||
                      file->row->options.layout == LATER_LAYOUT;
        bloomfilter *filter;
        file->bytes[places[i]] ^= 4;
        int code =
            bloomfilter_deserialize(&filter, file->bytes, file->size, &file->row->load_options);
        file->bytes[places[i]] ^= 4;
        /* Nobody can tell what the body of an unknown feature should be. */
        int expected =
            is_new && places[i] >= header_size ? BLOOMFILTER_EUNSUPPORTED : BLOOMFILTER_EDAMAGED;
        if (code != expected)
            fail_msg("%s, byte %zu: %d, not %d", file->path, places[i], code, expected);
    }
}

static void check_that_a_cut_is_told(const struct later_file *file)
{
    bloomfilter *filter;
    assert_int_equal(
        bloomfilter_deserialize(&filter, file->bytes, file->size - 1, &file->row->load_options),
        BLOOMFILTER_EDAMAGED);
    assert_int_equal(bloomfilter_view(&filter, file->bytes, file->release->header_size - 1,
                                      &file->row->load_options),
                     BLOOMFILTER_EDAMAGED);
}

/* ---- */

static void test_the_later_files_are_later(void **state)
{
    (void)state;
    for_each_file(known, check_that_it_is_later);
    for_each_file(new, check_that_it_is_later);
}

static void test_later_files_are_read_alike(void **state)
{
    (void)state;
    for_each_file(known, check_that_it_is_read);
}

static void test_later_files_are_saved_as_1_0(void **state)
{
    (void)state;
    for_each_file(known, check_that_it_is_saved_as_1_0);
}

static void test_peek_needs_the_whole_header(void **state)
{
    (void)state;
    for_each_file(known, check_peek);
}

static void test_later_files_take_keys(void **state)
{
    (void)state;
    for_each_file(known, check_adding);
}

static void test_new_features_are_refused(void **state)
{
    (void)state;
    for_each_file(new, check_that_it_is_refused);
}

static void test_the_secret_comes_first(void **state)
{
    (void)state;
    for_each_file(known, check_that_the_secret_comes_first);
    for_each_file(new, check_that_the_secret_comes_first);
}

static void test_damage_is_told_from_what_is_new(void **state)
{
    (void)state;
    for_each_file(known, check_that_damage_is_told);
    for_each_file(new, check_that_damage_is_told);
    for_each_file(known, check_that_a_cut_is_told);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_later_files_are_later),
        cmocka_unit_test(test_later_files_are_read_alike),
        cmocka_unit_test(test_later_files_are_saved_as_1_0),
        cmocka_unit_test(test_peek_needs_the_whole_header),
        cmocka_unit_test(test_later_files_take_keys),
        cmocka_unit_test(test_new_features_are_refused),
        cmocka_unit_test(test_the_secret_comes_first),
        cmocka_unit_test(test_damage_is_told_from_what_is_new),
    };
    return cmocka_run_group_tests(tests, make_all_files, remove_all_files);
}
