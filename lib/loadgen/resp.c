/* SPDX-License-Identifier: MIT */
/* The RESP scanner: see resp.h. A reply is whole when its count of open elements is zero, so nesting requires no stack. */
#include "resp.h"

#include <string.h>

enum { AT_TYPE, AT_LINE, AT_NUMBER, AT_NUMBER_LF, AT_BULK, AT_BULK_CR, AT_BULK_LF, AT_LINE_LF };

void resp_reset(struct resp *r)
{
    memset(r, 0, sizeof *r);
}

/* One element is complete. Returns RESP_REPLY when it was the last of a reply, else RESP_MORE. */
static enum resp_event element_done(struct resp *r)
{
    r->state = AT_TYPE;
    r->top = 0;
    if (r->skip > 0) {
        r->skip--;
        r->started = r->skip || r->open;
        return RESP_MORE;
    }
    if (--r->open > 0) return RESP_MORE;
    r->started = 0;
    r->text[r->text_len] = 0;
    return RESP_REPLY;
}

/* A length line is complete: r->number holds it. */
static enum resp_event length_done(struct resp *r)
{
    int64_t n = r->number, factor = r->line_type == '%' || r->line_type == '|' ? 2 : 1;
    if (!r->digits || (r->negative && n != 1)) return RESP_BAD;
    if (r->negative) {
        if (r->line_type != '$' && r->line_type != '*') return RESP_BAD;
        if (r->top) r->nil = 1;
        if (!r->top && !r->skip) r->nils++;
        if (!r->skip && r->line_type == '*') r->items++;
        return element_done(r);
    }
    switch (r->line_type) {
    case '$':
    case '!':
    case '=':
        if (n > RESP_BULK_MAX) return RESP_BAD;
        if (r->top) r->bulk_len = n;
        if (!r->skip) r->bytes += (uint64_t)n;
        r->item_len = (uint64_t)n;
        r->left = n;
        r->state = n ? AT_BULK : AT_BULK_CR;
        return RESP_MORE;
    case '|': /* attributes and pushes arrive between replies and are not replies */
    case '>':
        if (n > RESP_ELEMENTS_MAX || r->skip + n * factor > RESP_ELEMENTS_MAX) return RESP_BAD;
        r->skip += n * factor;
        r->state = AT_TYPE;
        r->started = r->skip || r->open;
        return RESP_MORE;
    default:
        if (n > RESP_ELEMENTS_MAX || r->open + r->skip + n * factor > RESP_ELEMENTS_MAX) return RESP_BAD;
        *(r->skip ? &r->skip : &r->open) += n * factor;
        return element_done(r);
    }
}

/* The first byte of an element. Returns RESP_BAD when no type starts with it. */
static enum resp_event element_start(struct resp *r, char c)
{
    r->started = 1;
    if (!r->skip && !r->open && c != '|' && c != '>') {
        r->open = 1;
        r->top = 1;
        r->type = c;
        r->nil = 0;
        r->bulk_len = -1;
        r->text_len = 0;
        r->items = r->nils = r->bytes = 0;
        r->faults = 0;
    }
    if (!r->skip && c != '*' && c != '%' && c != '~' && c != '>' && c != '|') r->items++;
    if (!r->skip && (c == '-' || c == '!')) r->faults = 1;
    r->line_type = (uint8_t)c;
    r->number = 0;
    r->negative = r->digits = 0;
    switch (c) {
    case '+':
    case '-':
    case ':':
    case ',':
    case '#':
    case '(':
    case '_':
        r->state = AT_LINE;
        return RESP_MORE;
    case '$':
    case '!':
    case '=':
    case '*':
    case '%':
    case '~':
    case '>':
    case '|':
        r->state = AT_NUMBER;
        return RESP_MORE;
    default:
        return RESP_BAD;
    }
}

/* Read the available bytes of a line up to CR. */
static const char *line_take(struct resp *r, const char *at, const char *end)
{
    const char *cr = memchr(at, '\r', (size_t)(end - at));
    const char *stop = cr ? cr : end;
    if (r->top) {
        size_t n = (size_t)(stop - at), room = RESP_TEXT_MAX - 1 - r->text_len;
        if (n > room) n = room;
        memcpy(r->text + r->text_len, at, n);
        r->text_len += n;
    }
    if (!cr) return end;
    r->state = AT_LINE_LF;
    return cr + 1;
}

/* Read one byte of a length line. */
static enum resp_event number_take(struct resp *r, char c)
{
    if (c >= '0' && c <= '9') {
        if (r->number > (INT64_MAX - 9) / 10) return RESP_BAD;
        r->number = r->number * 10 + (c - '0');
        r->digits = 1;
    } else if (c == '-' && !r->digits && !r->negative) {
        r->negative = 1;
    } else if (c == '\r') {
        r->state = AT_NUMBER_LF;
    } else {
        return RESP_BAD;
    }
    return RESP_MORE;
}

/* Read bytes of a bulk string. They are handed out unless they belong to no reply; the start of a bulk error is kept as its text. */
static enum resp_event bulk_take(struct resp *r, const char **at, const char *end)
{
    size_t n = (size_t)(end - *at);
    if ((int64_t)n > r->left) n = (size_t)r->left;
    r->piece = *at;
    r->piece_len = n;
    r->piece_at = r->item_len - (uint64_t)r->left;
    *at += n;
    r->left -= (int64_t)n;
    if (!r->left) r->state = AT_BULK_CR;
    if (r->top && r->line_type == '!') {
        size_t room = RESP_TEXT_MAX - 1 - r->text_len;
        if (n > room) n = room;
        memcpy(r->text + r->text_len, r->piece, n);
        r->text_len += n;
    }
    return !r->skip && r->line_type == '$' ? RESP_BODY : RESP_MORE;
}

enum resp_event resp_scan(struct resp *r, const char **at, const char *end)
{
    while (*at < end) {
        enum resp_event event = RESP_MORE;
        char c = **at;
        switch (r->state) {
        case AT_TYPE:
            ++*at;
            event = element_start(r, c);
            break;
        case AT_LINE:
            *at = line_take(r, *at, end);
            break;
        case AT_LINE_LF:
            ++*at;
            if (c != '\n') return RESP_BAD;
            if (r->line_type == '_' && r->top) r->nil = 1;
            if (r->line_type == '_' && !r->top && !r->skip) r->nils++;
            event = element_done(r);
            break;
        case AT_NUMBER:
            ++*at;
            event = number_take(r, c);
            break;
        case AT_NUMBER_LF:
            ++*at;
            event = c == '\n' ? length_done(r) : RESP_BAD;
            break;
        case AT_BULK:
            event = bulk_take(r, at, end);
            break;
        case AT_BULK_CR:
            ++*at;
            if (c != '\r') return RESP_BAD;
            r->state = AT_BULK_LF;
            break;
        default:
            ++*at;
            event = c == '\n' ? element_done(r) : RESP_BAD;
        }
        if (event != RESP_MORE) return event;
    }
    return RESP_MORE;
}
