/* SPDX-License-Identifier: MIT */
/* Zipf's distribution: ranks 1 .. n, each with a probability proportional to rank^-theta. Exact, in constant memory and time. */
#ifndef LOADGEN_ZIPF_H
#define LOADGEN_ZIPF_H

#include "rng.h"

#include <stdint.h>

/* Ranks lie in groups: each rank from 1 to 63 is a group, and each octave from 64 on has 32 groups of equal width. */
#define ZIPF_GROUPS 1920

struct zipf {
    double theta;
    uint64_t bound;  /* ranks below it can be drawn; 0: the table is not ready */
    uint32_t groups; /* one more than those of the ranks below the bound: there is no group 0 */
    double sure[64]; /* the share of draws of a group that need no test, 1 below group 64; by the low bits of the group, 32 more from 64 on */
    uint64_t cell[ZIPF_GROUPS]; /* alias table: in the upper 53 bits the probability to keep a group, else the one in the lower 11 bits */
};

/** Prepare to draw ranks 1 .. count (1 to 2^62) with exponent theta, 0 < theta <= 3. Does nothing if the table is ready for them. */
void zipf_prepare(struct zipf *z, double theta, uint64_t count);

/** Returns a rank, 1 .. count. count must be below z->bound; the fewer ranks of the table it leaves, the more draws are rejected. */
uint64_t zipf_draw(const struct zipf *z, struct rng *rng, uint64_t count);

#endif
