/* SPDX-License-Identifier: MIT */
/* The CPUs that the process may use: cgroup quotas, and --cpus. */
#include "cpus.h"
#include "unit.h"

#include <sched.h>

static void quotas_are_read(void)
{
    CHECK_WITHIN(cpus_quota("50000 100000"), 0.5, 0.5);
    CHECK_WITHIN(cpus_quota("250000 100000"), 2.5, 2.5);
    CHECK_WITHIN(cpus_quota("max 100000"), 0, 0);
    CHECK_WITHIN(cpus_quota(""), 0, 0);
    CHECK_WITHIN(cpus_quota("50000"), 0, 0);
    CHECK_WITHIN(cpus_quota("50000 0"), 0, 0);
}

static void a_cpu_named_twice_is_one(void)
{
    static struct options o = {.threads = 8, .cpus = 1};
    CHECK_WITHIN(cpus_usable(&o), 0.01, 1);
    o.cpus = 4;
    o.cpu[1] = o.cpu[3] = 1;
    CHECK_WITHIN(cpus_usable(&o), 0.01, 2);
    o.cpus = 0;
    cpu_set_t set;
    CHECK_SAME(sched_getaffinity(0, sizeof set, &set), 0);
    CHECK_WITHIN(cpus_usable(&o), 0.01, CPU_COUNT(&set));
}

int main(void)
{
    TEST("quotas of cgroups are read, and their absence", quotas_are_read);
    TEST("threads on one CPU have one CPU", a_cpu_named_twice_is_one);
    return UNIT_END;
}
