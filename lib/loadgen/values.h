/* SPDX-License-Identifier: MIT */
/* Values: content and size follow from key and seed, so that a GET is checked without storing anything. */
#ifndef LOADGEN_VALUES_H
#define LOADGEN_VALUES_H

#include "sizes.h"

#include <stddef.h>
#include <stdint.h>

#define VALUES_SHARED 24000UL /* bytes; they leave room in a cache of 32 KB */
#define VALUES_PHASES 5       /* the kinds of phases: enum phase_kind */

enum values_kind { VALUES_PATTERN, VALUES_RANDOM, VALUES_COMPRESSIBLE };

struct values_spec {
    enum values_kind kind;
    double ratio; /* compressible: original size / size that lz4 and lzo-rle make of it, above 1 */
    uint64_t seed;
    struct sizes sizes;                /* of phases without their own: a key keeps its size */
    struct sizes phase[VALUES_PHASES]; /* of a kind of phase: each SET draws a size */
    unsigned own;                      /* bit i: that kind of phase has its own sizes */
    uint64_t ttl_low, ttl_high;        /* seconds that SETs give keys to live; 0: no expiry */
};

struct values {
    struct values_spec spec;
    uint64_t stretch, pieces; /* bytes under one mask; compressible: how many of them the pool contains */
    unsigned char *pool;      /* owned; read-only after values_init, shared by all threads */
};

/** Prepare values as spec says. Returns 0, or -1 when out of memory. Free with values_free. */
int values_init(struct values *v, const struct values_spec *spec);

/** Release what values_init allocated. */
void values_free(struct values *v);

/** Returns the largest size of any phase, in bytes; of a list, without the limits of a distribution. */
uint64_t values_largest(const struct values_spec *spec);

/** Returns the sizes that SETs of a kind of phase have. */
const struct sizes *values_sizes(const struct values_spec *spec, unsigned phase);

/** Returns the size in bytes that key's value has in phases without their own sizes. */
uint64_t values_length(const struct values *v, uint64_t key);

/** Returns the size in bytes of the value of a SET of key in a kind of phase. With own sizes of the phase, it follows from key and number. */
uint64_t values_drawn(const struct values *v, unsigned phase, uint64_t key, unsigned number);

/** Returns whether key's value may have this size in bytes: if phases have their own sizes, any of them may have set it. */
int values_may_be(const struct values *v, uint64_t key, uint64_t length);

/** Returns the place to use in values_fill and values_check for a value of this length. If phases have their own sizes, a value of another length has
 *  other content, so that a part of a value is not taken for a value. The pattern has 75 contents: lengths that differ by a multiple of 75 share one.
 */
static inline uint64_t values_place(const struct values *v, uint64_t place, uint64_t length)
{
    return v->spec.own ? place + (length << 32) : place;
}

/** Write bytes [at, at + n) of key's value to out. `place` tells instances apart: for `pattern` it is the instance's number, which the
 *  first byte counts from; otherwise any number that is the same whenever the instance is the same. */
void values_fill(const struct values *v, uint64_t key, uint64_t place, uint64_t at, char *out, size_t n);

/** Pattern only: returns the address of every key's value from byte `at` on, valid as long as the values are in use, and sets *n to the number of
 *  bytes, at most VALUES_SHARED. They are the same few cache lines each time. */
const char *values_shared(const struct values *v, uint64_t place, uint64_t at, size_t *n);

/** Returns 1 when the n bytes at `in` are bytes [at, at + n) of key's value, else 0. */
int values_check(const struct values *v, uint64_t key, uint64_t place, uint64_t at, const char *in, size_t n);

#endif
