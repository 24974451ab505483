/* SPDX-License-Identifier: MIT */
/* A Redis Cluster under load: its shards, the current node of each, a thread that queries the nodes after an error, and each shard's counts of an
 * interval. Shards are numbered by their lowest slot; shard i replaces the instance on PORT + i. */
#ifndef LOADGEN_CLUSTER_H
#define LOADGEN_CLUSTER_H

#include "link.h"
#include "nodes.h"

#include <pthread.h>

#define CLUSTER_GAP_NS (100 * UINT64_C(1000000)) /* silence of a shard while requests are due that counts as a gap */

/* What the threads of a shard hand over for an interval, together. */
struct tally {
    uint64_t ops, errors, max_ns;
    uint32_t silent, heard; /* threads that have waited longer than CLUSTER_GAP_NS for an answer, and those that had one within that time */
};

struct shard {
    struct slots_tags tags;
    uint16_t *slot; /* owned: its slots, rising */
    uint32_t slots;
    char id[NODES_ID + 1];    /* of the node that serves it */
    struct endpoint endpoint; /* of that node; under the cluster's lock */
    uint64_t epoch;
    uint32_t moves; /* how often it went to another node: read by all threads without the lock */
    struct tally tally;
};

struct cluster {
    const struct links *links;
    struct shard *shard;         /* owned: this client's part of them */
    uint32_t shards, first, all; /* all: the number of shards of the whole cluster */
    uint16_t owner[SLOTS];       /* by slot: the index in shard; 0xffff: a shard of another client */
    int ended, woken, running;
    int broken;                 /* it cannot be used any more: read by all threads without the lock */
    char why[LINK_WHY];         /* why */
    struct endpoint *known;     /* owned: every node with an address */
    uint32_t known_count, turn; /* the node that the watcher asks next */
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t wake;
};

/** Query the nodes from HOST:PORT once, check that they may be used (if --node is given, all nodes must be in its list), and number the shards; all
 * of them, or those of --shards. Sends no writing command. Returns 0, or -1 with one line in why. Free with cluster_free in both cases. */
int cluster_init(struct cluster *c, const struct links *links, const struct options *o, char why[LINK_WHY]);

/** Start the watcher. Returns 0, or -1 with errno. */
int cluster_watch(struct cluster *c);

/** End the watcher and release everything. */
void cluster_free(struct cluster *c);

/** Report an error of a shard, so that the watcher queries the nodes. Not for the hot path, although it costs little while the watcher is active. */
void cluster_wake(struct cluster *c);

/** Returns whether the shard has moved to another node since `moves`. */
static inline int cluster_moved(const struct cluster *c, uint32_t shard, uint32_t moves)
{
    return __atomic_load_n(&c->shard[shard].moves, __ATOMIC_ACQUIRE) != moves;
}

/** Returns whether the cluster cannot be used any more; `why` then has the reason. */
static inline int cluster_broken(const struct cluster *c)
{
    return __atomic_load_n(&c->broken, __ATOMIC_ACQUIRE);
}

/** Copy the address of the node that serves a shard now. Returns how often the shard has moved. */
uint32_t cluster_follow(struct cluster *c, uint32_t shard, struct endpoint *e);

/** Hand over the counts of one thread for a shard in an interval. */
void cluster_post(struct cluster *c, uint32_t shard, const struct tally *tally);

/** Take the counts that were handed over, and copy the name of the node that serves the shard. */
void cluster_take(struct cluster *c, uint32_t shard, struct tally *tally, char name[ENDPOINT_NAME]);

#endif
