/* SPDX-License-Identifier: MIT */
/* A trace as the source of a phase: see replay.h. All requests of a key use one connection, so that they keep their order. */
#include "replay.h"

#include "clock.h"
#include "source.h"
#include "target.h"

#include <errno.h>
#include <math.h>

static double ns_per_us(const struct worker *w)
{
    return w->plan->open ? 1000 / w->options->speed : 0;
}

/* Returns the time at which a request is due, on CLOCK_MONOTONIC. */
static uint64_t due_ns(const struct worker *w, uint64_t us)
{
    return w->plan->start_ns + (uint64_t)((double)us * ns_per_us(w));
}

/* Returns the time since the start as a time of the trace. */
static uint64_t trace_now_us(const struct worker *w, uint64_t now)
{
    return now > w->plan->start_ns ? (uint64_t)((double)(now - w->plan->start_ns) / ns_per_us(w)) : 0;
}

void replay_begin(struct worker *w, struct target *t)
{
    const struct options *o = w->options;
    struct trace_walk *k = &t->walk;
    *k = (struct trace_walk){.trace = o->trace, .end = o->trace->count, .last_us = UINT64_MAX};
    if (o->given_requests && o->requests < k->end) k->end = o->requests;
    if (w->plan->open && w->plan->time_ns) k->last_us = (uint64_t)((double)w->plan->time_ns / ns_per_us(w));
    k->instance = o->trace_first + t->instance;
    k->total = o->trace_total ? o->trace_total : o->instances;
    if (w->links->cluster) {
        k->owner = w->links->cluster->owner;
        k->shard = (uint16_t)t->shard;
        k->instance = 0;
        k->total = 1;
    }
    k->part = t->part;
    k->parts = t->parts;
    t->left = 1; /* there may be more */
    t->blocked = 0;
    t->pacer.next_ns = w->plan->start_ns;
    t->free_since_ns = w->plan->ready_ns;
}

/* Mark the target as finished: its walk is at its end. */
static void over(struct worker *w, struct target *t)
{
    t->left = 0;
    t->pacer.next_ns = UINT64_MAX;
    w->unfinished--;
}

static void end(struct worker *w, struct target *t, int unsent);

static void cut(struct worker *w, struct target *t, uint64_t now)
{
    if (!t->left) return;
    if (!w->plan->open) {
        end(w, t, 0);
        return;
    }
    const uint64_t now_us = trace_now_us(w, now);
    if (now_us < t->walk.last_us) t->walk.last_us = now_us;
}

static void end(struct worker *w, struct target *t, int unsent)
{
    if (!t->left) return;
    struct trace_walk *k = &t->walk;
    const uint64_t now = clock_now_ns();
    enum trace_found found = TRACE_LATER;
    const int waiting = !unsent && w->plan->open && t->blocked;
    if (waiting) cut(w, t, now);
    while ((waiting || (unsent && !*w->links->stop)) && found != TRACE_OVER && found != TRACE_DAMAGED) {
        found = trace_find(k, UINT64_MAX);
        if (found != TRACE_FOUND) continue;
        const struct trace_record *r = &k->trace->record[k->next++];
        const uint64_t due = due_ns(w, trace_us(r));
        answer_failed(w, t, COUNT_UNSENT, 1);
        if (w->plan->open) answer_none(w, COMMAND_TAG(trace_op(r), 0), now > due ? now - due : 0);
    }
    if (found == TRACE_DAMAGED) w->failed = EBADMSG;
    over(w, t);
}

static int usable(const struct conn *c)
{
    return c->state == CONN_READY && !c->resting;
}

/* Returns the connection for a record: the connection of its key, or the next usable one while that is down. Returns NULL if it is full. */
static struct conn *connection(const struct worker *w, struct target *t, const struct trace_record *r)
{
    uint32_t at = trace_connection(&t->walk, r->hash, t->conns);
    for (uint32_t i = 0; i < t->conns; i++, at = at + 1 == t->conns ? 0 : at + 1) {
        struct conn *c = &t->conn[at];
        if (usable(c)) return c->inflight < w->plan->pipeline ? c : NULL;
    }
    return NULL;
}

static void push(struct worker *w, struct conn *c, uint64_t tagged, uint64_t due, uint64_t now)
{
    uint32_t slot = (c->head + c->inflight) & c->mask;
    c->key[slot] = tagged;
    c->intended[slot] = due;
    c->sent[slot] = now;
    c->inflight++;
    c->unwritten++;
    w->inflight++;
    if (!c->target->inflight++) target_pending(c->target, due);
    if (c->in_dirty) return;
    c->in_dirty = 1;
    w->dirty[w->dirties++] = c;
}

static uint64_t dispatch(struct worker *w, struct target *t, uint64_t now)
{
    const struct plan *plan = w->plan;
    struct trace_walk *k = &t->walk;
    const uint64_t until_us = plan->open ? trace_now_us(w, now) : UINT64_MAX;
    if (!plan->open && now >= plan->stop_ns && t->left) end(w, t, 0);
    while (t->left) {
        enum trace_found found = trace_find(k, until_us);
        const struct trace_record *r = &k->trace->record[k->next];
        if (found == TRACE_OVER) {
            over(w, t);
            return UINT64_MAX;
        }
        if (found == TRACE_DAMAGED) {
            w->failed = EBADMSG;
            return UINT64_MAX;
        }
        t->pacer.next_ns = plan->open ? due_ns(w, trace_us(r)) : now;
        if (found == TRACE_LATER) return t->pacer.next_ns;
        struct conn *c = connection(w, t, r);
        if (!c) {
            t->blocked = 1;
            return UINT64_MAX;
        }
        if (t->blocked) t->free_since_ns = now;
        t->blocked = 0;
        if (plan->open) hist_record(&w->recorder.lag, target_own_delay(t, now), 1);
        push(w, c, COMMAND_TAG(trace_op(r), k->next), t->pacer.next_ns, now);
        k->next++;
    }
    return UINT64_MAX;
}

/* The connection of a request is chosen by its key. */
static void room(struct worker *w, struct conn *c, uint64_t now)
{
    (void)w, (void)c, (void)now;
}

const struct source source_replay = {.room = room, .dispatch = dispatch, .cut = cut, .end = end};

void replay_fill(struct worker *w, struct conn *c, uint64_t tagged, uint64_t now)
{
    const uint64_t number = COMMAND_KEY(tagged);
    const uint32_t slot = (c->head + c->inflight) & c->mask;
    if (!w->options->trace->record[number].size || *w->links->stop) return; /* the trace does not have the size */
    c->key[slot] = COMMAND_TAG(TRACE_FILL, number);
    c->intended[slot] = c->sent[slot] = now;
    c->inflight++;
    c->unwritten++;
    c->following = 1;
}
