/* SPDX-License-Identifier: MIT */
#include "info_text.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "escape.h"
#include "names.h"

#define LABEL "%-16s "

/* Metadata can have 16 MiB; more than this is not for the eye. */
enum { METADATA_SHOWN = 1000 };

void print_rate(const char *label, double rate)
{
    printf(LABEL "%.4g", label, rate);
    if (rate > 0.0)
        printf(rate > 0.001 ? " (1 in %.3g)" : " (1 in %.0f)", 1.0 / rate);
    putchar('\n');
}

static void print_bytes(const char *label, uint64_t bytes)
{
    static const char *const units[] = {"KiB", "MiB", "GiB", "TiB", "PiB"};
    double amount = (double)bytes / 1024.0;
    size_t unit = 0;
    while (amount >= 1024.0 && unit < 4) {
        amount /= 1024.0;
        unit++;
    }
    if (bytes < 1024)
        printf(LABEL "%" PRIu64 " bytes\n", label, bytes);
    else
        printf(LABEL "%.4g %s (%" PRIu64 " bytes)\n", label, amount, units[unit], bytes);
}

static void print_shape(const bloomfilter_info *info)
{
    printf(LABEL "%s", "hash", hash_name(info->hash));
    if (info->hash == BLOOMFILTER_HASH_MURMUR3_TWEAK)
        printf(", seed %" PRIu64, info->seed);
    if ((info->flags & BLOOMFILTER_FLAG_KEYED) != 0)
        printf(", with a secret");
    putchar('\n');
    printf(LABEL "%s\n", "layout", layout_name(info->layout));
    printf(LABEL "%" PRIu64 " keys\n", "capacity", info->capacity);
    printf(LABEL "%" PRIu64 " (%.4g per key)\n", "bits", info->bit_count,
           (double)info->bit_count / (double)info->capacity);
    printf(LABEL "%" PRIu32 " per key\n", "positions", info->hash_count);
}

static const char *rebuild_text(const bloomfilter_info *info)
{
    switch (info->rebuild) {
    case BLOOMFILTER_REBUILD_NO:
        return "not needed";
    case BLOOMFILTER_REBUILD_OVER_CAPACITY:
        return "soon: more keys than capacity, the rate is still near its target";
    case BLOOMFILTER_REBUILD_OVER_TARGET:
        return "now: the rate is more than 1.1 times its target";
    default:
        return "unknown";
    }
}

static void print_content(const bloomfilter_info *info)
{
    printf(LABEL "%.4g %% (%" PRIu64 " bits set)\n", "fill", info->fill * 100.0, info->bits_set);
    if (isinf(info->estimated_count))
        printf(LABEL "unknown: every bit is set\n", "distinct keys");
    else
        printf(LABEL "about %.0f\n", "distinct keys", info->estimated_count);
}

void print_info(const char *path, const bloomfilter_info *info, bool header_only)
{
    printf(LABEL, "file");
    print_escaped(stdout, path, strlen(path));
    putchar('\n');
    if (header_only)
        printf(LABEL "no: header only%s\n", "checked",
               (info->flags & BLOOMFILTER_FLAG_KEYED) != 0 ? ", not authenticated" : "");
    printf(LABEL "%" PRIu32 ".%" PRIu32 "\n", "format", info->format_major, info->format_minor);
    print_shape(info);
    print_bytes(header_only ? "file size" : "memory", info->memory_bytes);
    printf(LABEL "%" PRIu64 "\n", "keys added", info->insert_count);
    if (!header_only)
        print_content(info);
    print_rate("target rate", info->target_fpr);
    print_rate("expected rate", info->expected_fpr);
    if (!header_only)
        print_rate("current rate", info->current_fpr);
    if (isnan(info->measured_fpr))
        printf(LABEL "never\n", "measured rate");
    else
        print_rate("measured rate", info->measured_fpr);
    if (!isnan(info->measured_fpr))
        printf(LABEL "%" PRIu64 "\n", "probes", info->measured_probes);
    if (!header_only)
        printf(LABEL "%s\n", "rebuild", rebuild_text(info));
}

void print_plan(const bloomfilter_info *info)
{
    print_shape(info);
    print_bytes("memory", info->memory_bytes);
    print_rate("target rate", info->target_fpr);
    print_rate("expected rate", info->expected_fpr);
}

void print_metadata(const void *bytes, size_t size)
{
    printf(LABEL, "metadata");
    if (size == 0) {
        puts("none");
        return;
    }
    print_escaped(stdout, bytes, size < METADATA_SHOWN ? size : METADATA_SHOWN);
    printf("%s (%zu bytes)\n", size > METADATA_SHOWN ? "..." : "", size);
}
