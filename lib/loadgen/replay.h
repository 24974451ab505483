/* SPDX-License-Identifier: MIT */
/* A trace as the source of a phase: assignment of due requests to connections, check of replies, and the fill after a miss. */
#ifndef LOADGEN_REPLAY_H
#define LOADGEN_REPLAY_H

#include "answer.h"
#include "worker.h"

/** Start the replay of a target. */
void replay_begin(struct worker *w, struct target *t);

/** Queue due requests on their connections, until a connection is full. */
void replay_dispatch(struct worker *w, struct target *t, uint64_t now_ns);

/** Stop the replay of t. Due requests that wait for a connection count as unsent; if `unsent` is set, all remaining ones of its walk. */
void replay_end(struct worker *w, struct target *t, int unsent);

/** The phase has lasted long enough: requests that are due are still sent. Not for --speed max. */
void replay_cut(struct worker *w, struct target *t, uint64_t now_ns);

/** Like answer_classify, for a reply that is not an error. */
int replay_classify(struct worker *w, struct conn *c, uint64_t tagged, struct carried *carried);

/** Like answer_body. */
void replay_body(struct conn *c, uint64_t tagged);

/** Set the key of a GET that missed, on the same connection. The slot of the GET in the ring is still in use. */
void replay_fill(struct worker *w, struct conn *c, uint64_t tagged, uint64_t now_ns);

#endif
