/* SPDX-License-Identifier: MIT */
/* The OpenMP threads as a crew that sleeps between jobs: waiting threads use no CPU that the servers could need. */
#ifndef LOADGEN_CREW_H
#define LOADGEN_CREW_H

#include <pthread.h>

struct crew {
    pthread_mutex_t lock;
    pthread_cond_t called, finished;
    int size; /* threads, the caller among them */
    unsigned long job_number;
    int busy, dismissed;
    void (*job)(void *arg, int thread);
    void *arg;
};

/** Prepare a crew of `size` threads. */
void crew_init(struct crew *c, int size);

/** For threads 1 .. size - 1: do jobs until the crew is dismissed. */
void crew_serve(struct crew *c, int thread);

/** For thread 0: let every thread, including this one, do job(arg, thread); returns when all are done. */
void crew_run(struct crew *c, void (*job)(void *arg, int thread), void *arg);

/** For thread 0: let the others return from crew_serve. */
void crew_dismiss(struct crew *c);

#endif
