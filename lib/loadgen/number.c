/* SPDX-License-Identifier: MIT */
/* Text to numbers and back: see number.h. */
#include "number.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

const char number_pairs[200] __attribute__((nonstring)) = "00010203040506070809101112131415161718192021222324252627282930313233343536373839"
                                                          "40414243444546474849505152535455565758596061626364656667686970717273747576777879"
                                                          "8081828384858687888990919293949596979899";

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

int number_double(const char *text, double low, double high, double *out)
{
    char *end;
    size_t n = strlen(text);
    if (!n || strspn(text, "0123456789.") != n || strspn(text, ".") == n) return -1;
    errno = 0;
    double value = strtod(text, &end);
    if (errno || *end || !isfinite(value) || value < low || value > high) return -1;
    *out = value;
    return 0;
}

size_t number_write(char *out, uint64_t n)
{
    unsigned digits = number_digits(n);
    number_put(out, n, digits);
    return digits;
}
