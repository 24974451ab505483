/* SPDX-License-Identifier: MIT */
/* What one thread measures: samples go into a histogram of the running interval, which the thread itself hands over at each boundary. */
#ifndef LOADGEN_RECORDER_H
#define LOADGEN_RECORDER_H

#include "hist.h"

#include <pthread.h>
#include <stdint.h>

enum count {
    COUNT_OPS,           /* requests that were answered while the phase lasted, error replies not among them */
    COUNT_SETS,          /* of these, sets */
    COUNT_BYTES,         /* payload: bytes of values set and got */
    COUNT_WIRE,          /* bytes of commands and replies, written and read */
    COUNT_MISSES,        /* of COUNT_OPS, GETs answered with nil */
    COUNT_ERROR_REPLIES, /* errors, and replies of a type that does not belong to the command */
    COUNT_MISMATCHES,    /* GETs that returned another length or content than was set */
    COUNT_TIMEOUTS,      /* requests without a reply in time */
    COUNT_LOST,          /* requests on the way when their connection was lost */
    COUNT_UNSENT,        /* requests that were due and could not be sent any more */
    COUNT_LATE,          /* requests that were answered after the length of a closed loop's phase: in percentiles, in no other count */
    COUNT_UNANSWERED,    /* requests that are in percentiles with the time that they waited */
    /* of COUNT_ERROR_REPLIES */
    COUNT_MOVED,       /* the slot is served by another node: MOVED, ASK */
    COUNT_CLUSTERDOWN, /* nobody serves it: CLUSTERDOWN, TRYAGAIN, MASTERDOWN */
    COUNT_LOADING,     /* the instance reads its data */
    COUNT_READONLY,    /* it is a replica, or lacks replicas that it must have */
    COUNT_REFUSED,     /* attempts to connect that were refused: no requests, so no errors */
    COUNTS
};

struct recorder {
    /* the thread's own, on the hot path */
    struct hist active;
    uint64_t active_count[COUNTS];
    struct hist service; /* open loop: from the send, where `active` counts from the intended start */
    struct hist lag;     /* open loop: how much later than it could have been a request was sent */
    /* of the whole phase; the thread's own until it has ended */
    struct hist total;
    uint64_t total_count[COUNTS];
    uint64_t at_least_us; /* the shortest such wait: from it on, percentiles are lower bounds; UINT64_MAX when there was none */
    /* handed over, under the lock, which is taken once an interval */
    pthread_mutex_t lock;
    struct hist ready;
    uint64_t ready_count[COUNTS];
} __attribute__((aligned(64)));

/** Make r empty; open says whether service time and send lag will be recorded. Returns 0, or -1 when out of memory. */
int recorder_init(struct recorder *r, int open);

/** Release what recorder_init allocated. */
void recorder_free(struct recorder *r);

/** Empty r for the next phase. No other thread may use it meanwhile. */
void recorder_clear(struct recorder *r);

/** The owner thread: hand over the running interval and start the next. */
void recorder_post(struct recorder *r);

/** Another thread: add what was handed over to hist and count, and take it away. */
void recorder_take(struct recorder *r, struct hist *hist, uint64_t count[COUNTS]);

/** The owner thread: record n requests that waited us microseconds and got no answer. */
void recorder_unanswered(struct recorder *r, uint64_t us, uint64_t n);

/** Returns the requests that failed: every kind but misses. */
uint64_t recorder_errors(const uint64_t count[COUNTS]);

#endif
