/* SPDX-License-Identifier: MIT */
/* A connection under load: see conn.h. */
#include "conn.h"

#include "answer.h"
#include "clock.h"
#include "source.h"

#include <errno.h>
#include <stdio.h>
#include <sys/epoll.h>

#define BACKOFF_MIN_NS (50 * NS_PER_MS) /* delay between attempts to connect again; it doubles up to */
#define BACKOFF_MAX_NS (200 * NS_PER_MS)

void conn_refused(struct worker *w, struct target *t)
{
    w->recorder.active_count[COUNT_REFUSED]++;
    snprintf(t->error, sizeof t->error, "connection refused");
}

uint32_t conn_interest(const struct conn *c, int out)
{
    if (!link_layered(&c->link)) return EPOLLIN | EPOLLOUT | EPOLLRDHUP | EPOLLET;
    return out ? EPOLLIN | EPOLLOUT : EPOLLIN;
}

int conn_register(struct worker *w, struct conn *c, int connecting)
{
    struct epoll_event event = {.events = connecting ? EPOLLIN | EPOLLOUT : conn_interest(c, 0), .data.ptr = c};
    c->polled_out = 0;
    return epoll_ctl(w->epoll, EPOLL_CTL_ADD, c->link.fd, &event);
}

/* Record the requests in flight as without an answer, with the time that they have waited; keys that they add must be set again. */
static void unanswered(struct worker *w, const struct conn *c, uint64_t now_ns)
{
    for (uint32_t i = 0; i < c->inflight; i++) {
        uint32_t slot = (c->head + i) & c->mask;
        answer_none(w, c->key[slot], now_ns - (w->open ? c->intended[slot] : c->sent_ns));
        if (w->open) hist_record(&w->recorder.service, now_ns - c->sent[slot], 1);
        adds_failed(c, c->key[slot]);
    }
}

void conn_drop(struct worker *w, struct conn *c, enum count kind, uint64_t now_ns)
{
    struct target *t = c->target;
    if (c->state == CONN_READY && !--t->live) t->down_ns = now_ns;
    answer_failed(w, t, kind, c->inflight);
    if (w->links->cluster && c->state == CONN_READY) {
        snprintf(t->error, sizeof t->error, kind == COUNT_TIMEOUTS ? "no reply in time" : "connection lost");
        cluster_wake(w->links->cluster);
    }
    unanswered(w, c, now_ns);
    if (c->inflight && !w->open) w->last_reply_ns = now_ns; /* a closed loop has waited until now */
    w->inflight -= c->inflight;
    t->inflight -= c->inflight;
    c->inflight = c->unwritten = c->resting = c->following = 0;
    c->written = 0;
    adds_settle(c);
    c->backoff_ns = !c->reopened ? 0 : c->backoff_ns ? c->backoff_ns * 2 : BACKOFF_MIN_NS;
    if (c->backoff_ns > BACKOFF_MAX_NS) c->backoff_ns = BACKOFF_MAX_NS;
    c->retry_ns = now_ns + c->backoff_ns;
    c->state = CONN_DOWN;
    link_close(&c->link);
}

void conn_retry(struct worker *w, struct conn *c, uint64_t now_ns)
{
    c->state = CONN_CONNECTING;
    c->reopened = 1;
    c->progress_ns = now_ns;
    c->greeted = c->body_bad = 0;
    c->bodies = 0;
    c->valued = 0;
    resp_reset(&c->scan);
    int bad = link_reopen(&c->link, w->links, &c->target->endpoint);
    if (bad && errno == ECONNREFUSED) conn_refused(w, c->target);
    if (bad || conn_register(w, c, 1)) conn_drop(w, c, COUNT_LOST, now_ns);
}

void conn_up(struct worker *w, struct conn *c, uint64_t now_ns)
{
    struct target *t = c->target;
    c->state = CONN_READY;
    resp_reset(&c->scan);
    if (!t->live++ && t->down_ns) {
        uint64_t down = now_ns - t->down_ns;
        t->outages++;
        t->outage_total_ns += down;
        if (down > t->outage_longest_ns) t->outage_longest_ns = down;
        t->down_ns = 0;
    }
    if (w->plan) w->source->room(w, c, now_ns);
}
