/* SPDX-License-Identifier: MIT */
/* One phase from the gate to its result: see phase.h. */
#include "phase.h"

#include "clock.h"
#include "gate.h"
#include "report.h"
#include "series.h"
#include "track.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define START_DELAY_NS (2 * NS_PER_MS)   /* for all threads to wake up before the first request */
#define AHEAD_NS       (100 * NS_PER_MS) /* before a start that the gate names, when the threads are called */
#define WARMUP_SHARE   0.25              /* of a step */
#define EDGE_NS        (50 * NS_PER_MS)  /* from the end of a warm-up to the measured part: the last answers arrive, connections are reopened */

atomic_int phase_begun;

int phase_complain(const char *text)
{
    fflush(stdout);
    fprintf(stderr, "test: %s\n", text);
    return -1;
}

/* A load that leaves no row in result.tsv: wrong values, error replies and lost keys still fail the run. Overload does not: a search expects it.
 * With --faults, error replies do not either. */
static void look_over(const struct engine *e, const struct result *r, int *failed)
{
    *failed |= r->unread != 0;
    const int refused = r->count[COUNT_ERROR_REPLIES] && !e->options->faults;
    if (!refused && !r->count[COUNT_MISMATCHES] && !(r->misses_fail && r->count[COUNT_MISSES])) return;
    report_problems(e, r);
    *failed = 1;
}

/* Offer a phase at the gate, and wait until shortly before the start that it names. Returns 0, or -1 after a line on stderr or an interrupt. */
static int pass_gate(const struct options *o, const struct plan *plan, int offer, struct gate_order *order)
{
    char why[ENGINE_WHY], name[sizeof plan->name + 16];
    snprintf(name, sizeof name, offer ? "%s.%d" : "%s", plan->name, offer);
    int rc = gate_wait(o->gate, name, o->connections, &worker_stop, order, why);
    if (rc < 0) return phase_complain(why);
    if (rc > 0) return -1;
    for (uint64_t now; (now = clock_now_ns()) + AHEAD_NS < order->start_ns && !worker_stop;)
        clock_sleep_until_ns(order->start_ns - now < 2 * AHEAD_NS ? order->start_ns - AHEAD_NS : now + AHEAD_NS);
    return worker_stop ? -1 : 0;
}

/* End tracked writes and report their result. Returns 0, or -1 after a line on stderr. */
static int track_report(struct track *track, const struct plan *plan, const char *out)
{
    char why[ENGINE_WHY];
    int rc = track_end(track, out, why);
    if (track->lost)
        fprintf(stderr, "test: %s: %ju of %ju acknowledged writes are lost\n", plan->name, (uintmax_t)track->lost, (uintmax_t)track->acked);
    return rc ? phase_complain(why) : 0;
}

/* Reopen closed connections. Returns the start: the wanted time, or the next possible one, as connections and files may have taken long. */
static uint64_t start_at(struct engine *e, uint64_t wanted_ns)
{
    engine_refresh(e);
    const uint64_t next_ns = clock_now_ns() + START_DELAY_NS;
    return wanted_ns > next_ns ? wanted_ns : next_ns;
}

/* Set the start of a measured part, for which `wanted_ns` is planned. After a warm-up, requests of an open loop are due from then on, also if the
 * server has not answered those of the warm-up in time: else it could delay the start, and the delay would be in no figure. */
static void start_measured(struct engine *e, struct plan *plan, uint64_t wanted_ns, int warmed)
{
    const int delayed = warmed && plan->open && clock_now_ns() > wanted_ns;
    const uint64_t ready_ns = start_at(e, wanted_ns);
    plan_start(plan, delayed ? wanted_ns : ready_ns, ready_ns);
}

/* Run a planned load, after a warm-up of warmup_s seconds; the log has a line of its start where `announce` is set. Sets *failed to 1 if the warm-up
 * had wrong values, error replies or lost keys, or if the series cannot be written. Returns 0, or -1 after a line on stderr or an interrupt of the
 * warm-up. */
static int run_load(struct engine *e, struct plan *plan, uint64_t start_ns, double warmup_s, int announce, struct result *r, int *failed)
{
    const struct options *o = e->options;
    struct series series;
    char why[ENGINE_WHY];
    phase_begun = 1;
    if (warmup_s > 0) {
        struct plan warm = *plan;
        engine_plan_warmup(e, &warm, warmup_s);
        start_measured(e, &warm, start_ns, 0);
        if (engine_run(e, &warm, r, why)) return phase_complain(why);
        look_over(e, r, failed); /* only its times are left out */
        engine_result_free(r);
        if (worker_stop) return -1;
        start_ns = warm.start_ns + (uint64_t)(warmup_s * 1e9) + EDGE_NS;
    }
    if (announce) report_phase_started(o, plan);
    if (series_open(&series, e, plan, o->out, isatty(STDERR_FILENO))) return phase_complain(strerror(errno));
    struct track track;
    int tracked = o->track && !plan->step && plan->index % OPTIONS_PHASES_MAX == o->phases - 1; /* a take has another index */
    if (tracked && track_open(&track, &e->cluster, o->track, why)) {
        series_end(&series);
        return phase_complain(why);
    }
    start_measured(e, plan, start_ns, warmup_s > 0);
    if (series_begin(&series) || (tracked && track_begin(&track, plan->start_ns))) {
        snprintf(why, sizeof why, "cannot start a thread: %s", strerror(errno));
        series_end(&series);
        if (tracked) track_drop(&track);
        return phase_complain(why);
    }
    int rc = engine_run(e, plan, r, why), unwritten = series_end(&series), saved = errno;
    int unread = tracked ? track_report(&track, plan, o->out) : 0;
    if (rc) return phase_complain(why);
    r->unread = unread;
    if (unwritten) {
        fprintf(stderr, "test: cannot write the series of %s: %s\n", plan->name, strerror(saved));
        *failed = 1; /* the result is whole */
    }
    return 0;
}

/* Keep the row of a step or a take. Returns 0, or -1 after a line on stderr. */
static int keep_row(struct engine *e, const struct result *r, int offer)
{
    const char *out = e->options->out ? e->options->out : ".";
    char why[ENGINE_WHY];
    if (!report_step(out, r, offer, e->steps++ > 0)) return 0;
    snprintf(why, sizeof why, "cannot write a row of steps.tsv: %s", strerror(errno));
    return phase_complain(why);
}

/* Run the step that offer number `offer` - 1 requested. Returns 0, or -1 after a line on stderr or an interrupt. */
static int run_step(struct engine *e, const struct plan *phase, const struct gate_order *order, int offer, int *failed)
{
    struct plan step = *phase;
    struct result r;
    engine_plan_load(e, &step, order->rate, order->connections, order->seconds);
    engine_plan_step(e, &step, offer, order->seconds * (1 - WARMUP_SHARE));
    if (order->patterned) step.keys = &order->keys;
    if (run_load(e, &step, order->start_ns, order->seconds * WARMUP_SHARE, 0, &r, failed)) return -1;
    int rc = worker_stop ? -1 : keep_row(e, &r, offer);
    look_over(e, &r, failed);
    engine_result_free(&r);
    return rc;
}

/* A take that is not kept. One that is kept is reported as the result of its phase. */
static void drop_take(const struct engine *e, struct result *r, int *failed)
{
    look_over(e, r, failed);
    engine_result_free(r);
}

int phase_run(struct engine *e, int index, struct result *r, int *failed)
{
    const struct options *o = e->options;
    int taken = 0, started = 0;
    for (int offer = 0;; offer++) {
        struct gate_order order = {.go = GATE_PHASE};
        struct plan plan;
        char why[ENGINE_WHY];
        engine_plan(e, index, &plan);
        if (o->gate && pass_gate(o, &plan, offer, &order)) break;
        if ((order.loaded && (plan.kind == PHASE_POPULATE || plan.kind == PHASE_REPLAY)) || (order.go == GATE_KEEP && !taken)) {
            snprintf(why, sizeof why, "--gate: %s: %s", plan.name,
                     order.loaded ? "this phase does not support a load" : "keep without a take before it");
            phase_complain(why);
            break;
        }
        if (order.go == GATE_KEEP) return 0;
        if (taken) drop_take(e, r, failed);
        taken = 0;
        if (order.go == GATE_SKIP) return 1;
        if (order.go == GATE_STEP) {
            if (run_step(e, &plan, &order, offer + 1, failed)) break;
            continue;
        }
        if (order.loaded) engine_plan_load(e, &plan, order.rate, order.connections, o->time_s);
        if (order.go == GATE_TAKE) plan.index += 2 * OPTIONS_PHASES_MAX * (offer + 1);
        if (run_load(e, &plan, order.start_ns, plan.kind == PHASE_POPULATE ? 0 : o->warmup_s, !started++, r, failed)) break;
        if (order.go == GATE_PHASE || worker_stop) return 0;
        taken = 1;
        if (keep_row(e, r, offer + 1)) break;
    }
    if (taken) drop_take(e, r, failed);
    return -1;
}
