/* SPDX-License-Identifier: MIT */
#include "secret.h"

#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "report.h"
#include "standard_input.h"
#include "system_files.h"

/* One more than a secret can have, to see one that is too long. */
static unsigned char secret_bytes[BLOOMFILTER_MAX_SECRET_SIZE + 1];

void secret_wipe(void)
{
    /* volatile: the compiler may not leave out stores that nobody reads. */
    volatile unsigned char *bytes = secret_bytes;
    for (size_t i = 0; i < sizeof secret_bytes; i++)
        bytes[i] = 0;
}

static int read_secret_from(command_options *options, int descriptor, const char *name)
{
    if (standard_input_take_descriptor(descriptor, INPUT_OF_SECRET) != STATUS_YES)
        return -1;
    ssize_t size = read_full(descriptor, secret_bytes, sizeof secret_bytes);
    if (size < 0) {
        report_errno(name, "cannot read the secret");
        return -1;
    }
    if (size < BLOOMFILTER_MIN_SECRET_SIZE || size > BLOOMFILTER_MAX_SECRET_SIZE) {
        report_error(name,
                     "a secret has 16 to 64 bytes, this one has %s%d. Make one with: "
                     "head -c 32 /dev/urandom > FILE",
                     size > BLOOMFILTER_MAX_SECRET_SIZE ? "more than " : "",
                     size > BLOOMFILTER_MAX_SECRET_SIZE ? BLOOMFILTER_MAX_SECRET_SIZE : (int)size);
        return -1;
    }
    options->shape.secret = secret_bytes;
    options->shape.secret_size = (size_t)size;
    return 0;
}

int secret_read(command_options *options)
{
    char name[40];
    if (options->secret_descriptor >= 0) {
        snprintf(name, sizeof name, "file descriptor %d", options->secret_descriptor);
        return read_secret_from(options, options->secret_descriptor, name);
    }
    if (options->secret_file == NULL)
        return 0;
    int descriptor = open_file(options->secret_file, O_RDONLY);
    if (descriptor < 0) {
        report_errno(options->secret_file, "cannot open the file of the secret");
        return -1;
    }
    int result = read_secret_from(options, descriptor, options->secret_file);
    close(descriptor);
    return result;
}

bloomfilter_load_options secret_load_options(const command_options *options)
{
    bloomfilter_load_options load_options = BLOOMFILTER_LOAD_OPTIONS_INIT;
    load_options.secret = options->shape.secret;
    load_options.secret_size = options->shape.secret_size;
    return load_options;
}
