/* SPDX-License-Identifier: MIT */
/* Encode requests of a trace: a tagged key contains the number of a record, and the record contains the rest. */
#include "command.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define FRONT_MAX (TRACE_KEY_MAX + 128) /* bytes before a value */
#define END_MAX   96                    /* bytes after it */

/* The arguments of a request by its operation: the number of arguments without a time to live, and the last argument. */
static const struct look {
    const char *begin;
    uint8_t words, carries, counter;
    const char *last;
} looks[TRACE_END] = {
    [TRACE_GET] = {"\r\n$3\r\nGET\r\n$", 2, 0, 0, ""},
    [TRACE_SET] = {"\r\n$3\r\nSET\r\n$", 3, 1, 0, ""},
    [TRACE_FILL] = {"\r\n$3\r\nSET\r\n$", 3, 1, 0, ""},
    [TRACE_ADD] = {"\r\n$3\r\nSET\r\n$", 4, 1, 0, "$2\r\nNX\r\n"},
    [TRACE_REPLACE] = {"\r\n$3\r\nSET\r\n$", 4, 1, 0, "$2\r\nXX\r\n"},
    [TRACE_DELETE] = {"\r\n$3\r\nDEL\r\n$", 2, 0, 0, ""},
    [TRACE_INCR] = {"\r\n$4\r\nINCR\r\n$", 2, 0, 1, ""},
    [TRACE_DECR] = {"\r\n$4\r\nDECR\r\n$", 2, 0, 1, ""},
};

static char *put_text(char *out, const char *text, size_t n)
{
    memcpy(out, text, n);
    return out + n;
}

static char *put_line(char *out, uint64_t number)
{
    out += number_write(out, number);
    return put_text(out, "\r\n", 2);
}

/* Write a request up to its value, or all of it if it has none. It may overwrite bytes after the end. Returns the end. */
static char *front_make(const struct commands *c, const struct trace_record *r, const struct look *l, char *out)
{
    *out++ = '*';
    *out++ = (char)('0' + l->words + (l->carries && r->ttl ? 2 : 0));
    out = put_text(out, l->begin, strlen(l->begin));
    out = put_line(out, r->key_size + (l->counter ? sizeof TRACE_COUNTER - 1 : 0));
    if (l->counter) out = put_text(out, TRACE_COUNTER, sizeof TRACE_COUNTER - 1);
    trace_key(c->trace, r, out);
    out = put_text(out + r->key_size, "\r\n", 2);
    if (!l->carries) return out;
    *out++ = '$';
    return put_line(out, r->size);
}

/* Write the part after the value. Returns its size. */
static size_t end_make(const struct commands *c, const struct trace_record *r, const struct look *l, char out[END_MAX])
{
    char *at = put_text(out, "\r\n", 2), digits[COMMAND_DIGITS + 8];
    at = put_text(at, l->last, strlen(l->last));
    if (!r->ttl) return (size_t)(at - out);
    uint64_t ttl = c->ttl_ms ? (uint64_t)((double)r->ttl * c->ttl_ms) : r->ttl;
    if (!ttl) ttl = 1;
    at = put_text(at, c->ttl_ms ? "$2\r\nPX\r\n$" : "$2\r\nEX\r\n$", 9);
    size_t n = number_write(digits, ttl);
    at = put_line(at, n);
    at = put_text(at, digits, n);
    at = put_text(at, "\r\n", 2);
    return (size_t)(at - out);
}

uint64_t command_trace_content(const struct commands *c, const struct trace_record *r, uint64_t size)
{
    return rng_mix(trace_key_hash(c->trace, r) ^ size * RNG_STEP);
}

/* Copy the bytes within [from, from + n) of a part that begins at `at`. */
static void put_part(uint64_t at, const char *bytes, uint64_t size, uint64_t from, char *out, uint64_t n)
{
    uint64_t low = from > at ? from - at : 0, high = from + n > at ? from + n - at : 0;
    if (high > size) high = size;
    if (low < high) memcpy(out + (at + low - from), bytes + low, high - low);
}

uint64_t command_trace(const struct commands *c, uint64_t tagged, uint64_t from, char *out, size_t n)
{
    const struct trace_record *r = &c->trace->record[COMMAND_KEY(tagged)];
    const struct look *l = &looks[tagged >> COMMAND_SHIFT];
    char front[FRONT_MAX], end[END_MAX];
    const int whole = !from && n == SIZE_MAX;
    char *at = front_make(c, r, l, whole ? out : front);
    uint64_t front_len = (uint64_t)(at - (whole ? out : front)), size = l->carries ? r->size : 0;
    size_t end_len = l->carries ? end_make(c, r, l, end) : 0;
    uint64_t all = front_len + size + end_len, content = size && n ? command_trace_content(c, r, size) : 0;
    if (whole) {
        if (size) values_fill(c->values, content, c->place, 0, at, size);
        memcpy(at + size, end, end_len);
        return all;
    }
    if (!n || from >= all) return all;
    if (n > all - from) n = (size_t)(all - from);
    put_part(0, front, front_len, from, out, n);
    put_part(front_len + size, end, end_len, from, out, n);
    uint64_t low = from > front_len ? from - front_len : 0, high = from + n > front_len ? from + n - front_len : 0;
    if (high > size) high = size;
    if (low < high) values_fill(c->values, content, c->place, low, out + (front_len + low - from), (size_t)(high - low));
    return all;
}

void commands_trace(struct commands *c, const struct trace *trace, double ttl_ms)
{
    c->trace = trace;
    c->ttl_ms = ttl_ms;
    c->place = 0; /* the value of a key does not depend on how the keys are spread */
    c->value_len = 0;
    c->shared = 0;
    c->largest = trace->header->largest_value + trace->header->largest_key + FRONT_MAX - TRACE_KEY_MAX + END_MAX;
}
