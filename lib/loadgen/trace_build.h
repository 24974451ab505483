/* SPDX-License-Identifier: MIT */
/* The index of a trace: find it, or make it from the trace. */
#ifndef LOADGEN_TRACE_BUILD_H
#define LOADGEN_TRACE_BUILD_H

#include "trace.h"

/** Find the index of the trace `path`, or make it: as PATH.tierbench-index, or in the cache directory if that cannot be written. Another file of that
 * name is an error, and stays unchanged. Sets `index`. Returns 0, or -1 with one line in why. */
int trace_build(const char *path, char index[PATH_MAX], char why[TRACE_WHY]);

#endif
