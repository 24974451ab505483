/* SPDX-License-Identifier: MIT */
/* The bandwidth of memory: threads, each on its own CPU, which read or write a part of a buffer sequentially. */
#ifndef MEMBENCH_STREAM_H
#define MEMBENCH_STREAM_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#define STREAM_THREADS 1024

enum stream_op { STREAM_READ, STREAM_WRITE };

struct stream; /* the running threads */

/** Returns nanoseconds of CLOCK_MONOTONIC. */
uint64_t stream_now(void);

/** Pin the calling thread to a CPU. Returns 0, or -1 with errno. */
int stream_pin(int cpu);

/** Start a thread on each of COUNT CPUs (1..STREAM_THREADS). The threads divide the BYTES bytes at START, and each repeats its part until
 *  stream_end. RATE is the bytes per second of all threads together, 0 for no limit. The caller owns the buffer and keeps it until stream_end.
 *  Returns NULL with errno if the threads cannot be started. */
struct stream *stream_begin(unsigned char *start, size_t bytes, const int *cpus, int count, enum stream_op op, double rate);

/** Wait for SECONDS while the threads run. Returns the bytes per second of all threads together in that time. */
double stream_rate(struct stream *s, double seconds);

/** Returns the bytes that all threads have read or written so far. */
uint64_t stream_bytes(struct stream *s);

/** Stop the threads and free the stream. */
void stream_end(struct stream *s);

#endif
