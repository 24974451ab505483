/* SPDX-License-Identifier: MIT */
/* Cold memory: memory of a node that is written once and never used again. */
#ifndef MEMBENCH_HOLD_H
#define MEMBENCH_HOLD_H

#include "room.h"
#include "watch.h"

/** Returns how many of REST bytes are written next, on a node that can give LEFT bytes while KEEP bytes stay free: at most one part, in whole huge
 *  pages if less fits. 0: the node has no more. */
size_t hold_part(uint64_t left, uint64_t keep, size_t rest);

/** Map BYTES on NODE, a multiple of 2 MiB, and write every page once, with contents that do not compress. Memory is taken in parts, each only while
 *  at least KEEP bytes of the node are free besides it. Once LEAST bytes are written, it ends where the node has no more. Afterwards the pages have
 * no policy, so that the kernel may move them. The caller frees the buffer with room_unmap. Returns 0, 1 when WATCH was over before, or -1 with errno
 * and *why, a static text; then nothing is mapped. */
int hold_map(struct room *r, size_t bytes, uint64_t least, int node, uint64_t keep, const struct watch *watch, const char **why);

#endif
