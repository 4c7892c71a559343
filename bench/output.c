/* SPDX-License-Identifier: MIT */
#include "output.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static void find_processor_name(char *name, size_t room)
{
    char line[256];
    FILE *file = fopen("/proc/cpuinfo", "r");

    snprintf(name, room, "a processor without a name");
    while (file != NULL && fgets(line, sizeof line, file) != NULL) {
        char *value = strchr(line, ':');
        if (strncmp(line, "model name", 10) != 0 || value == NULL)
            continue;
        value[strcspn(value, "\n")] = '\0';
        snprintf(name, room, "%s", value + 1 + strspn(value + 1, " "));
        break;
    }
    if (file != NULL)
        fclose(file);
}

void output_describe_machine(char *text, size_t room)
{
    char name[200];
    find_processor_name(name, sizeof name);
    snprintf(text, room, "%s, %d processors", name, clock_processor_count());
}

double output_false_positive_share(const struct row *row)
{
    return row->absent_asked == 0 ? NAN : (double)row->absent_found / (double)row->absent_asked;
}
