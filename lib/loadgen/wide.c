/* SPDX-License-Identifier: MIT */
/* Keys and commands four at a time with AVX2, selected at run time: see wide.h. */
#include "wide.h"

#include "command.h"

#ifdef __x86_64__

#include <immintrin.h>

#define WIDE   __attribute__((target("avx2")))
#define INLINE static inline __attribute__((target("avx2"), always_inline))

typedef __m256i lanes; /* four numbers of 64 bits */

int wide_here(void)
{
    return __builtin_cpu_supports("avx2") > 0;
}

/* Returns the low 64 bits of a product with a constant. AVX2 multiplies at most 32 bits. */
INLINE lanes times(lanes x, uint64_t by)
{
    const lanes low = _mm256_set1_epi64x((long long)by), high = _mm256_srli_epi64(low, 32);
    lanes cross = _mm256_add_epi64(_mm256_mul_epu32(_mm256_srli_epi64(x, 32), low), _mm256_mul_epu32(x, high));
    return _mm256_add_epi64(_mm256_mul_epu32(x, low), _mm256_slli_epi64(cross, 32));
}

/* rng_mix */
INLINE lanes mix(lanes x)
{
    x = times(_mm256_xor_si256(x, _mm256_srli_epi64(x, 30)), UINT64_C(0xbf58476d1ce4e5b9));
    x = times(_mm256_xor_si256(x, _mm256_srli_epi64(x, 27)), UINT64_C(0x94d049bb133111eb));
    return _mm256_xor_si256(x, _mm256_srli_epi64(x, 31));
}

WIDE uint32_t wide_draw(struct rng *r, uint64_t tag, uint64_t first, uint64_t count, uint64_t *out, uint32_t n)
{
    const uint64_t s = r->state;
    const uint64_t s1 = s + RNG_STEP, s2 = s1 + RNG_STEP, s3 = s2 + RNG_STEP, s4 = s3 + RNG_STEP, four = 4 * RNG_STEP;
    const lanes step = _mm256_set1_epi64x((long long)four), counts = _mm256_set1_epi64x((long long)count);
    const lanes tags = _mm256_set1_epi64x((long long)tag), firsts = _mm256_set1_epi64x((long long)first), zero = _mm256_setzero_si256();
    lanes state = _mm256_set_epi64x((long long)s4, (long long)s3, (long long)s2, (long long)s1);
    uint32_t i = 0;
    for (; i < n; i += 4, state = _mm256_add_epi64(state, step)) {
        lanes x = mix(state), low = _mm256_mul_epu32(x, counts), high = _mm256_mul_epu32(_mm256_srli_epi64(x, 32), counts);
        lanes y = _mm256_add_epi64(high, _mm256_srli_epi64(low, 32)); /* the product from bit 32 on */
        /* rng_below draws again for some products whose low 64 bits are below count. They all have 0 in bits 32 to 63. */
        if (_mm256_movemask_ps(_mm256_castsi256_ps(_mm256_cmpeq_epi32(y, zero))) & 0x55) break;
        _mm256_storeu_si256((lanes *)(void *)(out + i), _mm256_or_si256(tags, _mm256_add_epi64(firsts, _mm256_srli_epi64(y, 32))));
    }
    r->state = s + i * RNG_STEP;
    return i;
}

/* Like number_text8_word. */
INLINE lanes text8(lanes n)
{
    const lanes hundred = _mm256_set1_epi32(100), ten = _mm256_set1_epi16(10);
    lanes high = _mm256_srli_epi64(_mm256_mul_epu32(n, _mm256_set1_epi64x(3518437209)), 45); /* divided by 10000 */
    lanes x = _mm256_or_si256(high, _mm256_slli_epi64(_mm256_sub_epi64(n, _mm256_mul_epu32(high, _mm256_set1_epi64x(10000))), 32));
    lanes t = _mm256_srli_epi16(_mm256_mulhi_epu16(x, _mm256_set1_epi32(5243)), 3); /* two numbers divided by 100 */
    x = _mm256_or_si256(t, _mm256_slli_epi32(_mm256_sub_epi32(x, _mm256_mullo_epi16(t, hundred)), 16));
    t = _mm256_mulhi_epu16(x, _mm256_set1_epi16(6554)); /* four numbers divided by 10 */
    x = _mm256_or_si256(t, _mm256_slli_epi16(_mm256_sub_epi16(x, _mm256_mullo_epi16(t, ten)), 8));
    return _mm256_or_si256(x, _mm256_set1_epi8('0'));
}

/* Four keys as text: `low` has the last eight digits of each key, or all if there are fewer; `high` has the digits before them. */
struct texts {
    uint64_t digits[4], before[4]; /* the number of digits; the number of digits before the last eight */
    uint64_t low[4], high[4];
    uint64_t slot[4]; /* of a Redis Cluster, for keys with a tag */
} __attribute__((aligned(32)));

/* Returns digits + 1 where n is at least a power of ten, else digits. */
INLINE lanes reached(lanes digits, lanes n, int64_t power)
{
    return _mm256_sub_epi64(digits, _mm256_cmpgt_epi64(n, _mm256_set1_epi64x(power - 1)));
}

/* Make the text of four numbers below 2^31; `small`: below 10^8. */
INLINE void texts_make(struct texts *t, lanes n, int small)
{
    const lanes eight = _mm256_set1_epi64x(8), nothing = _mm256_setzero_si256();
    lanes digits = _mm256_set1_epi64x(1), rest = n;
    digits = reached(reached(reached(reached(digits, n, 10), n, 100), n, 1000), n, 10000);
    digits = reached(reached(reached(digits, n, 100000), n, 1000000), n, 10000000);
    if (!small) digits = reached(reached(digits, n, 100000000), n, 1000000000);
    lanes unused = _mm256_sub_epi64(eight, digits);
    if (!small) {
        lanes over = _mm256_srli_epi64(_mm256_mul_epu32(n, _mm256_set1_epi64x(1441151881)), 57); /* divided by 10^8 */
        lanes longer = _mm256_cmpgt_epi64(digits, eight), before = _mm256_and_si256(longer, _mm256_sub_epi64(nothing, unused));
        rest = _mm256_sub_epi64(n, _mm256_mul_epu32(over, _mm256_set1_epi64x(100000000)));
        unused = _mm256_andnot_si256(longer, unused);
        _mm256_store_si256((lanes *)(void *)t->before, before);
        _mm256_store_si256((lanes *)(void *)t->high, _mm256_srlv_epi64(text8(over), _mm256_slli_epi64(_mm256_sub_epi64(eight, before), 3)));
    }
    _mm256_store_si256((lanes *)(void *)t->digits, digits);
    _mm256_store_si256((lanes *)(void *)t->low, _mm256_srlv_epi64(text8(rest), _mm256_slli_epi64(unused, 3)));
}

/* The slots of four numbers below 2^32, as in slots_put: the remainders by multiplication, in parts of 32 bits. */
INLINE void slots_make(struct texts *t, const struct slots_tags *s, lanes n)
{
    const lanes inverse = _mm256_set1_epi64x((long long)s->inverse), count = _mm256_set1_epi64x((long long)s->count);
    lanes part = _mm256_add_epi64(_mm256_mul_epu32(n, inverse), _mm256_slli_epi64(_mm256_mul_epu32(n, _mm256_srli_epi64(inverse, 32)), 32));
    lanes low = _mm256_srli_epi64(_mm256_mul_epu32(part, count), 32), high = _mm256_mul_epu32(_mm256_srli_epi64(part, 32), count);
    lanes at = _mm256_srli_epi64(_mm256_add_epi64(high, low), 32);
    _mm256_store_si256((lanes *)(void *)t->slot, _mm256_add_epi64(at, _mm256_set1_epi64x(s->slot ? 0 : s->first)));
    for (int i = 0; s->slot && i < 4; i++) t->slot[i] = s->slot[t->slot[i]];
}

INLINE void copy32(char *out, const char *from)
{
    _mm256_storeu_si256((lanes *)(void *)out, _mm256_loadu_si256((const lanes *)(const void *)from));
}

/* The common parts of a run's commands. They are local, so that the compiler knows that the written bytes do not alias them. */
struct shape {
    const struct command_head *heads;
    const struct slots_tags *tags;
    const char *tail; /* of a SET */
    uint32_t tail_len;
};

/* What is known of the commands when this is compiled. */
enum form {
    FORM_ANY,
    FORM_TAGGED, /* the command ends after its key, which has a tag */
    FORM_PLAIN,  /* it ends after its key, which has none */
};

/* Write the i-th of four commands at out. Returns its end. */
INLINE char *command_put(const struct shape *s, const struct texts *t, int i, int small, enum form form, char *out)
{
    const struct command_head *h = &s->heads[t->digits[i]];
    const uint32_t size = h->size;
    copy32(out, h->text);
    if (__builtin_expect(size > 32, 0)) memcpy(out + 32, h->text + 32, size - 32);
    if (form == FORM_TAGGED || (form == FORM_ANY && s->tags)) slots_tag(t->slot[i], out + size - SLOTS_TAG);
    out += size;
    if (!small) memcpy(out, &t->high[i], 8);
    memcpy(small ? out : out + t->before[i], &t->low[i], 8);
    out += t->digits[i];
    if (form != FORM_ANY || !s->tail) {
        memcpy(out, "\r\n", 2);
        return out + 2;
    }
    if (s->tail_len > 256)
        memcpy(out, s->tail, s->tail_len);
    else
        for (uint32_t n = 0; n < s->tail_len; n += 32) copy32(out + n, s->tail + n);
    return out + s->tail_len;
}

/* Write four commands. Returns their end. */
INLINE char *four_put(const struct shape *s, lanes four, int small, enum form form, char *out)
{
    struct texts t;
    texts_make(&t, four, small);
    if (form == FORM_TAGGED || (form == FORM_ANY && s->tags)) slots_make(&t, s->tags, four);
    out = command_put(s, &t, 0, small, form, out);
    out = command_put(s, &t, 1, small, form, out);
    out = command_put(s, &t, 2, small, form, out);
    return command_put(s, &t, 3, small, form, out);
}

/* The same, for keys of any number below 2^31. */
INLINE char *four_write(const struct shape *s, lanes four, enum form form, char *out)
{
    const lanes large = _mm256_cmpgt_epi64(four, _mm256_set1_epi64x(99999999));
    return _mm256_testz_si256(large, large) ? four_put(s, four, 1, form, out) : four_put(s, four, 0, form, out);
}

WIDE uint32_t wide_encode(const struct commands *c, unsigned command, const uint64_t *key, uint32_t n, char **out, const char *full)
{
    const struct shape s = {c->head[command], c->tags, command_kinds[command].carries ? c->tail : NULL, c->tail_len};
    const lanes keys = _mm256_set1_epi64x((long long)(OPTIONS_KEY_END - 1)), most = _mm256_set1_epi64x(INT32_MAX);
    const enum form form = s.tail ? FORM_ANY : s.tags ? FORM_TAGGED : FORM_PLAIN;
    char *at = *out;
    uint32_t i = 0;
    for (; i < n && (uint64_t)(full - at) >= 4 * c->largest; i += 4) {
        lanes four = _mm256_and_si256(keys, _mm256_loadu_si256((const lanes *)(const void *)(key + i)));
        if (!_mm256_testz_si256(_mm256_cmpgt_epi64(four, most), keys)) break;
        switch (form) {
        case FORM_PLAIN:
            at = four_write(&s, four, FORM_PLAIN, at);
            break;
        case FORM_TAGGED:
            at = four_write(&s, four, FORM_TAGGED, at);
            break;
        case FORM_ANY:
            at = four_write(&s, four, FORM_ANY, at);
            break;
        }
    }
    *out = at;
    return i;
}

#else

int wide_here(void)
{
    return 0;
}

uint32_t wide_draw(struct rng *r, uint64_t tag, uint64_t first, uint64_t count, uint64_t *out, uint32_t n)
{
    (void)r, (void)tag, (void)first, (void)count, (void)out, (void)n;
    return 0;
}

uint32_t wide_encode(const struct commands *c, unsigned command, const uint64_t *key, uint32_t n, char **out, const char *full)
{
    (void)c, (void)command, (void)key, (void)n, (void)out, (void)full;
    return 0;
}

#endif
