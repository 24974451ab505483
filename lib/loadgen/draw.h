/* SPDX-License-Identifier: MIT */
/* The next request of a connection: its command and its key. */
#ifndef LOADGEN_DRAW_H
#define LOADGEN_DRAW_H

#include "worker.h"

/** Returns the next command of a mix, by the weights. */
int draw_command(struct target *t, const struct mix *m);

/** Returns the next tagged key of a connection's target. */
uint64_t draw_request(struct worker *w, struct conn *c);

#endif
