/* SPDX-License-Identifier: MIT */
/* Classification of replies: a value, a miss, a wrong value, an error. */
#ifndef LOADGEN_ANSWER_H
#define LOADGEN_ANSWER_H

#include "worker.h"

/* The content of the replies of one read. */
struct carried {
    uint64_t sets, bytes, misses;
};

/** Classify the reply that the scanner of c has read. Returns 1 when it answers the request, 0 when it is an error, which is counted. */
int answer_classify(struct worker *w, struct conn *c, uint64_t tagged, struct carried *carried);

/** Compare the bytes of a value from the scanner of c with the value that was set; for a mix, also count them. */
void answer_body(struct worker *w, struct conn *c, uint64_t tagged);

/** Count n requests of t that failed. */
static inline void answer_failed(struct worker *w, struct target *t, enum count kind, uint64_t n)
{
    w->recorder.active_count[kind] += n;
    t->tally.errors += n;
}

/** Record a request that got no answer in ns nanoseconds, of a mix also by its command. */
void answer_none(struct worker *w, uint64_t tagged, uint64_t ns);

/** Keep the first error of a phase for its report, and the last error of a shard. */
void answer_keep(struct worker *w, struct target *t, const char *text);

#endif
