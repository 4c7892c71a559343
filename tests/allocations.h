/* SPDX-License-Identifier: MIT */
/*
 * Watches what the library asks memory for. The program is linked with
 * --wrap for each function below, so that only calls from our own objects come here.
 */
#ifndef BLOOMFILTER_TESTS_ALLOCATIONS_H
#define BLOOMFILTER_TESTS_ALLOCATIONS_H

#include <stddef.h>

/* The largest allocation since the last reset, in bytes. */
extern volatile size_t largest_allocation;

/* Lets this many allocations pass, then fails all; negative: none fails. */
extern volatile int allocations_until_failure;

#endif
