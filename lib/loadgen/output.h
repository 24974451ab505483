/* SPDX-License-Identifier: MIT */
/* Result files: each is written under a temporary name and renamed, so that an existing file is complete. */
#ifndef LOADGEN_OUTPUT_H
#define LOADGEN_OUTPUT_H

#include "hist.h"

#include <limits.h>
#include <stdint.h>
#include <stdio.h>

struct output {
    FILE *file; /* write here */
    char temporary[PATH_MAX], final[PATH_MAX];
};

/** Make a directory and its parents. Returns 0, or -1 with errno. */
int output_folder(const char *path);

/** Begin DIR/NAME. Returns 0, or -1 with errno. End with output_commit or output_abandon. */
int output_begin(struct output *out, const char *dir, const char *name);

/** Begin DIR/NAME-XXXXXX with six characters that make it new, as mkstemp does. Returns 0, or -1 with errno. */
int output_begin_unique(struct output *out, const char *dir, const char *name);

/** Rename the file to its final name. Returns 0, or -1 with errno when anything since output_begin failed; the file is then removed. */
int output_commit(struct output *out);

/** Remove what was begun. */
void output_abandon(struct output *out);

/** Write h as HdrHistogram's percentile text, values in microseconds. */
void output_percentiles(FILE *f, const struct hist *h);

/** Write `US:COUNT` for each slot in use, US being the slot's highest value, separated by blanks. */
void output_slots(FILE *f, const struct hist *h);

/** Write the guide's table: a line for each latency that occurred (lowest of its slot, in us), a column for each thread, their total, and
 *  the cumulative percentage. Returns 0, or -1 when out of memory. */
int output_table(FILE *f, const struct hist *const *threads, int n);

/** Write the slots of h that are in use: their highest value in us, with its fraction, their count and the cumulative percentage. */
void output_histogram(FILE *f, const struct hist *h);

#endif
