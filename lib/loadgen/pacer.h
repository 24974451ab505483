/* SPDX-License-Identifier: MIT */
/* The open-loop schedule: the intended start of each request, independent of earlier requests. */
#ifndef LOADGEN_PACER_H
#define LOADGEN_PACER_H

#include "rng.h"

#include <stdint.h>

enum pacer_arrival { PACER_UNIFORM, PACER_POISSON };

struct pacer {
    enum pacer_arrival arrival;
    uint64_t start_ns;
    uint64_t total, issued;
    double length_ns; /* of the whole schedule */
    double offset;    /* uniform, in steps */
    double step_ns;
    double at_ns; /* poisson: the last arrival, from the start */
    struct rng rng;
    uint64_t next_ns; /* intended start of the next request, UINT64_MAX when none is left */
};

/** Make a schedule of `total` requests in length_ns nanoseconds from start_ns. uniform: request i starts at start + (i + offset) * length / total;
 *  offset in [0, 1) staggers schedules that run in parallel. poisson: the times are those of a Poisson process with exactly this many arrivals in
 *  this time (they are then distributed as sorted uniform variates), so that the rate is the requested one to the last request. seed chooses them.
 *  */
void pacer_init(struct pacer *p, enum pacer_arrival arrival, uint64_t start_ns, double length_ns, uint64_t total, double offset, uint64_t seed);

/** Take the next request, whose intended start is p->next_ns before the call. Must not be called when that is UINT64_MAX. */
void pacer_advance(struct pacer *p);

#endif
