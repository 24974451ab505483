/* SPDX-License-Identifier: MIT */
/* A connection under load: the hot path (fill, read, account; flush.h writes) and its life (lost, reconnecting, back). */
#ifndef LOADGEN_CONN_H
#define LOADGEN_CONN_H

#include "worker.h"

#define CONN_IN_SIZE  (256UL * 1024)
#define CONN_OUT_SIZE (256UL * 1024)

/** Put one request into the ring of c, which must have room. It is written by the next conn_flush. */
void conn_push(struct worker *w, struct conn *c, uint64_t intended_ns, uint64_t now_ns);

/** Closed loop: fill the empty ring of c with the next batch and write it, unless its target has no requests left or the time is over. */
void conn_refill(struct worker *w, struct conn *c, uint64_t now_ns);

/** Handle the epoll events of c. */
void conn_event(struct worker *w, struct conn *c, uint32_t events);

/** Give up the connection: its requests in flight are counted as `kind`, and it will be opened again. */
void conn_drop(struct worker *w, struct conn *c, enum count kind, uint64_t now_ns);

/** Try to open a connection that is down. */
void conn_retry(struct worker *w, struct conn *c, uint64_t now_ns);

/** Register a link with the worker's epoll: an open one, or one that is still `connecting`. Returns 0 or -1. */
int conn_register(struct worker *w, struct conn *c, int connecting);

/** A connection can be used: account for the end of an outage and offer it for requests. */
void conn_up(struct worker *w, struct conn *c, uint64_t now_ns);

/** Open loop: offer a connection with room to the next request, if it is not offered yet. */
void conn_offer(struct worker *w, struct conn *c, uint64_t now_ns);

/** Open loop: put a connection with room at the end of its target's ring. */
static inline void conn_line_up(struct conn *c)
{
    struct target *t = c->target;
    uint32_t at = t->free_head + t->free_count++;
    t->free[at < t->conns ? at : at - t->conns] = c;
    c->in_free = 1;
}

/** Stop sending requests of t. Due requests of an open loop that wait for a connection count as unsent; if `unsent` is set, all remaining ones. */
void target_end(struct worker *w, struct target *t, int unsent);

#endif
