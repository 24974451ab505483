/* SPDX-License-Identifier: MIT */
/* A whole run: see engine.h. */
#include "engine.h"

#include "clock.h"
#include "control.h"

#include <errno.h>
#include <math.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#define LAG_LIMIT_US 1000 /* a p99 of the send lag above this, and above a tenth of the latency's p99, spoils the latency */

static void pin(const struct options *o, int thread)
{
    cpu_set_t set;
    if (!o->cpus) return;
    CPU_ZERO(&set);
    CPU_SET((size_t)o->cpu[thread % o->cpus], &set);
    sched_setaffinity(0, sizeof set, &set);
}

static int check_cpus(const struct options *o, char *why)
{
    cpu_set_t allowed;
    if (!o->cpus || sched_getaffinity(0, sizeof allowed, &allowed)) return 0;
    for (int i = 0; i < o->cpus; i++)
        if (!CPU_ISSET((size_t)o->cpu[i], &allowed)) {
            snprintf(why, ENGINE_WHY, "--cpus: CPU %d is not there, or not for this process", o->cpu[i]);
            return -1;
        }
    return 0;
}

/* Descriptors: every connection, and for each thread epoll and timer. */
static int raise_limit(const struct options *o, char *why)
{
    uint64_t groups = o->threads > o->instances ? o->threads : o->instances;
    uint64_t need = groups * o->connections + o->threads * 2 + 64;
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) || limit.rlim_cur >= need) return 0;
    limit.rlim_cur = limit.rlim_max < need ? limit.rlim_max : need;
    if (limit.rlim_cur >= need && !setrlimit(RLIMIT_NOFILE, &limit)) return 0;
    snprintf(why, ENGINE_WHY, "%ju connections need %ju open files, and the limit is %ju (ulimit -n)", (uintmax_t)(groups * o->connections),
             (uintmax_t)need, (uintmax_t)limit.rlim_max);
    return -1;
}

int engine_init(struct engine *e, const struct options *o, struct crew *crew, char why[ENGINE_WHY])
{
    memset(e, 0, sizeof *e);
    e->options = o;
    e->crew = crew;
    if (check_cpus(o, why) || raise_limit(o, why) || links_init(&e->links, o, why)) return -1;
    e->worker = aligned_alloc(64, o->threads * sizeof *e->worker);
    e->why = calloc(o->threads, sizeof *e->why);
    if (e->worker) memset(e->worker, 0, o->threads * sizeof *e->worker);
    int bad = !e->worker || !e->why || values_init(&e->values, &o->values);
    for (uint64_t i = 0; !bad && i < o->threads; i++) {
        e->workers++;
        bad = worker_init(&e->worker[i], (int)i, o, &e->links, &e->values);
    }
    if (bad) snprintf(why, ENGINE_WHY, "cannot prepare %ju threads: %s", (uintmax_t)o->threads, strerror(errno ? errno : ENOMEM));
    return bad ? -1 : 0;
}

void engine_free(struct engine *e)
{
    for (int i = 0; i < e->workers; i++) worker_free(&e->worker[i]);
    free(e->worker);
    free(e->why);
    values_free(&e->values);
    links_free(&e->links);
}

static void connect_job(void *arg, int thread)
{
    struct engine *e = arg;
    pin(e->options, thread);
    worker_connect(&e->worker[thread], e->why[thread]);
}

/* The first complaint of any thread, if there is one. */
static int gather(struct engine *e, char why[ENGINE_WHY])
{
    for (int i = 0; i < e->workers; i++)
        if (e->why[i][0]) {
            snprintf(why, ENGINE_WHY, "%s", e->why[i]);
            return -1;
        }
    return 0;
}

int engine_connect(struct engine *e, char why[ENGINE_WHY])
{
    crew_run(e->crew, connect_job, e);
    return gather(e, why);
}

/* Instances are divided over the threads once more, each by one thread, whoever drives them. */
static void each_instance(struct engine *e, int thread, int (*visit)(const struct links *, uint64_t, char *))
{
    const struct options *o = e->options;
    for (uint64_t i = (uint64_t)thread; i < o->instances && !e->why[thread][0] && !worker_stop; i += o->threads) {
        char why[LINK_WHY] = "";
        if (visit(&e->links, o->port + i, why)) memcpy(e->why[thread], why, sizeof why);
    }
}

static void check_job(void *arg, int thread)
{
    each_instance(arg, thread, control_check);
}

static void flush_job(void *arg, int thread)
{
    each_instance(arg, thread, control_flush);
}

static void mark_job(void *arg, int thread)
{
    each_instance(arg, thread, control_mark_empty);
}

int engine_prepare(struct engine *e, char why[ENGINE_WHY])
{
    const struct options *o = e->options;
    int sets = o->phase[0] == PHASE_SET || o->phase[0] == PHASE_POPULATE;
    if (!sets || !o->flush) {
        int writes = 0;
        for (int i = 0; i < o->phases; i++) writes |= o->phase[i] != PHASE_GET;
        if (writes) crew_run(e->crew, mark_job, e);
        return gather(e, why) ? -1 : 1;
    }
    if (!o->force) crew_run(e->crew, check_job, e);
    if (gather(e, why)) return -1;
    crew_run(e->crew, flush_job, e);
    return gather(e, why);
}

void engine_plan(const struct engine *e, int index, struct plan *plan)
{
    const struct options *o = e->options;
    int before = 0, populate = o->phase[index] == PHASE_POPULATE;
    double time_s = populate ? 0 : o->time_s;
    memset(plan, 0, sizeof *plan);
    plan->kind = o->phase[index];
    plan->index = index;
    plan->record = 1;
    plan->verify = o->verify;
    plan->open = o->rate > 0 && !populate;
    plan->rate = plan->open ? o->rate : 0;
    plan->pipeline = populate && o->pipeline < WORKER_POPULATE_PIPELINE ? WORKER_POPULATE_PIPELINE : o->pipeline;
    plan->stop_ns = UINT64_MAX;
    for (int i = 0; i < index; i++) before += o->phase[i] == o->phase[index];
    snprintf(plan->name, sizeof plan->name, before ? "%s-%d" : "%s", options_phase_name(plan->kind), before + 1);
    plan->total = o->requests && !populate ? o->requests : o->count * o->instances;
    if (time_s > 0) plan->total = plan->open ? (uint64_t)llround(plan->rate * time_s) : 0;
    if (plan->open) plan->length_ns = time_s > 0 ? time_s * 1e9 : (double)plan->total / plan->rate * 1e9;
    plan->time_ns = (uint64_t)(time_s * 1e9);
}

void engine_plan_warmup(const struct engine *e, struct plan *plan)
{
    double time_s = e->options->warmup_s;
    plan->record = 0;
    plan->index += OPTIONS_PHASES_MAX; /* other random keys than those that are measured */
    plan->time_ns = (uint64_t)(time_s * 1e9);
    plan->length_ns = plan->open ? time_s * 1e9 : 0;
    plan->total = plan->open ? (uint64_t)llround(plan->rate * time_s) : 0;
}

struct run {
    struct engine *engine;
    const struct plan *plan;
};

static void run_job(void *arg, int thread)
{
    struct run *run = arg;
    worker_run(&run->engine->worker[thread], run->plan);
}

/* Outages are seen by every thread of an instance: of each instance the thread that saw most of them counts. */
static void merge_outages(const struct engine *e, struct result *r)
{
    for (int i = 0; i < e->workers; i++)
        for (uint32_t j = 0; j < e->worker[i].targets; j++) {
            const struct target *t = &e->worker[i].target[j];
            int most = 1;
            for (int k = (int)t->instance; k < e->workers && most; k += (int)e->options->instances) {
                if ((uint64_t)e->workers < e->options->instances) break; /* each instance has one thread */
                const struct target *other = &e->worker[k].target[0];
                most = k == i || other->outage_total_ns < t->outage_total_ns || (other->outage_total_ns == t->outage_total_ns && i < k);
            }
            if (!most) continue;
            r->outages += t->outages;
            r->outage_total_us += t->outage_total_ns / NS_PER_US;
            if (t->outage_longest_ns / NS_PER_US > r->outage_longest_us) r->outage_longest_us = t->outage_longest_ns / NS_PER_US;
        }
}

static void judge(const struct engine *e, struct result *r)
{
    for (int i = 0; i < e->workers; i++) {
        const struct worker *w = &e->worker[i];
        uint64_t needed = w->cpu_ns > w->idle_ns ? w->cpu_ns - w->idle_ns : 0;
        if (r->plan.open) needed += w->waited_ns; /* a schedule slips as much while the thread waits for a CPU */
        double share = w->elapsed_ns ? (double)needed / (double)w->elapsed_ns : 0;
        if (share <= r->busiest) continue;
        r->busiest = share;
        r->busiest_thread = i;
    }
    r->client_limited = r->busiest > ENGINE_BUSY;
    if (!r->plan.open) return;
    uint64_t lag = hist_percentile(&r->lag, 99);
    r->client_limited |= lag > LAG_LIMIT_US && lag > hist_percentile(&r->latency, 99) / 10;
}

static int merge(const struct engine *e, const struct plan *plan, struct result *r, char *why)
{
    memset(r, 0, sizeof *r);
    r->plan = *plan;
    if (hist_init(&r->latency, 3) || (plan->open && (hist_init(&r->service, 3) || hist_init(&r->lag, 2)))) {
        snprintf(why, ENGINE_WHY, "out of memory");
        return -1;
    }
    uint64_t begin = UINT64_MAX;
    for (int i = 0; i < e->workers; i++) {
        const struct worker *w = &e->worker[i];
        hist_merge(&r->latency, &w->recorder.total);
        if (plan->open) {
            hist_merge(&r->service, &w->recorder.service);
            hist_merge(&r->lag, &w->recorder.lag);
        }
        for (int k = 0; k < COUNTS; k++) r->count[k] += w->recorder.total_count[k];
        if (w->begin_ns < begin) begin = w->begin_ns;
        if (w->elapsed_ns / NS_PER_US > r->elapsed_us) r->elapsed_us = w->elapsed_ns / NS_PER_US;
        r->cpu_us += w->cpu_ns / NS_PER_US;
        if (!w->failed) continue;
        snprintf(why, ENGINE_WHY, "thread %d: %s", i, strerror(w->failed));
        return -1;
    }
    r->start_us = (clock_epoch_ns() - (clock_now_ns() - begin)) / NS_PER_US;
    r->interrupted = worker_stop;
    merge_outages(e, r);
    judge(e, r);
    return 0;
}

int engine_run(struct engine *e, const struct plan *plan, struct result *r, char why[ENGINE_WHY])
{
    struct run run = {e, plan};
    const struct options *o = e->options;
    for (int i = 0; i < e->workers; i++) recorder_clear(&e->worker[i].recorder);
    crew_run(e->crew, run_job, &run);
    if (merge(e, plan, r, why)) {
        engine_result_free(r);
        return -1;
    }
    if (!plan->record) return 0;
    r->misses_fail = e->filled && plan->kind == PHASE_GET && (o->keys.kind == KEYS_SEQUENTIAL || o->keys.kind == KEYS_SHUFFLE);
    if (plan->kind == PHASE_POPULATE) e->filled = 1;
    if (plan->kind == PHASE_SET && !o->requests && o->time_s <= 0 && o->keys.kind <= KEYS_SHUFFLE) e->filled = 1;
    return 0;
}

void engine_result_free(struct result *r)
{
    hist_free(&r->latency);
    hist_free(&r->service);
    hist_free(&r->lag);
}

int engine_failed(const struct result *r)
{
    return recorder_errors(r->count) > 0 || (r->misses_fail && r->count[COUNT_MISSES]);
}
