/* SPDX-License-Identifier: MIT */
/* The later release's writer: what this one writes, then what is new, digest and tag made anew. */
#define bloomfilter_serializer_write_header write_header_of_1_0
#include "../../src/serializer/write.c"
#undef bloomfilter_serializer_write_header

#include "later.h"

void bloomfilter_serializer_write_header(const struct file_content *content,
                                         const struct secret *secret, uint8_t bytes[HEADER_SIZE]);

static bool is_critical(const struct file_content *content)
{
    return content->header.metadata_size > 0 && content->metadata[0] == LATER_CRITICAL;
}

/* Bytes that count up, none of them zero. */
static void write_new_fields(uint8_t *bytes)
{
    for (size_t at = AT_RESERVED; at < HEADER_SIZE - TAG_SIZE; at++)
        bytes[at] = (uint8_t)(1 + at % 255);
}

void bloomfilter_serializer_write_header(const struct file_content *content,
                                         const struct secret *secret, uint8_t bytes[HEADER_SIZE])
{
    write_header_of_1_0(content, secret, bytes);
    bytes_store_le(bytes + AT_COMPATIBLE, LATER_COMPATIBLE_BIT, 4);
    if (is_critical(content))
        bytes[AT_INCOMPATIBLE] |= LATER_INCOMPATIBLE_BIT;
    write_new_fields(bytes);
    digest_pieces(content, secret, bytes);
    bloomfilter_format_header_tag(bytes, HEADER_SIZE, secret, bytes + HEADER_SIZE - TAG_SIZE);
}
