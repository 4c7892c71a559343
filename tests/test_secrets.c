/* SPDX-License-Identifier: MIT */
/*
 * The secret: after free it is nowhere on the heap, in mapped memory or in the data of any library.
 * The stack is left out: there libb2, and the dynamic linker when it first binds a function, save
 * registers that the library cannot wipe. Nor is it in a file, or in a text.
 */
#include "support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/blake2b.h"
#include "support/secret.h"

enum { SECRET_SIZE = 32 };

/* Made anew for each use and wiped after it, so that the only copies left are the library's. */
static void make_secret(uint8_t secret[SECRET_SIZE])
{
    for (int i = 0; i < SECRET_SIZE; i++)
        secret[i] = (uint8_t)(0xA5 ^ (i * 41 + 7));
}

static bool is_secret(const uint8_t *bytes)
{
    for (int i = 0; i < SECRET_SIZE; i++)
        if (bytes[i] != (uint8_t)(0xA5 ^ (i * 41 + 7)))
            return false;
    return true;
}

/* A mapping is scanned where the process can write and no file or device is behind it. */
static bool is_scanned(const char *permissions, const char *name)
{
    return permissions[0] == 'r' && permissions[1] == 'w' &&
           (name[0] == '\0' || strcmp(name, "[heap]") == 0 || name[0] == '/');
}

/* How often the secret is in this process's writable memory; the places are told on stderr. */
static size_t count_secrets(void)
{
    char line[4400];
    size_t count = 0;
    FILE *maps = fopen("/proc/self/maps", "r");
    assert_non_null(maps);
    setvbuf(maps, NULL, _IONBF, 0);
    while (fgets(line, sizeof line, maps) != NULL) {
        unsigned long start, end;
        char permissions[5];
        char name[4200] = "";
        if (sscanf(line, "%lx-%lx %4s %*s %*s %*s %4199[^\n]", &start, &end, permissions, name) <
                3 ||
            !is_scanned(permissions, name))
            continue;
        for (const uint8_t *at = (const uint8_t *)start; at + SECRET_SIZE <= (const uint8_t *)end;
             at++)
            if (at[0] == (uint8_t)(0xA5 ^ 7) && is_secret(at)) {
                fprintf(stderr, "the secret is at %p, in %s\n", (const void *)at, name);
                count++;
            }
    }
    fclose(maps);
    return count;
}

/* Many keys in one call are hashed side by side, by kernels that start from the secret's block. */
static void use_batches(bloomfilter *filter)
{
    enum { COUNT = 300, SIZE = 130 };
    static uint8_t bytes[COUNT * SIZE];
    static const void *keys[COUNT];
    static size_t sizes[COUNT];
    static uint8_t found[COUNT];
    for (size_t i = 0; i < COUNT; i++) {
        keys[i] = bytes + i * SIZE;
        sizes[i] = i % 7 != 0 ? 8 + i % 2 : i % SIZE;
        memcpy(bytes + i * SIZE, &i, sizeof i);
    }
    assert_int_equal(bloomfilter_add_many(filter, COUNT, keys, sizes, NULL), 0);
    assert_int_equal(bloomfilter_contains_many(filter, COUNT, keys, sizes, found), 0);
    assert_null(memchr(found, 0, COUNT));
}

/* Creates, uses, saves, loads, copies and frees keyed filters, in a frame of its own. */
static __attribute__((noinline)) void live(const char *path, uint32_t hash, uint32_t layout)
{
    uint8_t secret[SECRET_SIZE];
    bloomfilter_options options = BLOOMFILTER_OPTIONS_INIT;
    bloomfilter_load_options load_options = BLOOMFILTER_LOAD_OPTIONS_INIT;
    bloomfilter_info info = BLOOMFILTER_INFO_INIT;
    bloomfilter *filter;
    bloomfilter *other;

    make_secret(secret);
    options.capacity = 1000;
    options.target_fpr = 0.01;
    options.hash = hash;
    options.layout = layout;
    load_options.secret = options.secret = secret;
    load_options.secret_size = options.secret_size = sizeof secret;
    assert_int_equal(bloomfilter_plan(&options, &info), 0);
    assert_int_equal(bloomfilter_create(&filter, &options), 0);
    add_numbered(filter, "", 0, 100); /* short keys: the key block is hashed last */
    add_numbered(filter,
                 "a key that is longer than one block of BLAKE2b, which takes 128 bytes; the "
                 "block with the secret is then hashed by itself ",
                 0, 10);
    assert_contains_numbered(filter, "", 0, 100);
    use_batches(filter);
    assert_int_equal(bloomfilter_save(filter, path), 0);
    assert_int_equal(bloomfilter_copy(&other, filter), 0);
    bloomfilter_free(filter);
    bloomfilter_free(other);
    assert_int_equal(bloomfilter_load(&filter, path, &load_options), 0);
    bloomfilter_free(filter);
    assert_int_equal(bloomfilter_map(&filter, path, &load_options), 0);
    assert_int_equal(bloomfilter_verify(filter), 0);
    bloomfilter_free(filter);
    options.target_fpr = 2; /* refused: the copy made on the way is wiped too */
    assert_int_equal(bloomfilter_create(&filter, &options), BLOOMFILTER_EINVAL);
    bloomfilter_secret_wipe(secret, sizeof secret);
}

static void check_scheme(uint32_t hash, uint32_t layout)
{
    const char *directory = make_temporary_directory();
    live(path_in(directory, "keyed.bloom"), hash, layout);
    remove_tree(directory);
    assert_int_equal(count_secrets(), 0);
}

static void test_scan_finds_a_secret(void **state)
{
    uint8_t *copy = malloc(SECRET_SIZE);
    (void)state;
    make_secret(copy);
    assert_int_equal(count_secrets(), 1);
    bloomfilter_secret_wipe(copy, SECRET_SIZE);
    free(copy);
    assert_int_equal(count_secrets(), 0);
}

static void test_blake2b_pair(void **state)
{
    (void)state;
    check_scheme(BLOOMFILTER_HASH_BLAKE2B_PAIR, BLOOMFILTER_LAYOUT_FLAT);
}

static void test_blake2b_indexed(void **state)
{
    (void)state;
    check_scheme(BLOOMFILTER_HASH_BLAKE2B_INDEXED, BLOOMFILTER_LAYOUT_FLAT);
}

static void test_blake2b_wide(void **state)
{
    (void)state;
    check_scheme(BLOOMFILTER_HASH_BLAKE2B_WIDE, BLOOMFILTER_LAYOUT_FLAT);
}

static void test_blocks(void **state)
{
    (void)state;
    check_scheme(BLOOMFILTER_HASH_BLAKE2B_PAIR, BLOOMFILTER_LAYOUT_SPLIT_BLOCK);
    check_scheme(BLOOMFILTER_HASH_BLAKE2B_WIDE, BLOOMFILTER_LAYOUT_SPLIT_BLOCK);
}

/* ---- files and texts */

enum { RUN_SIZE = 4, FORM_SIZE = 4 * SECRET_SIZE }; /* so many bytes in a row are no chance */

/* Whether a run of RUN_SIZE bytes of `form` is anywhere in the bytes. */
static bool has_run_of(const uint8_t *bytes, size_t size, const uint8_t *form, size_t form_size)
{
    for (size_t i = 0; i + RUN_SIZE <= form_size; i++)
        for (size_t at = 0; at + RUN_SIZE <= size; at++)
            if (memcmp(bytes + at, form + i, RUN_SIZE) == 0)
                return true;
    return false;
}

/* The forms that a secret could be in: itself, backwards, complemented, in hexadecimal, its plain
 * digest. Returns the size of form number n, 0 after the last. */
static size_t make_form(int n, uint8_t form[FORM_SIZE])
{
    uint8_t secret[SECRET_SIZE];
    blake2b_state state;
    make_secret(secret);
    for (int i = 0; i < SECRET_SIZE; i++)
        form[i] = n == 1 ? secret[SECRET_SIZE - 1 - i] : n == 2 ? (uint8_t)~secret[i] : secret[i];
    if (n <= 2)
        return SECRET_SIZE;
    if (n <= 4) {
        for (int i = 0; i < SECRET_SIZE; i++) {
            char digits[3];
            snprintf(digits, sizeof digits, n == 3 ? "%02x" : "%02X", secret[i]);
            memcpy(form + 2 * i, digits, 2);
        }
        return 2 * SECRET_SIZE;
    }
    if (n > 5 + 64)
        return 0;
    size_t digest_size = n == 5 ? 64 : (size_t)n - 5;
    bloomfilter_blake2b_start(&state, digest_size, "", NULL, NULL);
    bloomfilter_blake2b_update(&state, secret, SECRET_SIZE);
    bloomfilter_blake2b_finish(&state, form, digest_size);
    return digest_size;
}

static void assert_no_form(const char *where, const void *bytes, size_t size)
{
    uint8_t form[FORM_SIZE];
    size_t form_size;
    for (int n = 0; (form_size = make_form(n, form)) != 0; n++)
        if (has_run_of(bytes, size, form, form_size))
            fail_msg("%s: form %d of the secret", where, n);
}

static void check_file(uint32_t hash, uint32_t layout)
{
    uint8_t secret[SECRET_SIZE];
    bloomfilter_options options = BLOOMFILTER_OPTIONS_INIT;
    size_t size;
    make_secret(secret);
    options.capacity = 1000;
    options.target_fpr = 0.01;
    options.hash = hash;
    options.layout = layout;
    options.secret = secret;
    options.secret_size = sizeof secret;
    bloomfilter *filter = created(&options);
    uint8_t *bytes = serialized(filter, &size);
    assert_no_form("an empty filter", bytes, size);
    free(bytes);
    add_numbered(filter, "", 0, 1000);
    assert_int_equal(bloomfilter_set_metadata(filter, "of the application", 18), 0);
    bytes = serialized(filter, &size);
    assert_no_form("a full filter", bytes, size);
    memcpy(bytes + size - RUN_SIZE, secret + 5, RUN_SIZE); /* the search would find it */
    assert_true(has_run_of(bytes, size, secret, sizeof secret));
    free(bytes);
    bloomfilter_free(filter);
}

static void test_secret_is_in_no_file(void **state)
{
    (void)state;
    check_file(BLOOMFILTER_HASH_BLAKE2B_PAIR, BLOOMFILTER_LAYOUT_FLAT);
    check_file(BLOOMFILTER_HASH_BLAKE2B_INDEXED, BLOOMFILTER_LAYOUT_FLAT);
    check_file(BLOOMFILTER_HASH_BLAKE2B_WIDE, BLOOMFILTER_LAYOUT_FLAT);
    check_file(BLOOMFILTER_HASH_BLAKE2B_PAIR, BLOOMFILTER_LAYOUT_SPLIT_BLOCK);
    check_file(BLOOMFILTER_HASH_BLAKE2B_WIDE, BLOOMFILTER_LAYOUT_SPLIT_BLOCK);
}

/* The texts are constant: they say the same with a secret in the process and without. */
static void test_secret_is_in_no_text(void **state)
{
    (void)state;
    for (int code = -100; code <= 1; code++)
        assert_no_form("a text", bloomfilter_strerror(code), strlen(bloomfilter_strerror(code)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_scan_finds_a_secret),
        cmocka_unit_test(test_blake2b_pair),
        cmocka_unit_test(test_blake2b_indexed),
        cmocka_unit_test(test_blake2b_wide),
        cmocka_unit_test(test_blocks),
        cmocka_unit_test(test_secret_is_in_no_file),
        cmocka_unit_test(test_secret_is_in_no_text),
    };
    return RUN(tests);
}
