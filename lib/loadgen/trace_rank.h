/* SPDX-License-Identifier: MIT */
/* How concentrated the requests of a trace are: the share of requests to its most popular keys. */
#ifndef LOADGEN_TRACE_RANK_H
#define LOADGEN_TRACE_RANK_H

#include "trace.h"

#include <stdio.h>

/** Count the requests of each key in an index: read the records that follow the header in `index`, and set h->top_percent. It stays TRACE_UNKNOWN
 *  without memory, if the file cannot be read, if it would take more than about a minute, or if too many keys have the same hash. Moves the position
 *  in the file. */
void trace_rank(FILE *index, struct trace_header *h);

#endif
