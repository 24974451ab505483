/* SPDX-License-Identifier: MIT */
/* The bandwidth of memory: see stream.h. */
#include "stream.h"

#include "room.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <stdlib.h>
#include <time.h>

#define CHUNK     ((size_t)128 << 10) /* bytes between two reads of the clock: 10 us or more */
#define LONGEST_S 0.001               /* max time of a chunk at a low rate */
#define LATE_NS   UINT64_C(10000000)  /* max delay that a thread catches up with */
#define PAUSE_NS  UINT64_C(50000)     /* min sleep: the kernel cannot do shorter ones precisely */

/* Two registers of SSE2 or NEON, which every CPU of the architecture has. */
typedef uint64_t wide __attribute__((vector_size(32)));

struct thread {
    _Alignas(128) pthread_t id;
    struct stream *all;
    unsigned char *start;
    size_t bytes;
    int cpu;
    _Atomic uint64_t done; /* bytes */
};

struct stream {
    struct thread *thread;
    int count;
    enum stream_op op;
    double rate; /* bytes per second of one thread; 0: no limit */
    size_t chunk;
    _Atomic bool stop;
    _Atomic int failed; /* errno of a thread that cannot run on its CPU */
};

uint64_t stream_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * UINT64_C(1000000000) + (uint64_t)t.tv_nsec;
}

int stream_pin(int cpu)
{
    cpu_set_t *set = CPU_ALLOC((size_t)cpu + 1);
    if (!set) return -1;
    size_t size = CPU_ALLOC_SIZE((size_t)cpu + 1);
    CPU_ZERO_S(size, set);
    CPU_SET_S((size_t)cpu, size, set);
    int rc = sched_setaffinity(0, size, set);
    CPU_FREE(set);
    return rc;
}

/* Read a chunk, a multiple of 128 bytes. */
static void read_chunk(const unsigned char *start, size_t bytes)
{
    const wide *from = (const wide *)(const void *)start, *end = from + bytes / sizeof *from;
    wide a = {0}, b = a, c = a, d = a;
    for (; from < end; from += 4) {
        a ^= from[0];
        b ^= from[1];
        c ^= from[2];
        d ^= from[3];
    }
    a ^= b ^ c ^ d;
    uint64_t seen = a[0] ^ a[1] ^ a[2] ^ a[3];
    __asm__ volatile("" : : "r"(seen)); /* the compiler must not remove the reads as unused */
}

/* Write a chunk, a multiple of 128 bytes, with ordinary stores: the CPU reads each line before it writes it. */
static void write_chunk(unsigned char *start, size_t bytes)
{
    wide *to = (wide *)(void *)start, *end = to + bytes / sizeof *to;
    const wide value = {1, 2, 3, 4};
    for (; to < end; to += 4) {
        to[0] = to[1] = to[2] = to[3] = value;
        __asm__ volatile("" : : : "memory"); /* prevents a call of memset, which may bypass the caches */
    }
}

/* Sleep until the rate allows the next chunk. */
static void keep_pace(const struct thread *t, uint64_t *began, uint64_t bytes)
{
    uint64_t due = *began + (uint64_t)((double)bytes / t->all->rate * 1e9), now = stream_now();
    if (now > due + LATE_NS) {
        *began += now - due - LATE_NS;
    } else if (due > now + PAUSE_NS) {
        struct timespec until = {.tv_sec = (time_t)(due / UINT64_C(1000000000)), .tv_nsec = (long)(due % UINT64_C(1000000000))};
        clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL);
    }
}

static void *thread_main(void *data)
{
    struct thread *t = data;
    struct stream *s = t->all;
    if (stream_pin(t->cpu)) {
        s->failed = errno;
        return NULL;
    }
    uint64_t paced = stream_now(), done = 0;
    size_t at = 0, chunk = s->chunk;
    while (!atomic_load_explicit(&s->stop, memory_order_relaxed)) {
        size_t bytes = t->bytes - at < chunk ? t->bytes - at : chunk;
        if (s->op == STREAM_READ)
            read_chunk(t->start + at, bytes);
        else
            write_chunk(t->start + at, bytes);
        at = at + bytes < t->bytes ? at + bytes : 0;
        done += bytes;
        atomic_store_explicit(&t->done, done, memory_order_relaxed);
        if (s->rate > 0) keep_pace(t, &paced, done);
    }
    return NULL;
}

struct stream *stream_begin(unsigned char *start, size_t bytes, const int *cpus, int count, enum stream_op op, double rate)
{
    struct stream *s = calloc(1, sizeof *s);
    if (!s) return NULL;
    s->thread = aligned_alloc(_Alignof(struct thread), (size_t)count * sizeof *s->thread);
    if (!s->thread) {
        free(s);
        errno = ENOMEM;
        return NULL;
    }
    s->op = op;
    s->rate = rate / count;
    s->chunk = CHUNK;
    if (rate > 0 && s->rate * LONGEST_S < (double)CHUNK) s->chunk = (size_t)(s->rate * LONGEST_S) & ~(size_t)127;
    if (!s->chunk) s->chunk = 128;
    size_t part = bytes / (size_t)count & ~(size_t)127;
    int rc = part ? 0 : ENOMEM;
    for (int i = 0; i < count && !rc; i++) {
        s->thread[i] = (struct thread){.all = s, .start = start + part * (size_t)i, .bytes = part, .cpu = cpus[i]};
        rc = pthread_create(&s->thread[i].id, NULL, thread_main, &s->thread[i]);
        s->count += !rc;
    }
    /* Wait until each thread has done a chunk, or a thread has failed. */
    for (int i = 0; i < s->count && !rc; i++)
        while (!(rc = s->failed) && !s->thread[i].done) sched_yield();
    if (!rc) return s;
    stream_end(s);
    errno = rc;
    return NULL;
}

uint64_t stream_bytes(struct stream *s)
{
    uint64_t sum = 0;
    for (int i = 0; i < s->count; i++) sum += atomic_load_explicit(&s->thread[i].done, memory_order_relaxed);
    return sum;
}

double stream_rate(struct stream *s, double seconds)
{
    uint64_t bytes = stream_bytes(s), began = stream_now(), until = began + (uint64_t)(seconds * 1e9);
    struct timespec end = {.tv_sec = (time_t)(until / UINT64_C(1000000000)), .tv_nsec = (long)(until % UINT64_C(1000000000))};
    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &end, NULL) == EINTR) continue;
    bytes = stream_bytes(s) - bytes;
    return (double)bytes * 1e9 / (double)(stream_now() - began);
}

void stream_end(struct stream *s)
{
    s->stop = true;
    for (int i = 0; i < s->count; i++) pthread_join(s->thread[i].id, NULL);
    free(s->thread);
    free(s);
}
