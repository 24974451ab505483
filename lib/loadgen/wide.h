/* SPDX-License-Identifier: MIT */
/* Draw keys and encode commands four at a time with AVX2, which not every x86-64 CPU has. The bytes are the same as from keys.h and command.h. */
#ifndef LOADGEN_WIDE_H
#define LOADGEN_WIDE_H

#include "rng.h"

#include <stdint.h>

struct commands;

/** Returns whether the CPU supports AVX2. If not, no other function of this file may be called. */
int wide_here(void);

/** Write n numbers tag | (first + rng_below(r, count)). n is a multiple of 4, and count is below 2^32. Returns how many were written, a multiple
 *  of 4: fewer than n if one of the next four may need a second draw. */
uint32_t wide_draw(struct rng *r, uint64_t tag, uint64_t first, uint64_t count, uint64_t *out, uint32_t n);

/** Like command_encode_run for n keys, a multiple of 4. Returns how many were written, a multiple of 4: fewer than n if less than four commands fit
 *  before `full`, or if one of the next four keys is 2^31 or more. Sets *out to the end of the written commands. */
uint32_t wide_encode(const struct commands *c, unsigned command, const uint64_t *key, uint32_t n, char **out, const char *full);

#endif
