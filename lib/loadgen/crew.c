/* SPDX-License-Identifier: MIT */
/* A crew of threads: see crew.h. An OpenMP barrier may spin, and 144 spinning threads would use the servers' CPUs. */
#include "crew.h"

void crew_init(struct crew *c, int size)
{
    pthread_mutex_init(&c->lock, NULL);
    pthread_cond_init(&c->called, NULL);
    pthread_cond_init(&c->finished, NULL);
    c->size = size;
    c->job_number = 0;
    c->busy = c->dismissed = 0;
}

void crew_serve(struct crew *c, int thread)
{
    unsigned long done = 0;
    pthread_mutex_lock(&c->lock);
    for (;;) {
        while (c->job_number == done && !c->dismissed) pthread_cond_wait(&c->called, &c->lock);
        if (c->job_number == done) break;
        done = c->job_number;
        pthread_mutex_unlock(&c->lock);
        c->job(c->arg, thread);
        pthread_mutex_lock(&c->lock);
        if (!--c->busy) pthread_cond_signal(&c->finished);
    }
    pthread_mutex_unlock(&c->lock);
}

void crew_run(struct crew *c, void (*job)(void *arg, int thread), void *arg)
{
    pthread_mutex_lock(&c->lock);
    c->job = job;
    c->arg = arg;
    c->busy = c->size - 1;
    c->job_number++;
    pthread_cond_broadcast(&c->called);
    pthread_mutex_unlock(&c->lock);
    job(arg, 0);
    pthread_mutex_lock(&c->lock);
    while (c->busy) pthread_cond_wait(&c->finished, &c->lock);
    pthread_mutex_unlock(&c->lock);
}

void crew_dismiss(struct crew *c)
{
    pthread_mutex_lock(&c->lock);
    c->dismissed = 1;
    pthread_cond_broadcast(&c->called);
    pthread_mutex_unlock(&c->lock);
}
