/* SPDX-License-Identifier: MIT */
#include "system_files.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

/* Linux moves at most 0x7ffff000 bytes in one call, other systems refuse more than INT_MAX. */
static const size_t MOST_AT_ONCE = (size_t)1 << 30;

int open_file(const char *path, int flags)
{
    int descriptor;
    do
        descriptor = open(path, flags | O_CLOEXEC);
    while (descriptor < 0 && errno == EINTR);
    return descriptor;
}

ssize_t read_some(int descriptor, void *bytes, size_t room)
{
    ssize_t size;
    if (room > MOST_AT_ONCE)
        room = MOST_AT_ONCE;
    do
        size = read(descriptor, bytes, room);
    while (size < 0 && errno == EINTR);
    if (size > 0 && (size_t)size > room) { /* no answer to what was asked */
        errno = EIO;
        return -1;
    }
    return size;
}

ssize_t read_full(int descriptor, void *bytes, size_t room)
{
    unsigned char *next = bytes;
    size_t done = 0;
    while (done < room) {
        ssize_t size = read_some(descriptor, next + done, room - done);
        if (size < 0)
            return -1;
        if (size == 0)
            break;
        done += (size_t)size;
    }
    return (ssize_t)done;
}

int write_all(int descriptor, const void *bytes, size_t size)
{
    const unsigned char *next = bytes;
    while (size > 0) {
        ssize_t written = write(descriptor, next, size < MOST_AT_ONCE ? size : MOST_AT_ONCE);
        if (written < 0 && errno == EINTR)
            continue;
        if (written == 0 || (written > 0 && (size_t)written > size))
            errno = EIO; /* no answer to what was asked */
        if (written <= 0 || (size_t)written > size)
            return -1;
        next += written;
        size -= (size_t)written;
    }
    return 0;
}

void open_standard_descriptors(void)
{
    static const int opposite[] = {O_WRONLY, O_RDONLY, O_RDONLY};
    for (int i = STDIN_FILENO; i <= STDERR_FILENO; i++)
        if (fcntl(i, F_GETFD) < 0)
            open("/dev/null", opposite[i]); /* the lowest that is free: i */
}

void ignore_size_signal(void)
{
    struct sigaction action = {.sa_handler = SIG_IGN};
    sigaction(SIGXFSZ, &action, NULL);
}

/* What was held before, which is not ours to release. */
static sigset_t mask_before;

void hold_signals(void)
{
    static const int held[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2, SIGXCPU};
    sigset_t signals;
    int kept = errno;
    sigemptyset(&signals);
    for (size_t i = 0; i < sizeof held / sizeof held[0]; i++)
        sigaddset(&signals, held[i]);
    sigprocmask(SIG_BLOCK, &signals, &mask_before);
    errno = kept;
}

void release_signals(void)
{
    int kept = errno;
    sigprocmask(SIG_SETMASK, &mask_before, NULL);
    errno = kept;
}
