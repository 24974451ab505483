/* SPDX-License-Identifier: MIT */
/* The open-loop schedule: exact times, exact counts, Poisson arrivals. */
#include "clock.h"
#include "pacer.h"
#include "unit.h"

#include <math.h>

static void uniform_is_exact(void)
{
    struct pacer p;
    uint64_t start = UINT64_C(123456789012345), n = 0;
    pacer_init(&p, &(struct pacer_spec){PACER_UNIFORM, start, 100000, 10e9, 100000, 0, 1, 1, 0, NULL});
    for (; p.next_ns != UINT64_MAX; n++) {
        CHECK_SAME(p.next_ns, start + n * 100000);
        pacer_advance(&p);
    }
    CHECK_SAME(n, 100000);
}

static void beside_each_other_they_interleave(void)
{
    struct pacer p[3];
    for (uint64_t i = 0; i < 3; i++) pacer_init(&p[i], &(struct pacer_spec){PACER_UNIFORM, 0, 1000, 3e9, 3000, i, 3, 1, 0, NULL});
    for (uint64_t n = 0; n < 3000; n++) {
        CHECK_WITHIN(p[n % 3].next_ns, (double)(n * NS_PER_MS) - 1, (double)(n * NS_PER_MS) + 1);
        pacer_advance(&p[n % 3]);
    }
    for (int i = 0; i < 3; i++) CHECK(p[i].next_ns == UINT64_MAX);
}

static void with_few_requests_they_interleave_too(void)
{
    struct pacer p[8];
    for (uint64_t i = 0; i < 8; i++) pacer_init(&p[i], &(struct pacer_spec){PACER_UNIFORM, 0, i < 4 ? 2 : 1, 12e9, 12, i, 8, 1, 0, NULL});
    for (uint64_t n = 0; n < 12; n++) {
        CHECK_SAME(p[n % 8].next_ns, n * NS_PER_S);
        pacer_advance(&p[n % 8]);
    }
}

static void a_long_schedule_does_not_drift(void)
{
    struct pacer p;
    uint64_t last = 0, n = 0;
    pacer_init(&p,
               &(struct pacer_spec){PACER_UNIFORM, 0, 3000000, 3000000 / 7.0 * 1e9, 3000000, 0, 1, 1, 0, NULL}); /* 7/s: not a whole number of ns */
    for (; p.next_ns != UINT64_MAX; n++) {
        last = p.next_ns;
        pacer_advance(&p);
    }
    CHECK_WITHIN(last, 2999999 / 7.0 * 1e9 - 2, 2999999 / 7.0 * 1e9 + 2);
}

static void poisson_has_the_count_and_the_gaps(void)
{
    enum { N = 200000 };
    struct pacer p;
    uint64_t before = 0, n = 0, long_gaps = 0, backward = 0, first_half = 0;
    double squares = 0, mean = 10e9 / N;
    pacer_init(&p, &(struct pacer_spec){PACER_POISSON, 0, N, 10e9, N, 0, 1, 5, 0, NULL});
    for (; p.next_ns != UINT64_MAX; n++) {
        double gap = (double)(p.next_ns - before);
        backward += p.next_ns < before;
        squares += gap * gap;
        long_gaps += gap > 3 * mean;
        first_half += p.next_ns < 5 * NS_PER_S;
        before = p.next_ns;
        pacer_advance(&p);
    }
    CHECK_SAME(n, N);
    CHECK_SAME(backward, 0);
    CHECK(before < 10 * NS_PER_S);
    CHECK_WITHIN(squares / N / (mean * mean), 1.96, 2.04); /* 2 for an exponential distribution */
    CHECK_WITHIN(long_gaps, N * exp(-3) * 0.96, N * exp(-3) * 1.04);
    CHECK_WITHIN(first_half, N / 2.0 - 2 * sqrt(N), N / 2.0 + 2 * sqrt(N));
}

static void neighbours_of_seed_and_stream_differ(void)
{
    struct pacer p[9];
    for (uint64_t i = 0; i < 9; i++) pacer_init(&p[i], &(struct pacer_spec){PACER_POISSON, 0, 100, 1e9, 100, 0, 1, i / 3, i % 3, NULL});
    for (int i = 0; i < 9; i++)
        for (int j = 0; j < i; j++) CHECK(p[i].next_ns != p[j].next_ns);
}

static void empty_and_single(void)
{
    struct pacer p;
    pacer_init(&p, &(struct pacer_spec){PACER_POISSON, 5, 0, 1e9, 0, 0, 1, 1, 0, NULL});
    CHECK(p.next_ns == UINT64_MAX);
    pacer_init(&p, &(struct pacer_spec){PACER_UNIFORM, 5, 1, 1e9, 1, 0, 1, 1, 0, NULL});
    CHECK_SAME(p.next_ns, 5);
    pacer_advance(&p);
    CHECK(p.next_ns == UINT64_MAX);
}

static void microseconds_are_the_nearest(void)
{
    CHECK_SAME(clock_us(0), 0);
    CHECK_SAME(clock_us(499), 0);
    CHECK_SAME(clock_us(500), 1);
    CHECK_SAME(clock_us(1499), 1);
    CHECK_SAME(clock_us(1500), 2);
}

/* Count the requests of each second of all `groups` schedules. Returns the sum. */
static uint64_t count_seconds(const char *text, enum pacer_arrival arrival, uint64_t total, double length_s, uint64_t groups, uint64_t *second)
{
    struct schedule s;
    uint64_t sum = 0;
    CHECK_SAME(schedule_parse(&s, text), 0);
    CHECK_SAME(llround(schedule_requests(&s, length_s)), total);
    for (uint64_t i = 0; i < groups; i++) {
        struct pacer p;
        uint64_t left = total / groups + (i < total % groups);
        pacer_init(&p, &(struct pacer_spec){arrival, 0, left, length_s * 1e9, total, i, groups, 1, i, &s});
        for (uint64_t before = 0; p.next_ns != UINT64_MAX; pacer_advance(&p), sum++) {
            CHECK(p.next_ns >= before && (double)p.next_ns < length_s * 1e9);
            before = p.next_ns;
            second[p.next_ns / NS_PER_S]++;
        }
    }
    return sum;
}

static void steps_have_their_requests_in_each_second(void)
{
    uint64_t second[90] = {0};
    CHECK_SAME(count_seconds("20k 60k@30s 20k@1m", PACER_UNIFORM, 3000000, 90, 3, second), 3000000);
    for (int i = 0; i < 90; i++) CHECK_SAME(second[i], i < 30 || i >= 60 ? 20000 : 60000);
}

static void a_sine_has_its_requests_in_each_second(void)
{
    uint64_t second[150] = {0};
    CHECK_SAME(count_seconds("sine 10k..60k 60 phase=0.25", PACER_UNIFORM, 5250000, 150, 2, second), 5250000);
    for (int i = 0; i < 150; i++) {
        double turn = 2 * M_PI / 60, here = 35000 + 25000 / turn * (cos(turn * (i + 15)) - cos(turn * (i + 16)));
        CHECK_WITHIN(second[i], here - 3, here + 3);
    }
    CHECK(second[0] > 59900 && second[30] < 10100);
}

static void poisson_follows_a_schedule(void)
{
    uint64_t second[4] = {0};
    CHECK_SAME(count_seconds("10k 40k@1 20k@3", PACER_POISSON, 110000, 4, 2, second), 110000);
    CHECK_WITHIN(second[0], 9500, 10500);
    CHECK_WITHIN(second[1], 39000, 41000);
    CHECK_WITHIN(second[3], 19300, 20700);
}

static void schedules_that_are_refused(void)
{
    static const char *const texts[] = {"",
                                        "5",
                                        "5 6",
                                        "5@1 6@2",
                                        "5 6@2 7@2",
                                        "5 6@0",
                                        "5 0@3",
                                        "5 x@3",
                                        "sine",
                                        "sine 5",
                                        "sine 5..9",
                                        "sine 9..5 60",
                                        "sine 0..5 60",
                                        "sine 5..9 0",
                                        "5 6@",
                                        "5 6@1 7@",
                                        "5 6@-1",
                                        "sine 5..9 6 x",
                                        "sine 5..9 6 phase=2",
                                        "sine 5..9 6 phase=0.5 x",
                                        "cosine 5..9 6"};
    struct schedule s;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) CHECK_SAME(schedule_parse(&s, texts[i]), -1);
    CHECK_SAME(schedule_parse(&s, "0.5 1e3@1500ms"), 0);
    CHECK_WITHIN(schedule_last_s(&s), 1.5, 1.5);
    CHECK_WITHIN(schedule_first(&s), 0.5, 0.5);
    CHECK_SAME(schedule_parse(&s, "sine 10..30 8s phase=0.75"), 0);
    CHECK_WITHIN(schedule_first(&s), 10, 10.000001);
}

int main(void)
{
    TEST("uniform arrivals are exact to the nanosecond", uniform_is_exact);
    TEST("schedules beside each other interleave", beside_each_other_they_interleave);
    TEST("schedules with fewer requests than others interleave too", with_few_requests_they_interleave_too);
    TEST("a long schedule does not drift", a_long_schedule_does_not_drift);
    TEST("poisson arrivals have the exact count and exponential gaps", poisson_has_the_count_and_the_gaps);
    TEST("poisson arrivals of neighbouring seeds and streams differ", neighbours_of_seed_and_stream_differ);
    TEST("schedules of no and of one request", empty_and_single);
    TEST("a latency is rounded to the nearest microsecond", microseconds_are_the_nearest);
    TEST("steps have exactly their requests in each second", steps_have_their_requests_in_each_second);
    TEST("a sine has its requests in each second, in each period", a_sine_has_its_requests_in_each_second);
    TEST("poisson arrivals follow a schedule", poisson_follows_a_schedule);
    TEST("schedules that are refused", schedules_that_are_refused);
    return UNIT_END;
}
