/* SPDX-License-Identifier: MIT */
/* Tracked writes: in addition to the load, R new bits per second and shard. Acknowledged bits are recorded here and compared afterwards with the
 * server's. If keys were overwritten, a later write would hide the loss of an earlier one. */
#ifndef LOADGEN_TRACK_H
#define LOADGEN_TRACK_H

#include "cluster.h"

struct tracked;

struct track {
    struct cluster *cluster;
    uint64_t rate, start_ns;
    struct tracked *shard; /* owned, one a shard of this client */
    int ended;             /* written once, read by the thread without a lock */
    pthread_t thread;
    uint64_t acked, lost; /* of all shards, once track_end has returned */
};

/** Connect to every shard and clear its bits, for `rate` writes per second to each. Returns 0, or -1 with one line in why. Continue with track_begin,
 *  or track_drop. */
int track_open(struct track *t, struct cluster *c, uint64_t rate, char why[LINK_WHY]);

/** Begin to write at start_ns (CLOCK_MONOTONIC). Returns 0, or -1 with errno. End with track_end when 0 was returned. */
int track_begin(struct track *t, uint64_t start_ns);

/** Release what track_open made, without a write. */
void track_drop(struct track *t);

/** No more writes: read back and compare, write `track.tsv` into dir unless that is NULL, and release everything. Returns 0, or -1 with one line in
 *  why when a shard or the file cannot be used. */
int track_end(struct track *t, const char *dir, char why[LINK_WHY]);

#endif
