/* SPDX-License-Identifier: MIT */
/* Log-linear latency histograms: fixed memory, a relative error below one part in 10^digits, laid out as HdrHistogram lays out its counts. */
#ifndef LOADGEN_HIST_H
#define LOADGEN_HIST_H

#include <stdint.h>

#define HIST_MAX UINT64_C(3600000000000) /* ns, one hour; longer samples are counted in `over` */

struct hist {
    uint64_t total;        /* samples in range */
    uint64_t over;         /* samples above HIST_MAX: in no bucket, but in every percentile */
    unsigned __int128 sum; /* ns, over all samples, those above range included; six million waits of an hour exceed 64 bits */
    uint64_t min;          /* ns, UINT64_MAX when empty */
    uint64_t max;          /* ns, exact, those above range included */
    uint32_t low, high;    /* touched indices [low, high): merge and clear use only these */
    uint32_t slots;
    int digits;
    int sub_bits;    /* log2 of the number of linear steps in a bucket */
    uint64_t *count; /* owned */
};

/** Make h an empty histogram of `digits` significant digits (1 to 3). Returns 0, or -1 when out of memory. Free with hist_free. */
int hist_init(struct hist *h, int digits);

/** Release what hist_init allocated. */
void hist_free(struct hist *h);

/** Empty h; touches only the slots that were used, so that unused pages stay unmapped. */
void hist_clear(struct hist *h);

/** Add all samples of `from` to h. Both must have the same digits. */
void hist_merge(struct hist *h, const struct hist *from);

/** Value (ns) below or at which `percent` of all samples lie: the highest value that shares its slot, as HdrHistogram defines it, but never
 *  above the exact maximum. Returns 0 when h is empty. */
uint64_t hist_percentile(const struct hist *h, double percent);

/** As hist_percentile in us, with its fraction, for a file; 100 is the exact max. */
static inline double hist_us(const struct hist *h, double percent)
{
    return (double)hist_percentile(h, percent) / 1e3;
}

/** Mean of all samples in ns, 0 when empty. */
double hist_mean(const struct hist *h);

/** Standard deviation in ns of the samples in range, by the middle value of each slot; 0 when empty. */
double hist_stddev(const struct hist *h);

/** Returns the slot of a value in ns, for values up to HIST_MAX. */
static inline uint32_t hist_index(const struct hist *h, uint64_t ns)
{
    uint64_t in_first = (UINT64_C(1) << h->sub_bits) - 1;
    int bucket = 64 - __builtin_clzll(ns | in_first) - h->sub_bits;
    return (uint32_t)(((uint32_t)bucket << (h->sub_bits - 1)) + (ns >> bucket));
}

/** Lowest value (ns) of a slot. */
uint64_t hist_lowest(const struct hist *h, uint32_t index);

/** Highest value (ns) of a slot. */
uint64_t hist_highest(const struct hist *h, uint32_t index);

/** Record n samples of ns nanoseconds. No allocation, no lock: h belongs to one thread. */
static inline void hist_record(struct hist *h, uint64_t ns, uint64_t n)
{
    h->sum += (unsigned __int128)ns * n;
    if (ns > h->max) h->max = ns;
    if (ns < h->min) h->min = ns;
    if (__builtin_expect(ns > HIST_MAX, 0)) {
        h->over += n;
        return;
    }
    uint32_t i = hist_index(h, ns);
    if (i < h->low) h->low = i;
    if (i >= h->high) h->high = i + 1;
    h->count[i] += n;
    h->total += n;
}

#endif
