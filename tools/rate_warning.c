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
static const double SIZE_FACTORS[] = {1.05, 1.1, 1.2, 1.3, 1.4, 1.5, 1.75, 2, 2.5, 3, 4};

/* Would this shape keep to `target`? The library is asked, so that the advice is true. */
static bool keeps_to(const bloomfilter_options *shape, double target)
{
    bloomfilter_info info = BLOOMFILTER_INFO_INIT;
    return bloomfilter_plan(shape, &info) == 0 && info.expected_fpr <= RATE_TOLERANCE * target;
}

/* The same shape with positions that do not overlap. */
static bool find_other_hash(const bloomfilter_options *shape, const bloomfilter_info *planned,
                            bloomfilter_options *better)
{
    *better = *shape;
    better->capacity = planned->capacity;
    better->target_fpr = planned->target_fpr;
    better->bit_count = planned->bit_count;
    better->hash_count = planned->hash_count;
    better->hash = BLOOMFILTER_HASH_BLAKE2B_INDEXED;
    better->seed = 0;
    return keeps_to(better, planned->target_fpr);
}

/* The smallest of a few larger filters that keeps to the target. With hash_count 0 (more positions)
 * and with that of the plan: overlaps fall with more bits, and grow with more positions. */
static bool find_larger(const bloomfilter_options *shape, const bloomfilter_info *planned,
                        bloomfilter_options *better)
{
    uint32_t hash_counts[] = {planned->hash_count, 0};
    *better = *shape;
    better->capacity = planned->capacity;
    better->target_fpr = planned->target_fpr;
    for (size_t i = 0; i < sizeof SIZE_FACTORS / sizeof SIZE_FACTORS[0]; i++) {
        double bits = ceil((double)planned->bit_count * SIZE_FACTORS[i]);
        if (bits > (double)BLOOMFILTER_MAX_BIT_COUNT)
            return false;
        better->bit_count = (uint64_t)bits;
        for (size_t j = 0; j < 2; j++) {
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

static void write_advice(char *advice, size_t room, const bloomfilter_options *shape,
                         const bloomfilter_info *planned)
{
    bloomfilter_options better;
    char part[160];
    int found = 0;

    *advice = '\0';
    if (find_other_hash(shape, planned, &better)) {
        append(advice, room, "--hash blake2b-indexed keeps to the target at the same size");
        found++;
    }
    if (find_larger(shape, planned, &better)) {
        char hashes[24] = "";
        if (better.hash_count != 0)
            snprintf(hashes, sizeof hashes, " -k %" PRIu32, better.hash_count);
        snprintf(part, sizeof part, "%s-m %" PRIu64 "%s (%.3g times the bits) keeps to it%s",
                 found > 0 ? "; or " : "", better.bit_count, hashes,
                 (double)better.bit_count / (double)planned->bit_count, found > 0 ? " too" : "");
        append(advice, room, part);
        found++;
    }
    if (found == 0)
        append(advice, room, "Ask for more keys or a rate nearer to what is possible");
}

void rate_warn_of_plan(const char *subject, const bloomfilter_options *shape,
                       const bloomfilter_info *planned, bool advise)
{
    char advice[400];
    if (!(planned->expected_fpr > RATE_TOLERANCE * planned->target_fpr))
        return;
    if (advise)
        write_advice(advice, sizeof advice, shape, planned);
    else
        snprintf(advice, sizeof advice, "Its readers must live with that, or it is built anew");
    report_warning(subject,
                   "the false positive rate will be about %.3g, %.3g times the target %.3g: with "
                   "%" PRIu64 " bits, the %" PRIu32 " positions of %s overlap too often. %s.",
                   planned->expected_fpr, planned->expected_fpr / planned->target_fpr,
                   planned->target_fpr, planned->bit_count, planned->hash_count,
                   hash_name(planned->hash), advice);
}

void rate_warn_of_rebuild(const char *subject, const bloomfilter_info *info)
{
    char held[48];
    if (info->rebuild == BLOOMFILTER_REBUILD_NO)
        return;
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
    else if (info->insert_count > info->capacity)
        report_warning(subject,
                       "the false positive rate is now about %.3g, %.3g times the target %.3g: it "
                       "holds %s and was made for %" PRIu64 ". Build it anew with a larger -n.",
                       info->current_fpr, info->current_fpr / info->target_fpr, info->target_fpr,
                       held, info->capacity);
    else
        report_warning(subject,
                       "the false positive rate is now about %.3g, %.3g times the target %.3g, "
                       "with no more keys than it was made for: in a small filter the positions "
                       "of a key overlap too often, and chance counts. 'bloomfilter plan' tells "
                       "which shape keeps to its target.",
                       info->current_fpr, info->current_fpr / info->target_fpr, info->target_fpr);
}
