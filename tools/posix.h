/* SPDX-License-Identifier: MIT */
/*
 * posix.h - included first by every file of the command: asks the system headers for POSIX and
 * flock, which -std=c11 alone hides, and for file sizes of 64 bits on every machine.
 */
#ifndef TOOLS_POSIX_H
#define TOOLS_POSIX_H

#ifndef _DEFAULT_SOURCE
#define _DEFAULT_SOURCE 1
#endif
#ifndef _FILE_OFFSET_BITS
#define _FILE_OFFSET_BITS 64
#endif

/* Lets the compiler check the arguments of a function that formats like printf. */
#if defined(__GNUC__)
#define PRINTF_LIKE(text, first) __attribute__((__format__(__printf__, text, first)))
#else
#define PRINTF_LIKE(text, first)
#endif

#endif
