/* SPDX-License-Identifier: MIT */
/* The reporter: see series.h. */
#include "series.h"

#include "clock.h"
#include "cpus.h"
#include "hlog.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define GRACE_MAX_NS (50 * NS_PER_MS) /* after a boundary, for all workers to hand over */

/* Requests of the whole phase; when only the time is known, estimated from it. */
static uint64_t expected(const struct series *s, double now_s)
{
    double length_s = (double)s->plan->time_ns / 1e9;
    if (s->ended) return s->done; /* requests that were not sent in time never will be */
    if (s->plan->total) return s->plan->total;
    return now_s > 0 && now_s < length_s ? (uint64_t)((double)s->done * length_s / now_s) : s->done;
}

/* It only shows the progress, so a failure costs no result: a warning, once in a run. */
static void status_failed(const struct series *s)
{
    if (s->engine->status_failed++) return;
    fprintf(stderr, "%stest: cannot write %s/status (%s): the progress is not shown there\n", s->progress ? "\r\033[K" : "", s->out, strerror(errno));
}

static void write_status(struct series *s, double now_s, uint64_t ops, double length_s)
{
    struct output out;
    if (!s->out) return;
    if (output_begin(&out, s->out, "status")) {
        status_failed(s);
        return;
    }
    fprintf(out.file, "%s\t%ju\t%ju\t%.0f\t%.0f\t%.1f\t%ju\n", s->plan->name, (uintmax_t)s->done, (uintmax_t)expected(s, now_s),
            length_s > 0 ? (double)ops / length_s : 0, hist_us(&s->interval, 99), now_s, (uintmax_t)s->errors);
    if (output_commit(&out)) status_failed(s);
}

static void write_progress(const struct series *s, double now_s, uint64_t ops, double length_s)
{
    uint64_t all = expected(s, now_s);
    double part = all ? (double)s->done / (double)all : 0, left = part > 0 ? now_s / part - now_s : 0;
    fprintf(stderr, "\r%s %3.0f %%  %.0f ops/s  p99 %.0f us  %ju errors  %.0f s left \033[K", s->plan->name, part * 100,
            length_s > 0 ? (double)ops / length_s : 0, hist_us(&s->interval, 99), (uintmax_t)s->errors, left);
    fflush(stderr);
}

/* A row for each shard. Returns how many shards answered no thread. */
static unsigned shard_rows(struct series *s, double now_s)
{
    struct cluster *c = &s->engine->cluster;
    unsigned down = 0;
    for (uint32_t i = 0; i < c->shards; i++) {
        struct tally t;
        char name[ENDPOINT_NAME];
        cluster_take(c, i, &t, name);
        down += t.silent && !t.heard;
        fprintf(s->shards.file, "%.3f\t%u\t%s\t%ju\t%ju\t%.3f\n", now_s, c->first + i, name, (uintmax_t)t.ops, (uintmax_t)t.errors,
                clock_us_exact(t.max_ns));
    }
    return down;
}

/* The master requests the end of the phase. */
static void look_for_stop(const struct series *s)
{
    char path[PATH_MAX];
    if (!s->engine->options->gate) return;
    snprintf(path, sizeof path, "%s/stop", s->engine->options->gate);
    if (!access(path, F_OK)) worker_enough = 1;
}

/* One row per file, for the interval that ended at now_s. */
static void row(struct series *s, double now_s)
{
    double length_s = now_s - s->last_s;
    unsigned down = 0;
    hist_clear(&s->interval);
    memset(s->count, 0, sizeof s->count);
    for (int i = 0; i < s->engine->workers; i++) recorder_take(&s->engine->worker[i]->recorder, &s->interval, s->count);
    const struct hist *h = &s->interval;
    s->done += s->count[COUNT_OPS] + s->count[COUNT_LATE];
    s->errors += recorder_errors(s->count);
    if (s->table.file)
        fprintf(s->table.file, "%.3f\t%ju\t%ju\t%ju\t%ju\t%.3f\t%.3f\t%.3f\t%.3f", now_s, (uintmax_t)s->count[COUNT_OPS],
                (uintmax_t)recorder_errors(s->count), (uintmax_t)s->count[COUNT_MISSES], (uintmax_t)s->count[COUNT_BYTES], hist_us(h, 50),
                hist_us(h, 99), hist_us(h, 99.9), hist_us(h, 100));
    if (s->shards.file) down = shard_rows(s, now_s);
    if (s->table.file)
        fprintf(s->table.file, "\t%ju\t%ju\t%ju\t%u\n", (uintmax_t)s->count[COUNT_LOST], (uintmax_t)s->count[COUNT_REFUSED],
                (uintmax_t)s->count[COUNT_MOVED], down);
    if (s->log.file && hlog_add(s->log.file, h, s->last_s, length_s)) s->failed = ENOMEM;
    write_status(s, now_s, s->count[COUNT_OPS], length_s);
    if (s->progress) write_progress(s, now_s, s->count[COUNT_OPS], length_s);
    s->last_s = now_s;
    look_for_stop(s);
}

static void *report(void *arg)
{
    struct series *s = arg;
    uint64_t start = s->plan->start_ns, step = (uint64_t)(s->engine->options->interval_s * 1e9);
    uint64_t grace = step / 2 < GRACE_MAX_NS ? step / 2 : GRACE_MAX_NS;
    cpus_pin(s->engine->options, CPUS_ALL); /* it began with the CPU of the first worker */
    pthread_mutex_lock(&s->lock);
    for (uint64_t n = 1; !s->ended; n++) {
        uint64_t when = start + n * step + grace;
        struct timespec ts = {.tv_sec = (time_t)(when / NS_PER_S), .tv_nsec = (long)(when % NS_PER_S)};
        while (!s->ended && pthread_cond_timedwait(&s->wake, &s->lock, &ts) != ETIMEDOUT) continue;
        if (!s->ended) row(s, (double)n * s->engine->options->interval_s);
    }
    pthread_mutex_unlock(&s->lock);
    return NULL;
}

static int open_files(struct series *s)
{
    char name[64];
    if (!s->out || s->plan->step) return 0;
    snprintf(name, sizeof name, "%s.series.tsv", s->plan->name);
    if (output_begin(&s->table, s->out, name)) return -1;
    snprintf(name, sizeof name, "%s.hlog", s->plan->name);
    if (output_begin(&s->log, s->out, name)) return -1;
    snprintf(name, sizeof name, "%s.shards.tsv", s->plan->name);
    if (s->engine->links.cluster && output_begin(&s->shards, s->out, name)) return -1;
    fputs("time_s\tops\terrors\tmisses\tbytes\tp50_us\tp99_us\tp99_9_us\tmax_us\tlost\trefused\tredirects\tshards_down\n", s->table.file);
    if (s->shards.file) fputs("time_s\tshard\taddress\tops\terrors\tmax_us\n", s->shards.file);
    return 0;
}

static void abandon(struct series *s)
{
    if (s->table.file) output_abandon(&s->table);
    if (s->log.file) output_abandon(&s->log);
    if (s->shards.file) output_abandon(&s->shards);
    hist_free(&s->interval);
}

/* Drop what a warm-up has left: the first row must not include it. */
static void forget(struct series *s)
{
    struct cluster *c = s->engine->links.cluster ? &s->engine->cluster : NULL;
    for (uint32_t i = 0; c && i < c->shards; i++) {
        struct tally t;
        char name[ENDPOINT_NAME];
        cluster_take(c, i, &t, name);
    }
}

int series_open(struct series *s, struct engine *engine, const struct plan *plan, const char *out, int progress)
{
    memset(s, 0, sizeof *s);
    s->engine = engine;
    s->plan = plan;
    s->out = out;
    s->progress = progress;
    if (!out && !progress && !engine->options->gate) return 0; /* at a gate, the reporter looks for the stop file */
    forget(s);
    if (hist_init(&s->interval, 3)) return -1;
    if (open_files(s)) {
        int saved = errno;
        abandon(s);
        errno = saved;
        return -1;
    }
    write_status(s, 0, 0, 0);
    s->opened = 1;
    return 0;
}

int series_begin(struct series *s)
{
    pthread_condattr_t attr;
    uint64_t now = clock_now_ns(), start = s->plan->start_ns;
    if (!s->opened) return 0;
    if (s->log.file) hlog_begin(s->log.file, start > now ? clock_epoch_ns() + (start - now) : clock_epoch_ns() - (now - start));
    pthread_condattr_init(&attr);
    pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
    pthread_mutex_init(&s->lock, NULL);
    pthread_cond_init(&s->wake, &attr);
    pthread_condattr_destroy(&attr);
    errno = pthread_create(&s->thread, NULL, report, s);
    s->running = !errno;
    return errno ? -1 : 0;
}

int series_end(struct series *s)
{
    if (!s->running) {
        abandon(s);
        return 0;
    }
    pthread_mutex_lock(&s->lock);
    s->ended = 1;
    pthread_cond_signal(&s->wake);
    pthread_mutex_unlock(&s->lock);
    pthread_join(s->thread, NULL);
    const uint64_t now_ns = clock_now_ns(), start_ns = s->plan->start_ns;
    const double now_s = now_ns > start_ns ? (double)(now_ns - start_ns) / 1e9 : 0; /* a signal may come before the start */
    row(s, now_s > s->last_s ? now_s : s->last_s + 1e-3);
    if (s->progress) fputs("\r\033[K", stderr);
    if (s->table.file && output_commit(&s->table)) s->failed = errno;
    if (s->log.file && output_commit(&s->log)) s->failed = errno;
    if (s->shards.file && output_commit(&s->shards)) s->failed = errno;
    hist_free(&s->interval);
    pthread_mutex_destroy(&s->lock);
    pthread_cond_destroy(&s->wake);
    errno = s->failed;
    return s->failed ? -1 : 0;
}
