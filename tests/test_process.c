/* SPDX-License-Identifier: MIT */
/*
 * The library in a process that is not left alone: it forks, signals arrive, descriptors and disks
 * run out, files change while they are used. What one system call at a time can do wrong is in
 * test_file.c. Whatever spoils the process is done in a child of it.
 */
#include "support.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/mount.h>
#include <sys/prctl.h>
#endif

#include "handle/handle.h"
#include "handle/insert_counter.h"
#include "support/blake2b.h"

/* ---- helpers */

enum { NOBODY = 65534, BITS = 1 << 20, PAYLOAD = BITS / 8, LONG_ENOUGH = 120 /* seconds */ };

static const char *directory; /* fresh for each test */

static int enter(void **state)
{
    (void)state;
    directory = make_temporary_directory();
    return 0;
}

static int leave(void **state)
{
    (void)state;
    remove_tree(directory);
    return 0;
}

static const char *in(const char *name)
{
    return path_in(directory, name);
}

/* In a child, where CMocka's assertions would jump into a copy of the tests. */
#define CHECK(condition)                                                                           \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            dprintf(2, "%s:%d: %s; errno %d\n", __FILE__, __LINE__, #condition, errno);            \
            _exit(1);                                                                              \
        }                                                                                          \
    } while (0)

/* Runs `body` in a child, which ends if it hangs; returns how it ended, as waitpid says. */
static int status_of_child(void (*body)(void *context), void *context)
{
    int status;
    fflush(NULL);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        alarm(LONG_ENOUGH);
#ifdef __linux__
        prctl(PR_SET_PDEATHSIG, SIGKILL);
#endif
        body(context);
        _exit(0);
    }
    while (waitpid(child, &status, 0) < 0)
        assert_int_equal(errno, EINTR);
    return status;
}

static void run_in_child(void (*body)(void *context), void *context)
{
    int status = status_of_child(body, context);
    if (status != 0)
        fail_msg("the child ended with status %x (%s)", (unsigned)status,
                 WIFSIGNALED(status) ? strsignal(WTERMSIG(status)) : "exit");
}

static void assert_killed_by(int signal_number, void (*body)(void *context), void *context)
{
    int status = status_of_child(body, context);
    if (!WIFSIGNALED(status) || WTERMSIG(status) != signal_number)
        fail_msg("the child ended with status %x, not by signal %d", (unsigned)status,
                 signal_number);
}

static bloomfilter *make_filter(uint64_t bit_count, const char *prefix)
{
    bloomfilter_options options = BLOOMFILTER_OPTIONS_INIT;
    options.bit_count = bit_count;
    options.hash_count = 7;
    bloomfilter *filter = created(&options);
    add_numbered(filter, prefix, 0, 1000);
    return filter;
}

static void save_filter(const char *path, const char *prefix)
{
    bloomfilter *filter = make_filter(BITS, prefix);
    assert_int_equal(bloomfilter_save(filter, path), 0);
    bloomfilter_free(filter);
}

static bool fails_with(int number, int code)
{
    return code == BLOOMFILTER_EIO && errno == number;
}

static bool opens(int (*open_filter)(bloomfilter **, const char *,
                                     const bloomfilter_load_options *),
                  const char *path)
{
    bloomfilter *filter;
    if (open_filter(&filter, path, NULL) != 0)
        return false;
    bool is_there = bloomfilter_contains(filter, "old:999", 7);
    bloomfilter_free(filter);
    return is_there;
}

static bool open_fails_with(int number, const char *path)
{
    bloomfilter *filter;
    errno = 0;
    if (!fails_with(number, bloomfilter_load(&filter, path, NULL)) || filter != NULL)
        return false;
    errno = 0;
    return fails_with(number, bloomfilter_map(&filter, path, NULL)) && filter == NULL;
}

/* ---- a digest that a thread is held in, and reads that something happens before */

static _Thread_local bool is_to_be_held;
static atomic_bool is_held;
static atomic_bool is_let_go;
static atomic_uint digests;

int __real_blake2b_final(blake2b_state *state, uint8_t *digest, size_t size);
int __wrap_blake2b_final(blake2b_state *state, uint8_t *digest, size_t size);

int __wrap_blake2b_final(blake2b_state *state, uint8_t *digest, size_t size)
{
    atomic_fetch_add(&digests, 1);
    if (is_to_be_held) {
        is_to_be_held = false;
        atomic_store(&is_held, true);
        while (!atomic_load(&is_let_go))
            sched_yield();
    }
    return __real_blake2b_final(state, digest, size);
}

static void (*before_read)(int number); /* called before the read of this number, from 0 on */
static int reads;

ssize_t read(int file, void *bytes, size_t size)
{
    struct iovec piece = {.iov_base = bytes, .iov_len = size};
    if (before_read != NULL)
        before_read(reads++);
    return readv(file, &piece, 1);
}

/* What read is called where _FORTIFY_SOURCE is on. */
ssize_t __read_chk(int file, void *bytes, size_t size, size_t room);
ssize_t __read_chk(int file, void *bytes, size_t size, size_t room)
{
    CHECK(size <= room);
    return read(file, bytes, size);
}

/* ---- fork in the middle of the self-test: must be the first test, before the library is used */

struct sample {
    uint8_t *bytes;
    size_t size;
};

static int peek(const struct sample *sample)
{
    bloomfilter_info info = BLOOMFILTER_INFO_INIT;
    return bloomfilter_peek(sample->bytes, sample->size, &info);
}

static void *peek_held(void *sample)
{
    is_to_be_held = true;
    CHECK(peek(sample) == 0);
    return NULL;
}

/* The copy of a process whose other thread was in the self-test, and is not in the copy. */
static void peek_in_copy(void *sample)
{
    unsigned before = atomic_load(&digests);
    CHECK(peek(sample) == 0);
    unsigned first = atomic_load(&digests) - before;
    CHECK(peek(sample) == 0);
    unsigned second = atomic_load(&digests) - before - first;
    CHECK(first > second); /* the self-test was made here, too, and only once */
}

static void fork_in_self_test(void *sample)
{
    pthread_t thread;
    CHECK(pthread_create(&thread, NULL, peek_held, sample) == 0);
    while (!atomic_load(&is_held))
        sched_yield();
    int status = status_of_child(peek_in_copy, sample);
    atomic_store(&is_let_go, true);
    CHECK(pthread_join(thread, NULL) == 0);
    CHECK(status == 0);
}

static void test_fork_in_the_self_test(void **state)
{
    struct sample sample;
    (void)state;
    sample.bytes = read_data("format/good-users-1000.bloom", &sample.size);
    run_in_child(fork_in_self_test, &sample); /* this process stays one that has not used it */
    free(sample.bytes);
}

/* ---- fork in the middle of add */

enum { ADDERS = 3, BATCH = 8, KEYS = 900 * (BATCH + 1), FORKS = 12 };

struct adder {
    bloomfilter *filter;
    uint64_t first;
    _Atomic uint64_t adds; /* that have returned */
    atomic_bool *may_end;
    pthread_t thread;
};

static int add_batch(bloomfilter *filter, uint64_t first)
{
    uint64_t numbers[BATCH];
    const void *keys[BATCH];
    size_t key_sizes[BATCH];
    for (size_t i = 0; i < BATCH; i++) {
        numbers[i] = first + i;
        keys[i] = &numbers[i];
        key_sizes[i] = sizeof numbers[i];
    }
    return bloomfilter_add_many(filter, BATCH, keys, key_sizes, NULL);
}

static int add_number(bloomfilter *filter, uint64_t number)
{
    return bloomfilter_add(filter, &number, sizeof number);
}

static bool contains_numbers(const bloomfilter *filter, uint64_t from, uint64_t to)
{
    for (; from < to; from++)
        if (!bloomfilter_contains(filter, &from, sizeof from))
            return false;
    return true;
}

/* Adds its KEYS keys in a circle, until it was told that it may end. */
static void *add_keys(void *context)
{
    struct adder *adder = context;
    for (uint64_t n = 0; n < KEYS || !atomic_load(adder->may_end);) {
        uint64_t key = adder->first + n % KEYS;
        CHECK(add_batch(adder->filter, key) == 0);
        CHECK(add_number(adder->filter, key + BATCH) >= 0);
        n += BATCH + 1;
        atomic_store(&adder->adds, n);
    }
    return NULL;
}

struct snapshot {
    bloomfilter *filter;
    const bloomfilter *mapped;
    const char *path;
    uint64_t first[ADDERS];
    uint64_t adds[ADDERS]; /* before the fork */
};

static void check_copied_filter(const bloomfilter *filter, const struct snapshot *snapshot)
{
    bloomfilter_info info = BLOOMFILTER_INFO_INIT;
    uint64_t adds = 0;
    for (int i = 0; i < ADDERS; i++) {
        uint64_t first = snapshot->first[i];
        uint64_t keys = snapshot->adds[i] < KEYS ? snapshot->adds[i] : KEYS;
        CHECK(contains_numbers(filter, first, first + keys));
        adds += snapshot->adds[i];
    }
    CHECK(bloomfilter_get_info(filter, &info) == 0);
    CHECK(info.insert_count >= adds);
}

/* All that a filter is used for, in the copy of a process whose other threads were adding. */
static void use_copied_filter(void *context)
{
    struct snapshot *snapshot = context;
    bloomfilter_info before = BLOOMFILTER_INFO_INIT;
    bloomfilter_info after = BLOOMFILTER_INFO_INIT;
    bloomfilter *other;
    uint64_t first = (uint64_t)getpid() << 32;

    check_copied_filter(snapshot->filter, snapshot);
    CHECK(bloomfilter_get_info(snapshot->filter, &before) == 0);
    for (uint64_t i = 0; i < 1000; i++)
        CHECK(add_number(snapshot->filter, first + i) >= 0);
    CHECK(contains_numbers(snapshot->filter, first, first + 1000));
    CHECK(bloomfilter_get_info(snapshot->filter, &after) == 0);
    CHECK(after.insert_count == before.insert_count + 1000);

    CHECK(bloomfilter_save(snapshot->filter, snapshot->path) == 0);
    CHECK(bloomfilter_load(&other, snapshot->path, NULL) == 0);
    check_copied_filter(other, snapshot);
    CHECK(contains_numbers(other, first, first + 1000));
    bloomfilter_free(other);
    CHECK(bloomfilter_copy(&other, snapshot->filter) == 0);
    bloomfilter_free(other);
    CHECK(bloomfilter_verify(snapshot->mapped) == 0);
    CHECK(bloomfilter_contains(snapshot->mapped, "old:999", 7));
    bloomfilter_free(snapshot->filter);
}

static void fork_beside(struct adder adders[ADDERS], const bloomfilter *mapped)
{
    struct snapshot snapshot = {
        .filter = adders[0].filter, .mapped = mapped, .path = in("of-child.bloom")};
    for (int i = 0; i < ADDERS; i++) {
        snapshot.first[i] = adders[i].first;
        snapshot.adds[i] = atomic_load(&adders[i].adds);
    }
    run_in_child(use_copied_filter, &snapshot);
}

static bloomfilter *make_shared_filter(void)
{
    bloomfilter_options options = BLOOMFILTER_OPTIONS_INIT;
    options.bit_count = 4 * BITS;
    options.hash_count = 7;
    return created(&options);
}

/* Nothing that children did is in the parent's filter, and nothing that threads did is missing. */
static void check_after_forks(struct adder adders[ADDERS])
{
    bloomfilter *expected = make_shared_filter();
    uint64_t adds = 0;
    for (int i = 0; i < ADDERS; i++) {
        adds += adders[i].adds;
        for (uint64_t n = 0; n < KEYS; n++)
            assert_true(add_number(expected, adders[i].first + n) >= 0);
    }
    assert_int_equal(info_of(adders[0].filter).insert_count, adds);
    bloomfilter_insert_counter_set(&expected->inserts, adds);
    assert_same_filter(adders[0].filter, expected);
    bloomfilter_free(expected);
}

static void test_fork_in_the_middle_of_add(void **state)
{
    static struct adder adders[ADDERS];
    static atomic_bool may_end;
    bloomfilter *old = make_filter(BITS, "old:");
    bloomfilter *mapped;
    (void)state;

    assert_int_equal(bloomfilter_save(old, in("old.bloom")), 0);
    bloomfilter_free(old);
    assert_int_equal(bloomfilter_map(&mapped, in("old.bloom"), NULL), 0);
    bloomfilter *filter = make_shared_filter();
    for (uint64_t i = 0; i < ADDERS; i++) {
        adders[i].filter = filter;
        adders[i].first = (i + 1) << 40;
        adders[i].may_end = &may_end;
        assert_int_equal(pthread_create(&adders[i].thread, NULL, add_keys, &adders[i]), 0);
    }
    for (int i = 0; i < FORKS; i++)
        fork_beside(adders, mapped);
    atomic_store(&may_end, true);
    for (int i = 0; i < ADDERS; i++)
        assert_int_equal(pthread_join(adders[i].thread, NULL), 0);
    check_after_forks(adders);
    assert_int_equal(count_entries(directory), 2);
    bloomfilter_free(mapped);
    bloomfilter_free(filter);
}

/* ---- signals in the middle of everything */

static bloomfilter *of_handler;
static volatile sig_atomic_t signals;

static void handle(int number)
{
    int saved_errno = errno;
    uint64_t count = (uint64_t)signals;
    (void)number;
    CHECK(add_number(of_handler, count) >= 0);
    CHECK(contains_numbers(of_handler, count, count + 1));
    signals++;
    errno = saved_errno;
}

/* A signal every 100 microseconds, or as often as the system can. */
static void start_signals(int flags)
{
    struct sigaction action = {.sa_handler = handle, .sa_flags = flags};
    struct itimerval often = {.it_interval = {.tv_usec = 100}, .it_value = {.tv_usec = 100}};
    CHECK(sigaction(SIGALRM, &action, NULL) == 0);
    CHECK(setitimer(ITIMER_REAL, &often, NULL) == 0);
}

static void stop_signals(void)
{
    struct itimerval never = {{0, 0}, {0, 0}};
    CHECK(setitimer(ITIMER_REAL, &never, NULL) == 0);
}

static void wait_for_signals(int count)
{
    struct sigaction action;
    sigset_t held;
    CHECK(sigaction(SIGALRM, NULL, &action) == 0 && action.sa_handler == handle);
    CHECK(sigprocmask(SIG_BLOCK, NULL, &held) == 0 && sigismember(&held, SIGALRM) == 0);
    while (signals < count)
        sched_yield();
}

/* Writes a file into a pipe, a piece whenever its reader has been interrupted at least once. */
static void feed_pipe(const char *path, const uint8_t *bytes, size_t size)
{
    struct timespec pause = {.tv_nsec = 2000000};
    fflush(NULL);
    if (fork() != 0)
        return;
    alarm(LONG_ENOUGH);
    nanosleep(&pause, NULL);
    int file = open(path, O_WRONLY);
    for (size_t done = 0; done < size;) {
        size_t part = size - done < PAYLOAD / 4 ? size - done : PAYLOAD / 4;
        CHECK(write(file, bytes + done, part) == (ssize_t)part);
        done += part;
        nanosleep(&pause, NULL);
    }
    _exit(0);
}

static void load_from_pipe(const char *path, const uint8_t *bytes, size_t size)
{
    bloomfilter *filter;
    int status;
    feed_pipe(path, bytes, size);
    CHECK(bloomfilter_load(&filter, path, NULL) == 0);
    CHECK(bloomfilter_contains(filter, "old:999", 7));
    bloomfilter_free(filter);
    while (wait(&status) < 0)
        CHECK(errno == EINTR);
    CHECK(status == 0);
}

/* The path holds the whole of the one filter or the other, and is there. */
static void check_whole(const char *path, const uint8_t *const bytes[2], size_t size)
{
    size_t found_size;
    uint8_t *found = read_path(path, &found_size);
    CHECK(found_size == size);
    CHECK(memcmp(found, bytes[0], size) == 0 || memcmp(found, bytes[1], size) == 0);
    free(found);
}

struct shaken {
    bloomfilter *filters[2];
    const uint8_t *bytes[2];
    size_t size;
    char path[4200];
    char pipe[4200];
    int flags; /* of the handler */
};

static void work_under_signals(void *context)
{
    const struct shaken *shaken = context;
    bloomfilter_options options = BLOOMFILTER_OPTIONS_INIT;
    bloomfilter *filter;

    options.bit_count = BITS;
    options.hash_count = 7;
    CHECK(bloomfilter_create(&of_handler, &options) == 0);
    start_signals(shaken->flags);
    for (int i = 0; i < 30; i++) {
        CHECK(bloomfilter_save(shaken->filters[i % 2], shaken->path) == 0);
        CHECK(bloomfilter_load(&filter, shaken->path, NULL) == 0);
        bloomfilter_free(filter);
        CHECK(bloomfilter_map(&filter, shaken->path, NULL) == 0);
        CHECK(bloomfilter_verify(filter) == 0);
        bloomfilter_free(filter);
        check_whole(shaken->path, shaken->bytes, shaken->size);
        wait_for_signals(10 * i);
    }
    load_from_pipe(shaken->pipe, shaken->bytes[0], shaken->size);
    stop_signals();
    bloomfilter_info info = BLOOMFILTER_INFO_INIT;
    CHECK(bloomfilter_get_info(of_handler, &info) == 0);
    CHECK(info.insert_count == (uint64_t)signals && signals >= 290);
    CHECK(contains_numbers(of_handler, 0, (uint64_t)signals));
    bloomfilter_free(of_handler);
}

static void check_signals(int flags)
{
    struct shaken shaken = {.flags = flags};
    snprintf(shaken.path, sizeof shaken.path, "%s", in("file.bloom"));
    snprintf(shaken.pipe, sizeof shaken.pipe, "%s", in("pipe"));
    assert_int_equal(mkfifo(shaken.pipe, 0600), 0);
    shaken.filters[0] = make_filter(BITS, "old:");
    shaken.filters[1] = make_filter(BITS, "new:");
    shaken.bytes[0] = serialized(shaken.filters[0], &shaken.size);
    shaken.bytes[1] = serialized(shaken.filters[1], &shaken.size);
    run_in_child(work_under_signals, &shaken);
    assert_int_equal(count_entries(directory), 2);
    for (int i = 0; i < 2; i++) {
        bloomfilter_free(shaken.filters[i]);
        free((void *)(uintptr_t)shaken.bytes[i]);
    }
}

static void test_signals_that_interrupt(void **state)
{
    (void)state;
    check_signals(0);
}

static void test_signals_that_restart(void **state)
{
    (void)state;
    check_signals(SA_RESTART);
}

/* Every signal gets this handler, and one is held back: a state that nobody else makes. */
static void end_on_signal(int number)
{
    (void)number;
    _exit(1);
}

static void take_all_signals(void)
{
    struct sigaction action = {.sa_handler = end_on_signal};
    sigset_t held;
    for (int number = 1; number < 65; number++)
        sigaction(number, &action, NULL); /* not of KILL, STOP, and the C library's own */
    sigemptyset(&held);
    sigaddset(&held, SIGUSR1);
    CHECK(sigprocmask(SIG_SETMASK, &held, NULL) == 0);
}

static void check_all_signals(void)
{
    sigset_t held;
    CHECK(sigprocmask(SIG_BLOCK, NULL, &held) == 0);
    for (int number = 1; number < 65; number++) {
        struct sigaction action;
        if (number == SIGKILL || number == SIGSTOP || sigaction(number, NULL, &action) != 0)
            continue;
        CHECK(action.sa_handler == end_on_signal);
        CHECK(action.sa_flags == 0 || action.sa_flags == 0x04000000); /* Linux's SA_RESTORER */
        CHECK(sigismember(&held, number) == (number == SIGUSR1));
    }
}

static void work_with_signals_taken(void *context)
{
    bloomfilter *other;
    double rate;
    (void)context;
    take_all_signals();
    bloomfilter *filter = make_filter(BITS, "old:");
    CHECK(bloomfilter_measure_fpr(filter, 1000, 1, &rate) == 0);
    CHECK(bloomfilter_save(filter, in("file.bloom")) == 0);
    CHECK(fails_with(ENOENT, bloomfilter_save(filter, in("missing/file.bloom"))));
    CHECK(bloomfilter_load(&other, in("file.bloom"), NULL) == 0);
    CHECK(bloomfilter_union(other, filter) == 0);
    bloomfilter_free(other);
    CHECK(bloomfilter_map(&other, in("file.bloom"), NULL) == 0);
    CHECK(bloomfilter_verify(other) == 0);
    bloomfilter_free(other);
    bloomfilter_free(filter);
    check_all_signals();
}

static void test_signals_stay_the_programs_own(void **state)
{
    (void)state;
    run_in_child(work_with_signals_taken, NULL);
}

/* ---- few descriptors */

struct scarcity {
    const bloomfilter *filter;
    char file[4200];
    char link[4200];
    char missing[4200];
    int left;       /* descriptors that the process may still open */
    bool is_closed; /* standard input, output and error */
};

static void limit_descriptors(int count)
{
    struct rlimit limit;
    for (int file = 3; file < 1024; file++)
        close(file);
    CHECK(getrlimit(RLIMIT_NOFILE, &limit) == 0);
    limit.rlim_cur = (rlim_t)count;
    CHECK(setrlimit(RLIMIT_NOFILE, &limit) == 0);
}

/* To open takes one descriptor, to save two: the directory's and the new file's. */
static void use_few_descriptors(void *context)
{
    const struct scarcity *scarcity = context;
    const char *const paths[] = {scarcity->file, scarcity->link, scarcity->missing};

    limit_descriptors(3 + scarcity->left);
    if (scarcity->left == 0)
        CHECK(open_fails_with(EMFILE, scarcity->file));
    else
        CHECK(opens(bloomfilter_load, scarcity->file) && opens(bloomfilter_map, scarcity->file));
    for (int i = 0; i < 3; i++) {
        errno = 0;
        int code = bloomfilter_save(scarcity->filter, paths[i]);
        CHECK(scarcity->left < 2 ? fails_with(EMFILE, code) : code == 0);
    }
    /* Nothing that was opened on the way is still open. */
    for (int file = scarcity->is_closed ? 0 : 3; file < 3 + scarcity->left; file++)
        CHECK(fcntl(file, F_GETFD) < 0);
}

/* With the standard descriptors closed, they are free and not used. */
static void use_few_without_standard(void *context)
{
    struct scarcity *scarcity = context;
    scarcity->is_closed = true;
    for (int file = 0; file < 3; file++)
        close(file);
    use_few_descriptors(scarcity);
}

static void test_few_descriptors(void **state)
{
    struct scarcity scarcity = {.filter = make_filter(BITS, "old:")};
    size_t size;
    (void)state;
    snprintf(scarcity.file, sizeof scarcity.file, "%s", in("file.bloom"));
    snprintf(scarcity.link, sizeof scarcity.link, "%s", in("link.bloom"));
    snprintf(scarcity.missing, sizeof scarcity.missing, "%s", in("new.bloom"));
    assert_int_equal(bloomfilter_save(scarcity.filter, scarcity.file), 0);
    assert_int_equal(symlink("file.bloom", scarcity.link), 0);
    uint8_t *bytes = serialized(scarcity.filter, &size);
    for (scarcity.left = 0; scarcity.left < 4; scarcity.left++) {
        run_in_child(use_few_descriptors, &scarcity);
        assert_int_equal(count_entries(directory), scarcity.left < 2 ? 2 : 3);
        unlink(scarcity.missing);
        run_in_child(use_few_without_standard, &scarcity);
        assert_int_equal(count_entries(directory), scarcity.left < 2 ? 2 : 3);
        unlink(scarcity.missing);
        size_t found_size;
        uint8_t *found = read_path(scarcity.file, &found_size);
        assert_int_equal(found_size, size);
        assert_memory_equal(found, bytes, size);
        free(found);
    }
    free(bytes);
    bloomfilter_free((bloomfilter *)(uintptr_t)scarcity.filter);
}

/* ---- directories that do not permit */

struct locked {
    const bloomfilter *filter;
    char old[4200];
    char new[4200];
    bool can_open;
};

static void use_locked_directory(void *context)
{
    const struct locked *locked = context;
    if (geteuid() == 0) /* whom permissions do not stop */
        CHECK(setgid(NOBODY) == 0 && setuid(NOBODY) == 0);
    errno = 0;
    CHECK(fails_with(EACCES, bloomfilter_save(locked->filter, locked->old)));
    errno = 0;
    CHECK(fails_with(EACCES, bloomfilter_save(locked->filter, locked->new)));
    if (locked->can_open)
        CHECK(opens(bloomfilter_load, locked->old) && opens(bloomfilter_map, locked->old));
    else
        CHECK(open_fails_with(EACCES, locked->old));
}

/* To save, a directory must be readable, writable and searchable; to open, searchable. */
static void test_directories_that_do_not_permit(void **state)
{
    static const mode_t modes[] = {0000, 0111, 0222, 0333, 0444, 0555, 0666};
    struct locked locked = {.filter = make_filter(64, "old:")};
    (void)state;
    assert_int_equal(chmod(directory, 0755), 0);
    assert_int_equal(mkdir(in("locked"), 0755), 0);
    snprintf(locked.old, sizeof locked.old, "%s", in("locked/old.bloom"));
    snprintf(locked.new, sizeof locked.new, "%s", in("locked/new.bloom"));
    assert_int_equal(bloomfilter_save(locked.filter, locked.old), 0);
    assert_int_equal(chmod(locked.old, 0666), 0);
    for (size_t i = 0; i < sizeof modes / sizeof modes[0]; i++) {
        locked.can_open = (modes[i] & 0111) != 0;
        assert_int_equal(chmod(in("locked"), modes[i]), 0);
        int status = status_of_child(use_locked_directory, &locked);
        assert_int_equal(chmod(in("locked"), 0755), 0);
        if (status != 0)
            fail_msg("mode %03o: status %x", (unsigned)modes[i], (unsigned)status);
        assert_int_equal(count_entries(in("locked")), 1);
    }
    bloomfilter_free((bloomfilter *)(uintptr_t)locked.filter);
}

/* ---- names and places */

static void test_long_names(void **state)
{
    char name[NAME_MAX + 2];
    char long_path[2 * PATH_MAX];
    bloomfilter *filter = make_filter(64, "old:");
    (void)state;
    memset(name, 'n', sizeof name);
    name[NAME_MAX + 1] = '\0';
    assert_true(open_fails_with(ENAMETOOLONG, in(name)));
    name[NAME_MAX] = '\0';
    assert_int_equal(bloomfilter_save(filter, in(name)), 0);
    assert_true(opens(bloomfilter_load, in(name)));
    assert_true(opens(bloomfilter_map, in(name)));
    assert_int_equal(count_entries(directory), 1);
    memset(long_path, '/', sizeof long_path);
    memcpy(long_path + sizeof long_path - 2, "n", 2);
    assert_true(open_fails_with(ENAMETOOLONG, long_path));
    assert_true(fails_with(ENAMETOOLONG, bloomfilter_save(filter, long_path)));
    bloomfilter_free(filter);
}

enum { DEPTH = PATH_MAX / 200 + 2 };

/* Where the absolute path of a file is longer than any path may be, a relative one still works. */
static void go_deep(void *filter)
{
    char name[201];
    memset(name, 'd', 200);
    name[200] = '\0';
    CHECK(chdir(directory) == 0);
    for (int i = 0; i < DEPTH; i++)
        CHECK(mkdir(name, 0700) == 0 && chdir(name) == 0);
    CHECK(bloomfilter_save(filter, "file") == 0);
    CHECK(bloomfilter_save(filter, "./file") == 0);
    CHECK(opens(bloomfilter_load, "file") && opens(bloomfilter_map, "file"));
    CHECK(symlink("file", "link") == 0);
    CHECK(opens(bloomfilter_load, "link"));
    errno = 0;
    int code = bloomfilter_save(filter, "link"); /* the link's target must have a path */
    CHECK(code == 0 || fails_with(ENAMETOOLONG, code));
    CHECK(opens(bloomfilter_load, "file"));
    CHECK(unlink("file") == 0 && unlink("link") == 0);
    for (int i = 0; i < DEPTH; i++)
        CHECK(chdir("..") == 0 && rmdir(name) == 0); /* which is empty */
}

static void test_deep_directory(void **state)
{
    bloomfilter *filter = make_filter(64, "old:");
    (void)state;
    run_in_child(go_deep, filter);
    assert_int_equal(count_entries(directory), 0);
    bloomfilter_free(filter);
}

/* A save through a link to another file system: the new file is made there, where it can be
 * renamed. */
static void test_other_file_system(void **state)
{
    char other[] = "/dev/shm/bloomfilter-test-XXXXXX";
    struct stat here;
    struct stat there;
    (void)state;
    if (mkdtemp(other) == NULL) {
        print_message("left out: no /dev/shm here\n");
        return;
    }
    assert_int_equal(stat(directory, &here), 0);
    assert_int_equal(stat(other, &there), 0);
    if (here.st_dev == there.st_dev)
        print_message("/dev/shm is the same file system as the tests' directory\n");
    bloomfilter *filter = make_filter(BITS, "old:");
    save_filter(path_in(other, "file.bloom"), "new:");
    assert_int_equal(symlink(path_in(other, "file.bloom"), in("link.bloom")), 0);
    assert_int_equal(bloomfilter_save(filter, in("link.bloom")), 0);
    assert_true(opens(bloomfilter_load, path_in(other, "file.bloom")));
    assert_true(opens(bloomfilter_map, in("link.bloom")));
    assert_int_equal(count_entries(directory), 1);
    assert_int_equal(count_entries(other), 1);
    bloomfilter_free(filter);
    remove_tree(other);
}

/* ---- disks that are full or read-only */

struct disk {
    bloomfilter *small;
    bloomfilter *large;
    const uint8_t *small_bytes;
    size_t small_size;
    char path[4200];
    char new[4200];
};

/* The old file is whole and alone. */
static void check_old(const struct disk *disk)
{
    size_t size;
    uint8_t *bytes = read_path(disk->path, &size);
    CHECK(size == disk->small_size && memcmp(bytes, disk->small_bytes, size) == 0);
    free(bytes);
    CHECK(count_entries(directory) == 1);
}

static void save_on_full_disk(const struct disk *disk, int number)
{
    CHECK(bloomfilter_save(disk->small, disk->path) == 0);
    for (int i = 0; i < 3; i++) { /* what failed takes no room */
        errno = 0;
        CHECK(fails_with(number, bloomfilter_save(disk->large, disk->path)));
        check_old(disk);
        errno = 0;
        CHECK(fails_with(number, bloomfilter_save(disk->large, disk->new)));
        check_old(disk);
        CHECK(bloomfilter_save(disk->small, disk->path) == 0);
    }
}

/* A limit on the size of files, with the signal ignored that tells of it. */
static void save_over_limit(void *context)
{
    struct rlimit limit = {.rlim_cur = PAYLOAD, .rlim_max = RLIM_INFINITY};
    CHECK(signal(SIGXFSZ, SIG_IGN) != SIG_ERR);
    CHECK(setrlimit(RLIMIT_FSIZE, &limit) == 0);
    save_on_full_disk(context, EFBIG);
}

/* And with the signal left as it is: it ends the process, which is not the library's to change. */
static void save_over_limit_and_end(void *context)
{
    const struct disk *disk = context;
    struct rlimit limit = {.rlim_cur = PAYLOAD, .rlim_max = RLIM_INFINITY};
    struct rlimit none = {0, 0};
    CHECK(signal(SIGXFSZ, SIG_DFL) != SIG_ERR);
    CHECK(setrlimit(RLIMIT_CORE, &none) == 0 && setrlimit(RLIMIT_FSIZE, &limit) == 0);
    bloomfilter_save(disk->large, disk->path);
}

static struct disk make_disk(const char *path, const char *new)
{
    struct disk disk = {.small = make_filter(64, "old:"), .large = make_filter(BITS, "new:")};
    disk.small_bytes = serialized(disk.small, &disk.small_size);
    snprintf(disk.path, sizeof disk.path, "%s", path);
    snprintf(disk.new, sizeof disk.new, "%s", new);
    return disk;
}

static void free_disk(struct disk *disk)
{
    bloomfilter_free(disk->small);
    bloomfilter_free(disk->large);
    free((void *)(uintptr_t)disk->small_bytes);
}

static void test_file_size_limit(void **state)
{
    struct disk disk = make_disk(in("old.bloom"), in("new.bloom"));
    size_t size;
    (void)state;
    run_in_child(save_over_limit, &disk);
    check_old(&disk);
    assert_killed_by(SIGXFSZ, save_over_limit_and_end, &disk);
    uint8_t *bytes = read_path(disk.path, &size);
    assert_int_equal(size, disk.small_size);
    assert_memory_equal(bytes, disk.small_bytes, size);
    free(bytes);
    free_disk(&disk);
}

#ifdef __linux__
enum { CANNOT_MOUNT = 77 };

static bool write_line(const char *path, const char *line)
{
    int file = open(path, O_WRONLY);
    bool is_written = file >= 0 && write(file, line, strlen(line)) == (ssize_t)strlen(line);
    if (file >= 0)
        close(file);
    return is_written;
}

/* Lets the process mount for itself: as root, or as what looks like root from inside. */
static bool may_mount(void)
{
    char users[64];
    char groups[64];
    if (geteuid() == 0)
        return unshare(CLONE_NEWNS) == 0;
    snprintf(users, sizeof users, "0 %u 1", (unsigned)geteuid());
    snprintf(groups, sizeof groups, "0 %u 1", (unsigned)getegid());
    return unshare(CLONE_NEWNS | CLONE_NEWUSER) == 0 && write_line("/proc/self/uid_map", users) &&
           write_line("/proc/self/setgroups", "deny") && write_line("/proc/self/gid_map", groups);
}

/* A small disk of the child's own, over the directory. */
static void mount_disk(void)
{
    if (!may_mount() || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0 ||
        mount("none", directory, "tmpfs", 0, "size=65536") != 0)
        _exit(CANNOT_MOUNT);
}

static void use_small_disk(void *context)
{
    const struct disk *disk = context;
    mount_disk();
    save_on_full_disk(disk, ENOSPC);
    CHECK(mount(NULL, directory, NULL, MS_REMOUNT | MS_RDONLY, NULL) == 0);
    errno = 0;
    CHECK(fails_with(EROFS, bloomfilter_save(disk->small, disk->path)));
    errno = 0;
    CHECK(fails_with(EROFS, bloomfilter_save(disk->small, disk->new)));
    CHECK(opens(bloomfilter_load, disk->path) && opens(bloomfilter_map, disk->path));
    check_old(disk);
}

static void test_full_and_read_only_disks(void **state)
{
    struct disk disk = make_disk(in("old.bloom"), in("new.bloom"));
    (void)state;
    int status = status_of_child(use_small_disk, &disk);
    if (WIFEXITED(status) && WEXITSTATUS(status) == CANNOT_MOUNT)
        print_message("left out: nothing can be mounted here\n");
    else
        assert_int_equal(status, 0);
    assert_int_equal(count_entries(directory), 0);
    free_disk(&disk);
}
#endif

/* ---- files that change while they are used */

static void take_default_of_sigbus(void)
{
    struct rlimit none = {0, 0};
    CHECK(signal(SIGBUS, SIG_DFL) != SIG_ERR); /* a sanitizer has a handler of its own */
    CHECK(setrlimit(RLIMIT_CORE, &none) == 0);
}

static void ask_map_that_shrank(void *path)
{
    bloomfilter *filter;
    take_default_of_sigbus();
    CHECK(bloomfilter_map(&filter, path, NULL) == 0);
    CHECK(truncate(path, 4096) == 0);
    for (uint64_t i = 0; i < 1000; i++) {
        char key[32];
        bloomfilter_contains(filter, key, (size_t)sprintf(key, "old:%d", (int)i));
    }
}

static void verify_map_that_shrank(void *path)
{
    bloomfilter *filter;
    take_default_of_sigbus();
    CHECK(bloomfilter_map(&filter, path, NULL) == 0);
    CHECK(truncate(path, 4096) == 0);
    bloomfilter_verify(filter);
}

static void save_map_that_shrank(void *path)
{
    bloomfilter *filter;
    take_default_of_sigbus();
    CHECK(bloomfilter_map(&filter, path, NULL) == 0);
    CHECK(truncate(path, 4096) == 0);
    bloomfilter_save(filter, in("copy.bloom"));
}

/* As the header says, there is no way to answer from what is no longer there. */
static void test_map_that_shrinks(void **state)
{
    static void (*const uses[])(void *) = {ask_map_that_shrank, verify_map_that_shrank,
                                           save_map_that_shrank};
    char path[4200];
    (void)state;
    snprintf(path, sizeof path, "%s", in("file.bloom"));
    for (size_t i = 0; i < sizeof uses / sizeof uses[0]; i++) {
        save_filter(path, "old:");
        assert_killed_by(SIGBUS, uses[i], path);
        assert_int_equal(count_entries(directory), 1);
    }
}

static void test_loaded_file_that_shrinks(void **state)
{
    bloomfilter *filter;
    size_t size;
    (void)state;
    save_filter(in("file.bloom"), "old:");
    uint8_t *bytes = read_path(in("file.bloom"), &size);
    assert_int_equal(bloomfilter_load(&filter, in("file.bloom"), NULL), 0);
    assert_int_equal(truncate(in("file.bloom"), 0), 0);
    assert_contains_numbered(filter, "old:", 0, 1000);
    assert_bytes_are(filter, bytes, size);
    assert_int_equal(bloomfilter_save(filter, in("file.bloom")), 0);
    assert_true(opens(bloomfilter_map, in("file.bloom")));
    bloomfilter_free(filter);
    free(bytes);
}

/* A change that another process makes to the file, in place, before a read of the library. */
static struct change {
    int before; /* the read of this number */
    off_t size; /* of the file after it */
    bool is_overwritten;
} change;
static uint8_t *others; /* what it is overwritten with: a file of the same size */
static size_t file_size;

static void change_file(int number)
{
    if (number != change.before)
        return;
    int file = open(in("file.bloom"), O_WRONLY);
    CHECK(file >= 0);
    if (change.is_overwritten)
        CHECK(pwrite(file, others, file_size, 0) == (ssize_t)file_size);
    CHECK(ftruncate(file, change.size) == 0);
    close(file);
}

/* What a load gives, under the change: a whole filter, or that the file is not one. */
static bool loads_whole(const uint8_t *bytes)
{
    bloomfilter *filter;
    write_path(in("file.bloom"), bytes, file_size);
    reads = 0;
    before_read = change_file;
    int code = bloomfilter_load(&filter, in("file.bloom"), NULL);
    before_read = NULL;
    assert_true(reads > change.before);
    if (code != 0) {
        if (code != BLOOMFILTER_EDAMAGED && (code != BLOOMFILTER_ENOTFILTER || change.size >= 8))
            fail_msg("before read %d, size %lld: %d", change.before, (long long)change.size, code);
        assert_null(filter);
        return false;
    }
    uint8_t *others_or_bytes = bloomfilter_contains(filter, "old:999", 7) ? NULL : others;
    assert_bytes_are(filter, others_or_bytes != NULL ? others_or_bytes : bytes, file_size);
    bloomfilter_free(filter);
    return true;
}

static void check_change(const uint8_t *bytes, off_t size)
{
    static const off_t beginning = 4096; /* what the first read takes */
    off_t whole = (off_t)file_size;
    change = (struct change){.before = 0, .size = size};
    assert_true(loads_whole(bytes) == (size >= whole));
    change = (struct change){.before = 1, .size = size};
    assert_true(loads_whole(bytes) == (size >= whole));
    change = (struct change){.before = 0, .size = size, .is_overwritten = true};
    assert_true(loads_whole(bytes) == (size >= whole)); /* all is of the other file */
    change = (struct change){.before = 1, .size = size, .is_overwritten = true};
    assert_false(loads_whole(bytes)); /* half of the one, half of the other */
    assert_true(size < beginning || whole > beginning);
}

static void test_file_that_changes_while_it_is_loaded(void **state)
{
    (void)state;
    save_filter(in("other.bloom"), "new:");
    save_filter(in("file.bloom"), "old:");
    others = read_path(in("other.bloom"), &file_size);
    uint8_t *bytes = read_path(in("file.bloom"), &file_size);
    const off_t whole = (off_t)file_size;
    const off_t sizes[] = {0,         1,     7,         8,         100,          191,
                           192,       4095,  4096,      4097,      whole / 2,    whole - 64,
                           whole - 1, whole, whole + 1, whole * 2, whole + 65536};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
        check_change(bytes, sizes[i]);
    free(bytes);
    free(others);
}

#define TEST(test) cmocka_unit_test_setup_teardown(test, enter, leave)

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_fork_in_the_self_test),
        TEST(test_fork_in_the_middle_of_add),
        TEST(test_signals_that_interrupt),
        TEST(test_signals_that_restart),
        TEST(test_signals_stay_the_programs_own),
        TEST(test_few_descriptors),
        TEST(test_directories_that_do_not_permit),
        TEST(test_long_names),
        TEST(test_deep_directory),
        TEST(test_other_file_system),
        TEST(test_file_size_limit),
#ifdef __linux__
        TEST(test_full_and_read_only_disks),
#endif
        TEST(test_map_that_shrinks),
        TEST(test_loaded_file_that_shrinks),
        TEST(test_file_that_changes_while_it_is_loaded),
    };
    return RUN(tests);
}
