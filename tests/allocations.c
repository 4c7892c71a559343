/* SPDX-License-Identifier: MIT */
#include "allocations.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>

/* Compilers know that malloc and its like do not look at these, and leave out writes between. */
volatile size_t largest_allocation;
volatile int allocations_until_failure = -1;

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
int __real_posix_memalign(void **out, size_t alignment, size_t size);
/* glibc's mmap with 64-bit file offsets. */
#ifdef __GLIBC__
#define __real_mmap __real_mmap64
#endif
void *__real_mmap(void *start, size_t size, int protection, int flags, int file, off_t offset);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
int __wrap_posix_memalign(void **out, size_t alignment, size_t size);
void *__wrap_mmap(void *start, size_t size, int protection, int flags, int file, off_t offset);

static int is_allowed(size_t size)
{
    if (size > largest_allocation)
        largest_allocation = size;
    if (allocations_until_failure < 0)
        return 1;
    if (allocations_until_failure == 0)
        return 0;
    allocations_until_failure--;
    return 1;
}

void *__wrap_malloc(size_t size)
{
    return is_allowed(size) ? __real_malloc(size) : NULL;
}

void *__wrap_calloc(size_t count, size_t size)
{
    return is_allowed(count * size) ? __real_calloc(count, size) : NULL;
}

int __wrap_posix_memalign(void **out, size_t alignment, size_t size)
{
    return is_allowed(size) ? __real_posix_memalign(out, alignment, size) : ENOMEM;
}

void *__wrap_mmap(void *start, size_t size, int protection, int flags, int file, off_t offset)
{
    /* Mapping a file takes no memory. */
    if (flags & MAP_ANONYMOUS && !is_allowed(size)) {
        errno = ENOMEM;
        return MAP_FAILED;
    }
    return __real_mmap(start, size, protection, flags, file, offset);
}
