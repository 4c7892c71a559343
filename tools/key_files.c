/* SPDX-License-Identifier: MIT */
#include "key_files.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "progress.h"
#include "report.h"
#include "standard_input.h"
#include "system_files.h"

enum { BLOCK_SIZE = 1 << 20 };

/* One pass over one file or all of them. */
typedef struct key_pass {
    key_splitter *splitter;
    unsigned char *block;
    bool is_first_of_two;
    key_sink *sink;
    void *context;
    bool stopped; /* by the sink */
} key_pass;

int key_files_open(key_files *files, const command_options *options, char *const names[], int count)
{
    files->count = count > 0 ? count : 1;
    files->separator = options->null_separated ? '\0' : '\n';
    files->hex = options->hex;
    files->files = calloc((size_t)files->count, sizeof *files->files);
    if (files->files == NULL) {
        report_error(NULL, "out of memory");
        return -1;
    }
    for (int i = 0; i < files->count; i++) {
        files->files[i].name = count > 0 ? names[i] : "-";
        files->files[i].descriptor = -1;
    }
    return 0;
}

void key_files_close(key_files *files)
{
    for (int i = 0; i < files->count && files->files != NULL; i++)
        if (files->files[i].descriptor > STDERR_FILENO)
            close(files->files[i].descriptor);
    free(files->files);
    files->files = NULL;
}

/* Counts the keys on their way to the sink, for the progress line. */
static bool pass_on(void *context, const key_batch *batch)
{
    key_pass *pass = context;
    progress_advance(0, batch->count);
    return pass->sink(pass->context, batch);
}

static int report_keys(const key_file *file, const key_pass *pass, key_result result)
{
    if (result == KEYS_BAD_HEX)
        return report_error(shown_input(file->name),
                            "line %" PRIu64 ": not hexadecimal. With --hex, every line is two "
                            "digits for each byte of a key and nothing else",
                            key_splitter_line(pass->splitter));
    return report_error(shown_input(file->name), "out of memory for a line this long");
}

/* An unlinked file in TMPDIR, for what a pipe gives. -1 after a report. */
static int open_spool(void)
{
    const char *directory = getenv("TMPDIR");
    if (directory == NULL || *directory == '\0')
        directory = "/tmp";
    size_t room = strlen(directory) + sizeof "/bloomfilter-XXXXXX";
    char *path = malloc(room);
    if (path == NULL) {
        report_error(NULL, "out of memory");
        return -1;
    }
    snprintf(path, room, "%s/bloomfilter-XXXXXX", directory);
    hold_signals();
    int descriptor = mkstemp(path);
    if (descriptor >= 0)
        unlink(path);
    release_signals();
    if (descriptor < 0)
        report_errno(directory, "cannot make a temporary file (give -n COUNT to do without, or "
                                "set TMPDIR)");
    free(path);
    return descriptor;
}

/* Reads from `descriptor` to its end; what is read also goes to `spool` unless that is -1. */
static int read_blocks(key_pass *pass, const key_file *file, int descriptor, int spool)
{
    for (;;) {
        ssize_t size = read_some(descriptor, pass->block, BLOCK_SIZE);
        if (size < 0)
            return report_errno(shown_input(file->name), "cannot read");
        if (size == 0)
            break;
        if (spool >= 0 && write_all(spool, pass->block, (size_t)size) < 0)
            return report_errno(shown_input(file->name),
                                "cannot keep a copy to count its keys (give -n "
                                "COUNT to do without, or set TMPDIR)");
        progress_advance((uint64_t)size, 0);
        key_result result = key_splitter_feed(pass->splitter, pass->block, (size_t)size);
        if (result == KEYS_STOPPED) {
            pass->stopped = true;
            return STATUS_YES;
        }
        if (result != KEYS_OK)
            return report_keys(file, pass, result);
    }
    key_result result = key_splitter_finish(pass->splitter);
    if (result == KEYS_STOPPED)
        pass->stopped = true;
    else if (result != KEYS_OK)
        return report_keys(file, pass, result);
    return STATUS_YES;
}

/* The first of two passes: makes sure that the second can read the same bytes again. */
static int read_to_read_again(key_pass *pass, key_file *file, int descriptor)
{
    struct stat status;
    off_t start = lseek(descriptor, 0, SEEK_CUR);
    if (fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode) && start >= 0) {
        file->start = start;
        if (is_standard_stream(file->name))
            file->descriptor = descriptor;
        return read_blocks(pass, file, descriptor, -1);
    }
    file->start = 0;
    file->descriptor = open_spool();
    if (file->descriptor < 0)
        return STATUS_ERROR;
    return read_blocks(pass, file, descriptor, file->descriptor);
}

static int read_file(key_pass *pass, key_file *file)
{
    if (file->descriptor >= 0) {
        if (lseek(file->descriptor, file->start, SEEK_SET) < 0)
            return report_errno(shown_input(file->name), "cannot read it a second time");
        return read_blocks(pass, file, file->descriptor, -1);
    }
    if (standard_input_take(file->name, INPUT_OF_KEYS) != STATUS_YES)
        return STATUS_ERROR;
    int descriptor =
        is_standard_stream(file->name) ? STDIN_FILENO : open_file(file->name, O_RDONLY);
    if (descriptor < 0)
        return report_errno(file->name, "cannot open");
    if (isatty(descriptor))
        progress_end(); /* it would run into what is typed */
    int result = pass->is_first_of_two ? read_to_read_again(pass, file, descriptor)
                                       : read_blocks(pass, file, descriptor, -1);
    if (descriptor != STDIN_FILENO)
        close(descriptor);
    return result;
}

/* The bytes of all files, 0 if any is not a regular file. */
static uint64_t total_size(const key_files *files)
{
    uint64_t total = 0;
    for (int i = 0; i < files->count; i++) {
        const key_file *file = &files->files[i];
        struct stat status;
        int failed = file->descriptor >= 0            ? fstat(file->descriptor, &status)
                     : is_standard_stream(file->name) ? fstat(STDIN_FILENO, &status)
                                                      : stat(file->name, &status);
        if (failed || !S_ISREG(status.st_mode))
            return 0;
        total += (uint64_t)status.st_size;
    }
    return total;
}

static int run_pass(key_files *files, const char *doing, key_pass *pass, bool keep_going)
{
    int status = STATUS_YES;
    progress_begin(doing, total_size(files));
    for (int i = 0; i < files->count && !pass->stopped; i++) {
        pass->splitter = key_splitter_new(files->separator, files->hex, pass_on, pass);
        int result = pass->splitter != NULL ? read_file(pass, &files->files[i])
                                            : report_error(NULL, "out of memory");
        key_splitter_free(pass->splitter);
        if (result != STATUS_YES) {
            status = result;
            if (!keep_going)
                break;
        }
    }
    progress_end();
    return status;
}

static int run_pass_with_block(key_files *files, const char *doing, key_pass *pass, bool keep_going)
{
    pass->block = malloc(BLOCK_SIZE);
    if (pass->block == NULL)
        return report_error(NULL, "out of memory");
    int status = run_pass(files, doing, pass, keep_going);
    free(pass->block);
    return status;
}

int key_files_read(key_files *files, const char *doing, key_sink *sink, void *context,
                   bool keep_going)
{
    key_pass pass = {NULL, NULL, false, sink, context, false};
    return run_pass_with_block(files, doing, &pass, keep_going);
}

static bool count_keys(void *context, const key_batch *batch)
{
    uint64_t *count = context;
    *count += batch->count;
    return true;
}

int key_files_count(key_files *files, uint64_t *count)
{
    key_pass pass = {NULL, NULL, true, count_keys, count, false};
    *count = 0;
    return run_pass_with_block(files, "counting", &pass, false);
}
