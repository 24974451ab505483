/* SPDX-License-Identifier: MIT */
/* What is done to an instance beside the load: whose keys it holds, FLUSHALL, the marker key. */
#ifndef LOADGEN_CONTROL_H
#define LOADGEN_CONTROL_H

#include "link.h"

#define CONTROL_MARKER "redis-tier-benchmark:marker" /* an instance that holds it holds only keys that we may flush */

/** Look whether the instance on port may be flushed: it is empty, or holds our marker. Returns 0 when it may, 1 when it holds keys of others,
 *  -1 when it could not be asked; one line in why for both. */
int control_check(const struct links *s, uint64_t port, char why[LINK_WHY]);

/** FLUSHALL, then write the marker (with HSET, so that the server's count of SET stays that of the load). Returns 0, or -1 with one line in
 *  why. Waits long: an instance of hundreds of gigabytes takes minutes. */
int control_flush(const struct links *s, uint64_t port, char why[LINK_WHY]);

/** Write the marker into an instance that is empty; does nothing to any other. Returns 0, or -1 with one line in why. */
int control_mark_empty(const struct links *s, uint64_t port, char why[LINK_WHY]);

#endif
