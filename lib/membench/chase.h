/* SPDX-License-Identifier: MIT */
/* The latency of memory: every load takes its address from the previous load, in random order, so that no prefetcher can predict it. */
#ifndef MEMBENCH_CHASE_H
#define MEMBENCH_CHASE_H

#include <stddef.h>
#include <stdint.h>

struct chase {
    void **at; /* the address of the next load */
};

/** Link all cache lines of the BYTES bytes at START into one cycle in random order (Sattolo 1986). START is aligned to a line, and there are at
 *  least two lines. Returns the entry of the cycle. */
struct chase chase_link(unsigned char *start, size_t bytes, uint64_t seed);

/** Follow the links for SECONDS, at least one block of loads. Returns nanoseconds per load; the next call continues in the cycle. */
double chase_run(struct chase *c, double seconds);

/** Divide SECONDS into several runs of chase_run. Returns the min: other programs or a hypervisor disturb it least. */
double chase_best(struct chase *c, double seconds);

#endif
