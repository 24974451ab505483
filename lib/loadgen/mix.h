/* SPDX-License-Identifier: MIT */
/* Mixes of commands: which commands a mixed phase sends, how often each, and the words of each. A new command is a line of the table in mix.c. */
#ifndef LOADGEN_MIX_H
#define LOADGEN_MIX_H

#include <stddef.h>
#include <stdint.h>

#define MIX_ENTRIES   16 /* commands that a mix names */
#define MIX_COMMANDS  40 /* with those that follow one, and those that populate sends */
#define MIX_WORDS     32
#define MIX_PIECES    4   /* of a word */
#define MIX_TIMES_MAX 256 /* keys, fields, members or elements of one command */
#define MIX_NAME      32
#define MIX_ITEM      512                      /* bytes of a command in a list, and a byte for its end; lib/plan/load.awk has the limits too */
#define MIX_TEXT      (MIX_ENTRIES * MIX_ITEM) /* bytes of all words of the user's own commands */
#define MIX_INDEX     4                        /* digits of a field's or member's number */
#define MIX_PREFIX    2                        /* bytes in front of a key that is not a string: "h:" */

enum mix_kind { MIX_LITERAL, MIX_KEY, MIX_DATA, MIX_NUMBER };

/* A part of a word. */
struct mix_piece {
    enum mix_kind kind;
    const char *text; /* of MIX_LITERAL */
    uint32_t size;
};

struct mix_word {
    struct mix_piece piece[MIX_PIECES];
    int pieces;
    uint8_t again; /* part of the group, which is sent `times` times */
};

enum mix_reply { MIX_VALUE, MIX_OK, MIX_INTEGER, MIX_ITEMS, MIX_ANY };

struct mix_command {
    char name[MIX_NAME];
    uint64_t weight;
    struct mix_word word[MIX_WORDS];
    int words, times; /* times: N of NAME-N, which is how often the group is sent */
    uint8_t grouped;  /* it has a group */
    uint8_t keys;     /* the next key each time */
    uint8_t data;     /* a word carries a value */
    uint8_t ends;     /* the times to live of a SET follow it */
    uint8_t reply;    /* enum mix_reply */
    uint8_t stride;   /* of MIX_ITEMS: every stride-th item is a value */
    uint8_t skip;     /* bytes in front of a value in its item */
    uint8_t unknown;  /* the content of a reply is unknown */
    char type;        /* of the key: s h l z x i */
    uint32_t numbers; /* the request draws one below it: a field, a member; 0: none */
    int next;         /* the command that follows with the same key when this is answered; 0: none */
    int entry;        /* the entry that it belongs to; -1: populate */
};

/* Commands 0 and 1 are GET and SET, which command.h knows; all others are made of words. */
struct mix {
    struct mix_command command[MIX_COMMANDS];
    int commands;
    int entry[MIX_ENTRIES]; /* the first command of each entry */
    int entries;
    uint64_t weights;
    int fill[MIX_ENTRIES]; /* what populate sends for each key */
    int fills;
    int removes;       /* keys are removed: misses are not a failure */
    int typed, groups; /* keys that are not strings; commands with several keys */
    char text[MIX_TEXT];
    size_t text_len;
};

#define MIX_WHY 200

/** Add the commands of LIST, NAME[-N][:WEIGHT],..., to the zeroed or begun m; an item with __key__ in it is a command of the user's own. Returns 0,
 * or -1 with one line in why. */
int mix_parse(struct mix *m, const char *list, char why[MIX_WHY]);

/** Add a command of the user's own: WORDS with __key__ and __data__. Returns 0, or -1 with one line in why. */
int mix_add(struct mix *m, const char *words, uint64_t weight, char why[MIX_WHY]);

/** All commands are known: prepare what populate sends. Returns 0, or -1 with one line in why. */
int mix_finish(struct mix *m, char why[MIX_WHY]);

/** Returns whether populate sets strings, which the phase get reads: not if no command of the mix has them. */
int mix_strings(const struct mix *m);

/** Print the names that mix_parse knows, separated by blanks, to out of n bytes. */
void mix_names(char *out, size_t n);

#endif
