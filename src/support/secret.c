/* SPDX-License-Identifier: MIT */
#include "support/secret.h"

#include <string.h>

/* A call through a volatile pointer may have effects that the compiler cannot know, so it is kept
 * even where the memory is freed next. (explicit_bzero is not on every libc.) */
static void *(*const volatile set_memory)(void *, int, size_t) = memset;

void bloomfilter_secret_wipe(void *memory, size_t size)
{
    set_memory(memory, 0, size);
}
