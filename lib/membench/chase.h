/* SPDX-License-Identifier: MIT */
/* The latency of memory: every load takes its address from the load before it, in an order that nothing can guess. */
#ifndef MEMBENCH_CHASE_H
#define MEMBENCH_CHASE_H

#include <stddef.h>
#include <stdint.h>

struct chase {
    void **at; /* where the next load is from */
};

/** Link the lines of BYTES bytes from START on to one cycle through all of them, in random order (Sattolo 1986). START is at a line's
 *  beginning; there are at least two lines. Returns where the cycle is entered. */
struct chase chase_link(unsigned char *start, size_t bytes, uint64_t seed);

/** Follow the links for SECONDS, at least one block of loads. Returns nanoseconds per load, and moves on in the cycle. */
double chase_run(struct chase *c, double seconds);

/** The same, as several runs one after the other. Returns the shortest: what other programs or a hypervisor took is in the others. */
double chase_best(struct chase *c, double seconds);

#endif
