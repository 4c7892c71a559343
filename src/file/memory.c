/* SPDX-License-Identifier: MIT */
#include "file/system.h"

#include "file/file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "bloomfilter.h"

enum {
    ALIGNMENT = 64,       /* a cache line */
    HUGE_PAGE = 2097152,  /* of x86-64 and aarch64 with 4 KiB pages; elsewhere it does no harm */
    LARGE = 2 * HUGE_PAGE /* from here on, memory comes in pages */
};

static int allocate_on_heap(struct memory *memory, size_t size)
{
    void *start = NULL;
    if (posix_memalign(&start, ALIGNMENT, size) != 0)
        return BLOOMFILTER_ENOMEM;
    memory->start = memset(start, 0, size);
    memory->size = size;
    memory->kind = MEMORY_HEAP;
    return 0;
}

/* Maps a huge page too much, then gives back what lies before and after the aligned part. */
static int allocate_pages(struct memory *memory, size_t size)
{
    size_t mapped_size = size + HUGE_PAGE;
    uint8_t *mapped =
        mmap(NULL, mapped_size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (mapped == MAP_FAILED)
        return BLOOMFILTER_ENOMEM;

    size_t before = (HUGE_PAGE - (uintptr_t)mapped % HUGE_PAGE) % HUGE_PAGE;
    size_t after = HUGE_PAGE - before;
    if (before != 0)
        munmap(mapped, before);
    munmap(mapped + before + size, after);
    memory->start = mapped + before;
    memory->size = size;
    memory->kind = MEMORY_PAGES;
#ifdef MADV_HUGEPAGE
    madvise(memory->start, size, MADV_HUGEPAGE); /* a wish: all works without it, only slower */
#endif
    return 0;
}

int bloomfilter_memory_size(uint64_t size, uint64_t *taken)
{
    if (size > PTRDIFF_MAX - 2 * (uint64_t)HUGE_PAGE)
        return BLOOMFILTER_ETOOLARGE;
    *taken = size;
    if (size >= LARGE) /* whole huge pages, so that the end too is on one */
        *taken = (size + HUGE_PAGE - 1) / HUGE_PAGE * HUGE_PAGE;
    return 0;
}

int bloomfilter_memory_allocate(struct memory *memory, uint64_t size)
{
    int saved_errno = errno;
    uint64_t taken;

    *memory = (struct memory){0};
    int code = bloomfilter_memory_size(size, &taken);
    if (code == 0 && size < LARGE)
        code = allocate_on_heap(memory, (size_t)taken);
    else if (code == 0)
        code = allocate_pages(memory, (size_t)taken);
    if (code == 0)
        memory->length = size;
    errno = saved_errno;
    return code;
}

void bloomfilter_memory_release(struct memory *memory)
{
    int saved_errno = errno;
    if (memory->kind == MEMORY_HEAP)
        free(memory->start);
    else if (memory->kind == MEMORY_PAGES)
        munmap(memory->start, (size_t)memory->size);
    *memory = (struct memory){0};
    errno = saved_errno;
}
