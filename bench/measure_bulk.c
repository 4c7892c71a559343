/* SPDX-License-Identifier: MIT */
/*
 * What works on whole filters, each beside what the system itself takes for the same bytes: a load
 * beside read(2) of the same file into fresh memory of the same kind, a save beside write(2) and
 * fsync(2) of a file of the same size in the same directory, a copy beside memcpy into fresh
 * memory.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "library.h"
#include "measure.h"
#include "memory.h"

enum { PATH_ROOM = 4096, PAGE = 4096 /* bytes */ };

struct bench {
    bloomfilter *a;
    bloomfilter *b;
    bloomfilter *mapped;
    struct memory bytes; /* as many as the file has */
    char saved[PATH_ROOM];
    char written[PATH_ROOM];
};

/* ---- operations; each takes the seconds that it returns, or a negative number */

static double unite(struct bench *bench)
{
    double start = clock_seconds();
    int code = bloomfilter_union(bench->a, bench->b);
    return code == 0 ? clock_seconds() - start : -1;
}

static double intersect(struct bench *bench)
{
    double start = clock_seconds();
    int code = bloomfilter_intersect(bench->a, bench->b);
    return code == 0 ? clock_seconds() - start : -1;
}

static double get_info(struct bench *bench)
{
    bloomfilter_info info = BLOOMFILTER_INFO_INIT;
    double start = clock_seconds();
    int code = bloomfilter_get_info(bench->a, &info);
    return code == 0 && info.bits_set != 0 ? clock_seconds() - start : -1;
}

static double copy_and_clear(struct bench *bench, bool is_clear_timed)
{
    bloomfilter *copy;
    double start = clock_seconds();
    if (bloomfilter_copy(&copy, bench->a) != 0)
        return -1;
    double copied = clock_seconds();
    if (is_clear_timed)
        bloomfilter_clear(copy);
    double cleared = clock_seconds();
    bloomfilter_free(copy);
    return is_clear_timed ? cleared - copied : copied - start;
}

static double copy(struct bench *bench)
{
    return copy_and_clear(bench, false);
}

static double clear(struct bench *bench)
{
    return copy_and_clear(bench, true);
}

static double copy_bytes(struct bench *bench)
{
    double start = clock_seconds();
    struct memory fresh = memory_take(bench->bytes.size);
    if (fresh.start == NULL)
        return -1;
    memcpy(fresh.start, bench->bytes.start, fresh.size);
    double end = clock_seconds();
    memory_release(&fresh);
    return end - start;
}

static double save(struct bench *bench)
{
    double start = clock_seconds();
    int code = bloomfilter_save(bench->b, bench->saved);
    return code == 0 ? clock_seconds() - start : -1;
}

static bool write_fully(int file, const uint8_t *bytes, size_t size)
{
    size_t done = 0;
    while (done < size) {
        ssize_t count = write(file, bytes + done, size - done);
        if (count <= 0)
            return false;
        done += (size_t)count;
    }
    return true;
}

/* A new file each time, as a save makes one. */
static double write_bytes(struct bench *bench)
{
    unlink(bench->written);
    double start = clock_seconds();
    int file = open(bench->written, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (file < 0)
        return -1;
    bool is_written = write_fully(file, bench->bytes.start, bench->bytes.size) && fsync(file) == 0;
    close(file);
    return is_written ? clock_seconds() - start : -1;
}

/* Asks the system to keep the file on the disk only; one in memory stays there. */
static bool ask_to_forget(struct bench *bench)
{
    int file = open(bench->saved, O_RDONLY | O_CLOEXEC);
    bool is_asked = file >= 0 && posix_fadvise(file, 0, 0, POSIX_FADV_DONTNEED) == 0;
    if (file >= 0)
        close(file);
    return is_asked;
}

static double load(struct bench *bench)
{
    bloomfilter *loaded;
    double start = clock_seconds();
    if (bloomfilter_load(&loaded, bench->saved, NULL) != 0)
        return -1;
    double end = clock_seconds();
    bloomfilter_free(loaded);
    return end - start;
}

static bool read_fully(int file, uint8_t *bytes, size_t size)
{
    size_t done = 0;
    while (done < size) {
        ssize_t count = read(file, bytes + done, size - done);
        if (count <= 0)
            return false;
        done += (size_t)count;
    }
    return true;
}

static double read_bytes(struct bench *bench)
{
    double start = clock_seconds();
    int file = open(bench->saved, O_RDONLY | O_CLOEXEC);
    struct memory fresh = memory_take(bench->bytes.size);
    bool is_read = file >= 0 && fresh.start != NULL && read_fully(file, fresh.start, fresh.size);
    double end = clock_seconds();
    if (file >= 0)
        close(file);
    memory_release(&fresh);
    return is_read ? end - start : -1;
}

static double read_bytes_from_disk(struct bench *bench)
{
    return ask_to_forget(bench) ? read_bytes(bench) : -1;
}

static double load_from_disk(struct bench *bench)
{
    return ask_to_forget(bench) ? load(bench) : -1;
}

/* What the system does for a map. */
static double map_bytes(struct bench *bench)
{
    uint8_t beginning[PAGE];
    struct stat status;
    void *mapped = MAP_FAILED;
    double start = clock_seconds();
    int file = open(bench->saved, O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return -1;
    if (fstat(file, &status) == 0)
        mapped = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_SHARED, file, 0);
    bool is_read = read(file, beginning, sizeof beginning) > 0;
    close(file);
    double end = clock_seconds();
    if (mapped == MAP_FAILED)
        return -1;
    munmap(mapped, (size_t)status.st_size);
    return is_read ? end - start : -1;
}

static double map(struct bench *bench)
{
    bloomfilter *mapped;
    double start = clock_seconds();
    if (bloomfilter_map(&mapped, bench->saved, NULL) != 0)
        return -1;
    double end = clock_seconds();
    bloomfilter_free(mapped);
    return end - start;
}

/* Counting the bits of a large filter leaves nothing else in the caches, nor the system's code. */
static double map_bytes_cold(struct bench *bench)
{
    return get_info(bench) < 0 ? -1 : map_bytes(bench);
}

static double map_cold(struct bench *bench)
{
    return get_info(bench) < 0 ? -1 : map(bench);
}

static double verify(struct bench *bench)
{
    double start = clock_seconds();
    int code = bloomfilter_verify(bench->mapped);
    return code == 0 ? clock_seconds() - start : -1;
}

static const struct {
    const char *name;
    const char *beside;
    double (*run)(struct bench *bench);
    bool has_bytes;
} operations[] = {
    {"union", NULL, unite, true},
    {"intersect", NULL, intersect, true},
    {"get_info", NULL, get_info, true},
    {"clear", NULL, clear, true},
    {"memcpy into fresh memory", NULL, copy_bytes, true},
    {"copy", "memcpy into fresh memory", copy, true},
    {"write and fsync", NULL, write_bytes, true},
    {"save", "write and fsync", save, true},
    {"read into fresh memory", NULL, read_bytes, true},
    {"load", "read into fresh memory", load, true},
    {"read from the disk", NULL, read_bytes_from_disk, true},
    {"load from the disk", "read from the disk", load_from_disk, true},
    {"verify a map", "read into fresh memory", verify, true},
    {"open, mmap, read a page, caches cold", NULL, map_bytes_cold, false},
    {"open a map, caches cold", "open, mmap, read a page, caches cold", map_cold, false},
    {"open, mmap, read a page", NULL, map_bytes, false},
    {"open a map", "open, mmap, read a page", map, false},
};
enum { OPERATIONS = sizeof operations / sizeof operations[0] };

/* ---- filters and files */

/* An eighth of what it is for, which reaches every page. */
static bool make_filter(bloomfilter **filter, const struct contestant *contestant, uint64_t size,
                        uint64_t first)
{
    struct pool pool;
    bloomfilter_options options = library_options(contestant, size);
    if (!pool_create(&pool, POOL_KEYS, 16))
        return false;
    int code = bloomfilter_create(filter, &options);
    for (uint64_t done = 0; code == 0 && done < size / 8; done += pool.count) {
        uint64_t left = size / 8 - done;
        pool_fill(&pool, left < POOL_KEYS ? (size_t)left : POOL_KEYS, first + done, 0);
        code = bloomfilter_add_many(*filter, pool.count, pool.keys, pool.key_sizes, NULL);
    }
    pool_release(&pool);
    return code == 0;
}

static bool set_up(struct bench *bench, const struct contestant *contestant, const char *directory,
                   uint64_t size)
{
    uint64_t file_size;
    snprintf(bench->saved, PATH_ROOM, "%s/saved.bloom", directory);
    snprintf(bench->written, PATH_ROOM, "%s/written", directory);
    if (!make_filter(&bench->a, contestant, size, 0) ||
        !make_filter(&bench->b, contestant, size, size) ||
        bloomfilter_serialized_size(bench->b, &file_size) != 0)
        return false;
    bench->bytes = memory_take((size_t)file_size);
    return bench->bytes.start != NULL &&
           bloomfilter_serialize(bench->b, bench->bytes.start, (size_t)file_size) == 0 &&
           bloomfilter_save(bench->b, bench->saved) == 0 &&
           bloomfilter_map(&bench->mapped, bench->saved, NULL) == 0;
}

static void tear_down(struct bench *bench)
{
    bloomfilter_free(bench->a);
    bloomfilter_free(bench->b);
    bloomfilter_free(bench->mapped);
    memory_release(&bench->bytes);
    unlink(bench->saved);
    unlink(bench->written);
}

static void measure_layout(struct report *report, const struct contestant *contestant,
                           const char *directory)
{
    struct bench bench = {0};
    struct bulk_row *rows = &report->bulk[report->bulk_count];
    bool is_right = set_up(&bench, contestant, directory, report->bulk_size);

    report->bulk_count += OPERATIONS;
    for (size_t i = 0; i < OPERATIONS; i++)
        rows[i] = (struct bulk_row){.layout_name = contestant->layout_name,
                                    .name = operations[i].name,
                                    .beside = operations[i].beside,
                                    .bytes = operations[i].has_bytes ? bench.bytes.size : 0};
    for (size_t turn = 0; is_right && turn <= report->settings.repetitions; turn++)
        for (size_t i = 0; is_right && i < OPERATIONS; i++) {
            double seconds = operations[i].run(&bench);
            is_right = seconds >= 0;
            if (turn != 0) /* the first is for warming up */
                samples_add(&rows[i].seconds, seconds);
        }
    tear_down(&bench);
    if (!is_right)
        report_failure("an operation on whole filters failed", contestant->layout_name);
}

/* One scheme for each layout: nothing here depends on the scheme. */
void measure_bulk(struct report *report)
{
    char directory[PATH_ROOM / 2];
    uint32_t last_layout = 0;

    snprintf(directory, sizeof directory, "%s/bloomfilter-bench-XXXXXX",
             report->settings.directory);
    if (mkdtemp(directory) == NULL)
        report_failure("no directory could be made in it", report->settings.directory);
    report->bulk_size = report_largest_size(report);
    fprintf(stderr, "whole filters ...\n");
    for (size_t i = 0; i < report->contestants.count; i++) {
        const struct contestant *contestant = &report->contestants.list[i];
        if (contestant->kind != KIND_LIBRARY || contestant->layout <= last_layout ||
            report->bulk_count + OPERATIONS > MOST_BULK_ROWS)
            continue;
        last_layout = contestant->layout;
        measure_layout(report, contestant, directory);
    }
    rmdir(directory);
}
