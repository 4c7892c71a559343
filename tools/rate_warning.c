/* SPDX-License-Identifier: MIT */
#include "rate_warning.h"

#include <inttypes.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "names.h"
#include "report.h"

/* How much larger a filter may be before it is no advice any more. */
static const double SIZE_FACTORS[] = {1, 1.05, 1.1, 1.2, 1.3, 1.4, 1.5, 1.75, 2, 2.5, 3, 4};

/* How many times the bits of a flat filter a split-block one may take without a warning, unless it
 * is so small that whole blocks count. */
static const double LARGEST_FACTOR = 1.5;
static const uint64_t FEW_BITS = 16 * 256;

static const uint64_t MURMUR3_REACH = (uint64_t)1 << 32;

/* Would this shape keep to `target`? The library is asked, so that the answer is true. */
static bool keeps_to(const bloomfilter_options *shape, double target)
{
    bloomfilter_info info = BLOOMFILTER_INFO_INIT;
    return bloomfilter_plan(shape, &info) == 0 && info.expected_fpr <= RATE_TOLERANCE * target;
}

/* The shape that `info` tells, without a secret or seed: they do not change the rate. */
static bloomfilter_options shape_of(const bloomfilter_info *info, uint32_t hash)
{
    bloomfilter_options shape = BLOOMFILTER_OPTIONS_INIT;
    shape.capacity = info->capacity;
    shape.target_fpr = info->target_fpr;
    shape.bit_count = info->bit_count;
    shape.hash_count = info->hash_count;
    shape.hash = hash;
    shape.layout = info->layout;
    return shape;
}

static bool other_hash_keeps_to(const bloomfilter_info *info, uint32_t hash)
{
    bloomfilter_options shape = shape_of(info, hash);
    return hash != info->hash && keeps_to(&shape, info->target_fpr);
}

/* Why a filter misses its target with as many keys as its capacity. The positions of blake2b-wide
 * are as good as chance: where they miss it too, the hash is not to blame. */
static void write_reason(char *reason, size_t room, const bloomfilter_info *info)
{
    if (!other_hash_keeps_to(info, BLOOMFILTER_HASH_BLAKE2B_WIDE))
        snprintf(reason, room,
                 "%" PRIu64 " bits are too few for %" PRIu64 " key%s with %" PRIu32
                 " position%s each",
                 info->bit_count, info->capacity, info->capacity == 1 ? "" : "s", info->hash_count,
                 info->hash_count == 1 ? "" : "s");
    else if (info->hash == BLOOMFILTER_HASH_MURMUR3_TWEAK && info->bit_count > MURMUR3_REACH)
        snprintf(reason, room,
                 "the 32-bit hashes of murmur3-tweak reach only %" PRIu64 " of the %" PRIu64
                 " bits",
                 MURMUR3_REACH, info->bit_count);
    else if (info->hash == BLOOMFILTER_HASH_MURMUR3_TWEAK)
        snprintf(reason, room,
                 "the 32-bit hashes of murmur3-tweak do not reach all of %" PRIu64 " bits alike",
                 info->bit_count);
    else
        snprintf(reason, room,
                 "with %" PRIu64 " bits, the %" PRIu32 " positions of %s overlap too often",
                 info->bit_count, info->hash_count, hash_name(info->hash));
}

/* The hash that keeps to the target at the same size; NULL if none does. None is faster. */
static const char *find_other_hash(const bloomfilter_info *planned)
{
    bool keeps = other_hash_keeps_to(planned, BLOOMFILTER_HASH_BLAKE2B_WIDE);
    return keeps ? hash_name(BLOOMFILTER_HASH_BLAKE2B_WIDE) : NULL;
}

/* The shape that capacity and target alone lead to. What is 0 in it is not known: there is none. */
static bloomfilter_info usual_shape(const bloomfilter_info *planned)
{
    bool is_flat = planned->layout == BLOOMFILTER_LAYOUT_FLAT;
    bloomfilter_options shape =
        shape_of(planned, is_flat ? BLOOMFILTER_HASH_BLAKE2B_WIDE : planned->hash);
    bloomfilter_info info = BLOOMFILTER_INFO_INIT;
    shape.bit_count = 0;
    shape.hash_count = 0;
    if (bloomfilter_plan(&shape, &info) < 0)
        info.bit_count = info.hash_count = 0;
    return info;
}

/*
 * The smallest of a few filters, of the bits planned or usual and larger, that keeps to the target:
 * with the positions planned, with the usual ones, or with 0, as many as suit the bits. Overlaps
 * fall with more bits, and grow with more positions.
 */
static bool find_larger(const bloomfilter_info *planned, uint32_t hash, bloomfilter_options *better)
{
    bloomfilter_info usual = usual_shape(planned);
    uint32_t hash_counts[] = {planned->hash_count, usual.hash_count, 0};
    uint64_t start = usual.bit_count > planned->bit_count ? usual.bit_count : planned->bit_count;

    *better = shape_of(planned, hash);
    for (size_t i = 0; i < sizeof SIZE_FACTORS / sizeof SIZE_FACTORS[0]; i++) {
        double bits = ceil((double)start * SIZE_FACTORS[i]);
        if (bits > (double)BLOOMFILTER_MAX_BIT_COUNT)
            return false;
        better->bit_count = (uint64_t)bits;
        if (planned->layout == BLOOMFILTER_LAYOUT_SPLIT_BLOCK)
            better->bit_count = (better->bit_count + 255) / 256 * 256;
        for (size_t j = 0; j < sizeof hash_counts / sizeof hash_counts[0]; j++) {
            better->hash_count = hash_counts[j];
            if (keeps_to(better, planned->target_fpr))
                return true;
        }
    }
    return false;
}

static void append(char *text, size_t room, const char *more)
{
    size_t size = strlen(text);
    snprintf(text + size, room - size, "%s", more);
}

/* "[--hash NAME ]-m BITS -k COUNT (1.5 times the bits)". */
static void append_shape(char *advice, size_t room, const bloomfilter_info *planned,
                         const bloomfilter_options *better)
{
    char part[160];
    bloomfilter_info info = BLOOMFILTER_INFO_INIT;
    bloomfilter_plan(better, &info);
    if (info.hash != planned->hash) {
        snprintf(part, sizeof part, "--hash %s ", hash_name(info.hash));
        append(advice, room, part);
    }
    snprintf(part, sizeof part, "-m %" PRIu64 " -k %" PRIu32, info.bit_count, info.hash_count);
    append(advice, room, part);
    if (info.bit_count != planned->bit_count) {
        snprintf(part, sizeof part, " (%.3g times the bits)",
                 (double)info.bit_count / (double)planned->bit_count);
        append(advice, room, part);
    }
}

static void write_advice(char *advice, size_t room, const bloomfilter_info *planned)
{
    bloomfilter_options better;
    const char *hash = find_other_hash(planned);

    *advice = '\0';
    if (hash != NULL)
        snprintf(advice, room, "--hash %s keeps to the target at the same size", hash);
    if (find_larger(planned, planned->hash, &better)) {
        append(advice, room, hash != NULL ? "; or " : "");
        append_shape(advice, room, planned, &better);
        append(advice, room, hash != NULL ? " keeps to it too" : " keeps to the target");
    } else if (hash == NULL && find_larger(planned, BLOOMFILTER_HASH_BLAKE2B_WIDE, &better)) {
        append_shape(advice, room, planned, &better);
        append(advice, room, " keeps to the target");
    }
    if (*advice == '\0')
        append(advice, room, "Ask for a larger -p");
}

void rate_warn_of_plan(const char *subject, const bloomfilter_options *shape,
                       const bloomfilter_info *planned, bool advise)
{
    char reason[160];
    char advice[400];
    if (shape->target_fpr == 0.0) /* none was asked for */
        return;
    if (!(planned->expected_fpr > RATE_TOLERANCE * planned->target_fpr))
        return;
    write_reason(reason, sizeof reason, planned);
    if (advise)
        write_advice(advice, sizeof advice, planned);
    else
        snprintf(advice, sizeof advice, "Its readers must live with that, or it is built anew");
    report_warning(subject,
                   "the false positive rate will be about %.3g, %.3g times the target %.3g: %s. "
                   "%s.",
                   planned->expected_fpr, planned->expected_fpr / planned->target_fpr,
                   planned->target_fpr, reason, advice);
}

void size_warn_of_plan(const char *subject, const bloomfilter_options *shape,
                       const bloomfilter_info *planned)
{
    bloomfilter_options flat = BLOOMFILTER_OPTIONS_INIT;
    bloomfilter_info info = BLOOMFILTER_INFO_INIT;
    flat.capacity = planned->capacity;
    flat.target_fpr = planned->target_fpr;
    if (shape->layout != BLOOMFILTER_LAYOUT_SPLIT_BLOCK || shape->bit_count != 0 ||
        planned->bit_count < FEW_BITS || bloomfilter_plan(&flat, &info) < 0)
        return;
    double factor = (double)planned->bit_count / (double)info.bit_count;
    if (factor > LARGEST_FACTOR)
        report_warning(subject,
                       "split-block takes %.3g times the bits of --layout flat at this rate. It "
                       "pays down to rates of about 1e-4.",
                       factor);
}

/* The filter holds what it was made for, and yet its rate is over the target. */
static void warn_within_capacity(const char *subject, const bloomfilter_info *info)
{
    char reason[160];
    if (info->expected_fpr > RATE_TOLERANCE * info->target_fpr)
        write_reason(reason, sizeof reason, info);
    else
        snprintf(reason, sizeof reason, "by chance, more of its bits are set than usual");
    report_warning(subject,
                   "the false positive rate is now about %.3g, %.3g times the target %.3g, with no "
                   "more keys than it was made for: %s. 'bloomfilter plan' tells which shape keeps "
                   "to its target.",
                   info->current_fpr, info->current_fpr / info->target_fpr, info->target_fpr,
                   reason);
}

static void warn_over_capacity(const char *subject, const bloomfilter_info *info)
{
    char held[48];
    if (isinf(info->estimated_count))
        snprintf(held, sizeof held, "so many keys that every bit is set");
    else
        snprintf(held, sizeof held, "about %.0f distinct keys", info->estimated_count);

    if (info->rebuild == BLOOMFILTER_REBUILD_OVER_CAPACITY)
        report_warning(subject,
                       "it holds %s and was made for %" PRIu64 ". The false positive rate is "
                       "still near its target; build it anew with a larger -n before many more "
                       "are added.",
                       held, info->capacity);
    else
        report_warning(subject,
                       "the false positive rate is now about %.3g, %.3g times the target %.3g: it "
                       "holds %s and was made for %" PRIu64 ". Build it anew with a larger -n.",
                       info->current_fpr, info->current_fpr / info->target_fpr, info->target_fpr,
                       held, info->capacity);
}

void rate_warn_of_rebuild(const char *subject, const bloomfilter_info *info)
{
    if (info->rebuild == BLOOMFILTER_REBUILD_NO)
        return;
    if (info->estimated_count > (double)info->capacity)
        warn_over_capacity(subject, info);
    else
        warn_within_capacity(subject, info);
}
