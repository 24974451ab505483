/* SPDX-License-Identifier: MIT */
/* Divide the pages of other processes between near and far nodes, with move_pages(2), as weighted interleave would have placed them. */
#ifndef TIERBENCH_SPREAD_H
#define TIERBENCH_SPREAD_H

#include <stdint.h>
#include <sys/types.h>

#define SPREAD_NODES 64 /* max nodes of a kind */

struct spread {
    int near[SPREAD_NODES];
    int nears;
    int far[SPREAD_NODES];
    int fars;
    double share;       /* of the pages that belong on near nodes, from 0 to 1 */
    uint64_t pages;     /* found so far */
    uint64_t moved;     /* of them, those that were elsewhere before */
    uint64_t misplaced; /* of them, those that are elsewhere still */
};

/** Returns the node of the page with this number. With a smaller share, every page on a far node stays there. */
int spread_node(const struct spread *s, uint64_t page);

/** Move the private anonymous pages of a process, and add to the counts. Pages that the process does not have in memory are left out.
 *  Returns 0, or -1 with errno. */
int spread_process(struct spread *s, pid_t pid);

#endif
