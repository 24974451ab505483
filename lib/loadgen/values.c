/* SPDX-License-Identifier: MIT */
/* Values: see values.h. Content is a slice of one pool, XORed with a word that differs from key to key and from stretch to stretch. That takes a
 * tenth of the time of drawing every byte, and has no repetition that a compressor can find. */
#include "values.h"

#include "compressible.h"

#include <stdlib.h>
#include <string.h>

#define PATTERN_STEPS 75UL           /* the guide's values walk from '0' through 75 characters */
#define POOL_SIZE     65536UL        /* random bytes, a power of two */
#define POOL_SLACK    4096UL         /* the pool's start again, so that a slice never wraps */
#define STRETCH       UINT64_C(4096) /* bytes of random content under one mask */
#define PIECES_SIZE   1048576UL      /* compressible content: too large for the CPU to learn the branches of its decompression */
#define PATTERN_SIZE  (POOL_SIZE / PATTERN_STEPS * PATTERN_STEPS)

/* A pool of compressible pieces, each a stretch of some value from its start. Returns 0, or -1 when out of memory. */
static int pieces_init(struct values *v, struct rng *rng)
{
    uint64_t longest = values_largest(&v->spec);
    v->stretch = longest < COMPRESSIBLE_MAX ? (longest + 7) / 8 * 8 : COMPRESSIBLE_MAX;
    v->pieces = PIECES_SIZE / v->stretch;
    v->pool = malloc(v->pieces * v->stretch);
    if (!v->pool) return -1;
    for (uint64_t i = 0; i < v->pieces; i++) compressible_make(v->pool + i * v->stretch, v->stretch, v->spec.ratio, rng);
    return 0;
}

int values_init(struct values *v, const struct values_spec *spec)
{
    struct rng rng;
    v->spec = *spec;
    v->stretch = STRETCH;
    v->pieces = 0;
    rng_seed(&rng, spec->seed, UINT64_C(0x76616c756573));
    if (spec->kind == VALUES_COMPRESSIBLE) return pieces_init(v, &rng);
    v->pool = malloc(POOL_SIZE + POOL_SLACK);
    if (!v->pool) return -1;
    for (size_t i = 0; i < POOL_SIZE; i += 8) {
        uint64_t word = rng_next(&rng);
        memcpy(v->pool + i, &word, 8);
    }
    if (spec->kind == VALUES_PATTERN)
        for (size_t i = 0; i < POOL_SIZE; i++) v->pool[i] = (unsigned char)('0' + i % PATTERN_STEPS);
    memcpy(v->pool + POOL_SIZE, v->pool, POOL_SLACK);
    return 0;
}

void values_free(struct values *v)
{
    free(v->pool);
    v->pool = NULL;
}

uint64_t values_length(const struct values *v, uint64_t key)
{
    const struct sizes *sizes = &v->spec.sizes;
    struct rng rng;
    if (sizes->choices == 1 && sizes->choice[0].low == sizes->choice[0].high) return sizes->choice[0].low;
    rng_seed(&rng, v->spec.seed ^ UINT64_C(0x6c656e677468), key);
    return sizes_draw(sizes, &rng);
}

uint64_t values_drawn(const struct values *v, unsigned phase, uint64_t key, unsigned number)
{
    struct rng rng;
    if (!(v->spec.own >> phase & 1)) return values_length(v, key);
    rng_seed(&rng, v->spec.seed ^ UINT64_C(0x647261776e) ^ (uint64_t)phase << 48 ^ (uint64_t)number << 52, key);
    return sizes_draw(&v->spec.phase[phase], &rng);
}

int values_may_be(const struct values *v, uint64_t key, uint64_t length)
{
    for (unsigned i = 0; i < VALUES_PHASES; i++)
        if (v->spec.own >> i & 1 && sizes_may_be(&v->spec.phase[i], length)) return 1;
    return length == values_length(v, key);
}

const struct sizes *values_sizes(const struct values_spec *spec, unsigned phase)
{
    return spec->own >> phase & 1 ? &spec->phase[phase] : &spec->sizes;
}

uint64_t values_largest(const struct values_spec *spec)
{
    uint64_t largest = 1;
    for (unsigned i = 0; i < VALUES_PHASES; i++) {
        const struct sizes *s = values_sizes(spec, i);
        for (int j = 0; j < s->choices; j++)
            if (s->choice[j].high > largest) largest = s->choice[j].high;
    }
    return largest;
}

/* One stretch of a value: pool content under a mask. */
struct stretch {
    const unsigned char *pool;
    uint64_t mask;
};

static struct stretch stretch_of(const struct values *v, uint64_t key, uint64_t place, uint64_t number)
{
    uint64_t mask = rng_mix(rng_mix(key + v->spec.seed * RNG_STEP) ^ rng_mix(place + number * RNG_STEP));
    uint64_t pick = rng_mix(mask), from = pick & (POOL_SIZE - 1) & ~UINT64_C(7);
    if (v->pieces) from = (uint64_t)((unsigned __int128)pick * v->pieces >> 64) * v->stretch;
    return (struct stretch){v->pool + from, mask};
}

/* The mask at byte `at` of a stretch. */
static uint64_t turn(uint64_t mask, uint64_t at)
{
    unsigned bits = (unsigned)(at & 7) * 8;
    return bits ? mask >> bits | mask << (64 - bits) : mask;
}

/* Two words at a time, in a register that every CPU of these kinds has. */
typedef uint64_t pair __attribute__((vector_size(16)));

static void mask_out(char *out, const unsigned char *pool, uint64_t mask, size_t n)
{
    const pair masks = {mask, mask};
    size_t i = 0;
    for (; i + 16 <= n; i += 16) {
        pair words;
        memcpy(&words, pool + i, 16);
        words ^= masks;
        memcpy(out + i, &words, 16);
    }
    for (unsigned at = 0; i < n; i++, at += 8) out[i] = (char)(pool[i] ^ (unsigned char)(mask >> (at & 63)));
}

static int mask_same(const char *in, const unsigned char *pool, uint64_t mask, size_t n)
{
    const pair masks = {mask, mask};
    pair off = {0, 0}, off2 = {0, 0}, a, b, a2, b2;
    uint64_t rest = 0;
    size_t i = 0;
    for (; i + 32 <= n; i += 32) {
        memcpy(&a, pool + i, 16);
        memcpy(&b, in + i, 16);
        memcpy(&a2, pool + i + 16, 16);
        memcpy(&b2, in + i + 16, 16);
        off |= a ^ b ^ masks;
        off2 |= a2 ^ b2 ^ masks;
    }
    off |= off2;
    for (; i + 8 <= n; i += 8) {
        uint64_t x, y;
        memcpy(&x, pool + i, 8);
        memcpy(&y, in + i, 8);
        rest |= x ^ y ^ mask;
    }
    for (unsigned at = 0; i < n; i++, at += 8) rest |= (unsigned char)(pool[i] ^ (unsigned char)(mask >> (at & 63)) ^ (unsigned char)in[i]);
    return !(off[0] | off[1] | rest);
}

/* Walk bytes [at, at + n): fill `out`, or compare with `in`. Returns 0 when a comparison fails. */
static int walk(const struct values *v, uint64_t key, uint64_t place, uint64_t at, char *out, const char *in, size_t n)
{
    size_t done = 0, part;
    if (v->spec.kind == VALUES_PATTERN) {
        for (; done < n; done += part) {
            size_t from = (size_t)((place + at + done) % PATTERN_STEPS);
            part = n - done < PATTERN_SIZE - from ? n - done : PATTERN_SIZE - from;
            if (out)
                memcpy(out + done, v->pool + from, part);
            else if (memcmp(in + done, v->pool + from, part) != 0)
                return 0;
        }
        return 1;
    }
    for (; done < n; done += part) {
        uint64_t in_stretch = at + done, number = 0;
        if (in_stretch >= v->stretch) { /* no division for short values */
            number = in_stretch / v->stretch;
            in_stretch %= v->stretch;
        }
        struct stretch s = stretch_of(v, key, place, number);
        uint64_t mask = turn(s.mask, in_stretch);
        part = n - done < v->stretch - in_stretch ? n - done : (size_t)(v->stretch - in_stretch);
        if (out)
            mask_out(out + done, s.pool + in_stretch, mask, part);
        else if (!mask_same(in + done, s.pool + in_stretch, mask, part))
            return 0;
    }
    return 1;
}

void values_fill(const struct values *v, uint64_t key, uint64_t place, uint64_t at, char *out, size_t n)
{
    walk(v, key, place, at, out, NULL, n);
}

int values_check(const struct values *v, uint64_t key, uint64_t place, uint64_t at, const char *in, size_t n)
{
    return walk(v, key, place, at, NULL, in, n);
}

const char *values_shared(const struct values *v, uint64_t place, uint64_t at, size_t *n)
{
    *n = VALUES_SHARED;
    return (const char *)v->pool + (place + at) % PATTERN_STEPS;
}
