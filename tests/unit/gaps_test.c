/* SPDX-License-Identifier: MIT */
/* Silences of an instance that several threads load. */
#include "gaps.h"
#include "unit.h"

#include <stdio.h>
#include <string.h>

/* Make a list of COUNT gaps from times in pairs. */
static void make(struct gaps *g, const uint64_t *times, int count, const char *after)
{
    memset(g, 0, sizeof *g);
    for (int i = 0; i < count; i++, times += 2) {
        struct gap gap = {.from_ns = times[0], .to_ns = times[1]};
        snprintf(gap.after, sizeof gap.after, "%s", after);
        snprintf(gap.error, sizeof gap.error, "%s", after[0] == 'x' ? "-" : "lost");
        gaps_add(g, &gap);
    }
}

static void what_one_thread_heard_ends_the_silence(void)
{
    static const uint64_t a[] = {100, 500, 1000, 2000, 3000, 3300}, b[] = {200, 900, 950, 1500, 1600, 1700};
    struct gaps x, y;
    make(&x, a, 3, "x");
    make(&y, b, 3, "y");
    CHECK_SAME(gaps_both(&x, &y, 100), 0);
    CHECK_SAME(x.count, 2); /* 1600 to 1700 is not longer than the min */
    CHECK(x.gap[0].from_ns == 200 && x.gap[0].to_ns == 500 && !strcmp(x.gap[0].after, "x") && !strcmp(x.gap[0].error, "lost"));
    CHECK(x.gap[1].from_ns == 1000 && x.gap[1].to_ns == 1500 && !strcmp(x.gap[1].after, "y"));
    gaps_free(&x);
    gaps_free(&y);
}

static void without_a_silence_there_is_none(void)
{
    static const uint64_t a[] = {100, 500};
    struct gaps x, y;
    make(&x, a, 1, "x");
    make(&y, a, 0, "y");
    CHECK_SAME(gaps_both(&x, &y, 0), 0);
    CHECK_SAME(x.count, 0);
    gaps_free(&x);
    gaps_free(&y);
}

static void gaps_that_overlap_become_one(void)
{
    static const uint64_t a[] = {100, 500, 1000, 2000}, b[] = {200, 300, 400, 900, 2000, 2500, 4000, 5000};
    struct gaps x, y;
    make(&x, a, 2, "x");
    make(&y, b, 4, "y");
    CHECK_SAME(gaps_either(&x, &y), 0);
    CHECK_SAME(x.count, 4); /* between 1000 to 2000 and 2000 to 2500 is an answer */
    CHECK(x.gap[0].from_ns == 100 && x.gap[0].to_ns == 900 && !strcmp(x.gap[0].after, "y"));
    CHECK(x.gap[1].from_ns == 1000 && x.gap[1].to_ns == 2000 && !strcmp(x.gap[1].after, "x"));
    CHECK(x.gap[2].from_ns == 2000 && x.gap[2].to_ns == 2500 && !strcmp(x.gap[2].after, "y"));
    CHECK(x.gap[3].from_ns == 4000 && x.gap[3].to_ns == 5000);
    gaps_free(&x);
    CHECK_SAME(gaps_either(&x, &y), 0);
    CHECK_SAME(x.count, 4);
    CHECK(x.gap[1].from_ns == 400 && x.gap[1].to_ns == 900);
    gaps_free(&x);
    gaps_free(&y);
}

static void lists_grow(void)
{
    struct gaps g = {0};
    for (uint64_t i = 0; i < 1000; i++) gaps_add(&g, &(struct gap){.from_ns = i, .to_ns = i + 1});
    CHECK_SAME(g.count, 1000);
    CHECK_SAME(g.gap[999].from_ns, 999);
    gaps_clear(&g);
    CHECK_SAME(g.count, 0);
    gaps_free(&g);
}

int main(void)
{
    TEST("an instance is silent when it is so to all its threads", what_one_thread_heard_ends_the_silence);
    TEST("one thread that heard it all the time is enough", without_a_silence_there_is_none);
    TEST("gaps that overlap become one", gaps_that_overlap_become_one);
    TEST("a list grows", lists_grow);
    return UNIT_END;
}
