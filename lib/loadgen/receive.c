/* SPDX-License-Identifier: MIT */
/* What arrives on a connection under load: see receive.h. */
#include "receive.h"

#include "answer.h"
#include "clock.h"
#include "conn.h"
#include "flush.h"
#include "replay.h"
#include "source.h"
#include "target.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/epoll.h>

/* Account for the requests that one read answered: in a closed loop they were sent together and answered together. */
static void account(struct worker *w, uint64_t latency_ns, uint64_t n)
{
    hist_record(&w->recorder.active, latency_ns, n);
    w->answered += n;
    w->latency_sum_us += clock_us(latency_ns) * n;
    if (w->latency_sum_us >= (w->max_average_us + 1) * w->answered) w->max_average_us = w->latency_sum_us / w->answered;
}

static inline int value_same(const struct commands *m, uint64_t key, const char *value)
{
    if (m->tail) return !memcmp(value, m->tail + m->tail_value, m->value_len);
    return values_check(m->values, key, m->place, 0, value, m->value_len);
}

/* Open loop: record an answered request by its own times. */
static inline void record_open(struct worker *w, struct conn *c, uint32_t slot, uint64_t now)
{
    account(w, now - c->intended[slot], 1);
    hist_record(&w->recorder.service, now - c->sent[slot], 1);
}

/* Count complete replies of the expected form in [*p, end): the fast path for nearly all replies. Returns their number; leaves *p at the first reply
 * of another form. */
static inline uint32_t take_expected(struct worker *w, struct conn *c, const char **p, const char *end, uint64_t now, struct carried *carried)
{
    const struct commands *m = &c->target->commands;
    const char *at = *p;
    uint32_t n = c->inflight - c->unwritten, done = 0, set = 0;
    int verify = w->plan->verify, open = w->open;
    if (!m->value_len || w->mix) return 0;
    if (!open && w->plan->kind != PHASE_MIXED && (w->plan->kind != PHASE_GET || !verify)) { /* no request needs to be checked */
        if (w->plan->kind == PHASE_GET) {
            done = replies_values(&m->got, at, end, n);
            at += done * m->got.size;
        } else {
            done = set = replies_ok(at, end, n);
            at += (size_t)done * REPLIES_OK_SIZE;
        }
        n = done;
    }
    for (; done < n; done++) {
        uint32_t slot = (c->head + done) & c->mask;
        uint64_t tagged = c->key[slot];
        if (command_kind(tagged)->reply == COMMAND_OK) {
            if (end - at < 5 || memcmp(at, "+OK\r\n", 5) != 0) break;
            at += 5;
            set++;
        } else {
            if (!replies_value_at(&m->got, at, end)) break;
            if (verify && !value_same(m, COMMAND_KEY(tagged), at + m->got.head_len)) answer_failed(w, c->target, COUNT_MISMATCHES, 1);
            at += m->got.size;
        }
        if (open) record_open(w, c, slot, now);
    }
    c->head += done;
    c->inflight -= done;
    carried->sets += set;
    carried->bytes += done * m->value_len;
    *p = at;
    return done;
}

/* For a mix: count a reply by its command, and send the command that follows it. Returns 1 when the request is done. */
static int take_mixed(struct worker *w, struct conn *c, uint64_t tagged, int answers, const struct carried *before, const struct carried *carried,
                      uint64_t now)
{
    const struct mix_command *m = &w->mix->command[tagged >> COMMAND_SHIFT];
    uint32_t slot = c->head & c->mask, next = (c->head + c->inflight) & c->mask;
    if (w->plan->kind == PHASE_POPULATE) return 1;
    struct kind *k = &w->kinds.kind[m->entry];
    if (now < w->window_ns) {
        k->count[KIND_BYTES] += carried->bytes - before->bytes;
        k->count[KIND_MISSES] += carried->misses - before->misses;
    }
    if (!answers) {
        k->count[KIND_ERRORS]++;
        return 1;
    }
    if (m->next) {
        c->key[next] = COMMAND_TAG(m->next, tagged & ((UINT64_C(1) << COMMAND_SHIFT) - 1)); /* with its number */
        if (w->open) c->intended[next] = c->intended[slot], c->sent[next] = c->sent[slot];
        c->inflight++; /* the caller removes the answered request */
        c->unwritten++;
        c->following = 1;
        return 0;
    }
    k->count[now < w->window_ns ? KIND_OPS : KIND_LATE]++;
    hist_record(&k->latency, now - (w->open ? c->intended[slot] : c->sent_ns), 1);
    if (w->replay && w->options->fill_misses && c->scan.nil && tagged >> COMMAND_SHIFT == TRACE_GET) replay_fill(w, c, tagged, now);
    return 1;
}

/* Read the bytes [p, end) of replies. Returns 0, or -1 when the stream is invalid from there on. */
static int take(struct worker *w, struct conn *c, const char *p, const char *end, uint64_t now)
{
    uint64_t *count = w->recorder.active_count;
    struct carried carried = {0, 0, 0}, last;
    uint32_t before = c->inflight, oldest = c->head & c->mask, answered = 0;
    struct target *t = c->target;
    int bad = 0, answers;
    while (p < end && !bad) {
        if (resp_idle(&c->scan)) answered += take_expected(w, c, &p, end, now, &carried);
        if (p == end) break;
        uint64_t tagged = c->key[c->head & c->mask];
        switch (resp_scan(&c->scan, &p, end)) {
        case RESP_MORE:
            break;
        case RESP_BODY:
            if ((w->plan->verify || w->mix) && c->inflight) answer_body(w, c, tagged);
            break;
        case RESP_REPLY:
            if (c->inflight <= c->unwritten) {
                answer_failed(w, c->target, COUNT_ERROR_REPLIES, 1);
                answer_keep(w, c->target, "a reply that answers no request");
                bad = 1;
                break;
            }
            last = carried;
            answers = answer_classify(w, c, tagged, &carried);
            if (!answers) adds_failed(c, tagged);
            if (w->mix && !take_mixed(w, c, tagged, answers, &last, &carried, now)) answers = 0;
            if (answers) {
                answered++;
                if (w->open) record_open(w, c, c->head & c->mask, now);
            }
            c->body_bad = 0;
            c->bodies = 0;
            c->valued = 0;
            c->head++;
            c->inflight--;
            break;
        case RESP_BAD:
            if (!c->inflight) answer_failed(w, c->target, COUNT_ERROR_REPLIES, 1); /* else requests in flight are lost by it */
            answer_keep(w, c->target, "the server sent what is no reply");
            bad = 1;
        }
    }
    if (now < w->window_ns) {
        count[COUNT_OPS] += answered;
        count[COUNT_SETS] += carried.sets;
        count[COUNT_BYTES] += carried.bytes;
        count[COUNT_MISSES] += carried.misses;
    } else {
        count[COUNT_LATE] += answered;
    }
    if (!w->open && answered) account(w, now - c->sent_ns, answered);
    w->inflight -= before - c->inflight;
    t->inflight -= before - c->inflight;
    if (answered) {
        uint64_t ns = now - (w->open ? c->intended[oldest] : c->sent_ns);
        if (ns > t->tally.max_ns) t->tally.max_ns = ns;
        if (now < w->window_ns) t->tally.ops += answered;
        target_heard(t, now, 1);
    }
    if (c->inflight != before) c->reopened = 0;
    w->last_reply_ns = now;
    adds_settle(c);
    return bad ? -1 : 0;
}

/* Read the replies to the greeting. Returns 1 if all have arrived without an error, 0 to continue waiting, -1 to give up. */
static int greeted(struct worker *w, struct conn *c, const char *p, const char *end)
{
    for (;;) {
        switch (resp_scan(&c->scan, &p, end)) {
        case RESP_MORE:
            return 0;
        case RESP_BODY:
            break;
        case RESP_REPLY:
            if (c->scan.type == '-') return -1; /* such as LOADING: it is still starting */
            if (++c->greeted == w->links->greeting_replies) return p == end ? 1 : -1;
            break;
        case RESP_BAD:
            return -1;
        }
    }
}

/* Handle what a read returned: n bytes, or -1 for a broken link. */
static void received(struct worker *w, struct conn *c, ssize_t n, uint64_t now)
{
    if (n < 0) {
        conn_drop(w, c, COUNT_LOST, now);
        return;
    }
    c->progress_ns = now;
    if (c->state == CONN_GREETING) {
        int done = greeted(w, c, w->in, w->in + n);
        struct epoll_event event = {.events = conn_interest(c, 0), .data.ptr = c};
        if (done > 0 && epoll_ctl(w->epoll, EPOLL_CTL_MOD, c->link.fd, &event)) done = -1;
        if (done > 0) conn_up(w, c, now);
        if (done < 0) conn_drop(w, c, COUNT_LOST, now);
        return;
    }
    w->recorder.active_count[COUNT_WIRE] += (uint64_t)n;
    if (take(w, c, w->in, w->in + n, now)) {
        conn_drop(w, c, COUNT_LOST, now);
        return;
    }
    if (c->following && c->unwritten) conn_flush(w, c, now);
    if (c->resting || c->state != CONN_READY) return;
    w->source->room(w, c, now);
}

/* Read what is available. A read that fills less than the buffer has emptied the socket, but does not report an `end` after the bytes. */
static void readable(struct worker *w, struct conn *c, uint32_t end)
{
    ssize_t n;
    do {
        n = link_read(&c->link, w->in, CONN_IN_SIZE);
        if (!n) return;
        received(w, c, n, clock_now_ns());
    } while (c->state != CONN_DOWN && (n == CONN_IN_SIZE || end || link_layered(&c->link))); /* TLS may have data that epoll cannot see */
}

void receive_event(struct worker *w, struct conn *c, uint32_t events)
{
    if (c->state == CONN_CONNECTING) {
        const struct links *s = w->links;
        int ready = link_ready(&c->link, s);
        struct epoll_event event = {.events = ready || c->link.want & POLLIN ? EPOLLIN : EPOLLOUT, .data.ptr = c};
        if (ready < 0 && errno == ECONNREFUSED) conn_refused(w, c->target);
        int bad = ready < 0 || epoll_ctl(w->epoll, EPOLL_CTL_MOD, c->link.fd, &event);
        if (!ready && !bad) return; /* in the middle of a TLS handshake */
        if (bad || link_greet(&c->link, s)) {
            conn_drop(w, c, COUNT_LOST, clock_now_ns());
            return;
        }
        c->state = CONN_GREETING;
        return;
    }
    if (c->state == CONN_DOWN) return;
    uint32_t end = events & (EPOLLRDHUP | EPOLLERR | EPOLLHUP);
    if ((events & EPOLLOUT) && c->unwritten) conn_flush(w, c, clock_now_ns());
    if ((end || (events & EPOLLIN)) && c->state != CONN_DOWN) readable(w, c, end);
}
