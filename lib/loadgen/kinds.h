/* SPDX-License-Identifier: MIT */
/* The results of a mixed phase by command. */
#ifndef LOADGEN_KINDS_H
#define LOADGEN_KINDS_H

#include "hist.h"

#include <stdint.h>

enum kind_count {
    KIND_OPS,    /* requests that were answered in time, as COUNT_OPS */
    KIND_LATE,   /* as COUNT_LATE */
    KIND_MISSES, /* keys, or elements, that were missing */
    KIND_ERRORS, /* error replies, and requests that got none */
    KIND_BYTES,  /* payload, as COUNT_BYTES */
    KIND_COUNTS
};

struct kind {
    struct hist latency; /* as the phase's own: with the requests that got no answer */
    uint64_t count[KIND_COUNTS];
};

/* One per command of the mix; none without a mix. */
struct kinds {
    struct kind *kind; /* owned */
    int kinds;
};

/** Make n empty kinds. Returns 0, or -1 when out of memory. Free with kinds_free. */
int kinds_init(struct kinds *k, int n);

/** Release what kinds_init allocated. */
void kinds_free(struct kinds *k);

/** Empty k for the next phase. */
void kinds_clear(struct kinds *k);

/** Add the counts of `from` to k, which must have as many. */
void kinds_merge(struct kinds *k, const struct kinds *from);

#endif
