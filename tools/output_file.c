/* SPDX-License-Identifier: MIT */
#include "output_file.h"

#include <bloomfilter.h>

#include <errno.h>
#include <libgen.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "progress.h"
#include "report.h"
#include "standard_input.h"
#include "system_files.h"

static int report_exists(const char *path)
{
    return report_error(path, "exists already. Give another name, or --force to replace it");
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

int output_check(const char *path, bool force)
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
    return force ? STATUS_YES : report_exists(path);
}

int output_write(const char *path, bool force, file_writer *write, const void *content)
{
    if (output_check(path, force) != STATUS_YES)
        return STATUS_ERROR;
    progress_begin_call("saving", path);
    hold_signals();
    int code = force ? write(content, path) : new_file_make(path, write, content);
    release_signals();
    progress_end();
    if (code == BLOOMFILTER_EIO && errno == EEXIST && !force)
        return report_exists(path);
    return code < 0 ? report_save(path, code) : STATUS_YES;
}
