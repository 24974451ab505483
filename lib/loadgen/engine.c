/* SPDX-License-Identifier: MIT */
/* A whole run: see engine.h. */
#include "engine.h"

#include "clock.h"
#include "control.h"
#include "cpus.h"

#include <errno.h>
#include <math.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#define WORKER_ALIGN 4096      /* no two threads write to one page */
#define LAG_LIMIT_NS NS_PER_MS /* a p99 of the send lag above this, and above a tenth of the latency's p99, spoils the latency */

static int check_cpus(const struct options *o, char *why)
{
    cpu_set_t allowed;
    if (!o->cpus || sched_getaffinity(0, sizeof allowed, &allowed)) return 0;
    for (int i = 0; i < o->cpus; i++)
        if (!CPU_ISSET((size_t)o->cpu[i], &allowed)) {
            snprintf(why, ENGINE_WHY, "--cpus: CPU %d is offline, or not allowed for this process; accepted: CPUs of its affinity", o->cpu[i]);
            return -1;
        }
    return 0;
}

/* Descriptors: every connection, and for each thread epoll, timer, its part of a record, and what it opens for a moment: a control connection, or a
 * file of the kernel. */
static int raise_limit(const struct options *o, char *why)
{
    uint64_t groups = o->threads > o->instances ? o->threads : o->instances;
    uint64_t need = groups * o->connections + o->threads * (o->record ? 4 : 3) + 64;
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) || limit.rlim_cur >= need) return 0;
    limit.rlim_cur = limit.rlim_max < need ? limit.rlim_max : need;
    if (limit.rlim_cur >= need && !setrlimit(RLIMIT_NOFILE, &limit)) return 0;
    snprintf(why, ENGINE_WHY, "%ju connections require %ju open files, and the limit is %ju; raise it with ulimit -n",
             (uintmax_t)(groups * o->connections), (uintmax_t)need, (uintmax_t)limit.rlim_max);
    return -1;
}

/* Memory is on the node of the thread that touches it first, so each thread makes its own worker on its CPU. */
static void init_job(void *arg, int thread)
{
    struct engine *e = arg;
    cpus_pin(e->options, thread);
    struct worker *w = aligned_alloc(WORKER_ALIGN, (sizeof *w + WORKER_ALIGN - 1) / WORKER_ALIGN * WORKER_ALIGN);
    e->worker[thread] = w;
    if (w) memset(w, 0, sizeof *w);
    if (!w || worker_init(w, thread, e->options, &e->links, &e->values, e->why[thread]))
        if (!e->why[thread][0]) snprintf(e->why[thread], LINK_WHY, "cannot prepare thread %d: %s", thread, strerror(errno ? errno : ENOMEM));
}

/* The first error message of any thread, if there is one. */
static int gather(struct engine *e, char why[ENGINE_WHY])
{
    for (int i = 0; i < e->workers; i++)
        if (e->why[i][0]) {
            snprintf(why, ENGINE_WHY, "%s", e->why[i]);
            return -1;
        }
    return 0;
}

/* The instances: the ports from PORT on, or the shards of a cluster. */
static int instances_init(struct engine *e, struct options *o, char why[ENGINE_WHY])
{
    if (links_init(&e->links, o, &worker_stop, why)) return -1;
    if (!o->cluster) return 0;
    e->links.cluster = &e->cluster;
    if (cluster_init(&e->cluster, &e->links, o, why)) return -1;
    o->instances = e->cluster.shards;
    o->trace_first = e->cluster.first;
    o->trace_total = e->cluster.all;
    if (o->trace) options_traced(o, o->trace);
    return 0;
}

int engine_init(struct engine *e, struct options *o, struct crew *crew, char why[ENGINE_WHY])
{
    memset(e, 0, sizeof *e);
    e->options = o;
    e->crew = crew;
    e->cpus = cpus_usable(o);
    if (check_cpus(o, why) || instances_init(e, o, why) || raise_limit(o, why)) return -1;
    e->worker = calloc(o->threads, sizeof(struct worker *));
    e->why = calloc(o->threads, sizeof *e->why);
    e->control = calloc(o->instances, sizeof *e->control);
    if (!e->worker || !e->why || !e->control || values_init(&e->values, &o->values)) {
        snprintf(why, ENGINE_WHY, "cannot prepare %ju threads: %s", (uintmax_t)o->threads, strerror(ENOMEM));
        return -1;
    }
    for (uint64_t i = 0; i < o->instances; i++)
        if (control_init(&e->control[i], &e->links, i, why)) return -1;
    if (o->cluster && cluster_watch(&e->cluster)) {
        snprintf(why, ENGINE_WHY, "cannot watch the cluster: %s", strerror(errno));
        return -1;
    }
    e->workers = (int)o->threads;
    crew_run(e->crew, init_job, e);
    return gather(e, why);
}

void engine_free(struct engine *e)
{
    for (int i = 0; i < e->workers; i++) {
        if (e->worker[i]) worker_free(e->worker[i]);
        free(e->worker[i]);
    }
    free(e->worker);
    free(e->control);
    free(e->why);
    values_free(&e->values);
    if (e->links.cluster) cluster_free(&e->cluster);
    links_free(&e->links);
}

static void connect_job(void *arg, int thread)
{
    struct engine *e = arg;
    worker_connect(e->worker[thread], e->why[thread]);
}

int engine_connect(struct engine *e, char why[ENGINE_WHY])
{
    crew_run(e->crew, connect_job, e);
    return gather(e, why);
}

static void refresh_job(void *arg, int thread)
{
    const struct engine *e = arg;
    worker_refresh(e->worker[thread]);
}

void engine_refresh(struct engine *e)
{
    crew_run(e->crew, refresh_job, e);
}

typedef int visit_one(const struct links *, struct control *, char *);

struct visit {
    struct engine *engine;
    visit_one *one;
};

/* For this, each instance is assigned to exactly one thread, whichever threads drive it. */
static void visit_job(void *arg, int thread)
{
    const struct visit *v = arg;
    struct engine *e = v->engine;
    const struct options *o = e->options;
    for (uint64_t i = (uint64_t)thread; i < o->instances && !e->why[thread][0]; i += o->threads) {
        char why[LINK_WHY] = "";
        if (e->links.cluster) cluster_follow(&e->cluster, (uint32_t)i, &e->control[i].endpoint);
        int rc = worker_stop ? -1 : v->one(&e->links, &e->control[i], why);
        if (!rc) continue;
        if (!why[0]) snprintf(why, sizeof why, "%.300s: %s", e->control[i].endpoint.name, worker_stop ? "interrupted" : "no reason is known");
        memcpy(e->why[thread], why, sizeof why);
    }
}

/* Visit every instance, also after an error. Returns 0, or -1 with the first error message. */
static int visit(struct engine *e, visit_one *one, char why[ENGINE_WHY])
{
    struct visit v = {e, one};
    for (int i = 0; i < e->workers; i++) e->why[i][0] = 0;
    crew_run(e->crew, visit_job, &v);
    return gather(e, why);
}

/* Query the number of removed keys of all servers. Returns 0, or -1. */
static int taken(struct engine *e, uint64_t *evicted, uint64_t *expired)
{
    char why[ENGINE_WHY];
    *evicted = *expired = 0;
    if (visit(e, control_taken, why)) return -1;
    for (uint64_t i = 0; i < e->options->instances; i++) {
        *evicted += e->control[i].evicted;
        *expired += e->control[i].expired;
    }
    return 0;
}

int engine_prepare(struct engine *e, char why[ENGINE_WHY])
{
    const struct options *o = e->options;
    uint64_t evicted;
    if (o->values.ttl_low || o->trace) taken(e, &evicted, &e->expired); /* a server that does not answer is reported below */
    int sets = o->phase[0] == PHASE_SET || o->phase[0] == PHASE_POPULATE || o->trace, writes = 0;
    for (int i = 0; i < o->phases; i++) writes |= o->phase[i] != PHASE_GET;
    if (!sets || !o->flush) return writes && visit(e, control_mark_empty, why) ? -1 : 1;
    if (!o->force && visit(e, control_check, why)) return -1;
    return visit(e, control_flush, why);
}

void engine_finish(struct engine *e)
{
    char why[ENGINE_WHY];
    for (int i = 0; i < e->options->phases; i++)
        if (e->options->phase[i] != PHASE_GET) {
            visit(e, control_mark_again, why);
            return;
        }
}

void engine_plan(const struct engine *e, int index, struct plan *plan)
{
    const struct options *o = e->options;
    int before = 0, populate = o->phase[index] == PHASE_POPULATE;
    memset(plan, 0, sizeof *plan);
    plan->kind = o->phase[index];
    plan->index = index;
    plan->record = 1;
    plan->verify = o->verify;
    plan->pipeline = populate && o->pipeline < WORKER_POPULATE_PIPELINE ? WORKER_POPULATE_PIPELINE : o->pipeline;
    plan->stop_ns = UINT64_MAX;
    plan->patience_ns = (uint64_t)(o->timeout_s * 1e9);
    for (int i = 0; i < index; i++) before += o->phase[i] == o->phase[index];
    snprintf(plan->name, sizeof plan->name, before ? "%s-%d" : "%s", options_phase_name(plan->kind), before + 1);
    engine_plan_load(e, plan, populate ? 0 : o->rate, 0, populate ? 0 : o->time_s);
    if (!populate && schedule_given(&o->schedule)) plan->schedule = &o->schedule;
}

/* The plan of a replay: its requests have recorded times. */
static void plan_trace(const struct options *o, struct plan *plan)
{
    const struct trace *t = o->trace;
    const double share = (double)o->instances / (double)(o->trace_total ? o->trace_total : o->instances);
    uint64_t count = o->given_requests && o->requests < t->count ? o->requests : t->count;
    plan->open = o->speed > 0;
    plan->rate = 0;
    plan->length_ns = 0;
    plan->total = (uint64_t)llround((double)count * share);
    if (!plan->open) return;
    plan->length_ns = (double)trace_us(&t->record[count - 1]) * 1000 / o->speed;
    if (plan->time_ns && (double)plan->time_ns < plan->length_ns) plan->length_ns = (double)plan->time_ns;
    if (plan->length_ns > 0) plan->rate = (double)t->count * share * o->speed * 1e6 / (double)(t->header->length_us + 1);
}

void engine_plan_load(const struct engine *e, struct plan *plan, double rate, uint64_t connections, double time_s)
{
    const struct options *o = e->options;
    plan->open = rate > 0;
    plan->rate = rate;
    plan->schedule = NULL;
    plan->connections = connections ? connections : o->connections;
    const uint64_t fills = o->mix.typed ? (uint64_t)o->mix.fills : 1;
    plan->total = plan->kind == PHASE_POPULATE ? o->populate_count * o->instances * fills : o->requests ? o->requests : o->count * o->instances;
    if (time_s <= 0 && plan->open && (double)plan->total / rate > OPTIONS_TIME_MAX) time_s = OPTIONS_TIME_MAX; /* in ns, it must fit into 64 bits */
    if (time_s > 0) plan->total = plan->open ? (uint64_t)llround(rate * time_s) : 0;
    if (time_s > 0 && plan->open && !plan->total) plan->total = 1; /* 0 is as many as fit */
    plan->length_ns = !plan->open ? 0 : time_s > 0 ? time_s * 1e9 : (double)plan->total / rate * 1e9;
    plan->time_ns = (uint64_t)(time_s * 1e9);
    if (plan->kind == PHASE_REPLAY) plan_trace(o, plan);
}

void engine_plan_warmup(const struct engine *e, struct plan *plan, double time_s)
{
    const size_t named = strlen(plan->name);
    snprintf(plan->name + named, sizeof plan->name - named, " (warm-up)");
    plan->record = 0;
    plan->index += OPTIONS_PHASES_MAX; /* other random keys than the measured ones */
    engine_plan_load(e, plan, plan->schedule ? schedule_first(plan->schedule) : plan->rate, plan->connections, time_s);
}

void engine_plan_step(const struct engine *e, struct plan *plan, int offer, double time_s)
{
    uint64_t patience_ns = (uint64_t)(time_s * 1e9);
    plan->step = 1;
    plan->index += 2 * OPTIONS_PHASES_MAX * offer;
    if (plan->patience_ns > patience_ns) plan->patience_ns = patience_ns;
    engine_plan_load(e, plan, plan->rate, plan->connections, time_s);
}

struct run {
    struct engine *engine;
    const struct plan *plan;
};

static void run_job(void *arg, int thread)
{
    struct run *run = arg;
    worker_run(run->engine->worker[thread], run->plan);
}

/* Every thread of an instance counts its outages: the max over the threads counts. */
static int merge_outages(const struct engine *e, struct result *r)
{
    const struct target **worst = calloc(e->options->instances, sizeof(struct target *));
    if (!worst) return -1;
    for (int i = 0; i < e->workers; i++)
        for (uint32_t j = 0; j < e->worker[i]->targets; j++) {
            const struct target *t = &e->worker[i]->target[j], **w = &worst[t->instance];
            if (!*w || t->outage_total_ns > (*w)->outage_total_ns) *w = t;
        }
    for (uint64_t i = 0; i < e->options->instances; i++) {
        const struct target *t = worst[i];
        if (!t) continue;
        r->outages += t->outages;
        r->outage_total_us += t->outage_total_ns / NS_PER_US;
        if (t->outage_longest_ns / NS_PER_US > r->outage_longest_us) r->outage_longest_us = t->outage_longest_ns / NS_PER_US;
    }
    free(worst);
    return 0;
}

/* Whether a thread waited at the end, and no other thread had an answer since. */
static int ends_silent(const struct gaps *g, const struct gaps *quiet, uint64_t until_ns)
{
    if (!until_ns || !g->count || g->gap[g->count - 1].to_ns < until_ns) return 0;
    return !quiet->count || quiet->gap[quiet->count - 1].from_ns < until_ns; /* the last one begins at the last answer */
}

/* An instance was silent while requests of at least one thread were due and no thread had an answer: a thread without a due request cannot tell. */
static int merge_gaps(const struct engine *e, struct result *r)
{
    uint64_t instances = e->options->instances;
    struct gaps *quiet = calloc(instances, sizeof *quiet); /* of all threads of an instance */
    uint64_t *until = calloc(instances, sizeof *until);    /* the end of the last thread that waited at its end */
    uint8_t *seen = calloc(instances, 1);
    r->gaps = calloc(instances, sizeof *r->gaps);
    r->instances = instances;
    int bad = !quiet || !until || !seen || !r->gaps;
    for (int i = 0; !bad && i < e->workers; i++)
        for (uint32_t j = 0; !bad && j < e->worker[i]->targets; j++) {
            const struct target *t = &e->worker[i]->target[j];
            const uint64_t k = t->instance;
            bad = gaps_either(&r->gaps[k], &t->gaps);
            if (!bad && t->parts > 1) bad = seen[k] ? gaps_both(&quiet[k], &t->quiet, CLUSTER_GAP_NS) : gaps_either(&quiet[k], &t->quiet);
            seen[k] = t->parts > 1;
            if (t->silent && t->gaps.count && t->gaps.gap[t->gaps.count - 1].to_ns > until[k]) until[k] = t->gaps.gap[t->gaps.count - 1].to_ns;
        }
    for (uint64_t i = 0; !bad && i < instances; i++) {
        struct gaps *g = &r->gaps[i];
        bad = seen[i] ? gaps_both(g, &quiet[i], CLUSTER_GAP_NS) : 0;
        if (ends_silent(g, &quiet[i], until[i]) && !r->silent) r->silent = (int)i + 1;
        r->gap_count += g->count;
        for (uint32_t k = 0; k < g->count; k++)
            if ((g->gap[k].to_ns - g->gap[k].from_ns) / NS_PER_US > r->gap_longest_us)
                r->gap_longest_us = (g->gap[k].to_ns - g->gap[k].from_ns) / NS_PER_US;
    }
    for (uint64_t i = 0; quiet && i < instances; i++) gaps_free(&quiet[i]);
    free(quiet);
    free(until);
    free(seen);
    return bad ? -1 : 0;
}

static void judge(const struct engine *e, struct result *r)
{
    uint64_t used = 0, longest = 0;
    for (int i = 0; i < e->workers; i++) {
        const struct worker *w = e->worker[i];
        uint64_t needed = w->cpu_ns > w->idle_ns ? w->cpu_ns - w->idle_ns : 0;
        used += needed;
        if (w->ran_ns > longest) longest = w->ran_ns;
        if (r->plan.open) needed += w->waited_ns; /* the schedule slips by the same time while the thread waits for a CPU */
        double share = w->ran_ns ? (double)needed / (double)w->ran_ns : 0;
        if (share <= r->busiest) continue;
        r->busiest = share;
        r->busiest_thread = i;
    }
    /* Threads that share too few CPUs: no single thread looks busy. */
    r->process = longest ? (double)used / (double)longest / e->cpus : 0;
    r->client_limited = r->busiest > ENGINE_BUSY || r->process > ENGINE_BUSY;
    if (!r->plan.open) return;
    uint64_t lag = hist_percentile(&r->lag, 99);
    r->client_limited |= lag > LAG_LIMIT_NS && lag > hist_percentile(&r->latency, 99) / 10;
}

static int merge(const struct engine *e, const struct plan *plan, struct result *r, char *why)
{
    memset(r, 0, sizeof *r);
    r->plan = *plan;
    if (hist_init(&r->latency, 3) || (plan->open && (hist_init(&r->service, 3) || hist_init(&r->lag, 2))) ||
        ((plan->kind == PHASE_MIXED || plan->kind == PHASE_REPLAY) && kinds_init(&r->kinds, e->options->mix.entries))) {
        snprintf(why, ENGINE_WHY, "out of memory");
        return -1;
    }
    uint64_t begin = UINT64_MAX;
    r->at_least_ns = UINT64_MAX;
    r->miss_reason = "-";
    for (int i = 0; i < e->workers; i++) {
        const struct worker *w = e->worker[i];
        hist_merge(&r->latency, &w->recorder.total);
        if (plan->open) {
            hist_merge(&r->service, &w->recorder.service);
            hist_merge(&r->lag, &w->recorder.lag);
        }
        kinds_merge(&r->kinds, &w->kinds);
        for (int k = 0; k < COUNTS; k++) r->count[k] += w->recorder.total_count[k];
        if (w->begin_ns < begin) begin = w->begin_ns;
        if (worker_enough && w->stopped_ns) r->stopped = 1;
        if (w->elapsed_ns / NS_PER_US > r->elapsed_us) r->elapsed_us = w->elapsed_ns / NS_PER_US;
        r->cpu_us += w->cpu_ns / NS_PER_US;
        if (w->recorder.at_least_ns < r->at_least_ns) r->at_least_ns = w->recorder.at_least_ns;
        if (!w->failed) continue;
        snprintf(why, ENGINE_WHY, "thread %d: %s", i, strerror(w->failed));
        return -1;
    }
    r->start_us = (clock_epoch_ns() - (clock_now_ns() - begin)) / NS_PER_US;
    r->interrupted = worker_stop;
    if (e->links.cluster && cluster_broken(&e->cluster)) {
        snprintf(why, ENGINE_WHY, "%s", e->cluster.why);
        return -1;
    }
    if (merge_outages(e, r) || merge_gaps(e, r)) {
        snprintf(why, ENGINE_WHY, "out of memory");
        return -1;
    }
    judge(e, r);
    return 0;
}

/* The reason for missing keys that were set, from the servers' counts of removed keys. */
static const char *explain_misses(struct engine *e)
{
    uint64_t evicted, expired;
    if (taken(e, &evicted, &expired)) return "unknown";
    return evicted ? "evicted" : expired ? "expired" : "gone";
}

/* The keys that a phase has all set, as bits: none if a SET failed or was not sent. */
static int fills(const struct engine *e, const struct result *r)
{
    const struct options *o = e->options;
    const struct plan *plan = &r->plan;
    const int every = plan->kind == PHASE_SET && !o->requests && !plan->time_ns && o->keys.kind <= KEYS_SHUFFLE;
    uint64_t planned = 0;
    for (int i = 0; i < e->workers; i++) planned += e->worker[i]->planned;
    if (r->count[COUNT_OPS] + r->count[COUNT_LATE] != planned) return 0;
    if (plan->kind == PHASE_POPULATE) return FILLED_TYPES | (mix_strings(&o->mix) ? FILLED_STRINGS : 0);
    return every ? FILLED_STRINGS : 0;
}

/* Whether the keys that a phase reads had all been set. */
static int was_filled(const struct engine *e, const struct plan *plan)
{
    return e->filled & (plan->kind == PHASE_MIXED && e->options->mix.typed ? FILLED_TYPES : FILLED_STRINGS);
}

int engine_run(struct engine *e, const struct plan *plan, struct result *r, char why[ENGINE_WHY])
{
    struct run run = {e, plan};
    const struct options *o = e->options;
    memset(r, 0, sizeof *r);
    worker_enough = 0;
    for (int i = 0; i < e->workers; i++) recorder_clear(&e->worker[i]->recorder);
    crew_run(e->crew, run_job, &run);
    if (merge(e, plan, r, why)) {
        engine_result_free(r);
        return -1;
    }
    const int filled = was_filled(e, plan);
    r->misses_fail = filled && !o->allow_misses;
    if (r->count[COUNT_MISSES] && (plan->record || r->misses_fail))
        r->miss_reason = !filled ? "unset" : o->mix.removes ? "removed" : explain_misses(e);
    if (!plan->record) return 0;
    uint64_t evicted, expired;
    if ((o->values.ttl_low || o->trace) && !taken(e, &evicted, &expired)) {
        r->expired = expired > e->expired ? expired - e->expired : 0;
        e->expired = expired;
    }
    e->filled |= fills(e, r);
    return 0;
}

void engine_result_free(struct result *r)
{
    for (uint64_t i = 0; r->gaps && i < r->instances; i++) gaps_free(&r->gaps[i]);
    free(r->gaps);
    r->gaps = NULL;
    kinds_free(&r->kinds);
    hist_free(&r->latency);
    hist_free(&r->service);
    hist_free(&r->lag);
}

/* Requests that were too many for the server: in an open loop they are due, and no connection is free for them. That is what the load shows, not a
 * fault of it, unless another count says that something broke. */
static uint64_t overload(const struct result *r)
{
    return r->plan.open && !r->outages ? r->count[COUNT_UNSENT] : 0;
}

int engine_failed(const struct engine *e, const struct result *r)
{
    if (r->unread) return 1;
    if (e->options->faults) return r->silent || r->count[COUNT_MISMATCHES] || (r->misses_fail && r->count[COUNT_MISSES]);
    return r->silent || recorder_errors(r->count) > overload(r) || (r->misses_fail && r->count[COUNT_MISSES]);
}
