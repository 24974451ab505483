/* SPDX-License-Identifier: MIT */
/* Windows of time of a phase, from the interval logs of its clients: percentiles of merged histograms, never of percentiles. */
#ifndef LOADGEN_WINDOWS_H
#define LOADGEN_WINDOWS_H

#include <stdio.h>

#define WINDOWS_WHY 256

/** Read the interval logs `file`, of clients that began together, merge the intervals in each window of `list` (FROM-TO,..., in s from the start),
 *  and print a header and one row per window. An interval belongs to the window that contains its middle. If `list` is `each`, print each interval
 * instead, as from_s, to_s and SLOT:COUNT ..., where SLOT is 20 times log10 of the latency in ns, rounded down. Returns 0, or the exit status with
 * one line in why: 2 when `list` is invalid, else 1. */
int windows_print(const char *list, char **file, int files, FILE *to, char why[WINDOWS_WHY]);

#endif
