/* SPDX-License-Identifier: MIT */
/* The output for users: the guide's lines on stdout, failures and warnings on stderr, and the files at a phase's end. */
#ifndef LOADGEN_REPORT_H
#define LOADGEN_REPORT_H

#include "engine.h"

/** Print the guide's line with all parameters, and that connecting begins. */
void report_start(const struct options *o);

/** Print a line for each connected instance of each thread, and for each flushed one when `flushed` is set. */
void report_connected(const struct engine *e);
void report_flushed(const struct engine *e);

/** Print that a phase begins, that it has ended (with a line for each thread, the longest last), that all is done. */
void report_phase_started(const struct options *o, const struct plan *plan);
void report_phase_finished(const struct engine *e, const struct result *r);
void report_complete(void);

/** Print failures of each thread by kind, and warnings about the figures, on stderr. */
void report_problems(const struct engine *e, const struct result *r);

/** Write the files of a phase into `dir`: the guide's table, and with `all` the percentiles and one row per instance. Prints the path of the table.
 * Returns 0, or -1 with errno. */
int report_files(const struct engine *e, const struct result *r, const char *dir, int all);

/* The rows of result.tsv so far, and its header, as text. */
struct report_rows {
    char *header, *row[OPTIONS_PHASES_MAX];
    int rows;
};

/** Add the row of a phase, and write result.tsv again into the directory of the options: the header and all rows. A row is whole or missing. Returns
 * 0, or -1 with errno. */
int report_row(const struct options *o, const struct result *r, struct report_rows *rows);

/** Add a row to steps.tsv in `dir`: a step, or a take of a phase, that was run at offer `number` of its phase. The column histogram has
 *  `US:COUNT` for each slot in use, US being the slot's highest value. Returns 0, or -1 with errno. */
int report_step(const char *dir, const struct result *r, int number, int more);

#endif
