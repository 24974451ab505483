/* SPDX-License-Identifier: MIT */
/* Values: content by key, identical pieces, sizes by weight and by distribution. */
#include "unit.h"
#include "values.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

static struct values_spec spec_of(enum values_kind kind, uint64_t size, double ratio)
{
    struct values_spec spec = {.kind = kind, .ratio = ratio, .seed = 1};
    sizes_one(&spec.sizes, size);
    return spec;
}

static void any_piece_is_the_same(void)
{
    for (int kind = VALUES_PATTERN; kind <= VALUES_COMPRESSIBLE; kind++) {
        enum { SIZE = 150001 };
        static char whole[SIZE], piece[SIZE];
        struct values v;
        struct values_spec spec = spec_of((enum values_kind)kind, SIZE, 3);
        CHECK_SAME(values_init(&v, &spec), 0);
        if (unit_bad) return;
        values_fill(&v, 77, 6379, 0, whole, SIZE);
        for (size_t at = 0, n = 1; at < SIZE; at += n, n = n * 3 % 4099 + 1) {
            if (n > SIZE - at) n = SIZE - at;
            values_fill(&v, 77, 6379, at, piece, n);
            CHECK(!memcmp(piece, whole + at, n));
            CHECK(values_check(&v, 77, 6379, at, whole + at, n));
            piece[n / 2] ^= 1;
            CHECK(!values_check(&v, 77, 6379, at, piece, n));
        }
        if (kind != VALUES_PATTERN) {
            CHECK(!values_check(&v, 78, 6379, 0, whole, SIZE));
            CHECK(!values_check(&v, 77, 6380, 0, whole, SIZE));
            CHECK(!values_check(&v, 77, 6379, 0, whole + 1, 64));
        }
        values_free(&v);
    }
}

/* The size of many values divided by their deflated size, all in one stream. */
static double ratio_of(const struct values *v, uint64_t size)
{
    uint64_t n = 2000000 / size + 1;
    uLongf packed = compressBound(n * size);
    unsigned char *in = malloc(n * size), *out = malloc(packed);
    for (uint64_t key = 0; key < n; key++) values_fill(v, key, 1, 0, (char *)in + key * size, size);
    CHECK_SAME(compress2(out, &packed, in, n * size, 6), Z_OK);
    free(in);
    free(out);
    return (double)(n * size) / (double)packed;
}

static void random_does_not_compress(void)
{
    static const uint64_t sizes[] = {64, 1000, 100000, 1000000};
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        struct values v;
        struct values_spec spec = spec_of(VALUES_RANDOM, sizes[s], 0);
        CHECK_SAME(values_init(&v, &spec), 0);
        if (unit_bad) return;
        CHECK_WITHIN(ratio_of(&v, sizes[s]), 0.99, 1.001);
        values_free(&v);
    }
}

static void sizes_follow_their_weights(void)
{
    struct values v;
    struct values_spec spec = {.kind = VALUES_PATTERN, .seed = 4};
    uint64_t small = 0, middle = 0, large = 0, N = 100000;
    double sum = 0;
    CHECK_SAME(sizes_parse(&spec.sizes, "100:70,1k:25,2000-4000:5"), 0);
    CHECK_SAME(values_init(&v, &spec), 0);
    if (unit_bad) return;
    for (uint64_t key = 0; key < N; key++) {
        uint64_t n = values_length(&v, key);
        CHECK_SAME(n, values_length(&v, key));
        small += n == 100;
        middle += n == 1000;
        large += n >= 2000 && n <= 4000;
        sum += (double)n;
    }
    CHECK_SAME(small + middle + large, N);
    CHECK_WITHIN(small, 69000, 71000);
    CHECK_WITHIN(middle, 24300, 25700);
    CHECK_WITHIN(sum / (double)N / spec.sizes.mean, 0.98, 1.02);
    values_free(&v);
}

/* Chi-square against the exact probability of each size; the mean is compared with the closed form. */
static void sizes_have_their_distributions(void)
{
    static const struct {
        const char *text;
        double mean;
    } shapes[] = {{"lognormal:200:100", 200},
                  {"lognormal:50:200", 50},
                  {"pareto:100:2.5", 100 * 2.5 / 1.5},
                  {"gpareto:15:200:0", 215},
                  {"gpareto:0:214.476:0.348238", 214.476 / (1 - 0.348238)},
                  {"etc", 214.476 / (1 - 0.348238)}};
    enum { DRAWS = 400000 };
    static uint64_t count[SIZES_TAIL_MAX + 1];
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        struct sizes s;
        struct rng rng;
        double sum = 0, expected = 0, observed = 0;
        int bins = 0;
        CHECK_SAME(sizes_parse(&s, shapes[i].text), 0);
        CHECK_WITHIN(s.mean / shapes[i].mean, 0.99, 1.01);
        memset(count, 0, sizeof count);
        rng_seed(&rng, 31, i);
        for (int j = 0; j < DRAWS; j++) count[sizes_draw(&s, &rng)]++;
        CHECK_SAME(count[0], 0);
        for (uint64_t size = 1; size <= SIZES_TAIL_MAX; size++) {
            double above = size == SIZES_TAIL_MAX ? 0 : sizes_above(&s, (double)size + 0.5),
                   below = size == 1 ? 1 : sizes_above(&s, (double)size - 0.5);
            expected += (below - above) * DRAWS;
            observed += (double)count[size];
            if (expected < 50 && size < SIZES_TAIL_MAX) continue;
            if (expected > 1) sum += (observed - expected) * (observed - expected) / expected, bins++;
            expected = observed = 0;
        }
        CHECK_WITHIN((sum - (bins - 1)) / sqrt(2.0 * (bins - 1)), -4, 4);
    }
    /* The probabilities themselves, compared with the definitions. */
    struct sizes s;
    CHECK_SAME(sizes_parse(&s, "gpareto:10:200:0.5"), 0);
    CHECK_WITHIN(sizes_above(&s, 410), 0.25 - 1e-9, 0.25 + 1e-9); /* (1 + 0.5 * 400 / 200)^-2 */
    CHECK_SAME(sizes_parse(&s, "pareto:100:2"), 0);
    CHECK_WITHIN(sizes_above(&s, 1000), 0.01 - 1e-9, 0.01 + 1e-9);
    CHECK_SAME(sizes_parse(&s, "lognormal:100:100"), 0);
    CHECK_WITHIN(sizes_above(&s, 100 / sqrt(2)), 0.5 - 1e-9, 0.5 + 1e-9); /* the median: mean / sqrt(1 + sd^2 / mean^2) */
}

int main(void)
{
    TEST("any piece of a value is the same, and a changed byte is found", any_piece_is_the_same);
    TEST("random content does not compress", random_does_not_compress);
    TEST("sizes follow their weights", sizes_follow_their_weights);
    TEST("sizes pass chi-square for each distribution", sizes_have_their_distributions);
    return UNIT_END;
}
