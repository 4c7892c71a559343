/* SPDX-License-Identifier: MIT */
#include "key_adder.h"

#include "report.h"

typedef struct key_adder {
    bloomfilter *filter;
    uint64_t count;
    int code; /* what bloomfilter_add_many returned */
} key_adder;

static bool add_batch(void *context, const key_batch *batch)
{
    key_adder *adder = context;
    adder->code =
        bloomfilter_add_many(adder->filter, batch->count, batch->keys, batch->key_sizes, NULL);
    adder->count += batch->count;
    return adder->code == 0;
}

int add_keys(bloomfilter *filter, key_files *files, const char *subject, uint64_t *count)
{
    key_adder adder = {filter, 0, 0};
    int status = key_files_read(files, "adding", add_batch, &adder, false);
    *count = adder.count;
    return adder.code < 0 ? report_code(subject, adder.code) : status;
}
