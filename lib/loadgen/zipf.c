/* SPDX-License-Identifier: MIT */
/* Zipf's distribution: see zipf.h. */
#include "zipf.h"

#include <math.h>

#define STEPS UINT32_C(32) /* groups of an octave */

/* Groups from 64 on span 2^e ranks, e = 1, 2, ...; below 64 the number of a group is its only rank. Neither function has a branch: the groups of
 * successive draws are random, and the CPU could not predict it. */
static inline unsigned span_bits(uint32_t group)
{
    return group / STEPS - (group >= STEPS);
}

static inline uint64_t first_rank(uint32_t group)
{
    return (uint64_t)((group >= STEPS) * STEPS + group % STEPS) << span_bits(group);
}

static uint32_t group_of(uint64_t rank)
{
    if (rank < STEPS) return (uint32_t)rank;
    unsigned e = 63 - (unsigned)__builtin_clzll(rank) - 5;
    return (e + 1) * STEPS + (uint32_t)(rank >> e) % STEPS;
}

/* Walker's alias table (1977), made as Vose did (1991): a cell has the share of one group, filled up by another, so that all cells are equally
 * likely. A group's weight is that of its first rank times its width; zipf_draw rejects what is too much. */
static void make_cells(struct zipf *z)
{
    double share[ZIPF_GROUPS], all = 0;
    uint16_t small[ZIPF_GROUPS], large[ZIPF_GROUPS];
    uint32_t smalls = 0, larges = 0;
    for (uint32_t i = 1; i < z->groups; i++) all += share[i] = ldexp(exp(-z->theta * log((double)first_rank(i))), (int)span_bits(i));
    for (uint32_t i = 1; i < z->groups; i++) {
        share[i] *= (z->groups - 1) / all;
        z->cell[i] = i; /* the whole cell, unless another group fills it up */
        if (share[i] < 1)
            small[smalls++] = (uint16_t)i;
        else
            large[larges++] = (uint16_t)i;
    }
    while (smalls && larges) {
        uint32_t less = small[--smalls], more = large[larges - 1];
        z->cell[less] = (uint64_t)(share[less] * 0x1p53) << 11 | more;
        share[more] -= 1 - share[less];
        if (share[more] < 1) small[smalls++] = large[--larges];
    }
}

void zipf_prepare(struct zipf *z, double theta, uint64_t count)
{
    uint32_t groups = group_of(count) + 1;
    if (z->bound && z->theta == theta && z->groups == groups) return;
    z->theta = theta;
    z->groups = groups;
    z->bound = first_rank(groups);
    for (unsigned i = 0; i < STEPS; i++) z->sure[i] = 1;
    for (unsigned i = 0; i < STEPS; i++) z->sure[STEPS + i] = exp(-theta * log((STEPS + i + 1.0) / (STEPS + i)));
    make_cells(z);
}

uint64_t zipf_draw(const struct zipf *z, struct rng *rng, uint64_t count)
{
    for (;;) {
        unsigned __int128 place = (unsigned __int128)rng_next(rng) * (z->groups - 1);
        uint32_t group = 1 + (uint32_t)(place >> 64);
        uint64_t cell = z->cell[group];
        group ^= (group ^ (cell & 2047)) & -(uint32_t)((uint64_t)place >> 11 >= cell >> 11);
        unsigned bits = span_bits(group);
        uint64_t first = first_rank(group), rank = first + (rng_next(rng) >> 1 >> (63 - bits));
        double u = rng_unit(rng);
        if (rank <= count && (u < z->sure[(bits > 0) * STEPS + group % STEPS] || u < exp(-z->theta * log((double)rank / (double)first)))) return rank;
    }
}
