/* SPDX-License-Identifier: MIT */
#include "progress.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include "escape.h"

enum { LINE_WIDTH = 78, BAR_WIDTH = 24, SECONDS_WIDTH = 12, TICK_MICROSECONDS = 500000 };

static const double FIRST_SHOWN_AFTER = 0.5; /* seconds */
static const double SHOWN_EVERY = 0.1;

/* Columns to write in: a longer line would wrap, and a wrapped line cannot be wiped. */
static int line_width = LINE_WIDTH;

static bool disabled;
static bool bar_running;
static bool call_running;
static volatile sig_atomic_t line_shown;

static const char *bar_doing;
static uint64_t bar_total;
static uint64_t bar_bytes;
static uint64_t bar_keys;
static double started;
static double next_shown;

static char call_text[LINE_WIDTH];
static size_t call_text_size;

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

/* Is a line to be shown? If so, finds out how wide. */
static bool prepare(void)
{
    struct winsize size;
    if (disabled || !isatty(STDERR_FILENO))
        return false;
    line_width = LINE_WIDTH;
    if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 &&
        size.ws_col <= LINE_WIDTH)
        line_width = size.ws_col - 1;
    return line_width >= SECONDS_WIDTH;
}

void progress_disable(void)
{
    disabled = true;
}

/* write(2), because the tick below may not use stdio in a signal handler. A terminal that takes
 * no text is no reason to stop the work. */
static void write_line(const char *text, size_t size)
{
    ssize_t written = write(STDERR_FILENO, text, size);
    (void)written;
}

void progress_clear(void)
{
    static const char blank[] = "\r%*s\r";
    char line[LINE_WIDTH + 3];
    if (!line_shown)
        return;
    int size = snprintf(line, sizeof line, blank, line_width, "");
    write_line(line, (size_t)size);
    line_shown = 0;
}

/* "12.3 M" for 12345678. */
static void format_amount(char *text, size_t room, double amount)
{
    static const char *const units[] = {"", " k", " M", " G", " T"};
    size_t unit = 0;
    while (amount >= 1000.0 && unit < 4) {
        amount /= 1000.0;
        unit++;
    }
    snprintf(text, room, unit == 0 ? "%.0f%s" : "%.1f%s", amount, units[unit]);
}

static void show_bar(double time)
{
    char line[LINE_WIDTH + 2];
    char share[BAR_WIDTH + 16] = "";
    char keys[16], rate[16];
    double seconds = time - started;

    if (bar_total > 0) {
        double done = (double)bar_bytes / (double)bar_total;
        if (done > 1.0) /* the file grew meanwhile */
            done = 1.0;
        int filled = (int)(done * (double)BAR_WIDTH);
        char bar[BAR_WIDTH + 1];
        memset(bar, '-', BAR_WIDTH);
        memset(bar, '#', (size_t)filled);
        bar[BAR_WIDTH] = '\0';
        snprintf(share, sizeof share, "%3d %% [%s]  ", (int)(done * 100.0), bar);
    }
    format_amount(keys, sizeof keys, (double)bar_keys);
    format_amount(rate, sizeof rate, (double)bar_keys / seconds);
    int size = snprintf(line, sizeof line, "\r%s  %s%s keys, %s/s", bar_doing, share, keys, rate);
    /* Blanks wipe what a longer line before left; the line feed is missing on purpose. */
    if (size < line_width + 1)
        memset(line + size, ' ', (size_t)(line_width + 1 - size));
    write_line(line, (size_t)line_width + 1);
    line_shown = 1;
}

void progress_begin(const char *doing, uint64_t total_bytes)
{
    if (!prepare())
        return;
    bar_running = true;
    bar_doing = doing;
    bar_total = total_bytes;
    bar_bytes = 0;
    bar_keys = 0;
    started = now();
    next_shown = started + FIRST_SHOWN_AFTER;
}

void progress_advance(uint64_t bytes, uint64_t keys)
{
    if (!bar_running)
        return;
    bar_bytes += bytes;
    bar_keys += keys;
    double time = now();
    if (time < next_shown)
        return;
    next_shown = time + SHOWN_EVERY;
    show_bar(time);
}

/* SIGALRM: only async-signal-safe calls, and errno stays. */
static void show_seconds(int signal_number)
{
    int kept = errno;
    char line[LINE_WIDTH + 16];
    char digits[8];
    size_t size = 0;
    size_t digit_count = 0;
    unsigned long seconds = (unsigned long)(now() - started);

    (void)signal_number;
    line[size++] = '\r';
    memcpy(line + size, call_text, call_text_size);
    size += call_text_size;
    do
        digits[digit_count++] = (char)('0' + seconds % 10);
    while ((seconds /= 10) > 0 && digit_count < sizeof digits);
    while (digit_count > 0)
        line[size++] = digits[--digit_count];
    line[size++] = ' ';
    line[size++] = 's';
    write_line(line, size);
    line_shown = 1;
    errno = kept;
}

static void set_ticking(bool on)
{
    struct sigaction action;
    struct itimerval timer;

    memset(&action, 0, sizeof action);
    memset(&timer, 0, sizeof timer);
    sigemptyset(&action.sa_mask);
    action.sa_flags = SA_RESTART;
    action.sa_handler = on ? show_seconds : SIG_IGN;
    timer.it_value.tv_usec = on ? TICK_MICROSECONDS : 0;
    timer.it_interval = timer.it_value;
    if (on)
        sigaction(SIGALRM, &action, NULL);
    setitimer(ITIMER_REAL, &timer, NULL);
    if (!on)
        sigaction(SIGALRM, &action, NULL);
}

/* "DOING SUBJECT: ", the subject cut to what is left of the line beside the seconds. */
static size_t write_call_text(const char *doing, const char *subject)
{
    size_t room = (size_t)(line_width - SECONDS_WIDTH) + 1;
    if (strlen(doing) + sizeof " : " + 1 >= room) {
        *call_text = '\0';
        return 0;
    }
    size_t size = (size_t)snprintf(call_text, room, "%s ", doing);
    size += write_escaped(call_text + size, room - size - 2, subject, strlen(subject));
    return size + (size_t)snprintf(call_text + size, room - size, ": ");
}

void progress_begin_call(const char *doing, const char *subject)
{
    if (!prepare())
        return;
    call_text_size = write_call_text(doing, subject);
    started = now();
    call_running = true;
    set_ticking(true);
}

void progress_end(void)
{
    int kept = errno;
    if (call_running)
        set_ticking(false);
    call_running = false;
    bar_running = false;
    progress_clear();
    errno = kept;
}
