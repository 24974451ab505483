/* SPDX-License-Identifier: MIT */
/* Keys that SETs of KEYS_LATEST add: see adds.h. */
#include "adds.h"

#include "worker.h"

#include <stdlib.h>

int adds_init(struct adds *a, uint64_t room)
{
    a->failed = calloc(room, sizeof *a->failed);
    return a->failed ? 0 : -1;
}

void adds_free(struct adds *a)
{
    free(a->failed);
    a->failed = NULL;
}

/* Let keys be read up to the first that is not confirmed. */
static void see(struct target *t)
{
    uint64_t first = t->keys.added;
    for (uint32_t i = 0; i < t->conns; i++)
        if (t->conn[i].oldest_add < first) first = t->conn[i].oldest_add;
    for (uint32_t i = 0; i < t->adds.failures; i++)
        if (t->adds.failed[i] < first) first = t->adds.failed[i];
    keys_see(&t->keys, first);
}

void adds_begin(struct target *t, uint64_t added)
{
    t->keys.added = added;
    see(t);
}

uint64_t adds_next(struct conn *c)
{
    struct target *t = c->target;
    uint64_t n = t->adds.failures ? t->adds.failed[--t->adds.failures] : t->keys.added++;
    if (n < c->oldest_add) c->oldest_add = n;
    return keys_addition(&t->keys, n);
}

/* The number of the key that a request adds, UINT64_MAX if it adds none. */
static uint64_t number_of(const struct conn *c, uint64_t tagged)
{
    return tagged >> COMMAND_SHIFT == COMMAND_SET ? keys_added(&c->target->keys, COMMAND_KEY(tagged)) : UINT64_MAX;
}

void adds_failed(const struct conn *c, uint64_t tagged)
{
    struct adds *a = &c->target->adds;
    if (c->oldest_add == UINT64_MAX) return; /* no request of c adds a key */
    const uint64_t n = number_of(c, tagged);
    if (n != UINT64_MAX) a->failed[a->failures++] = n;
}

void adds_settle(struct conn *c)
{
    const uint64_t before = c->oldest_add;
    uint64_t oldest = UINT64_MAX;
    if (before == UINT64_MAX) return;
    for (uint32_t i = 0; i < c->inflight && oldest != before; i++) {
        const uint64_t n = number_of(c, c->key[(c->head + i) & c->mask]);
        if (n < oldest) oldest = n;
    }
    c->oldest_add = oldest;
    if (oldest != before && before <= c->target->keys.seen) see(c->target); /* else others are older */
}
