/* SPDX-License-Identifier: MIT */
#include "filter_file.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "file_lock.h"
#include "progress.h"
#include "report.h"
#include "secret.h"
#include "system_files.h"

enum { HEADER_ROOM = 4096 };

static bool is_standard_stream(const char *path)
{
    return strcmp(path, "-") == 0;
}

int filter_load(bloomfilter **filter, const char *path, const command_options *options)
{
    bloomfilter_load_options load_options = secret_load_options(options);
    progress_begin_call("reading", path);
    int code =
        bloomfilter_load(filter, is_standard_stream(path) ? "/dev/stdin" : path, &load_options);
    progress_end();
    return code;
}

int filter_open(bloomfilter **filter, const char *path, const command_options *options)
{
    int code = filter_load(filter, path, options);
    return code < 0 ? report_open(path, code, options->shape.secret != NULL) : STATUS_YES;
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

/* Sees before hours of work that there is a directory for a file that does not exist yet. */
static int check_directory_of(const char *path)
{
    struct stat status;
    if (lstat(path, &status) == 0)
        return report_error(path, "is a symbolic link to a file that does not exist. Remove it or "
                                  "give another name");
    char *copy = strdup(path);
    if (copy == NULL)
        return report_code(path, BLOOMFILTER_ENOMEM);
    int failed = access(dirname(copy), W_OK | X_OK) < 0;
    int result = failed ? report_save(path, BLOOMFILTER_EIO) : STATUS_YES;
    free(copy);
    return result;
}

int filter_check_output(const char *path, const command_options *options)
{
    struct stat status;
    if (is_standard_stream(path))
        return report_error(path, "a filter cannot be written to standard output. Give a file "
                                  "name (./- for a file of that name)");
    if (stat(path, &status) < 0)
        return errno == ENOENT ? check_directory_of(path) : report_save(path, BLOOMFILTER_EIO);
    if (S_ISDIR(status.st_mode))
        return report_error(path, "is a directory. Give the name of a file in it");
    if (!S_ISREG(status.st_mode))
        return report_error(path, "exists and is not a regular file. Give another name");
    if (!options->force)
        return report_error(path, "exists already. Give another name, or --force to replace it");
    return STATUS_YES;
}

int filter_save(const bloomfilter *filter, const char *path)
{
    progress_begin_call("saving", path);
    hold_signals();
    int code = bloomfilter_save(filter, path);
    release_signals();
    progress_end();
    return code < 0 ? report_save(path, code) : STATUS_YES;
}

int filter_check_regular(const char *path)
{
    struct stat status;
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
    int status = filter_check_output(path, options);
    if (status == STATUS_YES)
        status = filter_save(filter, path);
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
