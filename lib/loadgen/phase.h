/* SPDX-License-Identifier: MIT */
/* One phase from the gate to its result: warm-up, steps at loads that the gate asks for, and the measured run. */
#ifndef LOADGEN_PHASE_H
#define LOADGEN_PHASE_H

#include "engine.h"

#include <stdatomic.h>

/* Set when the first load begins: after that an interrupt leaves results to write. */
extern atomic_int phase_begun;

/** Print a line of this program on stderr. Returns -1. */
int phase_complain(const char *text);

/** Run phase number `index` of the options, or with a gate as the gate requests (docs/loadgen.md). Sets *failed to 1 if a warm-up, a step, or a take
 *  that was not kept, had wrong values, error replies or lost keys, or if a series cannot be written. Returns 0 with r filled, which is freed with
 *  engine_result_free; 1 if the gate requested to skip the phase; -1 after a line on stderr, or if it was interrupted before it began. */
int phase_run(struct engine *e, int index, struct result *r, int *failed);

#endif
