/* SPDX-License-Identifier: MIT */
/* The index of a trace: found, or made from the recording. */
#ifndef LOADGEN_TRACE_BUILD_H
#define LOADGEN_TRACE_BUILD_H

#include "trace.h"

/** Find the index of the trace `path`, or make it: PATH.tierbench-index, or in the cache directory where that cannot be written. A file of that name
 * that is no such index is left as it is. Sets `index`. Returns 0, or -1 with one line in why. */
int trace_build(const char *path, char index[PATH_MAX], char why[TRACE_WHY]);

#endif
