/* SPDX-License-Identifier: MIT */
/* The measurements of one thread: samples go into a histogram of the running interval, which the thread itself hands over at each boundary. */
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
    COUNT_ERROR_REPLIES, /* errors, and replies of a type that the command does not have */
    COUNT_MISMATCHES,    /* GETs that returned another length or content than was set */
    COUNT_TIMEOUTS,      /* requests without a reply in time */
    COUNT_LOST,          /* requests in flight when their connection was lost */
    COUNT_UNSENT,        /* requests that were due and could not be sent */
    COUNT_LATE,          /* requests that were answered after the end of a closed loop's phase: in percentiles, in no other count */
    COUNT_UNANSWERED,    /* requests that count in percentiles with the time that they waited */
    /* of COUNT_ERROR_REPLIES */
    COUNT_MOVED,       /* the slot is served by another node: MOVED, ASK */
    COUNT_CLUSTERDOWN, /* no node serves it: CLUSTERDOWN, TRYAGAIN, MASTERDOWN */
    COUNT_LOADING,     /* the instance loads its data */
    COUNT_READONLY,    /* it is a replica, or lacks required replicas */
    COUNT_REFUSED,     /* attempts to connect that were refused: no requests, so no errors */
    COUNTS
};

struct recorder {
    /* the thread's own, on the hot path */
    struct hist active;
    uint64_t active_count[COUNTS];
    struct hist service; /* open loop: from the send, where `active` counts from the intended start */
    struct hist lag;     /* open loop: the delay of a request after the time at which it could have been sent */
    /* of the whole phase; the thread's own until it has ended */
    struct hist total;
    uint64_t total_count[COUNTS];
    uint64_t at_least_ns; /* the shortest wait without an answer: from it on, percentiles are lower bounds; UINT64_MAX: none */
    /* handed over, under the lock, which is taken once an interval */
    pthread_mutex_t lock;
    struct hist ready;
    uint64_t ready_count[COUNTS];
} __attribute__((aligned(64)));

/** Make r empty; open says whether service time and send lag will be recorded. Returns 0, or -1 when out of memory. */
int recorder_init(struct recorder *r, int open);

/** Release what recorder_init allocated. */
void recorder_free(struct recorder *r);

/** Empty r for the next phase. No other thread may use it at the same time. */
void recorder_clear(struct recorder *r);

/** The owner thread: hand over the running interval and start the next. */
void recorder_post(struct recorder *r);

/** Another thread: add what was handed over to hist and count, and clear it. */
void recorder_take(struct recorder *r, struct hist *hist, uint64_t count[COUNTS]);

/** The owner thread: record n requests that waited ns nanoseconds and got no answer. */
void recorder_unanswered(struct recorder *r, uint64_t ns, uint64_t n);

/** Returns the requests that failed: every kind but misses. */
uint64_t recorder_errors(const uint64_t count[COUNTS]);

#endif
