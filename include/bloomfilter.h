/* SPDX-License-Identifier: MIT */
/*
 * bloomfilter.h - Bloom filters that are saved, shipped and believed.
 *
 * A Bloom filter is a set of keys squeezed into a few bits per key. Ask it for a key and it says
 * "certainly absent" or "possibly present". It never says "absent" of a key that was added; it
 * says "possibly present" of a key that was not added with a small, known probability, the false
 * positive rate.
 *
 *     bloomfilter *filter;
 *     int code = bloomfilter_new(&filter, 1000000, 0.01);     one million keys, 1 %
 *     if (code < 0)
 *         return fail(bloomfilter_strerror(code));
 *     bloomfilter_add(filter, "alice", 5);
 *     if (!bloomfilter_contains(filter, name, name_size))
 *         return NOT_FOUND;                                    no look-up needed
 *     bloomfilter_save(filter, "users.bloom");
 *     bloomfilter_free(filter);
 *
 * Compile with `cc program.c -lbloom`, or with the flags of `pkg-config --cflags --libs
 * bloomfilter`.
 *
 *
 * CAVEATS - read these first
 *
 *   - A Bloom filter is a prefilter, never the source of truth. "Possibly present" is a guess.
 *     Whether a user exists, may do something, has paid, or has a unique name is not for it.
 *   - The target rate holds up to `capacity` distinct keys. Beyond that the filter still answers
 *     without a false negative, but more and more often "possibly present". bloomfilter_get_info
 *     says so in `rebuild`.
 *   - For small filters with a low target, plain double hashing (hash scheme 1) misses the
 *     target, sometimes many times over. `expected_fpr`, from bloomfilter_plan or
 *     bloomfilter_get_info, is the rate that you will really see. Look at it before you rely on
 *     a target. Hash scheme 4 does not miss it.
 *   - Keys are bytes, compared as bytes. "Alice" and "alice", or two Unicode forms of one word,
 *     are different keys. Normalize before you add and before you ask, the same way; write the
 *     way down in the filter's metadata.
 *   - Someone who can choose keys can aim them at bits that are set, unless the filter has a
 *     secret that they do not know.
 *   - Keys cannot be taken out of a filter, and not listed from one.
 *   - The library never prints, aborts, exits, changes the locale or a signal handler, starts a
 *     thread, or takes a global lock. Where it returns BLOOMFILTER_EIO, errno says why.
 *
 *
 * CONVENTIONS
 *
 *   Errors. A function that can fail returns an int: 0 or a positive answer on success, one of the
 *   negative `enum bloomfilter_error` values on failure. A failed call has changed nothing: neither
 *   the filters passed to it nor any file (but see the last step of bloomfilter_save). An
 *   out-parameter `*out` is NULL after a failure, except where `out` itself is NULL, which is
 *   BLOOMFILTER_EINVAL.
 *
 *   Keys. A key is `key_size` bytes at `key`: any bytes, NUL included. `key` may be NULL when
 *   `key_size` is 0, the empty key, which is a key like any other.
 *
 *   Threads. Any number of threads may use different filters at once. On one filter, any number
 *   of threads may call bloomfilter_add, bloomfilter_add_many, bloomfilter_contains,
 *   bloomfilter_contains_many and the inspectors (bloomfilter_get_info, bloomfilter_compatible,
 *   bloomfilter_serialized_size, bloomfilter_get_metadata) at once, in any mix: no added key is
 *   lost, and a thread that is ordered after an add (by a mutex, a join, a release-acquire pair)
 *   sees it. Every other function needs the filter to itself; its comment says so. A function
 *   that only reads ("const bloomfilter *") may run beside other functions that only read. To add
 *   and to ask take less than 12 KiB of stack for one key; for many about 24 KiB, or 48 KiB where a
 *   key has more than 32 positions. (A library that was built without optimization takes hundreds.)
 *
 *   Processes. The library has no locks, and to add and to ask allocate nothing. So whatever other
 *   threads were doing, the child of a fork has a copy of each filter that it can use, save and
 *   free; keys whose add was ordered before the fork are in it. Where a signal interrupts a system
 *   call, the call is made again. A signal handler must not add to a filter that the code which it
 *   interrupts may be adding to. A file is never kept on descriptor 0, 1 or 2, even where these are
 *   closed.
 *
 *   Structs. The structs begin with `struct_size`. Always initialize them with the ..._INIT
 *   macro. Later releases append fields; the library reads and writes only what `struct_size`
 *   covers, so a program built against an old header runs with a new library. A larger struct
 *   (a new program, an old library; up to 4096 bytes) is accepted while the part that this library
 *   does not know is all zero, and refused with BLOOMFILTER_EINVAL otherwise.
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

/* The release of this header. bloomfilter_version() tells the release of the library in use. */
#define BLOOMFILTER_VERSION_MAJOR 1
#define BLOOMFILTER_VERSION_MINOR 0
#define BLOOMFILTER_VERSION_PATCH 0

#if defined(__GNUC__) && __GNUC__ >= 4
#define BLOOMFILTER_API __attribute__((visibility("default")))
#else
#define BLOOMFILTER_API
#endif

/* A filter. Its content is private to the library. */
typedef struct bloomfilter bloomfilter;

/* What a function that fails returns. The numbers never change; later releases may add some. */
enum bloomfilter_error {
    BLOOMFILTER_EINVAL = -1,        /* an argument is NULL, out of range or contradictory */
    BLOOMFILTER_ENOMEM = -2,        /* out of memory */
    BLOOMFILTER_EIO = -3,           /* the operating system refused; errno is its reason */
    BLOOMFILTER_ENOTFILTER = -4,    /* the bytes are not a filter file at all */
    BLOOMFILTER_EDAMAGED = -5,      /* a filter file that was cut, altered or is inconsistent */
    BLOOMFILTER_ENEWER = -6,        /* a later major format: a newer release can read it */
    BLOOMFILTER_EUNSUPPORTED = -7,  /* a feature, hash scheme or layout unknown to this release */
    BLOOMFILTER_ESECRET = -8,       /* secret missing, wrong, or given for an unkeyed filter */
    BLOOMFILTER_EINCOMPATIBLE = -9, /* the filters differ in shape, hash or secret */
    BLOOMFILTER_EREADONLY = -10,    /* a mapped or viewed filter cannot be changed */
    BLOOMFILTER_ETOOLARGE = -11,    /* over max_bytes, an address space, or what a filter can be */
    BLOOMFILTER_ENOTFOUND = -12,    /* the key to remove is not in the filter */
    BLOOMFILTER_ESELFTEST = -13     /* a hash answers wrongly here: see bloomfilter_new */
};

/* Hash schemes: how a key becomes positions (or, for the split-block layout, one hash). The id is
 * stored in the file; its definition, in docs/format.md, never changes. */
enum bloomfilter_hash {
    BLOOMFILTER_HASH_BLAKE2B_PAIR = 1,    /* two BLAKE2b digests, double hashing: the default */
    BLOOMFILTER_HASH_BLAKE2B_INDEXED = 2, /* one BLAKE2b digest per position: independent, slow */
    BLOOMFILTER_HASH_MURMUR3_TWEAK = 3,   /* MurmurHash3_x86_32, tweaked: BIP 37, Neo */
    BLOOMFILTER_HASH_BLAKE2B_WIDE = 4,    /* one BLAKE2b digest, as good as independent: the fastest
                                             of BLAKE2b's, for new files and for low rates */
    BLOOMFILTER_HASH_XXH64 = 5            /* XXH64, Parquet's: the fastest. Split-block layout only,
                                             no secret, not for keys that others choose */
};

/*
 * Layouts: where the bits of a key are.
 *
 * In a split-block filter they all lie in one block of 32 bytes: an add or a question touches one
 * cache line, and costs a fraction of the usual time. It takes more bits for that: 10.5 per key for
 * 1 %, 16.9 for 0.1 %, 26.3 for 0.01 %, 41 for 0.001 %. Below about 0.01 % that is too many. It
 * goes with hash schemes 1, 4 and 5; with 5 its bits are those of Apache Parquet's Bloom filters.
 */
enum bloomfilter_layout {
    BLOOMFILTER_LAYOUT_FLAT = 1,       /* anywhere among bit_count bits: the default */
    BLOOMFILTER_LAYOUT_SPLIT_BLOCK = 2 /* in one block of 256 bits */
};

/* Flags of bloomfilter_info. */
enum bloomfilter_flag {
    BLOOMFILTER_FLAG_KEYED = 1,    /* hashed with a secret, which is needed to open the file */
    BLOOMFILTER_FLAG_READ_ONLY = 2 /* mapped or viewed */
};

/* What bloomfilter_info.rebuild says. */
enum bloomfilter_rebuild {
    BLOOMFILTER_REBUILD_NO = 0,
    BLOOMFILTER_REBUILD_OVER_CAPACITY = 1, /* more keys than capacity; the rate still holds */
    BLOOMFILTER_REBUILD_OVER_TARGET = 2    /* current_fpr is more than 1.1 times target_fpr */
};

/* Limits. */
#define BLOOMFILTER_MAX_BIT_COUNT ((uint64_t)1 << 60)
#define BLOOMFILTER_MAX_HASH_COUNT 255
#define BLOOMFILTER_MIN_SECRET_SIZE 16
#define BLOOMFILTER_MAX_SECRET_SIZE 64
#define BLOOMFILTER_MAX_METADATA_SIZE 16777216

/*
 * What to create. Give capacity and target_fpr, and leave the rest 0, unless you must match a
 * filter that exists elsewhere.
 */
typedef struct bloomfilter_options {
    size_t struct_size;    /* set by BLOOMFILTER_OPTIONS_INIT */
    uint64_t capacity;     /* distinct keys expected, >= 1; 0 only with bit_count and hash_count
                              given: then round(bit_count * ln 2 / hash_count), at least 1 */
    double target_fpr;     /* acceptable false positive rate at capacity, 0 < target_fpr < 1; 0 only
                              with bit_count and hash_count given: then (1 - exp(-hash_count *
                              capacity / bit_count))^hash_count; split-block: the rate of such
                              blocks (docs/format.md, section 11) */
    uint64_t bit_count;    /* bits, 1 to 2^60; 0: ceil(-capacity * ln(target_fpr) / (ln 2)^2).
                              Split-block: a multiple of 256, up to 2^40; 0: what keeps to
                              target_fpr (docs/format.md, section 11) */
    uint32_t hash_count;   /* positions per key, 1 to 255; 0: bit_count / capacity * ln 2 rounded
                              half to even, at least 1. Split-block: 8 or 0, which mean the same,
                              also where the above asks for "hash_count given" */
    uint32_t hash;         /* enum bloomfilter_hash; 0: BLOOMFILTER_HASH_BLAKE2B_PAIR */
    uint32_t layout;       /* enum bloomfilter_layout; 0: BLOOMFILTER_LAYOUT_FLAT */
    uint32_t flags;        /* must be 0 */
    uint64_t seed;         /* scheme 3: the tweak, in the low 32 bits. Other schemes have no seed:
                              must be 0 (to vary their hashes, use a secret) */
    const void *secret;    /* keys the hash of schemes 1, 2 and 4; NULL: none. Copied, never stored
                              in a file, and wiped from memory by bloomfilter_free */
    size_t secret_size;    /* bytes at secret: 16 to 64; 0 when it is NULL, and only then */
} bloomfilter_options;

#define BLOOMFILTER_OPTIONS_INIT {sizeof(bloomfilter_options), 0, 0.0, 0, 0, 0, 0, 0, 0, NULL, 0}

/* How to open a filter. NULL in place of the struct means all zero. */
typedef struct bloomfilter_load_options {
    size_t struct_size;    /* set by BLOOMFILTER_LOAD_OPTIONS_INIT */
    uint32_t flags;        /* must be 0 */
    uint64_t max_bytes;    /* load and deserialize, whose memory is as large as the file: refuse a
                              larger one with BLOOMFILTER_ETOOLARGE before it is allocated; 0: no
                              limit. map and view allocate next to nothing and have no limit */
    const void *secret;    /* the secret that the filter was created with; NULL: none. One that is
                              given for an unkeyed filter is refused, so that nobody can swap a
                              keyed file for an unkeyed one unnoticed */
    size_t secret_size;    /* bytes at secret: 16 to 64; 0 when it is NULL, and only then */
} bloomfilter_load_options;

#define BLOOMFILTER_LOAD_OPTIONS_INIT {sizeof(bloomfilter_load_options), 0, 0, NULL, 0}

/* What a filter is, and what is in it. */
typedef struct bloomfilter_info {
    size_t struct_size;       /* set by BLOOMFILTER_INFO_INIT */
    uint64_t capacity;        /* distinct keys that it was sized for */
    double target_fpr;        /* the rate that was asked for at capacity */
    uint64_t bit_count;       /* m, bits */
    uint32_t hash_count;      /* k, positions per key */
    uint32_t hash;            /* enum bloomfilter_hash */
    uint32_t layout;          /* enum bloomfilter_layout */
    uint32_t flags;           /* enum bloomfilter_flag, or-ed */
    uint64_t seed;            /* scheme 3: the tweak in the low 32 bits */
    uint64_t insert_count;    /* add operations, repeated keys included; stays at 2^64-1 */
    uint64_t bits_set;        /* bits that are 1 */
    double fill;              /* bits_set / bit_count */
    double estimated_count;   /* distinct keys, estimated from bits_set: -bit_count / hash_count *
                                 ln(1 - fill) (Swamidass and Baldi, 2007), infinite when every bit
                                 is set. Of scheme 3 in large filters: from the bits that its 32-bit
                                 hashes reach, and how often; of split-block ones likewise */
    double expected_fpr;      /* the rate with `capacity` distinct keys in it, what the hash scheme
                                 and the layout add counted in (docs/false-positive-rate.md) */
    double current_fpr;       /* the rate now, from bits_set, counted likewise */
    double measured_fpr;      /* what bloomfilter_measure_fpr last found; NaN: never measured */
    uint64_t measured_probes; /* with how many probes; 0: never measured */
    uint64_t memory_bytes;    /* bytes of memory that the filter occupies; of a map or view: the
                                 handle and the bytes it looks at */
    uint32_t format_major;    /* format of the file it came from, or would be saved in */
    uint32_t format_minor;
    uint32_t rebuild;         /* enum bloomfilter_rebuild. OVER_TARGET: current_fpr > 1.1 *
                                 target_fpr. Else OVER_CAPACITY: both insert_count and
                                 estimated_count are over capacity */
} bloomfilter_info;

#define BLOOMFILTER_INFO_INIT                                                                      \
    {sizeof(bloomfilter_info), 0, 0.0, 0, 0, 0, 0, 0, 0, 0, 0, 0.0, 0.0, 0.0, 0.0, 0.0, 0, 0, 0,   \
     0, 0}


/* ---- Create and free -------------------------------------------------------------------- */

/*
 * bloomfilter_new() creates an empty filter for `capacity` distinct keys at a false positive rate
 * of `target_fpr`, with the default hash scheme and layout. It takes about 1.44 *
 * log2(1 / target_fpr) bits per key: 9.6 for 1 %, 14.4 for 0.1 %, 19.2 for 0.01 %.
 *
 * Returns 0 and the filter in *out, which the caller frees with bloomfilter_free. Fails with
 * EINVAL (capacity 0; target_fpr not between 0 and 1, or so small that more than 255 positions
 * per key are needed), ETOOLARGE (more than 2^60 bits, or than this machine can address), ENOMEM,
 * or ESELFTEST.
 *
 * ESELFTEST means that BLAKE2b or XXH64 does not answer as published, or that code for this
 * processor does not answer like the portable code: another library in the process shadows
 * functions of libb2 or libxxhash, or the processor (or its emulator) is at fault. Stored keys
 * would read as absent, so nothing is created or loaded.
 *
 * Not promised: that the memory is touched, so a system that overcommits may report the lack of
 * it later, in its own way.
 */
BLOOMFILTER_API int bloomfilter_new(bloomfilter **out, uint64_t capacity, double target_fpr);

/*
 * bloomfilter_create() creates an empty filter as `options` says. Options that are not yours to
 * set stay as BLOOMFILTER_OPTIONS_INIT left them.
 *
 * Returns and fails like bloomfilter_new; also EINVAL for unknown flags, a hash_count or bit_count
 * that the layout cannot have, a secret that is not 16 to 64 bytes long or whose scheme takes none,
 * a seed for a scheme that has none; EUNSUPPORTED for a hash or layout that this release does not
 * have, or does not put together (2 and 3 with split-block, 5 with flat); and ETOOLARGE for a
 * split-block filter of more than 2^40 bits, also where no number of bits meets the target (below
 * about 2.3e-13).
 */
BLOOMFILTER_API int bloomfilter_create(bloomfilter **out, const bloomfilter_options *options);

/*
 * bloomfilter_free() frees a filter and all that belongs to it, and wipes its secret. NULL is
 * fine. No other thread may use the filter then or later. Leaves errno as it was.
 */
BLOOMFILTER_API void bloomfilter_free(bloomfilter *filter);

/*
 * bloomfilter_copy() makes an independent copy, metadata, insert_count and secret included. The
 * copy of a mapped or viewed filter lives in memory of its own and can be changed.
 *
 * Returns 0 and the copy in *out. Fails with EINVAL, ENOMEM, ETOOLARGE, or EDAMAGED (a mapped or
 * viewed filter is verified first, so that a copy is always whole). No thread may change `filter`
 * meanwhile.
 */
BLOOMFILTER_API int bloomfilter_copy(bloomfilter **out, const bloomfilter *filter);

/*
 * bloomfilter_clear() takes all keys out: every bit 0, insert_count 0, never measured. Capacity,
 * target, secret and metadata stay. Does nothing to NULL or to a mapped or viewed filter. Needs
 * the filter to itself.
 */
BLOOMFILTER_API void bloomfilter_clear(bloomfilter *filter);


/* ---- Add and ask ------------------------------------------------------------------------ */

/*
 * bloomfilter_add() adds one key.
 *
 * Returns 1 when some bit was new: the key had certainly not been added before. Returns 0 when all
 * its bits were set already: it was added before, or is a false positive. Fails with EINVAL or
 * EREADONLY.
 *
 * Threads: any number at once, beside bloomfilter_contains and the inspectors. When several
 * threads add the same absent key at once, at least one of them is told 1, perhaps more.
 */
BLOOMFILTER_API int bloomfilter_add(bloomfilter *filter, const void *key, size_t key_size);

/*
 * bloomfilter_contains() asks for one key.
 *
 * Returns false when the key is certainly not in the filter, true when it possibly is. Of
 * arguments that are not valid (filter NULL; key NULL with a key_size that is not 0) it says true:
 * the answer that loses nothing.
 *
 * Threads: any number at once, beside bloomfilter_add and the inspectors.
 */
BLOOMFILTER_API bool bloomfilter_contains(const bloomfilter *filter, const void *key,
                                          size_t key_size);

/*
 * bloomfilter_add_many() adds `count` keys, in order: key j is key_sizes[j] bytes at keys[j].
 * Faster than as many calls of bloomfilter_add, from a few keys on. Where `was_new` is not NULL,
 * was_new[j] (one byte each, `count` of them) becomes what bloomfilter_add would have returned: 1
 * or 0.
 *
 * Returns 0. Fails with EINVAL (nothing is added then, if any key is invalid) or EREADONLY. With
 * count 0 the arrays may be NULL. Threads: as bloomfilter_add.
 */
BLOOMFILTER_API int bloomfilter_add_many(bloomfilter *filter, size_t count,
                                         const void *const keys[], const size_t key_sizes[],
                                         uint8_t *was_new);

/*
 * bloomfilter_contains_many() asks for `count` keys: found[j] (one byte each, `count` of them)
 * becomes 1 when key j is possibly in the filter, 0 when it certainly is not.
 *
 * Returns 0. Fails with EINVAL, and has written nothing then. With count 0 the arrays may be NULL.
 * Threads: as bloomfilter_contains.
 */
BLOOMFILTER_API int bloomfilter_contains_many(const bloomfilter *filter, size_t count,
                                              const void *const keys[], const size_t key_sizes[],
                                              uint8_t *found);

/*
 * bloomfilter_remove() takes one key out of a filter whose layout counts. This release has no such
 * layout: the bits of a filter are shared between keys, and clearing one would deny others.
 *
 * Returns EUNSUPPORTED for a `flat` or split-block filter, EINVAL for invalid arguments. It never
 * changes such a filter.
 */
BLOOMFILTER_API int bloomfilter_remove(bloomfilter *filter, const void *key, size_t key_size);


/* ---- Combine ---------------------------------------------------------------------------- */

/*
 * bloomfilter_compatible() tells whether two filters can be combined: same bit_count, hash_count,
 * hash, layout, tweak (scheme 3), and the same secret or none. Capacity and target may differ.
 *
 * Returns 1 or 0, EINVAL for NULL.
 */
BLOOMFILTER_API int bloomfilter_compatible(const bloomfilter *a, const bloomfilter *b);

/*
 * bloomfilter_union() makes `into` hold the keys of both: exactly the filter that adding all keys
 * to one would have given. insert_count becomes the sum of both, and measured_fpr is forgotten; of
 * a filter with itself nothing changes.
 *
 * Returns 0. Fails with EINVAL, EINCOMPATIBLE, EREADONLY, or EDAMAGED (`from`, if mapped or viewed,
 * is verified first). Needs `into` to itself; `from` must not change meanwhile.
 */
BLOOMFILTER_API int bloomfilter_union(bloomfilter *into, const bloomfilter *from);

/*
 * bloomfilter_intersect() makes `into` hold the bits that both have. Every key that was added to
 * both is still found. Its false positive rate is at most that of either, but higher than that of
 * a filter built from the common keys alone. insert_count becomes the smaller of both, an upper
 * bound, and measured_fpr is forgotten; of a filter with itself nothing changes.
 *
 * Returns, fails and needs the filters like bloomfilter_union.
 */
BLOOMFILTER_API int bloomfilter_intersect(bloomfilter *into, const bloomfilter *from);


/* ---- Inspect ---------------------------------------------------------------------------- */

/*
 * bloomfilter_get_info() tells what a filter is and what is in it. It reads every bit of the
 * filter once (to count those that are set): about 0.1 s per GB.
 *
 * Returns 0. Fails with EINVAL, also when `info` was not initialized with BLOOMFILTER_INFO_INIT.
 *
 * Threads: any number at once, beside add and contains. While others add, the numbers are each
 * true of some moment during the call, not all of the same one; insert_count is exact once the
 * adds are ordered before the call.
 */
BLOOMFILTER_API int bloomfilter_get_info(const bloomfilter *filter, bloomfilter_info *info);

/*
 * bloomfilter_plan() tells what bloomfilter_create would make of the same options, without making
 * it: bit_count, hash_count, memory_bytes, and above all expected_fpr, the rate that you will see
 * with `capacity` keys in it. Nothing is allocated. It takes microseconds to milliseconds, whatever
 * the size (some tens at worst: hundreds of positions, a bit_count with very many divisors).
 *
 * Returns 0. Fails with EINVAL, EUNSUPPORTED or ETOOLARGE as bloomfilter_create does.
 */
BLOOMFILTER_API int bloomfilter_plan(const bloomfilter_options *options, bloomfilter_info *info);

/*
 * bloomfilter_measure_fpr() measures the false positive rate: it asks for `probes` random keys of
 * 16 bytes, made from `seed` (the same seed, the same keys), and counts how many are found. Keys
 * that were added are practically never among them. The standard error of a rate f is
 * sqrt(f * (1 - f) / probes): to see a rate of 1e-6 within 10 %, ask for 1e8 probes.
 *
 * The result goes to *fpr (when not NULL) and into the filter, as measured_fpr and
 * measured_probes, to be saved with it; a mapped or viewed filter is measured, but nothing is
 * recorded. Keys added later do not change the record.
 *
 * Returns 0. Fails with EINVAL (filter NULL, probes 0). Needs the filter to itself.
 */
BLOOMFILTER_API int bloomfilter_measure_fpr(bloomfilter *filter, uint64_t probes, uint64_t seed,
                                            double *fpr);


/* ---- Files and bytes -------------------------------------------------------------------- */

/*
 * bloomfilter_save() writes a filter to a file, in format 1 (docs/format.md): the same bytes on
 * every machine. Atomic and durable: it writes a temporary file in the same directory, flushes it
 * to the disk, renames it over `path`, and flushes the directory. Whoever opens `path` at any
 * moment, a crash or power loss included, finds the whole old file or the whole new one. The old
 * one stays readable for those who have it open or mapped.
 *
 * The permission bits of a file that is replaced are kept, and its owner and group where the system
 * allows it; a new file gets 0666 minus the umask. The directory must be readable and writable. A
 * symbolic link is followed: the file it points to is replaced (one that points nowhere is EIO with
 * errno ENOENT). Hard links to the old file keep the old content.
 *
 * Returns 0. Fails with EINVAL, ENOMEM, EDAMAGED (a mapped or viewed filter is verified first), or
 * EIO (errno: the reason; EEXIST when `path` is neither absent nor a regular file, EISDIR when it
 * is a directory). No temporary file is left behind after a failure. When only the last step fails,
 * flushing the directory, the new file is in place, and may or may not outlive a power loss. At a
 * limit on the size of files, the system sends SIGXFSZ: ignore it to be told EIO, errno EFBIG.
 *
 * Threads: nobody may change the filter meanwhile. Of several saves to one path, one wins whole.
 */
BLOOMFILTER_API int bloomfilter_save(const bloomfilter *filter, const char *path);

/*
 * bloomfilter_load() reads a filter from a file into memory of its own and checks every byte. The
 * file can be changed, replaced or truncated afterwards. A pipe is read to its end. `options` may
 * be NULL.
 *
 * Returns 0 and the filter in *out. Fails with EINVAL, ENOMEM, EIO (errno: the reason),
 * ENOTFILTER, EDAMAGED, ENEWER, EUNSUPPORTED, ESECRET, ETOOLARGE or ESELFTEST. Never allocates more
 * than the file's own size, from 4 MiB on rounded up to whole 2 MiB, and a few kilobytes. (The size
 * of a pipe is not known before its end; it takes up to three times what came through.)
 */
BLOOMFILTER_API int bloomfilter_load(bloomfilter **out, const char *path,
                                     const bloomfilter_load_options *options);

/*
 * bloomfilter_map() opens a file read-only in place, shared with every process that maps it: in
 * microseconds, whatever the size. It checks the header and all sizes, not the content: call
 * bloomfilter_verify for that, once. Until then, a file damaged on disk may give wrong answers,
 * denied keys included.
 *
 * Returns and fails like bloomfilter_load; the path must be a regular file (EIO otherwise: errno
 * EISDIR for a directory, ENODEV for the rest).
 *
 * The file must not be truncated or overwritten in place while it is mapped: a read past its new
 * end kills the process with SIGBUS. Replacing it by rename, as bloomfilter_save does, is safe. Use
 * bloomfilter_load where others may touch the file.
 */
BLOOMFILTER_API int bloomfilter_map(bloomfilter **out, const char *path,
                                    const bloomfilter_load_options *options);

/*
 * bloomfilter_view() opens `size` serialized bytes of the caller's read-only in place: no copy, in
 * time that does not depend on the size. It checks the header and all sizes, like bloomfilter_map;
 * bloomfilter_verify checks the rest. `bytes` needs no alignment, and must stay as it is until the
 * filter is freed.
 *
 * Returns and fails like bloomfilter_load, without EIO.
 */
BLOOMFILTER_API int bloomfilter_view(bloomfilter **out, const void *bytes, size_t size,
                                     const bloomfilter_load_options *options);

/*
 * bloomfilter_serialized_size() tells the size in bytes of the filter's file. Returns 0, or EINVAL.
 */
BLOOMFILTER_API int bloomfilter_serialized_size(const bloomfilter *filter, uint64_t *size);

/*
 * bloomfilter_serialize() writes the bytes that bloomfilter_save would write to `buffer`: exactly
 * the serialized size, which `size`, the room at `buffer`, must not be less than.
 *
 * Returns 0. Fails with EINVAL, or EDAMAGED (a mapped or viewed filter is verified first). Nobody
 * may change the filter meanwhile.
 */
BLOOMFILTER_API int bloomfilter_serialize(const bloomfilter *filter, void *buffer, size_t size);

/*
 * bloomfilter_deserialize() makes a filter in memory of its own from `size` serialized bytes, and
 * checks every byte. Returns, fails and allocates like bloomfilter_load, without EIO.
 */
BLOOMFILTER_API int bloomfilter_deserialize(bloomfilter **out, const void *bytes, size_t size,
                                            const bloomfilter_load_options *options);

/*
 * bloomfilter_verify() checks every byte of a mapped or viewed filter against the digest in its
 * header. A filter in memory of its own was checked when it was opened, and is always fine.
 *
 * Returns 0, EDAMAGED, EINVAL. Nobody may change the bytes meanwhile.
 */
BLOOMFILTER_API int bloomfilter_verify(const bloomfilter *filter);

/*
 * bloomfilter_peek() reads the header at the start of a filter file: `size` bytes at `bytes`. The
 * header has 192 bytes, in files of a later minor format perhaps more, up to 65536: give as many,
 * or the whole file if it is shorter. The rest need not be there. Nothing is allocated. In `info`,
 * what only the content could tell (bits_set, fill, estimated_count, current_fpr) is 0,
 * memory_bytes is the size of the whole file, and rebuild is judged by insert_count alone (never
 * OVER_TARGET). The header of a keyed filter cannot be authenticated without the secret: take its
 * fields as what the file claims.
 *
 * Returns 0. Fails with EINVAL, ENOTFILTER, EDAMAGED, ENEWER, EUNSUPPORTED or ESELFTEST.
 */
BLOOMFILTER_API int bloomfilter_peek(const void *bytes, size_t size, bloomfilter_info *info);


/* ---- Metadata --------------------------------------------------------------------------- */

/*
 * bloomfilter_set_metadata() stores `size` bytes of the application's own in the filter, to be
 * saved with it: how keys are normalized, which data they came from, when. At most 16 MiB;
 * size 0 takes the metadata out. The bytes are copied and never interpreted.
 *
 * Returns 0. Fails with EINVAL, ENOMEM, EREADONLY, or ETOOLARGE (over 16 MiB). Needs the filter to
 * itself.
 */
BLOOMFILTER_API int bloomfilter_set_metadata(bloomfilter *filter, const void *bytes, size_t size);

/*
 * bloomfilter_get_metadata() gives the stored bytes: *bytes (NULL if there are none) and *size.
 * They stay where they are until the filter is freed or its metadata is set. Of a mapped or viewed
 * filter they are unchecked until bloomfilter_verify. Returns 0, or EINVAL.
 */
BLOOMFILTER_API int bloomfilter_get_metadata(const bloomfilter *filter, const void **bytes,
                                             size_t *size);


/* ---- Texts ------------------------------------------------------------------------------ */

/*
 * bloomfilter_strerror() describes a code that a function returned, in English: "not a filter
 * file". Any int is fine. The text is constant and never freed. Codes and not texts are the
 * contract.
 */
BLOOMFILTER_API const char *bloomfilter_strerror(int code);

/* bloomfilter_version() gives the release of the library in use, as "1.0.0". */
BLOOMFILTER_API const char *bloomfilter_version(void);

#ifdef __cplusplus
}
#endif

#endif /* BLOOMFILTER_H */
