/* SPDX-License-Identifier: MIT */
/* Silences: times without an answer although requests were due, as seen by the threads of an instance, and of the instance as a whole. */
#ifndef LOADGEN_GAPS_H
#define LOADGEN_GAPS_H

#include <stdint.h>

#define GAPS_TEXT 64

struct gap {
    uint64_t from_ns, to_ns;
    char before[GAPS_TEXT], after[GAPS_TEXT]; /* the node that served it, the node that answered again */
    char error[GAPS_TEXT];                    /* the last error before it ended */
};

/* A growing list, in the order of time. Zeroed memory is an empty one. */
struct gaps {
    struct gap *gap; /* owned */
    uint32_t count, room;
};

/** Add a gap. It is dropped when there is no memory. */
void gaps_add(struct gaps *g, const struct gap *gap);

/** Add the gaps of `other`: those that overlap become one, and those that only touch do not. Returns 0, or -1 when out of memory. */
int gaps_either(struct gaps *g, const struct gaps *other);

/** Keep the part of g that is in `other` too: no thread had an answer. Pieces up to least_ns are left out. Returns 0, or -1 when out of memory. */
int gaps_both(struct gaps *g, const struct gaps *other, uint64_t least_ns);

/** Empty the list and keep its memory. */
void gaps_clear(struct gaps *g);

/** Release the list. */
void gaps_free(struct gaps *g);

#endif
