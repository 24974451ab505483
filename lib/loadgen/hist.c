/* SPDX-License-Identifier: MIT */
/* Log-linear latency histograms: see hist.h. The layout is that of HdrHistogram with lowest value 1 and highest value one hour. */
#include "hist.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

int hist_init(struct hist *h, int digits)
{
    uint64_t steps = 2;
    memset(h, 0, sizeof *h);
    h->digits = digits;
    for (int i = 0; i < digits; i++) steps *= 10;
    h->sub_bits = 64 - __builtin_clzll(steps - 1); /* smallest power of two that distinguishes 2 * 10^digits values */
    h->slots = hist_index(h, HIST_MAX) + 1;
    /* rounded up to whole buckets, as readers of the encoded form compute it from the highest value */
    uint32_t half = UINT32_C(1) << (h->sub_bits - 1);
    h->slots = (h->slots + half - 1) / half * half;
    h->count = calloc(h->slots, sizeof *h->count);
    h->min = UINT64_MAX;
    h->low = h->slots;
    return h->count ? 0 : -1;
}

void hist_free(struct hist *h)
{
    free(h->count);
    h->count = NULL;
}

void hist_clear(struct hist *h)
{
    if (h->high > h->low) memset(h->count + h->low, 0, (h->high - h->low) * sizeof *h->count);
    h->total = h->over = h->max = 0;
    h->sum = 0;
    h->min = UINT64_MAX;
    h->low = h->slots;
    h->high = 0;
}

void hist_merge(struct hist *h, const struct hist *from)
{
    for (uint32_t i = from->low; i < from->high; i++) h->count[i] += from->count[i];
    h->total += from->total;
    h->over += from->over;
    h->sum += from->sum;
    if (from->min < h->min) h->min = from->min;
    if (from->max > h->max) h->max = from->max;
    if (from->low < h->low) h->low = from->low;
    if (from->high > h->high) h->high = from->high;
}

uint64_t hist_lowest(const struct hist *h, uint32_t index)
{
    uint32_t half_bits = (uint32_t)h->sub_bits - 1, half = UINT32_C(1) << half_bits;
    if (index < 2 * half) return index;
    uint32_t bucket = (index >> half_bits) - 1;
    return (uint64_t)((index & (half - 1)) + half) << bucket;
}

uint64_t hist_highest(const struct hist *h, uint32_t index)
{
    uint32_t half_bits = (uint32_t)h->sub_bits - 1;
    uint32_t bucket = index < (UINT32_C(2) << half_bits) ? 0 : (index >> half_bits) - 1;
    return hist_lowest(h, index) + (UINT64_C(1) << bucket) - 1;
}

uint64_t hist_percentile(const struct hist *h, double percent)
{
    uint64_t all = h->total + h->over, seen = 0;
    if (!all) return 0;
    uint64_t rank = (uint64_t)ceil(percent / 100.0 * (double)all - 1e-9);
    if (rank < 1) rank = 1;
    for (uint32_t i = h->low; i < h->high; i++) {
        if (!h->count[i]) continue;
        seen += h->count[i];
        if (seen >= rank) {
            uint64_t ns = hist_highest(h, i);
            return ns < h->max ? ns : h->max;
        }
    }
    return h->max;
}

double hist_mean(const struct hist *h)
{
    uint64_t all = h->total + h->over;
    return all ? (double)h->sum / (double)all : 0;
}

double hist_stddev(const struct hist *h)
{
    double mean = hist_mean(h), squares = 0;
    if (!h->total) return 0;
    for (uint32_t i = h->low; i < h->high; i++) {
        if (!h->count[i]) continue;
        double off = ((double)hist_lowest(h, i) + (double)hist_highest(h, i)) / 2 - mean;
        squares += off * off * (double)h->count[i];
    }
    return sqrt(squares / (double)h->total);
}
