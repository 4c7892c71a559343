/* SPDX-License-Identifier: MIT */
/* The secret of a keyed filter, and the wiping of memory that held it. */
#ifndef BLOOMFILTER_SUPPORT_SECRET_H
#define BLOOMFILTER_SUPPORT_SECRET_H

#include <stddef.h>
#include <stdint.h>

struct secret {
    uint8_t bytes[64];
    size_t size; /* 0: no secret; else 16 to 64 */
};

/* Overwrites memory in a way that the compiler may not leave out. */
void bloomfilter_secret_wipe(void *memory, size_t size);

#endif
