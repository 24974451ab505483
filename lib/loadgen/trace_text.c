/* SPDX-License-Identifier: MIT */
/* What the parsers and the index of a trace share: keys and times as text, and refusals. */
#include "number.h"
#include "plain.h"
#include "rng.h"
#include "trace_parse.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#define PAD      '_'                   /* pads keys to their recorded size */
#define TIME_MAX UINT64_C(72000000000) /* seconds; a record has 56 bits of microseconds */

uint64_t trace_text_hash(const char *text, size_t n)
{
    uint64_t h = n, word;
    for (; n >= 8; n -= 8, text += 8) {
        memcpy(&word, text, 8);
        h = rng_mix(h ^ word) + RNG_STEP;
    }
    word = 0;
    memcpy(&word, text, n);
    return rng_mix(h ^ word);
}

/* Decode text as MONITOR escapes it, up to `room` bytes. Returns the number of bytes. */
static size_t unescape(char *out, size_t room, const char *text, size_t n)
{
    static const char names[] = "nrtab", bytes[] = "\n\r\t\a\b";
    const char *end = text + n, *found;
    size_t len = 0;
    while (len < room && text < end) {
        char c = *text++;
        if (c == '\\' && text < end) {
            c = *text++;
            if (c == 'x' && end - text >= 2) {
                char digits[] = {text[0], text[1], 0};
                c = (char)strtoul(digits, NULL, 16);
                text += 2;
            } else if ((found = memchr(names, c, sizeof names - 1))) {
                c = bytes[found - names];
            }
        }
        out[len++] = c;
    }
    return len;
}

void trace_key_write(const char *text, size_t len, uint64_t number, size_t size, char *out)
{
    size_t n = len;
    if (n > size)
        n = unescape(out, size, text, n);
    else if (n)
        memcpy(out, text, n);
    else
        n = number_write(out, number);
    if (n < size) memset(out + n, PAD, size - n);
}

int trace_complain(const struct trace_parser *p, char why[TRACE_WHY], const char *format, ...)
{
    char text[256];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    plain_text(text);
    snprintf(why, TRACE_WHY, "%s: %s %ju: %s", p->path, p->binary ? "record" : "line", (uintmax_t)p->line, text);
    return -1;
}

int trace_time(const char *text, size_t n, uint64_t *us, int *fraction)
{
    const char *point = memchr(text, '.', n);
    size_t whole = point ? (size_t)(point - text) : n, digits = point ? n - whole - 1 : 0;
    uint64_t seconds, part = 0;
    if (number_u64_n(text, whole, 0, TIME_MAX, &seconds) || (point && (!digits || digits > 9))) return -1;
    if (digits && number_u64_n(point + 1, digits, 0, 999999999, &part)) return -1;
    for (; digits < 6; digits++) part *= 10;
    for (; digits > 6; digits--) part /= 10;
    *us = seconds * 1000000 + part;
    *fraction |= point != NULL;
    return 0;
}
