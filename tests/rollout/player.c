/* SPDX-License-Identifier: MIT */
/*
 * One process of a played rollout (day.c), as a program that uses the library would be: a writer,
 * which replaces files with filters that grow, or a reader, which opens them and asks.
 *
 *     player STAGE DIRECTORY NUMBER writer|reader SEED
 *
 * It is built twice, with this release and with a later one. It exits with 1, and says why, when
 * anything is not as docs/rollout.md promises.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "bloomfilter.h"
#include "later/later.h"
#include "stage.h"

/* A filter holds FIRST_KEYS and STEP more with each serial; after PERIOD serials it begins anew,
 * with other keys, as after a nightly rebuild. */
enum { PERIOD = 300, FIRST_KEYS = 1000, STEP = 20, SAMPLE = 300, NAME_SIZE = 4200 };

static const uint8_t secret[32] = "what only this service knows ...";

/* Small, a little more than one leaf of the body digest, and three. One scheme each. */
static const struct {
    uint64_t capacity;
    uint32_t hash;
    uint32_t layout;
    uint64_t seed;
    bool is_keyed;
} paths[PATHS] = {
    {60000, BLOOMFILTER_HASH_BLAKE2B_PAIR, BLOOMFILTER_LAYOUT_FLAT, 0, false},
    {7000, BLOOMFILTER_HASH_BLAKE2B_INDEXED, BLOOMFILTER_LAYOUT_FLAT, 0, true},
    {140000, BLOOMFILTER_HASH_MURMUR3_TWEAK, BLOOMFILTER_LAYOUT_FLAT, 20261130, false},
    {9000, BLOOMFILTER_HASH_BLAKE2B_WIDE, BLOOMFILTER_LAYOUT_FLAT, 0, true},
    {60000, BLOOMFILTER_HASH_XXH64, BLOOMFILTER_LAYOUT_SPLIT_BLOCK, 0, false},
};

static struct stage *stage;
static const char *directory;
static const char *title; /* "reader 3 of 1.0" */
static uint32_t own_minor;
static bool knows_feature;
static uint64_t random_state;

/* In one write, since several may speak at once. */
static void fail(const char *format, ...)
{
    char text[1000];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    dprintf(STDERR_FILENO, "rollout: %s: %s\n", title, text);
    exit(1);
}

/* xorshift64* (Vigna, 2016) */
static uint32_t random_below(uint32_t limit)
{
    random_state ^= random_state >> 12;
    random_state ^= random_state << 25;
    random_state ^= random_state >> 27;
    return (uint32_t)((random_state * 0x2545f4914f6cdd1du >> 32) % limit);
}

static void count(enum count what, uint64_t number)
{
    atomic_fetch_add(&stage->counts[what], number);
}

/* ---- What a serial stands for */

static uint32_t keys_of(uint32_t serial)
{
    return FIRST_KEYS + serial % PERIOD * STEP;
}

static size_t make_key(char *key, unsigned path, uint32_t serial, uint32_t number)
{
    return (size_t)sprintf(key, "path %u, period %u: %u", path, serial / PERIOD, number);
}

static bool is_known(unsigned path, uint32_t serial)
{
    return knows_feature || !atomic_load(&stage->paths[path].has_feature[serial]);
}

/* Files of changing sizes follow each other: a map of the old one must not notice. */
static bloomfilter_options options_of(unsigned path, uint32_t serial)
{
    bloomfilter_options options = BLOOMFILTER_OPTIONS_INIT;
    bool has_feature = atomic_load(&stage->paths[path].has_feature[serial]);
    options.capacity = serial / PERIOD % 2 == 0 ? paths[path].capacity : paths[path].capacity / 2;
    options.target_fpr = 0.01;
    options.hash = path == 0 && has_feature ? LATER_HASH : paths[path].hash;
    options.layout = path == 2 && has_feature ? LATER_LAYOUT : paths[path].layout;
    options.seed = paths[path].seed;
    options.secret = paths[path].is_keyed ? secret : NULL;
    options.secret_size = paths[path].is_keyed ? sizeof secret : 0;
    return options;
}

static bloomfilter_load_options load_options_of(unsigned path)
{
    bloomfilter_load_options options = BLOOMFILTER_LOAD_OPTIONS_INIT;
    options.secret = paths[path].is_keyed ? secret : NULL;
    options.secret_size = paths[path].is_keyed ? sizeof secret : 0;
    return options;
}

/* The feature of paths 1, 3 and 4 is metadata that a reader must understand. */
static size_t make_metadata(char *metadata, unsigned path, uint32_t serial)
{
    bool is_critical =
        path != 0 && path != 2 && atomic_load(&stage->paths[path].has_feature[serial]);
    return (size_t)sprintf(metadata, "%s{\"path\":%u,\"serial\":%u,\"note\":\"%*s\"}",
                           is_critical ? "!" : "", path, serial, (int)(serial % 100), "");
}

static void name_path(char *name, unsigned path)
{
    snprintf(name, NAME_SIZE, "%s/%u.bloom", directory, path);
}

static bloomfilter_info info_of(const bloomfilter *filter)
{
    bloomfilter_info info = BLOOMFILTER_INFO_INIT;
    if (bloomfilter_get_info(filter, &info) != 0)
        fail("get_info fails");
    return info;
}

/* ---- What every filter that was opened must be */

static uint32_t serial_of(unsigned path, const bloomfilter *filter)
{
    char expected[400];
    const void *metadata;
    size_t size;
    unsigned of_path;
    uint32_t serial;
    char text[400] = "";
    if (bloomfilter_get_metadata(filter, &metadata, &size) != 0 || size >= sizeof text)
        fail("path %u: no metadata", path);
    memcpy(text, metadata, size);
    const char *from = text[0] == LATER_CRITICAL ? text + 1 : text;
    if (sscanf(from, "{\"path\":%u,\"serial\":%" SCNu32, &of_path, &serial) != 2 ||
        of_path != path || serial == 0 || serial > MAX_SERIAL)
        fail("path %u: the metadata is %s", path, text);
    if (make_metadata(expected, path, serial) != size || memcmp(expected, text, size) != 0)
        fail("path %u, serial %u: the metadata is %s", path, serial, text);
    return serial;
}

static bool has_key(const bloomfilter *filter, unsigned path, uint32_t serial, uint32_t number)
{
    char key[100];
    size_t size = make_key(key, path, serial, number);
    return bloomfilter_contains(filter, key, size);
}

static void ask_key(const bloomfilter *filter, unsigned path, uint32_t serial, uint32_t number)
{
    if (!has_key(filter, path, serial, number))
        fail("path %u, serial %u: key %u is denied", path, serial, number);
}

/* The newest keys and some others; now and then all. Then some that are not there. */
static void ask(const bloomfilter *filter, unsigned path, uint32_t serial)
{
    uint32_t total = keys_of(serial);
    uint32_t found = 0;
    bool asks_all = random_below(16) == 0;
    for (uint32_t i = asks_all ? 0 : total - STEP; i < total; i++)
        ask_key(filter, path, serial, i);
    for (uint32_t i = 0; i < SAMPLE; i++)
        ask_key(filter, path, serial, random_below(total));
    for (uint32_t i = 0; i < SAMPLE; i++)
        found += has_key(filter, path, serial, 1000000 + i);
    count(KEYS, (asks_all ? total : STEP) + SAMPLE);
    count(ABSENT, SAMPLE);
    count(FOUND, found);
}

static void check_info(const bloomfilter *filter, unsigned path, uint32_t serial)
{
    bloomfilter_options options = options_of(path, serial);
    bloomfilter_info info = info_of(filter);
    uint32_t minor = atomic_load(&stage->paths[path].minors[serial]);
    if (info.insert_count != keys_of(serial))
        fail("path %u, serial %u: %" PRIu64 " keys", path, serial, info.insert_count);
    if (info.capacity != options.capacity || info.hash != options.hash ||
        info.layout != options.layout || info.seed != options.seed)
        fail("path %u, serial %u: the header is another one's", path, serial);
    if (info.format_minor != minor)
        fail("path %u, serial %u: format 1.%u, not 1.%u", path, serial, info.format_minor, minor);
    if (minor > own_minor)
        count(LATER_FILES, 1);
}

/* ---- Opening a path */

enum way { LOAD, DESERIALIZE, MAP_VERIFIED, MAP_UNVERIFIED, WAYS };

/* The serials that a path can have had while it was opened. */
struct window {
    uint32_t first;
    uint32_t last;
};

static int deserialize(bloomfilter **out, const char *name, const bloomfilter_load_options *options)
{
    struct stat status;
    int file = open(name, O_RDONLY | O_CLOEXEC);
    if (file < 0 || fstat(file, &status) != 0)
        fail("%s: %s", name, strerror(errno));
    size_t size = (size_t)status.st_size;
    uint8_t *bytes = malloc(size);
    for (size_t at = 0; at < size;) {
        ssize_t got = read(file, bytes + at, size - at);
        if (got <= 0)
            fail("%s: shorter than it was", name);
        at += (size_t)got;
    }
    int code = bloomfilter_deserialize(out, bytes, size, options);
    close(file);
    free(bytes);
    return code;
}

static int open_in(enum way way, bloomfilter **out, const char *name,
                   const bloomfilter_load_options *options)
{
    switch (way) {
    case LOAD:
        return bloomfilter_load(out, name, options);
    case DESERIALIZE:
        return deserialize(out, name, options);
    default:
        return bloomfilter_map(out, name, options);
    }
}

static bool may_be_unknown(unsigned path, const struct window *window)
{
    for (uint32_t serial = window->first; serial <= window->last; serial++)
        if (!is_known(path, serial))
            return true;
    return false;
}

/*
 * Opens a path and checks that what is there is whole and one of those that can be there. Returns
 * the filter and its serial, or NULL if it was refused for a feature that this release lacks.
 */
static bloomfilter *open_path(unsigned path, enum way way, struct window *window, uint32_t *serial)
{
    char name[NAME_SIZE];
    bloomfilter_load_options options = load_options_of(path);
    bloomfilter *filter;

    name_path(name, path);
    window->first = atomic_load(&stage->paths[path].finished);
    errno = 0;
    int code = open_in(way, &filter, name, &options);
    window->last = atomic_load(&stage->paths[path].started);
    if (code == BLOOMFILTER_EUNSUPPORTED && may_be_unknown(path, window))
        return NULL;
    if (code != 0)
        fail("path %u, serials %u to %u, way %d: %s (errno: %s)", path, window->first, window->last,
             way, bloomfilter_strerror(code), strerror(errno));
    if (way == MAP_VERIFIED && bloomfilter_verify(filter) != 0)
        fail("path %u, serials %u to %u: verify fails", path, window->first, window->last);
    *serial = serial_of(path, filter);
    if (*serial < window->first || *serial > window->last)
        fail("path %u: serial %u is none of %u to %u", path, *serial, window->first, window->last);
    if (!is_known(path, *serial))
        fail("path %u, serial %u: read, though it has a feature that is unknown", path, *serial);
    check_info(filter, path, *serial);
    return filter;
}

/* ---- The reader */

/* The filter in use, of each path. */
static struct {
    bloomfilter *filter;
    uint32_t serial;
} in_use[PATHS];

static void check_in_use(unsigned path)
{
    if (in_use[path].filter == NULL)
        return;
    ask(in_use[path].filter, path, in_use[path].serial);
    if (bloomfilter_verify(in_use[path].filter) != 0)
        fail("path %u, serial %u: changed while it was in use", path, in_use[path].serial);
}

static void check_without_secret(unsigned path)
{
    char name[NAME_SIZE];
    bloomfilter *filter;
    name_path(name, path);
    int code = bloomfilter_load(&filter, name, NULL);
    if (code != BLOOMFILTER_ESECRET)
        fail("path %u without its secret: %s", path, bloomfilter_strerror(code));
}

static void read_path(void)
{
    static const enum count counted[WAYS] = {LOADS, COPIES, MAPS, MAPS};
    unsigned path = random_below(PATHS);
    enum way way = random_below(WAYS);
    struct window window;
    uint32_t serial = 0;

    bloomfilter *fresh = open_path(path, way, &window, &serial);
    check_in_use(path); /* the old file may have been replaced since: it must not matter */
    if (fresh == NULL) {
        count(REFUSALS, 1);
        return;
    }
    if (serial < in_use[path].serial)
        fail("path %u: serial %u after %u", path, serial, in_use[path].serial);
    count(counted[way], 1);
    ask(fresh, path, serial);
    bloomfilter_free(in_use[path].filter);
    in_use[path].filter = fresh;
    in_use[path].serial = serial;
    if (paths[path].is_keyed && random_below(16) == 0)
        check_without_secret(path);
}

static void end_reading(void)
{
    for (unsigned path = 0; path < PATHS; path++) {
        check_in_use(path);
        bloomfilter_free(in_use[path].filter);
    }
}

/* ---- The writer */

/* Writers of one path take turns: a serial is given out once. A killed one's lock is released. */
static int take_turn(unsigned path)
{
    char name[NAME_SIZE];
    snprintf(name, sizeof name, "%s/../turn-%u", directory, path);
    int file = open(name, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    while (file >= 0 && flock(file, LOCK_EX) != 0)
        if (errno != EINTR)
            fail("%s: %s", name, strerror(errno));
    if (file < 0)
        fail("%s: %s", name, strerror(errno));
    return file;
}

static uint32_t announce(unsigned path)
{
    struct stage_path *state = &stage->paths[path];
    uint32_t serial = atomic_load(&state->started) + 1;
    bool uses = knows_feature && atomic_load(&stage->uses_feature) && random_below(4) != 0;
    if (serial > MAX_SERIAL)
        fail("path %u: out of serials", path);
    atomic_store(&state->has_feature[serial], uses);
    atomic_store(&state->minors[serial], own_minor);
    atomic_store(&state->started, serial);
    return serial;
}

static bool can_grow(unsigned path, uint32_t from, uint32_t to)
{
    bloomfilter_options a = options_of(path, from);
    bloomfilter_options b = options_of(path, to);
    return from / PERIOD == to / PERIOD && a.hash == b.hash && a.layout == b.layout;
}

/* The filter of the path in memory of its own, or NULL if a new one has to be built. */
static bloomfilter *take_over(unsigned path, uint32_t serial, uint32_t *from)
{
    enum way way = random_below(WAYS);
    struct window window;
    bloomfilter *copy = NULL;
    if (serial == 1)
        return NULL;
    bloomfilter *filter = open_path(path, way, &window, from);
    if (filter != NULL && can_grow(path, *from, serial)) {
        int code = bloomfilter_copy(&copy, filter);
        if (code != 0)
            fail("path %u, serial %u: copy: %s", path, *from, bloomfilter_strerror(code));
    }
    bloomfilter_free(filter);
    return copy;
}

static void add_keys(bloomfilter *filter, unsigned path, uint32_t serial, uint32_t first)
{
    for (uint32_t i = first; i < keys_of(serial); i++) {
        char key[100];
        size_t size = make_key(key, path, serial, i);
        if (bloomfilter_add(filter, key, size) < 0)
            fail("add fails");
    }
}

static bloomfilter *build(unsigned path, uint32_t serial)
{
    bloomfilter_options options = options_of(path, serial);
    bloomfilter *filter;
    int code = bloomfilter_create(&filter, &options);
    if (code != 0)
        fail("create: %s", bloomfilter_strerror(code));
    count(REBUILDS, 1);
    return filter;
}

static void save(bloomfilter *filter, unsigned path, uint32_t serial)
{
    char name[NAME_SIZE];
    char metadata[400];
    size_t size = make_metadata(metadata, path, serial);
    name_path(name, path);
    if (bloomfilter_set_metadata(filter, metadata, size) != 0)
        fail("set_metadata fails");
    int code = bloomfilter_save(filter, name);
    if (code != 0)
        fail("path %u: save: %s, %s", path, bloomfilter_strerror(code), strerror(errno));
    atomic_store(&stage->paths[path].finished, serial);
    count(SAVES, 1);
}

static void write_path(void)
{
    unsigned path = random_below(PATHS);
    int turn = take_turn(path);
    uint32_t serial = announce(path);
    uint32_t from = 0;
    bloomfilter *filter = take_over(path, serial, &from);
    if (filter != NULL) {
        add_keys(filter, path, serial, keys_of(from));
    } else {
        filter = build(path, serial);
        add_keys(filter, path, serial, 0);
    }
    save(filter, path, serial);
    bloomfilter_free(filter);
    close(turn);
}

/* ---- */

static void open_stage(const char *name)
{
    int file = open(name, O_RDWR | O_CLOEXEC);
    stage = file < 0 ? MAP_FAILED
                     : mmap(NULL, sizeof *stage, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (stage == MAP_FAILED)
        fail("%s: %s", name, strerror(errno));
    close(file);
}

/* Which release this is, asked as a program has to ask. */
static void find_out_release(void)
{
    bloomfilter_options options = BLOOMFILTER_OPTIONS_INIT;
    bloomfilter_info info = BLOOMFILTER_INFO_INIT;
    options.capacity = 1;
    options.target_fpr = 0.5;
    if (bloomfilter_plan(&options, &info) != 0)
        fail("plan fails");
    own_minor = info.format_minor;
    options.hash = LATER_HASH;
    knows_feature = bloomfilter_plan(&options, &info) == 0;
}

int main(int argc, char *argv[])
{
    static char own_title[100] = "player";
    pid_t parent = getppid();
    title = own_title;
    if (argc != 6)
        fail("usage: player STAGE DIRECTORY NUMBER writer|reader SEED");
    open_stage(argv[1]);
    directory = argv[2];
    find_out_release();
    snprintf(own_title, sizeof own_title, "%s %s of 1.%u", argv[4], argv[3], own_minor);
    random_state = strtoull(argv[5], NULL, 10) * 2 + 1;

    struct stage_player *self = &stage->players[atoi(argv[3])];
    bool writes = strcmp(argv[4], "writer") == 0;
    while (!atomic_load(&self->must_stop) && getppid() == parent) {
        if (writes)
            write_path();
        else
            read_path();
        atomic_fetch_add(&self->rounds, 1);
    }
    if (!writes)
        end_reading();
    return 0;
}
