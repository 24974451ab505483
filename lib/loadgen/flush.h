/* SPDX-License-Identifier: MIT */
/* Writing requests to a connection: as bytes that are made, or from where they stand; and what epoll is asked for meanwhile. */
#ifndef LOADGEN_FLUSH_H
#define LOADGEN_FLUSH_H

#include "worker.h"

/** Write what is not written yet, as far as the socket takes it. `now`: on CLOCK_MONOTONIC, read just before, which latency counts from. */
void conn_flush(struct worker *w, struct conn *c, uint64_t now);

/** Returns what epoll is to tell of a link in use, `out`: when it can be written too. It tells a bare socket's changes, once each: no call is needed
 *  before and after the socket is full, and epoll does not look again at what was read out. A layer may want to read in order to write, so that
 *  its state is asked for. */
uint32_t flush_interest(const struct conn *c, int out);

#endif
