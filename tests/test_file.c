/* SPDX-License-Identifier: MIT */
/*
 * The file room: memory, saving, reading and mapping. System calls are made to fail by functions of
 * the same names in this program, which the library's objects find before those of the C library.
 */
#include "support.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "allocations.h"
#include "file/file.h"

enum { HUGE_PAGE = 2097152, BEGINNING = 4096, PIECE = 1 << 20 /* that is read at once */ };

/* ---- system calls that fail */

enum call { NO_CALL, READ, WRITE, SYNC, RENAME, CLOSE, CHMOD, CHOWN, UNLINK };

static struct plan {
    enum call fails; /* this call ... */
    int skip;        /* ... after so many that go through ... */
    int times;       /* ... this many times */
    size_t excess;   /* and a write that lies says that it wrote so much more than it was given */
    int number;      /* with this errno; 0: a read or write of nothing, a call that lies */
    size_t most;     /* the most that a read or write transfers; 0: any */
    int kill_after;  /* ends the process before this call; 0: never */
    mode_t loosest;  /* what the mode of the new file was at any moment, or-ed */
    int noisy;       /* bit i: before each call, others use descriptor i ... */
    bool noisy_move; /* and also before a file is moved away from it */
} plan;
static _Thread_local bool is_planned; /* in the thread that saves, not in those that help */
static char trace[256];               /* a letter for each call */
static size_t traced;

static void begin_plan(struct plan new_plan)
{
    plan = new_plan;
    traced = 0;
    memset(trace, 0, sizeof trace);
    is_planned = true;
}

static void end_plan(void)
{
    is_planned = false;
    plan = (struct plan){.fails = NO_CALL};
}

/* What the rest of a program does with standard descriptors that it does not know to be closed. */
static void make_noise(void)
{
    for (int file = 0; file < 3; file++) {
        char stolen[2];
        if ((plan.noisy >> file & 1) == 0)
            continue;
        (void)!syscall(SYS_write, file, "noise", 5);
        (void)!syscall(SYS_read, file, stolen, sizeof stolen);
    }
}

/* Whether this call is to fail. */
static bool is_to_fail(enum call call, char letter)
{
    if (!is_planned)
        return false;
    if (call != CLOSE || plan.noisy_move)
        make_noise();
    if (traced < sizeof trace - 1 && (traced == 0 || trace[traced - 1] != letter))
        trace[traced++] = letter;
    if (plan.kill_after != 0 && --plan.kill_after == 0)
        _exit(0);
    if (plan.fails != call)
        return false;
    if (plan.skip > 0) {
        plan.skip--;
        return false;
    }
    return plan.times-- > 0;
}

static void look_at_mode(int file)
{
    struct stat status;
    if (is_planned && fstat(file, &status) == 0 && S_ISREG(status.st_mode))
        plan.loosest |= status.st_mode & 0777;
}

static size_t shortened(size_t size)
{
    return is_planned && plan.most != 0 && size > plan.most ? plan.most : size;
}

static int failure(void)
{
    errno = plan.number;
    return -1;
}

ssize_t read(int file, void *bytes, size_t size)
{
    if (is_to_fail(READ, 'r'))
        return plan.number != 0 ? failure() : 0;
    struct iovec piece = {.iov_base = bytes, .iov_len = shortened(size)};
    return readv(file, &piece, 1);
}

/* What read is called where _FORTIFY_SOURCE is on. */
ssize_t __read_chk(int file, void *bytes, size_t size, size_t room);
ssize_t __read_chk(int file, void *bytes, size_t size, size_t room)
{
    assert_true(size <= room);
    return read(file, bytes, size);
}

ssize_t write(int file, const void *bytes, size_t size)
{
    look_at_mode(file);
    if (is_to_fail(WRITE, 'w'))
        return plan.number != 0 ? failure() : plan.most != 0 ? (ssize_t)(size + plan.excess) : 0;
    union {
        const void *constant;
        void *variable;
    } start = {.constant = bytes};
    struct iovec piece = {.iov_base = start.variable, .iov_len = shortened(size)};
    return writev(file, &piece, 1);
}

int fsync(int file)
{
    struct stat status;
    bool is_directory = fstat(file, &status) == 0 && S_ISDIR(status.st_mode);
    look_at_mode(file);
    if (is_to_fail(SYNC, is_directory ? 'D' : 's'))
        return failure();
    return fdatasync(file);
}

int close(int file)
{
    /* Whatever close reports, the descriptor is gone. */
    bool fails = is_to_fail(CLOSE, 'c');
    long result = syscall(SYS_close, file);
    return fails ? failure() : (int)result;
}

int fchmod(int file, mode_t mode)
{
    if (is_to_fail(CHMOD, 'm'))
        return failure();
    return (int)syscall(SYS_fchmod, file, mode);
}

int fchown(int file, uid_t user, gid_t group)
{
    if (is_to_fail(CHOWN, 'o'))
        return failure();
    return fchownat(file, "", user, group, AT_EMPTY_PATH);
}

int renameat(int from_directory, const char *from, int to_directory, const char *to)
{
    if (is_to_fail(RENAME, 'n'))
        return failure();
    return (int)syscall(SYS_renameat2, from_directory, from, to_directory, to, 0);
}

int unlinkat(int directory, const char *name, int flags)
{
    if (is_to_fail(UNLINK, 'u'))
        return failure();
    return (int)syscall(SYS_unlinkat, directory, name, flags);
}

/* ---- helpers */

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
    end_plan();
    allocations_until_failure = -1;
    umask(022);
    remove_tree(directory);
    return 0;
}

static const char *in(const char *name)
{
    return path_in(directory, name);
}

static int open_descriptors(void)
{
    int count = 0;
    for (int file = 0; file < 1024; file++)
        count += fcntl(file, F_GETFD) != -1;
    return count;
}

static int compare_names(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* The names in the directory, sorted, each followed by a slash. */
static const char *listing(void)
{
    static char text[2][8192];
    static int next;
    char *names[64];
    size_t count = 0;
    char *to = text[next ^= 1];
    DIR *stream = opendir(directory);
    assert_non_null(stream);
    for (struct dirent *entry; (entry = readdir(stream)) != NULL;)
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
            names[count++] = strdup(entry->d_name);
    closedir(stream);
    qsort(names, count, sizeof *names, compare_names);
    *to = '\0';
    for (size_t i = 0; i < count; i++) {
        strcat(strcat(to, names[i]), "/");
        free(names[i]);
    }
    return to;
}

static mode_t mode_of(const char *path)
{
    struct stat status;
    assert_int_equal(lstat(path, &status), 0);
    return status.st_mode & 07777;
}

static void assert_content(const char *path, const void *expected, size_t size)
{
    size_t found;
    uint8_t *bytes = read_path(path, &found);
    assert_int_equal(found, size);
    assert_memory_equal(bytes, expected, size);
    free(bytes);
}

/* Bytes that no other offset or seed has nearby. */
static uint8_t *make_bytes(size_t size, uint32_t seed)
{
    uint8_t *bytes = malloc(size + 1);
    assert_non_null(bytes);
    for (size_t i = 0; i < size; i++)
        bytes[i] = (uint8_t)((i * 2654435761u + seed * 97u) >> 13);
    return bytes;
}

static int save(const char *path, const void *bytes, size_t size)
{
    struct file_piece piece = {.bytes = bytes, .size = size};
    return bloomfilter_file_save(path, &piece, 1);
}

static int save_text(const char *path, const char *text)
{
    return save(path, text, strlen(text));
}

/* Saves; asserts that it works, leaks nothing, leaves errno alone and no other file behind. */
static void assert_saves(const char *path, const char *text)
{
    int before = open_descriptors();
    errno = 12345;
    assert_int_equal(save_text(path, text), 0);
    assert_int_equal(errno, 12345);
    assert_int_equal(open_descriptors(), before);
    assert_null(strstr(listing(), ".tmp"));
    assert_content(path, text, strlen(text));
}

/* Asserts that a save fails with this errno, and changes and leaks nothing. */
static void assert_save_fails(const char *path, int number)
{
    const char *names = listing();
    int before = open_descriptors();
    errno = 0;
    int code = save_text(path, "must not be seen");
    int found = errno;
    if (code != BLOOMFILTER_EIO || found != number)
        fail_msg("save to %s: %d, %s; not %s", path, code, strerror(found), strerror(number));
    assert_int_equal(open_descriptors(), before);
    assert_string_equal(listing(), names);
}

/* As another user, where this is the superuser, whom permissions do not stop. */
static uid_t drop_privileges(void)
{
    uid_t user = geteuid();
    if (user == 0)
        assert_int_equal(seteuid(65534), 0);
    return user;
}

static void restore_privileges(uid_t user)
{
    if (user == 0)
        assert_int_equal(seteuid(0), 0);
}

/* ---- memory */

static void check_allocation(uint64_t size)
{
    struct memory memory;
    uint64_t taken;
    errno = 12345;
    assert_int_equal(bloomfilter_memory_size(size, &taken), 0);
    assert_int_equal(bloomfilter_memory_allocate(&memory, size), 0);
    assert_non_null(memory.start);
    assert_int_equal((uintptr_t)memory.start % 64, 0);
    assert_int_equal(memory.length, size);
    assert_int_equal(memory.size, taken);
    assert_true(memory.size >= size);
    if (size >= 2 * HUGE_PAGE) {
        assert_int_equal((uintptr_t)memory.start % HUGE_PAGE, 0);
        assert_int_equal(memory.size % HUGE_PAGE, 0);
    }
    for (uint64_t i = 0; i < memory.size; i++)
        if (memory.start[i] != 0)
            fail_msg("byte %llu of %llu is not zero", (unsigned long long)i,
                     (unsigned long long)size);
    memset(memory.start, 0xFF, (size_t)memory.size); /* all of it is there, and is not zero next */
    bloomfilter_memory_release(&memory);
    assert_null(memory.start);
    assert_int_equal(memory.size, 0);
    assert_int_equal(memory.length, 0);
    assert_int_equal(memory.kind, MEMORY_NONE);
    bloomfilter_memory_release(&memory); /* none: nothing to do */
    assert_int_equal(errno, 12345);
}

static void test_allocate(void **state)
{
    static const uint64_t sizes[] = {
        1,
        7,
        8,
        63,
        64,
        65,
        4095,
        4096,
        4097,
        65536,
        HUGE_PAGE,
        2 * HUGE_PAGE - 1,
        2 * HUGE_PAGE,
        2 * HUGE_PAGE + 1,
        3 * HUGE_PAGE - 1,
        3 * HUGE_PAGE,
        5 * HUGE_PAGE + 12345,
    };
    (void)state;
    for (int round = 0; round < 3; round++) /* the later ones get memory that was in use */
        for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
            check_allocation(sizes[i]);
}

static void test_allocate_too_much(void **state)
{
    /* Rounding up to huge pages, and a huge page more to align them, must fit an address. */
    const uint64_t largest = PTRDIFF_MAX - 2 * (uint64_t)HUGE_PAGE;
    const uint64_t sizes[] = {largest + 1,
                              PTRDIFF_MAX - 1,
                              PTRDIFF_MAX,
                              (uint64_t)PTRDIFF_MAX + 1,
                              SIZE_MAX - HUGE_PAGE,
                              SIZE_MAX,
                              UINT64_MAX - HUGE_PAGE,
                              UINT64_MAX};
    struct memory memory;
    uint64_t taken;
    (void)state;
    largest_allocation = 0;
    errno = 12345;
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        memset(&memory, 0xFF, sizeof memory);
        assert_int_equal(bloomfilter_memory_size(sizes[i], &taken), BLOOMFILTER_ETOOLARGE);
        assert_int_equal(bloomfilter_memory_allocate(&memory, sizes[i]), BLOOMFILTER_ETOOLARGE);
        assert_int_equal(memory.kind, MEMORY_NONE);
        assert_null(memory.start);
    }
    assert_int_equal(largest_allocation, 0);
    assert_int_equal(bloomfilter_memory_size(largest, &taken), 0);
    int code = bloomfilter_memory_allocate(&memory, largest);
    if (SIZE_MAX > UINT32_MAX || code != 0) { /* 2 GiB may be there */
        assert_int_equal(code, BLOOMFILTER_ENOMEM);
        assert_int_equal(memory.kind, MEMORY_NONE);
    }
    bloomfilter_memory_release(&memory);
    assert_int_equal(errno, 12345);
}

static void test_allocate_without_memory(void **state)
{
    static const uint64_t sizes[] = {1, 4096, 2 * HUGE_PAGE, 10 * HUGE_PAGE};
    struct memory memory;
    (void)state;
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        errno = 12345;
        allocations_until_failure = 0;
        int code = bloomfilter_memory_allocate(&memory, sizes[i]);
        allocations_until_failure = -1;
        assert_int_equal(code, BLOOMFILTER_ENOMEM);
        assert_int_equal(memory.kind, MEMORY_NONE);
        assert_null(memory.start);
        assert_int_equal(errno, 12345);
    }
}

/* The size of the address space of this process, in pages. */
static unsigned long address_space(void)
{
    unsigned long pages;
    FILE *file = fopen("/proc/self/statm", "r");
    assert_non_null(file);
    assert_int_equal(fscanf(file, "%lu", &pages), 1);
    fclose(file);
    return pages;
}

/* What was mapped to align large memory is given back, and so is the memory itself. */
static void test_release_gives_all_back(void **state)
{
    enum { ROUNDS = 300 };
    unsigned long before = address_space();
    (void)state;
    for (int i = 0; i < ROUNDS; i++) {
        struct memory memory;
        assert_int_equal(bloomfilter_memory_allocate(&memory, 3 * HUGE_PAGE - 4096), 0);
        bloomfilter_memory_release(&memory);
    }
    unsigned long allowed = ROUNDS / 10 * (HUGE_PAGE / (unsigned long)sysconf(_SC_PAGESIZE));
    assert_true(address_space() <= before + allowed);
}

/* ---- save: content and modes */

static void test_save_new(void **state)
{
    (void)state;
    assert_saves(in("new"), "content");
    assert_string_equal(listing(), "new/");
    assert_saves(in("new"), "other, and longer content");
    assert_saves(in("new"), "");
    assert_string_equal(listing(), "new/");
}

static void test_save_pieces(void **state)
{
    uint8_t *large = make_bytes(3000001, 1);
    struct file_piece pieces[] = {
        {"head", 4}, {NULL, 0}, {large, 3000001}, {"", 0}, {"tail", 4},
    };
    uint8_t *expected = malloc(3000009);
    (void)state;
    memcpy(expected, "head", 4);
    memcpy(expected + 4, large, 3000001);
    memcpy(expected + 3000005, "tail", 4);
    assert_int_equal(bloomfilter_file_save(in("pieces"), pieces, 5), 0);
    assert_content(in("pieces"), expected, 3000009);
    assert_int_equal(bloomfilter_file_save(in("pieces"), pieces, 0), 0);
    assert_content(in("pieces"), "", 0);
    free(large);
    free(expected);
}

static void test_mode_of_a_new_file(void **state)
{
    static const mode_t masks[] = {0, 002, 022, 027, 077, 0177, 0111, 0333, 0666, 0777};
    (void)state;
    for (size_t i = 0; i < sizeof masks / sizeof masks[0]; i++) {
        umask(masks[i]);
        int code = save_text(in("new"), "content");
        umask(022);
        assert_int_equal(code, 0);
        assert_int_equal(mode_of(in("new")), 0666 & ~masks[i]);
        assert_int_equal(unlink(in("new")), 0);
    }
}

static void test_mode_of_a_replaced_file(void **state)
{
    static const mode_t modes[] = {0600, 0640, 0644, 0664, 0666, 0444, 0400, 0755, 0777, 0};
    static const mode_t masks[] = {0, 022, 077, 0777};
    (void)state;
    for (size_t i = 0; i < sizeof modes / sizeof modes[0]; i++)
        for (size_t j = 0; j < sizeof masks / sizeof masks[0]; j++) {
            write_path(in("old"), "old", 3);
            assert_int_equal(chmod(in("old"), modes[i]), 0);
            umask(masks[j]);
            int code = save_text(in("old"), "new content");
            umask(022);
            assert_int_equal(code, 0);
            assert_int_equal(mode_of(in("old")), modes[i]);
            assert_int_equal(chmod(in("old"), 0600), 0);
            assert_content(in("old"), "new content", 11);
            assert_int_equal(unlink(in("old")), 0);
        }
}

/* Nobody may read the new content who could not read the old, not even for the time of writing. */
static void test_mode_while_writing(void **state)
{
    static const mode_t modes[] = {0600, 0640, 0400, 0};
    (void)state;
    umask(0);
    for (size_t i = 0; i < sizeof modes / sizeof modes[0]; i++) {
        write_path(in("old"), "old", 3);
        assert_int_equal(chmod(in("old"), modes[i]), 0);
        begin_plan((struct plan){.fails = NO_CALL});
        int code = save_text(in("old"), "new content");
        mode_t loosest = plan.loosest;
        end_plan();
        assert_int_equal(code, 0);
        if ((loosest & 0077 & ~modes[i]) != 0)
            fail_msg("a file of mode %03o had mode %03o while it was written", (unsigned)modes[i],
                     (unsigned)loosest);
        assert_int_equal(unlink(in("old")), 0);
    }
}

static void test_owner_of_a_replaced_file(void **state)
{
    struct stat status;
    (void)state;
    write_path(in("old"), "old", 3);
    assert_int_equal(chmod(in("old"), 0640), 0);
    if (geteuid() == 0)
        assert_int_equal(chown(in("old"), 65534, 65534), 0);
    assert_int_equal(stat(in("old"), &status), 0);
    uid_t owner = status.st_uid;
    gid_t group = status.st_gid;
    assert_saves(in("old"), "new content");
    assert_int_equal(stat(in("old"), &status), 0);
    assert_int_equal(status.st_uid, owner);
    assert_int_equal(status.st_gid, group);
    assert_int_equal(mode_of(in("old")), 0640);
}

/* Maps a file; what was read of it is how it begins. */
static int map_file(struct memory *memory, const char *path)
{
    uint8_t beginning[FILE_BEGINNING];
    size_t size = SIZE_MAX;
    int code = bloomfilter_file_map(memory, path, beginning, &size);
    if (code == 0 && memory->length != 0) {
        assert_int_equal(size,
                         memory->length < sizeof beginning ? memory->length : sizeof beginning);
        assert_memory_equal(beginning, memory->start, size);
    } else {
        assert_int_equal(size, 0);
    }
    return code;
}

/* Who has the old file open or mapped, or another name for it, keeps the old content. */
static void test_old_file_stays_whole(void **state)
{
    char found[4] = {0};
    struct memory memory;
    (void)state;
    write_path(in("old"), "old", 3);
    int file = open(in("old"), O_RDONLY);
    assert_true(file >= 0);
    assert_int_equal(map_file(&memory, in("old")), 0);
    assert_int_equal(link(in("old"), in("other-name")), 0);
    assert_saves(in("old"), "new content");
    assert_int_equal(pread(file, found, 4, 0), 3);
    assert_string_equal(found, "old");
    assert_int_equal(memory.length, 3);
    assert_memory_equal(memory.start, "old", 3);
    assert_content(in("other-name"), "old", 3);
    assert_string_equal(listing(), "old/other-name/");
    bloomfilter_memory_release(&memory);
    close(file);
}

/* ---- save: paths */

static void test_save_through_links(void **state)
{
    struct stat status;
    (void)state;
    assert_int_equal(mkdir(in("below"), 0700), 0);
    write_path(in("below/target"), "old", 3);
    assert_int_equal(chmod(in("below/target"), 0604), 0);
    assert_int_equal(symlink("below/target", in("relative")), 0);
    assert_int_equal(symlink(in("below/target"), in("absolute")), 0);
    assert_int_equal(symlink("absolute", in("chain-2")), 0);
    assert_int_equal(symlink("../chain-2", in("below/chain-1")), 0);
    assert_int_equal(symlink("below", in("directory")), 0);
    static const char *const names[] = {"relative",      "absolute",         "chain-2",
                                        "below/chain-1", "directory/target", "directory/chain-1"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        char link_path[4200];
        snprintf(link_path, sizeof link_path, "%s", in(names[i]));
        assert_saves(link_path, names[i]);
        assert_content(in("below/target"), names[i], strlen(names[i]));
        assert_int_equal(mode_of(in("below/target")), 0604);
    }
    for (size_t i = 0; i < 4; i++) {
        assert_int_equal(lstat(in(names[i]), &status), 0);
        assert_true(S_ISLNK(status.st_mode));
    }
    assert_string_equal(listing(), "absolute/below/chain-2/directory/relative/");
    assert_saves(in("directory/new"), "new");
    assert_content(in("below/new"), "new", 3);
}

static void test_links_that_lead_nowhere(void **state)
{
    (void)state;
    assert_int_equal(symlink("nothing", in("dangling")), 0);
    assert_int_equal(symlink("no-directory/name", in("far")), 0);
    assert_int_equal(symlink("loop-2", in("loop-1")), 0);
    assert_int_equal(symlink("loop-1", in("loop-2")), 0);
    assert_save_fails(in("dangling"), ENOENT);
    assert_save_fails(in("far"), ENOENT);
    assert_save_fails(in("loop-1"), ELOOP);
    assert_save_fails(in("loop-1/name"), ELOOP);
}

static void test_save_over_what_is_no_file(void **state)
{
    struct stat status;
    (void)state;
    assert_int_equal(mkdir(in("directory"), 0700), 0);
    assert_int_equal(mkfifo(in("pipe"), 0600), 0);
    assert_int_equal(symlink("directory", in("to-directory")), 0);
    assert_int_equal(symlink("pipe", in("to-pipe")), 0);
    assert_int_equal(symlink("/dev/null", in("to-device")), 0);
    assert_save_fails(in("directory"), EISDIR);
    assert_save_fails(in("directory/"), EISDIR);
    assert_save_fails(in("directory//"), EISDIR);
    assert_save_fails(in("directory/."), EISDIR);
    assert_save_fails(in("directory/.."), EISDIR);
    assert_save_fails(in("to-directory"), EISDIR);
    assert_save_fails(in("to-directory/"), EISDIR);
    assert_save_fails(".", EISDIR);
    assert_save_fails("..", EISDIR);
    assert_save_fails("/", EISDIR);
    assert_save_fails("//", EISDIR);
    assert_save_fails(in("pipe"), EEXIST);
    assert_save_fails(in("to-pipe"), EEXIST);
    assert_save_fails(in("to-device"), EEXIST);
    assert_save_fails("/dev/null", EEXIST);
    if (access("/dev/full", F_OK) == 0)
        assert_save_fails("/dev/full", EEXIST);
    assert_int_equal(lstat("/dev/null", &status), 0);
    assert_true(S_ISCHR(status.st_mode));
    assert_int_equal(lstat(in("pipe"), &status), 0);
    assert_true(S_ISFIFO(status.st_mode));
}

static void test_paths_that_cannot_be(void **state)
{
    char long_path[2 * PATH_MAX];
    char long_name[NAME_MAX + 2];
    (void)state;
    write_path(in("file"), "old", 3);
    memset(long_name, 'n', NAME_MAX + 1);
    long_name[NAME_MAX + 1] = '\0';
    memset(long_path, '/', sizeof long_path);
    memcpy(long_path + sizeof long_path - 5, "name", 5);
    assert_save_fails("", ENOENT);
    assert_save_fails(in("missing/name"), ENOENT);
    assert_save_fails(in("missing/"), ENOENT);
    assert_save_fails(in("file/"), ENOTDIR);
    assert_save_fails(in("file/name"), ENOTDIR);
    assert_save_fails(in(long_name), ENAMETOOLONG);
    assert_save_fails(long_path, ENAMETOOLONG);
    assert_content(in("file"), "old", 3);
}

static void test_longest_name(void **state)
{
    char name[NAME_MAX + 1];
    (void)state;
    memset(name, 'n', NAME_MAX);
    name[NAME_MAX] = '\0';
    assert_saves(in(name), "content");
    assert_saves(in(name), "other content");
    assert_int_equal(strlen(listing()), NAME_MAX + 1);
}

static void test_relative_paths(void **state)
{
    char before[PATH_MAX];
    (void)state;
    assert_non_null(getcwd(before, sizeof before));
    assert_int_equal(mkdir(in("below"), 0700), 0);
    assert_int_equal(chdir(directory), 0);
    assert_saves("name", "no slash");
    assert_saves("./name", "a dot");
    assert_saves("below/name", "below");
    assert_saves("below/../name", "up");
    assert_saves("below//name", "two slashes");
    assert_saves(".hidden", "hidden");
    assert_saves("-", "a dash");
    assert_saves("a\nb \\ \xff", "any bytes");
    assert_int_equal(symlink("name", "link"), 0);
    assert_saves("link", "link");
    assert_int_equal(chdir(before), 0);
    assert_content(in("name"), "link", 4);
    assert_content(in("below/name"), "two slashes", 11);
}

static void test_directory_that_cannot_be_written(void **state)
{
    (void)state;
    assert_int_equal(mkdir(in("locked"), 0755), 0);
    write_path(in("locked/old"), "old", 3);
    assert_int_equal(chmod(in("locked/old"), 0666), 0);
    assert_int_equal(chmod(in("locked"), 0555), 0);
    assert_int_equal(chmod(directory, 0755), 0);
    uid_t user = drop_privileges();
    assert_save_fails(in("locked/new"), EACCES);
    assert_save_fails(in("locked/old"), EACCES);
    restore_privileges(user);
    assert_content(in("locked/old"), "old", 3);
    assert_int_equal(chmod(in("locked"), 0755), 0);
}

/* ---- save: failures on the way */

/* A plan under which a save fails, and the old file stays as it was. */
static void assert_plan_fails(struct plan new_plan, int number)
{
    int before = open_descriptors();
    errno = 0;
    begin_plan(new_plan);
    int code = save_text(in("file"), "new content");
    int found = errno;
    end_plan();
    if (code != BLOOMFILTER_EIO || found != number)
        fail_msg("call %d after %d: %d, %s", new_plan.fails, new_plan.skip, code, strerror(found));
    assert_int_equal(open_descriptors(), before);
    assert_string_equal(listing(), "file/");
    assert_content(in("file"), "old", 3);
}

/* A plan under which a save goes well all the same. */
static void assert_plan_succeeds(struct plan new_plan)
{
    int before = open_descriptors();
    write_path(in("file"), "old", 3);
    errno = 12345;
    begin_plan(new_plan);
    int code = save_text(in("file"), "new content");
    end_plan();
    assert_int_equal(code, 0);
    assert_int_equal(errno, 12345);
    assert_int_equal(open_descriptors(), before);
    assert_string_equal(listing(), "file/");
    assert_content(in("file"), "new content", 11);
}

static void test_calls_that_fail(void **state)
{
    (void)state;
    write_path(in("file"), "old", 3);
    assert_plan_fails((struct plan){.fails = WRITE, .times = 1, .number = ENOSPC}, ENOSPC);
    assert_plan_fails((struct plan){.fails = WRITE, .times = 1, .number = EIO}, EIO);
    assert_plan_fails((struct plan){.fails = WRITE, .times = 1, .number = 0}, ENOSPC);
    for (int skip = 0; skip < 11; skip++) /* a disk that fills at any byte */
        assert_plan_fails(
            (struct plan){.fails = WRITE, .skip = skip, .times = 1, .number = EDQUOT, .most = 1},
            EDQUOT);
    assert_plan_fails((struct plan){.fails = SYNC, .times = 1, .number = EIO}, EIO);
    assert_plan_fails((struct plan){.fails = SYNC, .times = 1, .number = EINVAL}, EINVAL);
    assert_plan_fails((struct plan){.fails = CLOSE, .times = 1, .number = EIO}, EIO);
    assert_plan_fails((struct plan){.fails = CHMOD, .times = 1, .number = EROFS}, EROFS);
    assert_plan_fails((struct plan){.fails = RENAME, .times = 1, .number = EACCES}, EACCES);
}

/* A file system that says that it wrote, and did not: the size tells. */
static void test_writes_that_lie(void **state)
{
    (void)state;
    write_path(in("file"), "old", 3);
    assert_plan_fails((struct plan){.fails = WRITE, .times = 1, .number = 0, .most = 5}, EIO);
    assert_plan_fails((struct plan){.fails = WRITE, .skip = 1, .times = 1, .number = 0, .most = 5},
                      EIO);
    for (size_t excess = 1; excess <= 100000; excess *= 10)
        assert_plan_fails((struct plan){.fails = WRITE, .times = 1, .most = 5, .excess = excess},
                          EIO);
}

static void test_calls_that_are_tried_again(void **state)
{
    (void)state;
    for (size_t most = 0; most <= 11; most++) {
        assert_plan_succeeds((struct plan){.most = most});
        assert_plan_succeeds(
            (struct plan){.fails = WRITE, .times = 20, .number = EINTR, .most = most});
    }
    assert_plan_succeeds((struct plan){.fails = SYNC, .times = 3, .number = EINTR});
    assert_plan_succeeds((struct plan){.fails = SYNC, .skip = 1, .times = 3, .number = EINTR});
    assert_plan_succeeds((struct plan){.fails = CLOSE, .times = 1, .number = EINTR});
    /* Some file systems cannot flush a directory. */
    static const int cannot[] = {EINVAL, EOPNOTSUPP, ENOSYS, EBADF};
    for (size_t i = 0; i < sizeof cannot / sizeof cannot[0]; i++)
        assert_plan_succeeds(
            (struct plan){.fails = SYNC, .skip = 1, .times = 1, .number = cannot[i]});
    assert_plan_succeeds((struct plan){.fails = CLOSE, .skip = 1, .times = 1, .number = EIO});
}

/* The error that counts is the first, even if the clean-up fails too. */
static void test_errno_survives_the_clean_up(void **state)
{
    (void)state;
    write_path(in("file"), "old", 3);
    begin_plan((struct plan){.fails = UNLINK, .times = 1, .number = EBUSY, .most = 1});
    struct rlimit limit;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &limit), 0);
    struct rlimit small = {.rlim_cur = 4, .rlim_max = limit.rlim_max};
    void (*handler)(int) = signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
    errno = 0;
    int code = save_text(in("file"), "new content");
    int found = errno;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
    signal(SIGXFSZ, handler);
    end_plan();
    assert_int_equal(code, BLOOMFILTER_EIO);
    assert_int_equal(found, EFBIG);
}

/* A limit that is real: the file grows to it and no further. */
static void test_file_size_limit(void **state)
{
    uint8_t *bytes = make_bytes(100000, 2);
    struct rlimit limit;
    (void)state;
    write_path(in("file"), "old", 3);
    int before = open_descriptors();
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &limit), 0);
    struct rlimit small = {.rlim_cur = 99999, .rlim_max = limit.rlim_max};
    void (*handler)(int) = signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
    errno = 0;
    int code = save(in("file"), bytes, 100000);
    int found = errno;
    int code_of_fit = save(in("fits"), bytes, 99999);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
    signal(SIGXFSZ, handler);
    assert_int_equal(code, BLOOMFILTER_EIO);
    assert_int_equal(found, EFBIG);
    assert_int_equal(code_of_fit, 0);
    assert_int_equal(open_descriptors(), before);
    assert_string_equal(listing(), "file/fits/");
    assert_content(in("file"), "old", 3);
    assert_content(in("fits"), bytes, 99999);
    free(bytes);
}

/* An owner that cannot be kept is no reason to fail, another error is. */
static void test_owner_that_cannot_be_kept(void **state)
{
    (void)state;
    if (geteuid() != 0) /* only the superuser can make a file that belongs to another */
        return;
    write_path(in("file"), "old", 3);
    assert_int_equal(chown(in("file"), 65534, 65534), 0);
    assert_plan_fails((struct plan){.fails = CHOWN, .times = 1, .number = EIO}, EIO);
    begin_plan((struct plan){.fails = CHOWN, .times = 10, .number = EPERM});
    int code = save_text(in("file"), "new content");
    end_plan();
    assert_int_equal(code, 0);
    assert_content(in("file"), "new content", 11);
}

/* The new file is in place, and whoever saved is told that it may not last. */
static void test_directory_that_cannot_be_flushed(void **state)
{
    (void)state;
    write_path(in("file"), "old", 3);
    int before = open_descriptors();
    begin_plan((struct plan){.fails = SYNC, .skip = 1, .times = 1, .number = EIO});
    int code = save_text(in("file"), "new content");
    int found = errno;
    end_plan();
    assert_int_equal(code, BLOOMFILTER_EIO);
    assert_int_equal(found, EIO);
    assert_int_equal(open_descriptors(), before);
    assert_string_equal(listing(), "file/");
    assert_content(in("file"), "new content", 11);
}

/* Write, flush, close, rename, flush the directory: in no other order is a save durable. */
static void test_order_of_calls(void **state)
{
    (void)state;
    for (int exists = 0; exists < 2; exists++) {
        const char *letter;
        begin_plan((struct plan){.most = 3});
        int code = save_text(in("file"), "new content");
        is_planned = false;
        assert_int_equal(code, 0);
        const char *at = trace;
        for (letter = "wscnD"; *letter != '\0'; letter++) {
            at = strchr(at, *letter);
            if (at == NULL)
                fail_msg("%s: no %c in its place", trace, *letter);
        }
        assert_null(strchr(strchr(trace, 's'), 'w')); /* all is written before the flush */
        assert_null(strchr(strchr(trace, 's'), 'm')); /* and the mode set */
        assert_true(strchr(trace, 'n') < strchr(trace, 'D'));
        assert_null(strchr(trace, 'u'));
        end_plan();
    }
}

/* A process that is killed between any two calls leaves the old file whole, or the new one. */
static void test_killed_anywhere(void **state)
{
    int kills = 0;
    bool was_old = false;
    bool was_new = false;
    (void)state;
    for (int finished = 0; !finished; kills++) {
        size_t size;
        int status;
        assert_true(kills < 100);
        write_path(in("file"), "old", 3);
        fflush(stdout);
        pid_t child = fork();
        assert_true(child >= 0);
        if (child == 0) {
            begin_plan((struct plan){.most = 2, .kill_after = kills + 1});
            _exit(save_text(in("file"), "new content") == 0 ? 42 : 43);
        }
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_true(WIFEXITED(status) && WEXITSTATUS(status) != 43);
        finished = WEXITSTATUS(status) == 42;
        uint8_t *bytes = read_path(in("file"), &size);
        bool is_old = size == 3 && memcmp(bytes, "old", 3) == 0;
        bool is_new = size == 11 && memcmp(bytes, "new content", 11) == 0;
        free(bytes);
        assert_true(is_old || is_new);
        assert_false(is_old && was_new); /* once in place, it stays */
        was_old |= is_old;
        was_new |= is_new;
    }
    assert_true(was_old && was_new);
    assert_true(kills > 8);
}

/* ---- many savers at once */

enum { SAVERS = 3, SAVES = 40, SHARED_SIZE = 20000 };
static char shared_path[4200];

static void *save_often(void *seed)
{
    uint8_t *bytes = malloc(SHARED_SIZE);
    intptr_t failures = 0;
    memset(bytes, *(const char *)seed, SHARED_SIZE);
    for (int i = 0; i < SAVES; i++)
        failures += save(shared_path, bytes, SHARED_SIZE) != 0;
    free(bytes);
    return (void *)failures;
}

static void test_savers_at_once(void **state)
{
    static char seeds[SAVERS] = {'a', 'b', 'c'};
    pthread_t threads[SAVERS];
    (void)state;
    snprintf(shared_path, sizeof shared_path, "%s", in("shared"));
    save_often(&seeds[0]);
    for (int i = 0; i < SAVERS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, save_often, &seeds[i]), 0);
    for (int i = 0; i < 100; i++) {
        size_t size;
        uint8_t *bytes = read_path(shared_path, &size);
        assert_int_equal(size, SHARED_SIZE);
        for (size_t at = 1; at < size; at++)
            assert_int_equal(bytes[at], bytes[0]);
        free(bytes);
    }
    for (int i = 0; i < SAVERS; i++) {
        void *failures;
        assert_int_equal(pthread_join(threads[i], &failures), 0);
        assert_null(failures);
    }
    assert_string_equal(listing(), "shared/");
}

/* ---- read */

static struct {
    int answer;
    int calls;
    size_t size;
    uint64_t total;
    uint8_t beginning[BEGINNING];
    uint64_t claimed; /* what the check says of a pipe's size; 0: nothing */
    int looks;
    uint64_t shown; /* bytes, at the last look */
    uint8_t last;   /* of them */
} seen;

static int check(void *context, const uint8_t *beginning, size_t size, uint64_t *total)
{
    assert_null(context);
    seen.calls++;
    seen.size = size;
    seen.total = *total;
    if (seen.claimed != 0)
        *total = seen.claimed;
    assert_true(size <= BEGINNING);
    memcpy(seen.beginning, beginning, size);
    return seen.answer;
}

/* Bytes once shown are shown again, at the same or another place, with others behind them. */
static void look(void *context, const uint8_t *bytes, uint64_t size)
{
    assert_null(context);
    assert_true(seen.shown < size);
    assert_true(seen.size < size);
    assert_memory_equal(bytes, seen.beginning, seen.size);
    seen.looks++;
    seen.shown = size;
    seen.last = bytes[size - 1];
}

static const struct file_reader reader = {.check = check, .look = look};

static int read_file(struct memory *memory, const char *path, uint64_t max_bytes, int answer)
{
    memset(memory, 0xFF, sizeof *memory); /* whatever was in it */
    seen.answer = answer;
    seen.calls = 0;
    seen.looks = 0;
    seen.shown = 0;
    return bloomfilter_file_read(memory, path, &reader, max_bytes);
}

static void assert_none(const struct memory *memory)
{
    assert_null(memory->start);
    assert_int_equal(memory->size, 0);
    assert_int_equal(memory->length, 0);
    assert_int_equal(memory->kind, MEMORY_NONE);
}

static void assert_read_fails(const char *path, uint64_t max_bytes, int answer, int code)
{
    struct memory memory;
    int before = open_descriptors();
    errno = 0;
    assert_int_equal(read_file(&memory, path, max_bytes, answer), code);
    int found = errno;
    assert_none(&memory);
    assert_int_equal(open_descriptors(), before);
    errno = found;
}

static void assert_reads(const char *path, uint64_t max_bytes, const uint8_t *expected, size_t size)
{
    struct memory memory;
    int before = open_descriptors();
    errno = 12345;
    assert_int_equal(read_file(&memory, path, max_bytes, 0), 0);
    assert_int_equal(errno, 12345);
    assert_int_equal(open_descriptors(), before);
    assert_int_equal(memory.length, size);
    assert_int_equal(seen.calls, 1);
    assert_int_equal(seen.size, size < BEGINNING ? size : BEGINNING);
    assert_memory_equal(seen.beginning, expected, seen.size);
    assert_int_equal(seen.shown, size > BEGINNING ? size : 0);
    if (size > BEGINNING)
        assert_int_equal(seen.last, expected[size - 1]);
    if (size == 0) {
        assert_none(&memory);
    } else {
        assert_memory_equal(memory.start, expected, size);
        assert_int_equal((uintptr_t)memory.start % 64, 0);
    }
    bloomfilter_memory_release(&memory);
}

static const size_t file_sizes[] = {
    0,
    1,
    8,
    191,
    192,
    4095,
    4096,
    4097,
    65535,
    65536,
    65537,
    131072,
    131073,
    1 << 20,
    2 * HUGE_PAGE - 1,
    2 * HUGE_PAGE,
    2 * HUGE_PAGE + 1,
};
enum { FILE_SIZES = sizeof file_sizes / sizeof file_sizes[0] };

static void test_read(void **state)
{
    (void)state;
    for (size_t i = 0; i < FILE_SIZES; i++) {
        size_t size = file_sizes[i];
        uint8_t *bytes = make_bytes(size, 3);
        write_path(in("file"), bytes, size);
        assert_reads(in("file"), 0, bytes, size);
        assert_int_equal(seen.total, size);
        if (size > BEGINNING)
            assert_int_equal(seen.looks, (size - BEGINNING + PIECE - 1) / PIECE);
        assert_reads(in("file"), UINT64_MAX, bytes, size);
        if (size > 0)
            assert_reads(in("file"), size, bytes, size);
        if (size > 1)
            assert_read_fails(in("file"), size - 1, 0, BLOOMFILTER_ETOOLARGE);
        assert_reads(in("file"), size + 1, bytes, size);
        free(bytes);
    }
    assert_int_equal(symlink("file", in("link")), 0);
    assert_int_equal(chmod(in("file"), 0400), 0);
    uint8_t *bytes = make_bytes(file_sizes[FILE_SIZES - 1], 3);
    assert_reads(in("link"), 0, bytes, file_sizes[FILE_SIZES - 1]);
    free(bytes);
}

/* What a check refuses, or max_bytes forbids, is not allocated. */
static void test_refused_files(void **state)
{
    static const int answers[] = {BLOOMFILTER_ENOTFILTER, BLOOMFILTER_EDAMAGED, BLOOMFILTER_ENEWER};
    (void)state;
    for (size_t i = 0; i < FILE_SIZES; i++) {
        uint8_t *bytes = make_bytes(file_sizes[i], 4);
        write_path(in("file"), bytes, file_sizes[i]);
        free(bytes);
        largest_allocation = 0;
        for (size_t j = 0; j < sizeof answers / sizeof answers[0]; j++) {
            assert_read_fails(in("file"), 0, answers[j], answers[j]);
            assert_int_equal(seen.calls, 1);
            /* Even a file that is too large is first known for what it is not. */
            assert_read_fails(in("file"), 1, answers[j], answers[j]);
        }
        if (file_sizes[i] > 1)
            assert_read_fails(in("file"), 1, 0, BLOOMFILTER_ETOOLARGE);
        assert_int_equal(largest_allocation, 0);
    }
}

static void assert_read_fails_with(const char *path, int number)
{
    largest_allocation = 0;
    assert_read_fails(path, 0, 0, BLOOMFILTER_EIO);
    assert_int_equal(errno, number);
    assert_int_equal(seen.calls, 0);
    assert_int_equal(largest_allocation, 0);
}

static void test_files_that_cannot_be_read(void **state)
{
    (void)state;
    assert_int_equal(mkdir(in("directory"), 0700), 0);
    write_path(in("file"), "x", 1);
    assert_int_equal(symlink("nothing", in("dangling")), 0);
    assert_int_equal(symlink("loop", in("loop")), 0);
    assert_read_fails_with(in("missing"), ENOENT);
    assert_read_fails_with(in("missing/name"), ENOENT);
    assert_read_fails_with(in("dangling"), ENOENT);
    assert_read_fails_with(in("loop"), ELOOP);
    assert_read_fails_with(in("file/name"), ENOTDIR);
    assert_read_fails_with("", ENOENT);
    assert_read_fails_with(in("directory"), EISDIR);
    assert_int_equal(chmod(in("file"), 0000), 0);
    assert_int_equal(chmod(directory, 0755), 0);
    uid_t user = drop_privileges();
    assert_read_fails_with(in("file"), EACCES);
    restore_privileges(user);
}

static void test_read_without_memory(void **state)
{
    struct memory memory;
    (void)state;
    for (size_t i = 1; i < FILE_SIZES; i++) {
        uint8_t *bytes = make_bytes(file_sizes[i], 5);
        write_path(in("file"), bytes, file_sizes[i]);
        int before = open_descriptors();
        allocations_until_failure = 0;
        int code = read_file(&memory, in("file"), 0, 0);
        allocations_until_failure = -1;
        assert_int_equal(code, BLOOMFILTER_ENOMEM);
        assert_none(&memory);
        assert_int_equal(open_descriptors(), before);
        free(bytes);
    }
}

/* Reads that are cut short, interrupted, or fail after any number of bytes. */
static void test_reads_that_fail(void **state)
{
    enum { SIZE = 5000 };
    uint8_t *bytes = make_bytes(SIZE, 6);
    struct memory memory;
    (void)state;
    write_path(in("file"), bytes, SIZE);
    int before = open_descriptors();
    for (size_t most = 0; most < 6000; most = most * 3 + 1) {
        begin_plan((struct plan){.fails = READ, .times = 20, .number = EINTR, .most = most});
        errno = 12345;
        int code = read_file(&memory, in("file"), 0, 0);
        end_plan();
        assert_int_equal(errno, 12345);
        assert_int_equal(code, 0);
        assert_int_equal(memory.length, SIZE);
        assert_memory_equal(memory.start, bytes, SIZE);
        bloomfilter_memory_release(&memory);
    }
    for (int skip = 0; skip < 5; skip++) { /* 5 reads of 1000 bytes, of which 1 in two parts */
        begin_plan(
            (struct plan){.fails = READ, .skip = skip, .times = 1, .number = EIO, .most = 1000});
        int code = read_file(&memory, in("file"), 0, 0);
        int found = errno;
        end_plan();
        assert_int_equal(code, BLOOMFILTER_EIO);
        assert_int_equal(found, EIO);
        assert_none(&memory);
    }
    assert_int_equal(open_descriptors(), before);
    free(bytes);
}

/* A file that shrinks while it is read: what is there is read, and its size is told. */
static void test_file_that_shrinks(void **state)
{
    enum { SIZE = 9000 };
    uint8_t *bytes = make_bytes(SIZE, 7);
    struct memory memory;
    (void)state;
    write_path(in("file"), bytes, SIZE);
    for (int skip = 0; skip < 9; skip++) {
        begin_plan(
            (struct plan){.fails = READ, .skip = skip, .times = 99, .number = 0, .most = 1024});
        int code = read_file(&memory, in("file"), 0, 0);
        end_plan();
        size_t size = skip < 4 ? (size_t)skip * 1024 : 4096 + (size_t)(skip - 4) * 1024;
        assert_int_equal(code, 0);
        assert_int_equal(memory.length, size);
        assert_memory_equal(memory.start == NULL ? bytes : memory.start, bytes, size);
        assert_int_equal(seen.total, skip < 4 ? size : SIZE);
        bloomfilter_memory_release(&memory);
    }
    free(bytes);
}

/* ---- pipes */

static struct {
    char path[4200];
    const uint8_t *bytes;
    size_t size;
    size_t piece;
} source;

/* Writes the source into the pipe, in pieces, until all is written or nobody reads. */
static void *feed(void *context)
{
    int file = open(source.path, O_WRONLY);
    (void)context;
    for (size_t done = 0; file >= 0 && done < source.size;) {
        size_t part = source.piece < source.size - done ? source.piece : source.size - done;
        ssize_t written = write(file, source.bytes + done, part);
        if (written < 0)
            break;
        done += (size_t)written;
    }
    if (file >= 0)
        close(file);
    return NULL;
}

static int read_pipe(struct memory *memory, const uint8_t *bytes, size_t size, size_t piece,
                     uint64_t max_bytes, int answer)
{
    pthread_t thread;
    snprintf(source.path, sizeof source.path, "%s", in("pipe"));
    source.bytes = bytes;
    source.size = size;
    source.piece = piece;
    assert_int_equal(pthread_create(&thread, NULL, feed, NULL), 0);
    int code = read_file(memory, source.path, max_bytes, answer);
    int saved_errno = errno;
    assert_int_equal(pthread_join(thread, NULL), 0);
    errno = saved_errno;
    return code;
}

static int make_pipe(void **state)
{
    enter(state);
    signal(SIGPIPE, SIG_IGN);
    return mkfifo(in("pipe"), 0600);
}

static void test_read_pipe(void **state)
{
    static const size_t pieces[] = {1000, 4096, 65536, 1 << 20};
    struct memory memory;
    (void)state;
    for (size_t i = 0; i < FILE_SIZES; i++) {
        size_t size = file_sizes[i];
        uint8_t *bytes = make_bytes(size, 8);
        for (size_t p = 0; p < sizeof pieces / sizeof pieces[0]; p++) {
            int before = open_descriptors();
            largest_allocation = 0;
            int code = read_pipe(&memory, bytes, size, pieces[p], 0, 0);
            assert_int_equal(code, 0);
            assert_int_equal(memory.length, size);
            assert_int_equal(seen.calls, 1);
            assert_int_equal(seen.size, size < BEGINNING ? size : BEGINNING);
            assert_memory_equal(seen.beginning, bytes, seen.size);
            assert_int_equal(seen.total, size < BEGINNING ? size : UINT64_MAX);
            if (size == 0)
                assert_none(&memory);
            else
                assert_memory_equal(memory.start, bytes, size);
            assert_int_equal(open_descriptors(), before);
            /* Twice what came at the most, a huge page to align it aside; and a first buffer. */
            assert_true(largest_allocation <= 65536 || largest_allocation <= 2 * size + HUGE_PAGE);
            bloomfilter_memory_release(&memory);
        }
        free(bytes);
    }
}

static void test_pipe_with_a_limit(void **state)
{
    struct memory memory;
    (void)state;
    for (size_t i = 1; i < FILE_SIZES; i++) {
        size_t size = file_sizes[i];
        uint8_t *bytes = make_bytes(size, 9);
        int before = open_descriptors();
        assert_int_equal(read_pipe(&memory, bytes, size, 65536, size, 0), 0);
        assert_int_equal(memory.length, size);
        assert_memory_equal(memory.start, bytes, size);
        bloomfilter_memory_release(&memory);
        if (size > 1) {
            assert_int_equal(read_pipe(&memory, bytes, size, 65536, size - 1, 0),
                             BLOOMFILTER_ETOOLARGE);
            assert_none(&memory);
        }
        assert_int_equal(open_descriptors(), before);
        free(bytes);
    }
}

/* A pipe that goes on and on takes a first buffer, and then no more than the limit and a byte. */
static void test_limit_bounds_memory(void **state)
{
    static const uint64_t limits[] = {100,    5000,   65535,  65536,  65537,
                                      100000, 131071, 131072, 300000, (1 << 20) - 1};
    enum { FIRST_BUFFER = 8192 };
    uint8_t *bytes = make_bytes(1 << 20, 10);
    struct memory memory;
    (void)state;
    for (size_t i = 0; i < sizeof limits / sizeof limits[0]; i++) {
        largest_allocation = 0;
        assert_int_equal(read_pipe(&memory, bytes, 1 << 20, 65536, limits[i], 0),
                         BLOOMFILTER_ETOOLARGE);
        assert_none(&memory);
        if (largest_allocation > FIRST_BUFFER && largest_allocation > limits[i] + 1)
            fail_msg("limit %llu: %zu bytes allocated", (unsigned long long)limits[i],
                     largest_allocation);
    }
    free(bytes);
}

/* Of a pipe that goes on behind the end that its beginning told, one byte more is read. */
static void test_claimed_size_bounds_memory(void **state)
{
    uint8_t *bytes = make_bytes(1 << 20, 13);
    struct memory memory;
    (void)state;
    for (uint64_t claimed = 8192; claimed < 1 << 20; claimed = claimed * 3 + 1) {
        seen.claimed = claimed;
        largest_allocation = 0;
        assert_int_equal(read_pipe(&memory, bytes, 1 << 20, 65536, 0, 0), 0);
        seen.claimed = 0;
        assert_int_equal(memory.length, claimed + 1);
        assert_memory_equal(memory.start, bytes, (size_t)memory.length);
        assert_true(largest_allocation <= claimed + 1);
        bloomfilter_memory_release(&memory);
    }
    free(bytes);
}

static void test_refused_pipes(void **state)
{
    uint8_t *bytes = make_bytes(200000, 11);
    struct memory memory;
    (void)state;
    int before = open_descriptors();
    largest_allocation = 0;
    for (size_t size = 0; size <= 200000; size = size * 7 + 1) {
        int code = read_pipe(&memory, bytes, size, 65536, 0, BLOOMFILTER_ENOTFILTER);
        assert_int_equal(code, BLOOMFILTER_ENOTFILTER);
        assert_int_equal(seen.calls, 1);
        assert_none(&memory);
    }
    assert_int_equal(largest_allocation, 0);
    assert_int_equal(open_descriptors(), before);
    free(bytes);
}

static void test_pipe_without_memory(void **state)
{
    uint8_t *bytes = make_bytes(1 << 20, 12);
    struct memory memory;
    int code = BLOOMFILTER_ENOMEM;
    int before = open_descriptors();
    (void)state;
    for (int allocations = 0; code != 0; allocations++) {
        assert_true(allocations < 20);
        allocations_until_failure = allocations;
        code = read_pipe(&memory, bytes, 1 << 20, 65536, 0, 0);
        allocations_until_failure = -1;
        assert_true(code == BLOOMFILTER_ENOMEM || code == 0);
        if (code != 0)
            assert_none(&memory);
    }
    assert_memory_equal(memory.start, bytes, 1 << 20);
    bloomfilter_memory_release(&memory);
    assert_int_equal(open_descriptors(), before);
    free(bytes);
}

/* ---- map */

static void test_map(void **state)
{
    struct memory memory;
    (void)state;
    for (size_t i = 0; i < FILE_SIZES; i++) {
        size_t size = file_sizes[i];
        uint8_t *bytes = make_bytes(size, 13);
        write_path(in("file"), bytes, size);
        int before = open_descriptors();
        memset(&memory, 0xFF, sizeof memory);
        largest_allocation = 0;
        errno = 12345;
        assert_int_equal(map_file(&memory, in("file")), 0);
        assert_int_equal(errno, 12345);
        assert_int_equal(largest_allocation, 0);
        assert_int_equal(open_descriptors(), before);
        assert_int_equal(memory.length, size);
        if (size == 0)
            assert_none(&memory);
        else
            assert_memory_equal(memory.start, bytes, size);
        assert_int_equal(unlink(in("file")), 0);
        if (size != 0)
            assert_int_equal(memory.start[size - 1], bytes[size - 1]);
        bloomfilter_memory_release(&memory);
        assert_none(&memory);
        free(bytes);
    }
}

/* A map is shared: it shows what is written to the file in place. */
static void test_map_is_shared(void **state)
{
    struct memory memory;
    (void)state;
    write_path(in("file"), "before", 6);
    assert_int_equal(map_file(&memory, in("file")), 0);
    int file = open(in("file"), O_WRONLY);
    assert_int_equal(pwrite(file, "after!", 6, 0), 6);
    close(file);
    assert_memory_equal(memory.start, "after!", 6);
    bloomfilter_memory_release(&memory);
}

static void assert_map_fails(const char *path, int number)
{
    struct memory memory;
    int before = open_descriptors();
    memset(&memory, 0xFF, sizeof memory);
    errno = 0;
    assert_int_equal(map_file(&memory, path), BLOOMFILTER_EIO);
    assert_int_equal(errno, number);
    assert_none(&memory);
    assert_int_equal(open_descriptors(), before);
}

static void test_files_that_cannot_be_mapped(void **state)
{
    (void)state;
    assert_int_equal(mkdir(in("directory"), 0700), 0);
    write_path(in("file"), "x", 1);
    assert_map_fails(in("missing"), ENOENT);
    assert_map_fails("", ENOENT);
    assert_map_fails(in("file/name"), ENOTDIR);
    assert_map_fails(in("directory"), EISDIR);
    assert_map_fails("/dev/null", ENODEV);
    assert_int_equal(chmod(in("file"), 0000), 0);
    assert_int_equal(chmod(directory, 0755), 0);
    uid_t user = drop_privileges();
    assert_map_fails(in("file"), EACCES);
    restore_privileges(user);
}

static void test_map_whose_beginning_cannot_be_read(void **state)
{
    uint8_t beginning[FILE_BEGINNING];
    struct memory memory;
    size_t size;
    (void)state;
    write_path(in("file"), "content", 7);
    begin_plan((struct plan){.fails = READ, .times = 1, .number = EIO});
    assert_map_fails(in("file"), EIO);
    end_plan();
    begin_plan((struct plan){.fails = READ, .times = 3, .number = EINTR, .most = 2});
    assert_int_equal(map_file(&memory, in("file")), 0);
    end_plan();
    bloomfilter_memory_release(&memory);
    /* It shrinks meanwhile. */
    begin_plan((struct plan){.fails = READ, .skip = 2, .times = 1, .most = 2});
    assert_int_equal(bloomfilter_file_map(&memory, in("file"), beginning, &size), 0);
    end_plan();
    assert_int_equal(size, 4);
    assert_memory_equal(beginning, "cont", 4);
    bloomfilter_memory_release(&memory);
}

/* A pipe is refused at once: nobody waits for a writer of what cannot be mapped anyway. */
static void test_map_of_a_pipe(void **state)
{
    int status;
    (void)state;
    assert_int_equal(mkfifo(in("pipe"), 0600), 0);
    fflush(stdout);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        struct memory memory;
        alarm(5);
        int code = map_file(&memory, in("pipe"));
        _exit(code == BLOOMFILTER_EIO && errno == ENODEV ? 0 : 1);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    if (WIFSIGNALED(status))
        fail_msg("mapping a pipe waited for a writer (signal %d)", WTERMSIG(status));
    assert_int_equal(WEXITSTATUS(status), 0);
}

/* ---- closed standard descriptors */

static void close_standard_descriptors(int closed)
{
    for (int file = 0; file < 3; file++)
        if ((closed >> file & 1) != 0)
            close(file);
}

/* Saves, reads and maps with some of them closed. Returns 0, or which step went wrong. */
static int use_without_standard_descriptors(int closed)
{
    struct memory memory;
    close_standard_descriptors(closed);
    begin_plan((struct plan){.noisy = closed, .most = 4});
    if (save_text(in("new"), "content") != 0)
        return 1;
    if (save_text(in("file"), "new content") != 0)
        return 2;
    if (read_file(&memory, in("file"), 0, 0) != 0 || memory.length != 11 ||
        memcmp(memory.start, "new content", 11) != 0)
        return 3;
    bloomfilter_memory_release(&memory);
    if (map_file(&memory, in("file")) != 0 || memory.length != 11)
        return 4;
    bloomfilter_memory_release(&memory);
    for (int file = 0; file < 3; file++)
        if ((closed >> file & 1) != 0 && fcntl(file, F_GETFD) >= 0)
            return 5;
    return 0;
}

/* What is printed between open and move goes into the new file, and is noticed. */
static int save_beside_an_early_printer(int closed)
{
    close_standard_descriptors(closed);
    begin_plan((struct plan){.noisy = closed, .noisy_move = true});
    errno = 0;
    int code = save_text(in("file"), "new content");
    return code == BLOOMFILTER_EIO && errno == EIO ? 0 : 6;
}

static void run_with_closed(int closed, int (*run)(int closed))
{
    int status;
    fflush(stdout);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0)
        _exit(run(closed));
    assert_int_equal(waitpid(child, &status, 0), child);
    if (status != 0)
        fail_msg("closed: %d; status %x", closed, (unsigned)status);
}

/* A file never keeps the descriptor of standard input, output or error: what others print would go
 * into it, and what they read would be missing. */
static void test_closed_standard_descriptors(void **state)
{
    (void)state;
    for (int closed = 1; closed < 8; closed++) {
        write_path(in("file"), "old", 3);
        run_with_closed(closed, save_beside_an_early_printer);
        assert_content(in("file"), "old", 3);
        assert_string_equal(listing(), "file/");
        run_with_closed(closed, use_without_standard_descriptors);
        assert_content(in("new"), "content", 7);
        assert_content(in("file"), "new content", 11);
        assert_string_equal(listing(), "file/new/");
        assert_int_equal(unlink(in("new")), 0);
    }
}

#define TEST(test) cmocka_unit_test_setup_teardown(test, enter, leave)
#define TEST_WITH_PIPE(test) cmocka_unit_test_setup_teardown(test, make_pipe, leave)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_allocate),
        TEST(test_allocate_too_much),
        TEST(test_allocate_without_memory),
        TEST(test_release_gives_all_back),
        TEST(test_save_new),
        TEST(test_save_pieces),
        TEST(test_mode_of_a_new_file),
        TEST(test_mode_of_a_replaced_file),
        TEST(test_mode_while_writing),
        TEST(test_owner_of_a_replaced_file),
        TEST(test_old_file_stays_whole),
        TEST(test_save_through_links),
        TEST(test_links_that_lead_nowhere),
        TEST(test_save_over_what_is_no_file),
        TEST(test_paths_that_cannot_be),
        TEST(test_longest_name),
        TEST(test_relative_paths),
        TEST(test_directory_that_cannot_be_written),
        TEST(test_calls_that_fail),
        TEST(test_writes_that_lie),
        TEST(test_calls_that_are_tried_again),
        TEST(test_errno_survives_the_clean_up),
        TEST(test_file_size_limit),
        TEST(test_owner_that_cannot_be_kept),
        TEST(test_directory_that_cannot_be_flushed),
        TEST(test_order_of_calls),
        TEST(test_killed_anywhere),
        TEST(test_savers_at_once),
        TEST(test_read),
        TEST(test_refused_files),
        TEST(test_files_that_cannot_be_read),
        TEST(test_read_without_memory),
        TEST(test_reads_that_fail),
        TEST(test_file_that_shrinks),
        TEST_WITH_PIPE(test_read_pipe),
        TEST_WITH_PIPE(test_pipe_with_a_limit),
        TEST_WITH_PIPE(test_limit_bounds_memory),
        TEST_WITH_PIPE(test_claimed_size_bounds_memory),
        TEST_WITH_PIPE(test_refused_pipes),
        TEST_WITH_PIPE(test_pipe_without_memory),
        TEST(test_map),
        TEST(test_map_is_shared),
        TEST(test_files_that_cannot_be_mapped),
        TEST(test_map_whose_beginning_cannot_be_read),
        TEST(test_map_of_a_pipe),
        TEST(test_closed_standard_descriptors),
    };
    return RUN(tests);
}
