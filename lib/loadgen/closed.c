/* SPDX-License-Identifier: MIT */
/* A closed loop: a connection sends its next batch when the last is answered. */
#include "answer.h"
#include "draw.h"
#include "flush.h"
#include "source.h"

static void end(struct worker *w, struct target *t, int unsent)
{
    if (!t->left) return;
    if (unsent) answer_failed(w, t, COUNT_UNSENT, t->left);
    t->left = 0;
    w->unfinished--;
}

static void cut(struct worker *w, struct target *t, uint64_t now_ns)
{
    (void)now_ns;
    end(w, t, 0);
}

static void refill(struct worker *w, struct conn *c, uint64_t now_ns)
{
    struct target *t = c->target;
    if (c->inflight || !t->left || c->idle) return;
    if (now_ns >= w->plan->stop_ns) {
        end(w, t, 0);
        return;
    }
    uint32_t n = (uint32_t)(w->plan->pipeline < t->left ? w->plan->pipeline : t->left);
    c->head = 0;
    c->following = 0;
    keys_at(&t->keys, now_ns > w->plan->start_ns ? now_ns - w->plan->start_ns : 0);
    if (w->plan->kind == PHASE_MIXED || w->mix || t->keys.spec.kind == KEYS_LATEST || t->commands.draws)
        for (uint32_t i = 0; i < n; i++) c->key[i] = draw_request(w, c);
    else
        keys_take(&t->keys, COMMAND_TAG(w->plan->kind == PHASE_GET ? COMMAND_GET : COMMAND_SET, 0), c->key, n);
    c->inflight = c->unwritten = n;
    w->inflight += n;
    t->inflight += n;
    if (!t->pending_ns) t->pending_ns = now_ns;
    t->left -= n;
    if (!t->left) w->unfinished--;
    conn_flush(w, c, now_ns);
}

const struct source source_closed = {.room = refill, .cut = cut, .end = end};
