/* SPDX-License-Identifier: MIT */
/* The index of a trace: find it, or make it from the trace. */
#ifndef LOADGEN_TRACE_BUILD_H
#define LOADGEN_TRACE_BUILD_H

#include "trace.h"

#include <sys/stat.h>

/** Whether an open index with a header may be used for a trace: it belongs to this user, nobody else can write to it, it was made from this trace,
 * and its header describes the rest of the file. Records are checked when they are read (trace_find). */
int trace_index_fits(const struct stat *index, const struct trace_header *h, const struct stat *source);

/** Find the index of the trace `path`, or make it: as PATH.tierbench-index, or in the cache directory if that cannot be written or is another user's.
 * Another file of that name is an error, and stays unchanged. Sets `index`. Returns 0, or -1 with one line in why. */
int trace_build(const char *path, char index[PATH_MAX], char why[TRACE_WHY]);

#endif
