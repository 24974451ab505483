/* SPDX-License-Identifier: MIT */
/* Commands as bytes: all parts except the key are prepared once; the key is written in place, and any part of a command can be repeated. */
#ifndef LOADGEN_COMMAND_H
#define LOADGEN_COMMAND_H

#include "mix.h"
#include "number.h"
#include "options.h"
#include "replies.h"
#include "slots.h"
#include "trace.h"
#include "values.h"

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* The commands of the hot path: an index of command_kinds. The commands of a mix have the following indices, and words (mix.h). */
enum command { COMMAND_GET, COMMAND_SET, COMMANDS };

enum command_reply { COMMAND_VALUE, COMMAND_OK };

/* The facts of such a command. */
struct command_kind {
    const char *verb;
    uint8_t carries; /* a value follows the key */
    uint8_t reply;   /* enum command_reply */
};

static const struct command_kind command_kinds[COMMANDS] = {
    [COMMAND_GET] = {"GET", 0, COMMAND_VALUE},
    [COMMAND_SET] = {"SET", 1, COMMAND_OK},
};

/* A tagged key is a request in one word: the key, below OPTIONS_KEY_END, above it the number of a field or member, and above that the command. In a
 * phase with its own sizes, a SET has a random number too, from which its size follows. */
#define COMMAND_SHIFT             58
#define COMMAND_NUMBER_SHIFT      50
#define COMMAND_TAG(command, key) ((uint64_t)(command) << COMMAND_SHIFT | (key))
#define COMMAND_KEY(tagged)       ((tagged) & (OPTIONS_KEY_END - 1))
#define COMMAND_NUMBER(tagged)    ((unsigned)((tagged) >> COMMAND_NUMBER_SHIFT) & (MIX_TIMES_MAX - 1))

/* The command of a mix. */
static inline int command_mixed(uint64_t tagged)
{
    return tagged >> COMMAND_SHIFT >= COMMANDS;
}

/* Of a command that is not command_mixed. */
static inline const struct command_kind *command_kind(uint64_t tagged)
{
    return &command_kinds[tagged >> COMMAND_SHIFT];
}

#define COMMAND_HEAD_MAX (64 + OPTIONS_PREFIX_MAX) /* with the tag of a slot */
#define COMMAND_DIGITS   20
#define COMMAND_TAIL_MAX 16384 /* bytes of a ready-made value; longer ones are made piece by piece */
#define COMMAND_SLACK    64    /* bytes that command_encode may write after the command */
#define COMMAND_END_MAX  40    /* bytes of a SET after its value */

/* The bytes of a command up to the digits of its key, for keys of one length. */
struct command_head {
    char text[COMMAND_HEAD_MAX];
    uint32_t size;
} __attribute__((aligned(64))); /* its first 32 bytes, all of it for most keys, lie in one line */

struct commands {
    struct command_head head[COMMANDS][COMMAND_DIGITS + 1];
    const struct values *values;
    const struct slots_tags *tags; /* of a shard's slots: the end of a head is written for each key; NULL without a cluster */
    uint64_t place;                /* see values_fill */
    uint64_t value_len;            /* when all values have one size, else 0 */
    unsigned phase;                /* enum phase_kind: which sizes values have */
    int draws;                     /* that phase has its own sizes, so each SET needs a number */
    char *tail;                    /* owned: all of a SET after its key, when it is the same for every key and short; else NULL */
    uint32_t tail_len, tail_value; /* its bytes, and those of them before the value */
    struct replies_value got;      /* a reply with such a value */
    uint64_t largest;              /* bytes that no command exceeds */
    const struct mix *mix;         /* the commands that are not in command_kinds, or NULL */
    const char *prefix;            /* of their keys */
    uint64_t first, count;         /* the keys that they take */
    const struct trace *trace;     /* where the requests of a replay come from, or NULL */
    double ttl_ms;                 /* milliseconds of this run that a second of the trace is, for times to live; 0: a second */
    int shared;                    /* values are long, and the same for every key: command_piece need not make them */
};

/** Prepare the commands for one instance, or for a shard with these tags (else NULL). `values` and `tags` must outlive c. Returns 0, or -1 when
 *  out of memory. Free with commands_free. */
int commands_init(struct commands *c, const char *prefix, const struct values *values, const struct slots_tags *tags, uint64_t place);

/** Let values have the sizes of a kind of phase. */
static inline void commands_phase(struct commands *c, enum phase_kind kind)
{
    c->phase = kind;
    c->draws = (int)(c->values->spec.own >> kind & 1);
}

/** Returns the size in bytes of the value that a tagged key is set to. */
static inline uint64_t command_length(const struct commands *c, uint64_t tagged)
{
    return c->value_len ? c->value_len : values_drawn(c->values, c->phase, COMMAND_KEY(tagged), COMMAND_NUMBER(tagged));
}

/** Let c make the commands of a mix as well, which take `count` keys from `first` on; what they point to must outlive c. */
void commands_mix(struct commands *c, const struct mix *mix, const char *prefix, uint64_t first, uint64_t count);

/** Let c make the requests of a trace, which must outlive c, in place of a mix: a tagged key is then the number of a record. A key lives ttl_ms
 * milliseconds for each second that the trace says; 0: as many seconds. */
void commands_trace(struct commands *c, const struct trace *trace, double ttl_ms);

/** As command_words, of a request of the trace. */
uint64_t command_trace(const struct commands *c, uint64_t tagged, uint64_t from, char *out, size_t n);

/** Returns the key to use in values_fill and values_check when its value has `size` bytes: a value of another size has other content. */
uint64_t command_trace_content(const struct commands *c, const struct trace_record *r, uint64_t size);

/** Returns the i-th of the keys of a command of several. */
static inline uint64_t command_key_at(const struct commands *c, uint64_t key, uint64_t i)
{
    uint64_t at = key - c->first + i;
    return i && at >= c->count ? c->first + at % c->count : c->first + at;
}

/** As command_key_at, with the command and the number of the tagged key. */
static inline uint64_t command_tagged_at(const struct commands *c, uint64_t tagged, uint64_t i)
{
    return command_key_at(c, COMMAND_KEY(tagged), i) | (tagged & ~(OPTIONS_KEY_END - 1));
}

/** Write bytes [from, from + n) of a command of the mix at out, which may be NULL when n is 0. Returns the size of the whole command. */
uint64_t command_words(const struct commands *c, uint64_t tagged, uint64_t from, char *out, size_t n);

/** Release what commands_init allocated. */
void commands_free(struct commands *c);

/** Returns the size in bytes of the command of a tagged key. */
uint64_t command_size(const struct commands *c, uint64_t tagged);

/** Write the command up to the end of its key at out, which must have room for COMMAND_SLACK more. Returns its end. */
static inline char *command_encode_key(const struct commands *c, uint64_t tagged, char *out)
{
    uint64_t key = COMMAND_KEY(tagged);
    unsigned digits = number_digits(key);
    const struct command_head *h = &c->head[tagged >> COMMAND_SHIFT][digits];
    const uint32_t size = h->size; /* for the compiler, any byte that is written could be h->size */
    memcpy(out, h->text, 32);      /* a fixed size is two moves */
    if (size > 32) memcpy(out + 32, h->text + 32, size - 32);
    if (c->tags) slots_put(c->tags, key, out + size - SLOTS_TAG);
    number_put(out + size, key, digits);
    return out + size + digits;
}

/* Copy a ready-made tail; up to 31 further bytes are written, for which the caller has room. A call costs more than a short copy. */
static inline void command_tail_copy(char *out, const char *tail, uint32_t size)
{
    if (size > 256) {
        memcpy(out, tail, size);
        return;
    }
    for (uint32_t i = 0; i < size; i += 32) memcpy(out + i, tail + i, 32);
}

/** Write all of a SET after its key when it is not the same for every key. Returns its end. */
char *command_encode_value(const struct commands *c, uint64_t tagged, char *out);

/** Write the whole command at out, which must have room for command_size + COMMAND_SLACK. Returns its end. */
static inline char *command_encode(const struct commands *c, uint64_t tagged, char *out)
{
    if (__builtin_expect(command_mixed(tagged), 0)) return out + command_words(c, tagged, 0, out, SIZE_MAX);
    out = command_encode_key(c, tagged, out);
    if (command_kind(tagged)->carries) {
        if (!c->tail) return command_encode_value(c, tagged, out);
        const char *tail = c->tail;
        const uint32_t size = c->tail_len;
        command_tail_copy(out, tail, size);
        return out + size;
    }
    memcpy(out, "\r\n", 2);
    return out + 2;
}

/** As command_encode for one key after the other, key[first & mask] and so on, all of this command, which must need nothing but their keys
 *  (command_plain); up to `last` or until less than `largest` is left before `full`. Sets *next to the first that was not written. */
static inline char *command_encode_run(const struct commands *c, unsigned command, const uint64_t *key, uint32_t mask, uint32_t first, uint32_t last,
                                       uint32_t *next, char *out, const char *full)
{
    const struct command_head *const heads = c->head[command];
    const int carries = command_kinds[command].carries;
    const struct slots_tags *const tags = c->tags;
    const char *const tail = c->tail, *const stop = full - c->largest;
    const uint32_t tail_len = c->tail_len;
    for (; first != last && out <= stop; first++) {
        const uint64_t tagged = key[first & mask], number = COMMAND_KEY(tagged);
        const unsigned digits = number_digits(number);
        const struct command_head *h = &heads[digits];
        const uint32_t size = h->size;
        memcpy(out, h->text, 32);
        if (size > 32) memcpy(out + 32, h->text + 32, size - 32);
        if (tags) slots_put(tags, number, out + size - SLOTS_TAG);
        number_put(out + size, number, digits);
        out += size + digits;
        if (carries) {
            command_tail_copy(out, tail, tail_len);
            out += tail_len;
        } else {
            memcpy(out, "\r\n", 2);
            out += 2;
        }
    }
    *next = first;
    return out;
}

/** Returns the seconds that a SET gives a key to live, for each key its own; 0: no expiry. */
uint64_t command_ttl(const struct commands *c, uint64_t key);

/** Write the end of a SET after its value: the end of the line, and the time to live of each key. Returns its size. */
size_t command_end(const struct commands *c, uint64_t key, char out[COMMAND_END_MAX]);

/** Returns whether the bytes of a command follow from its key alone, without making a value. */
static inline int command_plain(const struct commands *c, unsigned command)
{
    return command < COMMANDS && (!command_kinds[command].carries || c->tail);
}

/** Write bytes [at, at + n) of the command, or fewer where it ends. Returns how many. */
size_t command_encode_part(const struct commands *c, uint64_t tagged, uint64_t at, char *out, size_t n);

#define COMMAND_PIECE_MAX (COMMAND_HEAD_MAX + 2 * COMMAND_DIGITS + 64) /* bytes that command_piece may write */

/** For `shared` values: returns the address of bytes of the command from `at` on, and sets *n to their number: at `scratch`, which must have room
 *  for COMMAND_PIECE_MAX, or in memory that lasts as long as the values do. */
const char *command_piece(const struct commands *c, uint64_t tagged, uint64_t at, char *scratch, size_t *n);

#endif
