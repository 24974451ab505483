/* SPDX-License-Identifier: MIT */
/* The ways in which a phase sends its requests: each connection when it is empty (a closed loop), by a schedule (an open loop), or from a trace. */
#ifndef LOADGEN_SOURCE_H
#define LOADGEN_SOURCE_H

#include "worker.h"

struct source {
    /** A connection has room, or can be used again. */
    void (*room)(struct worker *w, struct conn *c, uint64_t now_ns);
    /** Put due requests into rings. Returns when the next one is due, UINT64_MAX if that depends on an answer. NULL for a closed loop. */
    uint64_t (*dispatch)(struct worker *w, struct target *t, uint64_t now_ns);
    /** The phase has lasted long enough: an open loop still sends the requests that are due. */
    void (*cut)(struct worker *w, struct target *t, uint64_t now_ns);
    /** Stop sending. Due requests of an open loop that wait for a connection count as unsent; if `unsent` is set, all remaining ones. */
    void (*end)(struct worker *w, struct target *t, int unsent);
};

extern const struct source source_closed, source_open, source_replay;

#endif
