/* SPDX-License-Identifier: MIT */
/* Content that compressing memory tiers store in the same size, and read as slowly, as real data of the same ratio. */
#ifndef LOADGEN_COMPRESSIBLE_H
#define LOADGEN_COMPRESSIBLE_H

#include "rng.h"

#include <stddef.h>

#define COMPRESSIBLE_MAX 65536UL /* bytes of one piece */

/** Write `size` bytes (at most COMPRESSIBLE_MAX) at out. lz4 and lzo-rle compress `ratio` (above 1) bytes of it to one, in pages of 4096 B and at
 *  every length of it. XOR with any word of 8 bytes, repeated, keeps the ratio. */
void compressible_make(unsigned char *out, size_t size, double ratio, struct rng *rng);

#endif
