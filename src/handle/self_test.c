/* SPDX-License-Identifier: MIT */
#include "handle/handle.h"

#include <stdatomic.h>

#include "bitset/split_block.h"
#include "hashing/blake2b_pair.h"
#include "hashing/blake2b_wide.h"
#include "hashing/xxh64.h"
#include "serializer/body_digest.h"

bool bloomfilter_handle_self_test_passes(void)
{
    enum { UNKNOWN, RIGHT, WRONG };
    static atomic_int verdict = UNKNOWN;
    int known = atomic_load_explicit(&verdict, memory_order_relaxed);

    /* Threads that come first at once all find the same answer: no lock is needed. */
    if (known == UNKNOWN) {
        bool is_right = bloomfilter_blake2b_is_right() && bloomfilter_blake2b_pair_is_right() &&
                        bloomfilter_blake2b_wide_is_right() && bloomfilter_xxh64_is_right() &&
                        bloomfilter_body_digest_is_right() && bloomfilter_split_block_is_right();
        known = is_right ? RIGHT : WRONG;
        atomic_store_explicit(&verdict, known, memory_order_relaxed);
    }
    return known == RIGHT;
}
