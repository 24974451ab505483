/* SPDX-License-Identifier: MIT */
/* Commands as bytes: see command.h. */
#include "command.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void head_make(struct command_head *h, const struct command_kind *kind, int words, const char *prefix, const char *tag, unsigned digits)
{
    int n = snprintf(h->text, sizeof h->text, "*%d\r\n$%zu\r\n%s\r\n$%zu\r\n%s%s", words, strlen(kind->verb), kind->verb,
                     strlen(prefix) + strlen(tag) + digits, prefix, tag);
    h->size = (uint32_t)n;
}

/* The text between the key and the value of a SET. Returns its size. */
static size_t middle_make(char out[32], uint64_t length)
{
    memcpy(out, "\r\n$", 3);
    size_t n = 3 + number_write(out + 3, length);
    memcpy(out + n, "\r\n", 2);
    return n + 2;
}

int commands_init(struct commands *c, const char *prefix, const struct values *values, const struct slots_tags *tags, uint64_t place)
{
    const struct values_spec *spec = &values->spec;
    memset(c, 0, sizeof *c);
    c->values = values;
    c->tags = tags;
    c->place = place;
    for (int i = 0; i < COMMANDS; i++)
        for (unsigned d = 1; d <= COMMAND_DIGITS; d++)
            head_make(&c->head[i][d], &command_kinds[i], 2 + command_kinds[i].carries * (spec->ttl_low ? 3 : 1), prefix, tags ? SLOTS_TAG_ANY : "",
                      d);
    c->largest = values_largest(spec) + strlen(prefix) + 256 + COMMAND_END_MAX;
    if (spec->own || spec->sizes.choices != 1 || spec->sizes.choice[0].low != spec->sizes.choice[0].high) return 0;
    c->value_len = spec->sizes.choice[0].low;
    replies_value_init(&c->got, c->value_len);
    c->shared = spec->kind == VALUES_PATTERN && c->value_len > COMMAND_TAIL_MAX;
    if (spec->kind != VALUES_PATTERN || c->shared || spec->ttl_high > spec->ttl_low) return 0;
    c->tail = malloc(c->value_len + 64 + COMMAND_END_MAX);
    if (!c->tail) return -1;
    size_t n = middle_make(c->tail, c->value_len);
    values_fill(values, 0, place, 0, c->tail + n, c->value_len);
    c->tail_value = (uint32_t)n;
    c->tail_len = (uint32_t)(n + c->value_len + command_end(c, 0, c->tail + n + c->value_len));
    return 0;
}

void commands_free(struct commands *c)
{
    free(c->tail);
    c->tail = NULL;
}

static const struct command_head *head_of(const struct commands *c, uint64_t tagged, unsigned digits)
{
    return &c->head[tagged >> COMMAND_SHIFT][digits];
}

uint64_t command_size(const struct commands *c, uint64_t tagged)
{
    if (command_mixed(tagged)) return command_words(c, tagged, 0, NULL, 0);
    uint64_t key = COMMAND_KEY(tagged);
    unsigned digits = number_digits(key);
    uint64_t size = head_of(c, tagged, digits)->size + digits;
    if (!command_kind(tagged)->carries) return size + 2;
    if (c->tail) return size + c->tail_len;
    uint64_t length = command_length(c, tagged);
    char end[COMMAND_END_MAX];
    return size + 3 + number_digits(length) + 2 + length + command_end(c, key, end);
}

char *command_encode_value(const struct commands *c, uint64_t tagged, char *out)
{
    uint64_t key = COMMAND_KEY(tagged), length = command_length(c, tagged);
    out += middle_make(out, length);
    values_fill(c->values, key, values_place(c->values, c->place, length), 0, out, length);
    return out + length + command_end(c, key, out + length);
}

/* Write a command up to its value, or up to its end when it has none. Returns the number of bytes. */
static size_t front_make(const struct commands *c, uint64_t tagged, char *out, uint64_t *length)
{
    size_t n = (size_t)(command_encode_key(c, tagged, out) - out);
    *length = 0;
    if (!command_kind(tagged)->carries) return n;
    *length = command_length(c, tagged);
    return n + middle_make(out + n, *length);
}

const char *command_piece(const struct commands *c, uint64_t tagged, uint64_t at, char *scratch, size_t *n)
{
    uint64_t length;
    size_t front = front_make(c, tagged, scratch, &length);
    if (at < front) {
        *n = front - at;
        return scratch + at;
    }
    at -= front;
    if (!command_kind(tagged)->carries) { /* a GET: it gives no time to live */
        *n = 2 - (size_t)at;
        return &"\r\n"[at];
    }
    if (at >= length) {
        *n = command_end(c, COMMAND_KEY(tagged), scratch) - (size_t)(at - length);
        return scratch + (at - length);
    }
    const char *value = values_shared(c->values, c->place, at, n);
    if (*n > length - at) *n = (size_t)(length - at);
    return value;
}

size_t command_encode_part(const struct commands *c, uint64_t tagged, uint64_t at, char *out, size_t n)
{
    if (command_mixed(tagged)) {
        uint64_t whole = command_words(c, tagged, at, out, n);
        return n < whole - at ? n : (size_t)(whole - at);
    }
    char front[COMMAND_PIECE_MAX], end[COMMAND_END_MAX];
    uint64_t key = COMMAND_KEY(tagged), length, size = command_size(c, tagged);
    size_t done = 0, part, front_len = front_make(c, tagged, front, &length);
    if (n > size - at) n = (size_t)(size - at);
    for (; done < n; done += part, at += part) {
        if (at < front_len) {
            part = n - done < front_len - at ? n - done : (size_t)(front_len - at);
            memcpy(out + done, front + at, part);
        } else if (at < front_len + length) {
            part = n - done < front_len + length - at ? n - done : (size_t)(front_len + length - at);
            values_fill(c->values, key, values_place(c->values, c->place, length), at - front_len, out + done, part);
        } else {
            command_end(c, key, end);
            part = n - done;
            memcpy(out + done, end + (at - front_len - length), part);
        }
    }
    return n;
}
