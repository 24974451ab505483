/* SPDX-License-Identifier: MIT */
/* The least a unit test needs: named tests that print `ok` or `not ok`, and checks that say what they found. */
#ifndef UNIT_H
#define UNIT_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

/* The room for the name of a temporary file or directory. */
#define UNIT_PATH 256

static int unit_number, unit_failed, unit_bad;

/* Check a condition; on failure print it with its place and continue. */
#define CHECK(condition)                                             \
    do {                                                             \
        if (!(condition)) {                                          \
            printf("# %s:%d: %s\n", __FILE__, __LINE__, #condition); \
            unit_bad = 1;                                            \
        }                                                            \
    } while (0)

/* Check that two whole numbers are the same; on failure print both. */
#define CHECK_SAME(a, b)                                                                              \
    do {                                                                                              \
        intmax_t unit_a = (intmax_t)(a), unit_b = (intmax_t)(b);                                      \
        if (unit_a != unit_b) {                                                                       \
            printf("# %s:%d: %s is %jd, not %jd (%s)\n", __FILE__, __LINE__, #a, unit_a, unit_b, #b); \
            unit_bad = 1;                                                                             \
        }                                                                                             \
    } while (0)

/* Check that a lies in [low, high]; on failure print it. */
#define CHECK_WITHIN(a, low, high)                                                                                 \
    do {                                                                                                           \
        double unit_a = (double)(a), unit_low = (double)(low), unit_high = (double)(high);                         \
        if (!(unit_a >= unit_low && unit_a <= unit_high)) {                                                        \
            printf("# %s:%d: %s is %g, not within %g..%g\n", __FILE__, __LINE__, #a, unit_a, unit_low, unit_high); \
            unit_bad = 1;                                                                                          \
        }                                                                                                          \
    } while (0)

/* Write a template for mkstemp or mkdtemp to path, of UNIT_PATH bytes: NAME.XXXXXX in TMPDIR, where tests/run.sh finds what is left, or in /tmp. */
static inline void unit_template(char *path, const char *name)
{
    const char *in = getenv("TMPDIR");
    snprintf(path, UNIT_PATH, "%s/%s.XXXXXX", in && *in ? in : "/tmp", name);
}

/* Run one test and print its line. */
#define TEST(title, function)                                                   \
    do {                                                                        \
        unit_bad = 0;                                                           \
        function();                                                             \
        unit_failed |= unit_bad;                                                \
        printf("%sok %d - %s\n", unit_bad ? "not " : "", ++unit_number, title); \
    } while (0)

/* Print the plan and return the exit status: the last line of main. */
#define UNIT_END (printf("1..%d\n", unit_number), unit_failed)

#endif
