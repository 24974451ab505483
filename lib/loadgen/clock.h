/* SPDX-License-Identifier: MIT */
/* Monotonic time in nanoseconds, the only clock that durations are taken from. */
#ifndef LOADGEN_CLOCK_H
#define LOADGEN_CLOCK_H

#include <stdint.h>
#include <time.h>

#define NS_PER_US UINT64_C(1000)
#define NS_PER_MS UINT64_C(1000000)
#define NS_PER_S  UINT64_C(1000000000)

/** Read CLOCK_MONOTONIC. Returns nanoseconds since an arbitrary start. */
static inline uint64_t clock_now_ns(void)
{
    struct timespec ts;
    clock_gettime(CLOCK_MONOTONIC, &ts);
    return (uint64_t)ts.tv_sec * NS_PER_S + (uint64_t)ts.tv_nsec;
}

/** Returns nanoseconds in microseconds, to the nearest: cut off, a mean would be half a microsecond low. */
static inline uint64_t clock_us(uint64_t ns)
{
    return (ns + NS_PER_US / 2) / NS_PER_US;
}

/** Returns nanoseconds as microseconds with their fraction, for a file. */
static inline double clock_us_exact(uint64_t ns)
{
    return (double)ns / NS_PER_US;
}

/** Read CLOCK_REALTIME. Returns nanoseconds since the epoch; only for stamps that leave this process. */
static inline uint64_t clock_epoch_ns(void)
{
    struct timespec ts;
    clock_gettime(CLOCK_REALTIME, &ts);
    return (uint64_t)ts.tv_sec * NS_PER_S + (uint64_t)ts.tv_nsec;
}

/** Read the CPU time (user and system) of the calling thread. Returns nanoseconds. */
static inline uint64_t clock_thread_cpu_ns(void)
{
    struct timespec ts;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ts);
    return (uint64_t)ts.tv_sec * NS_PER_S + (uint64_t)ts.tv_nsec;
}

/** Sleep until CLOCK_MONOTONIC reaches when_ns; returns early on a signal. */
static inline void clock_sleep_until_ns(uint64_t when_ns)
{
    struct timespec ts = {.tv_sec = (time_t)(when_ns / NS_PER_S), .tv_nsec = (long)(when_ns % NS_PER_S)};
    clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &ts, NULL);
}

#endif
