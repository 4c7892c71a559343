/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "library.h"
#include "measure.h"
#include "output.h"

enum { REPETITIONS = 21, QUICK_REPETITIONS = 5, COMMAND_LINE_ROOM = 1024 };

static const uint64_t most_keys = 1000000000;

static void print_usage(FILE *stream)
{
    fputs("usage: bloomfilter-bench [OPTION]...\n"
          "\n"
          "Measures adds and queries of every scheme and layout, one key per call and in batches,\n"
          "beside the memory floor, libb2 alone and, where it is installed, the other libbloom;\n"
          "two threads that add to one filter; and what works on whole filters. Prints tables.\n"
          "\n"
          "  --table            Markdown (the default)\n"
          "  --json             JSON\n"
          "  --quick            fewer measurements, and sizes 1e4 and 1e6\n"
          "  --sizes LIST       keys per filter, with commas between (default 1e4,1e6,1e7,1e8)\n"
          "  --schemes LIST     ids of schemes, floor, libb2, libbloom, with commas between\n"
          "                     (default: all)\n"
          "  --hash-count K     positions per key of the library's filters (default: 7); without\n"
          "                     layouts of blocks, which have 8\n"
          "  --only PART        keys, threads or bulk\n"
          "  --key-size BYTES   8 to 4096 (default 16)\n"
          "  --against FILE     also measure another build: its libbloomfilter.so\n"
          "  --directory DIR    where files are saved and loaded (default: TMPDIR, or /tmp)\n"
          "  --help             this text\n",
          stream);
}

static _Noreturn void refuse(const char *what)
{
    fprintf(stderr, "bloomfilter-bench: what to do with '%s'?\n\n", what);
    print_usage(stderr);
    exit(2);
}

/* ---- options */

static void set_sizes(struct settings *settings, const char *list)
{
    const char *rest = list;
    settings->size_count = 0;
    while (rest != NULL) {
        char *end;
        double size = strtod(rest, &end);
        if (end == rest || (*end != ',' && *end != '\0') || !(size >= 1000) ||
            size > (double)most_keys || settings->size_count == MOST_SIZES)
            refuse(list);
        settings->sizes[settings->size_count++] = (uint64_t)size;
        rest = *end == ',' ? end + 1 : NULL;
    }
}

static void set_section(struct settings *settings, const char *name)
{
    if (strcmp(name, "keys") == 0)
        settings->sections = SECTION_KEYS;
    else if (strcmp(name, "threads") == 0)
        settings->sections = SECTION_THREADS;
    else if (strcmp(name, "bulk") == 0)
        settings->sections = SECTION_BULK;
    else
        refuse(name);
}

static uint32_t number(const char *text, uint32_t least, uint32_t most)
{
    char *end;
    unsigned long value = strtoul(text, &end, 10);
    if (end == text || *end != '\0' || value < least || value > most)
        refuse(text);
    return (uint32_t)value;
}

/* Whether it is an option that stands alone. */
static bool take_flag(struct settings *settings, const char *option)
{
    if (strcmp(option, "--json") == 0)
        settings->as_json = true;
    else if (strcmp(option, "--table") == 0)
        settings->as_json = false;
    else if (strcmp(option, "--quick") == 0)
        settings->is_quick = true;
    else
        return false;
    return true;
}

static void take_option(struct settings *settings, const char *option, const char *value)
{
    if (value == NULL)
        refuse(option);
    if (strcmp(option, "--sizes") == 0)
        set_sizes(settings, value);
    else if (strcmp(option, "--schemes") == 0)
        settings->schemes = value;
    else if (strcmp(option, "--hash-count") == 0)
        settings->hash_count = number(value, 1, BLOOMFILTER_MAX_HASH_COUNT);
    else if (strcmp(option, "--only") == 0)
        set_section(settings, value);
    else if (strcmp(option, "--key-size") == 0)
        settings->key_size = number(value, LEAST_KEY_SIZE, MOST_KEY_SIZE);
    else if (strcmp(option, "--against") == 0)
        settings->against = value;
    else if (strcmp(option, "--directory") == 0)
        settings->directory = value;
    else
        refuse(option);
}

static void set_defaults(struct settings *settings)
{
    const char *directory = getenv("TMPDIR");
    settings->repetitions = settings->is_quick ? QUICK_REPETITIONS : REPETITIONS;
    if (settings->size_count == 0)
        set_sizes(settings, settings->is_quick ? "1e4,1e6" : "1e4,1e6,1e7,1e8");
    if (settings->directory == NULL)
        settings->directory = directory != NULL && directory[0] != '\0' ? directory : "/tmp";
}

static void parse(struct settings *settings, int argc, char *argv[])
{
    *settings = (struct settings){.sections = SECTION_ALL, .key_size = 16};
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--help") == 0) {
            print_usage(stdout);
            exit(EXIT_SUCCESS);
        }
        if (!take_flag(settings, argv[i])) {
            take_option(settings, argv[i], argv[i + 1]);
            i++;
        }
    }
    set_defaults(settings);
}

/* The options as given, after the program's name without its folder. */
static const char *command_line(int argc, char *argv[])
{
    static char line[COMMAND_LINE_ROOM] = "bloomfilter-bench";
    for (int i = 1; i < argc; i++) {
        size_t used = strlen(line);
        snprintf(line + used, sizeof line - used, " %s", argv[i]);
    }
    return line;
}

/* ---- main */

static void list_contestants(struct report *report)
{
    static struct library earlier;
    const char *against = report->settings.against;
    const char *selection = report->settings.schemes;
    if (against != NULL && !library_open(&earlier, against))
        exit(EXIT_FAILURE);
    if (contestants_is_selected(selection, "floor"))
        contestants_add_floors(&report->contestants);
    if (contestants_is_selected(selection, "libbloom"))
        contestants_add_libbloom(&report->contestants);
    if (contestants_is_selected(selection, "libb2"))
        contestants_add_libb2(&report->contestants);
    contestants_add_library(&report->contestants, against == NULL ? NULL : &earlier, selection,
                            report->settings.hash_count);
    if (report->contestants.count == 0)
        report_failure("nobody of that name is here", selection);
}

int main(int argc, char *argv[])
{
    static struct report report;

    parse(&report.settings, argc, argv);
    report.command_line = command_line(argc, argv);
    report.is_pinned = clock_processor_count() > 0 && clock_pin(0);
    list_contestants(&report);
    if (report.settings.sections & (SECTION_KEYS | SECTION_THREADS))
        measure_keys(&report);
    if (report.settings.sections & SECTION_BULK)
        measure_bulk(&report);
    if (report.settings.as_json)
        output_json(&report);
    else
        output_markdown(&report);
    if (fflush(stdout) != 0 || ferror(stdout))
        report_failure(strerror(errno), "standard output");
    return EXIT_SUCCESS;
}
