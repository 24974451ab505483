/* SPDX-License-Identifier: MIT */
/* Commands as bytes: everything but the key is prepared once; the key is written in place, and any part of a command can be made again. */
#ifndef LOADGEN_COMMAND_H
#define LOADGEN_COMMAND_H

#include "number.h"
#include "options.h"
#include "values.h"

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define COMMAND_SET         (UINT64_C(1) << 63) /* in a tagged key: this request sets it */
#define COMMAND_KEY(tagged) ((tagged) & ~COMMAND_SET)

#define COMMAND_HEAD_MAX (64 + OPTIONS_PREFIX_MAX)
#define COMMAND_DIGITS   20
#define COMMAND_TAIL_MAX 16384 /* bytes of a ready-made value; longer ones are made piece by piece */
#define COMMAND_SLACK    64    /* bytes that command_encode may write behind the command */

/* What a command looks like up to the digits of its key, for keys of one length. */
struct command_head {
    char text[COMMAND_HEAD_MAX];
    uint32_t size;
} __attribute__((aligned(64))); /* its first 32 bytes, all of it for most keys, lie in one line */

struct commands {
    struct command_head set[COMMAND_DIGITS + 1], get[COMMAND_DIGITS + 1];
    const struct values *values;
    uint64_t place;     /* see values_fill */
    uint64_t value_len; /* when all values have one size, else 0 */
    char *tail;         /* owned: all of a SET behind its key, when it is the same for every key and short; else NULL */
    uint32_t tail_len;
    char got[40]; /* how a reply with a value of value_len starts */
    uint32_t got_len;
    uint64_t got_word, got_mask; /* its first 8 bytes as a word, those behind got_len masked out */
    uint64_t largest;            /* bytes that no command exceeds */
};

/** Prepare the commands for one instance. `values` must outlive c. Returns 0, or -1 when out of memory. Free with commands_free. */
int commands_init(struct commands *c, const char *prefix, const struct values *values, uint64_t place);

/** Release what commands_init allocated. */
void commands_free(struct commands *c);

/** Returns the size in bytes of the command of a tagged key. */
uint64_t command_size(const struct commands *c, uint64_t tagged);

/** Write the command up to the end of its key at out, which must have room for COMMAND_SLACK more. Returns its end. */
static inline char *command_encode_key(const struct commands *c, uint64_t tagged, char *out)
{
    uint64_t key = COMMAND_KEY(tagged);
    unsigned digits = number_digits(key);
    const struct command_head *h = tagged & COMMAND_SET ? &c->set[digits] : &c->get[digits];
    memcpy(out, h->text, 32); /* a fixed size is two moves */
    if (h->size > 32) memcpy(out + 32, h->text + 32, h->size - 32);
    number_put(out + h->size, key, digits);
    return out + h->size + digits;
}

/** Write all of a SET behind its key when it is not the same for every key. Returns its end. */
char *command_encode_value(const struct commands *c, uint64_t tagged, char *out);

/** Write the whole command at out, which must have room for command_size + COMMAND_SLACK. Returns its end. */
static inline char *command_encode(const struct commands *c, uint64_t tagged, char *out)
{
    out = command_encode_key(c, tagged, out);
    if (tagged & COMMAND_SET) {
        if (!c->tail) return command_encode_value(c, tagged, out);
        memcpy(out, c->tail, c->tail_len);
        return out + c->tail_len;
    }
    memcpy(out, "\r\n", 2);
    return out + 2;
}

/** Write bytes [at, at + n) of the command, or fewer where it ends. Returns how many. */
size_t command_encode_part(const struct commands *c, uint64_t tagged, uint64_t at, char *out, size_t n);

#endif
