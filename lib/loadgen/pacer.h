/* SPDX-License-Identifier: MIT */
/* The open-loop schedule: the intended start of each request, independent of earlier requests. */
#ifndef LOADGEN_PACER_H
#define LOADGEN_PACER_H

#include "rng.h"
#include "schedule.h"

#include <stdint.h>

enum pacer_arrival { PACER_UNIFORM, PACER_POISSON };

/* The request: a schedule of `total` requests in length_ns nanoseconds from start_ns. */
struct pacer_spec {
    enum pacer_arrival arrival;
    uint64_t start_ns, total;
    double length_ns;
    uint64_t all;                    /* uniform: requests of all schedules that run in parallel, */
    uint64_t number, groups;         /* of which this is schedule `number` of `groups`; each takes every groups-th request */
    uint64_t seed, stream;           /* poisson: streams of one seed, and of other seeds, are independent */
    const struct schedule *schedule; /* NULL: a constant rate */
};

struct pacer {
    struct pacer_spec spec;
    uint64_t issued;
    double step_ns; /* uniform: between requests of all schedules */
    double at_ns;   /* poisson: the last arrival, from the start */
    struct rng rng;
    struct schedule_walk walk; /* with a schedule */
    double requests;           /* with a schedule: of all schedules that run in parallel */
    uint64_t next_ns;          /* intended start of the next request, UINT64_MAX when none is left */
};

/** Make a schedule. uniform: request i starts at start + (i * groups + number) * length / all. poisson: the times are those of a Poisson process with
 *  exactly this many arrivals in this time (they are then distributed as sorted uniform variates), so that the rate is the requested one to the last
 *  request. With a schedule, a request has the time at which the schedule is due as many requests as the constant rate is at the time above. */
void pacer_init(struct pacer *p, const struct pacer_spec *spec);

/** Take the next request, whose intended start is p->next_ns before the call. Must not be called when that is UINT64_MAX. */
void pacer_advance(struct pacer *p);

#endif
