/* SPDX-License-Identifier: MIT */
/* The requests of a run, recorded as a trace for a replay: each thread records its requests in its own file, and at the end one file is made from
 * them, in the order of time. */
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

/** Write the file from the recorded requests; `c` determines keys and values. Returns 0, or -1 with one line in why. */
int record_end(struct record *r, const struct commands *c, const char *prefix, char why[RECORD_WHY]);

/** Remove the temporary files. */
void record_abandon(struct record *r);

#endif
