/* SPDX-License-Identifier: MIT */
/* Slots of a Redis Cluster: see slots.h. */
#include "slots.h"

#include <stdlib.h>
#include <string.h>

/* The letters of tags, H to W and h to w. The XOR of three of them is one of them too, because each is the first letter with some of these bits
 * flipped. */
#define LETTER 'H'
static const unsigned char turned[] = {1, 2, 4, 0x18, 0x20};

#define LETTER_BITS ((unsigned)sizeof turned)
#define TAG_BITS    ((SLOTS_TAG - 1) * LETTER_BITS)
#define SLOT_BITS   14

uint32_t slots_tag_low[128], slots_tag_high[128];
static unsigned words;

/* CRC16 as in XMODEM: polynomial 0x1021, from 0. */
static unsigned crc16(const char *bytes, size_t n)
{
    unsigned crc = 0;
    for (size_t i = 0; i < n; i++) {
        const unsigned byte = (unsigned char)bytes[i];
        crc = (crc << 4 ^ (crc >> 12 ^ byte >> 4) * 0x1021) & 0xffff; /* four bits at a time: their remainders are the multiples */
        crc = (crc << 4 ^ (crc >> 12 ^ (byte & 15)) * 0x1021) & 0xffff;
    }
    return crc;
}

unsigned slots_of(const char *key, size_t n)
{
    const char *open = memchr(key, '{', n), *close = open ? memchr(open + 1, '}', n - (size_t)(open + 1 - key)) : NULL;
    if (!close || close == open + 1) return crc16(key, n) % SLOTS;
    return crc16(open + 1, (size_t)(close - open - 1)) % SLOTS;
}

/* Write word number `word` of three letters, as a tag. */
static void word_make(unsigned word, char tag[SLOTS_TAG])
{
    memset(tag, LETTER, SLOTS_TAG - 1);
    tag[SLOTS_TAG - 1] = '}';
    for (unsigned bit = 0; bit < TAG_BITS; bit++)
        if (word >> bit & 1) tag[bit / LETTER_BITS] = (char)(tag[bit / LETTER_BITS] ^ turned[bit % LETTER_BITS]);
}

/* The tag of slot 0, and of each slot with one bit: all other tags are an XOR of these. */
unsigned slots_words(void)
{
    uint32_t zero = 0, one[SLOT_BITS] = {0}, tag;
    unsigned found = 0, have = 0;
    for (unsigned word = 0; !words && word < 1U << TAG_BITS && found < SLOT_BITS + 1; word++) {
        char text[SLOTS_TAG];
        word_make(word, text);
        unsigned slot = crc16(text, SLOTS_TAG - 1) % SLOTS, bit = slot ? (unsigned)__builtin_ctz(slot) : SLOT_BITS;
        if ((slot & (slot - 1)) != 0 || have >> bit & 1) continue;
        memcpy(slot ? &one[bit] : &zero, text, SLOTS_TAG);
        have |= 1U << bit;
        if (++found == SLOT_BITS + 1) words = word + 1;
    }
    for (unsigned i = 0; found && i < 128; i++) {
        slots_tag_low[i] = zero;
        slots_tag_high[i] = 0;
        for (unsigned bit = 0; bit < SLOT_BITS; bit++) {
            tag = one[bit] ^ zero;
            if (bit < 7 && i >> bit & 1) slots_tag_low[i] ^= tag;
            if (bit >= 7 && i >> (bit - 7) & 1) slots_tag_high[i] ^= tag;
        }
    }
    return words;
}

int slots_tags_init(struct slots_tags *t, const uint16_t *slot, uint32_t count)
{
    uint32_t next = 1;
    slots_words();
    t->count = count;
    t->first = slot[0];
    t->inverse = UINT64_MAX / count + 1;
    t->slot = NULL;
    while (next < count && slot[next] == slot[0] + next) next++;
    if (next == count) return 0;
    t->slot = malloc(count * sizeof *t->slot);
    if (!t->slot) return -1;
    memcpy(t->slot, slot, count * sizeof *t->slot);
    return 0;
}

void slots_tags_free(struct slots_tags *t)
{
    free(t->slot);
    t->slot = NULL;
}
