/* SPDX-License-Identifier: MIT */
#include "metadata.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "report.h"
#include "standard_input.h"
#include "system_files.h"

static int read_from(command_options *options, int descriptor, const char *path)
{
    /* One byte more than can be stored, to see what is too large. */
    size_t room = BLOOMFILTER_MAX_METADATA_SIZE + 1;
    options->metadata = malloc(room);
    if (options->metadata == NULL)
        return report_error(NULL, "out of memory");
    ssize_t size = read_full(descriptor, options->metadata, room);
    if (size < 0)
        return report_errno(path, "cannot read the metadata");
    if (size > BLOOMFILTER_MAX_METADATA_SIZE)
        return report_error(path, "metadata has 16 MiB at most");
    options->metadata_size = (size_t)size;
    return STATUS_YES;
}

int metadata_read(command_options *options)
{
    const char *path = options->metadata_file;
    if (path == NULL)
        return STATUS_YES;
    if (standard_input_take(path, INPUT_OF_METADATA) != STATUS_YES)
        return STATUS_ERROR;
    int descriptor = is_standard_stream(path) ? STDIN_FILENO : open_file(path, O_RDONLY);
    if (descriptor < 0)
        return report_errno(path, "cannot open the metadata");
    int status = read_from(options, descriptor, shown_input(path));
    if (descriptor != STDIN_FILENO)
        close(descriptor);
    return status;
}

int metadata_store(bloomfilter *filter, const command_options *options, const char *subject)
{
    int code = options->metadata_text != NULL
                   ? bloomfilter_set_metadata(filter, options->metadata_text,
                                              strlen(options->metadata_text))
                   : bloomfilter_set_metadata(filter, options->metadata, options->metadata_size);
    if (code == BLOOMFILTER_ETOOLARGE)
        return report_error(subject, "metadata has 16 MiB at most");
    return code < 0 ? report_code(subject, code) : STATUS_YES;
}

void metadata_free(command_options *options)
{
    free(options->metadata);
    options->metadata = NULL;
}
