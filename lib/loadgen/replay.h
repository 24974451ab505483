/* SPDX-License-Identifier: MIT */
/* A trace as the source of a phase: assignment of due requests to connections, check of replies, and the fill after a miss. */
#ifndef LOADGEN_REPLAY_H
#define LOADGEN_REPLAY_H

#include "answer.h"
#include "worker.h"

/** Start the replay of a target. */
void replay_begin(struct worker *w, struct target *t);

/** Set the key of a GET that missed, on the same connection. The slot of the GET in the ring is still in use. */
void replay_fill(struct worker *w, struct conn *c, uint64_t tagged, uint64_t now_ns);

#endif
