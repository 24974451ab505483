/* SPDX-License-Identifier: MIT */
/* A connection under load: see conn.h. */
#include "conn.h"

#include "clock.h"

#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>

#define FLUSH_MAX      (1024UL * 1024)  /* bytes written to one connection before others have their turn */
#define BACKOFF_MIN_NS (50 * NS_PER_MS) /* between attempts to connect again, doubled up to */
#define BACKOFF_MAX_NS (200 * NS_PER_MS)

/* The next tagged key of a target. */
static inline uint64_t next_request(struct worker *w, struct target *t)
{
    const struct options *o = w->options;
    uint64_t key = keys_next(&t->keys);
    switch (w->plan->kind) {
    case PHASE_GET:
        return key;
    case PHASE_MIXED:
        return rng_below(&t->choice, o->ratio_set + o->ratio_get) < o->ratio_set ? key | COMMAND_SET : key;
    default:
        return key | COMMAND_SET;
    }
}

void target_end(struct worker *w, struct target *t, int unsent)
{
    if (!t->left) return;
    if (unsent) w->recorder.active_count[COUNT_UNSENT] += t->left;
    t->left = 0;
    w->unfinished--;
}

/* Ask epoll for room to write only while something waits to be written. */
static void poll_out(struct worker *w, struct conn *c)
{
    uint8_t want = c->unwritten || c->link.backlog;
    if (want == c->polled_out || c->link.fd < 0) return;
    struct epoll_event event = {.events = want ? EPOLLIN | EPOLLOUT : EPOLLIN, .data.ptr = c};
    if (!epoll_ctl(w->epoll, EPOLL_CTL_MOD, c->link.fd, &event)) c->polled_out = want;
}

/* Make bytes of the requests from ring position i up to stop, the first from byte `skip` on. Returns the end of the bytes; *i is then the
 *  first request that is not whole among them, and *partly how many of its bytes are made or were written before. */
static char *encode(const struct worker *w, struct conn *c, uint32_t *i, uint32_t stop, uint64_t skip, uint64_t *partly, uint64_t now)
{
    const struct commands *commands = &c->target->commands;
    char *at = w->out, *end = w->out + CONN_OUT_SIZE - COMMAND_SLACK;
    *partly = 0;
    if (!skip && !w->open && commands->largest <= CONN_OUT_SIZE / 2) { /* nearly always; in locals, which no byte written can alias */
        const uint64_t *key = c->key;
        const uint32_t mask = c->mask, last = stop;
        const char *const full = end - commands->largest;
        uint32_t n = *i;
        for (; n != last && at <= full; n++) at = command_encode(commands, key[n & mask], at);
        *i = n;
        return at;
    }
    for (; *i != stop; ++*i) {
        uint64_t tagged = c->key[*i & c->mask];
        size_t room = (size_t)(end - at);
        if (w->open && !skip) c->sent[*i & c->mask] = now;
        if (!skip && (room >= commands->largest || room >= command_size(commands, tagged))) {
            at = command_encode(commands, tagged, at);
            continue;
        }
        size_t n = command_encode_part(commands, tagged, skip, at, room);
        at += n;
        skip += n;
        if (skip < command_size(commands, tagged)) {
            *partly = skip;
            break;
        }
        skip = 0;
    }
    return at;
}

void conn_flush(struct worker *w, struct conn *c)
{
    uint64_t now = clock_now_ns();
    size_t sent = 0;
    if (c->unwritten == c->inflight && !c->written) c->sent_ns = now;
    while ((c->unwritten || c->link.backlog) && sent < FLUSH_MAX) {
        uint32_t stop = c->head + c->inflight, i = stop - c->unwritten;
        uint64_t partly;
        char *end = encode(w, c, &i, stop, c->written, &partly, now);
        ssize_t put = link_write(&c->link, w->out, (size_t)(end - w->out));
        if (put < 0) {
            conn_drop(w, c, COUNT_LOST, now);
            return;
        }
        sent += (size_t)put;
        w->recorder.active_count[COUNT_WIRE] += (uint64_t)put;
        if (put == end - w->out) {
            c->unwritten = stop - i;
            c->written = partly;
            if (c->link.backlog) break;
            continue;
        }
        /* The socket is full: find the request it stopped in. */
        for (uint64_t left = (uint64_t)put; left;) {
            uint64_t need = command_size(&c->target->commands, c->key[(stop - c->unwritten) & c->mask]) - c->written;
            if (left < need) {
                c->written += left;
                break;
            }
            left -= need;
            c->unwritten--;
            c->written = 0;
        }
        break;
    }
    poll_out(w, c);
}

void conn_push(struct worker *w, struct conn *c, uint64_t intended_ns, uint64_t now_ns)
{
    uint32_t slot = (c->head + c->inflight) & c->mask;
    c->key[slot] = next_request(w, c->target);
    c->intended[slot] = intended_ns;
    c->sent[slot] = now_ns;
    c->inflight++;
    c->unwritten++;
    w->inflight++;
}

void conn_refill(struct worker *w, struct conn *c, uint64_t now_ns)
{
    struct target *t = c->target;
    if (!t->left) return;
    if (now_ns >= w->plan->stop_ns) {
        target_end(w, t, 0);
        return;
    }
    uint32_t n = (uint32_t)(w->plan->pipeline < t->left ? w->plan->pipeline : t->left);
    c->head = 0;
    for (uint32_t i = 0; i < n; i++) c->key[i] = next_request(w, t);
    c->inflight = c->unwritten = n;
    w->inflight += n;
    t->left -= n;
    if (!t->left) w->unfinished--;
    conn_flush(w, c);
}

void conn_offer(struct worker *w, struct conn *c, uint64_t now_ns)
{
    struct target *t = c->target;
    if (!w->open || c->in_free || c->inflight >= w->plan->pipeline) return;
    if (!t->free_count) t->free_since_ns = now_ns;
    t->free[(t->free_head + t->free_count++) % t->conns] = c;
    c->in_free = 1;
}

/* Account for the requests of one read that were answered: in a closed loop they were sent together and came together. */
static void account(struct worker *w, uint64_t latency_us, uint64_t n)
{
    hist_record(&w->recorder.active, latency_us, n);
    w->answered += n;
    w->latency_sum_us += latency_us * n;
    if (w->latency_sum_us >= (w->max_average_us + 1) * w->answered) w->max_average_us = w->latency_sum_us / w->answered;
}

static void keep_error(struct worker *w, const char *text)
{
    if (!w->first_error[0]) snprintf(w->first_error, sizeof w->first_error, "%s", text);
}

/* Classify a reply that the scanner has read. Returns 1 when it answers the request, 0 when it is an error. */
static int classify(struct worker *w, struct conn *c, uint64_t tagged)
{
    const struct resp *r = &c->scan;
    uint64_t *count = w->recorder.active_count;
    if (r->type == '-' || r->type == '!') {
        count[COUNT_ERROR_REPLIES]++;
        keep_error(w, r->text);
        return 0;
    }
    if (tagged & COMMAND_SET) {
        if (r->type == '+' && !strcmp(r->text, "OK")) {
            count[COUNT_BYTES] += values_length(c->target->commands.values, COMMAND_KEY(tagged));
            count[COUNT_SETS]++;
            return 1;
        }
    } else if (r->nil) {
        count[COUNT_MISSES]++;
        return 1;
    } else if (r->type == '$') {
        count[COUNT_BYTES] += (uint64_t)r->bulk_len;
        if (w->plan->verify && (c->body_bad || (uint64_t)r->bulk_len != values_length(c->target->commands.values, COMMAND_KEY(tagged))))
            count[COUNT_MISMATCHES]++;
        return 1;
    }
    count[COUNT_ERROR_REPLIES]++;
    keep_error(w, "reply of a type that does not belong to the command");
    return 0;
}

/* Does a whole reply to a GET of the one value size stand at p? Returns its size, or 0 to let the scanner look. */
static inline size_t whole_value(const struct commands *m, const char *p, const char *end)
{
    size_t size = m->got_len + m->value_len + 2;
    uint64_t word;
    if (!m->value_len || (size_t)(end - p) < size || end - p < 8) return 0;
    memcpy(&word, p, 8);
    if ((word & m->got_mask) != m->got_word) return 0;
    if (m->got_len > 8 && memcmp(p, m->got, m->got_len) != 0) return 0;
    return p[size - 2] == '\r' && p[size - 1] == '\n' ? size : 0;
}

static inline int value_same(const struct commands *m, uint64_t key, const char *value)
{
    if (m->tail) return !memcmp(value, m->tail + m->tail_len - 2 - m->value_len, m->value_len);
    return values_check(m->values, key, m->place, 0, value, m->value_len);
}

/* Open loop: record an answered request by its own times. */
static inline void record_open(struct worker *w, struct conn *c, uint32_t slot, uint64_t now)
{
    account(w, (now - c->intended[slot]) / NS_PER_US, 1);
    hist_record(&w->recorder.service, (now - c->sent[slot]) / NS_PER_US, 1);
}

/* Take in replies that stand whole in [*p, end) and are of the one expected form: the fast way for nearly all of them. Returns how many;
 * *sets of them are to SETs. Leaves *p at the first that is not so. */
static inline uint32_t take_expected(struct worker *w, struct conn *c, const char **p, const char *end, uint64_t now, uint32_t *sets)
{
    const struct commands *m = &c->target->commands;
    const char *at = *p;
    uint32_t n = c->inflight - c->unwritten, done = 0, set = 0;
    int verify = w->plan->verify, open = w->open;
    if (!m->value_len) return 0;
    for (; done < n; done++) {
        uint32_t slot = (c->head + done) & c->mask;
        uint64_t tagged = c->key[slot];
        if (tagged & COMMAND_SET) {
            if (end - at < 5 || memcmp(at, "+OK\r\n", 5) != 0) break;
            at += 5;
            set++;
        } else {
            size_t size = whole_value(m, at, end);
            if (!size) break;
            if (verify && !value_same(m, COMMAND_KEY(tagged), at + m->got_len)) w->recorder.active_count[COUNT_MISMATCHES]++;
            at += size;
        }
        if (open) record_open(w, c, slot, now);
    }
    c->head += done;
    c->inflight -= done;
    *sets += set;
    *p = at;
    return done;
}

/* Take in the bytes [p, end) of replies. Returns 0, or -1 when the stream cannot be understood any further. */
static int take(struct worker *w, struct conn *c, const char *p, const char *end, uint64_t now)
{
    const struct commands *m = &c->target->commands;
    uint64_t *count = w->recorder.active_count;
    uint32_t before = c->inflight, answered = 0, expected = 0, sets = 0;
    int bad = 0;
    while (p < end && !bad) {
        if (resp_idle(&c->scan)) expected += take_expected(w, c, &p, end, now, &sets);
        if (p == end) break;
        uint64_t tagged = c->key[c->head & c->mask];
        switch (resp_scan(&c->scan, &p, end)) {
        case RESP_MORE:
            break;
        case RESP_BODY:
            if (w->plan->verify && c->inflight && !c->body_bad)
                c->body_bad = !values_check(m->values, COMMAND_KEY(tagged), m->place, c->scan.piece_at, c->scan.piece, c->scan.piece_len);
            break;
        case RESP_REPLY:
            if (c->inflight <= c->unwritten) { /* a reply to nothing */
                bad = 1;
                break;
            }
            if (classify(w, c, tagged)) {
                answered++;
                if (w->open) record_open(w, c, c->head & c->mask, now);
            }
            c->body_bad = 0;
            c->head++;
            c->inflight--;
            break;
        case RESP_BAD:
            bad = 1;
        }
    }
    count[COUNT_OPS] += answered + expected;
    count[COUNT_SETS] += sets;
    count[COUNT_BYTES] += expected * m->value_len;
    if (!w->open && answered + expected) account(w, (now - c->sent_ns) / NS_PER_US, answered + expected);
    w->inflight -= before - c->inflight;
    w->last_reply_ns = now;
    return bad ? -1 : 0;
}

/* Read the replies to the greeting. Returns 1 when all came and none was an error, 0 to wait on, -1 to give up. */
static int greeted(struct worker *w, struct conn *c, const char *p, const char *end)
{
    for (;;) {
        switch (resp_scan(&c->scan, &p, end)) {
        case RESP_MORE:
            return 0;
        case RESP_BODY:
            break;
        case RESP_REPLY:
            if (c->scan.type == '-') return -1; /* such as LOADING: it is not back yet */
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
        if (done > 0) conn_up(w, c, now);
        if (done < 0) conn_drop(w, c, COUNT_LOST, now);
        return;
    }
    w->recorder.active_count[COUNT_WIRE] += (uint64_t)n;
    if (take(w, c, w->in, w->in + n, now)) {
        keep_error(w, "the server sent what is no reply");
        conn_drop(w, c, COUNT_LOST, now);
        return;
    }
    if (w->open)
        conn_offer(w, c, now);
    else if (!c->inflight)
        conn_refill(w, c, now);
}

static void readable(struct worker *w, struct conn *c)
{
    do {
        ssize_t n = link_read(&c->link, w->in, CONN_IN_SIZE);
        if (!n) return;
        received(w, c, n, clock_now_ns());
    } while (c->link.context && link_layered(&c->link)); /* TLS may hold more than epoll can see */
}

uint64_t conn_wait(struct worker *w, struct conn *c)
{
    ssize_t n = link_wait(&c->link, w->in, CONN_IN_SIZE);
    if (!n) return 0;
    uint64_t now = clock_now_ns();
    received(w, c, n, now);
    return now;
}

void conn_event(struct worker *w, struct conn *c, uint32_t events)
{
    if (c->state == CONN_CONNECTING) {
        struct epoll_event event = {.events = EPOLLIN, .data.ptr = c};
        const struct links *s = w->links;
        if (link_ready(&c->link) || epoll_ctl(w->epoll, EPOLL_CTL_MOD, c->link.fd, &event) ||
            link_write(&c->link, s->greeting, s->greeting_len) != (ssize_t)s->greeting_len) {
            conn_drop(w, c, COUNT_LOST, clock_now_ns());
            return;
        }
        c->state = CONN_GREETING;
        return;
    }
    if (c->state == CONN_DOWN) return;
    if (events & EPOLLOUT) conn_flush(w, c);
    if ((events & (EPOLLIN | EPOLLERR | EPOLLHUP)) && c->state != CONN_DOWN) readable(w, c);
}

int conn_register(struct worker *w, struct conn *c, uint32_t events)
{
    struct epoll_event event = {.events = events, .data.ptr = c};
    c->polled_out = 0;
    return epoll_ctl(w->epoll, EPOLL_CTL_ADD, c->link.fd, &event);
}

void conn_drop(struct worker *w, struct conn *c, enum count kind, uint64_t now_ns)
{
    struct target *t = c->target;
    if (c->state == CONN_READY && !--t->live) t->down_ns = now_ns;
    w->recorder.active_count[kind] += c->inflight;
    w->inflight -= c->inflight;
    c->inflight = c->unwritten = 0;
    c->written = 0;
    c->backoff_ns = c->state == CONN_READY ? 0 : c->backoff_ns ? c->backoff_ns * 2 : BACKOFF_MIN_NS;
    if (c->backoff_ns > BACKOFF_MAX_NS) c->backoff_ns = BACKOFF_MAX_NS;
    c->retry_ns = now_ns + c->backoff_ns;
    c->state = CONN_DOWN;
    link_close(&c->link);
}

void conn_retry(struct worker *w, struct conn *c, uint64_t now_ns)
{
    c->state = CONN_CONNECTING;
    c->progress_ns = now_ns;
    c->greeted = c->body_bad = 0;
    resp_reset(&c->scan);
    if (link_reopen(&c->link, w->links, c->target->port) || conn_register(w, c, EPOLLIN | EPOLLOUT)) conn_drop(w, c, COUNT_LOST, now_ns);
}

void conn_up(struct worker *w, struct conn *c, uint64_t now_ns)
{
    struct target *t = c->target;
    c->state = CONN_READY;
    c->backoff_ns = 0;
    resp_reset(&c->scan);
    if (!t->live++ && t->down_ns) {
        uint64_t down = now_ns - t->down_ns;
        t->outages++;
        t->outage_total_ns += down;
        if (down > t->outage_longest_ns) t->outage_longest_ns = down;
        t->down_ns = 0;
    }
    if (!w->plan) return;
    if (w->open)
        conn_offer(w, c, now_ns);
    else
        conn_refill(w, c, now_ns);
}
