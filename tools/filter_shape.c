/* SPDX-License-Identifier: MIT */
#include "filter_shape.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "rate_warning.h"
#include "report.h"
#include "system_files.h"

int shape_check_given(const command_options *options, const char *verb, bool needs_capacity)
{
    const bloomfilter_options *shape = &options->shape;
    if (shape->bit_count != 0 && shape->hash_count != 0)
        return STATUS_YES;
    if (shape->target_fpr == 0.0)
        return report_usage(verb, "which false positive rate? Give -p RATE (or -m BITS and -k "
                                  "COUNT)");
    if (needs_capacity && shape->capacity == 0)
        return report_usage(verb, "for how many keys? Give -n COUNT");
    return STATUS_YES;
}

/* The library says EINVAL of all of these; only here it is known which. */
static int report_shape(const bloomfilter_options *shape, const char *subject, int code)
{
    if (code != BLOOMFILTER_EINVAL)
        return report_code(subject, code);
    if (shape->hash == BLOOMFILTER_HASH_MURMUR3_TWEAK && shape->secret != NULL)
        return report_error(subject, "murmur3-tweak takes no secret. Use blake2b-pair or "
                                     "blake2b-indexed");
    if (shape->hash != BLOOMFILTER_HASH_MURMUR3_TWEAK && shape->seed != 0)
        return report_error(subject, "only murmur3-tweak has a --seed. To vary the hashes of the "
                                     "others, use a secret");
    return report_error(subject, "more than 255 positions per key would be needed. Use a larger "
                                 "-p, or give -k");
}

int shape_plan(const command_options *options, const char *subject, bloomfilter_info *planned)
{
    static const bloomfilter_info empty = BLOOMFILTER_INFO_INIT;
    *planned = empty;
    int code = bloomfilter_plan(&options->shape, planned);
    return code < 0 ? report_shape(&options->shape, subject, code) : STATUS_YES;
}

/* Reads the file into *bytes, which the caller frees. */
static int read_metadata_file(const char *path, void **bytes, size_t *size)
{
    /* One byte more than can be stored: the library then refuses what is too large. */
    size_t room = BLOOMFILTER_MAX_METADATA_SIZE + 1;
    int descriptor = open_file(path, O_RDONLY);
    if (descriptor < 0)
        return report_errno(path, "cannot open the metadata");
    *bytes = malloc(room);
    ssize_t read_size = *bytes != NULL ? read_full(descriptor, *bytes, room) : 0;
    int status = *bytes == NULL  ? report_error(NULL, "out of memory")
                 : read_size < 0 ? report_errno(path, "cannot read the metadata")
                                 : STATUS_YES;
    close(descriptor);
    *size = read_size > 0 ? (size_t)read_size : 0;
    return status;
}

static int set_metadata(bloomfilter *filter, const command_options *options, const char *subject)
{
    void *bytes = NULL;
    size_t size = 0;
    int code = 0;
    int status = STATUS_YES;

    if (options->metadata_text != NULL)
        code = bloomfilter_set_metadata(filter, options->metadata_text,
                                        strlen(options->metadata_text));
    if (options->metadata_file != NULL) {
        status = read_metadata_file(options->metadata_file, &bytes, &size);
        if (status == STATUS_YES)
            code = bloomfilter_set_metadata(filter, bytes, size);
        free(bytes);
    }
    if (code == BLOOMFILTER_ETOOLARGE)
        return report_error(options->metadata_file, "metadata has 16 MiB at most");
    return code < 0 ? report_code(subject, code) : status;
}

int shape_create(bloomfilter **filter, const command_options *options, const char *subject,
                 bool advise)
{
    bloomfilter_info planned;
    *filter = NULL;
    if (shape_plan(options, subject, &planned) != STATUS_YES)
        return STATUS_ERROR;
    rate_warn_of_plan(subject, &options->shape, &planned, advise);
    int code = bloomfilter_create(filter, &options->shape);
    if (code < 0)
        return report_shape(&options->shape, subject, code);
    int status = set_metadata(*filter, options, subject);
    if (status != STATUS_YES) {
        bloomfilter_free(*filter);
        *filter = NULL;
    }
    return status;
}
