/* SPDX-License-Identifier: MIT */
/* A slowdown of known size: loaded with LD_PRELOAD, it makes a program burn SLOW_PERCENT of its CPU time, in small portions at its calls of read.
 * SLOW_NS burns so many ns at each call of read. With 0, both have the cost of the clock alone, for the program that it is compared with.
 */
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static double seconds(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* The C library's read, after a part of the CPU time since the last call has been burnt.
 * Threads account for themselves. */
ssize_t read(int fd, void *buffer, size_t size)
{
    static __thread double last;
    static double part = -1, each;
    if (part < 0) {
        const char *text = getenv("SLOW_PERCENT");
        double percent = text ? strtod(text, NULL) : 0;
        part = percent > 0 && percent < 100 ? percent / (100 - percent) : 0;
        text = getenv("SLOW_NS");
        each = text ? 1e-9 * strtod(text, NULL) : 0;
    }
    double now = seconds(CLOCK_THREAD_CPUTIME_ID), until = now + (now - last) * part;
    while (now < until) now = seconds(CLOCK_THREAD_CPUTIME_ID);
    for (double stop = seconds(CLOCK_MONOTONIC) + each; seconds(CLOCK_MONOTONIC) < stop;) continue;
    last = seconds(CLOCK_THREAD_CPUTIME_ID);
    return syscall(SYS_read, fd, buffer, size);
}
