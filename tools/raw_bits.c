/* SPDX-License-Identifier: MIT */
#include "raw_bits.h"

#include <stddef.h>
#include <stdlib.h>

/* This file and new_file.c look behind the public interface; no other file of the command does. */
#include "file/file.h"
#include "handle/raw_bits.h"

uint64_t raw_bits_size(uint64_t bit_count)
{
    return bit_count / 8 + (bit_count % 8 != 0);
}

void raw_bits_free(raw_bits *bits)
{
    free(bits->bytes);
    bits->bytes = NULL;
}

int raw_bits_get(const bloomfilter *filter, raw_bits *bits)
{
    bits->size = bloomfilter_raw_bits_size(filter);
    bits->bytes = bits->size <= SIZE_MAX ? malloc((size_t)bits->size) : NULL;
    if (bits->bytes == NULL)
        return BLOOMFILTER_ENOMEM;
    return bloomfilter_raw_bits_get(filter, bits->bytes, bits->size);
}

int raw_bits_set(bloomfilter *filter, const raw_bits *bits, uint64_t insert_count)
{
    return bloomfilter_raw_bits_set(filter, bits->bytes, bits->size, insert_count);
}

int raw_bits_save(const raw_bits *bits, const char *path)
{
    struct file_piece piece = {bits->bytes, bits->size};
    return bloomfilter_file_save(path, &piece, 1);
}
