/* SPDX-License-Identifier: MIT */
/* Values: see values.h. Random content is a slice of one random pool, XORed with a word that differs from key to key and from stretch to
 * stretch, which costs a tenth of drawing every byte anew and repeats nothing that a compressor can find. */
#include "values.h"

#include "rng.h"

#include <stdlib.h>
#include <string.h>

#define PATTERN_STEPS 75UL           /* the guide's values walk from '0' through 75 characters */
#define POOL_SIZE     65536UL        /* random bytes, a power of two */
#define POOL_SLACK    4096UL         /* the pool's start again, so that a slice never wraps */
#define STRETCH       UINT64_C(4096) /* bytes under one mask; a page, as compressing memory tiers see it */
#define PATTERN_SIZE  (POOL_SIZE / PATTERN_STEPS * PATTERN_STEPS)

int values_init(struct values *v, const struct values_spec *spec)
{
    struct rng rng;
    v->spec = *spec;
    v->weight_total = 0;
    for (int i = 0; i < spec->sizes; i++) v->weight_total += spec->size[i].weight;
    v->pool = malloc(POOL_SIZE + POOL_SLACK);
    if (!v->pool) return -1;
    rng_seed(&rng, spec->seed, UINT64_C(0x76616c756573));
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
    const struct values_size *size = v->spec.size;
    if (v->spec.sizes == 1 && size->low == size->high) return size->low;
    struct rng rng;
    rng_seed(&rng, v->spec.seed ^ UINT64_C(0x6c656e677468), key);
    uint64_t pick = rng_below(&rng, v->weight_total);
    while (pick >= size->weight) pick -= size++->weight;
    return size->low + rng_below(&rng, size->high - size->low + 1);
}

double values_mean_length(const struct values_spec *spec)
{
    double sum = 0, weights = 0;
    for (int i = 0; i < spec->sizes; i++) {
        sum += ((double)spec->size[i].low + (double)spec->size[i].high) / 2 * (double)spec->size[i].weight;
        weights += (double)spec->size[i].weight;
    }
    return sum / weights;
}

/* How many bytes of a stretch of `length` bytes in a value of `whole` bytes must be random for deflate to reach ratio. What deflate adds was
 * measured with zlib: 0.4 % on random bytes, a byte or so for each match of 258 zeros, 2 bytes for the change; and 10 to 60 bytes of code
 * tables for a value that is packed alone, of which a third is counted, so that the ratio lies between packed alone and packed together. */
static size_t random_part(uint64_t length, uint64_t whole, double ratio)
{
    double random = (double)length / ratio, zeros = (double)length - random;
    double tables = 10 + 0.05 * (double)whole / ratio;
    double added = 2 + 0.004 * random + zeros / 240 + (tables < 60 ? tables : 60) / 3 * (double)length / (double)whole;
    return random > added ? (size_t)(random - added) : 0;
}

/* One stretch of a value: `random` bytes of pool content under a mask, then zeros. */
struct stretch {
    const unsigned char *pool;
    uint64_t mask;
    size_t random;
};

static struct stretch stretch_of(const struct values *v, uint64_t key, uint64_t place, uint64_t number, uint64_t length)
{
    uint64_t mask = rng_mix(rng_mix(key + v->spec.seed * RNG_STEP) ^ rng_mix(place + number * RNG_STEP));
    struct stretch s = {v->pool + (rng_mix(mask) & (POOL_SIZE - 1) & ~UINT64_C(7)), mask, STRETCH};
    uint64_t left = length - number * STRETCH;
    if (v->spec.kind == VALUES_COMPRESSIBLE) s.random = random_part(left < STRETCH ? left : STRETCH, length, v->spec.ratio);
    return s;
}

/* The mask as it stands at byte `at` of a stretch. */
static uint64_t turn(uint64_t mask, uint64_t at)
{
    unsigned bits = (unsigned)(at & 7) * 8;
    return bits ? mask >> bits | mask << (64 - bits) : mask;
}

/* Two words at a time, in what every CPU of these kinds has as one register. */
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

static int all_zero(const char *in, size_t n)
{
    unsigned char off = 0;
    for (size_t i = 0; i < n; i++) off |= (unsigned char)in[i];
    return !off;
}

/* Walk bytes [at, at + n): fill `out`, or compare with `in`. Returns 0 when a comparison fails. */
static int walk(const struct values *v, uint64_t key, uint64_t place, uint64_t at, char *out, const char *in, size_t n)
{
    size_t done = 0, part;
    uint64_t length = v->spec.kind == VALUES_COMPRESSIBLE ? values_length(v, key) : 0;
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
        uint64_t in_stretch = (at + done) % STRETCH;
        struct stretch s = stretch_of(v, key, place, (at + done) / STRETCH, length);
        size_t to = in_stretch < s.random ? s.random : STRETCH;
        part = n - done < to - in_stretch ? n - done : (size_t)(to - in_stretch);
        if (in_stretch < s.random) {
            uint64_t mask = turn(s.mask, in_stretch);
            if (out)
                mask_out(out + done, s.pool + in_stretch, mask, part);
            else if (!mask_same(in + done, s.pool + in_stretch, mask, part))
                return 0;
        } else if (out) {
            memset(out + done, 0, part);
        } else if (!all_zero(in + done, part)) {
            return 0;
        }
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
