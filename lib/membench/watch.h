/* SPDX-License-Identifier: MIT */
/* When a load on memory is over: a signal, or the end of the one that asked for it. */
#ifndef MEMBENCH_WATCH_H
#define MEMBENCH_WATCH_H

#include <stdbool.h>
#include <stdint.h>

struct watch {
    uint64_t pid, start; /* a process, and field 22 of its /proc/PID/stat; 0: none */
    const char *file;    /* part of the text that was given, not copied; NULL: none */
    int file_length;
    uint64_t seconds; /* that the file may go without a change */
};

/** Take PID:START. Returns 0, or -1. */
int watch_process(struct watch *w, const char *text);

/** Take FILE:SECONDS; the text must last as long as the watch. Returns 0, or -1. */
int watch_lease(struct watch *w, const char *text);

/** Note TERM, INT and HUP from now on, in place of being ended by them. */
void watch_signals(void);

/** Whether a signal came, the process is gone, or the file is gone or too old. */
bool watch_over(const struct watch *w);

/** Seconds since the epoch. */
double watch_time(void);

#endif
