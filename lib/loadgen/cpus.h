/* SPDX-License-Identifier: MIT */
/* The CPUs that this process may use: its affinity, --cpus, and the quota of its cgroups. */
#ifndef LOADGEN_CPUS_H
#define LOADGEN_CPUS_H

#include "options.h"

#define CPUS_ALL (-1) /* for cpus_pin */

/** Returns how many CPUs the threads may use together: a fraction with a quota, at least 0.01. */
double cpus_usable(const struct options *o);

/** Pin the calling thread to its CPU of --cpus, or to all of these CPUs with CPUS_ALL. */
void cpus_pin(const struct options *o, int thread);

/** Read a cpu.max of cgroup v2, `QUOTA PERIOD` or `max PERIOD`. Returns the CPUs that it allows; 0 when it sets no limit or is invalid. */
double cpus_quota(const char *text);

#endif
