/* SPDX-License-Identifier: MIT */
/*
 * The public header of release 1.0 without its comments, frozen: what programs of that release were
 * compiled with.
 */
#ifndef BLOOMFILTER_H
#define BLOOMFILTER_H
#include <stddef.h>
#include <stdint.h>
#ifndef __cplusplus
#include <stdbool.h>
#endif
#ifdef __cplusplus
extern "C" {
#endif
#define BLOOMFILTER_VERSION_MAJOR 1
#define BLOOMFILTER_VERSION_MINOR 0
#define BLOOMFILTER_VERSION_PATCH 0
#if defined(__GNUC__) && __GNUC__ >= 4
#define BLOOMFILTER_API __attribute__((visibility("default")))
#else
#define BLOOMFILTER_API
#endif
typedef struct bloomfilter bloomfilter;
enum bloomfilter_error {
    BLOOMFILTER_EINVAL = -1,
    BLOOMFILTER_ENOMEM = -2,
    BLOOMFILTER_EIO = -3,
    BLOOMFILTER_ENOTFILTER = -4,
    BLOOMFILTER_EDAMAGED = -5,
    BLOOMFILTER_ENEWER = -6,
    BLOOMFILTER_EUNSUPPORTED = -7,
    BLOOMFILTER_ESECRET = -8,
    BLOOMFILTER_EINCOMPATIBLE = -9,
    BLOOMFILTER_EREADONLY = -10,
    BLOOMFILTER_ETOOLARGE = -11,
    BLOOMFILTER_ENOTFOUND = -12,
    BLOOMFILTER_ESELFTEST = -13
};
enum bloomfilter_hash {
    BLOOMFILTER_HASH_BLAKE2B_PAIR = 1,
    BLOOMFILTER_HASH_BLAKE2B_INDEXED = 2,
    BLOOMFILTER_HASH_MURMUR3_TWEAK = 3
};
enum bloomfilter_layout {
    BLOOMFILTER_LAYOUT_FLAT = 1
};
enum bloomfilter_flag {
    BLOOMFILTER_FLAG_KEYED = 1,
    BLOOMFILTER_FLAG_READ_ONLY = 2
};
enum bloomfilter_rebuild {
    BLOOMFILTER_REBUILD_NO = 0,
    BLOOMFILTER_REBUILD_OVER_CAPACITY = 1,
    BLOOMFILTER_REBUILD_OVER_TARGET = 2
};
#define BLOOMFILTER_MAX_BIT_COUNT ((uint64_t)1 << 60)
#define BLOOMFILTER_MAX_HASH_COUNT 255
#define BLOOMFILTER_MIN_SECRET_SIZE 16
#define BLOOMFILTER_MAX_SECRET_SIZE 64
#define BLOOMFILTER_MAX_METADATA_SIZE 16777216
typedef struct bloomfilter_options {
    size_t struct_size;
    uint64_t capacity;
    double target_fpr;
    uint64_t bit_count;
    uint32_t hash_count;
    uint32_t hash;
    uint32_t layout;
    uint32_t flags;
    uint64_t seed;
    const void *secret;
    size_t secret_size;
} bloomfilter_options;
#define BLOOMFILTER_OPTIONS_INIT {sizeof(bloomfilter_options), 0, 0.0, 0, 0, 0, 0, 0, 0, NULL, 0}
typedef struct bloomfilter_load_options {
    size_t struct_size;
    uint32_t flags;
    uint64_t max_bytes;
    const void *secret;
    size_t secret_size;
} bloomfilter_load_options;
#define BLOOMFILTER_LOAD_OPTIONS_INIT {sizeof(bloomfilter_load_options), 0, 0, NULL, 0}
typedef struct bloomfilter_info {
    size_t struct_size;
    uint64_t capacity;
    double target_fpr;
    uint64_t bit_count;
    uint32_t hash_count;
    uint32_t hash;
    uint32_t layout;
    uint32_t flags;
    uint64_t seed;
    uint64_t insert_count;
    uint64_t bits_set;
    double fill;
    double estimated_count;
    double expected_fpr;
    double current_fpr;
    double measured_fpr;
    uint64_t measured_probes;
    uint64_t memory_bytes;
    uint32_t format_major;
    uint32_t format_minor;
    uint32_t rebuild;
} bloomfilter_info;
#define BLOOMFILTER_INFO_INIT \
    {sizeof(bloomfilter_info), 0, 0.0, 0, 0, 0, 0, 0, 0, 0, 0, 0.0, 0.0, 0.0, 0.0, 0.0, 0, 0, 0, \
     0, 0}
BLOOMFILTER_API int bloomfilter_new(bloomfilter **out, uint64_t capacity, double target_fpr);
BLOOMFILTER_API int bloomfilter_create(bloomfilter **out, const bloomfilter_options *options);
BLOOMFILTER_API void bloomfilter_free(bloomfilter *filter);
BLOOMFILTER_API int bloomfilter_copy(bloomfilter **out, const bloomfilter *filter);
BLOOMFILTER_API void bloomfilter_clear(bloomfilter *filter);
BLOOMFILTER_API int bloomfilter_add(bloomfilter *filter, const void *key, size_t key_size);
BLOOMFILTER_API bool bloomfilter_contains(const bloomfilter *filter, const void *key,
                                          size_t key_size);
BLOOMFILTER_API int bloomfilter_add_many(bloomfilter *filter, size_t count,
                                         const void *const keys[], const size_t key_sizes[],
                                         uint8_t *was_new);
BLOOMFILTER_API int bloomfilter_contains_many(const bloomfilter *filter, size_t count,
                                              const void *const keys[], const size_t key_sizes[],
                                              uint8_t *found);
BLOOMFILTER_API int bloomfilter_remove(bloomfilter *filter, const void *key, size_t key_size);
BLOOMFILTER_API int bloomfilter_compatible(const bloomfilter *a, const bloomfilter *b);
BLOOMFILTER_API int bloomfilter_union(bloomfilter *into, const bloomfilter *from);
BLOOMFILTER_API int bloomfilter_intersect(bloomfilter *into, const bloomfilter *from);
BLOOMFILTER_API int bloomfilter_get_info(const bloomfilter *filter, bloomfilter_info *info);
BLOOMFILTER_API int bloomfilter_plan(const bloomfilter_options *options, bloomfilter_info *info);
BLOOMFILTER_API int bloomfilter_measure_fpr(bloomfilter *filter, uint64_t probes, uint64_t seed,
                                            double *fpr);
BLOOMFILTER_API int bloomfilter_save(const bloomfilter *filter, const char *path);
BLOOMFILTER_API int bloomfilter_load(bloomfilter **out, const char *path,
                                     const bloomfilter_load_options *options);
BLOOMFILTER_API int bloomfilter_map(bloomfilter **out, const char *path,
                                    const bloomfilter_load_options *options);
BLOOMFILTER_API int bloomfilter_view(bloomfilter **out, const void *bytes, size_t size,
                                     const bloomfilter_load_options *options);
BLOOMFILTER_API int bloomfilter_serialized_size(const bloomfilter *filter, uint64_t *size);
BLOOMFILTER_API int bloomfilter_serialize(const bloomfilter *filter, void *buffer, size_t size);
BLOOMFILTER_API int bloomfilter_deserialize(bloomfilter **out, const void *bytes, size_t size,
                                            const bloomfilter_load_options *options);
BLOOMFILTER_API int bloomfilter_verify(const bloomfilter *filter);
BLOOMFILTER_API int bloomfilter_peek(const void *bytes, size_t size, bloomfilter_info *info);
BLOOMFILTER_API int bloomfilter_set_metadata(bloomfilter *filter, const void *bytes, size_t size);
BLOOMFILTER_API int bloomfilter_get_metadata(const bloomfilter *filter, const void **bytes,
                                             size_t *size);
BLOOMFILTER_API const char *bloomfilter_strerror(int code);
BLOOMFILTER_API const char *bloomfilter_version(void);
#ifdef __cplusplus
}
#endif
#endif
