/* SPDX-License-Identifier: MIT */
/* Keys that SETs of KEYS_LATEST add to a target: which of them the server has confirmed, and which must be set again. */
#ifndef LOADGEN_ADDS_H
#define LOADGEN_ADDS_H

#include <stdint.h>

struct conn;
struct target;

/* The keys whose SET failed, as numbers of keys_addition. A new key is added only when no key has failed, so all of them had requests in flight at
 * the same time. */
struct adds {
    uint64_t *failed; /* owned; NULL without KEYS_LATEST */
    uint32_t failures;
};

/** Allocate room for as many requests in flight. Returns 0, or -1 when out of memory. Free with adds_free. */
int adds_init(struct adds *a, uint64_t room);

/** Release what adds_init allocated. */
void adds_free(struct adds *a);

/** Begin a phase of t, which has `added` keys of earlier phases: those up to the first that failed may be read. */
void adds_begin(struct target *t, uint64_t added);

/** Returns the key of the next SET on c: one whose SET failed, or a new one. */
uint64_t adds_next(struct conn *c);

/** The request of c was not confirmed: if it is a SET that adds a key, the next SET takes that key. Call adds_settle after it. */
void adds_failed(const struct conn *c, uint64_t tagged);

/** Requests have left the ring of c: an added key may be read once the server has confirmed it and all keys that were added before it. */
void adds_settle(struct conn *c);

#endif
