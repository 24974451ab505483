/* SPDX-License-Identifier: MIT */
/* Keys drawn and commands written several at a time, in registers that not every CPU of the kind has: the same bytes as keys.h and command.h give. */
#ifndef LOADGEN_WIDE_H
#define LOADGEN_WIDE_H

#include "rng.h"

#include <stdint.h>

struct commands;

/** Returns whether the CPU has the registers. Without them no other function of this file may be called. */
int wide_here(void);

/** Write tag | (first + rng_below(r, count)), the next n such numbers, n a multiple of 4. count must be below 2^32.
 *  Returns how many it wrote, a multiple of 4: fewer than n, before four of which one needs a second draw. */
uint32_t wide_draw(struct rng *r, uint64_t tag, uint64_t first, uint64_t count, uint64_t *out, uint32_t n);

/** As command_encode_run for n keys, n a multiple of 4. Returns how many were written, a multiple of 4: fewer than n where *out comes within four
 *  commands of `full`, or before four of which one key is 2^31 or more. *out is then their end. */
uint32_t wide_encode(const struct commands *c, unsigned command, const uint64_t *key, uint32_t n, char **out, const char *full);

#endif
