/* SPDX-License-Identifier: MIT */
/* One object; docs in bench/README.md. What was not measured is null or left out. */
#include <math.h>
#include <stdio.h>

#include "goals.h"
#include "library.h"
#include "output.h"

static const char *const operation_names[] = {"add", "positive", "negative"};
static const char *const call_names[] = {"single", "batch"};
static const char *const kind_names[] = {"library", "earlier", "libb2", "libbloom", "floor"};

/* ---- values */

static void print_text(const char *text)
{
    putchar('"');
    for (; *text != '\0'; text++) {
        unsigned char byte = (unsigned char)*text;
        if (byte == '"' || byte == '\\')
            printf("\\%c", byte);
        else if (byte < ' ')
            printf("\\u%04x", byte);
        else
            putchar(byte);
    }
    putchar('"');
}

static void print_number(double number)
{
    if (isfinite(number))
        printf("%.6g", number);
    else
        printf("null");
}

static void print_text_field(const char *name, const char *text)
{
    printf("\"%s\": ", name);
    print_text(text);
    printf(", ");
}

static void print_samples(const struct samples *samples, const char *unit)
{
    printf("\"median_%s\": ", unit);
    print_number(samples_median(samples));
    printf(", \"minimum_%s\": ", unit);
    print_number(samples_minimum(samples));
    printf(", \"measurements\": %zu", samples->count);
}

/* Between the elements of a list. */
static void print_separator(bool *is_first)
{
    printf(*is_first ? "\n    " : ",\n    ");
    *is_first = false;
}

/* ---- parts */

static void print_contestant(const struct row *row)
{
    const struct contestant *contestant = row->contestant;
    print_text_field("kind", kind_names[contestant->kind]);
    print_text_field("scheme", contestant->name);
    print_text_field("layout", contestant->layout_name);
    if (contestant->library != NULL)
        printf("\"hash_id\": %u, \"layout_id\": %u, ", contestant->hash, contestant->layout);
    printf("\"size\": %llu, ", (unsigned long long)row->size);
}

static void print_row(const struct row *row, bool *is_first)
{
    for (enum call call = 0; call < CALL_COUNT; call++)
        for (enum operation operation = 0; operation < OPERATION_COUNT; operation++) {
            if (row->times[call][operation].count == 0)
                continue;
            print_separator(is_first);
            printf("{");
            print_contestant(row);
            print_text_field("call", call_names[call]);
            print_text_field("operation", operation_names[operation]);
            print_samples(&row->times[call][operation], "ns");
            if (operation == OPERATION_NEGATIVE && row->contestant->kind != KIND_FLOOR) {
                printf(", \"false_positive_rate\": ");
                print_number(output_false_positive_share(row));
            }
            printf("}");
        }
}

static void print_thread_row(const struct row *row, bool *is_first)
{
    for (unsigned threads = 1; threads <= 2; threads++) {
        if (row->thread_times[threads - 1].count == 0)
            continue;
        print_separator(is_first);
        printf("{");
        print_contestant(row);
        printf("\"threads\": %u, ", threads);
        print_samples(&row->thread_times[threads - 1], "ns");
        printf("}");
    }
}

static void print_bulk_row(const struct report *report, const struct bulk_row *row, bool *is_first)
{
    print_separator(is_first);
    printf("{");
    print_text_field("layout", row->layout_name);
    print_text_field("operation", row->name);
    printf("\"size\": %llu, \"bytes\": %llu, ", (unsigned long long)report->bulk_size,
           (unsigned long long)row->bytes);
    print_samples(&row->seconds, "seconds");
    if (row->beside != NULL) {
        printf(", ");
        print_text_field("beside", row->beside);
        printf("\"share_of_beside\": ");
        print_number(report_share_of_beside(report, row));
    }
    printf("}");
}

static void print_figure(const struct figure *figure, bool is_first)
{
    printf(is_first ? "{" : ", {");
    print_text_field("label", figure->label);
    print_text_field("unit", figure->is_time ? "ns" : "ratio");
    printf("\"value\": ");
    print_number(figure->value);
    printf(", \"%s\": ", figure->is_ceiling ? "at_most" : "at_least");
    print_number(figure->bound);
    printf("}");
}

static void print_goal(const struct goal *goal, bool *is_first)
{
    print_separator(is_first);
    printf("{");
    print_text_field("what", goal->what);
    print_text_field("goal", goal->wanted);
    print_text_field("verdict", goal_verdict_name(goal_verdict(goal)));
    printf("\"reached\": [");
    for (size_t i = 0; i < goal->figure_count; i++)
        print_figure(&goal->figures[i], i == 0);
    printf("]}");
}

/* ---- all */

static void print_head(const struct report *report)
{
    char machine[256];
    output_describe_machine(machine, sizeof machine);
    printf("{\n  ");
    print_text_field("made_by", report->command_line);
    printf("\n  ");
    print_text_field("release", bloomfilter_version());
    printf("\n  ");
    print_text_field("machine", machine);
    printf("\n  \"is_pinned\": %s,\n  \"key_size\": %zu,\n  \"target_fpr\": ",
           report->is_pinned ? "true" : "false", report->settings.key_size);
    print_number(target_fpr);
}

static void print_lists(const struct report *report)
{
    bool is_first = true;
    printf(",\n  \"keys\": [");
    for (size_t i = 0; i < report->row_count; i++)
        print_row(&report->rows[i], &is_first);
    printf("],\n  \"threads\": [");
    is_first = true;
    for (size_t i = 0; i < report->row_count; i++)
        print_thread_row(&report->rows[i], &is_first);
    printf("],\n  \"whole_filters\": [");
    is_first = true;
    for (size_t i = 0; i < report->bulk_count; i++)
        print_bulk_row(report, &report->bulk[i], &is_first);
}

void output_json(const struct report *report)
{
    struct goal goals[GOAL_COUNT];
    bool is_first = true;

    goals_find(report, goals);
    print_head(report);
    print_lists(report);
    printf("],\n  \"goals\": [");
    for (size_t i = 0; i < GOAL_COUNT; i++)
        print_goal(&goals[i], &is_first);
    printf("]\n}\n");
}
