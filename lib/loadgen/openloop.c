/* SPDX-License-Identifier: MIT */
/* An open loop: requests are due by a schedule, and connections with room take them in turn. */
#include "answer.h"
#include "clock.h"
#include "draw.h"
#include "source.h"
#include "target.h"

static void end(struct worker *w, struct target *t, int unsent)
{
    const uint64_t now = clock_now_ns();
    if (!t->left) return;
    /* A due request that has a free connection only awaits the next dispatch. The others have waited from their intended start. */
    for (; t->left && (unsent || (!t->free_count && t->pacer.next_ns <= now)); t->left--, pacer_advance(&t->pacer)) {
        answer_failed(w, t, COUNT_UNSENT, 1);
        answer_none(w, w->mix ? COMMAND_TAG(draw_command(t, w->mix), 0) : 0, now > t->pacer.next_ns ? now - t->pacer.next_ns : 0);
    }
    t->left = 0;
    w->unfinished--;
}

static void cut(struct worker *w, struct target *t, uint64_t now_ns)
{
    struct pacer pacer = t->pacer;
    uint64_t due = 0;
    if (!t->left) return;
    for (; due < t->left && pacer.next_ns <= now_ns; due++) pacer_advance(&pacer);
    t->left = due;
    if (!due) w->unfinished--;
}

/* Put a connection with room at the end of its target's ring. */
static void line_up(struct conn *c)
{
    struct target *t = c->target;
    uint32_t at = t->free_head + t->free_count++;
    t->free[at < t->conns ? at : at - t->conns] = c;
    c->in_free = 1;
}

static void offer(struct worker *w, struct conn *c, uint64_t now_ns)
{
    struct target *t = c->target;
    if (c->in_free || c->idle || c->inflight >= w->plan->pipeline) return;
    if (!t->free_count) t->free_since_ns = now_ns;
    line_up(c);
}

static void push(struct worker *w, struct conn *c, uint64_t intended_ns, uint64_t now_ns)
{
    uint32_t slot = (c->head + c->inflight) & c->mask;
    keys_at(&c->target->keys, intended_ns - w->plan->start_ns);
    c->key[slot] = draw_request(w, c);
    c->intended[slot] = intended_ns;
    c->sent[slot] = now_ns;
    c->inflight++;
    c->unwritten++;
    w->inflight++;
    if (!c->target->inflight++) target_pending(c->target, intended_ns);
}

/* Assign due requests to connections with free slots, in order. */
static uint64_t dispatch(struct worker *w, struct target *t, uint64_t now)
{
    while (t->free_count && t->left && t->pacer.next_ns <= now) {
        struct conn *c = t->free[t->free_head];
        if (++t->free_head == t->conns) t->free_head = 0;
        t->free_count--;
        c->in_free = 0;
        if (c->state != CONN_READY || c->resting) continue; /* lost while it was free, or told to wait */
        hist_record(&w->recorder.lag, target_own_delay(t, now), 1);
        push(w, c, t->pacer.next_ns, now);
        pacer_advance(&t->pacer);
        if (!--t->left) w->unfinished--;
        if (!c->in_dirty) {
            c->in_dirty = 1;
            w->dirty[w->dirties++] = c;
        }
        if (c->inflight < w->plan->pipeline) line_up(c);
    }
    return t->free_count && t->left ? t->pacer.next_ns : UINT64_MAX;
}

const struct source source_open = {.room = offer, .dispatch = dispatch, .cut = cut, .end = end};
