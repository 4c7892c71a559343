/* SPDX-License-Identifier: MIT */
/*
 * The functions of glibc's fortification that a libb2 built for glibc calls, and that musl has not:
 * with them, the same archive of libb2 links with either C library.
 */
#include <stdlib.h>
#include <string.h>

void *__memcpy_chk(void *to, const void *from, size_t size, size_t room);
void __explicit_bzero_chk(void *memory, size_t size, size_t room);

void *__memcpy_chk(void *to, const void *from, size_t size, size_t room)
{
    if (size > room)
        abort();
    return memcpy(to, from, size);
}

void __explicit_bzero_chk(void *memory, size_t size, size_t room)
{
    if (size > room)
        abort();
    explicit_bzero(memory, size);
}
