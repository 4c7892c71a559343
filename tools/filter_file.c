/* SPDX-License-Identifier: MIT */
#include "filter_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <sys/stat.h>
#include <unistd.h>

#include "file_lock.h"
#include "output_file.h"
#include "progress.h"
#include "report.h"
#include "secret.h"
#include "standard_input.h"
#include "system_files.h"

enum { HEADER_ROOM = 65536 }; /* a header of any minor format */

static int load(bloomfilter **filter, const char *path,
                const bloomfilter_load_options *load_options)
{
    return bloomfilter_load(filter, is_standard_stream(path) ? "/dev/stdin" : path, load_options);
}

int filter_open(bloomfilter **filter, const char *path, const command_options *options)
{
    bloomfilter_load_options load_options = secret_load_options(options);
    if (standard_input_take(path, INPUT_OF_FILTER) != STATUS_YES)
        return STATUS_ERROR;
    progress_begin_call("reading", path);
    int code = load(filter, path, &load_options);
    progress_end();
    return code < 0 ? report_open(path, code, options->shape.secret != NULL) : STATUS_YES;
}

int filter_verify(const char *path, const command_options *options)
{
    bloomfilter_load_options load_options = secret_load_options(options);
    bloomfilter *filter;
    struct stat status;

    progress_begin_call("checking", path);
    bool is_regular =
        !is_standard_stream(path) && stat(path, &status) == 0 && S_ISREG(status.st_mode);
    int code = is_regular ? bloomfilter_map(&filter, path, &load_options)
                          : load(&filter, path, &load_options);
    if (code == 0)
        code = bloomfilter_verify(filter);
    bloomfilter_free(filter); /* leaves errno */
    progress_end();
    return code;
}

int filter_peek(const char *path, bloomfilter_info *info)
{
    unsigned char header[HEADER_ROOM];
    int descriptor = is_standard_stream(path) ? STDIN_FILENO : open_file(path, O_RDONLY);
    if (descriptor < 0)
        return report_code(path, BLOOMFILTER_EIO);
    ssize_t size = read_full(descriptor, header, sizeof header);
    int code = size < 0 ? BLOOMFILTER_EIO : bloomfilter_peek(header, (size_t)size, info);
    int result = code < 0 ? report_code(path, code) : STATUS_YES;
    if (descriptor != STDIN_FILENO)
        close(descriptor);
    return result;
}

static int write_filter(const void *filter, const char *path)
{
    return bloomfilter_save(filter, path);
}

int filter_save(const bloomfilter *filter, const char *path, bool force)
{
    return output_write(path, force, write_filter, filter);
}

int filter_check_regular(const char *path)
{
    struct stat status;
    if (is_standard_stream(path))
        return report_error("standard input", "cannot be changed. Give the name of a filter file "
                                              "(./- for a file of that name)");
    if (stat(path, &status) < 0)
        return report_code(path, BLOOMFILTER_EIO);
    if (S_ISREG(status.st_mode))
        return STATUS_YES;
    errno = S_ISDIR(status.st_mode) ? EISDIR : ENODEV;
    return report_code(path, BLOOMFILTER_EIO);
}

int filter_lock(const char *path, bool may_be_missing, int *lock)
{
    *lock = file_lock_acquire(path);
    if (*lock >= 0 || (errno == ENOENT && may_be_missing))
        return STATUS_YES;
    if (errno == ENOENT || errno == ENODEV)
        return report_code(path, BLOOMFILTER_EIO);
    return report_errno(path, "cannot lock it against other writers");
}

int filter_save_new(const bloomfilter *filter, const char *path, const command_options *options)
{
    int lock = -1;
    if (options->force && filter_lock(path, true, &lock) != STATUS_YES)
        return STATUS_ERROR;
    int status = filter_save(filter, path, options->force);
    file_lock_release(lock);
    return status;
}

int filter_get_info(const bloomfilter *filter, const char *path, bloomfilter_info *info)
{
    static const bloomfilter_info empty = BLOOMFILTER_INFO_INIT;
    *info = empty;
    int code = bloomfilter_get_info(filter, info);
    return code < 0 ? report_code(path, code) : STATUS_YES;
}
