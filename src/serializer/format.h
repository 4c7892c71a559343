/* SPDX-License-Identifier: MIT */
/* Where each field of a header lies (docs/format.md). For the serializer only. */
#ifndef BLOOMFILTER_SERIALIZER_FORMAT_H
#define BLOOMFILTER_SERIALIZER_FORMAT_H

#include <stddef.h>
#include <stdint.h>

#include "support/secret.h"

enum {
    AT_MAGIC = 0,
    AT_MAJOR = 8,
    AT_MINOR = 10,
    AT_HEADER_SIZE = 12,
    AT_HASH = 16,
    AT_LAYOUT = 20,
    AT_INCOMPATIBLE = 24,
    AT_COMPATIBLE = 28,
    AT_BIT_COUNT = 32,
    AT_HASH_COUNT = 40,
    AT_BODY_DIGEST_ID = 44,
    AT_CAPACITY = 48,
    AT_INSERT_COUNT = 56,
    AT_TARGET_FPR = 64,
    AT_MEASURED_FPR = 72,
    AT_MEASURED_PROBES = 80,
    AT_SEED = 88,
    AT_SECRET_CHECK = 96,
    AT_METADATA_SIZE = 112,
    AT_PAYLOAD_OFFSET = 120,
    AT_PAYLOAD_SIZE = 128,
    AT_BODY_DIGEST = 136,
    AT_RESERVED = 168, /* up to the header tag, the last TAG_SIZE bytes of the header */

    MAGIC_SIZE = 8,
    TAG_SIZE = 16,
    SECRET_CHECK_SIZE = 16,
    HEADER_UNIT = 64, /* header_size and payload_offset are multiples of it */
    BODY_DIGEST_ID = 1
};

#define INCOMPATIBLE_KEYED 1u
#define CANONICAL_NAN 0x7FF8000000000000u

extern const uint8_t bloomfilter_format_magic[MAGIC_SIZE];

/* The tag of a header of header_size bytes, keyed where there is a secret. */
void bloomfilter_format_header_tag(const uint8_t *bytes, size_t header_size,
                                   const struct secret *secret, uint8_t tag[TAG_SIZE]);

/* A digest of the secret alone, by which a wrong one is told; zeros where there is none. */
void bloomfilter_format_secret_check(const struct secret *secret, uint8_t check[SECRET_CHECK_SIZE]);

#endif
