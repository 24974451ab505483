/* SPDX-License-Identifier: MIT */
/* Windows of time of a phase: see windows.h. */
#include "windows.h"

#include "clock.h"
#include "hlog.h"
#include "number.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SLOW_NS NS_PER_MS /* an interval with a p99 above it is slow */
#define SAME_S  0.02      /* intervals of two clients that begin so close are treated as one */
#define MOST    64        /* windows, and ranges of all */
#define APART_S 10        /* logs that start so far apart are hardly of one phase; clocks of clients may differ */

struct range {
    double from_s, to_s;
    int window;
};

struct window {
    double from_s, to_s; /* of its first and its last range */
    uint64_t intervals, slow;
    double length_s;
    struct hist hist;
};

/* A log that is read interval by interval. */
struct log {
    FILE *file;
    char *line;
    size_t room;
    unsigned number;  /* of the line */
    int headed, over; /* headed: the names of the columns were read */
    double start_s, length_s;
    double epoch_s;   /* the start of the log, by the clock of its client */
    struct hist hist; /* of the interval */
};

static int complain(char *why, const char *name, const struct log *l, const char *text)
{
    snprintf(why, WINDOWS_WHY, "%.150s: line %u: %s", name, l->number, text);
    return -1;
}

/* Go on to the next interval. Returns 0 (`over` is set at the end), or -1 with a line in why. */
static int advance(struct log *l, const char *name, char *why)
{
    for (;;) {
        ssize_t n = getline(&l->line, &l->room, l->file);
        if (n < 0 && ferror(l->file)) {
            snprintf(why, WINDOWS_WHY, "%.200s: %s", name, strerror(errno));
            return -1;
        }
        l->number++;
        if (n >= 0 && !strncmp(l->line, "#[StartTime: ", 13)) l->epoch_s = strtod(l->line + 13, NULL);
        l->headed |= n >= 0 && !strncmp(l->line, "\"StartTimestamp\"", 16);
        if (n >= 0 && (l->line[0] == '#' || l->line[0] == '"')) continue;
        if (!l->headed) return complain(why, name, l, "not an interval log: the names of its columns are missing");
        if (n < 0) {
            l->over = 1;
            return 0;
        }
        char *save = NULL, *start = strtok_r(l->line, ",", &save), *length = strtok_r(NULL, ",", &save), *top = strtok_r(NULL, ",", &save),
             *text = strtok_r(NULL, ",\n", &save);
        double max_ms;
        if (!text || number_double(start, 0, 1e9, &l->start_s) || number_double(length, 0, 1e9, &l->length_s) || number_double(top, 0, 1e12, &max_ms))
            return complain(why, name, l, "invalid interval");
        hist_clear(&l->hist);
        if (hlog_decode(text, &l->hist)) return complain(why, name, l, "its histogram is damaged, or of another program");
        l->hist.max = (uint64_t)llround(max_ms * 1e6); /* exact, where a slot is not */
        return 0;
    }
}

/* Print an interval: from_s, to_s, and SLOT:COUNT of each slot that has samples. SLOT is 20 times log10 of the latency in ns, rounded down. */
static void print_interval(FILE *to, double start_s, double length_s, const struct hist *h)
{
    uint64_t n = 0;
    int slot = 0;
    fprintf(to, "%.3f\t%.3f\t", start_s, start_s + length_s);
    for (uint32_t i = h->low; i < h->high; i++) {
        if (!h->count[i]) continue;
        int next = (int)(20 * log10((double)hist_highest(h, i) + 1));
        if (n && next != slot) {
            fprintf(to, "%d:%ju ", slot, (uintmax_t)n);
            n = 0;
        }
        slot = next;
        n += h->count[i];
    }
    if (n) fprintf(to, "%d:%ju", slot, (uintmax_t)n);
    fputc('\n', to);
}

/* Read FROM-TO+FROM-TO,FROM-TO into windows, which commas separate, and their ranges. */
static int windows_read(const char *list, struct window *w, int *count, struct range *r, int *ranges, char *why)
{
    const char *at = list;
    for (*count = *ranges = 0; *ranges < MOST; (*ranges)++) {
        char from[32], to[32];
        size_t n = strcspn(at, ",+"), dash = strcspn(at, "-");
        if (dash >= n || dash >= sizeof from || n - dash - 1 >= sizeof to) break;
        snprintf(from, sizeof from, "%.*s", (int)dash, at);
        snprintf(to, sizeof to, "%.*s", (int)(n - dash - 1), at + dash + 1);
        struct range *one = &r[*ranges];
        if (number_double(from, 0, 1e9, &one->from_s) || number_double(to, one->from_s, 1e9, &one->to_s)) break;
        if (!*ranges || at[-1] == ',') {
            if (hist_init(&w[*count].hist, 3)) break;
            w[(*count)++].from_s = one->from_s;
        }
        one->window = *count - 1;
        w[one->window].to_s = one->to_s;
        at += n;
        if (!*at) {
            ++*ranges;
            return 0;
        }
        at++;
    }
    snprintf(why, WINDOWS_WHY,
             "--windows %.80s: invalid; accepted: each, or FROM-TO,... in seconds (FROM-TO+FROM-TO is one window), at most %d ranges", list, MOST);
    return -1;
}

static void add(struct window *w, const struct range *r, int ranges, double start_s, double length_s, const struct hist *h)
{
    double middle_s = start_s + length_s / 2;
    for (int i = 0; i < ranges; i++) {
        struct window *of = &w[r[i].window];
        if (middle_s < r[i].from_s || middle_s >= r[i].to_s) continue;
        of->intervals++;
        of->slow += hist_percentile(h, 99) > SLOW_NS;
        of->length_s += length_s;
        hist_merge(&of->hist, h);
    }
}

/* Warn of the log that starts last, if it is hardly of the phase of the first: times count from the start of each. */
static void warn_of_starts(const struct log *l, char **file, int files)
{
    int last = 0;
    for (int i = 1; i < files; i++)
        if (fabs(l[i].epoch_s - l[0].epoch_s) > fabs(l[last].epoch_s - l[0].epoch_s)) last = i;
    double apart_s = fabs(l[last].epoch_s - l[0].epoch_s);
    if (apart_s > APART_S)
        fprintf(stderr, "test: --windows: %.150s and %.150s start %.1f s apart, by their clocks; times count from the start of each log\n", file[0],
                file[last], apart_s);
}

/* Merge all logs in the order of time, into windows, or without any print each interval. */
static int merge(struct log *l, char **file, int files, struct window *w, const struct range *r, int ranges, struct hist *all, FILE *to, char *why)
{
    for (;;) {
        double first_s = INFINITY, length_s = 0;
        for (int i = 0; i < files; i++)
            if (!l[i].over && l[i].start_s < first_s) first_s = l[i].start_s;
        if (isinf(first_s)) return 0;
        hist_clear(all);
        for (int i = 0; i < files; i++) {
            if (l[i].over || l[i].start_s > first_s + SAME_S) continue;
            hist_merge(all, &l[i].hist);
            if (l[i].length_s > length_s) length_s = l[i].length_s;
            if (advance(&l[i], file[i], why)) return -1;
        }
        if (ranges)
            add(w, r, ranges, first_s, length_s, all);
        else
            print_interval(to, first_s, length_s, all);
    }
}

int windows_print(const char *list, char **file, int files, FILE *to, char why[WINDOWS_WHY])
{
    static struct window w[MOST];
    struct range r[MOST];
    struct log *l = calloc((size_t)files, sizeof *l);
    struct hist all = {.count = NULL};
    int count = 0, ranges = 0, bad = !l || hist_init(&all, 3);
    if (bad) snprintf(why, WINDOWS_WHY, "out of memory");
    int each = !strcmp(list, "each");
    if (!bad && !each && windows_read(list, w, &count, r, &ranges, why)) bad = 2;
    for (int i = 0; !bad && i < files; i++) {
        l[i].file = fopen(file[i], "re");
        bad = !l[i].file || hist_init(&l[i].hist, 3);
        if (bad) snprintf(why, WINDOWS_WHY, "%.200s: %s", file[i], strerror(errno));
        bad = bad || advance(&l[i], file[i], why);
    }
    if (!bad) warn_of_starts(l, file, files);
    if (!bad && merge(l, file, files, w, r, ranges, &all, to, why)) bad = 1;
    if (!bad && !each) fputs("from_s\tto_s\tintervals\tslow\tlength_s\trequests\tavg_us\tp50_us\tp90_us\tp99_us\tp99_9_us\tmax_us\n", to);
    for (int i = 0; i < count; i++) {
        const struct hist *h = &w[i].hist;
        if (!bad)
            fprintf(to, "%.3f\t%.3f\t%ju\t%ju\t%.3f\t%ju\t%.3f\t%.3f\t%.3f\t%.3f\t%.3f\t%.3f\n", w[i].from_s, w[i].to_s, (uintmax_t)w[i].intervals,
                    (uintmax_t)w[i].slow, w[i].length_s, (uintmax_t)h->total, hist_mean(h) / 1e3, hist_us(h, 50), hist_us(h, 90), hist_us(h, 99),
                    hist_us(h, 99.9), clock_us_exact(h->max)); /* no count in a log has the samples above one hour */
        hist_free(&w[i].hist);
    }
    for (int i = 0; l && i < files; i++) {
        if (l[i].file) fclose(l[i].file);
        free(l[i].line);
        hist_free(&l[i].hist);
    }
    free(l);
    hist_free(&all);
    return bad;
}
