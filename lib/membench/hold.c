/* SPDX-License-Identifier: MIT */
/* Cold memory: see hold.h. */
#include "hold.h"

#include <errno.h>

#define PART ((size_t)32 << 20) /* max bytes between two looks at what is free; they take 30 ms or so */
#define HUGE ((size_t)2 << 20)
#define PAGE ((size_t)4096)

/* Write pseudo-random numbers (Xorshift; Marsaglia 2003), which no tier can compress. */
static void write_part(unsigned char *start, size_t bytes, uint64_t *state)
{
    uint64_t *to = (uint64_t *)(void *)start, *end = to + bytes / sizeof *to, x = *state;
    for (; to < end; to++) {
        x ^= x << 13;
        x ^= x >> 7;
        x ^= x << 17;
        *to = x;
    }
    *state = x;
}

size_t hold_part(uint64_t left, uint64_t keep, size_t rest)
{
    uint64_t fits = left > keep ? left - keep : 0;
    if (rest > PART) rest = PART;
    return fits >= rest ? rest : (size_t)fits & ~(HUGE - 1);
}

int hold_map(struct room *r, size_t bytes, uint64_t least, int node, uint64_t keep, const struct watch *watch, const char **why)
{
    uint64_t left, state = UINT64_C(0x9e3779b97f4a7c15) + (uint64_t)node;
    size_t part;
    if (room_take(r, bytes, node, why)) return -1;
    for (size_t at = 0; at < r->bytes; at += part) {
        if (watch_over(watch)) {
            room_unmap(r);
            return 1;
        }
        errno = 0;
        part = room_left(node, &left) ? 0 : hold_part(left, keep, r->bytes - at);
        if (!part) {
            if (at && at >= least) {
                room_trim(r, at);
                break;
            }
            *why = "has no room for so much memory";
            room_unmap(r);
            return -1;
        }
        /* Check the first page as soon as it is written: DAMON moves pages of a region that was idle before, within a part. */
        struct room first = {.start = r->start + at, .bytes = PAGE};
        write_part(first.start, first.bytes, &state);
        if (room_check(&first, node, why)) {
            room_unmap(r);
            return -1;
        }
        write_part(first.start + PAGE, part - PAGE, &state);
    }
    if (room_loosen(r, why)) {
        room_unmap(r);
        return -1;
    }
    return 0;
}
