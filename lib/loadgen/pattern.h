/* SPDX-License-Identifier: MIT */
/* Key patterns as text: the arguments of --keys and --shift, and which of them are invalid. */
#ifndef LOADGEN_PATTERN_H
#define LOADGEN_PATTERN_H

#include "keys.h"

#include <stddef.h>

/** Read a pattern (`zipf:1.2`, `hotspot:10:90`) into spec, with the defaults of the parameters that it leaves out. Returns 0, or -1 when it is
 * invalid. */
int pattern_parse(struct keys_spec *spec, const char *text);

/** Read SECONDS:PERCENT, how often and how far the popular keys move, into spec. Returns 0, or -1 when it is invalid. */
int pattern_shift(struct keys_spec *spec, const char *text);

/** Returns whether a pattern has popular keys that can be moved: the others use every key equally, or move by themselves. */
int pattern_has_place(enum keys_kind kind);

/** Make `spec` follow the pattern of another one: how popular each rank is. Its keys, their places and its random streams stay. */
void pattern_follow(struct keys_spec *spec, const struct keys_spec *other);

/** Returns the parameter of a pattern with popular keys: the SD of gaussian in keys, the exponent of zipf and latest, for hotspot the percent of
 *  requests to the hot keys; 0 when it has none. */
double pattern_parameter(const struct keys_spec *spec);

#endif
