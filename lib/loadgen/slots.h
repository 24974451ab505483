/* SPDX-License-Identifier: MIT */
/* Slots of a Redis Cluster: the CRC16 of keys, and a tag for each slot, so that a key goes to the intended slot. */
#ifndef LOADGEN_SLOTS_H
#define LOADGEN_SLOTS_H

#include <stddef.h>
#include <stdint.h>

#define SLOTS         16384
#define SLOTS_TAG     4 /* bytes of a tag: three letters and the closing brace */
#define SLOTS_TAG_ANY "{000}"

/* The tags of the slots of one shard, for keys that go round them. */
struct slots_tags {
    uint32_t count;
    uint32_t first;   /* the lowest slot, when they are neighbours */
    uint64_t inverse; /* 2^64 / count, rounded up: a remainder by multiplication (Lemire, Kaser, Kurz 2019) */
    uint16_t *slot;   /* owned: all of them, or NULL when they are neighbours */
};

/* CRC16 is linear: the tag of a slot is the XOR of the tags of its low bits and of its high bits. A table of all tags would not stay in the
 * first-level cache together with the buffers. */
extern uint32_t slots_tag_low[128], slots_tag_high[128];

/** Returns the slot of a key, by the part that Redis hashes: the whole of it, or the part between its first { and the next }. */
unsigned slots_of(const char *key, size_t n);

/** Make the tables of tags, in the first call. Returns how many words of three letters were tried. Not thread-safe before it has returned once. */
unsigned slots_words(void);

/** Make the tags of `count` slots. Returns 0, or -1 when out of memory. Free with slots_tags_free. */
int slots_tags_init(struct slots_tags *t, const uint16_t *slot, uint32_t count);

/** Release what slots_tags_init allocated. */
void slots_tags_free(struct slots_tags *t);

/** Write the tag of a slot, SLOTS_TAG bytes, at out. */
static inline void slots_tag(uint64_t slot, char *out)
{
    uint32_t tag = slots_tag_low[slot % 128] ^ slots_tag_high[slot / 128 % 128];
    __builtin_memcpy(out, &tag, SLOTS_TAG);
}

/** Write the tag of key number n, SLOTS_TAG bytes, at out. */
static inline void slots_put(const struct slots_tags *t, uint64_t n, char *out)
{
    uint64_t at;
    if (__builtin_expect(n < UINT64_C(1) << 32, 1))
        at = (uint64_t)(((unsigned __int128)(t->inverse * n) * t->count) >> 64);
    else
        at = n % t->count;
    slots_tag(t->slot ? t->slot[at] : t->first + at, out);
}

#endif
