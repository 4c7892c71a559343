/* SPDX-License-Identifier: MIT */
/*
 * system_files.h - system calls without their surprises: interrupted calls are made again, short
 * writes go on. Failures are -1 and errno.
 */
#ifndef TOOLS_SYSTEM_FILES_H
#define TOOLS_SYSTEM_FILES_H

#include "posix.h"

#include <stddef.h>
#include <sys/types.h>

/* Opens an existing file; it is closed when the process becomes another program. */
int open_file(const char *path, int flags);

/* Reads 1 to `room` bytes, what is there already. 0: the end. */
ssize_t read_some(int descriptor, void *bytes, size_t room);

/* Reads `room` bytes, fewer only at the end. */
ssize_t read_full(int descriptor, void *bytes, size_t room);

/* Writes all bytes. */
int write_all(int descriptor, const void *bytes, size_t size);

/* Makes sure that the descriptors 0, 1 and 2 are open, so that no file that is opened later gets
 * one of them and is written to by mistake. What stands in for a closed one fails as that would. */
void open_standard_descriptors(void);

/* Lets a write past a limit on file sizes fail with EFBIG, where the system would kill. */
void ignore_size_signal(void);

/* Between these, which do not nest, a signal that asks the process to end waits: a save that takes
 * a moment longer leaves no temporary file. */
void hold_signals(void);
void release_signals(void);

#endif
