/* SPDX-License-Identifier: MIT */
/* Compressible content: see compressible.h. Short runs of random bytes (literals) alternate with copies of earlier bytes (matches), as in text. The
 * branches of these runs dominate the time to decompress, not the bytes. Measured on 136 MB of C, C++, Python and shell source, lz4 finds
 * 386, 314, 246 and 205 matches in a page of ratio 1.5, 2, 3 and 4. */
#include "compressible.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

#define PAGE        4096UL
#define CLASSES     8            /* distances are multiples of 8, so that XOR with a repeated word of 8 bytes keeps matches */
#define WINDOW      512          /* bytes back to a source at most: a page that begins anywhere contains nearly all of its sources */
#define ANCHORS     (2 * WINDOW) /* of one class; more than a window can hold */
#define FIRST       12           /* literals at the start */
#define MATCH_MIN   4            /* the shortest match that lz4 and lzo look for */
#define NO_LITERALS 0.45         /* part of the matches that follow another match directly; 0.42 to 0.62 in source */

/* Positions from which a match may copy: their next bytes occur only there, since a compressor remembers one position for each content. */
struct anchors {
    uint32_t at[CLASSES][ANCHORS];
    uint32_t count[CLASSES];
};

/* A geometric variate with this mean. */
static size_t geometric(struct rng *rng, double mean)
{
    return mean > 0 ? (size_t)(log(rng_unit(rng)) / log(mean / (1 + mean))) : 0;
}

static void anchor_add(struct anchors *a, size_t at)
{
    uint32_t *count = &a->count[at % CLASSES];
    if (*count < ANCHORS) a->at[at % CLASSES][(*count)++] = (uint32_t)at;
}

/* Pick an anchor that position `at` can copy from; anchors outside the window are dropped. Returns NULL if no anchor is left. */
static uint32_t *anchor_pick(struct anchors *a, size_t at, struct rng *rng)
{
    uint32_t *list = a->at[at % CLASSES], *count = &a->count[at % CLASSES];
    while (*count) {
        uint32_t *pick = &list[rng_below(rng, *count)];
        if (at - *pick <= WINDOW) return pick;
        *pick = list[--*count];
    }
    return NULL;
}

/* Compressed bytes of a match, the mean of lz4 (3, and more from 19 on) and lzo (2 up to a length of 8, 3 up to 33, then more). */
static double match_cost(size_t length)
{
    double n = (double)length;
    double lz4 = length < 19 ? 3 : 4 + (n - 19) / 255;
    double lzo = length <= 8 ? 2 : length <= 33 ? 3 : 4 + (n - 33) / 255;
    return (lz4 + lzo) / 2;
}

void compressible_make(unsigned char *out, size_t size, double ratio, struct rng *rng)
{
    const double literals = 0.4 + 1.5 / (ratio - 0.7); /* between matches, on average; a fit to the counts at the top */
    const double cut =
        size < 2 * PAGE ? 0.25 + (double)size / (4 * PAGE) : 1; /* page boundaries per page of content: allocators align small values */
    const double loss_max = 20 + ratio; /* cost of a match when a page begins between it and its source: the parts have other sources */
    struct anchors anchors;
    double cost = 0; /* compressed bytes up to `at`: matches are as long as it takes to keep at = ratio * cost */
    memset(anchors.count, 0, sizeof anchors.count);
    for (size_t at = 0; at < size;) {
        size_t run = FIRST;
        if (at) run = rng_unit(rng) < NO_LITERALS ? 0 : 1 + geometric(rng, literals / (1 - NO_LITERALS) - 1);
        uint32_t *from = NULL;
        double want = 0;
        for (size_t n = 0; at < size && (n < run || want < MATCH_MIN + 1 || !(from = anchor_pick(&anchors, at, rng))); n++) {
            out[at] = (unsigned char)(rng_next(rng) >> 56);
            anchor_add(&anchors, at++);
            cost += n == 3 || n == 14 ? 1.5 : 1; /* a fourth of them cost a byte more in lzo, a fifteenth in lz4 */
            want = ratio * (cost + match_cost(MATCH_MIN)) - (double)at;
        }
        if (!from) break;
        size_t length = MATCH_MIN + geometric(rng, want - MATCH_MIN), back = at - *from;
        if (length > size - at) length = size - at;
        *from = (uint32_t)at;
        for (size_t i = 0; i < length; i++, at++) out[at] = out[at - back];
        double lost = (double)length < loss_max ? (double)length : loss_max;
        cost += match_cost(length) + cut * (double)back / PAGE * (lost - match_cost(MATCH_MIN));
    }
}
