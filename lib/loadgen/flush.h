/* SPDX-License-Identifier: MIT */
/* Writing requests to a connection: as copied bytes, or from the values' own memory. */
#ifndef LOADGEN_FLUSH_H
#define LOADGEN_FLUSH_H

#include "worker.h"

/** Write the unwritten bytes, as far as the socket accepts them. `now`: on CLOCK_MONOTONIC, read just before; the send of an open loop's requests. In
 * a closed loop, the latency of a batch counts from its first write. */
void conn_flush(struct worker *w, struct conn *c, uint64_t now);

#endif
