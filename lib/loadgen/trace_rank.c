/* SPDX-License-Identifier: MIT */
/* The share of requests to the most popular keys: see trace_rank.h. Keys are told apart by their hash of 32 bits. Memory is the same for every trace:
 * each pass over the records counts a part of the keys. */
#include "trace_rank.h"

#include <stdlib.h>

#define TABLE_BITS 19
#define TABLE      (1U << TABLE_BITS)
#define FULL       (TABLE / 8 * 7)
#define BATCH      4096                /* records that one read takes */
#define FEW        65536               /* keys with fewer requests are only counted by their number of requests */
#define VISITS     (UINT64_C(1) << 33) /* max records that all passes read, about a minute */

struct rank {
    uint32_t hash[TABLE], requests[TABLE]; /* no requests: the place is free */
    uint32_t used;
    uint64_t keys[FEW]; /* by number of requests */
    uint64_t *many;     /* owned: the requests of each other key */
    uint64_t many_count, all, requests_all;
    struct trace_record batch[BATCH];
};

/* Count the keys of one part. Returns 0, or -1. */
static int count_part(struct rank *k, FILE *index, uint64_t count, uint64_t part, uint64_t parts)
{
    if (fseek(index, (long)sizeof(struct trace_header), SEEK_SET)) return -1;
    for (uint64_t left = count, n; left; left -= n) {
        n = left < BATCH ? left : BATCH;
        if (fread(k->batch, sizeof *k->batch, n, index) != n) return -1;
        for (uint64_t i = 0; i < n; i++) {
            const uint32_t hash = k->batch[i].hash;
            if (hash * parts >> 32 != part) continue;
            uint32_t at = hash * 2654435761U >> (32 - TABLE_BITS);
            while (k->requests[at] && k->hash[at] != hash) at = (at + 1) % TABLE;
            if (!k->requests[at] && ++k->used > FULL) return -1;
            k->hash[at] = hash;
            k->requests[at] += k->requests[at] < UINT32_MAX;
        }
    }
    return 0;
}

/* Move the counts of a part from the table to the totals. Returns 0, or -1 when out of memory. */
static int take_part(struct rank *k)
{
    for (uint32_t i = 0; i < TABLE; i++) {
        const uint32_t n = k->requests[i];
        if (!n) continue;
        k->requests[i] = 0;
        k->all++;
        k->requests_all += n;
        if (n < FEW) {
            k->keys[n]++;
            continue;
        }
        uint64_t *more = realloc(k->many, (k->many_count + 1) * sizeof *more);
        if (!more) return -1;
        k->many = more;
        k->many[k->many_count++] = n;
    }
    k->used = 0;
    return 0;
}

static int descending(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? 1 : x > y ? -1 : 0;
}

/* Returns the requests of the most popular keys, at least 1 key, in percent of all requests. */
static double top_percent(const struct rank *k, double percent)
{
    uint64_t left = (uint64_t)((double)k->all * percent / 100 + 0.5), sum = 0;
    if (!left) left = 1;
    for (uint64_t i = 0; k->many && i < k->many_count && left; i++, left--) sum += k->many[i];
    for (uint64_t n = FEW - 1; n && left; n--) {
        const uint64_t keys = k->keys[n] < left ? k->keys[n] : left;
        sum += keys * n;
        left -= keys;
    }
    return 100 * (double)sum / (double)k->requests_all;
}

void trace_rank(FILE *index, struct trace_header *h)
{
    const uint64_t parts = h->keys / (TABLE / 2) + 1;
    struct rank *k = calloc(1, sizeof *k);
    int bad = !k;
    for (int i = 0; i < TRACE_TOPS; i++) h->top_percent[i] = TRACE_UNKNOWN;
    if (parts > 1 && h->count > VISITS / parts) bad = 1;
    for (uint64_t part = 0; !bad && part < parts; part++) bad = count_part(k, index, h->count, part, parts) || take_part(k);
    /* Keys of one hash tag differ in 18 bits: too many of them would count as one key. */
    if (!bad && k->requests_all && (double)k->all > 0.95 * (double)h->keys) {
        if (k->many) qsort(k->many, k->many_count, sizeof *k->many, descending);
        for (int i = 0; i < TRACE_TOPS; i++) h->top_percent[i] = top_percent(k, (const double[TRACE_TOPS]){1, 10, 50}[i]);
    }
    if (k) free(k->many);
    free(k);
}
