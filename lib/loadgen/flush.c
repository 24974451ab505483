/* SPDX-License-Identifier: MIT */
/* Writing requests to a connection: see flush.h. */
#include "flush.h"

#include "clock.h"
#include "conn.h"

#include <sys/epoll.h>
#include <sys/uio.h>

#define FLUSH_MAX (1024UL * 1024) /* max bytes written to one connection before the others get their turn */
#define PIECES    64              /* of a write that gathers */

/* Let epoll report when more can be written. `full`: the socket accepted less than was offered. */
static void poll_out(struct worker *w, struct conn *c, int full)
{
    uint8_t want = c->unwritten > 0;
    if (c->link.fd < 0 || (link_layered(&c->link) ? want == c->polled_out : !want || full)) return;
    struct epoll_event event = {.events = conn_interest(c, want), .data.ptr = c};
    if (!epoll_ctl(w->epoll, EPOLL_CTL_MOD, c->link.fd, &event)) c->polled_out = want;
}

/* Whether a command follows another one of the same request, whose latency counts from the first. */
static int follows(const struct worker *w, uint64_t tagged)
{
    return w->mix && command_mixed(tagged) && !w->mix->command[tagged >> COMMAND_SHIFT].weight && w->plan->kind == PHASE_MIXED;
}

/* Make bytes of the requests from ring position i up to stop, the first from byte `skip` on. Returns the end of the bytes; *i is then the
 *  first request that is not whole among them, and *partly how many of its bytes are made or were written before. */
static char *encode(const struct worker *w, struct conn *c, uint32_t *i, uint32_t stop, uint64_t skip, uint64_t *partly, uint64_t now)
{
    const struct commands *commands = &c->target->commands;
    char *at = w->out, *end = w->out + CONN_OUT_SIZE - COMMAND_SLACK;
    *partly = 0;
    if (!skip && !w->open && commands->largest <= CONN_OUT_SIZE / 2) { /* nearly always */
        const unsigned command = (unsigned)(c->key[*i & c->mask] >> COMMAND_SHIFT);
        uint32_t n = *i;
        if (w->plan->kind != PHASE_MIXED && !w->mix && command_plain(commands, command))
            at = command_encode_run(commands, command, c->key, c->mask, n, stop, &n, at, end);
        else
            for (const char *full = end - commands->largest; n != stop && at <= full; n++) at = command_encode(commands, c->key[n & c->mask], at);
        *i = n;
        return at;
    }
    for (; *i != stop; ++*i) {
        uint64_t tagged = c->key[*i & c->mask];
        size_t room = (size_t)(end - at);
        if (w->open && !skip && !follows(w, tagged)) {
            c->sent[*i & c->mask] = now;
            if (!w->plan->open) c->intended[*i & c->mask] = now; /* a closed loop that is a replay */
        }
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

/* Closed loop: the latency of a batch begins with its first write. To check replies and to make requests is work of the client. */
static void batch_begins(const struct worker *w, struct conn *c)
{
    if (!w->open && c->unwritten == c->inflight && !c->written && !c->following) c->sent_ns = clock_now_ns();
}

/* As encode for `shared` values, without copying them: writes and returns in *size bytes from their own memory, at most PIECES places. */
static ssize_t write_pieces(struct worker *w, struct conn *c, uint32_t *i, uint32_t stop, uint64_t skip, uint64_t *partly, uint64_t now, size_t *size)
{
    _Static_assert((size_t)PIECES * COMMAND_PIECE_MAX <= CONN_OUT_SIZE, "each piece has room");
    const struct commands *commands = &c->target->commands;
    struct iovec from[PIECES];
    int n = 0;
    *partly = *size = 0;
    for (; *i != stop && n < PIECES; skip = 0) {
        uint64_t tagged = c->key[*i & c->mask], whole = command_size(commands, tagged);
        if (w->open && !skip) c->sent[*i & c->mask] = now;
        for (; skip < whole && n < PIECES; n++) {
            from[n].iov_base = (char *)command_piece(commands, tagged, skip, w->out + (size_t)n * COMMAND_PIECE_MAX, &from[n].iov_len);
            skip += from[n].iov_len;
            *size += from[n].iov_len;
        }
        *partly = skip < whole ? skip : 0;
        if (!*partly) ++*i;
    }
    batch_begins(w, c);
    return link_writev(&c->link, from, n);
}

/* Note the requests of c from ring position `from` on, up to the first that is not wholly written. */
static void record_written(struct worker *w, const struct conn *c, uint32_t from, uint64_t now)
{
    const uint64_t conns = w->target[0].conns, client = (uint64_t)w->id * conns + (uint64_t)(c - w->target[0].conn);
    for (; from != c->head + c->inflight - c->unwritten; from++) record_note(w->record, w->record->part[w->id], now, c->key[from & c->mask], client);
}

void conn_flush(struct worker *w, struct conn *c, uint64_t now)
{
    const uint32_t first = c->head + c->inflight - c->unwritten;
    size_t sent = 0;
    int full = 0;
    while (c->unwritten && sent < FLUSH_MAX) {
        uint32_t stop = c->head + c->inflight, i = stop - c->unwritten;
        uint64_t partly;
        size_t size;
        ssize_t put;
        if (c->target->commands.shared && !link_layered(&c->link)) {
            put = write_pieces(w, c, &i, stop, c->written, &partly, now, &size);
        } else {
            size = (size_t)(encode(w, c, &i, stop, c->written, &partly, now) - w->out);
            batch_begins(w, c);
            put = link_write(&c->link, w->out, size);
        }
        if (put < 0) {
            conn_drop(w, c, COUNT_LOST, clock_now_ns()); /* the batch may have begun after `now` */
            return;
        }
        sent += (size_t)put;
        if (put) c->progress_ns = now;
        w->recorder.active_count[COUNT_WIRE] += (uint64_t)put;
        if (put == (ssize_t)size) {
            c->unwritten = stop - i;
            c->written = partly;
            continue;
        }
        full = 1; /* find the request at which the socket stopped */
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
    if (__builtin_expect(w->record != NULL, 0)) record_written(w, c, first, now);
    poll_out(w, c, full);
}
