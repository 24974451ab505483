/* SPDX-License-Identifier: MIT */
/* The bandwidth of memory: threads, each on a CPU of its own, that read or write a part of a buffer from end to end. */
#ifndef MEMBENCH_STREAM_H
#define MEMBENCH_STREAM_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#define STREAM_THREADS 1024

enum stream_op { STREAM_READ, STREAM_WRITE };

struct stream; /* threads that run */

/** Nanoseconds of CLOCK_MONOTONIC. */
uint64_t stream_now(void);

/** Keep the calling thread on a CPU. Returns 0, or -1 with errno. */
int stream_pin(int cpu);

/** Start a thread on each of COUNT CPUs (1..STREAM_THREADS), which share BYTES bytes from START on; each then goes through its part again and
 *  again until stream_end. RATE is bytes per second for all together, 0 for as fast as they can. The buffer stays the caller's, and must last
 *  as long. Returns NULL with errno when they cannot be started. */
struct stream *stream_begin(unsigned char *start, size_t bytes, const int *cpus, int count, enum stream_op op, double rate);

/** Wait for SECONDS while the threads go on. Returns the bytes per second that they read or write meanwhile, all together. */
double stream_rate(struct stream *s, double seconds);

/** Bytes that all threads have read or written so far. */
uint64_t stream_bytes(struct stream *s);

/** End the threads and free what was theirs. */
void stream_end(struct stream *s);

#endif
