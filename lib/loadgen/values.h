/* SPDX-License-Identifier: MIT */
/* Values: content and size follow from key and seed, so that a GET is checked without anything having been stored. */
#ifndef LOADGEN_VALUES_H
#define LOADGEN_VALUES_H

#include <stddef.h>
#include <stdint.h>

#define VALUES_SIZES_MAX  16
#define VALUES_SIZE_LIMIT UINT64_C(536870912) /* 512 MB, Redis' own limit */

enum values_kind { VALUES_PATTERN, VALUES_RANDOM, VALUES_COMPRESSIBLE };

/* One choice of a size list: sizes low..high, each as likely, with a weight. */
struct values_size {
    uint64_t low, high, weight;
};

struct values_spec {
    enum values_kind kind;
    double ratio; /* compressible: original size / compressed size, above 1 */
    uint64_t seed;
    struct values_size size[VALUES_SIZES_MAX];
    int sizes;
};

struct values {
    struct values_spec spec;
    uint64_t weight_total;
    unsigned char *pool; /* owned; read-only after values_init, shared by all threads */
};

/** Prepare values as spec says. Returns 0, or -1 when out of memory. Free with values_free. */
int values_init(struct values *v, const struct values_spec *spec);

/** Release what values_init allocated. */
void values_free(struct values *v);

/** Returns the size in bytes of key's value. */
uint64_t values_length(const struct values *v, uint64_t key);

/** Returns the mean size in bytes over all keys, by the weights. */
double values_mean_length(const struct values_spec *spec);

/** Write bytes [at, at + n) of key's value to out. `place` tells instances apart: for `pattern` it is the instance's number, which the
 *  first byte counts from; otherwise any number that is the same whenever the instance is the same. */
void values_fill(const struct values *v, uint64_t key, uint64_t place, uint64_t at, char *out, size_t n);

/** Returns 1 when the n bytes at `in` are bytes [at, at + n) of key's value, else 0. */
int values_check(const struct values *v, uint64_t key, uint64_t place, uint64_t at, const char *in, size_t n);

#endif
