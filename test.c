/* SPDX-License-Identifier: MIT */
/* test: load Redis instances, measure them, and verify what they return. main(): parse, run the phases, report. */
#include "engine.h"
#include "output.h"
#include "phase.h"
#include "report.h"
#include "windows.h"

#include <errno.h>
#include <omp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Before the first phase there are no results to keep, and a name server or FLUSHALL may take minutes to answer. */
static void on_signal(int number)
{
    static const char text[] = "test: interrupted\n";
    if (phase_begun) {
        worker_stop = number;
        return;
    }
    if (write(STDERR_FILENO, text, sizeof text - 1) < 0) _exit(128 + number);
    _exit(128 + number);
}

static void catch_signals(void)
{
    struct sigaction action = {.sa_handler = on_signal};
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    signal(SIGPIPE, SIG_IGN);
}

/* Run all phases. Returns 0, 1 when something failed, or 128 + the signal that ended it. */
static int run(struct engine *e)
{
    const struct options *o = e->options;
    static struct report_rows rows;
    char why[ENGINE_WHY];
    int failed = 0;
    for (int i = 0; i < o->phases && !worker_stop; i++) {
        struct result result;
        int rc = phase_run(e, i, &result, &failed);
        if (rc < 0) return worker_stop ? 128 + worker_stop : 1;
        if (rc > 0) continue;
        report_phase_finished(e, &result);
        report_problems(e, &result);
        failed |= engine_failed(e, &result);
        int bad = report_files(e, &result, o->out ? o->out : ".", o->out != NULL), saved = errno;
        if (o->out && report_row(o, &result, &rows)) { /* also after a file that did not fit on the disk */
            bad = 1;
            saved = errno;
        }
        if (bad) {
            snprintf(why, sizeof why, "cannot write results of %s: %s", result.plan.name, strerror(saved));
            phase_complain(why);
            failed = 1;
        }
        engine_result_free(&result);
    }
    if (worker_stop) return 128 + worker_stop;
    report_complete();
    return failed;
}

/* Thread 0: everything from the first connection to the last file. Returns the exit status. */
static int session(struct options *o, struct crew *crew)
{
    struct engine engine;
    char why[RECORD_WHY];
    static struct record record;
    int status = 1;
    if (o->record_file && record_begin(&record, o->record_file, (int)o->threads, why)) {
        fprintf(stderr, "test: --record %s\n", why);
        return 2;
    }
    if (o->record_file) o->record = &record;
    report_start(o);
    if (engine_init(&engine, o, crew, why) || engine_connect(&engine, why)) {
        phase_complain(why);
    } else {
        report_connected(&engine);
        int rc = engine_prepare(&engine, why);
        if (rc < 0) phase_complain(why);
        if (!rc) report_flushed(&engine);
        if (rc >= 0) {
            status = run(&engine);
            engine_finish(&engine);
            if (o->record && record_end(&record, &engine.worker[0]->target[0].commands, o->key_prefix, why)) {
                fprintf(stderr, "test: --record %s\n", why);
                status = 1;
            }
        }
    }
    record_abandon(&record);
    engine_free(&engine);
    return worker_stop ? 128 + worker_stop : status;
}

/* Open the trace, and warn of surprising properties. Returns 0, or -1 after a line on stderr. */
static int open_trace(struct options *o, struct trace *trace)
{
    char why[TRACE_WHY];
    if (trace_open(trace, o->trace_file, why)) {
        fprintf(stderr, "test: --trace %s\n", why);
        return -1;
    }
    if (!trace->header->sets && !o->fill_misses)
        fprintf(stderr, "test: --trace %s: it only reads: without --fill-misses nothing is set\n", o->trace_file);
    if (trace->header->left_out)
        fprintf(stderr, "test: --trace %s: %ju requests are left out, the first one is '%.32s'; a replay sends: " TRACE_COMMANDS "\n", o->trace_file,
                (uintmax_t)trace->header->left_out, trace->header->left_name);
    options_traced(o, trace);
    return 0;
}

/* Write the rest of stdout. What an earlier flush dropped is only in ferror. Returns status, or 1 instead of 0 after a line on stderr. */
static int finish(int status)
{
    if (!fflush(stdout) && !ferror(stdout)) return status;
    fputs("test: cannot write to stdout; is the disk full, or the pipe closed?\n", stderr);
    return status ? status : 1;
}

int main(int argc, char **argv)
{
    static struct options o;
    static struct trace trace;
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
    if (o.help || o.version) return finish(0);
    if (o.windows) {
        int rc = windows_print(o.windows, o.file, o.files, stdout, why);
        if (rc) fprintf(stderr, "test: %s\n", why);
        return finish(rc);
    }
    if (o.trace_file && open_trace(&o, &trace)) return 2;
    if (o.out && output_folder(o.out)) {
        fprintf(stderr, "test: --out %s: cannot open (%s); name a directory that you can write to\n", o.out, strerror(errno));
        return 2;
    }
    catch_signals();
    crew_init(&crew, (int)o.threads);
#pragma omp parallel num_threads((int)o.threads)
    {
        if (omp_get_num_threads() != (int)o.threads) {
#pragma omp master
            fprintf(stderr, "test: OMP_NUM_THREADS=%ju: only %d threads can be started; set a lower number\n", (uintmax_t)o.threads,
                    omp_get_num_threads());
        } else if (omp_get_thread_num()) {
            crew_serve(&crew, omp_get_thread_num());
        } else {
            status = session(&o, &crew);
            crew_dismiss(&crew);
        }
    }
    if (o.trace) trace_close(&trace);
    return finish(status);
}
