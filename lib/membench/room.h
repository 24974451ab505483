/* SPDX-License-Identifier: MIT */
/* Memory of one NUMA node: the limit of a buffer, and a buffer on that node. */
#ifndef MEMBENCH_ROOM_H
#define MEMBENCH_ROOM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ROOM_NODES  1024 /* node numbers are below this, as in Linux */
#define ROOM_CPUS   1024 /* max CPUs of room_caches */
#define ROOM_LINE   64   /* bytes of a cache line; if lines are larger, a load of the chase uses a part of one */
#define ROOM_PART   4    /* a buffer takes at most 1/4 of the free memory */
#define ROOM_FLOOR  100  /* 1/100 of a node, and ROOM_SMALL bytes, are for the kernel */
#define ROOM_SMALL  ((uint64_t)16 << 20)
#define ROOM_MINIMA 2 /* times vm.min_free_kbytes: the kernel reclaims below 1.25 times it, until 1.5 times it is free */

struct room {
    unsigned char *start; /* NULL: nothing is mapped */
    size_t bytes;
    bool huge; /* at least 90 % of it is in huge pages */
};

/** Read MemFree from TEXT, the meminfo of a node or of the machine. Returns 0 and sets *bytes, or -1. */
int room_free_in(const char *text, uint64_t *bytes);

/** Set *bytes to the max size of a buffer on NODE: a fourth of the node's free memory or of the machine's available memory, whichever is less.
 *  Returns 0, or -1 with errno. */
int room_limit(int node, uint64_t *bytes);

/** Returns the free bytes of a node below which the kernel may reclaim its memory: the node's part of vm.min_free_kbytes. NODE and MACHINE are their
 *  meminfo, MIN_FREE is the text of that setting. */
uint64_t room_reclaim(const char *node, const char *machine, const char *min_free);

/** Compute what a node can give from TEXT, its meminfo or that of the machine: its free memory and its cached files, without files that are mapped or
 *  dirty, less 1 % of the node and 16 MiB or less LEAST, whichever is more. Below that the kernel may call the OOM killer. Returns 0 and sets *bytes,
 *  or -1. */
int room_left_in(const char *text, uint64_t least, uint64_t *bytes);

/** Set *bytes to what NODE can give now, at most what is available on the machine. Returns 0, or -1 with errno. */
int room_left(int node, uint64_t *bytes);

/** Returns the bytes of the largest caches of COUNT CPUs, a cache that several of them share once; 0 if the kernel does not report them. ROOT is a
 *  prefix of /sys. */
uint64_t room_caches(const char *root, const int *cpus, int count);

/** Map BYTES on NODE, in huge pages if the kernel has them, and touch every page. The caller frees the buffer with room_unmap. Returns 0, or -1
 *  with errno and *why, a static text. */
int room_map(struct room *r, size_t bytes, int node, const char **why);

/** Map BYTES, rounded down to whole huge pages, bound to NODE, and touch nothing. Returns 0, or -1 with errno and *why, a static text. */
int room_take(struct room *r, size_t bytes, int node, const char **why);

/** Check that the pages of a buffer, all written, are on NODE. Returns 0, or -1 with errno 0 and *why, a static text. */
int room_check(const struct room *r, int node, const char **why);

/** Remove the policy of a buffer, so that the kernel may move its pages. Returns 0, or -1 with errno and *why, a static text. */
int room_loosen(struct room *r, const char **why);

/** Unmap all but the first BYTES of a buffer. */
void room_trim(struct room *r, size_t bytes);

/** Unmap a buffer. */
void room_unmap(struct room *r);

#endif
