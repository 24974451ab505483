/* SPDX-License-Identifier: MIT */
/* A rate that changes over time: steps, or a sine. It gives the time at which a number of requests is due. */
#ifndef LOADGEN_SCHEDULE_H
#define LOADGEN_SCHEDULE_H

#include <stdint.h>

#define SCHEDULE_STEPS 100

struct schedule_step {
    double from_s, rate;
};

/* Zeroed memory has no schedule: a constant rate. */
struct schedule {
    uint32_t steps; /* 0: a sine, if it has a period */
    struct schedule_step step[SCHEDULE_STEPS];
    double low, high, period_s, phase; /* phase: the part of a period before the start */
};

/* A position in a schedule, which only moves forward. Within a piece the rate is constant: a step, or a thousandth of the period of a sine, which
 * has exactly the requests of the sine. */
struct schedule_walk {
    const struct schedule *schedule;
    uint64_t piece;
    double from_s, from_n; /* where the piece starts, and the requests before it */
    double to_n, rate;     /* the requests before its end */
};

/** Read `R R@S R@S...`, rates and the seconds at which they start, or `sine LOW..HIGH PERIOD [phase=P]`. Returns 0, or -1. */
int schedule_parse(struct schedule *s, const char *text);

/** Returns whether s has a schedule. */
static inline int schedule_given(const struct schedule *s)
{
    return s->steps || s->period_s > 0;
}

/** Returns the time of the last step; 0 for a sine. */
double schedule_last_s(const struct schedule *s);

/** Returns the rate at the start. */
double schedule_first(const struct schedule *s);

/** Returns the requests that are due before time_s. */
double schedule_requests(const struct schedule *s, double time_s);

/** Set a position to the start of a schedule. */
void schedule_walk_begin(struct schedule_walk *w, const struct schedule *s);

/** Returns the time in ns at which `requests` are due; from call to call this number must not decrease. */
double schedule_walk_ns(struct schedule_walk *w, double requests);

#endif
