/* SPDX-License-Identifier: MIT */
/*
 * The serializer: a filter to bytes and back, in format 1 (docs/format.md). It is the only code
 * that knows byte offsets, never touches a file, and allocates nothing.
 *
 * There is one reader, for every way in: bloomfilter_serializer_read checks the header and all
 * sizes, in constant time; bloomfilter_serializer_check_body checks every byte after the header.
 */
#ifndef BLOOMFILTER_SERIALIZER_SERIALIZER_H
#define BLOOMFILTER_SERIALIZER_SERIALIZER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "serializer/body_digest.h"
#include "serializer/release.h"
#include "support/secret.h"

enum {
    FORMAT_MAJOR = 1,
    MIN_HEADER_SIZE = 192, /* of any minor; what this release writes is in release.h */
    MAX_HEADER_SIZE = 65536
};

/* The fields of a header. */
struct file_header {
    uint32_t format_minor;
    uint32_t header_size;
    uint32_t hash;
    uint32_t layout;
    bool keyed;
    uint64_t bit_count;
    uint32_t hash_count;
    uint64_t capacity;
    uint64_t insert_count;
    double target_fpr;
    double measured_fpr;
    uint64_t measured_probes;
    uint64_t seed;
    uint64_t metadata_size;
    uint64_t payload_offset;
    uint64_t payload_size;
    uint8_t body_digest[BODY_DIGEST_SIZE];
};

/* A filter as a file holds it. The pointers lie in bytes that belong to others. */
struct file_content {
    struct file_header header;
    const uint8_t *metadata; /* header.metadata_size bytes */
    const uint8_t *payload;  /* header.payload_size bytes */
};

/*
 * Looks at the first bytes of what claims to be a file of `total` bytes (UINT64_MAX: not known
 * yet), before the rest is read. Returns 0, ENOTFILTER, EDAMAGED or ENEWER.
 */
int bloomfilter_serializer_check_beginning(const uint8_t *bytes, size_t size, uint64_t total);

/* The size of the header, of a beginning that was found right. */
uint32_t bloomfilter_serializer_header_size(const uint8_t *bytes);

/*
 * Reads and checks the header at the start of `bytes`; what follows it is not looked at. `secret`
 * of size 0 opens an unkeyed filter only. With `secret` NULL a keyed header is read too, but not
 * authenticated. Returns 0, or ENOTFILTER, EDAMAGED, ENEWER, EUNSUPPORTED, ESECRET.
 */
int bloomfilter_serializer_read_header(const uint8_t *bytes, size_t size,
                                       const struct secret *secret, struct file_header *header);

/* Reads a whole file: the header as above, and that all its sizes are those of the input. */
int bloomfilter_serializer_read(const uint8_t *bytes, size_t size, const struct secret *secret,
                                struct file_content *content);

/*
 * The rest of it, where the header was read before, from a copy of the first bytes: checks sizes,
 * and says where things are. Touches none of the bytes. Returns 0 or EDAMAGED.
 */
int bloomfilter_serializer_place(const uint8_t *bytes, size_t size, struct file_content *content);

/*
 * The check of a body while its bytes come in. It starts when the header was read; then it is shown
 * what is there of the file, from its first byte on, as often as one likes; and it finishes with
 * the whole file, which bloomfilter_serializer_read accepted, returning 0 or EDAMAGED. A check that
 * is not finished must be wiped where there is a secret.
 */
struct body_check {
    struct body_digest digest;
    uint64_t taken; /* bytes of the file */
};
void bloomfilter_serializer_start_check(struct body_check *check, const uint8_t *bytes,
                                        const struct file_header *header,
                                        const struct secret *secret);
void bloomfilter_serializer_continue_check(struct body_check *check, const uint8_t *bytes,
                                           uint64_t size);
int bloomfilter_serializer_finish_check(struct body_check *check, const uint8_t *bytes,
                                        const struct file_content *content);

/* The whole check, of bytes that bloomfilter_serializer_read accepted. Returns 0 or EDAMAGED. */
int bloomfilter_serializer_check_body(const uint8_t *bytes, const struct file_content *content,
                                      const struct secret *secret);

/*
 * Completes content->header for writing: format version, header_size, payload_offset. Returns the
 * size of the whole file.
 */
uint64_t bloomfilter_serializer_lay_out(struct file_content *content);

/*
 * Writes the header of a laid out content. The file is those HEADER_SIZE bytes, the metadata, zeros
 * up to payload_offset (fewer than 64), and the payload.
 */
void bloomfilter_serializer_write_header(const struct file_content *content,
                                         const struct secret *secret, uint8_t bytes[HEADER_SIZE]);

/* How many zeros lie between metadata and payload, and as many to write. */
size_t bloomfilter_serializer_padding_size(const struct file_header *header);
extern const uint8_t bloomfilter_serializer_zeros[];

#endif
