/* SPDX-License-Identifier: MIT */
/* The CPUs that this process may use: see cpus.h. */
#include "cpus.h"

#include "number.h"

#include <limits.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>

#define CGROUPS "/sys/fs/cgroup"

double cpus_quota(const char *text)
{
    uint64_t quota, period;
    size_t n = strspn(text, "0123456789"), m = n && text[n] == ' ' ? strspn(text + n + 1, "0123456789") : 0;
    if (number_u64_n(text, n, 1, UINT64_MAX, &quota) || number_u64_n(text + n + 1, m, 1, UINT64_MAX, &period)) return 0;
    return (double)quota / (double)period;
}

/* Read the first line of a file. Returns 0, or -1. */
static int read_line(const char *path, char *line, int size)
{
    FILE *f = fopen(path, "re");
    if (!f) return -1;
    const char *got = fgets(line, size, f);
    fclose(f);
    if (!got) return -1;
    line[strcspn(line, "\n")] = 0;
    return 0;
}

/* The smallest quota of this process' cgroup and its parents, 0 without a quota. */
static double smallest_quota(void)
{
    char line[PATH_MAX / 2], path[PATH_MAX];
    double least = 0;
    if (read_line("/proc/self/cgroup", line, sizeof line) || strncmp(line, "0::/", 4) != 0) return 0;
    char *group = line + 3;
    for (;;) {
        char *slash = strrchr(group, '/'), text[64];
        snprintf(path, sizeof path, CGROUPS "%s/cpu.max", group);
        double here = read_line(path, text, sizeof text) ? 0 : cpus_quota(text);
        if (here > 0 && (least == 0 || here < least)) least = here;
        if (!slash || !*group) return least;
        *slash = 0;
    }
}

double cpus_usable(const struct options *o)
{
    cpu_set_t set;
    double usable, quota = smallest_quota();
    CPU_ZERO(&set);
    if (o->cpus)
        for (uint64_t i = 0; i < o->threads && i < (uint64_t)o->cpus; i++) CPU_SET((size_t)o->cpu[i], &set);
    else if (sched_getaffinity(0, sizeof set, &set))
        return quota > 0 ? quota : (double)o->threads;
    usable = CPU_COUNT(&set);
    if (quota > 0 && quota < usable) usable = quota;
    return usable > 0.01 ? usable : 0.01;
}

void cpus_pin(const struct options *o, int thread)
{
    cpu_set_t set;
    if (!o->cpus) return;
    CPU_ZERO(&set);
    for (int i = 0; i < o->cpus; i++)
        if (thread == CPUS_ALL || i == thread % o->cpus) CPU_SET((size_t)o->cpu[i], &set);
    sched_setaffinity(0, sizeof set, &set);
}
