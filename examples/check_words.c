/* SPDX-License-Identifier: MIT */
/*
 * Loads a filter and holds it to its two promises: no member is denied, and the rate of false
 * positives is the one that the filter states.
 *
 *     cc check_words.c -lbloom -lm -o check_words
 *     ./check_words FILTER MEMBERS OTHERS
 *
 * MEMBERS and OTHERS are files of words, one a line: those that were added, and others, none of
 * which was. Exits 0 when both promises hold, 1 when one does not, 2 on an error.
 */
#define _POSIX_C_SOURCE 200809L

#include <bloomfilter.h>
#include <inttypes.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/types.h>
#include <time.h>

/* Chance alone crosses this many standard errors once in 16,000 runs. */
#define TOLERATED_ERRORS 4.0

struct count {
    uint64_t asked;
    uint64_t found;
    double seconds;
};

static void stop(const char *what, const char *why)
{
    fprintf(stderr, "check_words: %s: %s\n", what, why);
    exit(2);
}

static double now(void)
{
    struct timespec time;

    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

/* Asks the filter for every line of a file. The time is that of reading and asking. */
static struct count ask_all(const bloomfilter *filter, const char *path)
{
    struct count count = {0, 0, 0.0};
    double start = now();
    FILE *file = fopen(path, "r");
    char *line = NULL;
    size_t room = 0;
    ssize_t size;

    if (file == NULL)
        stop(path, "cannot be opened");
    while ((size = getline(&line, &room, file)) >= 0) {
        if (size > 0 && line[size - 1] == '\n')
            size--;
        count.asked++;
        if (bloomfilter_contains(filter, line, (size_t)size))
            count.found++;
    }
    if (ferror(file))
        stop(path, "cannot be read");
    free(line);
    fclose(file);
    count.seconds = now() - start;
    if (count.asked == 0)
        stop(path, "has no words");
    return count;
}

static int check_members(const struct count *members)
{
    uint64_t denied = members->asked - members->found;

    printf("\nmembers asked     %10" PRIu64 "   in %.2f s\n", members->asked, members->seconds);
    printf("false negatives   %10" PRIu64 "   %s\n", denied,
           denied == 0 ? "as promised: none, ever" : "BROKEN: a member was denied");
    return denied == 0 ? 0 : 1;
}

static int check_others(const struct count *others, const bloomfilter_info *info)
{
    double rate = (double)others->found / (double)others->asked;
    double error = sqrt(info->current_fpr * (1.0 - info->current_fpr) / (double)others->asked);
    double distance = (rate - info->current_fpr) / error;
    int is_right = fabs(distance) <= TOLERATED_ERRORS;

    printf("\nothers asked      %10" PRIu64 "   in %.2f s\n", others->asked, others->seconds);
    printf("false positives   %10" PRIu64 "\n", others->found);
    printf("\ntarget rate       %8.4f %%\n", info->target_fpr * 100.0);
    printf("predicted rate    %8.4f %%   from the bits that are set\n", info->current_fpr * 100.0);
    printf("measured rate     %8.4f %%   standard error %.4f %%\n", rate * 100.0, error * 100.0);
    printf("                  %+10.1f   standard errors from the prediction: %s\n", distance,
           is_right ? "as promised" : "BROKEN: more than chance explains");
    return is_right ? 0 : 1;
}

static void tell_savings(const struct count *others)
{
    uint64_t saved = others->asked - others->found;

    printf("\nlook-ups saved    %10" PRIu64 "   of %" PRIu64 " that would have found nothing\n",
           saved, others->asked);
    printf("                  %10.1f s of waiting, at 1 ms each\n", (double)saved * 1e-3);
}

int main(int argc, char **argv)
{
    bloomfilter *filter;
    bloomfilter_info info = BLOOMFILTER_INFO_INIT;
    struct count members, others;
    int code, failures;

    if (argc != 4) {
        fprintf(stderr, "usage: check_words FILTER MEMBERS OTHERS\n");
        return 2;
    }
    code = bloomfilter_load(&filter, argv[1], NULL);
    if (code < 0)
        stop(argv[1], bloomfilter_strerror(code));
    code = bloomfilter_get_info(filter, &info);
    if (code < 0)
        stop(argv[1], bloomfilter_strerror(code));
    members = ask_all(filter, argv[2]);
    others = ask_all(filter, argv[3]);
    bloomfilter_free(filter);

    failures = check_members(&members);
    failures += check_others(&others, &info);
    tell_savings(&others);
    return failures == 0 ? 0 : 1;
}
