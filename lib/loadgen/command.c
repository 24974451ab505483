/* SPDX-License-Identifier: MIT */
/* Commands as bytes: see command.h. */
#include "command.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void head_make(struct command_head *h, const char *verb, int words, const char *prefix, unsigned digits)
{
    int n = snprintf(h->text, sizeof h->text, "*%d\r\n$3\r\n%s\r\n$%zu\r\n%s", words, verb, strlen(prefix) + digits, prefix);
    h->size = (uint32_t)n;
}

/* What stands between the key and the value of a SET. Returns its size. */
static size_t middle_make(char out[32], uint64_t length)
{
    memcpy(out, "\r\n$", 3);
    size_t n = 3 + number_write(out + 3, length);
    memcpy(out + n, "\r\n", 2);
    return n + 2;
}

int commands_init(struct commands *c, const char *prefix, const struct values *values, uint64_t place)
{
    const struct values_spec *spec = &values->spec;
    memset(c, 0, sizeof *c);
    c->values = values;
    c->place = place;
    for (unsigned d = 1; d <= COMMAND_DIGITS; d++) {
        head_make(&c->set[d], "SET", 3, prefix, d);
        head_make(&c->get[d], "GET", 2, prefix, d);
    }
    for (int i = 0; i < spec->sizes; i++)
        if (spec->size[i].high > c->largest) c->largest = spec->size[i].high;
    c->largest += sizeof(struct command_head) + 64;
    if (spec->sizes != 1 || spec->size[0].low != spec->size[0].high) return 0;
    c->value_len = spec->size[0].low;
    c->got_len = (uint32_t)snprintf(c->got, sizeof c->got, "$%ju\r\n", (uintmax_t)c->value_len);
    memcpy(&c->got_word, c->got, 8);
    c->got_mask = c->got_len >= 8 ? UINT64_MAX : (UINT64_C(1) << 8 * c->got_len) - 1; /* little endian, as is every CPU this is built for */
    c->got_word &= c->got_mask;
    if (spec->kind != VALUES_PATTERN || c->value_len > COMMAND_TAIL_MAX) return 0;
    c->tail = malloc(c->value_len + 64);
    if (!c->tail) return -1;
    size_t n = middle_make(c->tail, c->value_len);
    values_fill(values, 0, place, 0, c->tail + n, c->value_len);
    memcpy(c->tail + n + c->value_len, "\r\n", 2);
    c->tail_len = (uint32_t)(n + c->value_len + 2);
    return 0;
}

void commands_free(struct commands *c)
{
    free(c->tail);
    c->tail = NULL;
}

static const struct command_head *head_of(const struct commands *c, uint64_t tagged, unsigned digits)
{
    return tagged & COMMAND_SET ? &c->set[digits] : &c->get[digits];
}

static uint64_t length_of(const struct commands *c, uint64_t key)
{
    return c->value_len ? c->value_len : values_length(c->values, key);
}

uint64_t command_size(const struct commands *c, uint64_t tagged)
{
    uint64_t key = COMMAND_KEY(tagged);
    unsigned digits = number_digits(key);
    uint64_t size = head_of(c, tagged, digits)->size + digits;
    if (!(tagged & COMMAND_SET)) return size + 2;
    if (c->tail) return size + c->tail_len;
    uint64_t length = length_of(c, key);
    return size + 3 + number_digits(length) + 2 + length + 2;
}

char *command_encode_value(const struct commands *c, uint64_t tagged, char *out)
{
    uint64_t key = COMMAND_KEY(tagged), length = length_of(c, key);
    out += middle_make(out, length);
    values_fill(c->values, key, c->place, 0, out, length);
    memcpy(out + length, "\r\n", 2);
    return out + length + 2;
}

size_t command_encode_part(const struct commands *c, uint64_t tagged, uint64_t at, char *out, size_t n)
{
    char front[COMMAND_HEAD_MAX + COMMAND_DIGITS + 64];
    uint64_t key = COMMAND_KEY(tagged), length = 0, size = command_size(c, tagged);
    size_t done = 0, part, front_len = (size_t)(command_encode_key(c, tagged, front) - front);
    if (tagged & COMMAND_SET) {
        length = length_of(c, key);
        front_len += middle_make(front + front_len, length);
    }
    if (n > size - at) n = (size_t)(size - at);
    for (; done < n; done += part, at += part) {
        if (at < front_len) {
            part = n - done < front_len - at ? n - done : (size_t)(front_len - at);
            memcpy(out + done, front + at, part);
        } else if (at < front_len + length) {
            part = n - done < front_len + length - at ? n - done : (size_t)(front_len + length - at);
            values_fill(c->values, key, c->place, at - front_len, out + done, part);
        } else {
            part = 1;
            out[done] = "\r\n"[at - front_len - length];
        }
    }
    return n;
}
