/* SPDX-License-Identifier: MIT */
/*
 * Ways to make the k positions of a key from one digest, side by side: filters are built with each
 * of them, and the rate at which they let random queries through is divided by what independent
 * positions would give (src/sizing/independent.c). 1.00 is as good as independent.
 *
 *   cmake --preset default && cmake --build build/default --target compare-constructions
 *   build/default/compare-constructions --help
 *
 * A run is deterministic: the same arguments give the same numbers.
 */

#include "random.h"
#include "sizing/prediction.h"
#include "sizing/sizing.h"
#include "support/blake2b.h"
#include "support/bytes.h"

#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ALWAYS_INLINE static inline __attribute__((always_inline))

__extension__ typedef unsigned __int128 uint128;

enum construction {
    INDEPENDENT, /* the control: every position is random */
    DOUBLE_MODULO,
    DOUBLE_SHIFT,
    TRIPLE,
    ENHANCED,
    ONE_MULTIPLICATION,
    SPLITMIX,
    CONSTRUCTIONS
};

enum { MAX_WORDS = 3, SPOTS = 512 };

static const struct {
    const char *name;
    const char *formula; /* of position i, from the words a, b, c of a digest */
    int words;
    double effort; /* more work for those that are to be told from independent ones */
} known[CONSTRUCTIONS] = {
    [INDEPENDENT] = {"independent", "random", 0, 1},
    [DOUBLE_MODULO] = {"double", "(a + i*b) mod m; b = 1 if b mod m = 0", 2, 1},
    [DOUBLE_SHIFT] = {"double-2^64", "floor(((a + i*b) mod 2^64) * m / 2^64)", 2, 1},
    [TRIPLE] = {"triple", "(a + i*b + i(i-1)/2*c) mod m", 3, 3},
    [ENHANCED] = {"enhanced-double", "(a + i*b + (i^3-i)/6) mod m", 2, 1},
    [ONE_MULTIPLICATION] = {"one-multiplication",
                            "floor(x * m / 2^64), x = (z ^ z>>32) * 0x9E3779B97F4A7C15, "
                            "z = a + (i+1)*(b|1) mod 2^64",
                            2, 15},
    [SPLITMIX] = {"splitmix64",
                  "floor(x * m / 2^64), x = SplitMix64's mix of a + (i+1)*(b|1) mod 2^64", 2, 100},
};

enum keys { RANDOM_WORDS, SEQUENTIAL, SIMILAR };
static const char *const key_names[] = {"random words", "sequential", "similar"};

struct plan {
    enum construction construction;
    enum keys keys;
    uint64_t key_count;
    double target_fpr;
    uint64_t bit_count;
    uint32_t hash_count;
    uint64_t filters;
    uint64_t queries; /* of each filter */
    uint64_t seed;
};

struct result {
    double ratio;
    double standard_error;
};

/* ---- The constructions ---- */

static inline uint64_t scale(uint64_t x, uint64_t m)
{
    return (uint64_t)((uint128)x * m >> 64);
}

/* Position i. No product wraps that must not: i is below (SPOTS + 1) * 255, m below 2^27. */
ALWAYS_INLINE uint64_t position(enum construction construction, const uint64_t w[], uint64_t i,
                                uint64_t m)
{
    uint64_t z = w[0] + (i + 1) * (w[1] | 1);

    switch (construction) {
    case DOUBLE_MODULO:
        return (w[0] % m + i * (w[1] % m == 0 ? 1 : w[1] % m)) % m;
    case DOUBLE_SHIFT:
        return scale(w[0] + i * w[1], m);
    case TRIPLE:
        return (w[0] % m + i * (w[1] % m) + i * (i - 1) / 2 * (w[2] % m)) % m;
    case ENHANCED:
        return (w[0] % m + i * (w[1] % m) + (i * i * i - i) / 6) % m;
    case ONE_MULTIPLICATION:
        return scale((z ^ z >> 32) * UINT64_C(0x9E3779B97F4A7C15), m);
    case SPLITMIX:
        return scale(splitmix64_mix(z), m);
    case INDEPENDENT:
    default:
        return scale(random_64(), m);
    }
}

/* ---- Keys ---- */

/* The bits of a number, far apart in a long key of zeros: keys that differ in few bits. */
static void write_similar(uint8_t key[128], uint64_t number)
{
    uint64_t gray = number ^ number >> 1; /* neighbours differ in one bit */
    memset(key, 0, 128);
    for (int i = 0; i < 40; i++)
        key[3 * i] = (uint8_t)(gray >> i & 1);
}

static void digest_words(const void *key, size_t size, int count, uint64_t words[])
{
    uint8_t digest[8 * MAX_WORDS];
    blake2b_state state;
    bloomfilter_blake2b_start(&state, 8 * (size_t)count, "bloom-wide", NULL, NULL);
    bloomfilter_blake2b_update(&state, key, size);
    bloomfilter_blake2b_finish(&state, digest, 8 * (size_t)count);
    for (int i = 0; i < count; i++)
        words[i] = bytes_load_be64(digest + 8 * i);
}

/*
 * The words of a key of filter number `filter`: one that is stored, or one that is asked for. Of
 * sequential keys, even ones are stored and odd ones asked for. Of similar keys, stored ones are
 * asked for with one of their other bits flipped.
 */
static void key_words(const struct plan *plan, uint64_t filter, uint64_t number, bool is_query,
                      uint64_t words[])
{
    int count = known[plan->construction].words;
    uint8_t key[128];
    char text[32];

    if (plan->keys == RANDOM_WORDS) {
        for (int i = 0; i < count; i++)
            words[i] = random_64();
    } else if (plan->keys == SEQUENTIAL) {
        number += number + is_query + (filter << 40);
        int size = snprintf(text, sizeof text, "user:%" PRIu64, number);
        digest_words(text, (size_t)size, count, words);
    } else {
        uint64_t flipped = number / plan->key_count;
        write_similar(key, number % plan->key_count + (filter << 22));
        if (is_query)
            key[1 + flipped / 8 % 40 * 3] = (uint8_t)(1 << flipped % 8);
        digest_words(key, sizeof key, count, words);
    }
}

/* Similar keys run out when every bit was flipped. */
static const uint64_t SIMILAR_QUERIES = 320;

/* ---- Filters ---- */

ALWAYS_INLINE void fill(enum construction construction, const struct plan *plan, uint64_t filter,
                        uint8_t cells[])
{
    memset(cells, 0, (size_t)(plan->bit_count / 8 + 1));
    for (uint64_t key = 0; key < plan->key_count; key++) {
        uint64_t words[MAX_WORDS] = {0};
        key_words(plan, filter, key, false, words);
        for (uint32_t i = 0; i < plan->hash_count; i++) {
            uint64_t at = position(construction, words, i, plan->bit_count);
            cells[at / 8] |= (uint8_t)(1 << at % 8);
        }
    }
}

ALWAYS_INLINE unsigned bit_at(enum construction construction, const struct plan *plan,
                              const uint8_t cells[], const uint64_t words[], uint64_t i)
{
    uint64_t at = position(construction, words, i, plan->bit_count);
    return cells[at / 8] >> at % 8 & 1;
}

ALWAYS_INLINE bool passes(enum construction construction, const struct plan *plan,
                          const uint8_t cells[], const uint64_t words[])
{
    uint32_t i = 0;
    while (i < plan->hash_count && bit_at(construction, plan, cells, words, i))
        i++;
    return i == plan->hash_count;
}

/*
 * Where the positions from 1 on are those of another key, as random as the first, one sequence of
 * positions is many queries: all windows of hash_count positions in a row. Each of them has one of
 * every hash_count positions in it, a spot, and passes if all bits about its spot are set. So most
 * spots are soon done with.
 */
static bool is_walked(const struct plan *plan)
{
    return plan->keys == RANDOM_WORDS && plan->construction != INDEPENDENT &&
           plan->construction != ENHANCED;
}

/* Keeps the spots with a bit set so many positions on; without a branch, which would be random. */
ALWAYS_INLINE size_t keep_set(enum construction construction, const struct plan *plan,
                              const uint8_t cells[], const uint64_t words[], uint64_t spots[],
                              size_t count, uint64_t distance)
{
    size_t kept = 0;
    for (size_t i = 0; i < count; i++) {
        uint64_t spot = spots[i];
        spots[kept] = spot;
        kept += bit_at(construction, plan, cells, words, spot + distance);
    }
    return kept;
}

/* How many positions in a row are set beside a spot, in one direction (1 or -1), up to k - 1. */
ALWAYS_INLINE uint64_t run_beside(enum construction construction, const struct plan *plan,
                                  const uint8_t cells[], const uint64_t words[], uint64_t spot,
                                  uint64_t direction)
{
    uint64_t run = 0;
    while (run < plan->hash_count - 1u &&
           bit_at(construction, plan, cells, words, spot + direction * (run + 1)))
        run++;
    return run;
}

/* Of SPOTS * hash_count queries. Of one that passes, one side of its spot has half or more. */
ALWAYS_INLINE uint64_t count_passing(enum construction construction, const struct plan *plan,
                                     const uint8_t cells[], const uint64_t words[])
{
    uint64_t others = plan->hash_count - 1u;
    uint64_t half = others / 2;
    uint64_t spots[SPOTS];
    uint64_t passed = 0;

    for (uint64_t i = 0; i < SPOTS; i++)
        spots[i] = others + i * plan->hash_count;
    size_t set = keep_set(construction, plan, cells, words, spots, SPOTS, 0);
    for (int side = 0; side < 2; side++) {
        uint64_t direction = side == 0 ? 1 : UINT64_MAX;
        uint64_t some[SPOTS];
        size_t count = set;
        memcpy(some, spots, sizeof some);
        for (uint64_t i = 1; i <= half; i++)
            count = keep_set(construction, plan, cells, words, some, count, direction * i);
        for (size_t i = 0; i < count; i++) {
            uint64_t after = run_beside(construction, plan, cells, words, some[i], 1);
            uint64_t before = run_beside(construction, plan, cells, words, some[i], UINT64_MAX);
            bool is_counted = side == 1 && after >= half;
            passed += before + after >= others && !is_counted ? before + after - others + 1 : 0;
        }
    }
    return passed;
}

ALWAYS_INLINE double simulate_one(enum construction construction, const struct plan *plan,
                                  uint64_t filter, uint8_t cells[])
{
    uint64_t walk = is_walked(plan) ? (uint64_t)SPOTS * plan->hash_count : 1;
    uint64_t passed = 0;

    fill(construction, plan, filter, cells);
    for (uint64_t query = 0; query < plan->queries; query += walk) {
        uint64_t words[MAX_WORDS] = {0};
        key_words(plan, filter, query, true, words);
        passed += walk > 1 ? count_passing(construction, plan, cells, words)
                           : passes(construction, plan, cells, words);
    }
    return (double)passed / (double)plan->queries;
}

/* One copy of the loops for each construction. */
static double simulate(const struct plan *plan, uint64_t filter, uint8_t cells[])
{
#define CASE(construction)                                                                         \
    case construction:                                                                             \
        return simulate_one(construction, plan, filter, cells)
    switch (plan->construction) {
        CASE(INDEPENDENT);
        CASE(DOUBLE_MODULO);
        CASE(DOUBLE_SHIFT);
        CASE(TRIPLE);
        CASE(ENHANCED);
        CASE(ONE_MULTIPLICATION);
        CASE(SPLITMIX);
    case CONSTRUCTIONS:
    default:
        return NAN;
    }
}

static double predicted(const struct plan *plan)
{
    struct prediction_shape shape = {.model = POSITION_MODEL_INDEPENDENT,
                                     .hash_bits = 64,
                                     .bit_count = plan->bit_count,
                                     .hash_count = plan->hash_count};
    return bloomfilter_prediction_expected_fpr(&shape, plan->key_count);
}

/* The rate over that of independent positions, averaged over filters. */
static struct result run(const struct plan *plan, uint8_t cells[])
{
    double expected = predicted(plan);
    double mean = 0;
    double squares = 0;

    random_seed(plan->seed);
    for (uint64_t i = 1; i <= plan->filters; i++) {
        double ratio = simulate(plan, i, cells) / expected;
        double change = ratio - mean;
        mean += change / (double)i;
        squares += change * (ratio - mean);
    }
    double filters = (double)plan->filters;
    return (struct result){mean, sqrt(squares / (filters - 1) / filters)};
}

/* ---- How much of each ---- */

/* Tests of single bits, about, that a query takes. */
static double tests_per_query(const struct plan *plan)
{
    return is_walked(plan) ? 3.0 / plan->hash_count : 2;
}

/* So many queries that `work` tests are made, or that enough of them pass. */
static void share_work(struct plan *plan, double work)
{
    double enough_passing = 30000;
    double keys = (double)plan->key_count;
    double tests = plan->keys == RANDOM_WORDS ? work * known[plan->construction].effort
                                              : work / 5; /* digests take most of the time */
    double queries = fmin(tests / tests_per_query(plan), enough_passing / predicted(plan));
    double filters = fmin(1000, fmax(10, tests / 4 / (keys * plan->hash_count)));
    double walk = is_walked(plan) ? (double)SPOTS * plan->hash_count : 1;

    if (plan->keys == SIMILAR)
        filters = fmax(filters, queries / (keys * (double)SIMILAR_QUERIES));
    plan->filters = (uint64_t)ceil(filters);
    plan->queries = (uint64_t)(ceil(queries / (double)plan->filters / walk) * walk);
}

/* What to print: a table, or one row of it. */
struct arguments {
    bool table;
    enum keys keys;
    double key_count;
    double target_fpr;
    double load; /* times as many keys are stored */
    enum construction first;
    enum construction last;
    double work;
    double seed;
};

/* ---- Output ---- */

static double parse(const char *text)
{
    char *end;
    double number = strtod(text, &end);
    return end != text && *end == '\0' ? number : NAN;
}

/* Sizes a filter, fills and asks some, and prints the ratio; false without memory for it. */
static bool print_ratio(struct plan *plan, double load, double work)
{
    double bits = bloomfilter_sizing_bit_count(plan->key_count, plan->target_fpr);
    plan->bit_count = (uint64_t)bits;
    plan->hash_count = (uint32_t)bloomfilter_sizing_hash_count(plan->bit_count, plan->key_count);
    uint8_t *cells = malloc((size_t)(plan->bit_count / 8 + 1));

    if (cells == NULL)
        return false;
    plan->key_count = (uint64_t)((double)plan->key_count * load);
    share_work(plan, work);
    struct result result = run(plan, cells);
    free(cells);
    if (result.ratio >= 1000)
        printf(" %.1e ± %.0e |", result.ratio, result.standard_error);
    else
        printf(" %.*f ± %.*f |", result.ratio < 10 ? 3 : 1, result.ratio, result.ratio < 10 ? 3 : 1,
               result.standard_error);
    fflush(stdout);
    return true;
}

/* A row: filters for so many keys and such a rate, with each construction from first to last. */
static bool print_row(const struct arguments *row)
{
    bool fits = true;

    printf("| %s | %.0f | %g |", key_names[row->keys], row->key_count, row->target_fpr);
    for (int i = (int)row->first; fits && i <= (int)row->last; i++) {
        struct plan plan = {.construction = (enum construction)i,
                            .keys = row->keys,
                            .key_count = (uint64_t)row->key_count,
                            .target_fpr = row->target_fpr,
                            .seed = (uint64_t)row->seed};
        fits = print_ratio(&plan, row->load, row->work);
    }
    printf("\n");
    return fits;
}

static void print_header(enum construction first, enum construction last)
{
    printf("| keys | n | p |");
    for (int i = (int)first; i <= (int)last; i++)
        printf(" %s |", known[i].name);
    printf("\n| --- | --- | --- |");
    for (int i = (int)first; i <= (int)last; i++)
        printf(" --- |");
    printf("\n");
}

/* Rows for some key counts and rates. */
static bool print_table(struct arguments row, const double rates[], size_t rate_count)
{
    static const double key_counts[] = {100, 1000, 10000, 1000000};
    bool fits = true;

    for (size_t i = 0; i < sizeof key_counts / sizeof key_counts[0]; i++)
        for (size_t j = 0; j < rate_count; j++) {
            row.key_count = key_counts[i];
            row.target_fpr = rates[j];
            fits &= print_row(&row);
        }
    return fits;
}

/* The tables of docs/false-positive-rate.md. */
static bool print_tables(struct arguments row)
{
    static const double rates[] = {1e-2, 1e-4, 1e-6, 1e-9};
    static const double digest_rates[] = {1e-2, 1e-5}; /* digests take too long for lower ones */
    bool fits;

    print_header(INDEPENDENT, SPLITMIX);
    fits = print_table(row, rates, sizeof rates / sizeof rates[0]);
    printf("\n");
    print_header(SPLITMIX, SPLITMIX);
    row.first = row.last = SPLITMIX;
    for (int keys = SEQUENTIAL; keys <= (int)SIMILAR; keys++) {
        row.keys = (enum keys)keys;
        fits &= print_table(row, digest_rates, sizeof digest_rates / sizeof digest_rates[0]);
    }
    return fits;
}

/* ---- Command line ---- */

static void print_usage(FILE *stream)
{
    fputs(
        "usage: compare-constructions [OPTION...] -n KEYS -p RATE\n"
        "       compare-constructions [OPTION...] --table\n"
        "\n"
        "Builds filters with each construction of positions, asks them for other keys, and prints\n"
        "their false positive rate over that of independent positions, with its standard error.\n"
        "\n"
        "  -n KEYS          keys stored in each filter\n"
        "  -p RATE          the false positive rate that it is sized for\n"
        "  --load FACTOR    store so many times the KEYS that the filter is sized for (default 1)\n"
        "  --table          the tables of docs/false-positive-rate.md\n"
        "  --only NAME      one construction\n"
        "  --keys KIND      random (default: random words in place of digests), or BLAKE2b\n"
        "                   digests of sequential or similar keys\n"
        "  --work TESTS     tests of single bits for each ratio (default 2e8, times\n"
        "                   100 for splitmix64, 15 for the next best): more gives a\n"
        "                   smaller standard error\n"
        "  --seed SEED      other filters and queries (default 1)\n"
        "\n"
        "constructions, from the 64-bit words a, b, c of a digest:\n",
        stream);
    for (int i = 0; i < (int)CONSTRUCTIONS; i++)
        fprintf(stream, "  %-18s %s\n", known[i].name, known[i].formula);
}

static bool take_construction(struct arguments *arguments, const char *name)
{
    for (int i = 0; i < (int)CONSTRUCTIONS; i++)
        if (strcmp(known[i].name, name) == 0) {
            arguments->first = arguments->last = (enum construction)i;
            return true;
        }
    return false;
}

static bool take_keys(struct arguments *arguments, const char *name)
{
    for (int i = 0; i <= (int)SIMILAR; i++)
        if (strncmp(key_names[i], name, strlen(name)) == 0) {
            arguments->keys = (enum keys)i;
            return true;
        }
    return false;
}

static bool take_option(struct arguments *arguments, const char *option, const char *value)
{
    if (value == NULL)
        return false;
    if (strcmp(option, "--only") == 0)
        return take_construction(arguments, value);
    if (strcmp(option, "--keys") == 0)
        return take_keys(arguments, value);
    if (strcmp(option, "-n") == 0)
        return (arguments->key_count = parse(value)) >= 1 && arguments->key_count <= 2e6;
    if (strcmp(option, "-p") == 0)
        return (arguments->target_fpr = parse(value)) >= 1e-20 && arguments->target_fpr < 1;
    if (strcmp(option, "--load") == 0)
        return (arguments->load = parse(value)) > 0.1 && arguments->load <= 2;
    if (strcmp(option, "--work") == 0)
        return (arguments->work = parse(value)) >= 1 && arguments->work <= 1e15;
    if (strcmp(option, "--seed") == 0)
        return (arguments->seed = parse(value)) >= 0 && arguments->seed <= 1e15;
    return false;
}

static bool take_all(struct arguments *arguments, int count, char *values[])
{
    for (int i = 1; i < count; i++)
        if (strcmp(values[i], "--table") == 0)
            arguments->table = true;
        else if (take_option(arguments, values[i], values[i + 1]))
            i++;
        else
            return false;
    return arguments->table || (arguments->key_count >= 1 && arguments->target_fpr > 0);
}

int main(int argc, char *argv[])
{
    struct arguments arguments = {
        .load = 1, .first = INDEPENDENT, .last = SPLITMIX, .work = 2e8, .seed = 1};
    bool fits;

    if (argc == 2 && strcmp(argv[1], "--help") == 0) {
        print_usage(stdout);
        return EXIT_SUCCESS;
    }
    if (!take_all(&arguments, argc, argv)) {
        print_usage(stderr);
        return 2;
    }
    if (arguments.table) {
        fits = print_tables(arguments);
    } else {
        print_header(arguments.first, arguments.last);
        fits = print_row(&arguments);
    }
    if (!fits)
        fputs("compare-constructions: not enough memory\n", stderr);
    return fits ? EXIT_SUCCESS : EXIT_FAILURE;
}
