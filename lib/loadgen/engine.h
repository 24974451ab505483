/* SPDX-License-Identifier: MIT */
/* A whole run: threads, connections, phases one after the other, and what each phase came to. */
#ifndef LOADGEN_ENGINE_H
#define LOADGEN_ENGINE_H

#include "crew.h"
#include "worker.h"

#define ENGINE_WHY  LINK_WHY
#define ENGINE_BUSY 0.95 /* a thread that needs more of a CPU than this is the limit itself */

struct engine {
    const struct options *options;
    struct crew *crew;
    struct links links;
    struct values values;
    struct worker *worker; /* owned, one a thread */
    int workers;
    int filled;            /* a phase of this run has set every key */
    char (*why)[LINK_WHY]; /* owned, one a thread: what went wrong while connecting */
};

/* What a phase came to, all threads together. */
struct result {
    struct plan plan;
    struct hist latency, service, lag; /* owned; service and lag only of an open loop */
    uint64_t count[COUNTS];
    uint64_t start_us;   /* since the epoch */
    uint64_t elapsed_us; /* from the start to the end of the last thread */
    uint64_t outages, outage_longest_us, outage_total_us;
    uint64_t cpu_us;
    double busiest; /* share of a CPU that the busiest thread needed, 0 to 1 */
    int busiest_thread;
    int client_limited;
    int misses_fail; /* every key had been set: a miss is a failure */
    int interrupted;
};

/** Allocate everything and resolve the host; opens no connection. Returns 0, or -1 with one line in why. Free with engine_free. */
int engine_init(struct engine *e, const struct options *o, struct crew *crew, char why[ENGINE_WHY]);

/** Close and release everything. */
void engine_free(struct engine *e);

/** Open all connections, all threads at the same time. Returns 0, or -1 with one line in why. */
int engine_connect(struct engine *e, char why[ENGINE_WHY]);

/** Make the instances ready: check whose keys they hold, and only when all may be flushed flush them. Returns 0 done, 1 flushed nothing as
 *  nothing was to be flushed, -1 with one line in why. */
int engine_prepare(struct engine *e, char why[ENGINE_WHY]);

/** Plan phase number `index` of the options. */
void engine_plan(const struct engine *e, int index, struct plan *plan);

/** Turn the plan of a phase into that of its warm-up: the same load for the time that is asked for, without a record. */
void engine_plan_warmup(const struct engine *e, struct plan *plan);

/** Run a phase that starts at plan->start_ns. Returns 0 and fills r, or -1 with one line in why. Free r with engine_result_free. */
int engine_run(struct engine *e, const struct plan *plan, struct result *r, char why[ENGINE_WHY]);

/** Release what engine_run allocated in r. */
void engine_result_free(struct result *r);

/** Returns 1 when the phase failed: errors of any kind, or misses where every key had been set. */
int engine_failed(const struct result *r);

#endif
