/* SPDX-License-Identifier: MIT */
/* The measurements of one thread: see recorder.h. */
#include "recorder.h"

#include <string.h>

#define LAG_DIGITS 2 /* send lag is only judged, not reported to three digits */

int recorder_init(struct recorder *r, int open)
{
    memset(r, 0, sizeof *r);
    r->at_least_ns = UINT64_MAX;
    pthread_mutex_init(&r->lock, NULL);
    if (hist_init(&r->active, 3) || hist_init(&r->total, 3) || hist_init(&r->ready, 3)) return -1;
    return open ? hist_init(&r->service, 3) || hist_init(&r->lag, LAG_DIGITS) ? -1 : 0 : 0;
}

void recorder_free(struct recorder *r)
{
    hist_free(&r->active);
    hist_free(&r->total);
    hist_free(&r->ready);
    hist_free(&r->service);
    hist_free(&r->lag);
    pthread_mutex_destroy(&r->lock);
}

void recorder_clear(struct recorder *r)
{
    hist_clear(&r->active);
    hist_clear(&r->total);
    hist_clear(&r->ready);
    if (r->service.count) hist_clear(&r->service);
    if (r->lag.count) hist_clear(&r->lag);
    r->at_least_ns = UINT64_MAX;
    memset(r->active_count, 0, sizeof r->active_count);
    memset(r->total_count, 0, sizeof r->total_count);
    memset(r->ready_count, 0, sizeof r->ready_count);
}

void recorder_unanswered(struct recorder *r, uint64_t ns, uint64_t n)
{
    if (!n) return;
    hist_record(&r->active, ns, n);
    r->active_count[COUNT_UNANSWERED] += n;
    if (ns < r->at_least_ns) r->at_least_ns = ns;
}

void recorder_post(struct recorder *r)
{
    pthread_mutex_lock(&r->lock);
    hist_merge(&r->ready, &r->active);
    for (int i = 0; i < COUNTS; i++) r->ready_count[i] += r->active_count[i];
    pthread_mutex_unlock(&r->lock);
    hist_merge(&r->total, &r->active);
    for (int i = 0; i < COUNTS; i++) r->total_count[i] += r->active_count[i];
    hist_clear(&r->active);
    memset(r->active_count, 0, sizeof r->active_count);
}

void recorder_take(struct recorder *r, struct hist *hist, uint64_t count[COUNTS])
{
    pthread_mutex_lock(&r->lock);
    hist_merge(hist, &r->ready);
    for (int i = 0; i < COUNTS; i++) count[i] += r->ready_count[i];
    hist_clear(&r->ready);
    memset(r->ready_count, 0, sizeof r->ready_count);
    pthread_mutex_unlock(&r->lock);
}

uint64_t recorder_errors(const uint64_t count[COUNTS])
{
    return count[COUNT_ERROR_REPLIES] + count[COUNT_MISMATCHES] + count[COUNT_TIMEOUTS] + count[COUNT_LOST] + count[COUNT_UNSENT];
}
