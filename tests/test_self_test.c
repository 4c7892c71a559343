/* SPDX-License-Identifier: MIT */
/*
 * A kernel that answers wrongly on this processor, for whatever reason, is found before the first
 * key. Kernels are chosen by functions of this file, which is linked in place of the library's.
 */
#include "support.h"

#include <sys/wait.h>
#include <unistd.h>

#define bloomfilter_blake2b_kernel chosen_blake2b_kernel
#define bloomfilter_leaf_kernel chosen_leaf_kernel
#define bloomfilter_split_block_kernel chosen_split_block_kernel
#include "bitset/split_block_kernels.c"
#include "hashing/blake2b_kernels.c"
#include "support/leaf_kernels.c"
#undef bloomfilter_blake2b_kernel
#undef bloomfilter_leaf_kernel
#undef bloomfilter_split_block_kernel

const struct blake2b_kernel *bloomfilter_blake2b_kernel(void);
const struct leaf_kernel *bloomfilter_leaf_kernel(void);
const struct block_kernel *bloomfilter_split_block_kernel(void);

/* What this processor would have, and what it gets. */
static const struct blake2b_kernel *blake2b;
static const struct leaf_kernel *leaves;
static const struct block_kernel *blocks;
static struct blake2b_kernel blake2b_here;
static struct leaf_kernel leaves_here;
static struct block_kernel blocks_here;

const struct blake2b_kernel *bloomfilter_blake2b_kernel(void)
{
    return &blake2b_here;
}

const struct leaf_kernel *bloomfilter_leaf_kernel(void)
{
    return leaves == NULL ? NULL : &leaves_here;
}

const struct block_kernel *bloomfilter_split_block_kernel(void)
{
    return &blocks_here;
}

static int find_kernels(void **state)
{
    (void)state;
    blake2b = chosen_blake2b_kernel();
    leaves = chosen_leaf_kernel();
    blocks = chosen_split_block_kernel();
    blake2b_here = *blake2b;
    blocks_here = *blocks;
    if (leaves != NULL)
        leaves_here = *leaves;
    return 0;
}

/* ---- one wrong bit, in one answer of each function */

static void wrong_pair(const struct blake2b_chain chains[2], const void *message, size_t size,
                       struct hash_pair *pair)
{
    blake2b->pair(chains, message, size, pair);
    pair->h2 ^= UINT64_C(1) << 63;
}

static void wrong_wide(const struct blake2b_chain *chain, const void *message, size_t size,
                       struct hash_pair *halves)
{
    blake2b->wide(chain, message, size, halves);
    halves->h2 ^= 2; /* the lowest bit counts for nothing */
}

static void wrong_pair_positions(const struct hasher *hasher, const void *const keys[],
                                 const size_t key_sizes[], uint64_t positions[],
                                 struct flat_work *work)
{
    blake2b->pair_positions(hasher, keys, key_sizes, positions, work);
    positions[KEY_GROUP - 1] ^= 1;
}

static void wrong_wide_positions(const struct hasher *hasher, const void *const keys[],
                                 const size_t key_sizes[], uint64_t positions[],
                                 struct flat_work *work)
{
    blake2b->wide_positions(hasher, keys, key_sizes, positions, work);
    positions[2 * KEY_GROUP] ^= 1;
}

static void wrong_group_hashes(const struct blake2b_chain *chain, const void *const keys[],
                               const size_t key_sizes[], uint64_t hashes[])
{
    blake2b->group_hashes(chain, keys, key_sizes, hashes);
    hashes[KEY_GROUP / 2] ^= 1;
}

static void wrong_leaves(const struct leaf_run *run, uint8_t digests[][LEAF_DIGEST_SIZE])
{
    leaves->digest(run, digests);
    digests[run->count - 1][LEAF_DIGEST_SIZE - 1] ^= 1;
}

static bool add_nothing(uint8_t *cells, uint64_t bit_count, uint64_t hash)
{
    return !blocks->contains(cells, bit_count, hash);
}

static bool add_and_call_it_old(uint8_t *cells, uint64_t bit_count, uint64_t hash)
{
    blocks->add(cells, bit_count, hash);
    return false;
}

static bool contain_all(const uint8_t *cells, uint64_t bit_count, uint64_t hash)
{
    (void)cells, (void)bit_count, (void)hash;
    return true;
}

static void add_all_and_lose_some(uint8_t *cells, uint64_t bit_count, size_t count,
                                  const uint64_t hashes[], uint8_t was_new[])
{
    blocks->add_many(cells, bit_count, count, hashes, was_new);
    cells[0] = 0;
}

static void deny_the_last(const uint8_t *cells, uint64_t bit_count, size_t count,
                          const uint64_t hashes[], uint8_t found[])
{
    blocks->contains_many(cells, bit_count, count, hashes, found);
    found[count - 1] = 0;
}

/* ---- */

static int code_of_a_new_process(void)
{
    int status;
    pid_t child = fork(); /* a process tests itself once */
    assert_true(child >= 0);
    if (child == 0) {
        bloomfilter *filter;
        int code = bloomfilter_new(&filter, 1000, 0.01);
        bloomfilter_free(filter);
        _exit(-code);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    return -WEXITSTATUS(status);
}

static void test_right_kernels(void **state)
{
    (void)state;
    assert_int_equal(code_of_a_new_process(), 0);
}

/* Puts a wrong function in the place of a right one, where there is one. */
#define TEST_WRONG(test, kernel, member, wrong)                                                    \
    static void test(void **state)                                                                 \
    {                                                                                              \
        (void)state;                                                                               \
        if (kernel.member == NULL)                                                                 \
            skip();                                                                                \
        kernel.member = wrong;                                                                     \
        assert_int_equal(code_of_a_new_process(), BLOOMFILTER_ESELFTEST);                          \
        find_kernels(state);                                                                       \
        assert_int_equal(code_of_a_new_process(), 0);                                              \
    }

TEST_WRONG(test_wrong_pair, blake2b_here, pair, wrong_pair)
TEST_WRONG(test_wrong_wide, blake2b_here, wide, wrong_wide)
TEST_WRONG(test_wrong_pair_positions, blake2b_here, pair_positions, wrong_pair_positions)
TEST_WRONG(test_wrong_wide_positions, blake2b_here, wide_positions, wrong_wide_positions)
TEST_WRONG(test_wrong_group_hashes, blake2b_here, group_hashes, wrong_group_hashes)
TEST_WRONG(test_wrong_leaves, leaves_here, digest, wrong_leaves)
TEST_WRONG(test_block_that_is_not_set, blocks_here, add, add_nothing)
TEST_WRONG(test_block_that_is_never_new, blocks_here, add, add_and_call_it_old)
TEST_WRONG(test_block_that_is_always_there, blocks_here, contains, contain_all)
TEST_WRONG(test_blocks_that_are_not_set, blocks_here, add_many, add_all_and_lose_some)
TEST_WRONG(test_blocks_that_are_denied, blocks_here, contains_many, deny_the_last)

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_right_kernels),
        cmocka_unit_test(test_wrong_pair),
        cmocka_unit_test(test_wrong_wide),
        cmocka_unit_test(test_wrong_pair_positions),
        cmocka_unit_test(test_wrong_wide_positions),
        cmocka_unit_test(test_wrong_group_hashes),
        cmocka_unit_test(test_wrong_leaves),
        cmocka_unit_test(test_block_that_is_not_set),
        cmocka_unit_test(test_block_that_is_never_new),
        cmocka_unit_test(test_block_that_is_always_there),
        cmocka_unit_test(test_blocks_that_are_not_set),
        cmocka_unit_test(test_blocks_that_are_denied),
    };
    return cmocka_run_group_tests(tests, find_kernels, NULL);
}
