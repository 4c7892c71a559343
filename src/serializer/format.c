/* SPDX-License-Identifier: MIT */
#include "serializer/format.h"

#include <string.h>

#include "support/blake2b.h"

/* The first byte is not ASCII, and the last two are a line end: a file that went through a 7-bit or
 * text-mode transfer no longer begins like this. */
const uint8_t bloomfilter_format_magic[MAGIC_SIZE] = {0x89, 'B', 'L', 'O', 'O', 'M', '\r', '\n'};

void bloomfilter_format_header_tag(const uint8_t *bytes, size_t header_size,
                                   const struct secret *secret, uint8_t tag[TAG_SIZE])
{
    blake2b_state state;
    bloomfilter_blake2b_start(&state, TAG_SIZE, "bloom-header", NULL, secret);
    bloomfilter_blake2b_update(&state, bytes, header_size - TAG_SIZE);
    bloomfilter_blake2b_finish(&state, tag, TAG_SIZE);
}

void bloomfilter_format_secret_check(const struct secret *secret, uint8_t check[SECRET_CHECK_SIZE])
{
    blake2b_state state;
    if (secret->size == 0) {
        memset(check, 0, SECRET_CHECK_SIZE);
        return;
    }
    bloomfilter_blake2b_start(&state, SECRET_CHECK_SIZE, "bloom-secret", NULL, secret);
    bloomfilter_blake2b_finish(&state, check, SECRET_CHECK_SIZE);
}
