/* SPDX-License-Identifier: MIT */
/* When a load on memory ends: on a signal, or when the process or lease that it watches is gone. */
#ifndef MEMBENCH_WATCH_H
#define MEMBENCH_WATCH_H

#include <stdbool.h>
#include <stdint.h>

struct watch {
    uint64_t pid, start; /* a process, and field 22 of its /proc/PID/stat; 0: none */
    const char *file;    /* the lease, a part of the caller's text, not copied; NULL: none */
    int file_length;
    uint64_t seconds; /* max age of the file */
};

/** Parse PID:START. Returns 0, or -1. */
int watch_process(struct watch *w, const char *text);

/** Parse FILE:SECONDS; the text must outlive the watch. Returns 0, or -1. */
int watch_lease(struct watch *w, const char *text);

/** Record TERM, INT and HUP from now on, instead of dying of them. */
void watch_signals(void);

/** Whether a signal came, the process is gone, or the file is gone or too old. */
bool watch_over(const struct watch *w);

/** Returns seconds since the epoch. */
double watch_time(void);

#endif
