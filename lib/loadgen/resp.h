/* SPDX-License-Identifier: MIT */
/* An incremental scanner of RESP2 and RESP3 replies that builds nothing: it reports where replies end and hands out bulk bytes in place. */
#ifndef LOADGEN_RESP_H
#define LOADGEN_RESP_H

#include <stddef.h>
#include <stdint.h>

#define RESP_BULK_MAX     INT64_C(4294967296) /* bytes; Redis' own default limit is 512 MB */
#define RESP_ELEMENTS_MAX INT64_C(1048576)    /* of one aggregate, and open at one time in one reply */
#define RESP_TEXT_MAX     96                  /* bytes kept of an error or status line */

enum resp_event {
    RESP_MORE,  /* the input is used up, the reply continues */
    RESP_BODY,  /* piece, piece_len and piece_at describe bytes of a bulk string: the reply itself, or its item number `items`, counted from 1 */
    RESP_REPLY, /* one whole reply: type, nil, bulk_len and text describe it */
    RESP_BAD    /* not RESP: the connection cannot be used any more */
};

/* Zeroed memory is a scanner at the start of a reply. */
struct resp {
    /* of the reply that is read, or was just completed */
    char type;        /* first byte: + - : $ * _ , # ( ! = % ~ */
    uint8_t nil;      /* $-1, *-1 or _ */
    int64_t bulk_len; /* of a top-level bulk string, else -1 */
    char text[RESP_TEXT_MAX];
    uint64_t items, nils; /* elements at any depth that are not an array, map or set; how many are nil. Of other replies 1 and 0 */
    uint64_t bytes;       /* of all its bulk strings */
    uint8_t faults;       /* there is an error among its items */
    size_t text_len;      /* bytes of the top-level line seen, at most RESP_TEXT_MAX - 1 kept; text ends in NUL when a reply is complete */
    /* of a RESP_BODY event */
    const char *piece;
    size_t piece_len;
    uint64_t piece_at, item_len; /* item_len: of the whole bulk string */
    /* inside */
    uint8_t state, line_type, top, started;
    int64_t open; /* elements that are still to come before the reply is whole */
    int64_t skip; /* elements of an attribute or of out-of-band data still to come: part of no reply */
    int64_t left; /* bytes of a bulk string still to come */
    int64_t number;
    uint8_t negative, digits;
};

/** Scan from *at, which is advanced over the used bytes, up to end. The memory must stay valid only until the call returns. Returns the event; call
 *  again until RESP_MORE. After RESP_BAD the scanner must be reset with resp_reset. */
enum resp_event resp_scan(struct resp *r, const char **at, const char *end);

/** Make r a scanner at the start of a reply. */
void resp_reset(struct resp *r);

/** True when no byte of the next reply has been seen, so that a caller may match whole replies itself. */
static inline int resp_idle(const struct resp *r)
{
    return !r->started;
}

#endif
