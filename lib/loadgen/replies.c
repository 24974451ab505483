/* SPDX-License-Identifier: MIT */
/* Expected replies: see replies.h. */
#include "replies.h"

#include <inttypes.h>
#include <stdio.h>

#define OK4  "+OK\r\n+OK\r\n+OK\r\n+OK\r\n"
#define OK16 OK4 OK4 OK4 OK4
#define MANY 64U /* bytes compared in one call of the C library, which uses the widest registers of the CPU */

static const char many_ok[] = OK16 OK16 OK16 OK16;

void replies_value_init(struct replies_value *r, uint64_t value_len)
{
    memset(r, 0, sizeof *r);
    if (!value_len) return;
    r->head_len = (uint32_t)snprintf(r->head, sizeof r->head, "$%" PRIu64 "\r\n", value_len);
    r->size = r->head_len + value_len + 2;
    memcpy(&r->word, r->head, 8);
    r->mask = r->head_len >= 8 ? UINT64_MAX : (UINT64_C(1) << 8 * r->head_len) - 1; /* little endian, as is every CPU this is built for */
    r->word &= r->mask;
}

/* The difference between a reply of short head at `at` and the expected one: 0 when they are equal. */
static inline uint64_t off_by(const char *at, uint64_t size, uint64_t word, uint64_t mask)
{
    uint64_t head;
    uint16_t end, crlf;
    memcpy(&head, at, 8);
    memcpy(&end, at + size - 2, 2);
    memcpy(&crlf, "\r\n", 2);
    return ((head ^ word) & mask) | (uint64_t)(end ^ crlf);
}

uint32_t replies_values(const struct replies_value *r, const char *at, const char *end, uint32_t max)
{
    const uint64_t size = r->size, word = r->word, mask = r->mask;
    uint32_t n = 0;
    if (size >= 8 && r->head_len <= 8) {
        uint64_t whole = (uint64_t)(end - at) / size;
        if (whole < max) max = (uint32_t)whole;
        for (; n + 4 <= max; n += 4, at += 4 * size)
            if (off_by(at, size, word, mask) | off_by(at + size, size, word, mask) | off_by(at + 2 * size, size, word, mask) |
                off_by(at + 3 * size, size, word, mask))
                break;
    }
    for (; n < max && replies_value_at(r, at, end); n++) at += size;
    return n;
}

uint32_t replies_ok(const char *at, const char *end, uint32_t max)
{
    uint32_t n = 0;
    uint64_t whole = (uint64_t)(end - at) / REPLIES_OK_SIZE;
    if (whole < max) max = (uint32_t)whole;
    for (; n + MANY <= max && !memcmp(at, many_ok, MANY * REPLIES_OK_SIZE); n += MANY) at += MANY * REPLIES_OK_SIZE;
    for (; n < max && !memcmp(at, many_ok, REPLIES_OK_SIZE); n++) at += REPLIES_OK_SIZE;
    return n;
}
