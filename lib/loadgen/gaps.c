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

/* As gaps_add. Returns 0, or -1 when out of memory. */
static int append(struct gaps *g, const struct gap *gap)
{
    uint32_t before = g->count;
    gaps_add(g, gap);
    return g->count == before ? -1 : 0;
}

int gaps_either(struct gaps *g, const struct gaps *other)
{
    struct gaps out = {0};
    for (uint32_t i = 0, j = 0; i < g->count || j < other->count;) {
        const int ours = j == other->count || (i < g->count && g->gap[i].from_ns <= other->gap[j].from_ns);
        const struct gap *next = ours ? &g->gap[i++] : &other->gap[j++];
        struct gap *last = out.count ? &out.gap[out.count - 1] : NULL;
        /* Where two only touch, there was an answer. */
        if (!last || next->from_ns >= last->to_ns) {
            if (!append(&out, next)) continue;
            gaps_free(&out);
            return -1;
        }
        if (next->to_ns <= last->to_ns) continue;
        uint64_t from_ns = last->from_ns;
        *last = *next;
        last->from_ns = from_ns;
    }
    gaps_free(g);
    *g = out;
    return 0;
}

int gaps_both(struct gaps *g, const struct gaps *other, uint64_t least_ns)
{
    struct gaps out = {0};
    for (uint32_t i = 0, j = 0; i < g->count && j < other->count;) {
        const struct gap *a = &g->gap[i], *b = &other->gap[j];
        const int first = a->to_ns < b->to_ns;
        struct gap both = first ? *a : *b; /* the first thread that gets an answer ends it */
        if (!strcmp(both.error, "-")) memcpy(both.error, first ? b->error : a->error, sizeof both.error);
        both.from_ns = a->from_ns > b->from_ns ? a->from_ns : b->from_ns;
        if (both.to_ns > both.from_ns + least_ns && append(&out, &both)) {
            gaps_free(&out);
            return -1;
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
