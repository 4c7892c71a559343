/* SPDX-License-Identifier: MIT */
/* Any options, any keys, any metadata: what is saved comes back the same. */
#include "fuzz.h"

#include <string.h>

#include "bloomfilter.h"

static bloomfilter_options take_options(struct input *input, const uint8_t *secret)
{
    bloomfilter_options options = BLOOMFILTER_OPTIONS_INIT;
    uint8_t choice = take_byte(input);
    uint64_t target = take_number(input, 8);
    options.capacity = take_number(input, 2);
    if (choice & 1)
        memcpy(&options.target_fpr, &target, sizeof target); /* any double at all */
    else
        options.target_fpr = (double)(target % 1000) / 1000;
    options.bit_count = take_number(input, 2);
    options.hash_count = (uint32_t)take_number(input, 2) % 300;
    options.hash = (choice >> 1 & 3) + (choice >> 4 & 1);
    options.layout = choice >> 3 & 1;
    options.flags = choice >> 4 == 15;
    if (choice & 32) {
        options.layout = BLOOMFILTER_LAYOUT_SPLIT_BLOCK;
        options.hash = options.hash == 3 ? BLOOMFILTER_HASH_XXH64 : options.hash;
        options.bit_count &= choice & 8 ? 0xff00 : 0xffff;
        options.hash_count = options.hash_count % 2 * 8;
    }
    options.seed = choice & 128 ? take_number(input, 8) : 0;
    if (choice & 64) {
        options.secret = secret;
        options.secret_size = take_byte(input) % 70;
    }
    return options;
}

static void add_keys(bloomfilter *filter, struct input *input)
{
    while (input->size > 0) {
        size_t size;
        const uint8_t *key = take_bytes(input, take_byte(input), &size);
        REQUIRE(bloomfilter_add(filter, key, size) >= 0);
        REQUIRE(bloomfilter_contains(filter, key, size));
    }
}

static void require_keys(const bloomfilter *filter, struct input input)
{
    while (input.size > 0) {
        size_t size;
        const uint8_t *key = take_bytes(&input, take_byte(&input), &size);
        REQUIRE(bloomfilter_contains(filter, key, size));
    }
}

static uint8_t *serialize(const bloomfilter *filter, size_t *size)
{
    uint64_t needed;
    REQUIRE(bloomfilter_serialized_size(filter, &needed) == 0);
    uint8_t *bytes = malloc((size_t)needed);
    REQUIRE(bytes != NULL);
    REQUIRE(bloomfilter_serialize(filter, bytes, (size_t)needed) == 0);
    *size = (size_t)needed;
    return bytes;
}

static void require_same(const bloomfilter *a, const bloomfilter *b)
{
    bloomfilter_info x = BLOOMFILTER_INFO_INIT;
    bloomfilter_info y = BLOOMFILTER_INFO_INIT;
    REQUIRE(bloomfilter_get_info(a, &x) == 0 && bloomfilter_get_info(b, &y) == 0);
    REQUIRE(x.capacity == y.capacity && x.bit_count == y.bit_count);
    REQUIRE(x.hash_count == y.hash_count && x.hash == y.hash && x.seed == y.seed);
    REQUIRE(x.insert_count == y.insert_count && x.bits_set == y.bits_set);
    REQUIRE(x.target_fpr == y.target_fpr && x.current_fpr == y.current_fpr);
    REQUIRE(bloomfilter_compatible(a, b) == 1);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const uint8_t secret[70] = {1, 2, 3};
    struct input input = {data, size};
    bloomfilter_options options = take_options(&input, secret);
    bloomfilter_load_options load_options = BLOOMFILTER_LOAD_OPTIONS_INIT;
    bloomfilter_info plan = BLOOMFILTER_INFO_INIT;
    bloomfilter *filter;
    bloomfilter *again;

    int planned = bloomfilter_plan(&options, &plan);
    if (planned == 0 && plan.bit_count > 1 << 22)
        return 0; /* nothing wrong with it, but slow */
    int created = bloomfilter_create(&filter, &options);
    REQUIRE(created == planned);
    REQUIRE((filter != NULL) == (created == 0));
    if (created != 0)
        return 0;

    size_t metadata_size;
    const uint8_t *metadata = take_bytes(&input, take_byte(&input), &metadata_size);
    REQUIRE(bloomfilter_set_metadata(filter, metadata, metadata_size) == 0);
    struct input keys = input;
    add_keys(filter, &input);

    size_t serialized_size;
    uint8_t *bytes = serialize(filter, &serialized_size);
    load_options.secret = options.secret_size != 0 ? options.secret : NULL;
    load_options.secret_size = options.secret_size;
    REQUIRE(bloomfilter_deserialize(&again, bytes, serialized_size, &load_options) == 0);
    require_same(filter, again);
    require_keys(again, keys);

    size_t second_size;
    uint8_t *second = serialize(again, &second_size);
    REQUIRE(second_size == serialized_size && memcmp(bytes, second, second_size) == 0);
    free(bytes);
    free(second);
    bloomfilter_free(again);
    bloomfilter_free(filter);
    return 0;
}
