/* SPDX-License-Identifier: MIT */
/* Pages of other processes on nodes: see spread.h. move_pages(2) is called by syscall(2), so that libnuma is not needed. */
#include "spread.h"

#include <errno.h>
#include <linux/mempolicy.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define GOLDEN UINT64_C(0x9e3779b97f4a7c15) /* 2^64 divided by the golden ratio */
#define BATCH  4096
#define TRIES  4 /* a page that is in use cannot be moved at once */

/* Pages of one call of move_pages. */
struct batch {
    void *page[BATCH];
    int node[BATCH];
    int status[BATCH];
    size_t count;
};

int spread_node(const struct spread *s, uint64_t page)
{
    /* Multiples of the golden ratio are evenly spread, wherever a range of pages begins. */
    double place = (double)(page * GOLDEN >> 11) * 0x1p-53;
    return place < s->share ? s->near[page % (uint64_t)s->nears] : s->far[page % (uint64_t)s->fars];
}

/* Keep the pages of a batch that are in memory and on another node. Returns 0, or -1 with errno. */
static int find_misplaced(struct batch *b, pid_t pid, uint64_t *present)
{
    size_t kept = 0;
    *present = 0;
    if (syscall(SYS_move_pages, pid, b->count, b->page, NULL, b->status, 0) < 0) return -1;
    for (size_t i = 0; i < b->count; i++) {
        if (b->status[i] < 0) continue;
        ++*present;
        if (b->status[i] == b->node[i]) continue;
        b->page[kept] = b->page[i];
        b->node[kept++] = b->node[i];
    }
    b->count = kept;
    return 0;
}

static int move_batch(struct spread *s, struct batch *b, pid_t pid)
{
    uint64_t present;
    if (!b->count) return 0;
    if (find_misplaced(b, pid, &present)) return -1;
    s->pages += present;
    s->moved += b->count;
    for (int i = 0; i < TRIES && b->count; i++) {
        /* Whether a page has moved is asked afterwards: the kernel does not report it for every page. */
        if (syscall(SYS_move_pages, pid, b->count, b->page, b->node, b->status, MPOL_MF_MOVE) < 0 && errno != ENOMEM) return -1;
        if (find_misplaced(b, pid, &present)) return -1;
    }
    s->misplaced += b->count;
    b->count = 0;
    return 0;
}

int spread_process(struct spread *s, pid_t pid)
{
    static struct batch b;
    char path[32], line[512];
    size_t size = (size_t)sysconf(_SC_PAGESIZE);
    snprintf(path, sizeof path, "/proc/%d/maps", (int)pid);
    FILE *f = fopen(path, "re");
    if (!f) return -1;
    int rc = 0;
    b.count = 0;
    while (!rc && fgets(line, sizeof line, f)) {
        char *end, *rest;
        uintptr_t from = strtoul(line, &end, 16), to = *end == '-' ? strtoul(end + 1, &rest, 16) : 0;
        /* ADDRESSES PERMISSIONS OFFSET DEVICE INODE: of no file. */
        if (to <= from || strncmp(rest, " rw-p ", 6) != 0 || !strstr(rest, " 00:00 0 ")) continue;
        for (; !rc && from < to; from += size) {
            b.node[b.count] = spread_node(s, from / size);
            b.page[b.count++] = (void *)from; /* NOLINT(performance-no-int-to-ptr): an address in another process */
            if (b.count == BATCH) rc = move_batch(s, &b, pid);
        }
    }
    if (!rc) rc = move_batch(s, &b, pid);
    int why = errno;
    fclose(f);
    errno = why;
    return rc;
}
