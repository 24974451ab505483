/* SPDX-License-Identifier: MIT */
/* Text to numbers with every check: no sign where none belongs, nothing before or after, nothing out of range. */
#ifndef LOADGEN_NUMBER_H
#define LOADGEN_NUMBER_H

#include <stddef.h>
#include <stdint.h>

/** Read the whole of text as a decimal number in [low, high]. Returns 0 and sets *out, or -1. */
int number_u64(const char *text, uint64_t low, uint64_t high, uint64_t *out);

/** Read the first n bytes of text likewise. Returns 0 and sets *out, or -1. */
int number_u64_n(const char *text, size_t n, uint64_t low, uint64_t high, uint64_t *out);

/** Read the whole of text as a finite decimal number in [low, high], a fraction allowed. Returns 0 and sets *out, or -1. */
int number_double(const char *text, double low, double high, double *out);

/** Write n in decimal at out, without a NUL. Returns the number of digits (at most 20). */
size_t number_write(char *out, uint64_t n);

/** Returns the number of decimal digits of n. */
static inline unsigned number_digits(uint64_t n)
{
    extern const uint64_t number_powers[20];
    unsigned guess = (64 - (unsigned)__builtin_clzll(n | 1)) * 1233 >> 12; /* 1233 / 4096 is close to log10(2) */
    return guess + (n >= number_powers[guess]);
}

/** Write n in exactly `digits` decimal digits at out. */
static inline void number_put(char *out, uint64_t n, unsigned digits)
{
    extern const char number_pairs[200];
    char *at = out + digits;
    while (digits >= 2) {
        uint64_t q = n / 100;
        __builtin_memcpy(at -= 2, number_pairs + (n - q * 100) * 2, 2);
        n = q;
        digits -= 2;
    }
    if (digits) at[-1] = (char)('0' + n);
}

#endif
