/* SPDX-License-Identifier: MIT */
/* Filters to and from files and bytes. */
#include <string.h>

#include "handle/handle.h"
#include "support/bytes.h"

static struct file_content content_of(const bloomfilter *filter)
{
    struct file_content content = {
        .header = {.hash = filter->hasher.scheme->id,
                   .layout = filter->layout->id,
                   .keyed = filter->secret.size != 0,
                   .bit_count = filter->hasher.bit_count,
                   .hash_count = filter->hasher.hash_count,
                   .capacity = filter->capacity,
                   .insert_count = bloomfilter_insert_counter_read(&filter->inserts),
                   .target_fpr = filter->target_fpr,
                   .measured_fpr = filter->measured_fpr,
                   .measured_probes = filter->measured_probes,
                   .seed = filter->seed,
                   .metadata_size = filter->metadata_size,
                   .payload_size = filter->payload_size},
        .metadata = filter->metadata,
        .payload = filter->cells};
    return content;
}

enum { PIECES = 4 };

/*
 * A file as the pieces that lie apart in memory; `header_bytes` is room for the first. The filter
 * was verified: over unchecked bytes of a map or view, a fresh digest would make damage look whole.
 */
static void make_pieces(const bloomfilter *filter, uint8_t header_bytes[HEADER_SIZE],
                        struct file_piece pieces[PIECES])
{
    struct file_content content = content_of(filter);
    bloomfilter_serializer_lay_out(&content);
    bloomfilter_serializer_write_header(&content, &filter->secret, header_bytes);
    pieces[0] = (struct file_piece){header_bytes, HEADER_SIZE};
    pieces[1] = (struct file_piece){content.metadata, content.header.metadata_size};
    pieces[2] = (struct file_piece){bloomfilter_serializer_zeros,
                                    bloomfilter_serializer_padding_size(&content.header)};
    pieces[3] = (struct file_piece){content.payload, content.header.payload_size};
}

int bloomfilter_save(const bloomfilter *filter, const char *path)
{
    uint8_t header[HEADER_SIZE];
    struct file_piece pieces[PIECES];

    if (filter == NULL || path == NULL)
        return BLOOMFILTER_EINVAL;
    int code = bloomfilter_verify(filter);
    if (code != 0)
        return code;
    make_pieces(filter, header, pieces);
    return bloomfilter_file_save(path, pieces, PIECES);
}

int bloomfilter_serialized_size(const bloomfilter *filter, uint64_t *size)
{
    if (size == NULL)
        return BLOOMFILTER_EINVAL;
    *size = 0;
    if (filter == NULL)
        return BLOOMFILTER_EINVAL;
    struct file_content content = content_of(filter);
    *size = bloomfilter_serializer_lay_out(&content);
    return 0;
}

int bloomfilter_serialize(const bloomfilter *filter, void *buffer, size_t size)
{
    uint8_t header[HEADER_SIZE];
    struct file_piece pieces[PIECES];
    uint64_t needed;

    if (buffer == NULL || bloomfilter_serialized_size(filter, &needed) != 0 || size < needed)
        return BLOOMFILTER_EINVAL;
    int code = bloomfilter_verify(filter);
    if (code != 0)
        return code;
    make_pieces(filter, header, pieces);
    uint8_t *to = buffer;
    for (size_t i = 0; i < PIECES; i++) {
        bytes_copy(to, pieces[i].bytes, (size_t)pieces[i].size);
        to += pieces[i].size;
    }
    return 0;
}

/* What every way in begins with. */
struct opening {
    uint64_t max_bytes;
    struct secret secret;
};

static int start_opening(struct opening *opening, bloomfilter **out, bool has_input,
                         const bloomfilter_load_options *options)
{
    opening->secret.size = 0;
    if (out == NULL)
        return BLOOMFILTER_EINVAL;
    *out = NULL;
    if (!has_input)
        return BLOOMFILTER_EINVAL;
    int code = bloomfilter_load_options_read(options, &opening->max_bytes, &opening->secret);
    if (code != 0)
        return code;
    return bloomfilter_handle_self_test_passes() ? 0 : BLOOMFILTER_ESELFTEST;
}

static int finish_opening(struct opening *opening, int code)
{
    bloomfilter_secret_wipe(&opening->secret, sizeof opening->secret);
    return code;
}

/* Takes over what a header says beyond the shape. */
static void take_fields(bloomfilter *filter, const struct file_header *header)
{
    bloomfilter_insert_counter_set(&filter->inserts, header->insert_count);
    filter->measured_fpr = header->measured_fpr;
    filter->measured_probes = header->measured_probes;
    filter->format_minor = header->format_minor;
}

/* A filter whose cells and metadata stay where the content is. */
static int make_in_place(bloomfilter **out, const struct file_content *content,
                         const struct secret *secret)
{
    struct filter_shape shape = bloomfilter_handle_shape_of_file(&content->header);
    int code = bloomfilter_handle_make(out, &shape, secret);
    if (code != 0)
        return code;
    take_fields(*out, &content->header);
    (*out)->cells = (uint8_t *)(uintptr_t)content->payload; /* written only in memory of its own */
    (*out)->metadata = content->metadata;
    (*out)->metadata_size = content->header.metadata_size;
    return 0;
}

/* A filter that is looked at, and not written, where its bytes are. */
static int make_view(bloomfilter **out, const uint8_t *bytes, const struct file_content *content,
                     const struct secret *secret)
{
    int code = make_in_place(out, content, secret);
    if (code == 0) {
        (*out)->serialized = bytes;
        (*out)->content = *content;
    }
    return code;
}

int bloomfilter_view(bloomfilter **out, const void *bytes, size_t size,
                     const bloomfilter_load_options *options)
{
    struct opening opening;
    struct file_content content;
    int code = start_opening(&opening, out, bytes != NULL, options);
    if (code == 0)
        code = bloomfilter_serializer_read(bytes, size, &opening.secret, &content);
    if (code == 0)
        code = make_view(out, bytes, &content, &opening.secret);
    return finish_opening(&opening, code);
}

/* A header that is longer than what was read of it (a later minor's) is read where it is mapped. */
static int read_mapped(const struct memory *memory, const uint8_t *beginning, size_t size,
                       const struct secret *secret, struct file_content *content)
{
    int code = bloomfilter_serializer_check_beginning(beginning, size, memory->length);
    if (code != 0)
        return code;
    if (bloomfilter_serializer_header_size(beginning) <= size) {
        code = bloomfilter_serializer_read_header(beginning, size, secret, &content->header);
        return code != 0
                   ? code
                   : bloomfilter_serializer_place(memory->start, (size_t)memory->length, content);
    }
    if (size < FILE_BEGINNING) /* the file shrank meanwhile */
        return BLOOMFILTER_EDAMAGED;
    return bloomfilter_serializer_read(memory->start, (size_t)memory->length, secret, content);
}

int bloomfilter_map(bloomfilter **out, const char *path, const bloomfilter_load_options *options)
{
    struct opening opening;
    struct memory memory = {0};
    struct file_content content;
    uint8_t beginning[FILE_BEGINNING];
    size_t size;
    int code = start_opening(&opening, out, path != NULL, options);
    if (code == 0)
        code = bloomfilter_file_map(&memory, path, beginning, &size);
    if (code == 0)
        code = read_mapped(&memory, beginning, size, &opening.secret, &content);
    if (code == 0)
        code = make_view(out, memory.start, &content, &opening.secret);
    if (code == 0)
        (*out)->memory = memory;
    else
        bloomfilter_memory_release(&memory);
    return finish_opening(&opening, code);
}

/* A file that is checked while it is read. */
struct loading {
    struct opening opening;
    bool is_body_check_started;
    struct body_check body_check;
};

static void start_body_check(struct loading *loading, const uint8_t *bytes,
                             const struct file_header *header)
{
    bloomfilter_serializer_start_check(&loading->body_check, bytes, header,
                                       &loading->opening.secret);
    loading->is_body_check_started = true;
}

/*
 * Checks all that the beginning of a file tells before memory is taken for the rest: where the
 * whole header is there (a later minor's can be longer), its tag, its fields, and its sizes against
 * the file's own.
 */
static int check_beginning(void *context, const uint8_t *bytes, size_t size, uint64_t *total)
{
    struct loading *loading = context;
    struct file_header header;
    int code = bloomfilter_serializer_check_beginning(bytes, size, *total);
    if (code != 0 || bloomfilter_serializer_header_size(bytes) > size)
        return code;
    code = bloomfilter_serializer_read_header(bytes, size, &loading->opening.secret, &header);
    if (code != 0)
        return code;
    uint64_t needed = header.payload_offset + header.payload_size;
    if (*total == UINT64_MAX)
        *total = needed;
    if (*total != needed)
        return BLOOMFILTER_EDAMAGED;
    start_body_check(loading, bytes, &header);
    return 0;
}

static void continue_body_check(void *context, const uint8_t *bytes, uint64_t size)
{
    struct loading *loading = context;
    if (loading->is_body_check_started)
        bloomfilter_serializer_continue_check(&loading->body_check, bytes, size);
}

static int finish_body_check(struct loading *loading, const uint8_t *bytes,
                             const struct file_content *content)
{
    if (!loading->is_body_check_started)
        start_body_check(loading, bytes, &content->header);
    return bloomfilter_serializer_finish_check(&loading->body_check, bytes, content);
}

int bloomfilter_load(bloomfilter **out, const char *path, const bloomfilter_load_options *options)
{
    struct loading loading = {.is_body_check_started = false};
    struct opening *opening = &loading.opening;
    struct file_reader reader = {check_beginning, continue_body_check, &loading};
    struct memory memory = {0};
    struct file_content content;
    int code = start_opening(opening, out, path != NULL, options);
    if (code == 0)
        code = bloomfilter_file_read(&memory, path, &reader, opening->max_bytes);
    if (code == 0)
        code = bloomfilter_serializer_read(memory.start, (size_t)memory.length, &opening->secret,
                                           &content);
    if (code == 0)
        code = finish_body_check(&loading, memory.start, &content);
    if (code == 0)
        code = make_in_place(out, &content, &opening->secret);
    if (code == 0)
        (*out)->memory = memory;
    else
        bloomfilter_memory_release(&memory);
    bloomfilter_secret_wipe(&loading.body_check, sizeof loading.body_check);
    return finish_opening(opening, code);
}

/* A filter in memory of its own, as the content says. */
static int make_copy(bloomfilter **out, const struct file_content *content,
                     const struct secret *secret)
{
    const struct file_header *header = &content->header;
    struct filter_shape shape = bloomfilter_handle_shape_of_file(header);
    bloomfilter *filter;
    int code = bloomfilter_handle_make_empty(&filter, &shape, secret);
    if (code != 0)
        return code;
    memcpy(filter->cells, content->payload, (size_t)header->payload_size);
    take_fields(filter, header);
    code = bloomfilter_set_metadata(filter, content->metadata, (size_t)header->metadata_size);
    if (code != 0) {
        bloomfilter_free(filter);
        return code;
    }
    *out = filter;
    return 0;
}

int bloomfilter_deserialize(bloomfilter **out, const void *bytes, size_t size,
                            const bloomfilter_load_options *options)
{
    struct opening opening;
    struct file_content content;
    int code = start_opening(&opening, out, bytes != NULL, options);
    if (code == 0)
        code = bloomfilter_serializer_read(bytes, size, &opening.secret, &content);
    if (code == 0 && opening.max_bytes != 0 && size > opening.max_bytes)
        code = BLOOMFILTER_ETOOLARGE;
    if (code == 0)
        code = bloomfilter_serializer_check_body(bytes, &content, &opening.secret);
    if (code == 0)
        code = make_copy(out, &content, &opening.secret);
    return finish_opening(&opening, code);
}

int bloomfilter_verify(const bloomfilter *filter)
{
    if (filter == NULL)
        return BLOOMFILTER_EINVAL;
    if (filter->serialized == NULL)
        return 0;
    return bloomfilter_serializer_check_body(filter->serialized, &filter->content, &filter->secret);
}
