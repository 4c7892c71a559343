/* SPDX-License-Identifier: MIT */
/*
 * new_file.h - makes a file where there is none, whole or not at all.
 *
 * The library's own save replaces what the path names. So the file is saved under another name in
 * the same directory and then linked: of several links to one name, the system lets one succeed.
 */
#ifndef TOOLS_NEW_FILE_H
#define TOOLS_NEW_FILE_H

#include "posix.h"

/* Writes the content to `path` over what is there, atomically and durably. Returns a code of the
 * library. */
typedef int file_writer(const void *content, const char *path);

/*
 * Makes the file, atomically and durably. Returns 0 or a code of the library; EIO with errno EEXIST
 * where the path names something already. Signals should be held meanwhile.
 */
int new_file_make(const char *path, file_writer *write, const void *content);

#endif
