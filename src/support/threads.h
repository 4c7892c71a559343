/* SPDX-License-Identifier: MIT */
/* Whether there are other threads, for those who can do with less where there are none. */
#ifndef BLOOMFILTER_SUPPORT_THREADS_H
#define BLOOMFILTER_SUPPORT_THREADS_H

#include <stdbool.h>

#ifdef __has_include
#if __has_include(<sys/single_threaded.h>)
#include <sys/single_threaded.h>
#define BLOOMFILTER_HAS_SINGLE_THREADED
#endif
#endif

/*
 * True only while the calling thread is the only one of the process. Another one could then be made
 * by the caller alone, so the answer holds until the caller returns. False where it is not known:
 * everywhere but in the GNU C library from 2.32 on, and there, too, in a process that once had
 * another thread. A signal handler is no thread, but may add in the middle of an add: the public
 * header forbids it.
 */
static inline bool thread_is_alone(void)
{
#ifdef BLOOMFILTER_HAS_SINGLE_THREADED
    return __libc_single_threaded != 0;
#else
    return false;
#endif
}

#endif
