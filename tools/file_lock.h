/* SPDX-License-Identifier: MIT */
/*
 * file_lock.h - one writer at a time. Whoever reads a filter, changes it and saves it holds the
 * lock of the file meanwhile, so that no key of another writer is lost.
 */
#ifndef TOOLS_FILE_LOCK_H
#define TOOLS_FILE_LOCK_H

#include "posix.h"

/*
 * Waits until nobody else holds the lock of the file at `path` (of the file that it points to, if
 * it is a symbolic link). Returns a descriptor for file_lock_release, or -1 and errno: ENOENT when
 * there is no such file, ENODEV when it is not a regular file.
 */
int file_lock_acquire(const char *path);
void file_lock_release(int lock);

#endif
