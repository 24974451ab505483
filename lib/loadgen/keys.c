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

/* A Feistel network on the smallest power of two that holds count; results outside are permuted again (Black and Rogaway 2002: cycle walking), less
 * than two steps on average. */
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

/* A wide normal distribution is nearly flat over the keys: draw evenly and keep by the density. More than 0.6 of the draws are kept. */
static uint64_t gaussian_wide_rank(struct keys *k, double middle, double sd)
{
    for (;;) {
        double x = rng_unit(&k->rng) * (double)k->spec.count - 0.5, z = (x - middle) / sd;
        double rank = floor(x + 0.5);
        if (rng_unit(&k->rng) < exp(-z * z / 2) && rank < (double)k->spec.count) return rank > 0 ? (uint64_t)rank : 0;
    }
}

/* Normal variates by Marsaglia's polar method, drawn again until they fall on a key: more than 0.6 of them do. */
static uint64_t gaussian_rank(struct keys *k)
{
    double middle = ((double)k->spec.count - 1) / 2;
    double sd = k->spec.sd > 0 ? k->spec.sd : (double)k->spec.count / 6;
    if (sd > (double)k->spec.count / 2) return gaussian_wide_rank(k, middle, sd);
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

/* Hot keys are the first ranks; the other requests go to the other keys. */
static uint64_t hotspot_rank(struct keys *k)
{
    if (k->hot == k->spec.count || rng_unit(&k->rng) * 100 < k->spec.hot_requests) return rng_below(&k->rng, k->hot);
    return k->hot + rng_below(&k->rng, k->spec.count - k->hot);
}

/* The newest key is the most popular one. */
static uint64_t latest_key(struct keys *k)
{
    uint64_t count = k->spec.count, all = count + k->seen, place;
    if (all >= k->zipf->bound) zipf_prepare(k->zipf, k->spec.theta, all);
    place = all - zipf_draw(k->zipf, &k->rng, all);
    return k->spec.first + (place < count ? place : count + k->part + (place - count) * k->parts);
}

/* The key at a rank, 0 being the most popular one. */
static uint64_t placed(const struct keys *k, uint64_t rank)
{
    if (!k->moves) return k->spec.first + rank;
    rank += k->offset;
    if (rank >= k->spec.count) rank -= k->spec.count;
    return k->spec.first + (k->spec.scramble ? keys_permute(&k->permutation, rank) : rank);
}

static void shift_init(struct keys *k, const struct keys_spec *spec)
{
    double step = spec->shift_percent / 100 * (double)spec->count;
    k->due_ns = UINT64_MAX;
    if (spec->shift_s <= 0) return;
    k->due_ns = k->shift_ns = (uint64_t)(spec->shift_s * 1e9);
    k->shift_step = step < 1 ? 1 : (uint64_t)step;
}

void keys_init(struct keys *k, const struct keys_spec *spec, uint64_t part, uint64_t parts, uint64_t stream, struct zipf *zipf)
{
    memset(k, 0, sizeof *k);
    k->part = part;
    k->parts = parts;
    /* With more walkers than keys, some share a key, so that each has one. */
    if (parts > spec->count) {
        parts = spec->count;
        part %= parts;
    }
    uint64_t share = spec->count / parts, more = spec->count % parts;
    k->spec = *spec;
    k->zipf = zipf;
    rng_seed(&k->rng, spec->seed, stream);
    k->from = k->position = part * share + (part < more ? part : more);
    k->to = k->from + keys_share(spec->count, part, parts);
    k->moves = spec->scramble || spec->shift_s > 0;
    shift_init(k, spec);
    if (spec->kind == KEYS_SHUFFLE || spec->scramble)
        keys_permutation_init(&k->permutation, spec->count, spec->kind == KEYS_SHUFFLE ? spec->seed : spec->place_seed);
    if (spec->kind == KEYS_HOTSPOT) {
        double hot = floor(spec->hot_keys / 100 * (double)spec->count + 0.5);
        k->hot = hot < 1 ? 1 : hot < (double)spec->count ? (uint64_t)hot : spec->count;
    }
    if (spec->kind == KEYS_ZIPF || spec->kind == KEYS_LATEST) zipf_prepare(zipf, spec->theta, spec->count);
}

void keys_shift(struct keys *k, uint64_t ns)
{
    uint64_t shifts = ns / k->shift_ns;
    k->offset = (uint64_t)((unsigned __int128)shifts * k->shift_step % k->spec.count);
    k->due_ns = (shifts + 1) * k->shift_ns;
}

uint64_t keys_addition(const struct keys *k, uint64_t n)
{
    return k->spec.first + k->spec.count + k->part + n * k->parts;
}

uint64_t keys_added(const struct keys *k, uint64_t key)
{
    uint64_t behind = k->spec.first + k->spec.count;
    return key < behind ? UINT64_MAX : (key - behind) / k->parts;
}

void keys_see(struct keys *k, uint64_t n)
{
    k->seen = n < k->added ? n : k->added;
}

/* Start the next pass over this walker's part. Every walker makes the same permutation of a pass, so that their parts remain disjoint. Seeds of
 * phases are multiples of RNG_STEP apart: mixed, so that no pass has the order of another phase. */
static void next_pass(struct keys *k)
{
    k->position = k->from;
    k->pass++;
    if (k->spec.kind == KEYS_SHUFFLE) keys_permutation_init(&k->permutation, k->spec.count, rng_mix(k->spec.seed) + k->pass * RNG_STEP);
}

uint64_t keys_next_other(struct keys *k)
{
    switch (k->spec.kind) {
    case KEYS_GAUSSIAN:
        return placed(k, gaussian_rank(k));
    case KEYS_ZIPF:
        return placed(k, zipf_draw(k->zipf, &k->rng, k->spec.count) - 1);
    case KEYS_HOTSPOT:
        return placed(k, hotspot_rank(k));
    case KEYS_LATEST:
        return latest_key(k);
    case KEYS_SHUFFLE:
        if (k->position == k->to) next_pass(k);
        return k->spec.first + keys_permute(&k->permutation, k->position++);
    default:
        if (k->position == k->to) next_pass(k);
        return k->spec.first + k->position++;
    }
}
