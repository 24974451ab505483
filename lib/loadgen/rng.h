/* SPDX-License-Identifier: MIT */
/* A small seeded random number generator, one per thread, and the mixing function that keys and values are derived with. */
#ifndef LOADGEN_RNG_H
#define LOADGEN_RNG_H

#include <stdint.h>

#define RNG_STEP UINT64_C(0x9e3779b97f4a7c15) /* 2^64 / golden ratio, odd */

struct rng {
    uint64_t state;
};

/** Mix 64 bits so that every input bit moves every output bit (the finalizer of SplitMix64; Steele, Lea, Flood 2014). A bijection. */
static inline uint64_t rng_mix(uint64_t x)
{
    x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
    return x ^ (x >> 31);
}

/** Seed r for one stream. Two streams of one seed are independent in practice. */
static inline void rng_seed(struct rng *r, uint64_t seed, uint64_t stream)
{
    r->state = rng_mix(rng_mix(seed + RNG_STEP) ^ (stream * RNG_STEP));
}

/** Returns 64 random bits. */
static inline uint64_t rng_next(struct rng *r)
{
    return rng_mix(r->state += RNG_STEP);
}

/** Returns a number in [0, n), n > 0, without bias (multiply and reject; Lemire 2019). */
static inline uint64_t rng_below(struct rng *r, uint64_t n)
{
    unsigned __int128 product = (unsigned __int128)rng_next(r) * n;
    if (__builtin_expect((uint64_t)product < n, 0)) {
        uint64_t floor = -n % n;
        while ((uint64_t)product < floor) product = (unsigned __int128)rng_next(r) * n;
    }
    return (uint64_t)(product >> 64);
}

/** Returns a number in the open interval (0, 1), with 53 bits. */
static inline double rng_unit(struct rng *r)
{
    return ((double)(rng_next(r) >> 11) + 0.5) * 0x1p-53;
}

#endif
