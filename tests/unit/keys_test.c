/* SPDX-License-Identifier: MIT */
/* Key patterns: every key exactly once, distributions by chi-square, the same keys by the same seed. */
#include "keys.h"
#include "unit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void each_key_exactly_once(void)
{
    static const uint64_t counts[] = {1, 2, 3, 5, 64, 65, 1000, 4097, 65536, 100003};
    static unsigned char hit[100003];
    for (int kind = KEYS_SEQUENTIAL; kind <= KEYS_SHUFFLE; kind++)
        for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
            for (uint64_t parts = 1; parts <= 7; parts += 3)
                for (int pass = 1; pass <= 2; pass++) {
                    struct keys_spec spec = {.kind = (enum keys_kind)kind, .first = 1000, .count = counts[i], .seed = 5};
                    uint64_t twice = 0, outside = 0, all = 0;
                    memset(hit, 0, sizeof hit);
                    for (uint64_t part = 0; part < parts; part++) {
                        struct keys k;
                        uint64_t share = keys_share(counts[i], part, parts);
                        keys_init(&k, &spec, part, parts, part);
                        for (uint64_t n = 0; n < share * (uint64_t)(pass - 1); n++) keys_next(&k);
                        for (uint64_t n = 0; n < share; n++, all++) {
                            uint64_t key = keys_next(&k) - 1000;
                            if (key >= counts[i])
                                outside++;
                            else if (hit[key]++)
                                twice++;
                        }
                    }
                    CHECK_SAME(outside, 0);
                    CHECK_SAME(twice, 0);
                    CHECK_SAME(all, counts[i]);
                }
}

static void shuffled_keys_are_in_no_order(void)
{
    enum { N = 100000 };
    struct keys_spec spec = {.kind = KEYS_SHUFFLE, .count = N, .seed = 3};
    struct keys k;
    uint64_t up = 0, near = 0, before = 0;
    keys_init(&k, &spec, 0, 1, 0);
    for (int i = 0; i < N; i++) {
        uint64_t key = keys_next(&k);
        up += key > before;
        near += llabs((long long)key - (long long)before) < 100;
        before = key;
    }
    CHECK_WITHIN(up, N * 0.49, N * 0.51);
    CHECK_WITHIN(near, 100, 300); /* 200 expected */
}

/* Chi-square of counts against expected probabilities, keys of few expected hits taken together. Returns how many standard deviations it is
 * above its mean. */
static double chi_square(const uint64_t *count, const double *probability, uint64_t n, double draws)
{
    double sum = 0, pool_e = 0, pool_o = 0;
    int bins = 0;
    for (uint64_t i = 0; i < n; i++) {
        pool_e += probability[i] * draws;
        pool_o += (double)count[i];
        if (pool_e < 20 && i + 1 < n) continue;
        sum += (pool_o - pool_e) * (pool_o - pool_e) / pool_e;
        bins++;
        pool_e = pool_o = 0;
    }
    return (sum - (bins - 1)) / sqrt(2.0 * (bins - 1));
}

static double draw(const struct keys_spec *spec, const double *probability, uint64_t draws)
{
    struct keys k;
    uint64_t *count = calloc(spec->count, sizeof *count);
    keys_init(&k, spec, 0, 1, 9);
    for (uint64_t i = 0; count && i < draws; i++) {
        uint64_t key = keys_next(&k);
        CHECK(key < spec->count);
        if (key < spec->count) count[key]++;
    }
    double off = count ? chi_square(count, probability, spec->count, (double)draws) : 99;
    free(count);
    return off;
}

static void zipf_is_zipf(void)
{
    enum { N = 1000, DRAWS = 400000 };
    static const double thetas[] = {0.2, 0.5, 0.99, 1.0, 1.2, 1.9};
    double probability[N];
    for (size_t t = 0; t < sizeof thetas / sizeof *thetas; t++) {
        struct keys_spec spec = {.kind = KEYS_ZIPF, .count = N, .theta = thetas[t], .seed = 11};
        double all = 0;
        for (int i = 0; i < N; i++) all += probability[i] = pow(i + 1, -thetas[t]);
        for (int i = 0; i < N; i++) probability[i] /= all;
        CHECK_WITHIN(draw(&spec, probability, DRAWS), -4, 4);
    }
}

static void uniform_and_gaussian_are_so(void)
{
    enum { N = 1000, DRAWS = 400000 };
    double probability[N], all = 0;
    struct keys_spec uniform = {.kind = KEYS_UNIFORM, .count = N, .seed = 12}, gaussian = {.kind = KEYS_GAUSSIAN, .count = N, .sd = 80, .seed = 13};
    for (int i = 0; i < N; i++) probability[i] = 1.0 / N;
    CHECK_WITHIN(draw(&uniform, probability, DRAWS), -4, 4);
    for (int sd = 80; sd <= 400; sd += 320) { /* the second is cut off at both ends */
        gaussian.sd = sd;
        all = 0;
        for (int i = 0; i < N; i++) all += probability[i] = erf((i - 499.0) / (sd * sqrt(2))) - erf((i - 500.0) / (sd * sqrt(2)));
        for (int i = 0; i < N; i++) probability[i] /= all;
        CHECK_WITHIN(draw(&gaussian, probability, DRAWS), -4, 4);
    }
}

static void large_ranges_work(void)
{
    struct keys_spec spec = {.count = UINT64_C(1) << 60, .theta = 0.99, .seed = 1};
    for (int kind = KEYS_SEQUENTIAL; kind <= KEYS_ZIPF; kind++) {
        struct keys k;
        spec.kind = (enum keys_kind)kind;
        keys_init(&k, &spec, 0, 1, 0);
        for (int i = 0; i < 10000; i++) CHECK(keys_next(&k) < spec.count);
    }
    spec.count = 1;
    for (int kind = KEYS_SEQUENTIAL; kind <= KEYS_ZIPF; kind++) {
        struct keys k;
        spec.kind = (enum keys_kind)kind;
        keys_init(&k, &spec, 0, 1, 0);
        for (int i = 0; i < 100; i++) CHECK_SAME(keys_next(&k), 0);
    }
}

static void seeds_decide(void)
{
    struct keys_spec spec = {.count = 1000000, .theta = 0.99, .seed = 42};
    for (int kind = KEYS_SHUFFLE; kind <= KEYS_ZIPF; kind++) {
        struct keys a, b, other_seed, other_stream;
        struct keys_spec other = spec;
        int same = 0, stream = 0;
        spec.kind = other.kind = (enum keys_kind)kind;
        other.seed = 43;
        keys_init(&a, &spec, 0, 1, 1);
        keys_init(&b, &spec, 0, 1, 1);
        keys_init(&other_seed, &other, 0, 1, 1);
        keys_init(&other_stream, &spec, 0, 1, 2);
        for (int i = 0; i < 1000; i++) {
            uint64_t key = keys_next(&a);
            CHECK_SAME(keys_next(&b), key);
            same += keys_next(&other_seed) == key;
            stream += keys_next(&other_stream) == key;
        }
        CHECK(same < 100);
        if (kind != KEYS_SHUFFLE) CHECK(stream < 100);
    }
}

int main(void)
{
    TEST("sequential and shuffle take each key exactly once, in any number of parts and passes", each_key_exactly_once);
    TEST("shuffled keys are in no order", shuffled_keys_are_in_no_order);
    TEST("zipf passes chi-square for theta 0.2 to 1.9", zipf_is_zipf);
    TEST("uniform and gaussian pass chi-square", uniform_and_gaussian_are_so);
    TEST("ranges of one key and of 2^60", large_ranges_work);
    TEST("one seed gives the same keys, another others", seeds_decide);
    return UNIT_END;
}
