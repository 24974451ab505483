/* SPDX-License-Identifier: MIT */
/* A whole run: threads, connections, phases one after the other, and the result of each phase. */
#ifndef LOADGEN_ENGINE_H
#define LOADGEN_ENGINE_H

#include "control.h"
#include "crew.h"
#include "worker.h"

#define ENGINE_WHY  LINK_WHY
#define ENGINE_BUSY 0.95 /* a thread that needs more of a CPU than this is the limit itself */

#define FILLED_STRINGS 1
#define FILLED_TYPES   2 /* every key of every type that the mix has */

struct engine {
    const struct options *options;
    struct crew *crew;
    struct links links;
    struct cluster cluster; /* when links.cluster says so */
    struct values values;
    struct worker **worker;  /* owned, one a thread, each made by its thread: its memory is then on that thread's node */
    struct control *control; /* owned, one an instance */
    int workers;
    double cpus;           /* how many CPUs the threads may use */
    int steps;             /* rows of steps.tsv so far */
    int status_failed;     /* times that `status` could not be written */
    uint64_t expired;      /* keys that expired, by the servers' count, up to the last look */
    int filled;            /* FILLED_ bits: the keys that a phase of this run has all set */
    char (*why)[LINK_WHY]; /* owned, one per thread: the error while connecting */
};

/* The result of a phase, all threads together. */
struct result {
    struct plan plan;
    struct hist latency, service, lag; /* owned; service and lag only of an open loop */
    struct kinds kinds;                /* owned; of a phase that sends a mix of commands, else none */
    uint64_t count[COUNTS];
    uint64_t start_us;   /* since the epoch */
    uint64_t elapsed_us; /* from the start to the end of the last thread */
    uint64_t outages, outage_longest_us, outage_total_us;
    struct gaps *gaps; /* owned, one an instance: when requests were due and no thread had an answer */
    uint64_t instances, gap_count, gap_longest_us;
    int silent; /* the first instance that did not answer at the end though requests were due, from 1; 0: none */
    uint64_t cpu_us;
    double busiest; /* share of a CPU that the busiest thread needed, 0 to 1 */
    double process; /* share of the CPUs available to the process that it needed, 0 to 1 */
    int busiest_thread;
    int client_limited;
    uint64_t at_least_ns;    /* percentiles from here on are lower bounds: requests got no answer; UINT64_MAX: none */
    int misses_fail;         /* every key had been set, and must not disappear: a miss is a failure */
    const char *miss_reason; /* why keys were missing: unset, removed, evicted, expired, gone, unknown; - without misses */
    uint64_t expired;        /* keys that expired since the phase before, where --expire asks for it */
    int interrupted;
    int stopped; /* the phase was ended before its time by the file `stop` of the gate */
    int unread;  /* tracked writes could not be read back */
};

/** Allocate everything and resolve the host. Opens no connection, except to ask a cluster for its shards, whose number is that of the instances.
 *  Returns 0, or -1 with one line in why. Free with engine_free. */
int engine_init(struct engine *e, struct options *o, struct crew *crew, char why[ENGINE_WHY]);

/** Close and release everything. */
void engine_free(struct engine *e);

/** Open all connections, all threads at the same time. Returns 0, or -1 with one line in why. */
int engine_connect(struct engine *e, char why[ENGINE_WHY]);

/** Prepare the instances: check their keys, and flush them only if all may be flushed. Returns 0 if flushed, 1 if there was nothing to flush,
 *  -1 with one line in why. */
int engine_prepare(struct engine *e, char why[ENGINE_WHY]);

/** After all phases: write the marker again if we flushed the instance or found the marker, because eviction may have removed it. A failure is
 * ignored: a later
 *  run then refuses to flush. */
void engine_finish(struct engine *e);

/** Plan phase number `index` of the options. */
void engine_plan(const struct engine *e, int index, struct plan *plan);

/** Give a planned phase another load: `rate` requests per second of all threads (0: a closed loop) on `connections` of each thread to each of its
 *  instances (0: all), for time_s seconds (0: until all requests are done). */
void engine_plan_load(const struct engine *e, struct plan *plan, double rate, uint64_t connections, double time_s);

/** Turn the plan of a phase into that of its warm-up: the same load for time_s seconds, without a record. Its name says so. */
void engine_plan_warmup(const struct engine *e, struct plan *plan, double time_s);

/** Turn the plan of a phase into that of a step: the same load for time_s seconds, with random streams that depend on its `offer` (1 and up). After
 *  its end, due requests wait at most as long as the step. */
void engine_plan_step(const struct engine *e, struct plan *plan, int offer, double time_s);

/** Reopen connections that the servers closed since the last phase. Call it before the start of a phase is set: it may take long. */
void engine_refresh(struct engine *e);

/** Run a phase that starts at plan->start_ns. Returns 0 and fills r, or -1 with one line in why. Free r with engine_result_free. */
int engine_run(struct engine *e, const struct plan *plan, struct result *r, char why[ENGINE_WHY]);

/** Release what engine_run allocated in r. */
void engine_result_free(struct result *r);

/** Returns 1 if the phase failed: errors of any kind, an instance that does not answer at the end, or misses although every key had been set. With
 * --faults errors are not a failure. */
int engine_failed(const struct engine *e, const struct result *r);

#endif
