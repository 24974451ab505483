/* SPDX-License-Identifier: MIT */
/* A trace as the source of a phase: which request is due on which connection, what is made of its reply, and the fill after a miss. */
#ifndef LOADGEN_REPLAY_H
#define LOADGEN_REPLAY_H

#include "answer.h"
#include "worker.h"

/** Set the replay of a target to its start. */
void replay_begin(struct worker *w, struct target *t);

/** Give the requests that are due to their connections, as far as these have room. */
void replay_dispatch(struct worker *w, struct target *t, uint64_t now_ns);

/** Stop sending requests of t; those that were due count as unsent when `unsent` is set. */
void replay_end(struct worker *w, struct target *t, int unsent);

/** As answer_classify, for a reply without an error. */
int replay_classify(struct worker *w, struct conn *c, uint64_t tagged, struct carried *carried);

/** As answer_body. */
void replay_body(struct conn *c, uint64_t tagged);

/** A GET missed: set its key, on the same connection. Its slot of the ring is still in use. */
void replay_fill(struct worker *w, struct conn *c, uint64_t tagged, uint64_t now_ns);

#endif
