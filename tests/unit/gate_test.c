/* SPDX-License-Identifier: MIT */
/* The content of a start file: a wrong parse would give another load than the master's. */
#include "gate.h"
#include "unit.h"

static struct gate_order order;

static int reads(const char *text)
{
    return !gate_read(text, 16, &order);
}

static void a_phase_has_a_time_and_may_have_a_load(void)
{
    CHECK(reads("1700000000.25\n") && order.go == GATE_PHASE && !order.loaded);
    CHECK_WITHIN(order.start_s, 1700000000.25, 1700000000.25);
    CHECK(reads("0 12500.5\n") && order.go == GATE_PHASE && order.loaded);
    CHECK_WITHIN(order.rate, 12500.5, 12500.5);
    CHECK(reads("0 c4") && order.go == GATE_PHASE && order.loaded && order.rate == 0);
    CHECK_SAME(order.connections, 4);
    CHECK(reads("0 c0") && order.loaded && !order.connections);
}

static void steps_and_takes_are_told_apart(void)
{
    CHECK(reads("5 1000 0.5\n") && order.go == GATE_STEP && order.loaded);
    CHECK_WITHIN(order.seconds, 0.5, 0.5);
    CHECK(reads("5 c16 2\r\n") && order.go == GATE_STEP && order.connections == 16);
    CHECK(reads("5 1000 take\n") && order.go == GATE_TAKE && order.rate == 1000);
    CHECK(reads("keep\n") && order.go == GATE_KEEP);
    CHECK(reads("skip") && order.go == GATE_SKIP);
}

static void a_step_may_have_a_pattern_of_keys(void)
{
    CHECK(reads("5 c0 2 gaussian:12465.5\n") && order.go == GATE_STEP && order.patterned && order.keys.kind == KEYS_GAUSSIAN);
    CHECK_WITHIN(order.keys.sd, 12465.5, 12465.5);
    CHECK(reads("5 1000 2 zipf:1.25") && order.patterned && order.keys.kind == KEYS_ZIPF);
    CHECK_WITHIN(order.keys.theta, 1.25, 1.25);
    CHECK(reads("5 1000 2 hotspot:10:90") && order.keys.kind == KEYS_HOTSPOT);
    CHECK_WITHIN(order.keys.hot_requests, 90, 90);
    CHECK(reads("5 1000 2") && !order.patterned);
    CHECK(!reads("5 1000 2 gaussian") && !reads("5 1000 2 gaussian:0") && !reads("5 1000 2 uniform"));
    CHECK(!reads("5 1000 take gaussian:5") && !reads("5 1000 2 gaussian:5 6"));
}

static void what_is_none_of_these_is_refused(void)
{
    static const char *const bad[] = {"",       "\n",     "now",       "-1",        "5 0",          "5 fast",        "5 c17",
                                      "5 c",    "5 c-1",  "5 1000 0",  "5 1000 -1", "5 1000 again", "5 1000 1 take", "5 1000 take 1",
                                      "5 take", "keep 5", "skip skip", "5 nan",     "1e400",        "1.9e10"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        CHECK(!reads(bad[i]));
        if (reads(bad[i])) printf("# taken: '%s'\n", bad[i]);
    }
}

int main(void)
{
    TEST("a phase has a time, and may have a load of its own", a_phase_has_a_time_and_may_have_a_load);
    TEST("steps, takes, keep and skip are told apart", steps_and_takes_are_told_apart);
    TEST("a step may have a pattern of keys of its own", a_step_may_have_a_pattern_of_keys);
    TEST("what is none of these is refused", what_is_none_of_these_is_refused);
    return UNIT_END;
}
