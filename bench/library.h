/* SPDX-License-Identifier: MIT */
/* The public interface, of the library that this program is linked with or of another build. */
#ifndef BENCH_LIBRARY_H
#define BENCH_LIBRARY_H

#include "bloomfilter.h"
#include "contestant.h"

struct library {
    int (*create)(bloomfilter **out, const bloomfilter_options *options);
    void (*free)(bloomfilter *filter);
    void (*clear)(bloomfilter *filter);
    int (*add)(bloomfilter *filter, const void *key, size_t key_size);
    bool (*contains)(const bloomfilter *filter, const void *key, size_t key_size);
    int (*add_many)(bloomfilter *filter, size_t count, const void *const keys[],
                    const size_t key_sizes[], uint8_t *was_new);
    int (*contains_many)(const bloomfilter *filter, size_t count, const void *const keys[],
                         const size_t key_sizes[], uint8_t *found);
};

extern const struct library library_linked;

/* Opens a shared library; false, and says why on standard error, if that fails. */
bool library_open(struct library *library, const char *path);

/* The options of a filter for so many keys at target_fpr. */
bloomfilter_options library_options(const struct contestant *contestant, uint64_t capacity);

#endif
