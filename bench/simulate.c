/* SPDX-License-Identifier: MIT */

/*
 * Simulates Bloom filters with perfect random hashes and sets their false positive rate beside
 * the prediction of src/sizing/. It builds filters bit by bit and counts the queries
 * that they let through; it shares no arithmetic with the prediction.
 *
 *   cc -std=c11 -O2 -Isrc bench/simulate.c src/sizing/{blocks,independent,prediction,progressions}.c -lm -o simulate
 *   ./simulate --help
 *
 * A run is deterministic: the same arguments give the same numbers.
 */

#include "random.h"
#include "sizing/prediction.h"
#include "sizing/sizing.h"

#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    EXHAUSTIVE_BIT_COUNT = 512, /* up to here every step is tried, above only a sample */
    SAMPLED_STEPS = 32,
    MAX_HASH_COUNT = 255,
    WORD_BITS = 32,
    WORDS = 8, /* of a block */
    BLOCK_BITS = WORD_BITS * WORDS
};

static const double DEFAULT_WORK = 1e9;
static const double MAX_BIT_COUNT = 4e9; /* a byte of memory each */
static const double MAX_KEY_COUNT = 1e8;
static const double MAX_FILTERS = 4e6;

struct plan {
    enum position_model model;
    uint64_t bit_count;
    uint32_t hash_count;
    uint64_t key_count;
    double target_fpr; /* 0: bit_count and hash_count were given */
    double work;       /* cells to visit in all; fixes the number of filters */
    uint64_t seed;
};

struct result {
    double rate;
    double standard_error;
    double current; /* bloomfilter_prediction_current_fpr of each filter, averaged */
    uint64_t filters;
};

/* One filter, a byte per bit, with the steps of its keys. */
struct filter {
    unsigned char *cells;
    uint64_t *steps; /* sorted, each with its negative and their doubles: 4 * key_count of them */
    uint64_t step_count;
    uint64_t *short_steps; /* all that come back to the start within hash_count additions */
    uint64_t short_step_count;
    double *
        current; /* bloomfilter_prediction_current_fpr by the number of bits set; 0: not yet asked for */
};

/* ---- Random numbers ---- */

static uint64_t random_step(uint64_t bit_count)
{
    uint64_t step = random_64() % bit_count;

    return step == 0 ? 1 : step;
}

/* ---- Filters ---- */

static int compare_steps(const void *left, const void *right)
{
    uint64_t a = *(const uint64_t *)left;
    uint64_t b = *(const uint64_t *)right;

    return (a > b) - (a < b);
}

static void remember_step(struct filter *filter, uint64_t bit_count, uint64_t step)
{
    uint64_t doubled = step * 2 % bit_count;
    uint64_t related[4] = {step, bit_count - step, doubled, bit_count - doubled};

    for (int i = 0; i < 4; i++) {
        uint64_t value = related[i] % bit_count;
        filter->steps[filter->step_count++] = value == 0 ? 1 : value;
    }
}

static void add_progression(struct filter *filter, const struct plan *plan)
{
    uint64_t position = random_64() % plan->bit_count;
    uint64_t step = random_step(plan->bit_count);

    for (uint32_t i = 0; i < plan->hash_count; i++) {
        filter->cells[position] = 1;
        position += step;
        position -= position >= plan->bit_count ? plan->bit_count : 0;
    }
    if (plan->bit_count > EXHAUSTIVE_BIT_COUNT)
        remember_step(filter, plan->bit_count, step);
}

/* One bit in each word of a block. */
static void add_to_block(struct filter *filter, const struct plan *plan)
{
    uint64_t block = random_64() % (plan->bit_count / BLOCK_BITS);

    for (uint32_t i = 0; i < WORDS; i++)
        filter->cells[block * BLOCK_BITS + i * WORD_BITS + random_64() % WORD_BITS] = 1;
}

static void fill_filter(struct filter *filter, const struct plan *plan)
{
    memset(filter->cells, 0, (size_t)plan->bit_count);
    filter->step_count = 0;
    for (uint64_t key = 0; key < plan->key_count; key++) {
        if (plan->model == POSITION_MODEL_PROGRESSION) {
            add_progression(filter, plan);
            continue;
        }
        if (plan->model == POSITION_MODEL_BLOCKS) {
            add_to_block(filter, plan);
            continue;
        }
        for (uint32_t i = 0; i < plan->hash_count; i++)
            filter->cells[random_64() % plan->bit_count] = 1;
    }
    qsort(filter->steps, (size_t)filter->step_count, sizeof *filter->steps, compare_steps);
}

static uint64_t greatest_common_divisor(uint64_t a, uint64_t b)
{
    while (b != 0) {
        uint64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

/* Lists the steps whose order is at most limit: at most limit^2 / 2 of them. */
static void list_short_steps(struct filter *filter, uint64_t bit_count, uint32_t limit)
{
    filter->short_step_count = 0;
    for (uint64_t order = 2; order <= limit && order < bit_count; order++) {
        if (bit_count % order != 0)
            continue;
        for (uint64_t i = 1; i < order; i++)
            if (greatest_common_divisor(i, order) == 1)
                filter->short_steps[filter->short_step_count++] = i * (bit_count / order);
    }
}

static uint64_t count_set(const struct filter *filter, uint64_t bit_count)
{
    uint64_t set = 0;

    for (uint64_t i = 0; i < bit_count; i++)
        set += filter->cells[i];
    return set;
}

/* ---- Queries ---- */

/*
 * Of all bit_count first positions, the share whose progression with this step is all set. A step
 * walks the cells in cycles; a query passes where hash_count cells in a row are set.
 */
static double passing_share(const struct filter *filter, const struct plan *plan, uint64_t step)
{
    uint64_t cycles = greatest_common_divisor(step, plan->bit_count);
    uint64_t length = plan->bit_count / cycles;
    uint64_t needed = plan->hash_count < length ? plan->hash_count : length;
    uint64_t passed = 0;

    for (uint64_t cycle = 0; cycle < cycles; cycle++) {
        uint64_t position = cycle;
        uint64_t run = 0;

        for (uint64_t i = 0; i < length + needed - 1; i++) {
            run = (run + 1) * filter->cells[position];
            passed += (uint64_t)(i + 1 >= needed) & (uint64_t)(run >= needed);
            position += step;
            position -= position >= plan->bit_count ? plan->bit_count : 0;
        }
    }
    return (double)passed / (double)plan->bit_count;
}

/* The exact rate of one filter: every step, each with its probability; -step visits the same. */
static double exhaustive_rate(const struct filter *filter, const struct plan *plan)
{
    uint64_t bits = plan->bit_count;
    double sum = 0;

    if (bits == 1)
        return filter->cells[0];
    for (uint64_t step = 1; step <= bits / 2; step++) {
        double weight = step * 2 == bits ? 1 : 2;
        sum += (weight + (step == 1)) * passing_share(filter, plan, step);
    }
    return sum / (double)bits;
}

static uint64_t lower_bound(const struct filter *filter, uint64_t step)
{
    uint64_t low = 0;
    uint64_t high = filter->step_count;

    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        if (filter->steps[middle] < step)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* The probability with which draw_step draws this step. */
static double draw_probability(const struct filter *filter, const struct plan *plan, uint64_t step)
{
    double natural = (step == 1 ? 2.0 : 1.0) / (double)plan->bit_count;
    double stored = natural;
    double brief = natural;

    if (filter->step_count > 0) {
        uint64_t copies = lower_bound(filter, step + 1) - lower_bound(filter, step);
        stored = (double)copies / (double)filter->step_count;
    }
    if (filter->short_step_count > 0) {
        uint64_t order = plan->bit_count / greatest_common_divisor(step, plan->bit_count);
        brief = order <= plan->hash_count ? 1 / (double)filter->short_step_count : 0;
    }
    return natural / 4 + stored / 2 + brief / 4;
}

static uint64_t draw_step(const struct filter *filter, const struct plan *plan)
{
    uint64_t kind = random_64() >> 62;

    if (kind >= 2 && filter->step_count > 0)
        return filter->steps[random_64() % filter->step_count];
    if (kind == 1 && filter->short_step_count > 0)
        return filter->short_steps[random_64() % filter->short_step_count];
    return random_step(plan->bit_count);
}

/*
 * An unbiased estimate of the rate of one filter. False positives cluster at the steps of stored
 * keys and at steps that soon repeat, so most of the sample is drawn from those, and each is
 * weighted by (probability under the scheme) / (probability under this sampling).
 */
static double sampled_rate(const struct filter *filter, const struct plan *plan)
{
    double sum = 0;

    for (int i = 0; i < SAMPLED_STEPS; i++) {
        uint64_t step = draw_step(filter, plan);
        double natural = (step == 1 ? 2.0 : 1.0) / (double)plan->bit_count;

        sum += natural / draw_probability(filter, plan, step) * passing_share(filter, plan, step);
    }
    return sum / (double)SAMPLED_STEPS;
}

/* The exact rate of one filter of blocks: a query has any block, and any bit of each word. */
static double rate_of_blocks(const struct filter *filter, const struct plan *plan)
{
    double sum = 0;

    for (uint64_t block = 0; block < plan->bit_count; block += BLOCK_BITS) {
        double rate = 1;
        for (uint64_t word = block; word < block + BLOCK_BITS; word += WORD_BITS) {
            unsigned set = 0;
            for (uint64_t i = 0; i < WORD_BITS; i++)
                set += filter->cells[word + i];
            rate *= set / (double)WORD_BITS;
        }
        sum += rate;
    }
    return sum / (double)(plan->bit_count / BLOCK_BITS);
}

static double filter_rate(const struct filter *filter, const struct plan *plan, uint64_t bits_set)
{
    if (plan->model == POSITION_MODEL_INDEPENDENT)
        return pow((double)bits_set / (double)plan->bit_count, plan->hash_count);
    if (plan->model == POSITION_MODEL_BLOCKS)
        return rate_of_blocks(filter, plan);
    if (plan->bit_count <= EXHAUSTIVE_BIT_COUNT)
        return exhaustive_rate(filter, plan);
    return sampled_rate(filter, plan);
}

/* ---- Simulation ---- */

static struct prediction_shape shape_of(const struct plan *plan)
{
    return (struct prediction_shape){.model = plan->model,
                                     .hash_bits = 64,
                                     .bit_count = plan->bit_count,
                                     .hash_count = plan->hash_count};
}

static double filters_for(const struct plan *plan)
{
    double bits = (double)plan->bit_count;
    double work = bits + (double)plan->key_count * (plan->hash_count + 8.0);

    if (plan->model == POSITION_MODEL_PROGRESSION) {
        bool exhaustive = plan->bit_count <= EXHAUSTIVE_BIT_COUNT;
        work += bits * (exhaustive ? bits / 2 : (double)SAMPLED_STEPS);
    }
    return fmin((double)MAX_FILTERS, fmax(2, floor(plan->work / work)));
}

static double current_rate(const struct filter *filter, const struct plan *plan, uint64_t bits_set)
{
    struct prediction_shape shape = shape_of(plan);

    if (filter->current[bits_set] <= 0)
        filter->current[bits_set] = bloomfilter_prediction_current_fpr(&shape, bits_set);
    return filter->current[bits_set];
}

static struct result simulate(const struct plan *plan, struct filter *filter)
{
    double filters = filters_for(plan);
    struct result result = {.filters = (uint64_t)filters};
    double squares = 0;

    random_seed(plan->seed);
    list_short_steps(filter, plan->bit_count, plan->hash_count);
    for (uint64_t i = 1; i <= result.filters; i++) {
        fill_filter(filter, plan);
        uint64_t bits_set = count_set(filter, plan->bit_count);
        double rate = filter_rate(filter, plan, bits_set);
        double change = rate - result.rate;

        result.rate += change / (double)i;
        squares += change * (rate - result.rate);
        result.current += (current_rate(filter, plan, bits_set) - result.current) / (double)i;
    }
    result.standard_error = sqrt(squares / (filters - 1) / filters);
    return result;
}

/* ---- Output ---- */

static void print_header(void)
{
    puts("| positions | n | m | k | p | simulated (± 1 s.e.) | expected | expected / simulated "
         "| current / simulated | filters |");
    puts("| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |");
}

static void print_row(const struct plan *plan, const struct result *result)
{
    struct prediction_shape shape = shape_of(plan);
    double expected = bloomfilter_prediction_expected_fpr(&shape, plan->key_count);
    static const char *const names[] = {[POSITION_MODEL_INDEPENDENT] = "independent",
                                        [POSITION_MODEL_PROGRESSION] = "progression",
                                        [POSITION_MODEL_BLOCKS] = "blocks"};

    printf("| %s | %" PRIu64 " | %" PRIu64 " | %" PRIu32 " | ", names[plan->model], plan->key_count,
           plan->bit_count, plan->hash_count);
    if (plan->target_fpr > 0)
        printf("%g", plan->target_fpr);
    printf(" | %.4g ± %.1g | %.4g | %.3f | %.3f | %" PRIu64 " |\n", result->rate,
           result->standard_error, expected, expected / result->rate,
           result->current / result->rate, result->filters);
    fflush(stdout);
}

static void release(struct filter *filter)
{
    free(filter->cells);
    free(filter->steps);
    free(filter->short_steps);
    free(filter->current);
}

static bool run(const struct plan *plan)
{
    size_t short_steps = (size_t)plan->hash_count * plan->hash_count;
    struct filter filter = {.cells = malloc((size_t)plan->bit_count),
                            .steps = calloc((size_t)plan->key_count * 4 + 1, sizeof(uint64_t)),
                            .short_steps = calloc(short_steps, sizeof(uint64_t)),
                            .current = calloc((size_t)plan->bit_count + 1, sizeof(double))};
    bool allocated = filter.cells != NULL && filter.steps != NULL && filter.short_steps != NULL &&
                     filter.current != NULL;

    if (allocated) {
        struct result result = simulate(plan, &filter);
        print_row(plan, &result);
    } else {
        fprintf(stderr, "simulate: not enough memory for %" PRIu64 " bits\n", plan->bit_count);
    }
    release(&filter);
    return allocated;
}

/* ---- Command line ---- */

/* bit_count and hash_count for key_count keys and target_fpr, as the library chooses them. */
static void size_filter(struct plan *plan)
{
    double keys = (double)plan->key_count;
    if (plan->model == POSITION_MODEL_BLOCKS) {
        double blocks = bloomfilter_sizing_block_count(plan->key_count, plan->target_fpr, WORDS);
        plan->bit_count = (uint64_t)(blocks * BLOCK_BITS);
        plan->hash_count = WORDS;
        return;
    }
    double bits = ceil(-keys * log(plan->target_fpr) / (log(2) * log(2)));

    plan->bit_count = (uint64_t)bits;
    plan->hash_count = (uint32_t)fmax(1, nearbyint(bits / keys * log(2)));
}

/*
 * The rows of docs/false-positive-rate.md: model, bit_count, hash_count, key_count, target_fpr.
 * First filters sized for a target, then filters of a given shape.
 */
static const struct plan table_rows[] = {
    {POSITION_MODEL_PROGRESSION, 0, 0, 1000, 1e-3, 0, 0},
    {POSITION_MODEL_PROGRESSION, 0, 0, 100, 1e-4, 0, 0},
    {POSITION_MODEL_PROGRESSION, 0, 0, 100, 1e-7, 0, 0},
    {POSITION_MODEL_PROGRESSION, 0, 0, 1000, 1e-6, 0, 0},
    {POSITION_MODEL_PROGRESSION, 0, 0, 1000, 1e-8, 0, 0},
    {POSITION_MODEL_PROGRESSION, 0, 0, 10000, 1e-6, 0, 0},
    {POSITION_MODEL_PROGRESSION, 0, 0, 10000, 1e-8, 0, 0},
    {POSITION_MODEL_PROGRESSION, 0, 0, 100, 0.01, 0, 0},
    {POSITION_MODEL_PROGRESSION, 0, 0, 100000, 1e-5, 0, 0},
    {POSITION_MODEL_PROGRESSION, 0, 0, 50, 1e-3, 0, 0},
    {POSITION_MODEL_PROGRESSION, 0, 0, 500, 0.3, 0, 0},
    {POSITION_MODEL_PROGRESSION, 0, 0, 30, 1e-8, 0, 0},
    {POSITION_MODEL_PROGRESSION, 1024, 7, 50, 0, 0, 0},
    {POSITION_MODEL_PROGRESSION, 1024, 7, 150, 0, 0, 0},
    {POSITION_MODEL_PROGRESSION, 4096, 10, 280, 0, 0, 0},
    {POSITION_MODEL_PROGRESSION, 65536, 20, 2270, 0, 0, 0},
    {POSITION_MODEL_PROGRESSION, 65537, 20, 2270, 0, 0, 0},
    {POSITION_MODEL_PROGRESSION, 1260, 13, 67, 0, 0, 0},
    {POSITION_MODEL_PROGRESSION, 5040, 20, 175, 0, 0, 0},
    {POSITION_MODEL_PROGRESSION, 27720, 27, 700, 0, 0, 0},
    {POSITION_MODEL_PROGRESSION, 1000, 50, 30, 0, 0, 0},
    {POSITION_MODEL_PROGRESSION, 1009, 160, 8, 0, 0, 0},
    {POSITION_MODEL_PROGRESSION, 4099, 100, 66, 0, 0, 0},
    {POSITION_MODEL_PROGRESSION, 251, 7, 25, 0, 0, 0},
    {POSITION_MODEL_PROGRESSION, 100, 5, 14, 0, 0, 0},
    {POSITION_MODEL_PROGRESSION, 48, 4, 8, 0, 0, 0},
    {POSITION_MODEL_INDEPENDENT, 0, 0, 100, 0.01, 0, 0},
    {POSITION_MODEL_INDEPENDENT, 0, 0, 30, 1e-8, 0, 0},
    {POSITION_MODEL_INDEPENDENT, 1000, 40, 60, 0, 0, 0},
    {POSITION_MODEL_INDEPENDENT, 100, 5, 14, 0, 0, 0},
    {POSITION_MODEL_BLOCKS, 0, 0, 100000, 0.01, 0, 0},
    {POSITION_MODEL_BLOCKS, 0, 0, 100000, 1e-3, 0, 0},
    {POSITION_MODEL_BLOCKS, 0, 0, 100000, 1e-4, 0, 0},
    {POSITION_MODEL_BLOCKS, 0, 0, 100000, 1e-6, 0, 0},
    {POSITION_MODEL_BLOCKS, 0, 0, 100, 0.01, 0, 0},
    {POSITION_MODEL_BLOCKS, 0, 0, 100, 1e-4, 0, 0},
    {POSITION_MODEL_BLOCKS, 256000, 8, 12000, 0, 0, 0},
    {POSITION_MODEL_BLOCKS, 256000, 8, 50000, 0, 0, 0},
    {POSITION_MODEL_BLOCKS, 256, 8, 24, 0, 0, 0},
};

static bool print_table(double work, uint64_t seed)
{
    bool succeeded = true;

    print_header();
    for (size_t i = 0; succeeded && i < sizeof table_rows / sizeof table_rows[0]; i++) {
        struct plan plan = table_rows[i];

        plan.work = work;
        plan.seed = seed;
        if (plan.target_fpr > 0)
            size_filter(&plan);
        succeeded = run(&plan);
    }
    return succeeded;
}

static void print_usage(FILE *stream)
{
    fputs("usage: simulate [--independent] -n KEYS -p RATE [--work CELLS] [--seed SEED]\n"
          "       simulate --blocks -n KEYS (-p RATE | -m BITS -k 8) [--work CELLS] [--seed SEED]\n"
          "       simulate [--independent] -n KEYS -m BITS -k HASHES [--work CELLS] [--seed SEED]\n"
          "       simulate --table [--work CELLS] [--seed SEED]\n"
          "\n"
          "Builds filters with perfect random hashes, finds their false positive rate, and prints\n"
          "it beside the prediction, as a row of a Markdown table.\n"
          "\n"
          "  -n KEYS        keys stored in each filter\n"
          "  -p RATE        size the filter for KEYS keys and this false positive rate, or\n"
          "  -m BITS        the number of bits and\n"
          "  -k HASHES      the number of positions per key\n"
          "  --independent  positions are independent; otherwise h1 + i * h2, a progression\n"
          "  --blocks       one position in each word of one block of 256 bits\n"
          "  --table        the table of docs/false-positive-rate.md\n"
          "  --work CELLS   how many cells to visit for each row: more gives a smaller standard\n"
          "                 error (default 1e9, some seconds)\n"
          "  --seed SEED    another seed, other filters (default 1)\n"
          "\n"
          "examples: simulate -n 1000 -p 1e-6\n"
          "          simulate -n 2000 -m 16384 -k 5 --work 1e10\n",
          stream);
}

static bool parse_number(const char *text, double least, double most, double *number)
{
    char *end;

    *number = strtod(text, &end);
    return end != text && *end == '\0' && *number >= least && *number <= most;
}

/* Takes one option and its value; false if there is no such option or the value is none. */
static bool parse_option(struct plan *plan, const char *option, const char *value)
{
    double number = 0;
    bool valid;

    if (value == NULL)
        return false;
    if (strcmp(option, "-n") == 0) {
        valid = parse_number(value, 1, MAX_KEY_COUNT, &number);
        plan->key_count = (uint64_t)number;
    } else if (strcmp(option, "-p") == 0) {
        valid = parse_number(value, 1e-76, 0.99, &plan->target_fpr);
    } else if (strcmp(option, "-m") == 0) {
        valid = parse_number(value, 1, MAX_BIT_COUNT, &number);
        plan->bit_count = (uint64_t)number;
    } else if (strcmp(option, "-k") == 0) {
        valid = parse_number(value, 1, MAX_HASH_COUNT, &number);
        plan->hash_count = (uint32_t)number;
    } else if (strcmp(option, "--work") == 0) {
        valid = parse_number(value, 1, 1e18, &plan->work);
    } else if (strcmp(option, "--seed") == 0) {
        valid = parse_number(value, 0, 1e15, &number);
        plan->seed = (uint64_t)number;
    } else {
        valid = false;
    }
    return valid;
}

static bool is_complete(struct plan *plan)
{
    if (plan->key_count == 0)
        return false;
    if (plan->target_fpr > 0) {
        bool sized_twice = plan->bit_count > 0 || plan->hash_count > 0;
        size_filter(plan);
        return !sized_twice && (double)plan->bit_count <= MAX_BIT_COUNT;
    }
    return plan->bit_count > 0 && plan->hash_count > 0;
}

int main(int argc, char *argv[])
{
    struct plan plan = {.model = POSITION_MODEL_PROGRESSION, .work = DEFAULT_WORK, .seed = 1};
    bool table = false;

    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--help") == 0) {
            print_usage(stdout);
            return EXIT_SUCCESS;
        }
        if (strcmp(argv[i], "--independent") == 0) {
            plan.model = POSITION_MODEL_INDEPENDENT;
        } else if (strcmp(argv[i], "--blocks") == 0) {
            plan.model = POSITION_MODEL_BLOCKS;
        } else if (strcmp(argv[i], "--table") == 0) {
            table = true;
        } else if (parse_option(&plan, argv[i], argv[i + 1])) {
            i++;
        } else {
            fprintf(stderr, "simulate: what to do with '%s'?\n\n", argv[i]);
            print_usage(stderr);
            return 2;
        }
    }
    if (table)
        return print_table(plan.work, plan.seed) ? EXIT_SUCCESS : EXIT_FAILURE;
    if (!is_complete(&plan)) {
        fputs("simulate: give -n and either -p or both -m and -k\n\n", stderr);
        print_usage(stderr);
        return 2;
    }
    if (plan.model == POSITION_MODEL_BLOCKS &&
        (plan.bit_count % BLOCK_BITS != 0 || plan.hash_count != WORDS)) {
        fputs("simulate: blocks have 256 bits and 8 positions per key\n", stderr);
        return 2;
    }
    print_header();
    return run(&plan) ? EXIT_SUCCESS : EXIT_FAILURE;
}
