/* SPDX-License-Identifier: MIT */
/* The results of a mixed phase by command, as text and as files. */
#ifndef LOADGEN_REPORT_KINDS_H
#define LOADGEN_REPORT_KINDS_H

#include "engine.h"

#define REPORT_KINDS_MAX 2048 /* bytes of report_kinds_text */

/** Write PHASE.commands.tsv, one row per command, and PHASE.COMMAND.hgrm for each. The last column has `US:COUNT` for each slot of the histogram in
 *  use, US being the slot's highest value. Returns 0, or -1 with errno. Does nothing for a phase without commands. */
int report_kinds(const struct options *o, const struct result *r, const char *dir);

/** Write NAME:OPS:P50_US:P99_US of each command, separated by commas, to out; - for a phase without commands. */
void report_kinds_text(const struct options *o, const struct result *r, char out[REPORT_KINDS_MAX]);

/** Write NAME:WEIGHT of each in the same way. */
void report_kinds_names(const struct options *o, const struct result *r, char out[REPORT_KINDS_MAX]);

#endif
