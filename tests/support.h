/* SPDX-License-Identifier: MIT */
/* What several tests need: data files, CSV rows, hexadecimal, key lists, temporary directories. */
#ifndef BLOOMFILTER_TESTS_SUPPORT_H
#define BLOOMFILTER_TESTS_SUPPORT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "bloomfilter.h"

#define RUN(tests) cmocka_run_group_tests(tests, NULL, NULL)

/* A whole file of tests/data; fails the test if it is not there. The caller frees it. */
uint8_t *read_data(const char *name, size_t *size);
uint8_t *read_path(const char *path, size_t *size);
void write_path(const char *path, const void *bytes, size_t size);

/* The path of a file of tests/data. Valid until the next call. */
const char *data_path(const char *name);

/* Calls `row` with the fields of each line after the first of a CSV file; returns how many. */
enum { MAX_FIELDS = 20 };
size_t for_each_row(const char *name, size_t field_count,
                    void (*row)(char *const fields[], void *context), void *context);

/* Bytes from hexadecimal text, into room of `room` bytes; returns their count. */
size_t from_hex(const char *hex, uint8_t *bytes, size_t room);

/* Calls `take` with each key of a list as the vectors write it: "alice bob", "user:0..999",
 * "hex: 00ff 01". Returns how many. */
size_t for_each_key(const char *list, void (*take)(const void *key, size_t size, void *context),
                    void *context);

/* Positions of a row, "1 2 3", compared with what was computed. */
void assert_positions(const char *expected, const uint64_t *positions, uint32_t count);

/* Adds a key, asserts that it can be added. For for_each_key; context is the filter. */
void add_key(const void *key, size_t size, void *filter);
void assert_contains_key(const void *key, size_t size, void *filter);

/* Adds PREFIXfrom to PREFIX(to-1). */
void add_numbered(bloomfilter *filter, const char *prefix, uint64_t from, uint64_t to);
void assert_contains_numbered(const bloomfilter *filter, const char *prefix, uint64_t from,
                              uint64_t to);

bloomfilter_info info_of(const bloomfilter *filter);

/* Serialized bytes of a filter; the caller frees them. */
uint8_t *serialized(const bloomfilter *filter, size_t *size);

/* A new filter; fails the test if there is none. The caller frees it. */
bloomfilter *new_filter(uint64_t capacity, double target_fpr);
bloomfilter *created(const bloomfilter_options *options);
bloomfilter *copy_of(const bloomfilter *filter);

/* That a filter's file would be these bytes; that of two filters would be the same. */
void assert_bytes_are(const bloomfilter *filter, const uint8_t *bytes, size_t size);
void assert_same_filter(const bloomfilter *a, const bloomfilter *b);

/* That two numbers differ by at most `tolerance` times the expected one. */
void assert_within(double value, double expected, double tolerance);

/* A fresh directory, and a path in it. Valid until the next call. */
const char *make_temporary_directory(void);
const char *path_in(const char *directory, const char *name);
void remove_tree(const char *directory);

/* How many names a directory has, without . and .. */
size_t count_entries(const char *directory);

/* Whether no filter of that size can be where addresses have 32 bits. */
bool exceeds_addresses(uint64_t bit_count);

#endif
