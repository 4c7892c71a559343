/* SPDX-License-Identifier: MIT */
#include "memory.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { LINE = 64, HUGE_PAGE = 2097152, LARGE = 2 * HUGE_PAGE };

static struct memory take_from_heap(size_t size)
{
    void *start = NULL;
    if (posix_memalign(&start, LINE, size) != 0)
        return (struct memory){0};
    memset(start, 0, size);
    return (struct memory){.start = start, .size = size};
}

static struct memory take_pages(size_t size)
{
    struct memory memory = {.size = size, .mapped_size = size + 2 * (size_t)HUGE_PAGE};
    memory.mapped =
        mmap(NULL, memory.mapped_size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory.mapped == MAP_FAILED)
        return (struct memory){0};
    size_t before = (HUGE_PAGE - (uintptr_t)memory.mapped % HUGE_PAGE) % HUGE_PAGE;
    memory.start = (uint8_t *)memory.mapped + before;
#ifdef MADV_HUGEPAGE
    madvise(memory.start, (size + HUGE_PAGE - 1) / HUGE_PAGE * HUGE_PAGE, MADV_HUGEPAGE);
#endif
    return memory;
}

struct memory memory_take(size_t size)
{
    return size < LARGE ? take_from_heap(size) : take_pages(size);
}

void memory_release(struct memory *memory)
{
    if (memory->mapped == NULL)
        free(memory->start);
    else
        munmap(memory->mapped, memory->mapped_size);
    *memory = (struct memory){0};
}
