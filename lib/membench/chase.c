/* SPDX-License-Identifier: MIT */
/* The latency of memory: see chase.h. */
#include "chase.h"

#include "room.h"
#include "stream.h"

#define PARTS 8    /* runs per measurement; the best one counts */
#define BLOCK 4096 /* loads between two reads of the clock; the loads take 300 us, the clock 0.1 us */

/* Returns the next random number (SplitMix64; Steele, Lea and Flood 2014). */
static uint64_t random_next(uint64_t *state)
{
    uint64_t z = (*state += UINT64_C(0x9e3779b97f4a7c15));
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

static void **line_at(unsigned char *start, uint64_t i)
{
    return (void **)(void *)(start + i * ROOM_LINE);
}

struct chase chase_link(unsigned char *start, size_t bytes, uint64_t seed)
{
    uint64_t lines = bytes / ROOM_LINE;
    for (uint64_t i = 0; i < lines; i++) *line_at(start, i) = line_at(start, i);
    /* Swap each line with an earlier one, never with itself: the result is a single cycle. */
    for (uint64_t i = lines - 1; i > 0; i--) {
        uint64_t j = (uint64_t)((unsigned __int128)random_next(&seed) * i >> 64);
        void *kept = *line_at(start, i);
        *line_at(start, i) = *line_at(start, j);
        *line_at(start, j) = kept;
    }
    return (struct chase){.at = line_at(start, 0)};
}

double chase_run(struct chase *c, double seconds)
{
    void **at = c->at;
    uint64_t loads = 0, began = stream_now(), end = began + (uint64_t)(seconds * 1e9), now;
    do {
        for (int i = 0; i < BLOCK; i++) at = *at;
        __asm__ volatile("" : "+r"(at)); /* the compiler must not remove the loads as unused */
        loads += BLOCK;
        now = stream_now();
    } while (now < end);
    c->at = at;
    return (double)(now - began) / (double)loads;
}

double chase_best(struct chase *c, double seconds)
{
    double best = 0;
    for (int i = 0; i < PARTS; i++) {
        double found = chase_run(c, seconds / PARTS);
        if (!i || found < best) best = found;
    }
    return best;
}
