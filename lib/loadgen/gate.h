/* SPDX-License-Identifier: MIT */
/* The gate before a phase, at which the master lets all clients start together. */
#ifndef LOADGEN_GATE_H
#define LOADGEN_GATE_H

#include <signal.h>
#include <stdint.h>

#define GATE_WHY 320

/** Write DIR/ready-NAME and wait for DIR/start-NAME, which holds the time to start at in seconds since the epoch (a fraction allowed).
 *  Sets *start_ns to that time on CLOCK_MONOTONIC (now, when it has passed). Returns 0; 1 when *stop was set meanwhile; -1 with one line in
 *  why. */
int gate_wait(const char *dir, const char *name, const volatile sig_atomic_t *stop, uint64_t *start_ns, char why[GATE_WHY]);

#endif
