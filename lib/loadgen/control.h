/* SPDX-License-Identifier: MIT */
/* Commands to an instance in addition to the load: check of its keys, FLUSHALL, the marker key, reasons for missing keys. */
#ifndef LOADGEN_CONTROL_H
#define LOADGEN_CONTROL_H

#include "link.h"

#define CONTROL_MARKER "redis-tier-benchmark:marker" /* an instance that holds it holds only keys that we may flush; on a shard {TAG} follows */

/* The facts of an instance; only one thread at a time uses them. */
struct control {
    struct endpoint endpoint;
    char marker[64];           /* the name of the marker key */
    int ours;                  /* it holds only keys that we may flush: the marker may be written again */
    uint64_t evicted, expired; /* keys that the server has removed since it started */
};

/** Prepare the commands for an instance, or a shard. Returns 0, or -1 with one line in why. */
int control_init(struct control *c, const struct links *s, uint64_t instance, char why[LINK_WHY]);

/** Check whether an instance may be flushed. FLUSHALL removes all databases, so all of them count: they must be empty, or only database 0 has keys,
 *  with our marker among them. An unclear answer is a refusal. Returns 0 when it may be flushed; else -1 with one line in why, never an empty one.
 *  */
int control_check(const struct links *s, struct control *c, char why[LINK_WHY]);

/** FLUSHALL, then write the marker (with HSET, so that the server's count of SET stays that of the load). Returns 0, or -1 with one line in
 *  why. Waits long: an instance of hundreds of gigabytes takes minutes. */
int control_flush(const struct links *s, struct control *c, char why[LINK_WHY]);

/** Write the marker into an instance that is empty; does nothing to any other. Returns 0, or -1 with one line in why. */
int control_mark_empty(const struct links *s, struct control *c, char why[LINK_WHY]);

/** Write the marker again if all keys are ours, because eviction may have removed it. Waits at most a second. Returns 0, or -1 with one line in why.
 * */
int control_mark_again(const struct links *s, struct control *c, char why[LINK_WHY]);

/** Query the numbers of keys that the server evicted and expired. Returns 0, or -1 with one line in why. */
int control_taken(const struct links *s, struct control *c, char why[LINK_WHY]);

/** Read the keys of each database in the text of INFO keyspace. Returns 0 and sets the keys of database 0, of all others, and the number of the
 *  first other database with keys; -1 when the text is invalid. */
int control_keyspace(const char *info, uint64_t *zero, uint64_t *others, uint64_t *other);

#endif
