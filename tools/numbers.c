/* SPDX-License-Identifier: MIT */
#include "numbers.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char NOT_A_COUNT[] = "not a whole number; write 1000000, 1e6 or 1M";
static const char NOT_WHOLE[] = "not a whole number";
static const char TOO_LARGE[] = "too large";
static const char NOT_A_RATE[] = "not a rate; write 0.01, 1e-3, 1% or 1/1000";
static const char RATE_OUT_OF_RANGE[] = "not between 0 and 1, both excluded";

enum { MAX_EXPONENT = 100000, RATE_ROOM = 64 };

/* Not isdigit(), which depends on the locale and on the sign of char. */
static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* A decimal number taken apart: digits * 10^exponent, with no zero at the end of digits. */
typedef struct decimal {
    uint64_t digits;
    long exponent;
    bool overflow; /* digits does not fit */
} decimal;

static void append_digit(decimal *number, long *zeros, int digit)
{
    if (digit == 0) {
        ++*zeros; /* perhaps the last: then it belongs to the exponent */
        return;
    }
    for (; *zeros > 0 && number->digits > 0; --*zeros) {
        number->overflow |= number->digits > UINT64_MAX / 10;
        number->digits *= 10;
    }
    *zeros = 0;
    number->overflow |= number->digits > (UINT64_MAX - (uint64_t)digit) / 10;
    number->digits = number->digits * 10 + (uint64_t)digit;
}

/* Reads "e6", "E+6", "e-3", or nothing. NULL when it is malformed. */
static const char *scan_exponent(const char *text, long *exponent)
{
    *exponent = 0;
    if (*text != 'e' && *text != 'E')
        return text;
    text++;
    bool negative = *text == '-';
    if (*text == '+' || *text == '-')
        text++;
    if (!is_digit(*text))
        return NULL;
    for (; is_digit(*text); text++)
        if (*exponent < MAX_EXPONENT)
            *exponent = *exponent * 10 + (*text - '0');
    if (negative)
        *exponent = -*exponent;
    return text;
}

/* Reads a decimal number at the start of `text`. Returns where it ends, NULL if there is none. */
static const char *scan_decimal(const char *text, decimal *number)
{
    long zeros = 0;
    long fraction = 0;
    long exponent = 0;

    *number = (decimal){0, 0, false};
    if (!is_digit(*text))
        return NULL;
    for (; is_digit(*text); text++)
        append_digit(number, &zeros, *text - '0');
    if (*text == '.') {
        text++;
        if (!is_digit(*text))
            return NULL;
        for (; is_digit(*text); text++, fraction++)
            append_digit(number, &zeros, *text - '0');
    }
    text = scan_exponent(text, &exponent);
    number->exponent = exponent + zeros - fraction;
    return text;
}

static int suffix_exponent(char suffix)
{
    switch (suffix) {
    case 'k':
    case 'K':
        return 3;
    case 'M':
        return 6;
    case 'G':
        return 9;
    case 'T':
        return 12;
    default:
        return 0;
    }
}

const char *parse_count(const char *text, uint64_t *count)
{
    decimal number;
    const char *end = scan_decimal(text, &number);
    if (end == NULL)
        return NOT_A_COUNT;
    int suffix = suffix_exponent(*end);
    if (suffix != 0)
        end++;
    if (*end != '\0')
        return NOT_A_COUNT;
    number.exponent += suffix;
    if (number.digits == 0 && !number.overflow) {
        *count = 0;
        return NULL;
    }
    if (number.exponent < 0)
        return NOT_WHOLE;
    for (; number.exponent > 0 && !number.overflow; number.exponent--) {
        number.overflow = number.digits > UINT64_MAX / 10;
        number.digits *= 10;
    }
    if (number.overflow)
        return TOO_LARGE;
    *count = number.digits;
    return NULL;
}

/* strtod, which rounds correctly, over text whose form was checked. The command never sets a
 * locale, so the decimal point is a point. */
static const char *scan_double(const char *text, double *value)
{
    decimal number;
    const char *end = scan_decimal(text, &number);
    if (end != NULL)
        *value = strtod(text, NULL);
    return end;
}

/* "0.7%" as 0.7e-2 and not 0.7 / 100, which is one bit off. */
static const char *parse_percent(const char *text, size_t size, double *rate)
{
    char shifted[RATE_ROOM];
    if (size + 4 > sizeof shifted || memchr(text, 'e', size) || memchr(text, 'E', size))
        return NOT_A_RATE;
    snprintf(shifted, sizeof shifted, "%.*se-2", (int)size, text);
    *rate = strtod(shifted, NULL);
    return NULL;
}

const char *parse_rate(const char *text, double *rate)
{
    double value = 0.0;
    const char *end = scan_double(text, &value);
    if (end == NULL)
        return NOT_A_RATE;
    if (strcmp(end, "%") == 0) {
        const char *wrong = parse_percent(text, (size_t)(end - text), &value);
        if (wrong != NULL)
            return wrong;
    } else if (*end == '/') {
        double divisor = 0.0;
        end = scan_double(end + 1, &divisor);
        if (end == NULL || *end != '\0')
            return NOT_A_RATE;
        if (!(divisor > 0.0))
            return RATE_OUT_OF_RANGE;
        value /= divisor;
    } else if (*end != '\0') {
        return NOT_A_RATE;
    }
    if (!(value > 0.0 && value < 1.0))
        return RATE_OUT_OF_RANGE;
    *rate = value;
    return NULL;
}

int hex_digit_value(char digit)
{
    if (is_digit(digit))
        return digit - '0';
    if (digit >= 'a' && digit <= 'f')
        return digit - 'a' + 10;
    if (digit >= 'A' && digit <= 'F')
        return digit - 'A' + 10;
    return -1;
}

const char *parse_seed(const char *text, uint64_t *seed)
{
    if (text[0] != '0' || (text[1] != 'x' && text[1] != 'X'))
        return parse_count(text, seed);
    uint64_t value = 0;
    const char *digit = text + 2;
    if (*digit == '\0')
        return NOT_A_COUNT;
    for (; *digit != '\0'; digit++) {
        if (hex_digit_value(*digit) < 0)
            return NOT_A_COUNT;
        if (value > UINT64_MAX >> 4)
            return TOO_LARGE;
        value = value << 4 | (uint64_t)hex_digit_value(*digit);
    }
    *seed = value;
    return NULL;
}
