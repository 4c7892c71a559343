/* SPDX-License-Identifier: MIT */
/* line_writer.h - lines to standard output, many in one write. */
#ifndef TOOLS_LINE_WRITER_H
#define TOOLS_LINE_WRITER_H

#include "posix.h"

#include <stddef.h>

enum { LINE_WRITER_ROOM = 1 << 16 };

typedef struct line_writer {
    char separator; /* after every line */
    size_t used;    /* 0 in the beginning */
    unsigned char bytes[LINE_WRITER_ROOM];
} line_writer;

/* Both return 0, or -1 and errno; then the writer is used no more. */
int line_writer_put(line_writer *writer, const void *line, size_t size);

/* Writes out what was put. */
int line_writer_flush(line_writer *writer);

#endif
