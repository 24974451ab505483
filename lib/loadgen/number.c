/* SPDX-License-Identifier: MIT */
/* Text to numbers and back: see number.h. */
#include "number.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* 10^i, but 0 for i = 0: zero has one digit too. */
const uint64_t number_powers[20] = {0,
                                    UINT64_C(10),
                                    UINT64_C(100),
                                    UINT64_C(1000),
                                    UINT64_C(10000),
                                    UINT64_C(100000),
                                    UINT64_C(1000000),
                                    UINT64_C(10000000),
                                    UINT64_C(100000000),
                                    UINT64_C(1000000000),
                                    UINT64_C(10000000000),
                                    UINT64_C(100000000000),
                                    UINT64_C(1000000000000),
                                    UINT64_C(10000000000000),
                                    UINT64_C(100000000000000),
                                    UINT64_C(1000000000000000),
                                    UINT64_C(10000000000000000),
                                    UINT64_C(100000000000000000),
                                    UINT64_C(1000000000000000000),
                                    UINT64_C(10000000000000000000)};

/* For numbers with the highest bit i: digits << 32, and 10^digits less where a longer one begins among them. */
const uint64_t number_steps[32] = {UINT64_C(0x100000000), UINT64_C(0x100000000), UINT64_C(0x100000000), UINT64_C(0x1fffffff6), UINT64_C(0x200000000),
                                   UINT64_C(0x200000000), UINT64_C(0x2ffffff9c), UINT64_C(0x300000000), UINT64_C(0x300000000), UINT64_C(0x3fffffc18),
                                   UINT64_C(0x400000000), UINT64_C(0x400000000), UINT64_C(0x400000000), UINT64_C(0x4ffffd8f0), UINT64_C(0x500000000),
                                   UINT64_C(0x500000000), UINT64_C(0x5fffe7960), UINT64_C(0x600000000), UINT64_C(0x600000000), UINT64_C(0x6fff0bdc0),
                                   UINT64_C(0x700000000), UINT64_C(0x700000000), UINT64_C(0x700000000), UINT64_C(0x7ff676980), UINT64_C(0x800000000),
                                   UINT64_C(0x800000000), UINT64_C(0x8fa0a1f00), UINT64_C(0x900000000), UINT64_C(0x900000000), UINT64_C(0x9c4653600),
                                   UINT64_C(0xa00000000), UINT64_C(0xa00000000)};

int number_u64_n(const char *text, size_t n, uint64_t low, uint64_t high, uint64_t *out)
{
    char copy[24], *end;
    if (!n || n >= sizeof copy || strspn(text, "0123456789") < n) return -1;
    memcpy(copy, text, n);
    copy[n] = 0;
    errno = 0;
    unsigned long long value = strtoull(copy, &end, 10);
    if (errno || *end || value < low || value > high) return -1;
    *out = value;
    return 0;
}

int number_u64(const char *text, uint64_t low, uint64_t high, uint64_t *out)
{
    return number_u64_n(text, strlen(text), low, high, out);
}

/* Take an amount apart: digits with at most one point among them, e and an exponent, k, M or G. Returns where the parts are, or -1. */
struct amount {
    size_t whole, fraction; /* digits before and after the point */
    int exponent;
};

static int amount_parts(const char *text, size_t n, struct amount *a)
{
    static const char digits[] = "0123456789", letters[] = "kMG";
    char copy[64], *at = copy;
    uint64_t exponent = 0;
    if (n >= sizeof copy) return -1;
    memcpy(copy, text, n);
    copy[n] = 0;
    a->whole = strspn(at, digits);
    at += a->whole;
    a->fraction = *at == '.' ? strspn(at + 1, digits) : 0;
    if (*at == '.') at += 1 + a->fraction;
    if (!a->whole && !a->fraction) return -1;
    if (*at == 'e') {
        size_t m = strspn(at + 1, digits);
        if (number_u64_n(at + 1, m, 0, 300, &exponent)) return -1;
        at += 1 + m;
    }
    const char *letter = *at ? strchr(letters, *at) : NULL;
    if (letter) at++;
    a->exponent = (int)exponent + (letter ? 3 * (int)(letter - letters + 1) : 0);
    return *at ? -1 : 0;
}

int number_amount_n(const char *text, size_t n, uint64_t low, uint64_t high, uint64_t *out)
{
    struct amount a;
    unsigned __int128 value = 0;
    if (amount_parts(text, n, &a)) return -1;
    size_t length = a.whole + a.fraction + (a.fraction > 0);
    for (size_t i = 0; i < length; i++) {
        if (text[i] == '.') continue;
        value = value * 10 + (unsigned)(text[i] - '0');
        if (value > UINT64_MAX) return -1;
    }
    int exponent = a.exponent - (int)a.fraction;
    for (; exponent > 0 && value; exponent--) {
        value *= 10;
        if (value > UINT64_MAX) return -1;
    }
    for (; exponent < 0; exponent++, value /= 10)
        if (value % 10) return -1;
    if (value < low || value > high) return -1;
    *out = (uint64_t)value;
    return 0;
}

int number_amount(const char *text, uint64_t low, uint64_t high, uint64_t *out)
{
    return number_amount_n(text, strlen(text), low, high, out);
}

int number_double(const char *text, double low, double high, double *out)
{
    struct amount a;
    char copy[96];
    size_t n = strlen(text);
    if (amount_parts(text, n, &a)) return -1;
    snprintf(copy, sizeof copy, "%.*se%d", (int)strcspn(text, "ekMG"), text, a.exponent);
    errno = 0;
    double value = strtod(copy, NULL);
    if (errno || !isfinite(value) || value < low || value > high) return -1;
    *out = value;
    return 0;
}

int number_seconds(const char *text, double low, double high, double *out)
{
    static const struct {
        const char *name;
        double times, parts;
    } units[] = {{"ms", 1, 1000}, {"s", 1, 1}, {"m", 60, 1}, {"h", 3600, 1}};
    char copy[64];
    double value;
    size_t n = strlen(text);
    for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
        size_t digits = n - strlen(units[i].name);
        /* a digit or a point before the unit: 1ks is not a time */
        if (digits == 0 || digits >= sizeof copy || strcmp(text + digits, units[i].name) != 0 || !strchr("0123456789.", text[digits - 1])) continue;
        memcpy(copy, text, digits);
        copy[digits] = 0;
        if (number_double(copy, 0, 1e18, &value)) return -1;
        value = value * units[i].times / units[i].parts;
        if (value < low || value > high) return -1;
        *out = value;
        return 0;
    }
    return number_double(text, low, high, out);
}

void number_put_long(char *out, uint64_t n, unsigned digits)
{
    uint64_t text = number_text8(n % 100000000);
    number_put(out, n / 100000000, digits - 8); /* first, because it may overwrite the following bytes */
    memcpy(out + digits - 8, &text, 8);
}

size_t number_write(char *out, uint64_t n)
{
    unsigned digits = number_digits(n);
    number_put(out, n, digits);
    return digits;
}
