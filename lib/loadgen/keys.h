/* SPDX-License-Identifier: MIT */
/* Key patterns: which key comes next, in constant memory, determined by a seed. */
#ifndef LOADGEN_KEYS_H
#define LOADGEN_KEYS_H

#include "rng.h"
#include "zipf.h"

#include <stdint.h>

enum keys_kind { KEYS_SEQUENTIAL, KEYS_SHUFFLE, KEYS_UNIFORM, KEYS_GAUSSIAN, KEYS_ZIPF, KEYS_HOTSPOT, KEYS_LATEST };

/* The request: keys first .. first + count - 1, and with KEYS_LATEST those of keys_addition after them. */
struct keys_spec {
    enum keys_kind kind;
    uint64_t first, count;
    double sd;                     /* gaussian: standard deviation in keys; 0 means count / 6 */
    double theta;                  /* zipf and latest: the exponent, 0 < theta <= KEYS_THETA_MAX */
    double hot_keys, hot_requests; /* hotspot: percent of the keys, and of the requests, which go to those */
    double shift_s, shift_percent; /* every shift_s seconds the popular keys move by this percentage of all keys; 0: never */
    int scramble;                  /* popular keys are not neighbours: a permutation by place_seed spreads them */
    uint64_t seed, place_seed;
};

#define KEYS_THETA_MAX 3

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
    double spare;                          /* gaussian: the second of a pair */
    int has_spare, moves;                  /* moves: a rank is not a place yet */
    struct zipf *zipf;                     /* zipf and latest */
    uint64_t hot;                          /* hotspot: keys that are hot, of ranks 0 .. hot - 1 */
    uint64_t offset;                       /* places by which the popular keys have moved */
    uint64_t shift_ns, shift_step, due_ns; /* how often and how far; when next, UINT64_MAX: never */
    uint64_t part, parts;                  /* latest: of the walkers that add keys */
    uint64_t added, seen;                  /* latest: keys that this walker has added, and those of them that keys_next may return */
};

/** Prepare to walk keys as spec says. Sequential and shuffled keys are taken from part `part` of `parts` equal parts (the first ones are
 *  one larger when count does not divide), so that several walkers take every key exactly once; a walker that comes to its end starts
 *  again, shuffled in a new order. Where there are more parts than keys, parts share a key. Random patterns draw from all keys, each walker from a
 *  random stream named `stream`. Walkers of one thread share the table `zipf`, zero at first; other patterns than zipf and latest do not use it. The
 *  keys of KEYS_LATEST depend on when keys of any of them are seen. */
void keys_init(struct keys *k, const struct keys_spec *spec, uint64_t part, uint64_t parts, uint64_t stream, struct zipf *zipf);

/** Move the popular keys to where they are ns nanoseconds after the start of the phase: the same place for every walker and in every run. */
void keys_shift(struct keys *k, uint64_t ns);

/** As keys_shift, for every request: does nothing until the next shift is due. */
static inline void keys_at(struct keys *k, uint64_t ns)
{
    if (__builtin_expect(ns >= k->due_ns, 0)) keys_shift(k, ns);
}

/** Returns key number n, counted from 0, of those that this walker adds after all others (KEYS_LATEST). Each walker adds every parts-th key, so that
 * no two walkers add the same. */
uint64_t keys_addition(const struct keys *k, uint64_t n);

/** Returns which of this walker's added keys it is, counted from 0; UINT64_MAX for a key that was there before. */
uint64_t keys_added(const struct keys *k, uint64_t key);

/** Let keys_next return the first n of the keys that this walker has added. */
void keys_see(struct keys *k, uint64_t n);

/** Returns the next key of a pattern that is too complex for an inline function. */
uint64_t keys_next_other(struct keys *k);

/** Returns the next key. */
static inline uint64_t keys_next(struct keys *k)
{
    if (k->spec.kind == KEYS_UNIFORM) return k->spec.first + rng_below(&k->rng, k->spec.count);
    return keys_next_other(k);
}

/** Write the next n keys to out, each with the bits of `tag` set. */
static inline void keys_take(struct keys *k, uint64_t tag, uint64_t *out, uint32_t n)
{
    if (k->spec.kind == KEYS_UNIFORM) {
        struct rng rng = k->rng; /* a copy that no key written can alias */
        const uint64_t first = k->spec.first, count = k->spec.count;
        for (uint32_t i = 0; i < n; i++) out[i] = tag | (first + rng_below(&rng, count));
        k->rng = rng;
        return;
    }
    for (uint32_t i = 0; i < n; i++) out[i] = tag | keys_next_other(k);
}

/** Returns how many keys one pass of this walker takes. */
uint64_t keys_share(uint64_t count, uint64_t part, uint64_t parts);

/** Prepare a permutation of 0 .. count - 1, chosen by seed. count must be at least 1. */
void keys_permutation_init(struct keys_permutation *p, uint64_t count, uint64_t seed);

/** Returns where the permutation takes position, which must be below count. A bijection. */
uint64_t keys_permute(const struct keys_permutation *p, uint64_t position);

#endif
