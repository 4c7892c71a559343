/* SPDX-License-Identifier: MIT */
/*
 * A rollout as docs/rollout.md tells it, played by processes of two releases that exchange files in
 * one directory while the files are replaced all the time, and writers are killed:
 *
 *     day TODAY LATER [--long]      TODAY, LATER: the player (player.c) built with each release
 *
 * The order is the page's: readers first, then writers, then the new feature, and all the way back.
 * One reader is never upgraded: it has to refuse the new feature, and to read all else. What is
 * right at each moment the players check themselves; an act ends after so many saves, and so many
 * rounds of each reader, whatever time that takes.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "stage.h"

enum release { TODAY, LATER };
enum role { READER, WRITER };

static const struct act {
    const char *name;
    int readers[2]; /* of today, of the later release */
    int writers[2];
    bool uses_feature;
    bool kills;
} acts[] = {
    {"all are of today", {3, 0}, {2, 0}, false, false},
    {"readers first: the first one", {2, 1}, {2, 0}, false, true},
    {"readers first: all but one", {1, 2}, {2, 0}, false, false},
    {"then writers: one of two", {1, 2}, {1, 1}, false, true},
    {"then writers: both", {1, 2}, {0, 2}, false, true},
    {"then the new feature", {1, 2}, {0, 2}, true, true},
    {"back: without the new feature", {1, 2}, {0, 2}, false, true},
    {"back: one writer of two", {1, 2}, {1, 1}, false, true},
    {"back: writers", {1, 2}, {2, 0}, false, true},
    {"all are of today again", {3, 0}, {2, 0}, false, false},
};

enum { ACTS = sizeof acts / sizeof acts[0], FEATURE_ACT = 5, LAST_ACT = ACTS - 1 };

static struct {
    uint64_t saves;  /* per act */
    uint32_t rounds; /* of each reader, per act */
} lengths = {50, 60};

enum { SAVES_PER_KILL = 5 };

static struct {
    pid_t process; /* 0: nobody */
    enum role role;
    enum release release;
    uint32_t rounds_before; /* this act */
} players[PLAYERS];

static const char *programs[2];
static char root[4000];
static char directory[4100];
static char stage_name[4100];
static struct stage *stage;
static uint64_t random_state = 20261130; /* the same moments each time, as far as they go */
static unsigned starts;
static unsigned kills;
static unsigned leftovers;

static void stop_all(int signal_number)
{
    for (int i = 0; i < PLAYERS; i++)
        if (players[i].process != 0)
            kill(players[i].process, signal_number);
}

static void fail(const char *what)
{
    fprintf(stderr, "rollout: %s\n", what);
    stop_all(SIGKILL);
    exit(1);
}

static uint32_t random_below(uint32_t limit)
{
    random_state = random_state * 6364136223846793005u + 1442695040888963407u; /* Knuth's MMIX */
    return (uint32_t)(random_state >> 33) % limit;
}

static uint64_t count_of(enum count what)
{
    return atomic_load(&stage->counts[what]);
}

/* ---- Players */

static void run_player(int number)
{
    char digits[16];
    char seed[16];
    const char *program = programs[players[number].release];
    snprintf(digits, sizeof digits, "%d", number);
    snprintf(seed, sizeof seed, "%u", starts);
    execl(program, program, stage_name, directory, digits,
          players[number].role == WRITER ? "writer" : "reader", seed, (char *)NULL);
    _exit(127);
}

static void start(enum role role, enum release release)
{
    int number = 0;
    while (players[number].process != 0)
        if (++number == PLAYERS)
            fail("no room for a player");
    players[number].role = role;
    players[number].release = release;
    players[number].rounds_before = 0;
    atomic_store(&stage->players[number].must_stop, 0);
    atomic_store(&stage->players[number].rounds, 0);
    starts++;
    pid_t process = fork();
    if (process < 0)
        fail("fork fails");
    if (process == 0)
        run_player(number);
    players[number].process = process;
}

/* Waits for one that ends; `expected_signal` 0 means that it exits and has found nothing. */
static void reap(int number, int expected_signal)
{
    int status;
    pid_t process = players[number].process;
    if (waitpid(process, &status, 0) != process)
        fail("waitpid fails");
    players[number].process = 0;
    bool is_right = expected_signal != 0
                        ? WIFSIGNALED(status) && WTERMSIG(status) == expected_signal
                        : WIFEXITED(status) && WEXITSTATUS(status) == 0;
    if (is_right)
        return;
    if (WIFSIGNALED(status))
        fprintf(stderr, "rollout: player %d: %s\n", number, strsignal(WTERMSIG(status)));
    fail("a player failed");
}

static void stop(int number)
{
    atomic_store(&stage->players[number].must_stop, 1);
    reap(number, 0);
}

/* Nobody leaves before the end unless told to. */
static void check_players(void)
{
    for (int i = 0; i < PLAYERS; i++) {
        siginfo_t info = {0};
        if (players[i].process != 0 &&
            waitid(P_PID, (id_t)players[i].process, &info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
            info.si_pid != 0) {
            reap(i, 0);
            fail("a player left");
        }
    }
}

/* Stops or starts players until there are `wanted` of a kind. */
static void have(enum role role, enum release release, int wanted)
{
    int here = 0;
    for (int i = 0; i < PLAYERS; i++) {
        bool is_one =
            players[i].process != 0 && players[i].role == role && players[i].release == release;
        if (is_one && here == wanted)
            stop(i);
        else
            here += is_one;
    }
    for (; here < wanted; here++)
        start(role, release);
}

static void kill_a_writer(void)
{
    int number;
    do
        number = (int)random_below(PLAYERS);
    while (players[number].process == 0 || players[number].role != WRITER);
    enum release release = players[number].release;
    usleep(random_below(5000));
    kill(players[number].process, SIGKILL);
    reap(number, SIGKILL);
    kills++;
    start(WRITER, release);
}

/* ---- The directory */

static bool is_temporary(const char *name)
{
    size_t length = strlen(name);
    return strncmp(name, ".bloomfilter-", 13) == 0 && length == 13 + 8 + 4 &&
           strcmp(name + length - 4, ".tmp") == 0;
}

static bool is_path(const char *name)
{
    return name[0] >= '0' && name[0] < '0' + PATHS && strcmp(name + 1, ".bloom") == 0;
}

/* Deletes what killed writers left, and returns how much that was. Anything else is a fault. */
static unsigned sweep(void)
{
    unsigned found = 0;
    unsigned files = 0;
    DIR *entries = opendir(directory);
    struct dirent *entry;
    if (entries == NULL)
        fail("opendir fails");
    while ((entry = readdir(entries)) != NULL) {
        if (is_path(entry->d_name)) {
            files++;
        } else if (is_temporary(entry->d_name)) {
            found++;
            unlinkat(dirfd(entries), entry->d_name, 0);
        } else if (entry->d_name[0] != '.' || strlen(entry->d_name) > 2) {
            fprintf(stderr, "rollout: %s\n", entry->d_name);
            fail("a file that nobody knows");
        }
    }
    closedir(entries);
    if (files != PATHS)
        fail("a file is gone");
    return found;
}

/* ---- Acts */

static bool readers_are_done(void)
{
    for (int i = 0; i < PLAYERS; i++)
        if (players[i].process != 0 && players[i].role == READER &&
            atomic_load(&stage->players[i].rounds) < players[i].rounds_before + lengths.rounds)
            return false;
    return true;
}

static void enter(const struct act *act)
{
    atomic_store(&stage->uses_feature, act->uses_feature);
    for (enum release release = TODAY; release <= LATER; release++) {
        have(WRITER, release, act->writers[release]);
        have(READER, release, act->readers[release]);
    }
    for (int i = 0; i < PLAYERS; i++)
        players[i].rounds_before = atomic_load(&stage->players[i].rounds);
}

static void play(const struct act *act)
{
    uint64_t first = count_of(SAVES);
    uint64_t refusals = count_of(REFUSALS);
    uint64_t later_files = count_of(LATER_FILES);
    uint64_t next_kill = first + SAVES_PER_KILL;
    unsigned kills_before = kills;

    enter(act);
    while (count_of(SAVES) < first + lengths.saves || !readers_are_done()) {
        usleep(1000);
        check_players();
        if (act->kills && count_of(SAVES) >= next_kill) {
            kill_a_writer();
            next_kill = count_of(SAVES) + SAVES_PER_KILL;
        }
    }
    printf("%-30s %4" PRIu64 " saves, %4u kills, %5" PRIu64
           " files of a later minor read, %4" PRIu64 " refused\n",
           act->name, count_of(SAVES) - first, kills - kills_before,
           count_of(LATER_FILES) - later_files, count_of(REFUSALS) - refusals);
    fflush(stdout);
    bool may_refuse = act - acts == FEATURE_ACT || act - acts == FEATURE_ACT + 1;
    if (!may_refuse && count_of(REFUSALS) != refusals)
        fail("refused without reason");
    if (act->uses_feature && count_of(REFUSALS) == refusals)
        fail("nobody had to refuse: the new feature was not in use");
    if (act->kills && kills == kills_before)
        fail("nobody was killed");
}

/* In the last act nobody is killed, so nothing may be left. */
static void play_all(void)
{
    for (int i = 0; i < ACTS; i++) {
        if (i == LAST_ACT) {
            have(WRITER, TODAY, 0);
            have(WRITER, LATER, 0);
            leftovers = sweep();
            if (leftovers > kills)
                fail("more temporary files than kills");
        }
        play(&acts[i]);
    }
    for (enum release release = TODAY; release <= LATER; release++) {
        have(WRITER, release, 0);
        have(READER, release, 0);
    }
    if (sweep() != 0)
        fail("a temporary file is left");
}

static void print_figures(void)
{
    printf("%" PRIu64 " files replaced (%" PRIu64 " rebuilt), %u writers killed, %u temporary "
           "files left by them\n",
           count_of(SAVES), count_of(REBUILDS), kills, leftovers);
    printf("%" PRIu64 " loaded, %" PRIu64 " deserialized, %" PRIu64 " mapped, %" PRIu64
           " of a later minor read by today's, %" PRIu64 " refused\n",
           count_of(LOADS), count_of(COPIES), count_of(MAPS), count_of(LATER_FILES),
           count_of(REFUSALS));
    printf("%" PRIu64 " keys asked and found, %" PRIu64 " of %" PRIu64 " absent ones found\n",
           count_of(KEYS), count_of(FOUND), count_of(ABSENT));
}

/* ---- */

static void set_the_stage(void)
{
    const char *parent = getenv("TMPDIR");
    snprintf(root, sizeof root, "%s/bloomfilter-rollout-XXXXXX", parent != NULL ? parent : "/tmp");
    if (mkdtemp(root) == NULL)
        fail("mkdtemp fails");
    snprintf(directory, sizeof directory, "%s/filters", root);
    snprintf(stage_name, sizeof stage_name, "%s/stage", root);
    int file = open(stage_name, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (mkdir(directory, 0777) != 0 || file < 0 || ftruncate(file, sizeof *stage) != 0)
        fail("cannot set the stage");
    stage = mmap(NULL, sizeof *stage, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (stage == MAP_FAILED)
        fail("mmap fails");
    close(file);
}

/* Readers may open every path from the first moment on. */
static void make_the_first_files(void)
{
    start(WRITER, TODAY);
    for (int path = 0; path < PATHS;) {
        usleep(1000);
        check_players();
        while (path < PATHS && atomic_load(&stage->paths[path].finished) != 0)
            path++;
    }
}

static void clear_the_stage(void)
{
    char name[4200];
    for (unsigned path = 0; path < PATHS; path++) {
        snprintf(name, sizeof name, "%s/%u.bloom", directory, path);
        unlink(name);
        snprintf(name, sizeof name, "%s/turn-%u", root, path);
        unlink(name);
    }
    unlink(stage_name);
    rmdir(directory);
    if (rmdir(root) != 0)
        fail("something is left behind");
}

int main(int argc, char *argv[])
{
    bool is_long = argc == 4 && strcmp(argv[3], "--long") == 0;
    if (argc != 3 && !is_long) {
        fprintf(stderr, "usage: %s TODAY LATER [--long]\n", argv[0]);
        return 2;
    }
    programs[TODAY] = argv[1];
    programs[LATER] = argv[2];
    if (is_long) {
        lengths.saves *= 25;
        lengths.rounds *= 25;
    }
    set_the_stage();
    make_the_first_files();
    play_all();
    print_figures();
    if (count_of(FOUND) * 50 > count_of(ABSENT))
        fail("too many absent keys are found");
    if (count_of(LATER_FILES) == 0)
        fail("no reader of today met a file of a later minor");
    clear_the_stage();
    return 0;
}
