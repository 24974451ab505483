/* SPDX-License-Identifier: MIT */
/* Silences: see gaps.h. */
#include "gaps.h"

#include <stdlib.h>
#include <string.h>

void gaps_add(struct gaps *g, const struct gap *gap)
{
    if (g->count == g->room) {
        uint32_t room = g->room ? g->room * 2 : 8;
        struct gap *more = realloc(g->gap, room * sizeof *more);
        if (!more) return;
        g->gap = more;
        g->room = room;
    }
    g->gap[g->count++] = *gap;
}

int gaps_both(struct gaps *g, const struct gaps *other, uint64_t least_ns)
{
    struct gaps out = {0};
    for (uint32_t i = 0, j = 0; i < g->count && j < other->count;) {
        const struct gap *a = &g->gap[i], *b = &other->gap[j];
        struct gap both = a->to_ns < b->to_ns ? *a : *b; /* the first thread that gets an answer ends it */
        both.from_ns = a->from_ns > b->from_ns ? a->from_ns : b->from_ns;
        if (both.to_ns > both.from_ns + least_ns) {
            uint32_t before = out.count;
            gaps_add(&out, &both);
            if (out.count == before) {
                gaps_free(&out);
                return -1;
            }
        }
        if (a->to_ns < b->to_ns)
            i++;
        else
            j++;
    }
    gaps_free(g);
    *g = out;
    return 0;
}

void gaps_clear(struct gaps *g)
{
    g->count = 0;
}

void gaps_free(struct gaps *g)
{
    free(g->gap);
    memset(g, 0, sizeof *g);
}
