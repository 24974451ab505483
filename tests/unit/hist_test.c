/* SPDX-License-Identifier: MIT */
/* Histograms: bounds of slots, percentiles compared with sorted samples, merging, and samples out of range. */
#include "hist.h"
#include "output.h"
#include "rng.h"
#include "unit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void slots_hold_their_values(void)
{
    struct hist h;
    CHECK_SAME(hist_init(&h, 3), 0);
    if (unit_bad) return;
    CHECK_SAME(h.slots, 33792);
    CHECK(h.slots * sizeof *h.count < 300000);
    for (uint32_t i = 0; i + 1 < h.slots; i++) CHECK_SAME(hist_highest(&h, i) + 1, hist_lowest(&h, i + 1));
    for (uint64_t us = 0; us <= HIST_MAX; us += 1 + us / 777) {
        uint32_t i = hist_index(&h, us);
        CHECK(hist_lowest(&h, i) <= us && us <= hist_highest(&h, i));
        CHECK((hist_highest(&h, i) - hist_lowest(&h, i)) * 1000 <= us);
    }
    CHECK(hist_index(&h, HIST_MAX) < h.slots);
    hist_free(&h);
}

static int by_value(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

static void percentiles_are_those_of_the_samples(void)
{
    enum { N = 100000 };
    static uint64_t sample[N];
    static const double wanted[] = {0, 1, 50, 90, 99, 99.9, 99.99, 100};
    struct hist h;
    struct rng rng;
    CHECK_SAME(hist_init(&h, 3), 0);
    if (unit_bad) return;
    rng_seed(&rng, 7, 0);
    for (int i = 0; i < N; i++) {
        sample[i] = rng_next(&rng) >> (34 + rng_below(&rng, 24));
        hist_record(&h, sample[i], 1);
    }
    qsort(sample, N, sizeof *sample, by_value);
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
        size_t rank = (size_t)(wanted[i] / 100 * N + 0.9999999);
        uint64_t truth = sample[rank ? rank - 1 : 0];
        CHECK_WITHIN(hist_percentile(&h, wanted[i]), truth, (double)truth * 1.001 + 1);
    }
    CHECK_SAME(h.max, sample[N - 1]);
    CHECK_SAME(h.min, sample[0]);
    CHECK_SAME(hist_percentile(&h, 100), h.max);
    hist_free(&h);
}

static void merging_adds_and_clearing_empties(void)
{
    struct hist a, b, both;
    CHECK(!hist_init(&a, 3) && !hist_init(&b, 3) && !hist_init(&both, 3));
    if (unit_bad) return;
    for (uint64_t i = 1; i < 5000; i++) {
        hist_record(i % 3 ? &a : &b, i * i, i);
        hist_record(&both, i * i, i);
    }
    hist_merge(&a, &b);
    CHECK_SAME(a.total, both.total);
    CHECK_SAME(a.sum, both.sum);
    CHECK(!memcmp(a.count, both.count, a.slots * sizeof *a.count));
    hist_clear(&a);
    for (uint32_t i = 0; i < a.slots; i++) CHECK_SAME(a.count[i], 0);
    CHECK_SAME(a.total, 0);
    CHECK_SAME(hist_percentile(&a, 50), 0);
    hist_free(&a);
    hist_free(&b);
    hist_free(&both);
}

static void samples_over_an_hour_are_counted(void)
{
    struct hist h;
    CHECK_SAME(hist_init(&h, 3), 0);
    if (unit_bad) return;
    hist_record(&h, 10, 98);
    hist_record(&h, HIST_MAX, 1);
    hist_record(&h, HIST_MAX + 1, 1);
    CHECK_SAME(h.total, 99);
    CHECK_SAME(h.over, 1);
    CHECK_SAME(h.max, HIST_MAX + 1);
    CHECK_SAME(hist_percentile(&h, 100), HIST_MAX + 1);
    CHECK_SAME(hist_percentile(&h, 98), 10);
    char *text = NULL;
    size_t size = 0;
    FILE *f = open_memstream(&text, &size);
    output_histogram(f, &h);
    fclose(f);
    CHECK(!strcmp(text, "us\tcount\tpercent\n0.010\t98\t98.000\n3601330077.695\t1\t99.000\n3600000000.001\t1\t100.000\n"));
    free(text);
    hist_clear(&h);
    hist_record(&h, HIST_MAX, 10000000); /* a sum of more than 64 bits */
    CHECK(fabs(hist_mean(&h) - (double)HIST_MAX) < 1e-3);
    hist_free(&h);
}

int main(void)
{
    TEST("slots hold their values, to one part in a thousand", slots_hold_their_values);
    TEST("percentiles are those of the sorted samples", percentiles_are_those_of_the_samples);
    TEST("merging adds, clearing empties", merging_adds_and_clearing_empties);
    TEST("samples over an hour are counted and in the percentiles", samples_over_an_hour_are_counted);
    return UNIT_END;
}
