/* SPDX-License-Identifier: MIT */
/* A slowdown of known size: loaded with LD_PRELOAD, it makes a program burn SLOW_PERCENT of its CPU time, in small portions at its calls of read.
 * SLOW_PERCENT=0 has the cost of the clock alone, for the program that it is compared with.
 */
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static double cpu_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* The C library's read, after a part of the CPU time since the last call has been burnt.
 * Threads account for themselves. */
ssize_t read(int fd, void *buffer, size_t size)
{
    static __thread double last;
    static double part = -1;
    if (part < 0) {
        const char *text = getenv("SLOW_PERCENT");
        double percent = text ? strtod(text, NULL) : 0;
        part = percent > 0 && percent < 100 ? percent / (100 - percent) : 0;
    }
    double now = cpu_seconds(), until = now + (now - last) * part;
    while (now < until) now = cpu_seconds();
    last = now;
    return syscall(SYS_read, fd, buffer, size);
}
