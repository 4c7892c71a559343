/* SPDX-License-Identifier: MIT */
/*
 * The reader. What it has not checked, it does not use: first what tells whether these are bytes of
 * this format at all, then the header tag, then each field, then the sizes against the input.
 */
#include "serializer/serializer.h"

#include <math.h>
#include <string.h>

#include "bitset/bitset.h"
#include "bloomfilter.h"
#include "hashing/hashing.h"
#include "serializer/body_digest.h"
#include "serializer/format.h"
#include "support/bytes.h"
#include "support/checked.h"

#define MAX_METADATA_SIZE ((uint64_t)BLOOMFILTER_MAX_METADATA_SIZE)

uint32_t bloomfilter_serializer_header_size(const uint8_t *bytes)
{
    return bytes_load_le32(bytes + AT_HEADER_SIZE);
}

int bloomfilter_serializer_check_beginning(const uint8_t *bytes, size_t size, uint64_t total)
{
    if (size < MAGIC_SIZE || memcmp(bytes, bloomfilter_format_magic, MAGIC_SIZE) != 0)
        return BLOOMFILTER_ENOTFILTER;
    if (size < AT_MINOR)
        return BLOOMFILTER_EDAMAGED;

    /* The rest of a later major's header may lie elsewhere, so the major comes before all else. */
    uint16_t major = bytes_load_le16(bytes + AT_MAJOR);
    if (major > FORMAT_MAJOR)
        return BLOOMFILTER_ENEWER;
    if (major < FORMAT_MAJOR || size < MIN_HEADER_SIZE)
        return BLOOMFILTER_EDAMAGED;

    uint32_t header_size = bloomfilter_serializer_header_size(bytes);
    if (header_size < MIN_HEADER_SIZE || header_size > MAX_HEADER_SIZE ||
        header_size % HEADER_UNIT != 0 || header_size > total)
        return BLOOMFILTER_EDAMAGED;
    return 0;
}

/* Fuzzers cannot make valid tags and digests: a build for them goes on to what lies behind. */
static bool matches(const uint8_t *computed, const uint8_t *stored, size_t size)
{
#ifdef FUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION
    (void)computed, (void)stored, (void)size;
    return true;
#else
    return bytes_equal_secretly(computed, stored, size);
#endif
}

/* Tells a wrong secret from damage, before anything that the secret keys is compared. */
static int check_secret(const uint8_t *bytes, bool keyed, const struct secret *secret)
{
    uint8_t check[SECRET_CHECK_SIZE];
    if (keyed != (secret->size != 0))
        return BLOOMFILTER_ESECRET;
    bloomfilter_format_secret_check(secret, check);
    if (bytes_equal_secretly(check, bytes + AT_SECRET_CHECK, sizeof check))
        return 0;
    return keyed ? BLOOMFILTER_ESECRET : BLOOMFILTER_EDAMAGED;
}

static int check_tag(const uint8_t *bytes, size_t header_size, const struct secret *secret)
{
    uint8_t tag[TAG_SIZE];
    bloomfilter_format_header_tag(bytes, header_size, secret, tag);
    return matches(tag, bytes + header_size - TAG_SIZE, sizeof tag) ? 0 : BLOOMFILTER_EDAMAGED;
}

static int authenticate(const uint8_t *bytes, size_t header_size, const struct secret *secret)
{
    static const struct secret none;
    bool keyed = bytes_load_le32(bytes + AT_INCOMPATIBLE) & INCOMPATIBLE_KEYED;
    int code;

    if (secret == NULL && keyed)
        return 0;
    if (secret == NULL)
        secret = &none;
    code = check_secret(bytes, keyed, secret);
    return code != 0 ? code : check_tag(bytes, header_size, secret);
}

/* A later release may put together what this one does not. */
static int check_known(const uint8_t *bytes)
{
    const struct hash_scheme *scheme = bloomfilter_hashing_find(bytes_load_le32(bytes + AT_HASH));
    const struct bitset_layout *layout =
        bloomfilter_bitset_find(bytes_load_le32(bytes + AT_LAYOUT));
    if ((bytes_load_le32(bytes + AT_INCOMPATIBLE) & ~INCOMPATIBLE_KNOWN) != 0 || scheme == NULL ||
        layout == NULL || !bloomfilter_hashing_suits(scheme, layout->block_bits != 0) ||
        bytes_load_le32(bytes + AT_BODY_DIGEST_ID) != BODY_DIGEST_ID)
        return BLOOMFILTER_EUNSUPPORTED;
    return 0;
}

static double load_double(const uint8_t *from)
{
    uint64_t bits = bytes_load_le64(from);
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static void load_fields(const uint8_t *bytes, struct file_header *header)
{
    header->format_minor = bytes_load_le16(bytes + AT_MINOR);
    header->header_size = bytes_load_le32(bytes + AT_HEADER_SIZE);
    header->hash = bytes_load_le32(bytes + AT_HASH);
    header->layout = bytes_load_le32(bytes + AT_LAYOUT);
    header->keyed = bytes_load_le32(bytes + AT_INCOMPATIBLE) & INCOMPATIBLE_KEYED;
    header->bit_count = bytes_load_le64(bytes + AT_BIT_COUNT);
    header->hash_count = bytes_load_le32(bytes + AT_HASH_COUNT);
    header->capacity = bytes_load_le64(bytes + AT_CAPACITY);
    header->insert_count = bytes_load_le64(bytes + AT_INSERT_COUNT);
    header->target_fpr = load_double(bytes + AT_TARGET_FPR);
    header->measured_fpr = load_double(bytes + AT_MEASURED_FPR);
    header->measured_probes = bytes_load_le64(bytes + AT_MEASURED_PROBES);
    header->seed = bytes_load_le64(bytes + AT_SEED);
    header->metadata_size = bytes_load_le64(bytes + AT_METADATA_SIZE);
    header->payload_offset = bytes_load_le64(bytes + AT_PAYLOAD_OFFSET);
    header->payload_size = bytes_load_le64(bytes + AT_PAYLOAD_SIZE);
    memcpy(header->body_digest, bytes + AT_BODY_DIGEST, sizeof header->body_digest);
}

/* A rate that was measured is 0 to 1, and not negative zero. */
static bool is_measured_fpr(double rate)
{
    return isnan(rate) || (!signbit(rate) && rate <= 1.0);
}

/* Comparisons are written so that a NaN fails them. */
static bool is_within_limits(const struct file_header *header)
{
    const struct bitset_layout *layout = bloomfilter_bitset_find(header->layout);
    return bloomfilter_bitset_fits(layout, header->bit_count) && header->hash_count >= 1 &&
           header->hash_count <= BLOOMFILTER_MAX_HASH_COUNT &&
           (layout->hash_count == 0 || header->hash_count == layout->hash_count) &&
           header->capacity >= 1 && header->target_fpr > 0.0 && header->target_fpr < 1.0 &&
           is_measured_fpr(header->measured_fpr) &&
           (!header->keyed || bloomfilter_hashing_find(header->hash)->takes_secret);
}

/* Whether the sizes follow from each other. */
static bool are_sizes_consistent(const struct file_header *header)
{
    const struct bitset_layout *layout = bloomfilter_bitset_find(header->layout);
    uint64_t end_of_metadata;
    uint64_t payload_offset;
    return header->metadata_size <= MAX_METADATA_SIZE &&
           checked_add(header->header_size, header->metadata_size, &end_of_metadata) &&
           checked_round_up(end_of_metadata, HEADER_UNIT, &payload_offset) &&
           header->payload_offset == payload_offset &&
           header->payload_size == layout->payload_size(header->bit_count);
}

/* A 1.0 file has nothing in the room that later minors may use. */
static bool is_reserved_room_clean(const uint8_t *bytes, const struct file_header *header)
{
    size_t size = header->header_size - TAG_SIZE - AT_RESERVED;
    return header->format_minor > 0 || bytes_are_zero(bytes + AT_RESERVED, size);
}

int bloomfilter_serializer_read_header(const uint8_t *bytes, size_t size,
                                       const struct secret *secret, struct file_header *header)
{
    int code = bloomfilter_serializer_check_beginning(bytes, size, size);
    if (code != 0)
        return code;
    code = authenticate(bytes, bloomfilter_serializer_header_size(bytes), secret);
    if (code != 0)
        return code;
    code = check_known(bytes);
    if (code != 0)
        return code;
    load_fields(bytes, header);
    if (!is_within_limits(header) || !are_sizes_consistent(header) ||
        !is_reserved_room_clean(bytes, header))
        return BLOOMFILTER_EDAMAGED;
    return 0;
}

int bloomfilter_serializer_read(const uint8_t *bytes, size_t size, const struct secret *secret,
                                struct file_content *content)
{
    int code = bloomfilter_serializer_read_header(bytes, size, secret, &content->header);
    return code != 0 ? code : bloomfilter_serializer_place(bytes, size, content);
}

int bloomfilter_serializer_place(const uint8_t *bytes, size_t size, struct file_content *content)
{
    const struct file_header *header = &content->header;
    if (header->payload_offset + header->payload_size != size) /* both far below 2^63 by now */
        return BLOOMFILTER_EDAMAGED;
    content->metadata = bytes + header->header_size;
    content->payload = bytes + header->payload_offset;
    return 0;
}

void bloomfilter_serializer_start_check(struct body_check *check, const uint8_t *bytes,
                                        const struct file_header *header,
                                        const struct secret *secret)
{
    uint64_t body_size = header->payload_offset - header->header_size + header->payload_size;
    bloomfilter_body_digest_start(&check->digest, bytes, AT_BODY_DIGEST, body_size, secret);
    check->taken = header->header_size;
}

/* Takes whole strides, and what is left when all is there. */
void bloomfilter_serializer_continue_check(struct body_check *check, const uint8_t *bytes,
                                           uint64_t size)
{
    uint64_t left = check->digest.left;
    uint64_t ready = size < check->taken ? 0 : size - check->taken;
    ready = ready < left ? ready - ready % BODY_DIGEST_STRIDE : left;
    bloomfilter_body_digest_update(&check->digest, bytes + check->taken, ready);
    check->taken += ready;
}

int bloomfilter_serializer_finish_check(struct body_check *check, const uint8_t *bytes,
                                        const struct file_content *content)
{
    const struct file_header *header = &content->header;
    uint8_t found[BODY_DIGEST_SIZE];

    bloomfilter_serializer_continue_check(check, bytes,
                                          header->payload_offset + header->payload_size);
    bloomfilter_body_digest_finish(&check->digest, found);
    return matches(found, header->body_digest, sizeof found) &&
                   bytes_are_zero(content->metadata + header->metadata_size,
                                  bloomfilter_serializer_padding_size(header)) &&
                   bloomfilter_bitset_find(header->layout)
                       ->is_padded_with_zeros(content->payload, header->bit_count)
               ? 0
               : BLOOMFILTER_EDAMAGED;
}

int bloomfilter_serializer_check_body(const uint8_t *bytes, const struct file_content *content,
                                      const struct secret *secret)
{
    struct body_check check;
    bloomfilter_serializer_start_check(&check, bytes, &content->header, secret);
    return bloomfilter_serializer_finish_check(&check, bytes, content);
}
