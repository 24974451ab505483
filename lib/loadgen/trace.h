/* SPDX-License-Identifier: MIT */
/* A recorded trace: requests with their times of arrival. An index, a file of records of fixed size, is made from the trace once and mapped. The
 * text of keys is read from the trace itself. */
#ifndef LOADGEN_TRACE_H
#define LOADGEN_TRACE_H

#include "mix.h"

#include <limits.h>
#include <stddef.h>
#include <stdint.h>

#define TRACE_WHY     (PATH_MAX + 256)
#define TRACE_KEY_MAX 4096 /* bytes of a key */
#define TRACE_SUFFIX  ".tierbench-index"
#define TRACE_MAGIC   "TBTRACE4"
#define TRACE_COUNTER "i:" /* before the keys of counters, as in a mix: no value of another type has such a key */

#define TRACE_COMMANDS   "get mget set mset setex psetex setnx getset append del unlink incr incrby decr decrby"
#define TRACE_ESCAPE_MAX 4 /* max bytes of text for a byte of a key: \xHH */

/* The operation of a request. The numbers are those of the commands in a mix (trace_mix), after those of command.h. */
enum trace_op { TRACE_GET = 2, TRACE_SET, TRACE_ADD, TRACE_REPLACE, TRACE_DELETE, TRACE_INCR, TRACE_DECR, TRACE_FILL, TRACE_END };

#define TRACE_OPS (TRACE_END - TRACE_GET)

#define TRACE_TOPS    3 /* shares of requests: to the most popular 1, 10 and 50 % of the keys */
#define TRACE_UNKNOWN (-1)

struct trace_record {
    uint64_t time_op;           /* microseconds since the first request, times 256, plus the operation */
    uint64_t key;               /* offset of its text in the trace; if key_len is 0, the key is this number */
    uint32_t hash;              /* of the key: selects the instance, thread and connection; its low 14 bits are the slot of the key that is sent */
    uint32_t size;              /* bytes of the value */
    uint32_t ttl;               /* time to live in seconds, 0: no expiry */
    uint16_t key_len, key_size; /* bytes of the text, and of the key that is sent: longer keys are padded, shorter keys are decoded */
};

struct trace_header {
    char magic[8];
    uint64_t record_bytes, count;
    uint64_t source_bytes, source_mtime_ns; /* of the trace, when the index was made */
    uint64_t length_us;                     /* time of the last request */
    uint64_t sets, set_bytes;               /* requests that carry a value, and their bytes */
    uint64_t valued, value_bytes;           /* requests with a known size of the value, GETs too, and those bytes */
    uint64_t keys;                          /* number of distinct keys, estimated to about 1 % */
    uint64_t largest_value, largest_key;
    uint64_t left_out;              /* requests of commands that a replay does not send */
    char left_name[32];             /* the first such command */
    double top_percent[TRACE_TOPS]; /* of all requests, or TRACE_UNKNOWN */
};

struct trace {
    struct trace_header *header;
    const struct trace_record *record;
    char *source; /* the text of keys */
    uint64_t count, source_bytes;
    size_t mapped; /* bytes of the index */
    char index[PATH_MAX];
};

/** Open the trace `path`. If it has no valid index, make it first: beside the file, or else in the cache directory. Returns 0, or -1 with one line
 * in why, which names file and line. Close with trace_close. */
int trace_open(struct trace *t, const char *path, char why[TRACE_WHY]);

/** Release what trace_open mapped. */
void trace_close(struct trace *t);

/** Fill the zeroed m with the commands of a trace. */
void trace_mix(struct mix *m);

static inline enum trace_op trace_op(const struct trace_record *r)
{
    return (enum trace_op)(r->time_op & 255);
}

static inline uint64_t trace_us(const struct trace_record *r)
{
    return r->time_op >> 8;
}

/** Returns the 64-bit hash of a key of n bytes of text. */
uint64_t trace_text_hash(const char *text, size_t n);

/** Returns the 64-bit hash of the key of a record. */
uint64_t trace_key_hash(const struct trace *t, const struct trace_record *r);

/** Write the key of a record to out, which must hold key_size + 8 bytes. */
void trace_key(const struct trace *t, const struct trace_record *r, char *out);

/** Write the key that is sent for a text of len bytes (len 0: for a number) to out, which must hold size + 8 bytes: decoded if it has more than size
 * bytes, padded if it has fewer. */
void trace_key_write(const char *text, size_t len, uint64_t number, size_t size, char *out);

/* The walk of one thread through the requests of one instance. */
struct trace_walk {
    const struct trace *trace;
    uint64_t next, end;          /* the next record to examine; the record at which the walk ends */
    uint64_t last_us;            /* the time of the trace at which the walk ends */
    uint64_t instance, total;    /* this instance, and the number of instances that share the trace */
    const uint16_t *owner;       /* of a cluster: by slot, its shard, which takes the place of the instance; else NULL */
    uint16_t shard;              /* of a cluster: this shard */
    uint64_t part, parts;        /* this thread's part of the instance's requests */
    uint64_t passed, passed_key; /* the bytes before these offsets are released to the kernel */
};

enum trace_found { TRACE_FOUND, TRACE_LATER, TRACE_OVER, TRACE_DAMAGED };

/** Advance to the next request of this walk. TRACE_FOUND: the request is the record `next`. TRACE_LATER: no request is due up to the time until_us,
 * or
 *  the call reached its limit of work. TRACE_OVER: the walk is at its end. TRACE_DAMAGED: the record is invalid. */
enum trace_found trace_find(struct trace_walk *k, uint64_t until_us);

/** Returns which of n connections the requests of a key use. */
uint32_t trace_connection(const struct trace_walk *k, uint32_t hash, uint32_t n);

#endif
