/* SPDX-License-Identifier: MIT */
/* Whole replies of one expected form, counted many at a time, as nearly all replies are. Others are left to the scanner in resp.h. */
#ifndef LOADGEN_REPLIES_H
#define LOADGEN_REPLIES_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define REPLIES_OK_SIZE 5UL /* bytes of "+OK\r\n" */

/* The reply to a GET whose value has a known size. */
struct replies_value {
    char head[40];       /* "$SIZE\r\n" */
    uint32_t head_len;   /* bytes of it */
    uint64_t size;       /* bytes of the whole reply; 0: the size of values is not known */
    uint64_t word, mask; /* the first 8 bytes of head as a word; those that belong to it */
};

/** Prepare to look for values of value_len bytes. */
void replies_value_init(struct replies_value *r, uint64_t value_len);

/** Returns whether the bytes [at, end) start with a whole reply that holds a value of the size. */
static inline int replies_value_at(const struct replies_value *r, const char *at, const char *end)
{
    uint64_t word, size = r->size;
    if (!size || (size_t)(end - at) < size || size < 8) return 0;
    memcpy(&word, at, 8);
    if ((word & r->mask) != r->word) return 0;
    if (r->head_len > 8 && memcmp(at, r->head, r->head_len) != 0) return 0;
    return at[size - 2] == '\r' && at[size - 1] == '\n';
}

/** Returns the number of such replies, at most max, at the start of the bytes [at, end). */
uint32_t replies_values(const struct replies_value *r, const char *at, const char *end, uint32_t max);

/** Returns the number of "+OK" replies, at most max, at the start of the bytes [at, end). */
uint32_t replies_ok(const char *at, const char *end, uint32_t max);

#endif
