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
 * True while the calling thread is the only one of the process, and then until it makes another
 * one: so the answer holds as long as the caller has not returned. False where that is not known,
 * which is everywhere but in the GNU C library from 2.32 on.
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
