/* SPDX-License-Identifier: MIT */
/* test: load Redis instances, measure them, and tell the truth about it. main(): parse, run the phases, report. */
#include "clock.h"
#include "engine.h"
#include "gate.h"
#include "output.h"
#include "report.h"
#include "series.h"

#include <errno.h>
#include <omp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define START_DELAY_NS (2 * NS_PER_MS) /* for all threads to wake up before the first request */

static void on_signal(int number)
{
    worker_stop = number;
}

static void catch_signals(void)
{
    struct sigaction action = {.sa_handler = on_signal};
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    signal(SIGPIPE, SIG_IGN);
}

static int complain(const char *text)
{
    fflush(stdout);
    fprintf(stderr, "test: %s\n", text);
    return -1;
}

/* Run a phase, once for warming up when that is asked for, and then for the record. Returns 0, or -1 after a line on stderr. */
static int run_phase(struct engine *e, struct plan *plan, struct result *r)
{
    const struct options *o = e->options;
    struct series series;
    char why[ENGINE_WHY];
    uint64_t start_ns = 0;
    if (o->gate) {
        int rc = gate_wait(o->gate, plan->name, &worker_stop, &start_ns, why);
        if (rc < 0) return complain(why);
        if (rc > 0) return -1;
    }
    if (o->warmup_s > 0 && plan->kind != PHASE_POPULATE) {
        struct plan warm = *plan;
        engine_plan_warmup(e, &warm);
        plan_start(&warm, start_ns ? start_ns : clock_now_ns() + START_DELAY_NS);
        if (engine_run(e, &warm, r, why)) return complain(why);
        engine_result_free(r);
        if (worker_stop) return -1;
        start_ns = 0;
    }
    report_phase_started(o, plan);
    plan_start(plan, start_ns ? start_ns : clock_now_ns() + START_DELAY_NS);
    if (series_begin(&series, e, plan, o->out, isatty(STDERR_FILENO))) return complain(strerror(errno));
    int rc = engine_run(e, plan, r, why), unwritten = series_end(&series), saved = errno;
    if (rc) return complain(why);
    if (unwritten) {
        fprintf(stderr, "test: cannot write the series of %s: %s\n", plan->name, strerror(saved));
        engine_result_free(r);
        return -1;
    }
    return 0;
}

/* Run all phases. Returns 0, 1 when something failed, or 128 + the signal that ended it. */
static int run(struct engine *e)
{
    const struct options *o = e->options;
    static char rows[OPTIONS_PHASES_MAX][REPORT_ROW_MAX];
    char why[ENGINE_WHY];
    int failed = 0;
    for (int i = 0; i < o->phases && !worker_stop; i++) {
        struct plan plan;
        struct result result;
        engine_plan(e, i, &plan);
        if (run_phase(e, &plan, &result)) return worker_stop ? 128 + worker_stop : 1;
        report_phase_finished(e, &result);
        report_row(o, &result, rows[i]);
        report_problems(e, &result);
        failed |= engine_failed(&result);
        int bad = report_files(e, &result, o->out ? o->out : ".", o->out != NULL) || (o->out && report_rows(o->out, rows, i + 1));
        if (bad) {
            snprintf(why, sizeof why, "cannot write results of %s: %s", plan.name, strerror(errno));
            complain(why);
            failed = 1;
        }
        engine_result_free(&result);
    }
    if (worker_stop) return 128 + worker_stop;
    report_complete();
    return failed;
}

/* Thread 0: everything from the first connection to the last file. Returns the exit status. */
static int session(const struct options *o, struct crew *crew)
{
    struct engine engine;
    char why[ENGINE_WHY];
    int status = 1;
    report_start(o);
    if (engine_init(&engine, o, crew, why) || engine_connect(&engine, why)) {
        complain(why);
    } else {
        report_connected(&engine);
        int rc = engine_prepare(&engine, why);
        if (rc < 0) complain(why);
        if (!rc) report_flushed(&engine);
        if (rc >= 0) status = run(&engine);
    }
    engine_free(&engine);
    return worker_stop ? 128 + worker_stop : status;
}

int main(int argc, char **argv)
{
    static struct options o;
    struct crew crew;
    char why[OPTIONS_WHY];
    int status = 1;
    omp_set_dynamic(0);
    if (options_parse(&o, argc, argv, omp_get_max_threads(), why)) {
        fprintf(stderr, "test: %s\n", why);
        return 2;
    }
    if (o.help) options_help(stdout);
    if (o.version) printf("test %s\n", LOADGEN_VERSION);
    if (o.help || o.version) return 0;
    if (o.out && output_folder(o.out)) {
        fprintf(stderr, "test: --out %s: %s\n", o.out, strerror(errno));
        return 2;
    }
    catch_signals();
    crew_init(&crew, (int)o.threads);
#pragma omp parallel num_threads((int)o.threads)
    {
        if (omp_get_num_threads() != (int)o.threads) {
#pragma omp master
            fprintf(stderr, "test: OpenMP gives %d threads in place of %ju\n", omp_get_num_threads(), (uintmax_t)o.threads);
        } else if (omp_get_thread_num()) {
            crew_serve(&crew, omp_get_thread_num());
        } else {
            status = session(&o, &crew);
            crew_dismiss(&crew);
        }
    }
    if (fflush(stdout) && !status) status = 1;
    return status;
}
