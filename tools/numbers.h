/* SPDX-License-Identifier: MIT */
/*
 * numbers.h - numbers as people write them on a command line. Strict: the whole text must be a
 * number, and one that fits. Each function returns NULL and the number, or says what is wrong.
 */
#ifndef TOOLS_NUMBERS_H
#define TOOLS_NUMBERS_H

#include "posix.h"

#include <stdint.h>

/* A whole number: 1000000, 1e6, 1.5e6, 1M. Suffixes k, M, G and T are powers of 1000. */
const char *parse_count(const char *text, uint64_t *count);

/* A rate between 0 and 1, both excluded: 0.01, 1e-3, 1%, 1/1000. */
const char *parse_rate(const char *text, double *rate);

/* A whole number as parse_count takes it, or hexadecimal after 0x. */
const char *parse_seed(const char *text, uint64_t *seed);

/* What a hexadecimal digit stands for, -1 when it is none. */
int hex_digit_value(char digit);

#endif
