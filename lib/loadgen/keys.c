/* SPDX-License-Identifier: MIT */
/* Key patterns: see keys.h. */
#include "keys.h"

#include <math.h>
#include <string.h>

#define ROUNDS 6

void keys_permutation_init(struct keys_permutation *p, uint64_t count, uint64_t seed)
{
    unsigned bits = count > 1 ? 64 - (unsigned)__builtin_clzll(count - 1) : 1;
    if (bits < 2) bits = 2;
    p->count = count;
    p->seed = rng_mix(seed ^ RNG_STEP);
    p->left_bits = bits / 2;
    p->right_bits = bits - bits / 2;
}

/* A Feistel network on the smallest power of two that holds count; results outside are walked on (Black and Rogaway 2002: cycle walking),
 * less than two steps on average. */
uint64_t keys_permute(const struct keys_permutation *p, uint64_t position)
{
    uint64_t left_mask = (UINT64_C(1) << p->left_bits) - 1, right_mask = (UINT64_C(1) << p->right_bits) - 1;
    uint64_t x = position;
    do {
        uint64_t left = x >> p->right_bits, right = x & right_mask;
        for (unsigned i = 0; i < ROUNDS; i += 2) {
            left ^= rng_mix(right + p->seed + i * RNG_STEP) & left_mask;
            right ^= rng_mix(left + p->seed + (i + 1) * RNG_STEP) & right_mask;
        }
        x = left << p->right_bits | right;
    } while (x >= p->count);
    return x;
}

uint64_t keys_share(uint64_t count, uint64_t part, uint64_t parts)
{
    return count / parts + (part < count % parts);
}

/* Zipf by rejection-inversion (Hoermann and Derflinger 1996, "Rejection-inversion to generate variates from monotone discrete
 * distributions"): H is the integral of x^-theta, written with expm1 and log1p so that it holds at theta = 1 too. */
static double zipf_integral(double theta, double x)
{
    double l = log(x), t = (1 - theta) * l;
    return fabs(t) > 1e-8 ? expm1(t) / t * l : l * (1 + t / 2);
}

static double zipf_inverse(double theta, double y)
{
    double t = y * (1 - theta);
    if (t < -1) t = -1;
    return exp(fabs(t) > 1e-8 ? log1p(t) / t * y : y * (1 - t / 2));
}

static double zipf_density(double theta, double x)
{
    return exp(-theta * log(x));
}

static uint64_t zipf_rank(struct keys *k)
{
    double theta = k->spec.theta;
    for (;;) {
        double u = k->zipf_last + rng_unit(&k->rng) * (k->zipf_first - k->zipf_last);
        double x = zipf_inverse(theta, u), rank = floor(x + 0.5);
        if (rank < 1) rank = 1;
        if (rank > (double)k->spec.count) rank = (double)k->spec.count;
        if (rank - x <= k->zipf_cut || u >= zipf_integral(theta, rank + 0.5) - zipf_density(theta, rank)) return (uint64_t)rank - 1;
    }
}

/* Normal variates by Marsaglia's polar method, drawn again until they fall on a key. */
static uint64_t gaussian_rank(struct keys *k)
{
    double middle = ((double)k->spec.count - 1) / 2;
    double sd = k->spec.sd > 0 ? k->spec.sd : (double)k->spec.count / 6;
    for (;;) {
        double z;
        if (k->has_spare) {
            z = k->spare;
            k->has_spare = 0;
        } else {
            double u, v, s;
            do {
                u = 2 * rng_unit(&k->rng) - 1;
                v = 2 * rng_unit(&k->rng) - 1;
                s = u * u + v * v;
            } while (s >= 1 || s == 0);
            s = sqrt(-2 * log(s) / s);
            z = u * s;
            k->spare = v * s;
            k->has_spare = 1;
        }
        double rank = floor(middle + z * sd + 0.5);
        if (rank >= 0 && rank < (double)k->spec.count) return (uint64_t)rank;
    }
}

void keys_init(struct keys *k, const struct keys_spec *spec, uint64_t part, uint64_t parts, uint64_t stream)
{
    uint64_t share = spec->count / parts, more = spec->count % parts;
    memset(k, 0, sizeof *k);
    k->spec = *spec;
    rng_seed(&k->rng, spec->seed, stream);
    k->from = k->position = part * share + (part < more ? part : more);
    k->to = k->from + keys_share(spec->count, part, parts);
    if (spec->kind == KEYS_SHUFFLE) keys_permutation_init(&k->permutation, spec->count, spec->seed);
    if (spec->kind == KEYS_ZIPF) {
        k->zipf_first = zipf_integral(spec->theta, 1.5) - 1;
        k->zipf_last = zipf_integral(spec->theta, (double)spec->count + 0.5);
        k->zipf_cut = 2 - zipf_inverse(spec->theta, zipf_integral(spec->theta, 2.5) - zipf_density(spec->theta, 2));
    }
}

/* Start the next pass over this walker's part. Every walker makes the same permutation of a pass, so that parts stay disjoint. */
static void next_pass(struct keys *k)
{
    k->position = k->from;
    k->pass++;
    if (k->spec.kind == KEYS_SHUFFLE) keys_permutation_init(&k->permutation, k->spec.count, k->spec.seed + k->pass * RNG_STEP);
}

uint64_t keys_next_other(struct keys *k)
{
    switch (k->spec.kind) {
    case KEYS_GAUSSIAN:
        return k->spec.first + gaussian_rank(k);
    case KEYS_ZIPF:
        return k->spec.first + zipf_rank(k);
    case KEYS_SHUFFLE:
        if (k->position == k->to) next_pass(k);
        return k->spec.first + keys_permute(&k->permutation, k->position++);
    default:
        if (k->position == k->to) next_pass(k);
        return k->spec.first + k->position++;
    }
}
