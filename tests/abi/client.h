/* SPDX-License-Identifier: MIT */
/* What the programs of this folder share. */
#ifndef BLOOMFILTER_TESTS_ABI_CLIENT_H
#define BLOOMFILTER_TESTS_ABI_CLIENT_H

#include <bloomfilter.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define REQUIRE(condition)                                                                         \
    ((condition)                                                                                   \
         ? (void)0                                                                                 \
         : (fprintf(stderr, "%s:%d: not true: %s\n", __FILE__, __LINE__, #condition), exit(1)))

/* A copy of a struct that ends where a page begins that cannot be touched, so that reading or
 * writing one byte beyond it ends the program. Never freed. */
static inline void *at_the_edge(const void *bytes, size_t size)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    uint8_t *pages =
        mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    REQUIRE(pages != MAP_FAILED && mprotect(pages + page, page, PROT_NONE) == 0);
    return memcpy(pages + page - size, bytes, size);
}

#endif
