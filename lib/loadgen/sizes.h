/* SPDX-License-Identifier: MIT */
/* Sizes of values: the argument of --sizes, and the size that follows from a random number. */
#ifndef LOADGEN_SIZES_H
#define LOADGEN_SIZES_H

#include "rng.h"

#include <stdint.h>

#define SIZES_MAX      16
#define SIZES_LIMIT    UINT64_C(536870912) /* 512 MB, Redis' own limit */
#define SIZES_TAIL_MAX UINT64_C(1048576)   /* a distribution without an upper limit is cut off here */

enum sizes_kind { SIZES_LIST, SIZES_LOGNORMAL, SIZES_PARETO, SIZES_GPARETO };

/* One choice of a list: sizes low..high, each as likely, with a weight. */
struct sizes_choice {
    uint64_t low, high, weight;
};

/* What is asked for. Of a distribution, choice[0] holds the smallest and the largest size. */
struct sizes {
    enum sizes_kind kind;
    struct sizes_choice choice[SIZES_MAX];
    int choices;
    uint64_t weights;
    double a, b, c; /* lognormal: mu, sigma; pareto: smallest, exponent; generalised Pareto: location, scale, shape */
    double mean;    /* in bytes, with cut-off and rounding */
};

/** Make sizes of one size alone. */
void sizes_one(struct sizes *s, uint64_t size);

/** Read N, LOW-HIGH, SIZE:WEIGHT,..., lognormal:MEAN:SD, pareto:MIN:ALPHA, gpareto:LOCATION:SCALE:SHAPE or etc into s. Returns 0, or -1. */
int sizes_parse(struct sizes *s, const char *text);

/** Draw a size in bytes, at least 1. */
uint64_t sizes_draw(const struct sizes *s, struct rng *rng);

/** Returns whether sizes_draw may return this size, in bytes. */
int sizes_may_be(const struct sizes *s, uint64_t size);

/** Returns the probability that the size is above x, before it is cut off and rounded; of a distribution only. */
double sizes_above(const struct sizes *s, double x);

#endif
