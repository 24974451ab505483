/* SPDX-License-Identifier: MIT */
/* The results of a mixed phase by command, as text and as files. */
#ifndef LOADGEN_REPORT_KINDS_H
#define LOADGEN_REPORT_KINDS_H

#include "engine.h"

/** Write PHASE.commands.tsv, one row per command, and PHASE.COMMAND.hgrm for each. The last column has `US:COUNT` for each slot of the histogram in
 *  use, US being the slot's highest value. Returns 0, or -1 with errno. Does nothing for a phase without commands. */
int report_kinds(const struct options *o, const struct result *r, const char *dir);

/** Returns NAME:WEIGHT of each command, separated by commas, or with `measured` NAME:OPS:P50_US:P99_US; - for a phase without commands. The caller
 *  frees it. Returns NULL without memory. */
char *report_kinds_text(const struct options *o, const struct result *r, int measured);

#endif
