/* SPDX-License-Identifier: MIT */
/* What the fuzz targets share. Each target is one file with LLVMFuzzerTestOneInput; linked with
 * libFuzzer it fuzzes, linked with replay.c it runs files that are given to it. */
#ifndef BLOOMFILTER_FUZZ_FUZZ_H
#define BLOOMFILTER_FUZZ_FUZZ_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Unlike assert, it stays in optimized builds. */
#define REQUIRE(condition)                                                                         \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            fprintf(stderr, "%s:%d: does not hold: %s\n", __FILE__, __LINE__, #condition);         \
            abort();                                                                               \
        }                                                                                          \
    } while (0)

/* Input that is consumed from its front. At its end it gives zeros. */
struct input {
    const uint8_t *bytes;
    size_t size;
};

static inline uint8_t take_byte(struct input *input)
{
    if (input->size == 0)
        return 0;
    input->size--;
    return *input->bytes++;
}

static inline uint64_t take_number(struct input *input, int bytes)
{
    uint64_t number = 0;
    while (bytes-- > 0)
        number = number << 8 | take_byte(input);
    return number;
}

/* At most `size` bytes; *taken tells how many. */
static inline const uint8_t *take_bytes(struct input *input, size_t size, size_t *taken)
{
    const uint8_t *bytes = input->bytes;
    *taken = size < input->size ? size : input->size;
    input->bytes += *taken;
    input->size -= *taken;
    return bytes;
}

#endif
