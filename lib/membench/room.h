/* SPDX-License-Identifier: MIT */
/* Memory of one NUMA node: how much may be taken, and a buffer that is on it. */
#ifndef MEMBENCH_ROOM_H
#define MEMBENCH_ROOM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ROOM_NODES 1024 /* node numbers are below it, as in Linux */
#define ROOM_LINE  64   /* bytes of a cache line; of a larger one, a step of the chase takes a part */
#define ROOM_PART  4    /* never more than this part of what is free: a fourth */

struct room {
    unsigned char *start; /* NULL: nothing is mapped */
    size_t bytes;
    bool huge; /* at least nine tenths are huge pages */
};

/** Read the free bytes of a node from TEXT, its meminfo; the whole machine's where it has no such line. Returns 0 and sets *bytes, or -1. */
int room_free_in(const char *text, uint64_t *bytes);

/** How many bytes of node NODE may be taken: a fourth of its free ones, and of what the machine has available. Returns 0 and sets *bytes, or -1
 *  with errno. */
int room_limit(int node, uint64_t *bytes);

/** The largest cache that CPU `cpu` reaches, in bytes; 0 where the kernel does not tell. */
uint64_t room_cache(int cpu);

/** Map BYTES on node NODE, in huge pages where the kernel gives them, and touch them all. The caller frees it with room_unmap. Returns 0, or -1
 *  with *why, a text that is not to be freed, and errno. */
int room_map(struct room *r, size_t bytes, int node, const char **why);

/** Give a buffer back. */
void room_unmap(struct room *r);

#endif
