/* SPDX-License-Identifier: MIT */
/* The output for users: see report.h. */
#include "report.h"

#include "clock.h"
#include "output.h"
#include "pattern.h"
#include "report_kinds.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* The time as ctime writes it, without the newline. */
static const char *date(char text[32])
{
    time_t now = time(NULL);
    if (!ctime_r(&now, text)) return "?";
    text[strcspn(text, "\n")] = 0;
    return text;
}

void report_start(const struct options *o)
{
    char now[32];
    printf("threads = %d start_port = %d value_len = %d key_count = %ld\n", (int)o->threads, (int)o->port, (int)llround(options_mean_size(o)),
           (long)o->count);
    printf("%s : value(s) allocated, connecting\n", date(now));
    fflush(stdout);
}

void report_connected(const struct engine *e)
{
    for (int i = 0; i < e->workers; i++)
        for (uint32_t j = 0; j < e->worker[i]->targets; j++) printf("Thread %3d: port %d connected\n", i, (int)e->worker[i]->target[j].port);
    fflush(stdout);
}

void report_flushed(const struct engine *e)
{
    for (int i = 0; i < e->workers; i++)
        for (uint32_t j = 0; j < e->worker[i]->targets; j++)
            if (!e->worker[i]->target[j].part) printf("Thread %3d: port %d flushall :OK\n", i, (int)e->worker[i]->target[j].port);
    fflush(stdout);
}

void report_phase_started(const struct options *o, const struct plan *plan)
{
    char now[32];
    printf("%s : %d threads started - %s\n", date(now), (int)o->threads, plan->name);
    fflush(stdout);
}

static int by_elapsed(const void *a, const void *b)
{
    const struct worker *x = *(const struct worker *const *)a, *y = *(const struct worker *const *)b;
    if (x->elapsed_ns != y->elapsed_ns) return x->elapsed_ns < y->elapsed_ns ? -1 : 1;
    return x->id < y->id ? -1 : x->id > y->id;
}

void report_phase_finished(const struct engine *e, const struct result *r)
{
    char now[32];
    const struct worker **order = malloc((size_t)e->workers * sizeof *order);
    for (int i = 0; order && i < e->workers; i++) order[i] = e->worker[i];
    if (order) qsort(order, (size_t)e->workers, sizeof *order, by_elapsed); /* the guide's summary reads the line before `finished` */
    for (int i = 0; i < e->workers; i++) {
        const struct worker *w = order ? order[i] : e->worker[i];
        const struct hist *h = &w->recorder.total;
        printf("Thread %3d: port %d %s %ld keys - elapse %ld usecs , max time %ld , average %ld , max average %ld\n", w->id, (int)w->target[0].port,
               r->plan.name, (long)w->recorder.total_count[COUNT_OPS], (long)(w->elapsed_ns / 1000), (long)clock_us(h->max),
               (long)(hist_mean(h) / 1e3), (long)w->max_average_us);
    }
    free(order);
    printf("%s : %d threads finished - %s\n", date(now), e->workers, r->plan.name);
    fflush(stdout);
}

void report_complete(void)
{
    char now[32];
    printf("%s : Complete.\n", date(now));
    fflush(stdout);
}

/* The ports of all instances of a thread. */
static void put_ports(FILE *to, const struct worker *w)
{
    for (uint32_t i = 0; i < w->targets; i++) fprintf(to, "%s%ju", i ? "," : "", (uintmax_t)w->target[i].port);
}

/* Name the first instance that did not answer at the end of the phase. */
static void report_silent(const struct engine *e, const struct result *r)
{
    const uint64_t number = (uint64_t)r->silent - 1;
    if (e->links.cluster)
        fprintf(stderr, "test: %s: shard %ju did not come back\n", r->plan.name, (uintmax_t)(e->cluster.first + number));
    else
        fprintf(stderr, "test: %s: port %ju did not come back\n", r->plan.name, (uintmax_t)(e->options->port + number));
}

void report_problems(const struct engine *e, const struct result *r)
{
    const char *name = r->plan.name;
    for (int i = 0; i < e->workers; i++) {
        const struct worker *w = e->worker[i];
        const uint64_t *count = w->recorder.total_count;
        if (!recorder_errors(count) && !(r->misses_fail && count[COUNT_MISSES])) continue;
        fprintf(stderr, "test: %s: thread %d, port ", name, i);
        put_ports(stderr, w);
        fprintf(stderr, ": %ju error replies, %ju misses, %ju mismatches, %ju timeouts, %ju lost, %ju not sent%s%s\n",
                (uintmax_t)count[COUNT_ERROR_REPLIES], (uintmax_t)count[COUNT_MISSES], (uintmax_t)count[COUNT_MISMATCHES],
                (uintmax_t)count[COUNT_TIMEOUTS], (uintmax_t)count[COUNT_LOST], (uintmax_t)count[COUNT_UNSENT],
                w->first_error[0] ? "; first error: " : "", w->first_error);
    }
    if (r->count[COUNT_MISSES] && strcmp(r->miss_reason, "unset") != 0 && strcmp(r->miss_reason, "removed") != 0)
        fprintf(stderr, "test: %s: %ju keys were missing though all had been set (%s)%s\n", name, (uintmax_t)r->count[COUNT_MISSES],
                !strcmp(r->miss_reason, "gone") ? "nothing was evicted or expired" : r->miss_reason,
                r->misses_fail ? "; with --allow-misses this is not a failure" : "");
    if (r->count[COUNT_UNANSWERED])
        fprintf(stderr, "test: %s: %ju requests got no answer: percentiles include the time that they waited, so those >= %.3f us are lower bounds\n",
                name, (uintmax_t)r->count[COUNT_UNANSWERED], clock_us_exact(r->at_least_ns));
    if (r->stopped && !e->options->faults)
        fprintf(stderr, "test: %s: ended before its time, after %.1f s: DIR/stop exists\n", name, (double)r->elapsed_us / 1e6);
    if (r->outages)
        fprintf(stderr, "test: %s: %ju outages, the longest %.1f s, %.1f s in all\n", name, (uintmax_t)r->outages, (double)r->outage_longest_us / 1e6,
                (double)r->outage_total_us / 1e6);
    if (e->links.cluster && r->gap_count)
        fprintf(stderr, "test: %s: %ju gaps without an answer from a shard, the longest %.1f s\n", name, (uintmax_t)r->gap_count,
                (double)r->gap_longest_us / 1e6);
    if (r->silent) report_silent(e, r);
    if (r->latency.over)
        fprintf(stderr, "test: %s: %ju samples above one hour are outside the buckets; percentiles include them\n", name, (uintmax_t)r->latency.over);
    if (!r->client_limited) return;
    fprintf(stderr, "test: %s: this client was the limit: ", name);
    if (r->busiest > ENGINE_BUSY)
        fprintf(stderr, "thread %d needed %.0f %% of a CPU", r->busiest_thread, r->busiest * 100);
    else if (r->process > ENGINE_BUSY)
        fprintf(stderr, "%d threads needed %.0f %% of the %.3g CPUs that they may use", e->workers, r->process * 100, e->cpus);
    else
        fprintf(stderr, "1 %% of the requests were sent at least %.0f us late", hist_us(&r->lag, 99));
    fputs("; use more threads, CPUs or clients\n", stderr);
}

/* Write a file of latencies, PHASE.KIND. */
static int write_latencies(const char *dir, const struct result *r, const char *kind, const struct hist *h, void (*put)(FILE *, const struct hist *))
{
    struct output out;
    char name[64];
    snprintf(name, sizeof name, "%s.%s", r->plan.name, kind);
    if (output_begin(&out, dir, name)) return -1;
    put(out.file, h);
    if (put == output_percentiles && r->count[COUNT_UNANSWERED])
        fprintf(out.file,
                "#[Unanswered = %ju requests, counted with the time that they waited, %.3f us or more: values from there on are lower bounds]\n",
                (uintmax_t)r->count[COUNT_UNANSWERED], clock_us_exact(r->at_least_ns));
    return output_commit(&out);
}

/* Write one row per instance; threads that drive several instances have one row for these together. */
static int write_instances(const struct engine *e, const struct result *r, const char *dir)
{
    const int threads = e->workers, groups = threads < (int)e->options->instances ? threads : (int)e->options->instances;
    struct output out;
    struct hist all;
    char name[64];
    snprintf(name, sizeof name, "%s.instances.tsv", r->plan.name);
    if (hist_init(&all, 3)) return -1;
    if (output_begin(&out, dir, name)) {
        hist_free(&all);
        return -1;
    }
    fputs("ports\tthreads\telapsed_us\tops\tsets\tmisses\terrors\tbytes\twire_bytes\tavg_us\tp50_us\tp99_us\tp99_9_us\tmax_us\n", out.file);
    for (int group = 0; group < groups; group++) {
        const struct worker *first = e->worker[group];
        uint64_t count[COUNTS] = {0}, elapsed_ns = 0;
        int members = 0;
        hist_clear(&all);
        for (int i = group; i < threads; i += groups, members++) {
            const struct worker *w = e->worker[i];
            hist_merge(&all, &w->recorder.total);
            for (int k = 0; k < COUNTS; k++) count[k] += w->recorder.total_count[k];
            if (w->elapsed_ns > elapsed_ns) elapsed_ns = w->elapsed_ns;
        }
        put_ports(out.file, first);
        fprintf(out.file, "\t%d\t%ju\t%ju\t%ju\t%ju\t%ju\t%ju\t%ju\t%.3f\t%.3f\t%.3f\t%.3f\t%.3f\n", members, (uintmax_t)(elapsed_ns / 1000),
                (uintmax_t)count[COUNT_OPS], (uintmax_t)count[COUNT_SETS], (uintmax_t)count[COUNT_MISSES], (uintmax_t)recorder_errors(count),
                (uintmax_t)count[COUNT_BYTES], (uintmax_t)count[COUNT_WIRE], hist_mean(&all) / 1e3, hist_us(&all, 50), hist_us(&all, 99),
                hist_us(&all, 99.9), hist_us(&all, 100));
    }
    hist_free(&all);
    return output_commit(&out);
}

/* Write one row per gap of each shard. */
static int write_gaps(const struct engine *e, const struct result *r, const char *dir)
{
    struct output out;
    char name[64];
    snprintf(name, sizeof name, "%s.gaps.tsv", r->plan.name);
    if (output_begin(&out, dir, name)) return -1;
    fputs("shard\tfrom_s\tto_s\taddress_before\taddress_after\tlast_error\n", out.file);
    for (uint32_t i = 0; i < e->cluster.shards; i++)
        for (uint32_t k = 0; k < r->gaps[i].count; k++) {
            const struct gap *g = &r->gaps[i].gap[k];
            double start = (double)r->plan.start_ns;
            fprintf(out.file, "%u\t%.3f\t%.3f\t%s\t%s\t%s\n", e->cluster.first + i, ((double)g->from_ns - start) / 1e9,
                    ((double)g->to_ns - start) / 1e9, g->before, g->after, g->error);
        }
    return output_commit(&out);
}

int report_files(const struct engine *e, const struct result *r, const char *dir, int all)
{
    struct output out;
    char name[64];
    const struct hist **hist = malloc((size_t)e->workers * sizeof *hist);
    snprintf(name, sizeof name, "histogram-%s", r->plan.name);
    if (!hist) return -1;
    for (int i = 0; i < e->workers; i++) hist[i] = &e->worker[i]->recorder.total;
    int rc = output_begin_unique(&out, dir, name);
    if (!rc) {
        rc = output_table(out.file, hist, e->workers);
        if (rc)
            output_abandon(&out);
        else
            rc = output_commit(&out);
    }
    free(hist);
    if (rc) return -1;
    printf("Histogram saved to file %s\n", !strncmp(out.final, "./", 2) ? out.final + 2 : out.final);
    fflush(stdout);
    if (!all) return 0;
    if (write_latencies(dir, r, "histogram.tsv", &r->latency, output_histogram) || write_latencies(dir, r, "hgrm", &r->latency, output_percentiles) ||
        write_instances(e, r, dir) || (e->links.cluster && write_gaps(e, r, dir)) || report_kinds(e->options, r, dir))
        return -1;
    return r->plan.open ? write_latencies(dir, r, "service.hgrm", &r->service, output_percentiles) : 0;
}

/* A row under construction and the header above it, which grow by the same calls and have no limit. */
struct row {
    FILE *values, *names;
    char *text, *header;
    size_t text_size, header_size;
    int columns, bad; /* bad: a column is missing, for want of memory */
};

static int row_begin(struct row *row)
{
    *row = (struct row){0};
    row->values = open_memstream(&row->text, &row->text_size);
    row->names = open_memstream(&row->header, &row->header_size);
    row->bad = !row->values || !row->names;
    return row->bad ? -1 : 0;
}

/* End a row, whose text and header the caller frees. Returns 0, or -1 with errno if it is not whole: then it has none. */
static int row_end(struct row *row)
{
    row->bad |= (row->values && ferror(row->values)) || (row->names && ferror(row->names));
    if (row->values && fclose(row->values)) row->bad = 1;
    if (row->names && fclose(row->names)) row->bad = 1;
    if (!row->bad) return 0;
    free(row->text);
    free(row->header);
    row->text = row->header = NULL;
    errno = ENOMEM;
    return -1;
}

static void column(struct row *row, const char *name, const char *format, ...) __attribute__((format(printf, 3, 4)));

static void column(struct row *row, const char *name, const char *format, ...)
{
    va_list args;
    char *text;
    va_start(args, format);
    if (vasprintf(&text, format, args) < 0) text = NULL;
    va_end(args);
    if (!text) {
        row->bad = 1;
        return;
    }
    for (char *c = text; *c; c++)
        if ((unsigned char)*c < ' ') *c = '?'; /* a prefix may contain any byte; a table may not */
    const char *gap = row->columns++ ? "\t" : "";
    fprintf(row->values, "%s%s", gap, text);
    fprintf(row->names, "%s%s", gap, name);
    free(text);
}

static void percentile_columns(struct row *row, const struct hist *h)
{
    column(row, "avg_us", "%.3f", hist_mean(h) / 1e3);
    column(row, "p50_us", "%.3f", hist_us(h, 50));
    column(row, "p90_us", "%.3f", hist_us(h, 90));
    column(row, "p99_us", "%.3f", hist_us(h, 99));
    column(row, "p99_9_us", "%.3f", hist_us(h, 99.9));
    column(row, "p99_99_us", "%.3f", hist_us(h, 99.99));
    column(row, "max_us", "%.3f", hist_us(h, 100));
}

static void count_columns(struct row *row, const struct result *r)
{
    column(row, "errors", "%ju", (uintmax_t)recorder_errors(r->count));
    column(row, "error_replies", "%ju", (uintmax_t)r->count[COUNT_ERROR_REPLIES]);
    column(row, "misses", "%ju", (uintmax_t)r->count[COUNT_MISSES]);
    column(row, "mismatches", "%ju", (uintmax_t)r->count[COUNT_MISMATCHES]);
    column(row, "timeouts", "%ju", (uintmax_t)r->count[COUNT_TIMEOUTS]);
    column(row, "lost", "%ju", (uintmax_t)r->count[COUNT_LOST]);
    column(row, "unsent", "%ju", (uintmax_t)r->count[COUNT_UNSENT]);
    column(row, "outages", "%ju", (uintmax_t)r->outages);
    column(row, "outage_longest_us", "%ju", (uintmax_t)r->outage_longest_us);
    column(row, "outage_total_us", "%ju", (uintmax_t)r->outage_total_us);
    column(row, "out_of_range", "%ju", (uintmax_t)r->latency.over);
}

/* The parameter of a pattern of keys; NULL is one that has none, or that of the options. */
static void key_column(struct row *row, const struct keys_spec *keys)
{
    double parameter = keys ? pattern_parameter(keys) : 0;
    if (parameter > 0)
        column(row, "key_sd", "%.15g", parameter);
    else
        column(row, "key_sd", "%s", "-");
}

static void parameter_columns(struct row *row, const struct options *o, const struct result *r)
{
    const struct plan *p = &r->plan;
    column(row, "operation", "%s", p->name);
    column(row, "host", "%s", o->socket ? o->socket : o->host);
    column(row, "port", "%ju", (uintmax_t)o->port);
    column(row, "instances", "%ju", (uintmax_t)o->instances);
    column(row, "threads", "%ju", (uintmax_t)o->threads);
    column(row, "connections", "%ju", (uintmax_t)p->connections);
    column(row, "pipeline", "%ju", (uintmax_t)p->pipeline);
    column(row, "rate", "%.10g", p->rate);
    column(row, "arrival", "%s", !p->open ? "closed" : o->trace ? "trace" : o->arrival == PACER_POISSON ? "poisson" : "uniform");
    const char *sizes = options_sizes_text(o, p->kind);
    column(row, "len", "%lld", llround(options_mean_size(o)));
    column(row, "sizes", "%s", sizes ? sizes : "-");
    const int populate = p->kind == PHASE_POPULATE;
    const uint64_t first = populate ? o->populate_first : o->key_min, count = populate ? o->populate_count : o->count;
    column(row, "keys", "%ju", (uintmax_t)count);
    column(row, "key_min", "%ju", (uintmax_t)first);
    column(row, "key_max", "%ju", (uintmax_t)(first + count - 1));
    column(row, "key_prefix", "%s", *o->key_prefix ? o->key_prefix : "-");
    column(row, "pattern", "%s", !populate ? o->keys_text : o->populate == KEYS_SEQUENTIAL ? "sequential" : "shuffle");
    column(row, "data", "%s", o->data_text);
    column(row, "seed", "%ju", (uintmax_t)o->seed);
    column(row, "ratio", "%s", p->kind == PHASE_MIXED && !o->mix.entries ? o->ratio_text : "-");
    column(row, "verify", "%d", p->verify);
    column(row, "warmup_s", "%.10g", p->kind == PHASE_POPULATE ? 0 : o->warmup_s);
}

/* The shares of requests to the most popular keys of a trace. */
static void top_columns(struct row *row, const struct trace *trace)
{
    static const char *const names[TRACE_TOPS] = {"top_1_percent", "top_10_percent", "top_50_percent"};
    for (int i = 0; i < TRACE_TOPS; i++) {
        if (trace && trace->header->top_percent[i] >= 0)
            column(row, names[i], "%.2f", trace->header->top_percent[i]);
        else
            column(row, names[i], "%s", "-");
    }
}

/* The commands of a mix with their weights, or `measured`. */
static void kinds_column(struct row *row, const char *name, const struct options *o, const struct result *r, int measured)
{
    char *text = !o->trace || measured ? report_kinds_text(o, r, measured) : strdup("-");
    if (text) column(row, name, "%s", text);
    if (!text) row->bad = 1;
    free(text);
}

/* at_least_us for a table: 0 without unanswered requests. */
static double at_least(const struct result *r)
{
    return r->at_least_ns == UINT64_MAX ? 0 : clock_us_exact(r->at_least_ns ? r->at_least_ns : 1);
}

static void row_make(struct row *row, const struct options *o, const struct result *r)
{
    const struct plan *p = &r->plan;
    parameter_columns(row, o, r);
    column(row, "start_us", "%ju", (uintmax_t)r->start_us);
    column(row, "elapsed_us", "%ju", (uintmax_t)r->elapsed_us);
    column(row, "max_time_us", "%ju", (uintmax_t)r->elapsed_us);
    column(row, "ops", "%ju", (uintmax_t)r->count[COUNT_OPS]);
    column(row, "sets", "%ju", (uintmax_t)r->count[COUNT_SETS]);
    column(row, "ops_per_sec", "%.3f", r->elapsed_us ? (double)r->count[COUNT_OPS] * 1e6 / (double)r->elapsed_us : 0);
    column(row, "bytes", "%ju", (uintmax_t)r->count[COUNT_BYTES]);
    column(row, "wire_bytes", "%ju", (uintmax_t)r->count[COUNT_WIRE]);
    percentile_columns(row, &r->latency);
    count_columns(row, r);
    const struct hist *service = p->open ? &r->service : &r->latency;
    column(row, "latency_from", "%s", p->open ? "intended" : "sent");
    column(row, "service_p50_us", "%.3f", hist_us(service, 50));
    column(row, "service_p99_us", "%.3f", hist_us(service, 99));
    column(row, "service_max_us", "%.3f", hist_us(service, 100));
    column(row, "send_lag_p99_us", "%.3f", p->open ? hist_us(&r->lag, 99) : 0);
    column(row, "client_limited", "%d", r->client_limited);
    column(row, "client_cpu_us", "%ju", (uintmax_t)r->cpu_us);
    column(row, "interrupted", "%d", r->interrupted != 0);
    column(row, "version", "%s", LOADGEN_VERSION);
    column(row, "late", "%ju", (uintmax_t)r->count[COUNT_LATE]);
    column(row, "unanswered", "%ju", (uintmax_t)r->count[COUNT_UNANSWERED]);
    column(row, "at_least_us", "%.3f", at_least(r));
    column(row, "scramble", "%d", p->kind != PHASE_POPULATE && o->keys.scramble);
    column(row, "shift", "%s", p->kind != PHASE_POPULATE && o->shift_text ? o->shift_text : "-");
    column(row, "expire", "%s", o->expire_text ? o->expire_text : "-");
    column(row, "expired", "%ju", (uintmax_t)r->expired);
    column(row, "miss_reason", "%s", r->miss_reason ? r->miss_reason : "-");
    column(row, "moved", "%ju", (uintmax_t)r->count[COUNT_MOVED]);
    column(row, "clusterdown", "%ju", (uintmax_t)r->count[COUNT_CLUSTERDOWN]);
    column(row, "loading", "%ju", (uintmax_t)r->count[COUNT_LOADING]);
    column(row, "readonly", "%ju", (uintmax_t)r->count[COUNT_READONLY]);
    column(row, "refused", "%ju", (uintmax_t)r->count[COUNT_REFUSED]);
    column(row, "gaps", "%ju", (uintmax_t)r->gap_count);
    column(row, "gap_longest_us", "%ju", (uintmax_t)r->gap_longest_us);
    kinds_column(row, "commands", o, r, 0);
    kinds_column(row, "command_latency", o, r, 1);
    key_column(row, p->kind == PHASE_POPULATE ? NULL : &o->keys);
    column(row, "stopped", "%d", r->stopped);
    column(row, "trace", "%s", o->trace ? o->trace_file : "-");
    if (o->trace && o->speed > 0)
        column(row, "trace_speed", "%.10g", o->speed);
    else
        column(row, "trace_speed", "%s", o->trace ? "max" : "-");
    top_columns(row, o->trace);
    column(row, "resolution_us", "%s", "0.001");
}

int report_row(const struct options *o, const struct result *r, struct report_rows *rows)
{
    struct output out;
    struct row row;
    if (!row_begin(&row)) row_make(&row, o, r);
    if (row_end(&row)) return -1;
    free(rows->header);
    rows->header = row.header;
    rows->row[rows->rows++] = row.text;
    if (output_begin(&out, o->out, "result.tsv")) return -1;
    fprintf(out.file, "%s\n", rows->header);
    for (int i = 0; i < rows->rows; i++) fprintf(out.file, "%s\n", rows->row[i]);
    return output_commit(&out);
}

static void step_make(struct row *row, const struct result *r, int number)
{
    const struct hist *h = &r->latency;
    column(row, "phase", "%s", r->plan.name);
    column(row, "offer", "%d", number);
    column(row, "rate", "%.10g", r->plan.rate);
    column(row, "connections", "%ju", (uintmax_t)r->plan.connections);
    column(row, "asked_us", "%ju", (uintmax_t)(r->plan.time_ns / 1000));
    key_column(row, r->plan.keys);
    column(row, "start_us", "%ju", (uintmax_t)r->start_us);
    column(row, "elapsed_us", "%ju", (uintmax_t)r->elapsed_us);
    column(row, "ops", "%ju", (uintmax_t)r->count[COUNT_OPS]);
    percentile_columns(row, h);
    column(row, "errors", "%ju", (uintmax_t)recorder_errors(r->count));
    column(row, "unsent", "%ju", (uintmax_t)r->count[COUNT_UNSENT]);
    column(row, "client_limited", "%d", r->client_limited);
    column(row, "send_lag_p99_us", "%.3f", r->plan.open ? hist_us(&r->lag, 99) : 0);
    column(row, "misses", "%ju", (uintmax_t)r->count[COUNT_MISSES]);
    column(row, "unanswered", "%ju", (uintmax_t)r->count[COUNT_UNANSWERED]);
    column(row, "at_least_us", "%.3f", at_least(r));
    column(row, "histogram", "%s", "");
    output_slots(row->values, h);
}

int report_step(const char *dir, const struct result *r, int number, int more)
{
    char path[PATH_MAX];
    struct row row;
    FILE *f = NULL;
    if (!row_begin(&row)) step_make(&row, r, number);
    int bad = row_end(&row);
    if (!bad && (size_t)snprintf(path, sizeof path, "%s/steps.tsv", dir) >= sizeof path) {
        errno = ENAMETOOLONG;
        bad = -1;
    }
    if (!bad && (f = fopen(path, more ? "ae" : "we"))) {
        if (!more) fprintf(f, "%s\n", row.header);
        fprintf(f, "%s\n", row.text);
        bad = ferror(f);
        bad = fclose(f) || bad ? -1 : 0;
    }
    free(row.text);
    free(row.header);
    return f ? bad : -1;
}
