/* SPDX-License-Identifier: MIT */
/* What the file room asks of the system's headers; included before any of them. */
#ifndef BLOOMFILTER_FILE_SYSTEM_H
#define BLOOMFILTER_FILE_SYSTEM_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* madvise, MAP_ANONYMOUS, realpath */
#endif
#ifndef _FILE_OFFSET_BITS
#define _FILE_OFFSET_BITS 64 /* files past 2 GiB on 32-bit systems */
#endif

#endif
