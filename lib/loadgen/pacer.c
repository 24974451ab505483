/* SPDX-License-Identifier: MIT */
/* The open-loop schedule: see pacer.h. Times are computed from the index, never summed up, so they do not drift. */
#include "pacer.h"

#include <math.h>

static void set_next(struct pacer *p)
{
    double at;
    if (p->issued == p->total) {
        p->next_ns = UINT64_MAX;
        return;
    }
    if (p->arrival == PACER_UNIFORM) {
        at = ((double)p->issued + p->offset) * p->step_ns;
    } else {
        /* The smallest of n uniform variates on (at, length): 1 - (1 - U)^(1/n) of the way. */
        double left = p->length_ns - p->at_ns;
        at = p->at_ns - left * expm1(log(rng_unit(&p->rng)) / (double)(p->total - p->issued));
        p->at_ns = at;
    }
    p->next_ns = p->start_ns + (uint64_t)at;
}

void pacer_init(struct pacer *p, enum pacer_arrival arrival, uint64_t start_ns, double length_ns, uint64_t total, double offset, uint64_t seed)
{
    p->arrival = arrival;
    p->start_ns = start_ns;
    p->total = total;
    p->issued = 0;
    p->length_ns = length_ns;
    p->offset = offset;
    p->step_ns = total ? length_ns / (double)total : 0;
    p->at_ns = 0;
    rng_seed(&p->rng, seed, UINT64_C(0x7061636572));
    set_next(p);
}

void pacer_advance(struct pacer *p)
{
    p->issued++;
    set_next(p);
}
