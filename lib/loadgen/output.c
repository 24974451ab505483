/* SPDX-License-Identifier: MIT */
/* Result files: see output.h. */
#include "output.h"

#include "clock.h"
#include "number.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define BUFFER         (1024UL * 1024)
#define TICKS_PER_HALF 5 /* lines for each halving of the distance to 100 %, HdrHistogram's default */

int output_folder(const char *path)
{
    char part[PATH_MAX];
    size_t n = strlen(path);
    struct stat st;
    if (n >= sizeof part) {
        errno = ENAMETOOLONG;
        return -1;
    }
    for (size_t i = 1; i <= n; i++) {
        if (path[i] != '/' && path[i]) continue;
        memcpy(part, path, i);
        part[i] = 0;
        if (mkdir(part, 0777) && errno != EEXIST) return -1;
    }
    if (stat(path, &st)) return -1;
    if (!S_ISDIR(st.st_mode)) {
        errno = ENOTDIR;
        return -1;
    }
    return access(path, W_OK | X_OK);
}

static int open_file(struct output *out, int fd)
{
    out->file = fd < 0 ? NULL : fdopen(fd, "w");
    if (out->file) return 0;
    if (fd >= 0) close(fd);
    return -1;
}

int output_begin(struct output *out, const char *dir, const char *name)
{
    snprintf(out->final, sizeof out->final, "%s/%s", dir, name);
    if ((size_t)snprintf(out->temporary, sizeof out->temporary, "%s/.%s.partial", dir, name) >= sizeof out->temporary) {
        errno = ENAMETOOLONG;
        return -1;
    }
    out->file = fopen(out->temporary, "we");
    return out->file ? 0 : -1;
}

int output_begin_unique(struct output *out, const char *dir, const char *name)
{
    static const char suffix[] = ".partial";
    const size_t tail = sizeof suffix - 1;
    for (int tries = 0; tries < 100; tries++) {
        if ((size_t)snprintf(out->temporary, sizeof out->temporary, "%s/.%s-XXXXXX%s", dir, name, suffix) >= sizeof out->temporary) break;
        int fd = mkstemps(out->temporary, (int)tail);
        if (fd < 0) return -1;
        size_t n = strlen(out->temporary);
        snprintf(out->final, sizeof out->final, "%s/%s-%.6s", dir, name, out->temporary + n - tail - 6);
        fchmod(fd, 0644);
        if (access(out->final, F_OK)) return open_file(out, fd);
        close(fd);
        unlink(out->temporary);
    }
    errno = EEXIST;
    return -1;
}

int output_commit(struct output *out)
{
    int bad = ferror(out->file), saved = errno;
    if (fclose(out->file)) {
        bad = 1;
        saved = errno;
    }
    out->file = NULL;
    if (!bad && !rename(out->temporary, out->final)) return 0;
    if (bad) errno = saved;
    saved = errno;
    unlink(out->temporary);
    errno = saved;
    return -1;
}

void output_abandon(struct output *out)
{
    if (out->file) fclose(out->file);
    out->file = NULL;
    unlink(out->temporary);
}

static void percentile_line(FILE *f, uint64_t ns, double fraction, uint64_t count)
{
    if (fraction < 1)
        fprintf(f, "%12.3f %14.12f %10ju %14.2f\n", clock_us_exact(ns), fraction, (uintmax_t)count, 1 / (1 - fraction));
    else
        fprintf(f, "%12.3f %14.12f %10ju\n", clock_us_exact(ns), 1.0, (uintmax_t)count);
}

void output_percentiles(FILE *f, const struct hist *h)
{
    uint64_t all = h->total + h->over, seen = 0;
    double next = 0; /* the next percentage to print */
    fprintf(f, "%12s %14s %10s %14s\n\n", "Value", "Percentile", "TotalCount", "1/(1-Percentile)");
    for (uint32_t i = h->low; i < h->high; i++) {
        if (!h->count[i]) continue;
        seen += h->count[i];
        uint64_t ns = hist_highest(h, i);
        double here = 100.0 * (double)seen / (double)all;
        if (ns > h->max) ns = h->max;
        while (next <= here && next < 100 && seen < all) {
            percentile_line(f, ns, next / 100, seen);
            double halvings = floor(log2(100 / (100 - next))) + 1;
            next += 100 / (TICKS_PER_HALF * pow(2, halvings));
        }
    }
    if (all) percentile_line(f, h->max, 1, all);
    fprintf(f, "#[Mean    = %12.3f, StdDeviation   = %12.3f]\n", hist_mean(h) / 1e3, hist_stddev(h) / 1e3);
    fprintf(f, "#[Max     = %12.3f, Total count    = %12ju]\n", clock_us_exact(h->max), (uintmax_t)all);
    fprintf(f, "#[Buckets = %12d, SubBuckets     = %12d]\n", (int)(h->slots >> (h->sub_bits - 1)) - 1, 1 << h->sub_bits);
    if (h->over)
        fprintf(f, "#[Above range = %ju samples over %ju us, counted in every percentile]\n", (uintmax_t)h->over, (uintmax_t)clock_us(HIST_MAX));
}

void output_slots(FILE *f, const struct hist *h)
{
    const char *gap = "";
    for (uint32_t slot = h->low; slot < h->high; slot++) {
        if (!h->count[slot]) continue;
        fprintf(f, "%s%.3f:%ju", gap, clock_us_exact(hist_highest(h, slot)), (uintmax_t)h->count[slot]);
        gap = " ";
    }
    if (h->over) fprintf(f, "%s%.3f:%ju", gap, clock_us_exact(h->max), (uintmax_t)h->over);
}

void output_histogram(FILE *f, const struct hist *h)
{
    const uint64_t all = h->total + h->over;
    uint64_t seen = 0;
    fputs("us\tcount\tpercent\n", f);
    for (uint32_t i = h->low; i < h->high; i++) {
        if (!h->count[i]) continue;
        seen += h->count[i];
        fprintf(f, "%.3f\t%ju\t%.3f\n", clock_us_exact(hist_highest(h, i)), (uintmax_t)h->count[i], 100.0 * (double)seen / (double)all);
    }
    if (h->over) fprintf(f, "%.3f\t%ju\t100.000\n", clock_us_exact(h->max), (uintmax_t)h->over);
}

/* The row of the table for a slot, in whole us: the lowest value of the slot that a histogram of whole microseconds would have. */
static uint64_t table_us(const struct hist *h, uint32_t slot)
{
    return hist_lowest(h, hist_index(h, clock_us((hist_lowest(h, slot) + hist_highest(h, slot) + 1) / 2)));
}

int output_table(FILE *f, const struct hist *const *threads, int n)
{
    uint32_t low = UINT32_MAX, high = 0;
    uint64_t all = 0, seen = 0, *count = calloc((size_t)n, sizeof *count);
    char *line = malloc((size_t)n * 21 + 128), *buffer = malloc(BUFFER);
    if (!line || !buffer || !count) {
        free(count);
        free(line);
        free(buffer);
        return -1;
    }
    setvbuf(f, buffer, _IOFBF, BUFFER);
    fputs("us", f);
    for (int t = 0; t < n; t++) {
        fprintf(f, " %d", t);
        if (threads[t]->low < low) low = threads[t]->low;
        if (threads[t]->high > high) high = threads[t]->high;
        all += threads[t]->total;
    }
    fputs(" total\n", f);
    for (uint32_t i = low; i < high;) {
        const uint64_t us = table_us(threads[0], i);
        uint64_t total = 0;
        memset(count, 0, (size_t)n * sizeof *count);
        for (; i < high && table_us(threads[0], i) == us; i++)
            for (int t = 0; t < n; t++) count[t] += threads[t]->count[i];
        char *at = line + number_write(line, us);
        for (int t = 0; t < n; t++) {
            *at++ = ' ';
            at += number_write(at, count[t]);
            total += count[t];
        }
        if (!total) continue;
        seen += total;
        at += sprintf(at, " %ju %.3f\n", (uintmax_t)total, 100.0 * (double)seen / (double)all);
        fwrite(line, 1, (size_t)(at - line), f);
    }
    free(count);
    free(line);
    fflush(f);
    setvbuf(f, NULL, _IOFBF, 4096);
    free(buffer);
    return 0;
}
