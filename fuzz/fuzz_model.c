/* SPDX-License-Identifier: MIT */
/*
 * A sequence of calls, each made of the library and of a model: a list of the keys that were added
 * and a plain array of bits. After each call the two agree.
 */
#include "fuzz.h"

#include <string.h>

#include "bloomfilter.h"
#include "hashing/hashing.h"

enum {
    FILTERS = 2,
    MAX_BITS = 2048,
    BLOCK_BITS = 256,
    MAX_HASHES = 12,
    MAX_CALLS = 400,
    KEY_ROOM = 16
};

struct model {
    bloomfilter *filter;
    uint8_t bits[MAX_BITS]; /* one byte per bit */
    uint8_t keys[MAX_CALLS][KEY_ROOM];
    size_t key_sizes[MAX_CALLS];
    size_t key_count; /* keys that must be found */
    uint64_t insert_count;
};

struct world {
    struct hasher hasher;
    uint32_t layout;
    struct model models[FILTERS];
};

/* Each scheme with the layouts that it goes with. */
static void take_kind(bloomfilter_options *options, uint8_t choice)
{
    static const uint32_t kinds[][2] = {{1, 1}, {2, 1}, {3, 1}, {4, 1}, {1, 2}, {4, 2}, {5, 2}};
    const uint32_t *kind = kinds[choice % (sizeof kinds / sizeof kinds[0])];
    options->hash = kind[0];
    options->layout = kind[1];
    if (options->layout == BLOOMFILTER_LAYOUT_SPLIT_BLOCK) {
        options->bit_count = (options->bit_count + BLOCK_BITS - 1) / BLOCK_BITS * BLOCK_BITS;
        options->hash_count = 8;
    }
}

static void start(struct world *world, struct input *input)
{
    static const struct secret none;
    bloomfilter_options options = BLOOMFILTER_OPTIONS_INIT;
    memset(world, 0, sizeof *world);
    options.bit_count = 1 + take_number(input, 2) % MAX_BITS;
    options.hash_count = 1 + take_byte(input) % MAX_HASHES;
    take_kind(&options, take_byte(input));
    for (int i = 0; i < FILTERS; i++)
        REQUIRE(bloomfilter_create(&world->models[i].filter, &options) == 0);
    bloomfilter_hashing_prepare(&world->hasher, bloomfilter_hashing_find(options.hash),
                                options.bit_count, options.hash_count, 0, &none);
    world->layout = options.layout;
}

static void find_bits_of_block(const struct hasher *hasher, uint64_t hash, uint64_t positions[8])
{
    static const uint32_t salts[8] = {0x47b6137b, 0x44974d91, 0x8824ad5b, 0xa2b7289d,
                                      0x705495c7, 0x2df1424b, 0x9efc4947, 0x5c6bfb31};
    uint64_t block = (hash >> 32) * (hasher->bit_count / BLOCK_BITS) >> 32;
    for (uint64_t i = 0; i < 8; i++)
        positions[i] = block * BLOCK_BITS + 32 * i + ((uint32_t)hash * salts[i] >> 27);
}

/* The positions of the bits of one key, as the model takes them. */
static void find_positions(const struct world *world, const uint8_t *key, size_t size,
                           uint64_t positions[MAX_HASHES])
{
    const struct hasher *hasher = &world->hasher;
    if (world->layout == BLOOMFILTER_LAYOUT_FLAT)
        hasher->scheme->positions(hasher, key, size, positions, 1);
    else
        find_bits_of_block(hasher, hasher->scheme->hash(hasher, key, size), positions);
}

static void check_contents(const struct world *world, const struct model *model)
{
    bloomfilter_info info = BLOOMFILTER_INFO_INIT;
    uint64_t bits_set = 0;
    for (uint64_t i = 0; i < world->hasher.bit_count; i++)
        bits_set += model->bits[i];
    REQUIRE(bloomfilter_get_info(model->filter, &info) == 0);
    REQUIRE(info.bits_set == bits_set);
    REQUIRE(info.insert_count == model->insert_count);
    for (size_t i = 0; i < model->key_count; i++)
        REQUIRE(bloomfilter_contains(model->filter, model->keys[i], model->key_sizes[i]));
}

static void add(struct world *world, struct model *model, const uint8_t *key, size_t size)
{
    uint64_t positions[MAX_HASHES];
    int any_new = 0;
    find_positions(world, key, size, positions);
    for (uint32_t i = 0; i < world->hasher.hash_count; i++) {
        any_new |= !model->bits[positions[i]];
        model->bits[positions[i]] = 1;
    }
    REQUIRE(bloomfilter_add(model->filter, key, size) == any_new);
    model->insert_count++;
    if (model->key_count < MAX_CALLS) {
        memcpy(model->keys[model->key_count], key, size);
        model->key_sizes[model->key_count++] = size;
    }
}

static void ask(const struct world *world, const struct model *model, const uint8_t *key,
                size_t size)
{
    uint64_t positions[MAX_HASHES];
    int all = 1;
    find_positions(world, key, size, positions);
    for (uint32_t i = 0; i < world->hasher.hash_count; i++)
        all &= model->bits[positions[i]];
    REQUIRE(bloomfilter_contains(model->filter, key, size) == (all != 0));
}

static void clear(struct model *model)
{
    bloomfilter_clear(model->filter);
    memset(model->bits, 0, sizeof model->bits);
    model->key_count = 0;
    model->insert_count = 0;
}

static void unite(struct model *into, const struct model *from)
{
    REQUIRE(bloomfilter_union(into->filter, from->filter) == 0);
    for (size_t i = 0; i < MAX_BITS; i++)
        into->bits[i] |= from->bits[i];
    for (size_t i = 0; i < from->key_count && into->key_count < MAX_CALLS; i++) {
        memcpy(into->keys[into->key_count], from->keys[i], from->key_sizes[i]);
        into->key_sizes[into->key_count++] = from->key_sizes[i];
    }
    into->insert_count += from->insert_count;
}

static void intersect(struct model *into, const struct model *from)
{
    REQUIRE(bloomfilter_intersect(into->filter, from->filter) == 0);
    for (size_t i = 0; i < MAX_BITS; i++)
        into->bits[i] &= from->bits[i];
    into->key_count = 0; /* common keys stay, but the list does not say which */
    if (from->insert_count < into->insert_count)
        into->insert_count = from->insert_count;
}

/* Puts a copy, or what was written and read, in place of the filter. */
static void replace(struct model *model, int through_bytes)
{
    bloomfilter *again;
    if (through_bytes) {
        uint64_t size;
        REQUIRE(bloomfilter_serialized_size(model->filter, &size) == 0);
        uint8_t *bytes = malloc((size_t)size);
        REQUIRE(bytes != NULL);
        REQUIRE(bloomfilter_serialize(model->filter, bytes, (size_t)size) == 0);
        REQUIRE(bloomfilter_deserialize(&again, bytes, (size_t)size, NULL) == 0);
        free(bytes);
    } else {
        REQUIRE(bloomfilter_copy(&again, model->filter) == 0);
    }
    bloomfilter_free(model->filter);
    model->filter = again;
}

static void call(struct world *world, struct input *input)
{
    uint8_t choice = take_byte(input);
    struct model *model = &world->models[choice & 1];
    struct model *other = &world->models[~choice & 1];
    size_t size;
    const uint8_t *key = take_bytes(input, take_byte(input) % (KEY_ROOM + 1), &size);

    switch (choice >> 1 & 7) {
    case 0:
        clear(model);
        break;
    case 1:
        unite(model, other);
        break;
    case 2:
        intersect(model, other);
        break;
    case 3:
        replace(model, choice >> 4 & 1);
        break;
    case 4:
        ask(world, model, key, size);
        break;
    default:
        add(world, model, key, size);
        break;
    }
    check_contents(world, model);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct world world;
    struct input input = {data, size};
    start(&world, &input);
    for (int calls = 0; input.size > 0 && calls < MAX_CALLS; calls++)
        call(&world, &input);
    for (int i = 0; i < FILTERS; i++)
        bloomfilter_free(world.models[i].filter);
    return 0;
}
