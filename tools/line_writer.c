/* SPDX-License-Identifier: MIT */
#include "line_writer.h"

#include <string.h>
#include <unistd.h>

#include "system_files.h"

int line_writer_flush(line_writer *writer)
{
    size_t size = writer->used;
    writer->used = 0;
    return write_all(STDOUT_FILENO, writer->bytes, size);
}

int line_writer_put(line_writer *writer, const void *line, size_t size)
{
    if (size >= LINE_WRITER_ROOM - writer->used && line_writer_flush(writer) < 0)
        return -1;
    if (size >= LINE_WRITER_ROOM) {
        if (write_all(STDOUT_FILENO, line, size) < 0)
            return -1;
        size = 0;
    }
    memcpy(writer->bytes + writer->used, line, size);
    writer->used += size;
    writer->bytes[writer->used++] = (unsigned char)writer->separator;
    return 0;
}
