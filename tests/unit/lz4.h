/* SPDX-License-Identifier: MIT */
/* What LZ4 makes of a page, counted without a library that not every machine has. */
#ifndef UNIT_LZ4_H
#define UNIT_LZ4_H

#include <stdint.h>
#include <string.h>

/* Sums over what was compressed. */
struct packed {
    double bytes, matches;
};

static inline uint32_t lz4_word(const unsigned char *p)
{
    uint32_t word;
    memcpy(&word, p, 4);
    return word;
}

/* Count what LZ4_compress_default makes of n bytes, n up to 65536: its search, by its description and its reference implementation. */
static inline void lz4_count(const unsigned char *in, int n, struct packed *sum)
{
    static uint16_t table[8192];
    int anchor = 0, at = 1, misses = 64;
    memset(table, 0, sizeof table);
    while (at + 12 < n) {
        uint32_t hash = lz4_word(in + at) * 2654435761U >> 19;
        int from = table[hash];
        table[hash] = (uint16_t)at;
        if (lz4_word(in + from) != lz4_word(in + at)) {
            at += misses++ >> 6;
            continue;
        }
        while (at > anchor && from > 0 && in[at - 1] == in[from - 1]) {
            at--;
            from--;
        }
        int literals = at - anchor, length = 4;
        while (at + length < n - 5 && in[at + length] == in[from + length]) length++;
        sum->matches++;
        sum->bytes += 3 + literals + (literals >= 15 ? 1 + (literals - 15) / 255 : 0) + (length >= 19 ? 1 + (length - 19) / 255 : 0);
        anchor = at += length;
        misses = 64;
        table[lz4_word(in + at - 2) * 2654435761U >> 19] = (uint16_t)(at - 2);
    }
    int rest = n - anchor;
    sum->bytes += 1 + rest + (rest >= 15 ? 1 + (rest - 15) / 255 : 0);
}

#endif
