/* SPDX-License-Identifier: MIT */
/* An instance as a thread sees it: times without an answer although requests were due, and moves of a cluster's shard. */
#ifndef LOADGEN_TARGET_H
#define LOADGEN_TARGET_H

#include "worker.h"

/** Record an answer of t, or the end of a phase without one: note a gap when requests were due for too long. */
void target_heard(struct target *t, uint64_t now_ns, int answered);

/** A request of t is due since then: answers after that time count. */
static inline void target_pending(struct target *t, uint64_t since_ns)
{
    if (!t->pending_ns) t->pending_ns = since_ns > t->heard_ns ? since_ns : t->heard_ns;
}

/** Returns the part of the delay of the current request that this thread caused, in ns. A request that was due while the thread was late
 *  was delayed by it too, although it then also waits for earlier ones. */
static inline uint64_t target_own_delay(struct target *t, uint64_t now)
{
    uint64_t intended = t->pacer.next_ns;
    uint64_t could = intended > t->free_since_ns ? intended : t->free_since_ns;
    uint64_t since = intended > t->late_from_ns ? intended : t->late_from_ns;
    uint64_t now_late = now > could ? now - could : 0;
    uint64_t was_late = t->late_until_ns > since ? t->late_until_ns - since : 0;
    if (now_late <= was_late) return was_late;
    t->late_from_ns = could;
    t->late_until_ns = now;
    return now_late;
}

/** Check a target of a cluster, 100 times per second: follow its shard, and wake resting connections. */
void target_follow(struct worker *w, struct target *t, uint64_t now_ns);

#endif
