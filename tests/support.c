/* SPDX-License-Identifier: MIT */
#include "support.h"

#include <dirent.h>
#include <errno.h>
#include <ftw.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const char *data_path(const char *name)
{
    static char path[4096];
    snprintf(path, sizeof path, "%s/%s", TEST_DATA_DIR, name);
    return path;
}

uint8_t *read_path(const char *path, size_t *size)
{
    FILE *file = fopen(path, "rb");
    if (file == NULL)
        fail_msg("cannot open %s: %s", path, strerror(errno));
    assert_int_equal(fseek(file, 0, SEEK_END), 0);
    *size = (size_t)ftell(file);
    rewind(file);
    uint8_t *bytes = malloc(*size + 1);
    assert_non_null(bytes);
    assert_int_equal(fread(bytes, 1, *size, file), *size);
    bytes[*size] = 0;
    fclose(file);
    return bytes;
}

void write_path(const char *path, const void *bytes, size_t size)
{
    FILE *file = fopen(path, "wb");
    if (file == NULL)
        fail_msg("cannot create %s: %s", path, strerror(errno));
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
}

uint8_t *read_data(const char *name, size_t *size)
{
    return read_path(data_path(name), size);
}

/* Splits at commas outside double quotes, which are dropped. Returns how many fields there are. */
static size_t split_fields(char *line, char *fields[MAX_FIELDS])
{
    size_t count = 1;
    int quoted = 0;
    char *to = line;
    fields[0] = line;
    for (char *from = line; *from != '\0'; from++) {
        if (*from == '"') {
            quoted = !quoted;
        } else if (*from == ',' && !quoted) {
            *to++ = '\0';
            assert_true(count < MAX_FIELDS);
            fields[count++] = to;
        } else if (*from != '\r') {
            *to++ = *from;
        }
    }
    *to = '\0';
    return count;
}

size_t for_each_row(const char *name, size_t field_count,
                    void (*row)(char *const fields[], void *context), void *context)
{
    size_t size;
    size_t rows = 0;
    char *text = (char *)read_data(name, &size);
    char *rest = text;
    char *line;
    strsep(&rest, "\n"); /* names of the columns */
    while ((line = strsep(&rest, "\n")) != NULL) {
        char *fields[MAX_FIELDS];
        if (*line == '\0')
            continue;
        assert_int_equal(split_fields(line, fields), field_count);
        row(fields, context);
        rows++;
    }
    free(text);
    return rows;
}

size_t from_hex(const char *hex, uint8_t *bytes, size_t room)
{
    size_t size = strlen(hex) / 2;
    assert_int_equal(strlen(hex) % 2, 0);
    assert_true(size <= room);
    for (size_t i = 0; i < size; i++) {
        char pair[3] = {hex[2 * i], hex[2 * i + 1], '\0'};
        char *end;
        bytes[i] = (uint8_t)strtoul(pair, &end, 16);
        assert_true(*end == '\0');
    }
    return size;
}

size_t for_each_key(const char *list, void (*take)(const void *key, size_t size, void *context),
                    void *context)
{
    char *copy = strdup(list);
    char *rest = copy;
    char *word;
    size_t count = 0;
    int is_hex = 0;
    while ((word = strsep(&rest, " ")) != NULL) {
        uint64_t last;
        if (*word == '\0')
            continue;
        if (strcmp(word, "hex:") == 0) {
            is_hex = 1;
        } else if (is_hex) {
            uint8_t bytes[256];
            take(bytes, from_hex(word, bytes, sizeof bytes), context);
            count++;
        } else if (sscanf(word, "user:0..%" SCNu64, &last) == 1) {
            for (uint64_t i = 0; i <= last; i++, count++) {
                char key[32];
                take(key, (size_t)sprintf(key, "user:%" PRIu64, i), context);
            }
        } else {
            take(word, strlen(word), context);
            count++;
        }
    }
    free(copy);
    return count;
}

void assert_positions(const char *expected, const uint64_t *positions, uint32_t count)
{
    char *end;
    for (uint32_t i = 0; i < count; i++) {
        uint64_t value = strtoull(expected, &end, 10);
        assert_true(end != expected);
        assert_int_equal(positions[i], value);
        expected = end;
    }
    assert_true(*expected == '\0');
}

void add_key(const void *key, size_t size, void *filter)
{
    assert_true(bloomfilter_add(filter, key, size) >= 0);
}

void assert_contains_key(const void *key, size_t size, void *filter)
{
    assert_true(bloomfilter_contains(filter, key, size));
}

void add_numbered(bloomfilter *filter, const char *prefix, uint64_t from, uint64_t to)
{
    for (uint64_t i = from; i < to; i++) {
        char key[256];
        add_key(key, (size_t)sprintf(key, "%s%" PRIu64, prefix, i), filter);
    }
}

void assert_contains_numbered(const bloomfilter *filter, const char *prefix, uint64_t from,
                              uint64_t to)
{
    for (uint64_t i = from; i < to; i++) {
        char key[256];
        assert_true(
            bloomfilter_contains(filter, key, (size_t)sprintf(key, "%s%" PRIu64, prefix, i)));
    }
}

bloomfilter_info info_of(const bloomfilter *filter)
{
    bloomfilter_info info = BLOOMFILTER_INFO_INIT;
    assert_int_equal(bloomfilter_get_info(filter, &info), 0);
    return info;
}

uint8_t *serialized(const bloomfilter *filter, size_t *size)
{
    uint64_t needed;
    assert_int_equal(bloomfilter_serialized_size(filter, &needed), 0);
    uint8_t *bytes = malloc((size_t)needed);
    assert_non_null(bytes);
    assert_int_equal(bloomfilter_serialize(filter, bytes, (size_t)needed), 0);
    *size = (size_t)needed;
    return bytes;
}

bloomfilter *new_filter(uint64_t capacity, double target_fpr)
{
    bloomfilter *filter;
    assert_int_equal(bloomfilter_new(&filter, capacity, target_fpr), 0);
    assert_non_null(filter);
    return filter;
}

bloomfilter *created(const bloomfilter_options *options)
{
    bloomfilter *filter;
    assert_int_equal(bloomfilter_create(&filter, options), 0);
    assert_non_null(filter);
    return filter;
}

bloomfilter *copy_of(const bloomfilter *filter)
{
    bloomfilter *copy;
    assert_int_equal(bloomfilter_copy(&copy, filter), 0);
    assert_non_null(copy);
    return copy;
}

void assert_bytes_are(const bloomfilter *filter, const uint8_t *bytes, size_t size)
{
    size_t actual_size;
    uint8_t *actual = serialized(filter, &actual_size);
    assert_int_equal(actual_size, size);
    assert_memory_equal(actual, bytes, size);
    free(actual);
}

void assert_same_filter(const bloomfilter *a, const bloomfilter *b)
{
    size_t size;
    uint8_t *bytes = serialized(b, &size);
    assert_bytes_are(a, bytes, size);
    free(bytes);
}

void assert_within(double value, double expected, double tolerance)
{
    double difference = value > expected ? value - expected : expected - value;
    double size = expected < 0 ? -expected : expected;
    if (!(difference <= tolerance * size))
        fail_msg("%.17g is not within %g of %.17g", value, tolerance, expected);
}

const char *make_temporary_directory(void)
{
    static char path[4096];
    const char *parent = getenv("TMPDIR");
    snprintf(path, sizeof path, "%s/bloomfilter-test-XXXXXX", parent != NULL ? parent : "/tmp");
    assert_non_null(mkdtemp(path));
    return path;
}

const char *path_in(const char *directory, const char *name)
{
    static char paths[4][4200];
    static unsigned next;
    char *path = paths[next++ % 4];
    snprintf(path, sizeof paths[0], "%s/%s", directory, name);
    return path;
}

static int remove_entry(const char *path, const struct stat *status, int type, struct FTW *walk)
{
    (void)status, (void)type, (void)walk;
    return remove(path);
}

void remove_tree(const char *directory)
{
    nftw(directory, remove_entry, 8, FTW_DEPTH | FTW_PHYS);
}

size_t count_entries(const char *directory)
{
    size_t count = 0;
    DIR *entries = opendir(directory);
    assert_non_null(entries);
    while (readdir(entries) != NULL)
        count++;
    closedir(entries);
    return count - 2;
}

bool exceeds_addresses(uint64_t bit_count)
{
    return SIZE_MAX == UINT32_MAX && bit_count / 8 > PTRDIFF_MAX - (4 << 20);
}
