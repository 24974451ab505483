/* SPDX-License-Identifier: MIT */
/* One thread of load: an epoll loop over its connections to its instances. Nothing here is shared with another thread while a phase runs. */
#ifndef LOADGEN_WORKER_H
#define LOADGEN_WORKER_H

#include "adds.h"
#include "cluster.h"
#include "command.h"
#include "gaps.h"
#include "keys.h"
#include "kinds.h"
#include "link.h"
#include "pacer.h"
#include "record.h"
#include "recorder.h"
#include "resp.h"
#include "trace.h"

#include <stdatomic.h>
#include <stdint.h>

#define WORKER_POPULATE_PIPELINE 32 /* min pipeline of populate, whose latency is not measured */

/* A phase, the same for all threads. */
struct plan {
    enum phase_kind kind;
    int index;     /* of the phases of this run: part of the seed */
    char name[32]; /* of its files: the kind, with -2 and so on when it is not the first of its kind */
    int open, verify, record;
    int step; /* a look at one load: it has a row in steps.tsv and no other file */
    uint64_t pipeline;
    uint64_t connections;            /* of each thread to each of its instances, as far as they are used */
    uint64_t total;                  /* requests of all threads; 0: as many as fit into the time */
    double rate;                     /* requests per second of all threads, 0: closed loop */
    const struct schedule *schedule; /* whose mean the rate is; NULL: it is constant */
    const struct keys_spec *keys;    /* the pattern of a step; NULL: that of the options */
    double length_ns;                /* open loop: of the schedule */
    uint64_t time_ns;                /* requested length, 0: none */
    uint64_t patience_ns;            /* open loop: time after the end of the schedule for due requests */
    uint64_t start_ns, ready_ns;     /* CLOCK_MONOTONIC; set with plan_start */
    uint64_t stop_ns;                /* no request is sent later; UINT64_MAX: until all are sent */
};

/** Set when a planned phase starts, and thereby when it stops; and when its threads can send: later than its start after a warm-up that the server
 *  has delayed. */
static inline void plan_start(struct plan *plan, uint64_t start_ns, uint64_t ready_ns)
{
    plan->start_ns = start_ns;
    plan->ready_ns = ready_ns;
    plan->stop_ns = plan->time_ns ? start_ns + plan->time_ns : UINT64_MAX;
}

enum conn_state { CONN_DOWN, CONN_CONNECTING, CONN_GREETING, CONN_READY };

/* A connection. Its requests in flight are a ring: the oldest at head, the last `unwritten` of them not completely written. */
struct conn {
    struct link link;
    struct target *target;
    struct resp scan;
    enum conn_state state;
    uint32_t head, inflight, unwritten, mask;
    uint64_t oldest_add; /* of the keys that its requests in flight add, the first; UINT64_MAX: none */
    uint64_t written;    /* bytes of the first unwritten request that are written */
    uint64_t sent_ns;    /* closed loop: when the batch in flight was first written */
    uint64_t *key;       /* tagged keys */
    uint64_t *intended;  /* open loop: times of each request */
    uint64_t *sent;
    uint64_t retry_ns, backoff_ns;
    uint64_t progress_ns; /* when bytes were last sent or received, or the attempt to connect began */
    uint32_t queued;      /* bytes that waited in the socket at the last look */
    uint8_t polled_out, in_free, in_dirty, body_bad, greeted;
    uint8_t reopened;  /* it was opened again, and no request was answered since */
    uint8_t idle;      /* the phase uses fewer connections */
    uint8_t following; /* requests that follow others are in flight or to be written */
    uint32_t bodies;   /* values of the running reply that are complete */
    uint64_t valued;   /* of a mix: bytes of the values of the running reply */
    uint8_t resting;   /* of a cluster: an error arrived, and nothing is sent until the next tick */
};

/* One instance as one thread sees it. */
struct target {
    struct commands commands; /* first, for it begins a cache line */
    uint64_t instance, port;
    struct endpoint endpoint;
    uint64_t late_from_ns, late_until_ns; /* the last time at which this thread was late with a request due and a connection free */
    uint64_t part, parts;                 /* this thread's part of the instance's keys */
    struct conn *conn;
    uint32_t conns, live;
    struct keys keys;
    struct adds adds;
    struct rng choice; /* mixed: set or get */
    struct pacer pacer;
    struct trace_walk walk; /* of a replay */
    uint64_t left;          /* requests still to be sent; UINT64_MAX: until the time is over */
    struct conn **free;     /* open loop: ring of connections with room */
    uint32_t free_head, free_count;
    uint64_t free_since_ns; /* when the ring was last empty and got its first */
    uint64_t down_ns;       /* when the last live connection was lost; 0 when one lives */
    uint64_t outages, outage_longest_ns, outage_total_ns;
    uint64_t inflight;                    /* requests in flight */
    uint64_t pending_ns, heard_ns;        /* since when requests have been due without an answer, 0: none is due; the last answer */
    struct gaps gaps;                     /* of the phase: times without an answer although requests were due */
    struct gaps quiet;                    /* the same, also when none was due; only of an instance that has other threads too */
    int silent;                           /* at the end of the phase, requests were due and none was answered */
    uint32_t shard, moves;                /* of a cluster: the shard; how many of its moves this thread has followed */
    uint8_t blocked;                      /* of a replay: the due request waits for room on its connection */
    struct tally tally;                   /* of the running interval */
    char error[GAPS_TEXT], by[GAPS_TEXT]; /* the last error; the node that answered last */
};

struct worker {
    int id, epoll, ticker, open;
    int failed; /* the loop itself could not run: errno */
    uint32_t targets;
    struct target *target;
    const struct plan *plan;
    const struct options *options;
    const struct links *links;
    const struct record *record; /* of what is sent, or NULL; the notes go to this thread's part of it */
    const struct mix *mix;       /* the commands of the phase, unless they are only GET and SET */
    const struct source *source; /* how the phase sends */
    int replay;                  /* the phase is a trace, whose requests have recorded times in a closed loop too */
    struct kinds kinds;
    struct zipf zipf; /* of the targets' keys */
    struct recorder recorder;
    char *in, *out;
    struct conn **dirty;          /* connections with requests to write */
    uint32_t dirties, unfinished; /* unfinished: targets that have requests to send */
    uint64_t inflight;
    uint64_t planned;    /* requests of a phase without a time limit */
    uint64_t post_ns;    /* next interval boundary */
    uint64_t scan_ns;    /* next look at all connections */
    uint64_t stopped_ns; /* when an interrupt, or the end that the master requested, was seen; else 0 */
    uint64_t window_ns;  /* answers from here on are late; UINT64_MAX: none is */
    uint64_t last_reply_ns, begin_ns;
    uint64_t cpu_ns, waited_ns, idle_ns; /* of the phase: on a CPU; runnable without one; idle polling */
    uint64_t elapsed_ns;
    uint64_t ran_ns; /* from the first request to the last reply, without the parts cut off or added for elapsed_ns */
    uint64_t answered, latency_sum_us, max_average_us;
    char first_error[RESP_TEXT_MAX];
} __attribute__((aligned(64)));

/* Set by the signal handler: ends phases early. */
extern atomic_int worker_stop;

/* Set by the reporter: the phase has lasted long enough, and nothing is wrong with it. */
extern atomic_int worker_enough;

/** Allocate a worker's buffers, targets and connections in the zeroed w; opens nothing. Its targets are the instances id, id + threads, and
 *  so on; more threads than instances share them. Returns 0, or -1 with errno, or with one line in why. Free with worker_free. */
int worker_init(struct worker *w, int id, const struct options *o, const struct links *links, const struct values *values, char why[LINK_WHY]);

/** Close connections and release what worker_init allocated. */
void worker_free(struct worker *w);

/** Open all connections. Returns 0, or -1 with one line in why. */
int worker_connect(struct worker *w, char why[LINK_WHY]);

/** Reopen connections that the server closed while they were idle, before any request can be lost on them. Called between phases, by the worker's own
 * thread. */
void worker_refresh(struct worker *w);

/** Run a phase to its end. Called by the worker's own thread; returns when every request is answered or given up. */
void worker_run(struct worker *w, const struct plan *plan);

#endif
