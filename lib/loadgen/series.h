/* SPDX-License-Identifier: MIT */
/* The reporter: a thread that converts the counts of the workers to one row per interval, the interval log, the status file and, on a terminal, a
 * progress line. */
#ifndef LOADGEN_SERIES_H
#define LOADGEN_SERIES_H

#include "engine.h"
#include "output.h"

#include <pthread.h>

struct series {
    struct engine *engine;
    const struct plan *plan;
    const char *out; /* directory, or NULL */
    int progress;    /* a progress line on stderr */
    int failed;      /* errno of a file that could not be written, else 0 */
    /* inside */
    int opened, running, ended;
    struct output table, log, shards;
    struct hist interval;
    uint64_t count[COUNTS], done, errors;
    double last_s;
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t wake;
};

/** Open the files of a phase. Returns 0, or -1 with errno. End with series_end when 0 was returned. */
int series_open(struct series *s, struct engine *engine, const struct plan *plan, const char *out, int progress);

/** Begin to report: the start of the phase is known. Returns 0, or -1 with errno. */
int series_begin(struct series *s);

/** The phase is over: write the last row and put the files in place. Returns 0, or -1 with errno when a file could not be written. Without
 *  series_begin, drop the files. */
int series_end(struct series *s);

#endif
