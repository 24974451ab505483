/* SPDX-License-Identifier: MIT */
/* An instance as a thread sees it: when it was silent though requests were due, and where a shard of a cluster went. */
#ifndef LOADGEN_TARGET_H
#define LOADGEN_TARGET_H

#include "worker.h"

/** An answer of t came, or at the end of a phase none: note a gap when requests were due for too long. */
void target_heard(struct target *t, uint64_t now_ns, int answered);

/** A request of t is due since then: what was answered since counts. */
static inline void target_pending(struct target *t, uint64_t since_ns)
{
    if (!t->pending_ns) t->pending_ns = since_ns > t->heard_ns ? since_ns : t->heard_ns;
}

/** Look after a target of a cluster, a hundred times a second: follow its shard, and wake connections that rest. */
void target_follow(struct worker *w, struct target *t, uint64_t now_ns);

#endif
