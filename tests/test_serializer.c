/* SPDX-License-Identifier: MIT */
/*
 * The reader and the writer of format 1, field by field. Offsets are written out here as
 * docs/format.md gives them, so that a wrong constant in the serializer is seen.
 */
#include "support.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "serializer/body_digest.h"
#include "serializer/format.h"
#include "serializer/serializer.h"

enum {
    OK = 0,
    NOT_A_FILTER = BLOOMFILTER_ENOTFILTER,
    DAMAGED = BLOOMFILTER_EDAMAGED,
    NEWER = BLOOMFILTER_ENEWER,
    UNKNOWN = BLOOMFILTER_EUNSUPPORTED,
    SECRET = BLOOMFILTER_ESECRET
};

#define MAX_METADATA ((size_t)BLOOMFILTER_MAX_METADATA_SIZE)

static const struct secret no_secret;

/* A whole file, in memory of exactly its size. */
struct file {
    uint8_t *bytes;
    size_t size;
};

static uint64_t load(const uint8_t *from, int size)
{
    uint64_t value = 0;
    for (int i = 0; i < size; i++)
        value |= (uint64_t)from[i] << (8 * i);
    return value;
}

static void store(uint8_t *to, int size, uint64_t value)
{
    for (int i = 0; i < size; i++)
        to[i] = (uint8_t)(value >> (8 * i));
}

static uint64_t bits_of(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static double double_of(uint64_t bits)
{
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static struct secret secret_of(size_t size)
{
    struct secret secret = {.size = size};
    for (size_t i = 0; i < size; i++)
        secret.bytes[i] = (uint8_t)i;
    return secret;
}

/* ---- making files */

/* Fields that differ from each other in every byte. The memory between them is `filler`. */
static struct file_content content_of(uint64_t bit_count, size_t metadata_size, uint8_t filler)
{
    struct file_content content;
    memset(&content, filler, sizeof content);
    content.header.hash = 1;
    content.header.layout = 1;
    content.header.keyed = false;
    content.header.bit_count = bit_count;
    content.header.hash_count = 7;
    content.header.capacity = UINT64_C(0x3132333435363738);
    content.header.insert_count = UINT64_C(0x4142434445464748);
    content.header.target_fpr = 0.01;
    content.header.measured_fpr = 0.0078125;
    content.header.measured_probes = UINT64_C(0x5152535455565758);
    content.header.seed = UINT64_C(0x6162636465666768);
    content.header.metadata_size = metadata_size;
    content.header.payload_size = (bit_count + 63) / 64 * 8;
    return content;
}

/* Writes a file as a caller of the serializer does. The payload is 0x55, with zeros past m. */
static struct file write_content(struct file_content *content, const struct secret *secret)
{
    struct file_header *header = &content->header;
    uint64_t total = bloomfilter_serializer_lay_out(content);
    struct file file = {.size = (size_t)total};
    file.bytes = calloc(1, file.size);
    assert_non_null(file.bytes);

    memset(file.bytes, 0xEE, 192); /* what was in the caller's buffer */
    uint8_t *metadata = file.bytes + 192;
    uint8_t *payload = file.bytes + header->payload_offset;
    memset(metadata, 'm', (size_t)header->metadata_size);
    for (uint64_t position = 0; position < header->bit_count; position += 2)
        payload[position / 8] |= (uint8_t)(1u << position % 8);
    content->metadata = header->metadata_size != 0 ? metadata : NULL;
    content->payload = payload;
    header->keyed = secret->size != 0;
    bloomfilter_serializer_write_header(content, secret, file.bytes);
    return file;
}

static struct file make_file(uint64_t bit_count, size_t metadata_size, const struct secret *secret)
{
    struct file_content content = content_of(bit_count, metadata_size, 0);
    return write_content(&content, secret);
}

/* 192 bytes of header, 10 of metadata, 54 of padding, 128 of payload whose last 24 bits are past m:
 * 384 in all. */
static struct file make_base(const struct secret *secret)
{
    struct file file = make_file(1000, 10, secret);
    assert_int_equal(file.size, 384);
    return file;
}

static struct file duplicate(const struct file *file)
{
    struct file copy = {.bytes = malloc(file->size), .size = file->size};
    assert_non_null(copy.bytes);
    memcpy(copy.bytes, file->bytes, file->size);
    return copy;
}

/* Makes an altered file consistent again: the body digest, then the header tag. */
static void reseal(struct file *file, size_t header_size, const struct secret *secret)
{
    struct body_digest digest;
    uint64_t body_size = file->size - header_size;
    bloomfilter_body_digest_start(&digest, file->bytes, 136, body_size, secret);
    bloomfilter_body_digest_update(&digest, file->bytes + header_size, body_size);
    bloomfilter_body_digest_finish(&digest, file->bytes + 136);
    bloomfilter_format_header_tag(file->bytes, header_size, secret, file->bytes + header_size - 16);
}

/* The same file with its payload as four blocks of the layout split-block. */
static struct file make_blocks(const struct secret *secret)
{
    struct file file = make_base(secret);
    store(file.bytes + 16, 4, secret->size != 0 ? 1 : 5);
    store(file.bytes + 20, 4, 2);
    store(file.bytes + 32, 8, 1024);
    store(file.bytes + 40, 4, 8);
    reseal(&file, 192, secret);
    return file;
}

static void resize(struct file *file, size_t size)
{
    file->bytes = realloc(file->bytes, size);
    assert_non_null(file->bytes);
    if (size > file->size)
        memset(file->bytes + file->size, 0, size - file->size);
    file->size = size;
}

/* A file as a later minor might write it: the same content behind a header of 256 bytes. */
static struct file make_long_header(const struct secret *secret)
{
    struct file file = make_base(secret);
    resize(&file, 448);
    memmove(file.bytes + 256, file.bytes + 192, 192);
    memset(file.bytes + 168, 0, 88);
    store(file.bytes + 12, 4, 256);
    store(file.bytes + 120, 8, 320);
    reseal(&file, 256, secret);
    return file;
}

/* ---- reading them */

static int read_header(const struct file *file, const struct secret *secret)
{
    struct file_header header;
    return bloomfilter_serializer_read_header(file->bytes, file->size, secret, &header);
}

/* What load says: the header, the sizes, then every byte. */
static int read_all(const struct file *file, const struct secret *secret)
{
    struct file_content content;
    int code = bloomfilter_serializer_read(file->bytes, file->size, secret, &content);
    return code != 0 ? code : bloomfilter_serializer_check_body(file->bytes, &content, secret);
}

static void assert_reads(const struct file *file, const struct secret *secret, int expected)
{
    assert_int_equal(read_all(file, secret), expected);
}

/* One field of an otherwise right file, and what the reader says to it. */
struct patch {
    size_t offset;
    int size;
    uint64_t value;
    int expected;
};

static void check_patches_of(const struct file *base, const struct patch patches[], size_t count)
{
    for (size_t i = 0; i < count; i++) {
        struct file file = duplicate(base);
        store(file.bytes + patches[i].offset, patches[i].size, patches[i].value);
        reseal(&file, 192, &no_secret);
        int code = read_all(&file, &no_secret);
        if (code != patches[i].expected)
            fail_msg("offset %zu, value %#llx: %d, not %d", patches[i].offset,
                     (unsigned long long)patches[i].value, code, patches[i].expected);
        free(file.bytes);
    }
}

static void check_patches(const struct patch patches[], size_t count)
{
    struct file base = make_base(&no_secret);
    check_patches_of(&base, patches, count);
    free(base.bytes);
}

#define CHECK_PATCHES(patches) check_patches(patches, sizeof(patches) / sizeof(patches)[0])

/* ---- the writer */

static void test_every_field_has_its_place(void **state)
{
    struct file_content content = content_of(1000, 10, 0xA5);
    uint8_t tag[16];
    (void)state;
    content.header.hash = 2;
    content.header.hash_count = 255;
    struct file file = write_content(&content, &no_secret);
    const uint8_t *bytes = file.bytes;

    assert_int_equal(content.header.header_size, 192);
    assert_int_equal(content.header.format_minor, 0);
    assert_int_equal(content.header.payload_offset, 256);
    assert_int_equal(file.size, 384);
    assert_memory_equal(bytes,
                        "\x89"
                        "BLOOM\r\n",
                        8);
    assert_int_equal(load(bytes + 8, 2), 1);    /* format major */
    assert_int_equal(load(bytes + 10, 2), 0);   /* format minor */
    assert_int_equal(load(bytes + 12, 4), 192); /* header_size */
    assert_int_equal(load(bytes + 16, 4), 2);   /* hash id */
    assert_int_equal(load(bytes + 20, 4), 1);   /* layout id */
    assert_int_equal(load(bytes + 24, 4), 0);   /* incompatible-feature bits */
    assert_int_equal(load(bytes + 28, 4), 0);   /* compatible-feature bits */
    assert_int_equal(load(bytes + 32, 8), 1000);
    assert_int_equal(load(bytes + 40, 4), 255);
    assert_int_equal(load(bytes + 44, 4), 1); /* body digest id */
    assert_int_equal(load(bytes + 48, 8), UINT64_C(0x3132333435363738));
    assert_int_equal(load(bytes + 56, 8), UINT64_C(0x4142434445464748));
    assert_int_equal(load(bytes + 64, 8), UINT64_C(0x3F847AE147AE147B)); /* 0.01 */
    assert_int_equal(load(bytes + 72, 8), UINT64_C(0x3F80000000000000)); /* 2^-7 */
    assert_int_equal(load(bytes + 80, 8), UINT64_C(0x5152535455565758));
    assert_int_equal(load(bytes + 88, 8), UINT64_C(0x6162636465666768));
    for (int i = 96; i < 112; i++)
        assert_int_equal(bytes[i], 0); /* secret check */
    assert_int_equal(load(bytes + 112, 8), 10);
    assert_int_equal(load(bytes + 120, 8), 256);
    assert_int_equal(load(bytes + 128, 8), 128);
    for (int i = 168; i < 176; i++)
        assert_int_equal(bytes[i], 0); /* reserved */
    bloomfilter_format_header_tag(bytes, 192, &no_secret, tag);
    assert_memory_equal(bytes + 176, tag, 16);
    free(file.bytes);
}

static void test_keyed_header(void **state)
{
    struct secret secret = secret_of(16);
    struct file keyed = make_base(&secret);
    struct file unkeyed = make_base(&no_secret);
    uint8_t check[16];
    (void)state;
    assert_int_equal(load(keyed.bytes + 24, 4), 1);
    /* blake2b(b'', digest_size=16, key=bytes(range(16)), person=b'bloom-secret') */
    from_hex("6e56914fb7f512a2490f2efb3e3e3932", check, sizeof check);
    assert_memory_equal(keyed.bytes + 96, check, 16);
    assert_memory_equal(keyed.bytes + 28, unkeyed.bytes + 28, 68);
    assert_memory_equal(keyed.bytes + 112, unkeyed.bytes + 112, 24);
    assert_memory_not_equal(keyed.bytes + 136, unkeyed.bytes + 136, 32);
    assert_memory_not_equal(keyed.bytes + 176, unkeyed.bytes + 176, 16);
    assert_memory_equal(keyed.bytes + 192, unkeyed.bytes + 192, 192);
    /* bytes(range(64)) as the key */
    secret = secret_of(64);
    bloomfilter_format_secret_check(&secret, check);
    free(keyed.bytes);
    keyed = make_base(&secret);
    assert_memory_equal(keyed.bytes + 96, check, 16);
    from_hex("cad580062c8e6105588a486a5da62e43", check, sizeof check);
    assert_memory_equal(keyed.bytes + 96, check, 16);
    free(keyed.bytes);
    free(unkeyed.bytes);
}

/* blake2b(bytes(176), digest_size=16, key=key, person=b'bloom-header'), for key=b'' and
 * key=bytes(range(16)) */
static void test_header_tag(void **state)
{
    struct secret secret = secret_of(16);
    uint8_t zeros[192] = {0};
    uint8_t expected[16];
    uint8_t tag[16];
    (void)state;
    zeros[176] = 1; /* the tag does not cover itself */
    bloomfilter_format_header_tag(zeros, 192, &no_secret, tag);
    from_hex("a7ef53acc99300b6e38717d7175d0c0b", expected, 16);
    assert_memory_equal(tag, expected, 16);
    bloomfilter_format_header_tag(zeros, 192, &secret, tag);
    from_hex("b898fe9527f34bdccfdbefd3c4740f1a", expected, 16);
    assert_memory_equal(tag, expected, 16);
}

static void test_same_filter_same_bytes(void **state)
{
    struct secret secret = secret_of(32);
    (void)state;
    for (size_t metadata_size = 0; metadata_size <= 130; metadata_size++) {
        /* Whatever lies between the fields in memory, and in fields that the writer computes. */
        struct file_content contents[2] = {content_of(777, metadata_size, 0x00),
                                           content_of(777, metadata_size, 0xA5)};
        struct file a = write_content(&contents[0], &secret);
        struct file b = write_content(&contents[1], &secret);
        assert_int_equal(a.size, b.size);
        assert_memory_equal(a.bytes, b.bytes, a.size);
        free(a.bytes);
        free(b.bytes);
    }
}

static void test_lay_out(void **state)
{
    (void)state;
    for (size_t metadata_size = 0; metadata_size <= 260; metadata_size++) {
        struct file_content content = content_of(64, metadata_size, 0);
        uint64_t total = bloomfilter_serializer_lay_out(&content);
        uint64_t offset = content.header.payload_offset;
        assert_int_equal(offset % 64, 0);
        assert_true(offset >= 192 + metadata_size && offset < 192 + metadata_size + 64);
        assert_int_equal(total, offset + 8);
        assert_int_equal(bloomfilter_serializer_padding_size(&content.header),
                         offset - 192 - metadata_size);
    }
    struct file_content largest = content_of(BLOOMFILTER_MAX_BIT_COUNT, MAX_METADATA, 0);
    assert_int_equal(bloomfilter_serializer_lay_out(&largest),
                     192 + MAX_METADATA + BLOOMFILTER_MAX_BIT_COUNT / 8);
    assert_int_equal(bloomfilter_serializer_padding_size(&largest.header), 0);
}

/* ---- writer and reader */

static void assert_same_header(const struct file_header *a, const struct file_header *b)
{
    assert_int_equal(a->format_minor, b->format_minor);
    assert_int_equal(a->header_size, b->header_size);
    assert_int_equal(a->hash, b->hash);
    assert_int_equal(a->layout, b->layout);
    assert_int_equal(a->keyed, b->keyed);
    assert_int_equal(a->bit_count, b->bit_count);
    assert_int_equal(a->hash_count, b->hash_count);
    assert_int_equal(a->capacity, b->capacity);
    assert_int_equal(a->insert_count, b->insert_count);
    assert_int_equal(bits_of(a->target_fpr), bits_of(b->target_fpr));
    assert_int_equal(bits_of(a->measured_fpr), bits_of(b->measured_fpr));
    assert_int_equal(a->measured_probes, b->measured_probes);
    assert_int_equal(a->seed, b->seed);
    assert_int_equal(a->metadata_size, b->metadata_size);
    assert_int_equal(a->payload_offset, b->payload_offset);
    assert_int_equal(a->payload_size, b->payload_size);
}

static void check_round_trip(uint64_t bit_count, size_t metadata_size, const struct secret *secret)
{
    struct file_content written = content_of(bit_count, metadata_size, 0);
    struct file_content read;
    struct file file = write_content(&written, secret);
    assert_int_equal(bloomfilter_serializer_read(file.bytes, file.size, secret, &read), 0);
    assert_same_header(&read.header, &written.header);
    assert_memory_equal(read.header.body_digest, file.bytes + 136, 32);
    assert_ptr_equal(read.metadata, file.bytes + 192);
    assert_ptr_equal(read.payload, file.bytes + (192 + metadata_size + 63) / 64 * 64);
    assert_int_equal(bloomfilter_serializer_check_body(file.bytes, &read, secret), 0);

    struct file again = write_content(&read, secret);
    assert_int_equal(again.size, file.size);
    assert_memory_equal(again.bytes, file.bytes, file.size);
    free(again.bytes);
    free(file.bytes);
}

static void test_round_trips(void **state)
{
    (void)state;
    for (size_t secret_size = 0; secret_size <= 64; secret_size += 16) {
        struct secret secret = secret_of(secret_size);
        for (size_t metadata_size = 0; metadata_size <= 130; metadata_size += 13)
            for (uint64_t bit_count = 1; bit_count <= 200; bit_count += 9)
                check_round_trip(bit_count, metadata_size, &secret);
        check_round_trip(1, MAX_METADATA, &secret);
        check_round_trip(4000003, 100000, &secret);
    }
}

static void test_any_alignment(void **state)
{
    struct secret secret = secret_of(16);
    struct file file = make_base(&secret);
    (void)state;
    for (size_t shift = 0; shift < 9; shift++) {
        uint8_t *block = malloc(file.size + shift);
        struct file shifted = {.bytes = block + shift, .size = file.size};
        memcpy(shifted.bytes, file.bytes, file.size);
        assert_reads(&shifted, &secret, OK);
        free(block);
    }
    free(file.bytes);
}

/* ---- the beginning */

static void test_beginning(void **state)
{
    struct file base = make_base(&no_secret);
    (void)state;
    /* At every cut, also as the beginning of a pipe that goes on. */
    for (size_t size = 0; size < base.size; size++) {
        uint8_t *bytes = malloc(size + 1);
        int expected = size < 8 ? NOT_A_FILTER : size < 192 ? DAMAGED : OK;
        memcpy(bytes, base.bytes, size);
        bytes = realloc(bytes, size != 0 ? size : 1);
        struct file cut = {.bytes = bytes, .size = size};
        assert_int_equal(bloomfilter_serializer_check_beginning(bytes, size, size), expected);
        assert_int_equal(bloomfilter_serializer_check_beginning(bytes, size, UINT64_MAX), expected);
        assert_int_equal(read_header(&cut, &no_secret), expected);
        assert_reads(&cut, &no_secret, size < 8 ? NOT_A_FILTER : DAMAGED);
        free(bytes);
    }
    /* header_size against the whole file, of which only the beginning is here. */
    store(base.bytes + 12, 4, 4096);
    assert_int_equal(bloomfilter_serializer_check_beginning(base.bytes, 192, 4095), DAMAGED);
    assert_int_equal(bloomfilter_serializer_check_beginning(base.bytes, 192, 4096), OK);
    assert_int_equal(bloomfilter_serializer_check_beginning(base.bytes, 192, UINT64_MAX), OK);
    store(base.bytes + 12, 4, 65536);
    assert_int_equal(bloomfilter_serializer_check_beginning(base.bytes, 192, 65535), DAMAGED);
    assert_int_equal(bloomfilter_serializer_check_beginning(base.bytes, 192, 65536), OK);
    for (uint64_t too_long = 65600; too_long <= 0xFFFFFFC0; too_long = too_long * 2 + 64) {
        store(base.bytes + 12, 4, too_long);
        assert_int_equal(bloomfilter_serializer_check_beginning(base.bytes, 192, UINT64_MAX),
                         DAMAGED);
    }
    free(base.bytes);
}

/* Ten bytes tell a later format, whatever follows or does not. */
static void test_later_formats(void **state)
{
    static const struct {
        uint64_t major;
        int short_of_header;
        int whole;
    } rows[] = {
        {0, DAMAGED, DAMAGED}, {1, DAMAGED, OK},       {2, NEWER, NEWER},
        {255, NEWER, NEWER},   {256, NEWER, NEWER},    {257, NEWER, NEWER},
        {512, NEWER, NEWER},   {0x8001, NEWER, NEWER}, {0xFFFF, NEWER, NEWER},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct file file = make_base(&no_secret);
        store(file.bytes + 8, 2, rows[i].major);
        reseal(&file, 192, &no_secret);
        assert_reads(&file, &no_secret, rows[i].whole);
        resize(&file, 191);
        assert_reads(&file, &no_secret, rows[i].short_of_header);
        resize(&file, 10);
        assert_reads(&file, &no_secret, rows[i].short_of_header);
        resize(&file, 9);
        assert_reads(&file, &no_secret, DAMAGED);
        free(file.bytes);
    }
}

static void test_header_size(void **state)
{
    static const uint32_t wrong[] = {0,   1,   64,  128, 191,        193,        255,       257,
                                     385, 448, 512, 576, 0x80000000, 0xFFFFFFC0, 0xFFFFFFFF};
    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        struct file file = make_base(&no_secret);
        store(file.bytes + 12, 4, wrong[i]);
        reseal(&file, 192, &no_secret);
        assert_reads(&file, &no_secret, DAMAGED);
        assert_int_equal(read_header(&file, NULL), DAMAGED);
        free(file.bytes);
    }
    /* A size that could be right, with a tag that is right for it, but sizes that do not follow. */
    for (uint32_t header_size = 256; header_size <= 384; header_size += 64) {
        struct file file = make_base(&no_secret);
        store(file.bytes + 12, 4, header_size);
        store(file.bytes + 10, 2, 1);
        reseal(&file, header_size, &no_secret);
        assert_reads(&file, &no_secret, DAMAGED);
        free(file.bytes);
    }
}

/* Whole in all else: the tag is where the size says, and the sizes follow from it. */
static void test_header_size_is_a_multiple_of_64(void **state)
{
    (void)state;
    for (uint32_t header_size = 193; header_size <= 256; header_size++) {
        struct file file = make_file(1000, 64, &no_secret);
        assert_int_equal(file.size, 384);
        store(file.bytes + 10, 2, 1);
        store(file.bytes + 12, 4, header_size);
        store(file.bytes + 112, 8, 256 - header_size);
        reseal(&file, header_size, &no_secret);
        assert_reads(&file, &no_secret, header_size == 256 ? OK : DAMAGED);
        free(file.bytes);
    }
}

/* ---- fields */

static void test_ids(void **state)
{
    static const struct patch patches[] = {
        {16, 4, 0, UNKNOWN},
        {16, 4, 1, OK},
        {16, 4, 2, OK},
        {16, 4, 3, OK},
        {16, 4, 4, OK},
        {16, 4, 5, UNKNOWN}, /* known, but not with this layout */
        {16, 4, 6, UNKNOWN},
        {16, 4, 257, UNKNOWN},
        {16, 4, 65537, UNKNOWN},
        {16, 4, 0x80000001, UNKNOWN},
        {20, 4, 0, UNKNOWN},
        {20, 4, 1, OK},
        {20, 4, 2, DAMAGED}, /* known, but not with this bit_count */
        {20, 4, 3, UNKNOWN},
        {20, 4, 257, UNKNOWN},
        {20, 4, 0x80000001, UNKNOWN},
        {44, 4, 0, UNKNOWN},
        {44, 4, 1, OK},
        {44, 4, 2, UNKNOWN},
        {44, 4, 257, UNKNOWN},
        {44, 4, 65537, UNKNOWN},
        {44, 4, 0x80000001, UNKNOWN},
        {16, 4, UINT32_MAX, UNKNOWN},
    };
    (void)state;
    CHECK_PATCHES(patches);
}

static void test_feature_bits(void **state)
{
    (void)state;
    for (int bit = 0; bit < 32; bit++) {
        struct patch incompatible = {24, 4, UINT64_C(1) << bit, bit == 0 ? SECRET : UNKNOWN};
        struct patch compatible = {28, 4, UINT64_C(1) << bit, OK};
        check_patches(&incompatible, 1);
        check_patches(&compatible, 1);
    }
    struct patch all = {28, 4, UINT32_MAX, OK};
    check_patches(&all, 1);
}

static void test_bit_count(void **state)
{
    const uint64_t largest = BLOOMFILTER_MAX_BIT_COUNT;
    const struct patch patches[] = {
        {32, 8, 0, DAMAGED},
        {32, 8, 1, DAMAGED},   /* 8 bytes of payload, not 128 */
        {32, 8, 960, DAMAGED}, /* 120 */
        {32, 8, 961, DAMAGED}, /* 128, but bits past m are set */
        {32, 8, 999, OK},      /* the last bit set is 998 */
        {32, 8, 998, DAMAGED},
        {32, 8, 1000, OK},
        {32, 8, 1024, OK},
        {32, 8, 1025, DAMAGED}, /* 136 */
        {32, 8, UINT64_C(1) << 32, DAMAGED},
        {32, 8, (UINT64_C(1) << 32) + 1000, DAMAGED},
        {32, 8, largest, DAMAGED},
        {32, 8, largest + 1, DAMAGED},
        {32, 8, UINT64_C(1) << 63, DAMAGED},
        {32, 8, UINT64_MAX - 62, DAMAGED}, /* + 63 wraps to 0 */
        {32, 8, UINT64_MAX, DAMAGED},
    };
    (void)state;
    CHECK_PATCHES(patches);
}

/* The header of a file too large to have, which may be looked at alone. */
static void test_largest_bit_count(void **state)
{
    const uint64_t largest = BLOOMFILTER_MAX_BIT_COUNT;
    (void)state;
    struct file file = make_base(&no_secret);
    store(file.bytes + 32, 8, largest);
    store(file.bytes + 128, 8, largest / 8);
    reseal(&file, 192, &no_secret);
    assert_int_equal(read_header(&file, &no_secret), OK);
    assert_reads(&file, &no_secret, DAMAGED);
    store(file.bytes + 32, 8, largest + 1);
    store(file.bytes + 128, 8, largest / 8 + 8);
    reseal(&file, 192, &no_secret);
    assert_int_equal(read_header(&file, &no_secret), DAMAGED);
    /* bit_count + 63 wraps, so that no payload at all would do. */
    store(file.bytes + 32, 8, UINT64_MAX - 62);
    store(file.bytes + 128, 8, 0);
    resize(&file, 256);
    reseal(&file, 192, &no_secret);
    assert_int_equal(read_header(&file, &no_secret), DAMAGED);
    assert_reads(&file, &no_secret, DAMAGED);
    /* No bits and no payload agree, and are no filter. */
    store(file.bytes + 32, 8, 0);
    reseal(&file, 192, &no_secret);
    assert_reads(&file, &no_secret, DAMAGED);
    free(file.bytes);
}

static void test_whole_numbers(void **state)
{
    static const struct patch patches[] = {
        {40, 4, 0, DAMAGED},
        {40, 4, 1, OK},
        {40, 4, 255, OK},
        {40, 4, 256, DAMAGED},
        {40, 4, 257, DAMAGED},
        {40, 4, 65537, DAMAGED},
        {40, 4, 0x01000001, DAMAGED},
        {40, 4, UINT32_MAX, DAMAGED},
        {48, 8, 0, DAMAGED}, /* capacity */
        {48, 8, 1, OK},
        {48, 8, UINT64_C(1) << 63, OK},
        {48, 8, UINT64_MAX, OK},
        {56, 8, 0, OK}, /* insert_count */
        {56, 8, UINT64_MAX, OK},
        {80, 8, 0, OK}, /* measured_probes */
        {80, 8, UINT64_MAX, OK},
        {88, 8, 0, OK}, /* seed */
        {88, 8, UINT64_MAX, OK},
        {10, 2, 0, OK}, /* minor */
        {10, 2, 1, OK},
        {10, 2, 65535, OK},
    };
    (void)state;
    CHECK_PATCHES(patches);
}

static void test_rates(void **state)
{
    const struct patch patches[] = {
        {64, 8, bits_of(0.0), DAMAGED}, /* target_fpr */
        {64, 8, bits_of(-0.0), DAMAGED},
        {64, 8, bits_of(0x1p-1074), OK},
        {64, 8, bits_of(-0x1p-1074), DAMAGED},
        {64, 8, bits_of(DBL_MIN), OK},
        {64, 8, bits_of(1.0 - DBL_EPSILON / 2), OK},
        {64, 8, bits_of(1.0), DAMAGED},
        {64, 8, bits_of(1.0 + DBL_EPSILON), DAMAGED},
        {64, 8, bits_of(2.0), DAMAGED},
        {64, 8, bits_of(-0.5), DAMAGED},
        {64, 8, bits_of(INFINITY), DAMAGED},
        {64, 8, bits_of(-INFINITY), DAMAGED},
        {64, 8, UINT64_C(0x7FF8000000000000), DAMAGED},
        {64, 8, UINT64_C(0xFFF8000000000000), DAMAGED},
        {64, 8, UINT64_C(0x7FF0000000000001), DAMAGED},
        {72, 8, bits_of(0.0), OK},       /* measured_fpr */
        {72, 8, bits_of(-0.0), DAMAGED}, /* zero has one form */
        {72, 8, bits_of(0x1p-1074), OK},
        {72, 8, bits_of(-0x1p-1074), DAMAGED},
        {72, 8, bits_of(-DBL_EPSILON), DAMAGED},
        {72, 8, bits_of(1.0), OK},
        {72, 8, bits_of(1.0 + DBL_EPSILON), DAMAGED},
        {72, 8, bits_of(INFINITY), DAMAGED},
        {72, 8, bits_of(-INFINITY), DAMAGED},
    };
    (void)state;
    CHECK_PATCHES(patches);
}

/* Every NaN reads as never measured; only one is written. */
static void test_nans_are_made_one(void **state)
{
    static const uint64_t nans[] = {
        UINT64_C(0x7FF8000000000000), UINT64_C(0xFFF8000000000000), UINT64_C(0x7FF0000000000001),
        UINT64_C(0xFFF0000000000001), UINT64_C(0x7FFFFFFFFFFFFFFF), UINT64_C(0xFFFFFFFFFFFFFFFF),
        UINT64_C(0x7FF8000000000001), UINT64_C(0x7FF4000000000000),
    };
    struct file_content content = content_of(1000, 10, 0);
    (void)state;
    content.header.measured_fpr = (double)NAN;
    struct file canonical = write_content(&content, &no_secret);
    assert_int_equal(load(canonical.bytes + 72, 8), UINT64_C(0x7FF8000000000000));
    for (size_t i = 0; i < sizeof nans / sizeof nans[0]; i++) {
        struct file file = duplicate(&canonical);
        struct file_content read;
        store(file.bytes + 72, 8, nans[i]);
        reseal(&file, 192, &no_secret);
        assert_int_equal(bloomfilter_serializer_read(file.bytes, file.size, &no_secret, &read), 0);
        assert_true(isnan(read.header.measured_fpr));
        struct file again = write_content(&read, &no_secret);
        assert_memory_equal(again.bytes, canonical.bytes, canonical.size);
        free(again.bytes);
        free(file.bytes);

        content.header.measured_fpr = double_of(nans[i]);
        again = write_content(&content, &no_secret);
        assert_memory_equal(again.bytes, canonical.bytes, canonical.size);
        free(again.bytes);
    }
    free(canonical.bytes);
}

static void test_reserved_bytes(void **state)
{
    (void)state;
    for (size_t offset = 168; offset < 176; offset++)
        for (int bit = 0; bit < 8; bit++)
            for (uint64_t minor = 0; minor <= 2; minor++) {
                struct file file = make_base(&no_secret);
                store(file.bytes + 10, 2, minor);
                file.bytes[offset] = (uint8_t)(1u << bit);
                reseal(&file, 192, &no_secret);
                assert_reads(&file, &no_secret, minor == 0 ? DAMAGED : OK);
                free(file.bytes);
            }
}

static void test_longer_headers(void **state)
{
    struct secret secrets[2] = {secret_of(0), secret_of(20)};
    (void)state;
    for (size_t s = 0; s < 2; s++) {
        struct file base = make_long_header(&secrets[s]);
        struct file short_one = make_base(&secrets[s]);
        struct file_content content;
        assert_int_equal(base.size, 448);
        assert_reads(&base, &secrets[s], OK); /* 1.0 does not forbid it */
        for (size_t offset = 168; offset < 240; offset++)
            for (uint64_t minor = 0; minor <= 1; minor++) {
                struct file file = duplicate(&base);
                store(file.bytes + 10, 2, minor);
                file.bytes[offset] = 0x80;
                assert_reads(&file, &secrets[s], DAMAGED); /* the tag covers the room */
                reseal(&file, 256, &secrets[s]);
                assert_reads(&file, &secrets[s], minor == 0 ? DAMAGED : OK);
                free(file.bytes);
            }
        /* Written again, it is a file of this release. */
        store(base.bytes + 10, 2, 9);
        store(base.bytes + 28, 4, 0xFFFF);
        memset(base.bytes + 168, 0xEE, 72);
        reseal(&base, 256, &secrets[s]);
        assert_int_equal(bloomfilter_serializer_read(base.bytes, base.size, &secrets[s], &content),
                         0);
        assert_int_equal(content.header.format_minor, 9);
        assert_int_equal(content.header.header_size, 256);
        assert_ptr_equal(content.metadata, base.bytes + 256);
        assert_ptr_equal(content.payload, base.bytes + 320);
        struct file again = write_content(&content, &secrets[s]);
        assert_int_equal(again.size, short_one.size);
        assert_memory_equal(again.bytes, short_one.bytes, short_one.size);
        free(again.bytes);
        free(short_one.bytes);
        free(base.bytes);
    }
}

/* ---- sizes */

static void test_sizes(void **state)
{
    static const struct patch patches[] = {
        {112, 8, 0, DAMAGED}, /* metadata_size: the payload would begin at 192 */
        {112, 8, 1, DAMAGED}, /* the metadata would be padded with 'm' */
        {112, 8, 9, DAMAGED},
        {112, 8, 10, OK},
        {112, 8, 11, OK}, /* a zero more */
        {112, 8, 64, OK},
        {112, 8, 65, DAMAGED},
        {112, 8, 192, DAMAGED},
        {112, 8, BLOOMFILTER_MAX_METADATA_SIZE, DAMAGED},
        {112, 8, BLOOMFILTER_MAX_METADATA_SIZE + 1, DAMAGED},
        {112, 8, (UINT64_C(1) << 32) + 10, DAMAGED},
        {112, 8, (UINT64_C(1) << 63) + 10, DAMAGED},
        {112, 8, UINT64_MAX - 191, DAMAGED}, /* + 192 wraps to 0 */
        {112, 8, UINT64_MAX - 127, DAMAGED}, /* + 192 wraps to 64 */
        {112, 8, UINT64_MAX - 255, DAMAGED}, /* + 192 does not, rounding up does not */
        {112, 8, UINT64_MAX - 254, DAMAGED}, /* rounding up does */
        {112, 8, UINT64_MAX, DAMAGED},
        {120, 8, 0, DAMAGED}, /* payload_offset */
        {120, 8, 64, DAMAGED},
        {120, 8, 192, DAMAGED},
        {120, 8, 202, DAMAGED},
        {120, 8, 255, DAMAGED},
        {120, 8, 256, OK},
        {120, 8, 257, DAMAGED},
        {120, 8, 320, DAMAGED},
        {120, 8, (UINT64_C(1) << 32) + 256, DAMAGED},
        {120, 8, UINT64_MAX - 127, DAMAGED}, /* + 128 wraps to 0 */
        {120, 8, UINT64_MAX, DAMAGED},
        {128, 8, 0, DAMAGED}, /* payload_size */
        {128, 8, 120, DAMAGED},
        {128, 8, 125, DAMAGED},
        {128, 8, 127, DAMAGED},
        {128, 8, 128, OK},
        {128, 8, 129, DAMAGED},
        {128, 8, 136, DAMAGED},
        {128, 8, (UINT64_C(1) << 32) + 128, DAMAGED},
        {128, 8, UINT64_MAX - 255, DAMAGED}, /* + 256 wraps to 0 */
        {128, 8, UINT64_MAX, DAMAGED},
    };
    (void)state;
    CHECK_PATCHES(patches);
}

/* The 128 bytes of payload as four blocks: what that layout asks for beyond the flat one. */
static void test_blocks(void **state)
{
    static const struct patch patches[] = {
        {16, 4, 1, OK},
        {16, 4, 2, UNKNOWN}, /* known, but not with this layout */
        {16, 4, 3, UNKNOWN},
        {16, 4, 4, OK},
        {16, 4, 5, OK},
        {20, 4, 1, UNKNOWN}, /* known, but not with this scheme */
        {20, 4, 2, OK},
        {32, 8, 0, DAMAGED}, /* bit_count */
        {32, 8, 256, DAMAGED},
        {32, 8, 768, DAMAGED},
        {32, 8, 1000, DAMAGED},
        {32, 8, 1016, DAMAGED},
        {32, 8, 1023, DAMAGED},
        {32, 8, 1024, OK},
        {32, 8, 1025, DAMAGED},
        {32, 8, 1280, DAMAGED},
        {32, 8, (UINT64_C(1) << 32) + 1024, DAMAGED},
        {32, 8, (UINT64_C(1) << 63) + 1024, DAMAGED},
        {32, 8, UINT64_MAX - 255, DAMAGED},
        {40, 4, 0, DAMAGED}, /* hash_count */
        {40, 4, 1, DAMAGED},
        {40, 4, 7, DAMAGED},
        {40, 4, 8, OK},
        {40, 4, 9, DAMAGED},
        {40, 4, 16, DAMAGED},
        {40, 4, 264, DAMAGED},
        {40, 4, 65544, DAMAGED},
        {128, 8, 0, DAMAGED}, /* payload_size */
        {128, 8, 96, DAMAGED},
        {128, 8, 127, DAMAGED},
        {128, 8, 128, OK},
        {128, 8, 160, DAMAGED},
        {128, 8, 1024, DAMAGED},
        {128, 8, (UINT64_C(1) << 32) + 128, DAMAGED},
    };
    struct file base = make_blocks(&no_secret);
    (void)state;
    check_patches_of(&base, patches, sizeof patches / sizeof patches[0]);
    free(base.bytes);
}

/* A whole file of another number of blocks than bit_count says. */
static void test_blocks_that_are_too_few_or_too_many(void **state)
{
    (void)state;
    for (size_t blocks = 0; blocks <= 8; blocks++) {
        struct file file = make_blocks(&no_secret);
        resize(&file, 256 + blocks * 32);
        store(file.bytes + 128, 8, blocks * 32);
        reseal(&file, 192, &no_secret);
        assert_reads(&file, &no_secret, blocks == 4 ? OK : DAMAGED);
        store(file.bytes + 32, 8, blocks * 256);
        reseal(&file, 192, &no_secret);
        assert_reads(&file, &no_secret, blocks != 0 ? OK : DAMAGED);
        free(file.bytes);
    }
}

/* The header of a file too large to have: a block is chosen by 32 bits. */
static void test_largest_blocks(void **state)
{
    const uint64_t largest = UINT64_C(1) << 40;
    struct file file = make_blocks(&no_secret);
    (void)state;
    store(file.bytes + 32, 8, largest);
    store(file.bytes + 128, 8, largest / 8);
    reseal(&file, 192, &no_secret);
    assert_int_equal(read_header(&file, &no_secret), OK);
    assert_reads(&file, &no_secret, DAMAGED);
    store(file.bytes + 32, 8, largest + 256);
    store(file.bytes + 128, 8, largest / 8 + 32);
    reseal(&file, 192, &no_secret);
    assert_int_equal(read_header(&file, &no_secret), DAMAGED);
    free(file.bytes);
}

/* Sizes that wrap around to what the file has. */
static void test_sizes_that_wrap(void **state)
{
    struct file file = make_base(&no_secret);
    (void)state;
    /* 192 + metadata_size = 64 modulo 2^64, and 64 + 320 = 384. */
    store(file.bytes + 112, 8, UINT64_MAX - 127);
    store(file.bytes + 120, 8, 64);
    store(file.bytes + 128, 8, 320);
    store(file.bytes + 32, 8, 320 * 8);
    reseal(&file, 192, &no_secret);
    assert_reads(&file, &no_secret, DAMAGED);
    assert_int_equal(read_header(&file, &no_secret), DAMAGED);
    /* 192 + metadata_size rounds up to 0, and the payload is the whole file. */
    store(file.bytes + 112, 8, UINT64_MAX - 200);
    store(file.bytes + 120, 8, 0);
    store(file.bytes + 128, 8, 384);
    store(file.bytes + 32, 8, 384 * 8);
    reseal(&file, 192, &no_secret);
    assert_reads(&file, &no_secret, DAMAGED);
    /* An offset and a payload whose sum is the size modulo 2^64. */
    store(file.bytes + 112, 8, 10);
    store(file.bytes + 120, 8, UINT64_MAX - 127);
    store(file.bytes + 128, 8, 512);
    store(file.bytes + 32, 8, 512 * 8);
    reseal(&file, 192, &no_secret);
    assert_reads(&file, &no_secret, DAMAGED);
    free(file.bytes);
}

static void test_size_of_input(void **state)
{
    static const size_t wrong[] = {192, 193, 255, 256, 257, 320, 383, 385, 392, 448, 4096};
    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        struct file file = make_base(&no_secret);
        resize(&file, wrong[i]);
        assert_int_equal(read_header(&file, &no_secret), OK);
        assert_reads(&file, &no_secret, DAMAGED);
        reseal(&file, 192, &no_secret); /* the digest of what is there does not help */
        assert_reads(&file, &no_secret, DAMAGED);
        free(file.bytes);
    }
}

static void test_largest_metadata(void **state)
{
    struct file file = make_file(64, MAX_METADATA, &no_secret);
    (void)state;
    assert_int_equal(file.size, 192 + MAX_METADATA + 8);
    assert_reads(&file, &no_secret, OK);
    free(file.bytes);
    /* The writer does not judge; the reader does, even if all is consistent. */
    file = make_file(64, MAX_METADATA + 1, &no_secret);
    assert_reads(&file, &no_secret, DAMAGED);
    assert_int_equal(read_header(&file, &no_secret), DAMAGED);
    free(file.bytes);
}

/* ---- the body */

static void test_padding(void **state)
{
    struct secret secrets[2] = {secret_of(0), secret_of(16)};
    (void)state;
    for (size_t s = 0; s < 2; s++)
        for (size_t offset = 202; offset < 256; offset++) {
            struct file file = make_base(&secrets[s]);
            file.bytes[offset] = 1;
            reseal(&file, 192, &secrets[s]);
            assert_reads(&file, &secrets[s], DAMAGED);
            free(file.bytes);
        }
}

static void test_bits_past_bit_count(void **state)
{
    (void)state;
    for (uint64_t bit_count = 937; bit_count <= 1000; bit_count += 7)
        for (uint64_t position = bit_count; position < (bit_count + 63) / 64 * 64; position++) {
            struct file file = make_file(bit_count, 0, &no_secret);
            file.bytes[192 + position / 8] |= (uint8_t)(1u << position % 8);
            reseal(&file, 192, &no_secret);
            assert_int_equal(read_header(&file, &no_secret), OK);
            assert_reads(&file, &no_secret, DAMAGED);
            free(file.bytes);
        }
}

static void test_every_bit_of_the_body(void **state)
{
    struct secret secrets[2] = {secret_of(0), secret_of(16)};
    (void)state;
    for (size_t s = 0; s < 2; s++) {
        struct file file = make_base(&secrets[s]);
        for (size_t bit = 192 * 8; bit < file.size * 8; bit++) {
            struct file_content content;
            file.bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
            assert_int_equal(
                bloomfilter_serializer_read(file.bytes, file.size, &secrets[s], &content), 0);
            assert_reads(&file, &secrets[s], DAMAGED);
            file.bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
        }
        assert_reads(&file, &secrets[s], OK);
        free(file.bytes);
    }
}

/* The digest that goes with a header goes with no other: bytes 0 to 135 are in it. */
static void test_body_of_another_header(void **state)
{
    struct file a = make_base(&no_secret);
    struct file b = make_base(&no_secret);
    (void)state;
    store(b.bytes + 56, 8, 1);
    reseal(&b, 192, &no_secret);
    memcpy(b.bytes + 136, a.bytes + 136, 32);
    bloomfilter_format_header_tag(b.bytes, 192, &no_secret, b.bytes + 176);
    assert_int_equal(read_header(&b, &no_secret), OK);
    assert_reads(&b, &no_secret, DAMAGED);
    free(a.bytes);
    free(b.bytes);
}

/*
 * The digest of bodies about the borders of leaves, made by Python's hashlib:
 *
 *     tree = dict(digest_size=32, person=b'bloom-body', fanout=0, depth=2, leaf_size=65536,
 *                 inner_size=32)
 *     body = bytes(i * i % 251 for i in range(n))
 *     leaves = [body[i:i + 65536] for i in range(0, n, 65536)] or [b'']
 *     digests = [blake2b(leaf, node_offset=i, node_depth=0, last_node=i == len(leaves) - 1,
 *                        **tree).digest() for i, leaf in enumerate(leaves)]
 *     blake2b(bytes(range(136)) + b''.join(digests), node_depth=1, last_node=True, key=key, **tree)
 *
 * for key=b'' and key=bytes(range(16)).
 */
static const struct {
    size_t size;
    const char *unkeyed;
    const char *keyed;
} bodies[] = {
    {0, "b6d4df759a80cc595e4fc3e01ff7339775c73e79f5bad010b840e973eb992503",
     "c44f9afdac2aee428a115c4c961b9ff9b9661fbc2748a190991f2bce9e9dd1be"},
    {1, "61682a8c65c1162929e8a39c398914a8be654e92b4880afd0f953c5ed160133d",
     "660bc8039e21f1cf34904f69b9d6f888a00bb130847918af39b6c3e29b4d6904"},
    {127, "d6d0f2473eaabbafac35dbb1e1655d4e75aa29d075c9a3b2b2cf38bee2358c50",
     "8f30cc0ad8bf59f3465e514b475acbdd1c42ed73ce28559e18832f62409547f6"},
    {128, "dfe0e4f5048d87bc179751c26328e41752cf43f0228200c08639d8356790b4b2",
     "b1cc3dae0f7b74331810d4c5492a947acfabcf8a391f7562ad67874f1b00f6a8"},
    {129, "e1070241c31c6bc2a8b42a959b60caadc74556b127618ecfd33f9d95090a9cef",
     "325c178f510647950b2a029e69c8a85adba9945ab153239856021116be87afc5"},
    {65535, "bdaaed43857edd3cb84efebabe0c62e231ed78b52c0897db6dfd68bce4840fbf",
     "859581bb3b69874ccb7c30cbdfb9d617ddfc63ee3f80efce0ed91e9673d91f05"},
    {65536, "eeb2a133ad73b43af054e4257222616a16e586443f690e5756953799e45383f7",
     "8a4130e0b83733fc3f024ba6330e2f31e4ffc1c5d38247766d52830e1a36c620"},
    {65537, "62501d4689bf63fd955e8c7ae9b93319e4e860d95d7eb32ed896621aa0d5635e",
     "7fc52d3377889c0198ffb49745e42dd743a8c9e62a0fbfb7969adaeab5e8ce93"},
    {131071, "8b9c746f8a115b80e10deb59b53161c910b4b38e85a24f2e6db8058cbae61e07",
     "e6951b79832eee53b047aaa8c49a7030dad0c768e47078c84e6d4eadd659be44"},
    {131072, "f8f22463defc591b5f19508dbf25b0cf28ec421da583558a75c6c065b49e3a8a",
     "80ea97a5e4c5d405053ab6095e50edae7932c3cc3a1b1c4f88c8a4e403c39400"},
    {131073, "5bad9e89e886ded2a198e21bb82bea7af54f35c2ba55f1974a4be3321ddf0aa7",
     "f8f5c8e9e4cdc91b0c4e0357e473843ae7a70fe048fcd72a50651af23882685e"},
    {196608, "006d5da03211c30ebc02620e94a97379d62a5dd01094df148fe4d0c0b1ba898c",
     "85df4121dd3939803d8742e6063049a2e5d058a9ade0d724258cfa205ee25b08"},
    {200000, "eb52a8b180b1c02d09369dc94bf0bad40a20f5cd8d5ac0e9d5b04a8e5863d036",
     "83cecd4b599078dfba7899b92a942e4afe1681d7677485495463847f0cdfbec1"},
    {327807, "15906ee9d264fc16017b1856125fb597476f970133b247eda58c2874b2f63508",
     "28cadd3ae28bd532f5e118ffb7f0362977c4c9c62b99285a5ba22c10e419446e"},
    {524287, "ab2158a5f65ad161c03464c26eb0223e1dcc642e46a43425b077579876ff55eb",
     "dc308b6b43e1dd41ab4ac5f1102082e1977169ff5f44a6dbde39355d02523bf9"},
    {524288, "c8cebf81e6513a223eae2abeb3be830793640f73d0fe3ef29a0f192a3bc20ece",
     "102bd35e60493c9eaf1276745a84b15464e7a2df51ef82ff8de07e25c12551f2"},
    {524289, "ad01ba594c57374e956c20f6a580da4d83fa19cab3a3324ac71a17b854b5dab1",
     "526350e56906718abfa94eddb5e0377cb5b373853ddf93b9d488a90816cb7450"},
    {589824, "7191b98afdc696924a120684b055260f087badade5a9c5f30ee76d8fead73e99",
     "f5458e7c5cdbe2ddacc8a90a2d4317990ee60c898ca6b4fe696ea9a1fe9f81da"},
    {655232, "d298c00e12d7ea6a55c73cfe78a7ada4059df2a6d6ea0f7a04115da738f2aa0d",
     "b776f1089121b843bc62ddbdddf16980e29a0ba22373ab6b248f0e693450948f"},
    {983041, "301c299b5792c5fc948fa806869839b99f4d965bb98397a8147490b2480115d4",
     "3fba91caaa41a87c39798b1e2c32717ccd6afae72e72e8de485171ea19c2eabf"},
    {983167, "0fd1dfcb4d816acf6b00fd8a126ef1266ea4c2e1454e1f217449d35ab285d144",
     "44b160312e773ea57d98585b70983d9b03f62edb35630e7bcbbe88418fefaa89"},
    {983168, "08f2d333ee4b937942686ee58048276e371b422960c888c1422f1430b79731de",
     "fab8c13318c7b5bf00c058f14a06c0f9aaefbdda64926528d913799c3b59ba84"},
    {983169, "5044d94bf12429118452885ebddebf3a7e888fb9c6f4170f6d22217f6d136790",
     "93d7b2cf1b4b7881a20464c57b38b5356de8421b7053572e120b662b725f65f6"},
    {1048575, "f21bb69ce9ff453665d6327826a27c5333d2db950e0bc0e0cc0538dfb609688f",
     "d5617a73c40872b1af4fcf24c7466c569996254e234455a44d4767b64efbd55f"},
    {1048576, "5b20bb1407cafa5d6eeabf80d7aa175bd08b055d899f174abbb90d2ec2a31e3c",
     "121dd10bb3e2d997d69d17b98135c618ef9153fb64ce1cc2e056e4273d7c6253"},
    {1048577, "79db3dac43caead1ca833c6f99c7bdefdb1a5caf800f160a3e8dae2aafbada6f",
     "fb79f845d16964ef10c7f383fbe7fcfec8dd6275ea2a2b5a22967a4780fa6818"},
    {1114241, "0e11d509dee1a17e1a8fd92bf541972074b323c326472048fcfb28fe20e75bb4",
     "24cc8fe8bb78397652beffdb775d073b6b21a725491e263c1dc0ce22350b6c67"},
    {2293760, "865f7b0ba002f12782498b10bc23fb8287ee0681128fce1565a67e8f35c029ae",
     "8284c7dbce9a560497dcb68cf54fe9c2445695186cf4244cd9df5c9ed16dd4c8"},
};

/* The digest of a body given in pieces of `piece` bytes, or of growing ones if that is 0. */
static void digest_body(const uint8_t *body, size_t size, size_t piece, const struct secret *secret,
                        uint8_t found[32])
{
    uint8_t prefix[136];
    struct body_digest digest;
    size_t next = piece != 0 ? piece : 1;
    for (size_t i = 0; i < sizeof prefix; i++)
        prefix[i] = (uint8_t)i;
    bloomfilter_body_digest_start(&digest, prefix, sizeof prefix, size, secret);
    for (size_t done = 0; done < size;) {
        size_t part = next < size - done ? next : size - done;
        bloomfilter_body_digest_update(&digest, body + done, part);
        bloomfilter_body_digest_update(&digest, NULL, 0);
        done += part;
        if (piece == 0)
            next = next * 3 + 1;
    }
    bloomfilter_body_digest_finish(&digest, found);
}

static void test_body_digest(void **state)
{
    static const size_t pieces[] = {0,     1,     7,      64,     1000,   65535,
                                    65536, 65537, 131071, 200000, 2293760};
    static uint8_t body[2293760];
    struct secret secret = secret_of(16);
    (void)state;
    for (uint64_t i = 0; i < sizeof body; i++)
        body[i] = (uint8_t)(i * i % 251);
    for (size_t b = 0; b < sizeof bodies / sizeof bodies[0]; b++) {
        uint8_t unkeyed[32];
        uint8_t keyed[32];
        from_hex(bodies[b].unkeyed, unkeyed, sizeof unkeyed);
        from_hex(bodies[b].keyed, keyed, sizeof keyed);
        for (size_t p = 0; p < sizeof pieces / sizeof pieces[0]; p++) {
            uint8_t found[32];
            digest_body(body, bodies[b].size, pieces[p], &no_secret, found);
            assert_memory_equal(found, unkeyed, sizeof found);
            digest_body(body, bodies[b].size, pieces[p], &secret, found);
            assert_memory_equal(found, keyed, sizeof found);
        }
    }
}

/* Files whose body ends about the border of a leaf, with the border in metadata, zeros, payload. */
static void test_files_about_leaf_borders(void **state)
{
    static const size_t metadata_sizes[] = {0, 65400, 65472, 65473, 65535, 65536, 65537, 131072};
    (void)state;
    for (size_t i = 0; i < sizeof metadata_sizes / sizeof metadata_sizes[0]; i++)
        for (size_t words = 1; words <= 3; words++)
            check_round_trip(64 * words, metadata_sizes[i], &no_secret);
    for (uint64_t words = 8190; words <= 8194; words++)
        check_round_trip(64 * words, 0, &no_secret);
}

/* Shows a file to the check in pieces of so many bytes, and more than the file in the end. */
static int check_in_pieces(const struct file *file, const struct secret *secret, size_t piece)
{
    struct file_content content;
    struct body_check check;
    assert_int_equal(bloomfilter_serializer_read(file->bytes, file->size, secret, &content), 0);
    bloomfilter_serializer_start_check(&check, file->bytes, &content.header, secret);
    for (size_t shown = 0; shown < file->size + piece; shown += piece)
        bloomfilter_serializer_continue_check(&check, file->bytes, shown);
    assert_int_equal(check.taken, file->size);
    bloomfilter_serializer_continue_check(&check, file->bytes, file->size);
    bloomfilter_serializer_continue_check(&check, file->bytes, 0);
    assert_int_equal(check.taken, file->size);
    return bloomfilter_serializer_finish_check(&check, file->bytes, &content);
}

static void test_body_that_comes_in_pieces(void **state)
{
    enum { STRIDE = 16 * 65536, PAYLOAD_WORDS = 3 * STRIDE / 8 + 9 };
    static const size_t pieces[] = {9973, 65536, STRIDE - 1, STRIDE, STRIDE + 193, 5 * STRIDE};
    static const size_t damage[] = {192, 255, STRIDE + 191, STRIDE + 192, 2 * STRIDE, 3 * STRIDE};
    const struct secret secrets[] = {no_secret, secret_of(32)};
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        struct file file = make_file(64 * (uint64_t)PAYLOAD_WORDS, 100, &secrets[i]);
        for (size_t j = 0; j < sizeof pieces / sizeof pieces[0]; j++) {
            assert_int_equal(check_in_pieces(&file, &secrets[i], pieces[j]), OK);
            for (size_t d = 0; d < sizeof damage / sizeof damage[0]; d++) {
                file.bytes[damage[d]] ^= 0x10;
                assert_int_equal(check_in_pieces(&file, &secrets[i], pieces[j]), DAMAGED);
                file.bytes[damage[d]] ^= 0x10;
            }
            file.bytes[file.size - 1] ^= 0x80;
            assert_int_equal(check_in_pieces(&file, &secrets[i], pieces[j]), DAMAGED);
            file.bytes[file.size - 1] ^= 0x80;
        }
        free(file.bytes);
    }
}

/* ---- secrets */

static void test_secrets(void **state)
{
    struct secret right = secret_of(16);
    struct secret other = secret_of(16);
    struct secret longer = secret_of(16);
    struct file keyed = make_base(&right);
    struct file unkeyed = make_base(&no_secret);
    (void)state;
    other.bytes[15] ^= 1;
    longer.size = 17; /* the same bytes and a zero */
    assert_reads(&keyed, &right, OK);
    assert_reads(&keyed, &other, SECRET);
    assert_reads(&keyed, &longer, SECRET);
    assert_reads(&keyed, &no_secret, SECRET);
    assert_reads(&unkeyed, &no_secret, OK);
    assert_reads(&unkeyed, &right, SECRET);
    for (size_t size = 17; size <= 64; size++) {
        struct secret secret = secret_of(size);
        assert_reads(&keyed, &secret, SECRET);
    }
    free(keyed.bytes);
    free(unkeyed.bytes);
}

/* Nobody without the secret can make a keyed file that a reader takes. */
static void test_forged_files(void **state)
{
    struct secret secret = secret_of(16);
    struct secret wrong = secret_of(32);
    struct file keyed = make_base(&secret);
    struct file file = duplicate(&keyed);
    (void)state;
    /* A payload of ones, sealed without the secret, or with another. */
    memset(file.bytes + 256, 0xFF, 125);
    reseal(&file, 192, &no_secret);
    assert_reads(&file, &secret, DAMAGED);
    reseal(&file, 192, &wrong);
    assert_reads(&file, &secret, DAMAGED);
    /* The keyed bit taken away, with and without the check. */
    store(file.bytes + 24, 4, 0);
    reseal(&file, 192, &no_secret);
    assert_reads(&file, &secret, SECRET);
    assert_reads(&file, &no_secret, DAMAGED); /* the check is not zero */
    memset(file.bytes + 96, 0, 16);
    reseal(&file, 192, &no_secret);
    assert_reads(&file, &secret, SECRET);
    assert_reads(&file, &no_secret, OK); /* an unkeyed file like any other */
    /* An unkeyed file said to be keyed. */
    store(file.bytes + 24, 4, 1);
    reseal(&file, 192, &no_secret);
    assert_reads(&file, &secret, SECRET);
    assert_reads(&file, &no_secret, SECRET);
    free(file.bytes);
    free(keyed.bytes);
}

static void test_secret_check_of_an_unkeyed_file(void **state)
{
    (void)state;
    for (size_t offset = 96; offset < 112; offset++) {
        struct file file = make_base(&no_secret);
        file.bytes[offset] = 1;
        reseal(&file, 192, &no_secret);
        assert_reads(&file, &no_secret, DAMAGED);
        assert_int_equal(read_header(&file, NULL), DAMAGED);
        free(file.bytes);
    }
}

/* Schemes 3 and 5 take no secret, so no filter of them is keyed. */
static void test_keyed_schemes(void **state)
{
    struct secret secret = secret_of(16);
    struct file file = make_base(&secret);
    (void)state;
    for (uint64_t hash = 1; hash <= 4; hash++) {
        store(file.bytes + 16, 4, hash);
        reseal(&file, 192, &secret);
        assert_reads(&file, &secret, hash == 3 ? DAMAGED : OK);
        assert_int_equal(read_header(&file, NULL), hash == 3 ? DAMAGED : OK);
    }
    free(file.bytes);

    file = make_blocks(&secret);
    assert_reads(&file, &secret, OK);
    store(file.bytes + 16, 4, 4);
    reseal(&file, 192, &secret);
    assert_reads(&file, &secret, OK);
    store(file.bytes + 16, 4, 5);
    reseal(&file, 192, &secret);
    assert_reads(&file, &secret, DAMAGED);
    assert_int_equal(read_header(&file, NULL), DAMAGED);
    free(file.bytes);
}

/* A header read without any secret: of a keyed file, only what it claims. */
static void test_unauthenticated_reading(void **state)
{
    struct secret secret = secret_of(16);
    struct file file = make_base(&secret);
    struct file_header header;
    (void)state;
    assert_int_equal(bloomfilter_serializer_read_header(file.bytes, file.size, NULL, &header), 0);
    assert_true(header.keyed);
    assert_int_equal(header.bit_count, 1000);
    file.bytes[176] ^= 1;
    file.bytes[96] ^= 1;
    assert_int_equal(read_header(&file, NULL), OK);
    store(file.bytes + 16, 4, 99);
    assert_int_equal(read_header(&file, NULL), UNKNOWN);
    store(file.bytes + 16, 4, 1);
    store(file.bytes + 40, 4, 256);
    assert_int_equal(read_header(&file, NULL), DAMAGED);
    store(file.bytes + 40, 4, 7);
    store(file.bytes + 24, 4, 3);
    assert_int_equal(read_header(&file, NULL), UNKNOWN);
    free(file.bytes);
    /* An unkeyed header is checked all the same. */
    file = make_base(&no_secret);
    assert_int_equal(read_header(&file, NULL), OK);
    file.bytes[176] ^= 1;
    assert_int_equal(read_header(&file, NULL), DAMAGED);
    free(file.bytes);
}

/* ---- all of the header */

static int expected_of_flipped(size_t offset, uint8_t flip, bool keyed)
{
    if (offset < 8)
        return NOT_A_FILTER;
    if (offset == 8 && flip == 1)
        return DAMAGED; /* major 0 */
    if (offset == 8 || offset == 9)
        return NEWER;
    if (offset == 24 && flip & 1)
        return SECRET;
    if (offset >= 96 && offset < 112 && keyed)
        return SECRET;
    return DAMAGED;
}

static void check_every_byte_of_header(const struct secret *secret)
{
    struct file file = make_base(secret);
    for (size_t offset = 0; offset < 192; offset++)
        for (unsigned flip = 1; flip < 256; flip++) {
            file.bytes[offset] ^= (uint8_t)flip;
            int code = read_all(&file, secret);
            if (code != expected_of_flipped(offset, (uint8_t)flip, secret->size != 0))
                fail_msg("byte %zu ^ %#x: %d", offset, flip, code);
            file.bytes[offset] ^= (uint8_t)flip;
        }
    assert_reads(&file, secret, OK);
    free(file.bytes);
}

static void test_every_byte_of_the_header(void **state)
{
    struct secret secret = secret_of(16);
    (void)state;
    check_every_byte_of_header(&no_secret);
    check_every_byte_of_header(&secret);
}

/*
 * Faults in the order in which docs/format.md has them found. Of any two in one file, the reader
 * reports the earlier.
 */
static const struct fault {
    struct patch patch;
    bool before_tag; /* found before the tag is looked at */
} faults[] = {
    {{0, 1, 0x88, NOT_A_FILTER}, true}, {{8, 2, 2, NEWER}, true},
    {{12, 4, 100, DAMAGED}, true},      {{24, 1, 1, SECRET}, true}, /* keyed, and no secret given */
    {{176, 8, 0, DAMAGED}, true},                                   /* the tag itself */
    {{24, 4, 2, UNKNOWN}, false},       {{16, 4, 99, UNKNOWN}, false},
    {{20, 4, 99, UNKNOWN}, false},      {{44, 4, 99, UNKNOWN}, false},
    {{32, 8, 0, DAMAGED}, false},       {{40, 4, 0, DAMAGED}, false},
    {{48, 8, 0, DAMAGED}, false},       {{64, 8, 0, DAMAGED}, false},
    {{168, 8, 1, DAMAGED}, false},      {{112, 8, 1000, DAMAGED}, false},
    {{202, 1, 1, DAMAGED}, false},
};
enum { FAULTS = sizeof faults / sizeof faults[0] };

/* Faults at 24 share their field: the second is or-ed in. */
static void put_fault(struct file *file, const struct patch *patch)
{
    uint64_t before = patch->offset == 24 ? load(file->bytes + 24, patch->size) : 0;
    store(file->bytes + patch->offset, patch->size, before | patch->value);
}

static void test_order_of_checks(void **state)
{
    (void)state;
    for (size_t first = 0; first < FAULTS; first++)
        for (size_t second = first; second < FAULTS; second++) {
            const struct fault *pair[2] = {&faults[first], &faults[second]};
            struct file file = make_base(&no_secret);
            for (int i = 0; i < 2; i++)
                if (pair[i]->patch.offset != 176)
                    put_fault(&file, &pair[i]->patch);
            reseal(&file, 192, &no_secret);
            for (int i = 0; i < 2; i++)
                if (pair[i]->patch.offset == 176)
                    put_fault(&file, &pair[i]->patch);
            int code = read_all(&file, &no_secret);
            if (code != pair[0]->patch.expected)
                fail_msg("faults %zu and %zu: %d", first, second, code);
            /* With a tag that does not fit, all that comes after it is not looked at. */
            file.bytes[191] ^= 1;
            code = read_all(&file, &no_secret);
            if (code != (pair[0]->before_tag ? pair[0]->patch.expected : DAMAGED))
                fail_msg("faults %zu and %zu behind a wrong tag: %d", first, second, code);
            free(file.bytes);
        }
}

/* A wrong secret is found before damage of the tag; a right one says nothing of the tag. */
static void test_order_of_secret_and_tag(void **state)
{
    struct secret secret = secret_of(16);
    struct secret wrong = secret_of(17);
    struct file file = make_base(&secret);
    (void)state;
    file.bytes[32] ^= 1;
    assert_reads(&file, &wrong, SECRET);
    assert_reads(&file, &no_secret, SECRET);
    assert_reads(&file, &secret, DAMAGED);
    store(file.bytes + 12, 4, 448); /* past the end: before the secret */
    assert_reads(&file, &wrong, DAMAGED);
    free(file.bytes);
    /* A secret for an unkeyed file: before its tag, its check and its unknown features. */
    file = make_base(&no_secret);
    file.bytes[96] = 1;
    store(file.bytes + 24, 4, 2);
    assert_reads(&file, &secret, SECRET);
    free(file.bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_field_has_its_place),
        cmocka_unit_test(test_keyed_header),
        cmocka_unit_test(test_header_tag),
        cmocka_unit_test(test_same_filter_same_bytes),
        cmocka_unit_test(test_lay_out),
        cmocka_unit_test(test_round_trips),
        cmocka_unit_test(test_any_alignment),
        cmocka_unit_test(test_beginning),
        cmocka_unit_test(test_later_formats),
        cmocka_unit_test(test_header_size),
        cmocka_unit_test(test_header_size_is_a_multiple_of_64),
        cmocka_unit_test(test_ids),
        cmocka_unit_test(test_feature_bits),
        cmocka_unit_test(test_bit_count),
        cmocka_unit_test(test_largest_bit_count),
        cmocka_unit_test(test_whole_numbers),
        cmocka_unit_test(test_rates),
        cmocka_unit_test(test_nans_are_made_one),
        cmocka_unit_test(test_reserved_bytes),
        cmocka_unit_test(test_longer_headers),
        cmocka_unit_test(test_sizes),
        cmocka_unit_test(test_blocks),
        cmocka_unit_test(test_blocks_that_are_too_few_or_too_many),
        cmocka_unit_test(test_largest_blocks),
        cmocka_unit_test(test_sizes_that_wrap),
        cmocka_unit_test(test_size_of_input),
        cmocka_unit_test(test_largest_metadata),
        cmocka_unit_test(test_padding),
        cmocka_unit_test(test_bits_past_bit_count),
        cmocka_unit_test(test_every_bit_of_the_body),
        cmocka_unit_test(test_body_of_another_header),
        cmocka_unit_test(test_body_digest),
        cmocka_unit_test(test_files_about_leaf_borders),
        cmocka_unit_test(test_body_that_comes_in_pieces),
        cmocka_unit_test(test_secrets),
        cmocka_unit_test(test_forged_files),
        cmocka_unit_test(test_secret_check_of_an_unkeyed_file),
        cmocka_unit_test(test_keyed_schemes),
        cmocka_unit_test(test_unauthenticated_reading),
        cmocka_unit_test(test_every_byte_of_the_header),
        cmocka_unit_test(test_order_of_checks),
        cmocka_unit_test(test_order_of_secret_and_tag),
    };
    return RUN(tests);
}
