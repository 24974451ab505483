/* SPDX-License-Identifier: MIT */
/* A recorded trace: requests with the times that they came at. A file of fixed records (the index) is made of it once and mapped; the text of keys
 * stays where it was recorded. */
#ifndef LOADGEN_TRACE_H
#define LOADGEN_TRACE_H

#include "mix.h"

#include <limits.h>
#include <stddef.h>
#include <stdint.h>

#define TRACE_WHY     (PATH_MAX + 256)
#define TRACE_KEY_MAX 4096 /* bytes of a key */
#define TRACE_SUFFIX  ".tierbench-index"
#define TRACE_MAGIC   "TBTRACE1"

/* What a request of a trace is. The numbers are those of its commands in a mix (trace_mix), behind those that command.h knows. */
enum trace_op { TRACE_GET = 2, TRACE_SET, TRACE_ADD, TRACE_REPLACE, TRACE_DELETE, TRACE_INCR, TRACE_DECR, TRACE_FILL, TRACE_END };

#define TRACE_OPS (TRACE_END - TRACE_GET)

struct trace_record {
    uint64_t time_op;           /* microseconds since the first request, times 256, plus the operation */
    uint64_t key;               /* where its text begins in the trace; where key_len is 0, the key is this number */
    uint32_t hash;              /* of the key: which share of a trace the request belongs to */
    uint32_t size;              /* bytes of the value */
    uint32_t ttl;               /* seconds to live, 0: for ever */
    uint16_t key_len, key_size; /* bytes of the text, and of the key that is sent: it is padded */
};

struct trace_header {
    char magic[8];
    uint64_t record_bytes, count;
    uint64_t source_bytes, source_mtime_ns; /* of the trace, when the index was made */
    uint64_t length_us;                     /* time of the last request */
    uint64_t sets, set_bytes;               /* requests that carry a value, and their bytes */
    uint64_t keys;                          /* how many there are, to about 1 % */
    uint64_t largest_value, largest_key;
    uint64_t spare[5];
};

struct trace {
    struct trace_header *header;
    const struct trace_record *record;
    char *source; /* the text of keys */
    uint64_t count, source_bytes;
    size_t mapped; /* bytes of the index */
    char index[PATH_MAX];
};

/** Open the trace `path`, and make its index first where there is none that fits: beside the file, or in the cache directory where that is not
 * possible. Returns 0, or -1 with one line in why, which names file and line. Close with trace_close. */
int trace_open(struct trace *t, const char *path, char why[TRACE_WHY]);

/** Release what trace_open mapped. */
void trace_close(struct trace *t);

/** Make the zeroed m the commands of a trace. */
void trace_mix(struct mix *m);

static inline enum trace_op trace_op(const struct trace_record *r)
{
    return (enum trace_op)(r->time_op & 255);
}

static inline uint64_t trace_us(const struct trace_record *r)
{
    return r->time_op >> 8;
}

/** Returns 64 bits that stand for a key of n bytes of text. */
uint64_t trace_text_hash(const char *text, size_t n);

/** Returns 64 bits that stand for the key of a record. */
uint64_t trace_key_hash(const struct trace *t, const struct trace_record *r);

/** Write the key of a record at out, which must have room for key_size bytes and 8 more. */
void trace_key(const struct trace *t, const struct trace_record *r, char *out);

/* The walk of one thread through the requests of one instance. */
struct trace_walk {
    const struct trace *trace;
    uint64_t next, end;          /* the next record to examine; where the walk ends */
    uint64_t last_us;            /* and at what time of the trace */
    uint64_t instance, total;    /* this instance, of all that share the trace */
    uint64_t part, parts;        /* this thread's part of it */
    uint64_t passed, passed_key; /* earlier bytes are released to the kernel */
};

enum trace_found { TRACE_FOUND, TRACE_LATER, TRACE_OVER, TRACE_DAMAGED };

/** Advance to the next request of this walk, which is the record `next` when it is TRACE_FOUND. TRACE_LATER: none up to the time until_us, or
 *  within the limit of work for one call. */
enum trace_found trace_find(struct trace_walk *k, uint64_t until_us);

/** Returns which of n connections a key's requests take. */
uint32_t trace_connection(const struct trace_walk *k, uint32_t hash, uint32_t n);

#endif
