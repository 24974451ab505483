/* SPDX-License-Identifier: MIT */
/* Writing requests to a connection: as copied bytes, or from the values' own memory; and the epoll events to wait for in the meantime. */
#ifndef LOADGEN_FLUSH_H
#define LOADGEN_FLUSH_H

#include "worker.h"

/** Write the unwritten bytes, as far as the socket accepts them. `now`: on CLOCK_MONOTONIC, read just before; the send of an open loop's requests. In
 * a closed loop, the latency of a batch counts from its first write. */
void conn_flush(struct worker *w, struct conn *c, uint64_t now);

/** Returns the epoll events of a link in use; `out`: also when it can be written. For a bare socket they are edge-triggered: no system call is
 *  needed before and after the socket is full, and epoll does not check again what was read to the end. A layered link may have to read in order to
 *  write, so it is level-triggered. */
uint32_t flush_interest(const struct conn *c, int out);

#endif
