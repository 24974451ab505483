/* SPDX-License-Identifier: MIT */
/* HdrHistogram interval logs (format 1.3) with histograms in the V2 compressed encoding. */
#ifndef LOADGEN_HLOG_H
#define LOADGEN_HLOG_H

#include "hist.h"

#include <stdint.h>
#include <stdio.h>

/** Returns the V2 compressed encoding of h in base64, or NULL when out of memory. The caller frees it. */
char *hlog_encode(const struct hist *h);

/** Add the histogram that hlog_encode made to h, which must have three digits: each sample at the highest value of its slot; logs of older versions
 * have microseconds. Returns 0, or -1 when the text was not made by this program. */
int hlog_decode(const char *text, struct hist *h);

/** Write the head of a log whose times count from start_epoch_ns. */
void hlog_begin(FILE *f, uint64_t start_epoch_ns);

/** Write one interval, from start_s to start_s + length_s. Returns 0, or -1 when out of memory. */
int hlog_add(FILE *f, const struct hist *h, double start_s, double length_s);

#endif
