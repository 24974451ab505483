/* SPDX-License-Identifier: MIT */
/* An instance as a thread sees it: see target.h. */
#include "target.h"

#include "conn.h"
#include "source.h"

#include <stdio.h>

/* Note a time without an answer that is longer than the min length of a gap. */
static void gap_note(const struct target *t, struct gaps *gaps, uint64_t from_ns, uint64_t to_ns, int answered)
{
    struct gap gap = {.from_ns = from_ns, .to_ns = to_ns};
    snprintf(gap.before, sizeof gap.before, "%.*s", GAPS_TEXT - 1, t->by[0] ? t->by : "-");
    snprintf(gap.after, sizeof gap.after, "%.*s", GAPS_TEXT - 1, answered ? t->endpoint.name : "-");
    snprintf(gap.error, sizeof gap.error, "%.*s", GAPS_TEXT - 1, t->error[0] ? t->error : "-");
    gaps_add(gaps, &gap);
}

void target_heard(struct target *t, uint64_t now_ns, int answered)
{
    int late = t->pending_ns && now_ns > t->pending_ns + CLUSTER_GAP_NS;
    int quiet = t->parts > 1 && (!answered || now_ns > t->heard_ns + CLUSTER_GAP_NS);
    if (__builtin_expect(late, 0)) gap_note(t, &t->gaps, t->pending_ns, now_ns, answered);
    /* What other threads see after the end of this one is not its concern. */
    if (__builtin_expect(quiet, 0)) gap_note(t, &t->quiet, t->heard_ns, answered ? now_ns : UINT64_MAX, answered);
    if (!answered) t->silent = late;
    t->pending_ns = t->inflight ? now_ns : 0;
    t->heard_ns = now_ns;
    if (__builtin_expect(late, 0) && answered) {
        snprintf(t->by, sizeof t->by, "%.*s", GAPS_TEXT - 1, t->endpoint.name);
        t->error[0] = 0;
    }
}

/* The shard moved to another node: requests in flight to the old node are lost, and new connections are made at once. */
static void target_move(struct worker *w, struct target *t, uint64_t now_ns)
{
    t->moves = cluster_follow(w->links->cluster, t->shard, &t->endpoint);
    for (uint32_t i = 0; i < t->conns; i++) {
        struct conn *c = &t->conn[i];
        if (c->state != CONN_DOWN) conn_drop(w, c, COUNT_LOST, now_ns);
        c->backoff_ns = 0;
        c->retry_ns = now_ns;
        c->link.turn = 0;
    }
}

void target_follow(struct worker *w, struct target *t, uint64_t now_ns)
{
    if (t->pending_ns && now_ns > t->pending_ns + 2 * CLUSTER_GAP_NS) cluster_wake(w->links->cluster);
    if (cluster_moved(w->links->cluster, t->shard, t->moves)) target_move(w, t, now_ns);
    for (uint32_t i = 0; i < t->conns; i++) {
        struct conn *c = &t->conn[i];
        if (!c->resting || c->state != CONN_READY) continue;
        c->resting = 0;
        w->source->room(w, c, now_ns);
    }
}
