/* SPDX-License-Identifier: MIT */
/* A connection under load: the hot path (fill, write, read, account) and its life (lost, reconnecting, back). */
#ifndef LOADGEN_CONN_H
#define LOADGEN_CONN_H

#include "worker.h"

#define CONN_IN_SIZE  (256UL * 1024)
#define CONN_OUT_SIZE (256UL * 1024)

/** Put one request into the ring of c, which must have room. It is written by the next conn_flush. */
void conn_push(struct worker *w, struct conn *c, uint64_t intended_ns, uint64_t now_ns);

/** Closed loop: fill the empty ring of c with the next batch and write it, unless its target has nothing left or the time is over. */
void conn_refill(struct worker *w, struct conn *c, uint64_t now_ns);

/** Write what is not written yet, as far as the socket takes it. */
void conn_flush(struct worker *w, struct conn *c);

/** Handle the epoll events of c. */
void conn_event(struct worker *w, struct conn *c, uint32_t events);

/** The only connection of a thread in a closed loop: sleep in the read itself, which saves a call and a wake-up a request. Returns the time
 *  on CLOCK_MONOTONIC when something came, else 0. */
uint64_t conn_wait(struct worker *w, struct conn *c);

/** Give up the connection: its requests on the way are counted as `kind`, and it will be opened again. */
void conn_drop(struct worker *w, struct conn *c, enum count kind, uint64_t now_ns);

/** Try to open a connection that is down. */
void conn_retry(struct worker *w, struct conn *c, uint64_t now_ns);

/** Register an open link with the worker's epoll. Returns 0 or -1. */
int conn_register(struct worker *w, struct conn *c, uint32_t events);

/** A connection can be used: account for the end of an outage and offer it for requests. */
void conn_up(struct worker *w, struct conn *c, uint64_t now_ns);

/** Open loop: offer a connection with room to the next request, if it is not offered yet. */
void conn_offer(struct worker *w, struct conn *c, uint64_t now_ns);

/** No request of t is sent any more; those that were due count as unsent when `unsent` is set. */
void target_end(struct worker *w, struct target *t, int unsent);

#endif
