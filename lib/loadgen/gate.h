/* SPDX-License-Identifier: MIT */
/* The gate before a phase: the master starts all clients together, and may request steps at other loads before. */
#ifndef LOADGEN_GATE_H
#define LOADGEN_GATE_H

#include "keys.h"

#include <stdatomic.h>
#include <stdint.h>

#define GATE_WHY  320
#define GATE_TEXT 128 /* longest text of a start file, its NUL included */

enum gate_go {
    GATE_PHASE, /* run the phase */
    GATE_STEP,  /* run a step, then offer the phase again */
    GATE_TAKE,  /* run the phase, then offer it again: it may be repeated */
    GATE_KEEP,  /* the last take is the phase's result */
    GATE_SKIP   /* leave the phase out */
};

/* The request of a start file. */
struct gate_order {
    enum gate_go go;
    double start_s;        /* seconds since the epoch; not of GATE_KEEP and GATE_SKIP */
    uint64_t start_ns;     /* the same on CLOCK_MONOTONIC; set by gate_wait */
    int loaded;            /* a load is named, in the next two; else it is that of the options */
    double rate;           /* requests per second of all threads, 0: a closed loop */
    uint64_t connections;  /* of each thread to each of its instances, 0: all */
    double seconds;        /* of a step, warm-up included */
    struct keys_spec keys; /* of a step: its pattern of keys, where `patterned` is set; else that of the options */
    int patterned;
};

/** Read the text of a start file: `TIME [LOAD [SECONDS [KEYS]|take]]`, `keep` or `skip`, where LOAD is requests per second, or cN for a closed loop
 * on N connections, of `connections` that there are; c0 is all of them. KEYS is gaussian:SD, zipf:THETA or hotspot:K:R. Returns 0, or -1 when it is
 *  none of these. */
int gate_read(const char *text, uint64_t connections, struct gate_order *order);

/** Write DIR/ready-NAME and wait for DIR/start-NAME; a time in the past means now. Returns 0 with the order filled; 1 when *stop was set in the
 *  meantime; -1 with one line in why, also when DIR/ready-NAME was removed. */
int gate_wait(const char *dir, const char *name, uint64_t connections, const atomic_int *stop, struct gate_order *order, char why[GATE_WHY]);

#endif
