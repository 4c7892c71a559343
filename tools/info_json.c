/* SPDX-License-Identifier: MIT */
#include "info_json.h"

#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "names.h"
#include "report.h"

/* JSON's integers end, for most readers and for jansson, at 2^63-1. Larger ones are strings. */
static json_t *json_count(uint64_t count)
{
    char text[24];
    if (count <= INT64_MAX)
        return json_integer((json_int_t)count);
    snprintf(text, sizeof text, "%" PRIu64, count);
    return json_string(text);
}

/* JSON has no NaN and no infinity. */
static json_t *json_number(double number)
{
    return isfinite(number) ? json_real(number) : json_null();
}

static json_t *json_hex(const unsigned char *bytes, size_t size)
{
    static const char digits[] = "0123456789abcdef";
    char *text = malloc(2 * size + 1);
    if (text == NULL)
        return NULL;
    for (size_t i = 0; i < size; i++) {
        text[2 * i] = digits[bytes[i] >> 4];
        text[2 * i + 1] = digits[bytes[i] & 15];
    }
    json_t *hex = json_stringn(text, 2 * size);
    free(text);
    return hex;
}

/* Metadata is bytes. Where they are UTF-8 (jansson knows) they are "metadata", a string; otherwise
 * "metadata_hex". */
static int set_metadata(json_t *object, const info_document *document)
{
    if (document->metadata_size == 0)
        return json_object_set_new(object, "metadata", json_null());
    json_t *text = json_stringn(document->metadata, document->metadata_size);
    if (text != NULL)
        return json_object_set_new(object, "metadata", text);
    return json_object_set_new(object, "metadata_hex",
                               json_hex(document->metadata, document->metadata_size));
}

static int set_file(json_t *object, const info_document *document)
{
    int failed = 0;
    if (document->path == NULL)
        return 0;
    json_t *path = json_string(document->path);
    failed |= json_object_set_new(object, "file", path != NULL ? path : json_null());
    failed |= json_object_set_new(object, "checked", json_boolean(document->has_content));
    failed |= set_metadata(object, document);
    return failed;
}

static int set_shape(json_t *object, const bloomfilter_info *info)
{
    int failed = 0;
    failed |= json_object_set_new(object, "capacity", json_count(info->capacity));
    failed |= json_object_set_new(object, "target_fpr", json_number(info->target_fpr));
    failed |= json_object_set_new(object, "bit_count", json_count(info->bit_count));
    failed |= json_object_set_new(object, "hash_count", json_count(info->hash_count));
    failed |= json_object_set_new(object, "hash", json_count(info->hash));
    failed |= json_object_set_new(object, "hash_name", json_string(hash_name(info->hash)));
    failed |= json_object_set_new(object, "layout", json_count(info->layout));
    failed |= json_object_set_new(object, "layout_name", json_string(layout_name(info->layout)));
    failed |= json_object_set_new(object, "flags", json_count(info->flags));
    failed |= json_object_set_new(object, "seed", json_count(info->seed));
    return failed;
}

static int set_content(json_t *object, const bloomfilter_info *info, bool known)
{
    int failed = 0;
    failed |= json_object_set_new(object, "insert_count", json_count(info->insert_count));
    failed |=
        json_object_set_new(object, "bits_set", known ? json_count(info->bits_set) : json_null());
    failed |= json_object_set_new(object, "fill", known ? json_number(info->fill) : json_null());
    failed |= json_object_set_new(object, "estimated_count",
                                  known ? json_number(info->estimated_count) : json_null());
    failed |= json_object_set_new(object, "expected_fpr", json_number(info->expected_fpr));
    failed |= json_object_set_new(object, "current_fpr",
                                  known ? json_number(info->current_fpr) : json_null());
    failed |= json_object_set_new(object, "measured_fpr", json_number(info->measured_fpr));
    failed |= json_object_set_new(object, "measured_probes", json_count(info->measured_probes));
    return failed;
}

static int set_storage(json_t *object, const bloomfilter_info *info, bool known)
{
    int failed = 0;
    failed |= json_object_set_new(object, "memory_bytes", json_count(info->memory_bytes));
    failed |= json_object_set_new(object, "format_major", json_count(info->format_major));
    failed |= json_object_set_new(object, "format_minor", json_count(info->format_minor));
    failed |=
        json_object_set_new(object, "rebuild", known ? json_count(info->rebuild) : json_null());
    return failed;
}

int print_info_json(const info_document *document)
{
    /* json_object_set_new refuses NULL, so one check at the end sees any lack of memory. */
    json_t *object = json_object();
    int failed = object == NULL || set_file(object, document) ||
                 set_shape(object, document->info) ||
                 set_content(object, document->info, document->has_content) ||
                 set_storage(object, document->info, document->has_content);
    char *text = failed ? NULL : json_dumps(object, JSON_INDENT(2));
    json_decref(object);
    if (text == NULL)
        return report_error(NULL, "out of memory");
    puts(text);
    free(text);
    return STATUS_YES;
}
