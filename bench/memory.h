/* SPDX-License-Identifier: MIT */
/* Memory of the kind that the library's filters live in, so that pages cost everyone the same. */
#ifndef BENCH_MEMORY_H
#define BENCH_MEMORY_H

#include <stddef.h>
#include <stdint.h>

struct memory {
    uint8_t *start; /* NULL: there was none */
    size_t size;
    void *mapped; /* NULL: from the heap */
    size_t mapped_size;
};

/* Zeros: from the heap; from 4 MiB on in pages that are not touched yet, huge where there are. */
struct memory memory_take(size_t size);
void memory_release(struct memory *memory);

#endif
