/* SPDX-License-Identifier: MIT */
/* Key patterns: which key comes next, in constant memory and by a seed alone. */
#ifndef LOADGEN_KEYS_H
#define LOADGEN_KEYS_H

#include "rng.h"

#include <stdint.h>

enum keys_kind { KEYS_SEQUENTIAL, KEYS_SHUFFLE, KEYS_UNIFORM, KEYS_GAUSSIAN, KEYS_ZIPF };

/* What is asked for: keys first .. first + count - 1. */
struct keys_spec {
    enum keys_kind kind;
    uint64_t first, count;
    double sd;    /* gaussian: standard deviation in keys; 0 means count / 6 */
    double theta; /* zipf: the exponent, 0 < theta < 2 */
    uint64_t seed;
};

/* A permutation of 0 .. count - 1. */
struct keys_permutation {
    uint64_t count, seed;
    unsigned left_bits, right_bits;
};

struct keys {
    struct keys_spec spec;
    struct rng rng;
    uint64_t position, from, to; /* sequential and shuffle: the part [from, to) of the keys that is walked */
    uint64_t pass;
    struct keys_permutation permutation;
    double spare; /* gaussian: the second of a pair */
    int has_spare;
    double zipf_first, zipf_last, zipf_cut;
};

/** Prepare to walk keys as spec says. Sequential and shuffled keys are taken from part `part` of `parts` equal parts (the first ones are
 *  one larger when count does not divide), so that several walkers take every key exactly once; a walker that comes to its end starts
 *  again, shuffled in a new order. Random patterns draw from all keys, each walker from a random stream named `stream`. */
void keys_init(struct keys *k, const struct keys_spec *spec, uint64_t part, uint64_t parts, uint64_t stream);

/** Returns the next key of a pattern that needs more than a line. */
uint64_t keys_next_other(struct keys *k);

/** Returns the next key. */
static inline uint64_t keys_next(struct keys *k)
{
    if (k->spec.kind == KEYS_UNIFORM) return k->spec.first + rng_below(&k->rng, k->spec.count);
    return keys_next_other(k);
}

/** Returns how many keys one pass of this walker takes. */
uint64_t keys_share(uint64_t count, uint64_t part, uint64_t parts);

/** Prepare a permutation of 0 .. count - 1, chosen by seed. count must be at least 1. */
void keys_permutation_init(struct keys_permutation *p, uint64_t count, uint64_t seed);

/** Returns where the permutation takes position, which must be below count. A bijection. */
uint64_t keys_permute(const struct keys_permutation *p, uint64_t position);

#endif
