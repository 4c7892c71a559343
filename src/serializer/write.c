/* SPDX-License-Identifier: MIT */
#include "serializer/serializer.h"

#include <math.h>
#include <string.h>

#include "serializer/body_digest.h"
#include "serializer/format.h"
#include "support/bytes.h"

const uint8_t bloomfilter_serializer_zeros[HEADER_UNIT];

size_t bloomfilter_serializer_padding_size(const struct file_header *header)
{
    return (size_t)(header->payload_offset - header->header_size - header->metadata_size);
}

uint64_t bloomfilter_serializer_lay_out(struct file_content *content)
{
    struct file_header *header = &content->header;
    uint64_t end_of_metadata = HEADER_SIZE + header->metadata_size;

    header->format_minor = FORMAT_MINOR;
    header->header_size = HEADER_SIZE;
    header->payload_offset = (end_of_metadata + HEADER_UNIT - 1) / HEADER_UNIT * HEADER_UNIT;
    return header->payload_offset + header->payload_size;
}

static void store_double(uint8_t *to, double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    bytes_store_le(to, isnan(value) ? CANONICAL_NAN : bits, 8);
}

static void write_fields(const struct file_header *header, uint8_t *bytes)
{
    memcpy(bytes + AT_MAGIC, bloomfilter_format_magic, MAGIC_SIZE);
    bytes_store_le(bytes + AT_MAJOR, FORMAT_MAJOR, 2);
    bytes_store_le(bytes + AT_MINOR, FORMAT_MINOR, 2);
    bytes_store_le(bytes + AT_HEADER_SIZE, HEADER_SIZE, 4);
    bytes_store_le(bytes + AT_HASH, header->hash, 4);
    bytes_store_le(bytes + AT_LAYOUT, header->layout, 4);
    bytes_store_le(bytes + AT_INCOMPATIBLE, header->keyed ? INCOMPATIBLE_KEYED : 0, 4);
    bytes_store_le(bytes + AT_BIT_COUNT, header->bit_count, 8);
    bytes_store_le(bytes + AT_HASH_COUNT, header->hash_count, 4);
    bytes_store_le(bytes + AT_BODY_DIGEST_ID, BODY_DIGEST_ID, 4);
    bytes_store_le(bytes + AT_CAPACITY, header->capacity, 8);
    bytes_store_le(bytes + AT_INSERT_COUNT, header->insert_count, 8);
    store_double(bytes + AT_TARGET_FPR, header->target_fpr);
    store_double(bytes + AT_MEASURED_FPR, header->measured_fpr);
    bytes_store_le(bytes + AT_MEASURED_PROBES, header->measured_probes, 8);
    bytes_store_le(bytes + AT_SEED, header->seed, 8);
    bytes_store_le(bytes + AT_METADATA_SIZE, header->metadata_size, 8);
    bytes_store_le(bytes + AT_PAYLOAD_OFFSET, header->payload_offset, 8);
    bytes_store_le(bytes + AT_PAYLOAD_SIZE, header->payload_size, 8);
}

/* The digest of a body that is not in one piece yet. */
static void digest_pieces(const struct file_content *content, const struct secret *secret,
                          uint8_t *bytes)
{
    const struct file_header *header = &content->header;
    size_t padding_size = bloomfilter_serializer_padding_size(header);
    uint64_t body_size = header->metadata_size + padding_size + header->payload_size;
    struct body_digest digest;

    bloomfilter_body_digest_start(&digest, bytes, AT_BODY_DIGEST, body_size, secret);
    bloomfilter_body_digest_update(&digest, content->metadata, header->metadata_size);
    bloomfilter_body_digest_update(&digest, bloomfilter_serializer_zeros, padding_size);
    bloomfilter_body_digest_update(&digest, content->payload, header->payload_size);
    bloomfilter_body_digest_finish(&digest, bytes + AT_BODY_DIGEST);
}

void bloomfilter_serializer_write_header(const struct file_content *content,
                                         const struct secret *secret, uint8_t bytes[HEADER_SIZE])
{
    memset(bytes, 0, HEADER_SIZE);
    write_fields(&content->header, bytes);
    bloomfilter_format_secret_check(secret, bytes + AT_SECRET_CHECK);
    digest_pieces(content, secret, bytes);
    bloomfilter_format_header_tag(bytes, HEADER_SIZE, secret, bytes + HEADER_SIZE - TAG_SIZE);
}
