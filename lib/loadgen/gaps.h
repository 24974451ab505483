/* SPDX-License-Identifier: MIT */
/* Silences: times without an answer although requests were due, as the threads of an instance see them and as the instance had them. */
#ifndef LOADGEN_GAPS_H
#define LOADGEN_GAPS_H

#include <stdint.h>

#define GAPS_TEXT 64

struct gap {
    uint64_t from_ns, to_ns;
    char before[GAPS_TEXT], after[GAPS_TEXT]; /* who served it, who answered again */
    char error[GAPS_TEXT];                    /* the last one before it ended */
};

/* A growing list, in the order of time. Zeroed memory is an empty one. */
struct gaps {
    struct gap *gap; /* owned */
    uint32_t count, room;
};

/** Add a gap. It is lost when there is no memory. */
void gaps_add(struct gaps *g, const struct gap *gap);

/** Keep of g what is in `other` too: an instance is silent when it is so to all. Pieces up to least_ns are left out. Returns 0, or -1 when out
 *  of memory. */
int gaps_both(struct gaps *g, const struct gaps *other, uint64_t least_ns);

/** Empty the list and keep its memory. */
void gaps_clear(struct gaps *g);

/** Release the list. */
void gaps_free(struct gaps *g);

#endif
