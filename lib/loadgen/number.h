/* SPDX-License-Identifier: MIT */
/* Text to numbers with every check: no sign where none is allowed, nothing before or after, nothing out of range. */
#ifndef LOADGEN_NUMBER_H
#define LOADGEN_NUMBER_H

#include <stddef.h>
#include <stdint.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

/** Read the whole of text as a decimal number in [low, high]. Returns 0 and sets *out, or -1. */
int number_u64(const char *text, uint64_t low, uint64_t high, uint64_t *out);

/** Read the first n bytes of text in the same way. Returns 0 and sets *out, or -1. */
int number_u64_n(const char *text, size_t n, uint64_t low, uint64_t high, uint64_t *out);

/** Read the first n bytes of text as a whole amount in [low, high]: 100000, 1e5, 100k, 0.1M (k, M, G: thousand, million, thousand million).
 *  Returns 0 and sets *out, or -1. */
int number_amount_n(const char *text, size_t n, uint64_t low, uint64_t high, uint64_t *out);

/** Read the whole of text in the same way. Returns 0 and sets *out, or -1. */
int number_amount(const char *text, uint64_t low, uint64_t high, uint64_t *out);

/** Read the whole of text as a finite amount in [low, high], a fraction allowed: 0.5, 1e6, 100k. Returns 0 and sets *out, or -1. */
int number_double(const char *text, double low, double high, double *out);

/** Read the whole of text as a time in [low, high] seconds: 0.5, 1e3, 500ms, 30s, 5m, 2h. Returns 0 and sets *out, or -1. */
int number_seconds(const char *text, double low, double high, double *out);

/** Write n in decimal at out, without a NUL, as number_put does. Returns the number of digits (at most 20). */
size_t number_write(char *out, uint64_t n);

/** Returns the number of decimal digits of n. */
static inline unsigned number_digits(uint64_t n)
{
    extern const uint64_t number_powers[20], number_steps[32];
    if (__builtin_expect(n < UINT64_C(1) << 32, 1)) /* the carry of a sum says whether n reaches the power of ten in its octave; Lemire 2021 */
        return (unsigned)((n + number_steps[63 - __builtin_clzll(n | 1)]) >> 32);
    unsigned guess = (64 - (unsigned)__builtin_clzll(n | 1)) * 1233 >> 12; /* 1233 / 4096 is close to log10(2) */
    return guess + (n >= number_powers[guess]);
}

/** Returns the eight decimal digits of n < 10^8 as text, the first one in the lowest byte: all at once in one word. */
static inline uint64_t number_text8_word(uint64_t n)
{
    uint64_t high = n / 10000, x = high | (n - high * 10000) << 32; /* two numbers of four digits */
    uint64_t t = (x * 10486) >> 20 & UINT64_C(0x7f0000007f);        /* each divided by 100 */
    x = t | (x - t * 100) << 16;                                    /* four numbers of two digits */
    t = (x * 103) >> 10 & UINT64_C(0x000f000f000f000f);             /* each divided by 10 */
    return (t | (x - t * 10) << 8) | UINT64_C(0x3030303030303030);
}

/** As number_text8_word, in half its time where a CPU of the kind always has these registers. */
static inline uint64_t number_text8(uint64_t n)
{
#ifdef __SSE2__
    const uint32_t high = (uint32_t)(n / 10000), low = (uint32_t)n - high * 10000;
    const __m128i divide = _mm_setr_epi16(8389, 5243, 13108, INT16_MIN, 8389, 5243, 13108, INT16_MIN);              /* by 1000, 100, 10 and 1, */
    const __m128i shift = _mm_setr_epi16(1 << 7, 1 << 11, 1 << 13, INT16_MIN, 1 << 7, 1 << 11, 1 << 13, INT16_MIN); /* times powers of two */
    __m128i x = _mm_slli_epi16(_mm_cvtsi32_si128((int)(high | low << 16)), 2);
    x = _mm_unpacklo_epi16(x, x);
    x = _mm_unpacklo_epi32(x, x);                                                     /* high four times, low four times */
    x = _mm_mulhi_epu16(_mm_mulhi_epu16(x, divide), shift);                           /* 1, 12, 123, 1234, and 5, 56, 567, 5678 */
    x = _mm_sub_epi16(x, _mm_slli_epi64(_mm_mullo_epi16(x, _mm_set1_epi16(10)), 16)); /* each less ten times the one before it */
    x = _mm_add_epi8(_mm_packus_epi16(x, x), _mm_set1_epi8('0'));
    return (uint64_t)_mm_cvtsi128_si64(x);
#else
    return number_text8_word(n);
#endif
}

/** number_put for more than 8 digits. */
void number_put_long(char *out, uint64_t n, unsigned digits);

/** Write n in exactly `digits` decimal digits at out, which must have room for 8 bytes even when there are fewer digits. */
static inline void number_put(char *out, uint64_t n, unsigned digits)
{
    if (__builtin_expect(digits > 8, 0)) {
        number_put_long(out, n, digits);
        return;
    }
    uint64_t text = number_text8(n) >> (64 - 8 * digits); /* little endian, as is every CPU this is built for */
    __builtin_memcpy(out, &text, 8);
}

#endif
