/* SPDX-License-Identifier: MIT */
/* The life of a connection under load: registered, lost, reconnecting, back. flush.h writes to it, receive.h reads from it. */
#ifndef LOADGEN_CONN_H
#define LOADGEN_CONN_H

#include "worker.h"

#define CONN_IN_SIZE  (256UL * 1024)
#define CONN_OUT_SIZE (256UL * 1024)

/** Returns the epoll events of a link in use; `out`: also when it can be written. For a bare socket they are edge-triggered: no system call is
 *  needed before and after the socket is full, and epoll does not check again what was read to the end. A layered link may have to read in order to
 *  write, so it is level-triggered. */
uint32_t conn_interest(const struct conn *c, int out);

/** Give up the connection: its requests in flight are counted as `kind`, and it will be opened again. */
void conn_drop(struct worker *w, struct conn *c, enum count kind, uint64_t now_ns);

/** Count that no process listens at the address of t. */
void conn_refused(struct worker *w, struct target *t);

/** Try to open a connection that is down. */
void conn_retry(struct worker *w, struct conn *c, uint64_t now_ns);

/** Register a link with the worker's epoll: an open one, or one that is still `connecting`. Returns 0 or -1. */
int conn_register(struct worker *w, struct conn *c, int connecting);

/** A connection can be used: account for the end of an outage and offer it for requests. */
void conn_up(struct worker *w, struct conn *c, uint64_t now_ns);

#endif
