/* SPDX-License-Identifier: MIT */
/* Many replies at once: the same count as the scanner, for any wrong byte and any end of the buffer; and digits as text. */
#include "number.h"
#include "replies.h"
#include "resp.h"
#include "rng.h"
#include "unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The number of complete, expected replies at the start, counted by the scanner, which shares no code with the tested function. */
static uint32_t scan_count(const char *at, const char *end, uint32_t max, int64_t value_len)
{
    struct resp r;
    uint32_t n = 0;
    resp_reset(&r);
    while (n < max) {
        enum resp_event event = resp_scan(&r, &at, end);
        if (event == RESP_BODY) continue;
        if (event != RESP_REPLY) break;
        if (value_len < 0 ? r.type != '+' || strcmp(r.text, "OK") != 0 : r.type != '$' || r.bulk_len != value_len) break;
        n++;
    }
    return n;
}

/* Compare both on replies with up to one changed byte, cut anywhere, in memory of exactly that size. */
static void compare(struct rng *rng, uint32_t replies, int64_t value_len)
{
    struct replies_value value;
    replies_value_init(&value, value_len < 0 ? 0 : (uint64_t)value_len);
    size_t one = value_len < 0 ? REPLIES_OK_SIZE : (size_t)value.size, whole = replies * one;
    char *text = malloc(whole);
    if (!text) abort();
    for (uint32_t i = 0; i < replies; i++) {
        char *at = text + i * one;
        if (value_len < 0) {
            memcpy(at, "+OK\r\n", one);
            continue;
        }
        memcpy(at, value.head, value.head_len);
        memset(at + value.head_len, 'x', (size_t)value_len);
        memcpy(at + one - 2, "\r\n", 2);
    }
    size_t size = rng_below(rng, 2) ? whole : rng_below(rng, whole) + 1;
    if (rng_below(rng, 2)) text[rng_below(rng, size)] = "$+O0\r\nx"[rng_below(rng, 7)];
    char *copy = malloc(size);
    if (!copy) abort();
    memcpy(copy, text, size);
    uint32_t max = rng_below(rng, 2) ? replies : (uint32_t)rng_below(rng, replies + 1);
    uint32_t got = value_len < 0 ? replies_ok(copy, copy + size, max) : replies_values(&value, copy, copy + size, max);
    /* A reply shorter than one word is left to the scanner. */
    CHECK_SAME(got, value_len >= 0 && value.size < 8 ? 0 : scan_count(copy, copy + size, max, value_len));
    free(copy);
    free(text);
}

static void counts_are_the_scanners(void)
{
    static const int64_t lengths[] = {-1, 1, 2, 3, 7, 8, 64, 128, 1000, 99999, 100000, 123456};
    struct rng rng;
    rng_seed(&rng, 3, 1);
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++)
        for (int round = 0; round < (lengths[i] < 1000 ? 1000 : 30); round++)
            compare(&rng, lengths[i] < 1000 ? (uint32_t)rng_below(&rng, 200) + 1 : 6, lengths[i]);
}

static void digits_check(uint64_t n)
{
    char wanted[32], got[32];
    int digits = snprintf(wanted, sizeof wanted, "%ju", (uintmax_t)n);
    CHECK_SAME(number_write(got, n), digits);
    CHECK(!memcmp(got, wanted, (size_t)digits));
}

static void digits_are_those_of_printf(void)
{
    struct rng rng;
    rng_seed(&rng, 3, 2);
    digits_check(0);
    digits_check(UINT64_MAX);
    for (uint64_t i = 0; i < 64; i++)
        for (uint64_t n = (UINT64_C(1) << i) - 1; n <= (UINT64_C(1) << i) + 1; n++) digits_check(n);
    for (int i = 0; i < 100000; i++) digits_check(rng_next(&rng) >> rng_below(&rng, 64));
    for (uint64_t power = 10, i = 0; i < 19; i++, power *= 10)
        for (uint64_t n = power - 2; n <= power + 1; n++) digits_check(n);
}

static void both_ways_to_digits_agree(void)
{
    for (uint64_t n = 0; n < 100000000; n += n < 20000 || n > 99990000 ? 1 : 997)
        if (number_text8(n) != number_text8_word(n)) {
            CHECK_SAME(number_text8(n), number_text8_word(n));
            return;
        }
}

int main(void)
{
    TEST("counts of expected replies are those of the scanner", counts_are_the_scanners);
    TEST("digits are those of printf, at every length", digits_are_those_of_printf);
    TEST("digits are the same with and without wide registers", both_ways_to_digits_agree);
    return UNIT_END;
}
