/* SPDX-License-Identifier: MIT */
/* The open-loop schedule: see pacer.h. Times are computed from the index, never summed up, so they do not drift. */
#include "pacer.h"

#include <math.h>

static void set_next(struct pacer *p)
{
    const struct pacer_spec *s = &p->spec;
    double at;
    if (p->issued == s->total) {
        p->next_ns = UINT64_MAX;
        return;
    }
    if (s->arrival == PACER_UNIFORM) {
        const double before = (double)(p->issued * s->groups + s->number);
        at = s->schedule ? schedule_walk_ns(&p->walk, before * (p->requests / (double)s->all)) : before * p->step_ns;
    } else {
        /* The smallest of n uniform variates on (at, length): 1 - (1 - U)^(1/n) of the way. */
        double left = s->length_ns - p->at_ns;
        at = p->at_ns - left * expm1(log(rng_unit(&p->rng)) / (double)(s->total - p->issued));
        p->at_ns = at;
        if (s->schedule) at = schedule_walk_ns(&p->walk, at / s->length_ns * p->requests);
    }
    p->next_ns = s->start_ns + (uint64_t)at;
}

void pacer_init(struct pacer *p, const struct pacer_spec *spec)
{
    p->spec = *spec;
    p->issued = 0;
    p->step_ns = spec->all ? spec->length_ns / (double)spec->all : 0;
    p->at_ns = 0;
    if (spec->schedule) {
        schedule_walk_begin(&p->walk, spec->schedule);
        p->requests = schedule_requests(spec->schedule, spec->length_ns / 1e9);
    }
    rng_seed(&p->rng, spec->seed ^ UINT64_C(0x7061636572), spec->stream);
    set_next(p);
}

void pacer_advance(struct pacer *p)
{
    p->issued++;
    set_next(p);
}
