/* SPDX-License-Identifier: MIT */
/* Stands in the way of libxxhash, as shadow.c does of libb2. */
#include <xxhash.h>

XXH64_hash_t XXH64(const void *bytes, size_t size, XXH64_hash_t seed)
{
    XXH64_hash_t hash = seed;
    for (size_t i = 0; i < size; i++)
        hash = hash * 31 + ((const unsigned char *)bytes)[i];
    return hash;
}
