/* SPDX-License-Identifier: MIT */
/* What a run sends, kept as a trace that can be replayed: each thread notes its requests in a file of its own, and one file is made of them at the
 * end, in the order of time. */
#ifndef LOADGEN_RECORD_H
#define LOADGEN_RECORD_H

#include "command.h"

#include <stdio.h>

#define RECORD_WHY (PATH_MAX + 128)

/* A request that was written whole. */
struct record_note {
    uint64_t us;     /* since the record began */
    uint64_t tagged; /* its key and command */
    uint64_t client; /* number of the connection among all */
};

struct record {
    char path[PATH_MAX], temporary[PATH_MAX];
    FILE *file;  /* of `temporary` */
    FILE **part; /* owned, one a thread, without names */
    int parts;
    uint64_t start_ns; /* CLOCK_MONOTONIC */
};

/** Begin a record of `threads` threads, which becomes the file `path` at the end; that must not exist. Returns 0, or -1 with one line in why. */
int record_begin(struct record *r, const char *path, int threads, char why[RECORD_WHY]);

/** Note a request. No other thread may use this part. */
static inline void record_note(const struct record *r, FILE *part, uint64_t now_ns, uint64_t tagged, uint64_t client)
{
    struct record_note n = {(now_ns - r->start_ns) / 1000, tagged, client};
    fwrite_unlocked(&n, sizeof n, 1, part);
}

/** Make the file of what was noted; `c` says what keys and values look like. Returns 0, or -1 with one line in why. */
int record_end(struct record *r, const struct commands *c, const char *prefix, char why[RECORD_WHY]);

/** Remove what was begun. */
void record_abandon(struct record *r);

#endif
