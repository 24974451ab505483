/* SPDX-License-Identifier: MIT */
/* Vectorised code: the same keys and bytes as one by one, for numbers of every length and for counts that are not a multiple of four. */
#include "wide.h"

#include "command.h"
#include "rng.h"
#include "unit.h"

#include <stdlib.h>
#include <string.h>

#define MANY 64

/* Draw in fours, and draw the remainder one by one; compare with one by one from the start. */
static void draw_check(uint64_t state, uint64_t first, uint64_t count, uint32_t wanted)
{
    struct rng one = {state}, four = {state};
    uint64_t *got = malloc(MANY * sizeof *got), tag = UINT64_C(1) << 58;
    if (!got) abort();
    uint32_t n = wide_draw(&four, tag, first, count, got, MANY);
    CHECK_SAME(n, wanted);
    for (uint32_t i = n; i < MANY; i++) got[i] = tag | (first + rng_below(&four, count));
    for (uint32_t i = 0; i < MANY; i++) CHECK_SAME(got[i], tag | (first + rng_below(&one, count)));
    CHECK_SAME(one.state, four.state);
    free(got);
}

static void draws_are_as_one_by_one(void)
{
    struct rng rng;
    rng_seed(&rng, 3, 1);
    if (!wide_here()) return;
    for (int i = 0; i < 2000; i++) draw_check(rng_next(&rng), rng_next(&rng) >> 20, (rng_next(&rng) >> (32 + rng_below(&rng, 32))) | 1, MANY);
    draw_check(rng_next(&rng), 0, UINT32_MAX, MANY);
    /* rng_mix(0) is 0, and so is its product: below count, so that it may have to be drawn again. */
    for (uint64_t i = 1; i <= MANY; i++) draw_check(0 - i * RNG_STEP, 5, 1000000, (uint32_t)(i - 1) / 4 * 4);
}

/* Compare the bytes of n commands in fours, in memory of exactly the allowed size, with the bytes of single commands. */
static void encode_check(const struct commands *c, unsigned command, const uint64_t *key, uint32_t n, uint32_t wanted)
{
    size_t size = (n + 4) * c->largest;
    char *one = calloc(1, size + COMMAND_SLACK), *four = calloc(1, size + COMMAND_SLACK), *at = four, *end = one;
    uint64_t *tagged = calloc(n, sizeof *tagged);
    if (!one || !four || !tagged) abort();
    for (uint32_t i = 0; i < n; i++) tagged[i] = COMMAND_TAG(command, key[i]);
    CHECK_SAME(wide_encode(c, command, tagged, n, &at, four + size), wanted);
    for (uint32_t i = 0; i < wanted; i++) end = command_encode(c, tagged[i], end);
    CHECK_SAME(at - four, end - one);
    CHECK(!memcmp(one, four, (size_t)(end - one)));
    free(one);
    free(four);
    free(tagged);
}

static void encode_many(const struct commands *c, unsigned command)
{
    static const uint64_t powers[] = {1, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000, 1000000000, 2147483648};
    struct rng rng;
    rng_seed(&rng, 7, command);
    for (size_t p = 0; p < sizeof powers / sizeof *powers; p++)
        for (int round = 0; round < 50; round++) {
            uint64_t key[MANY];
            for (int i = 0; i < MANY; i++) key[i] = rng_below(&rng, powers[p]);
            for (int i = 0; i < 3; i++) key[rng_below(&rng, MANY)] = powers[rng_below(&rng, p + 1)] - 1;
            encode_check(c, command, key, MANY, MANY);
            uint32_t at = (uint32_t)rng_below(&rng, MANY);
            key[at] = round % 2 ? UINT64_C(1) << 31 : OPTIONS_KEY_END - 1;
            encode_check(c, command, key, MANY, at / 4 * 4);
        }
}

static void commands_are_as_one_by_one(void)
{
    static const uint16_t apart[] = {3, 500, 16383, 77};
    uint16_t beside[5461];
    static char longest[OPTIONS_PREFIX_MAX + 1];
    const char *const prefixes[] = {"", "p:", longest};
    memset(longest, 'k', OPTIONS_PREFIX_MAX);
    struct slots_tags tags[2];
    slots_words();
    if (!wide_here()) return;
    for (uint16_t i = 0; i < 5461; i++) beside[i] = (uint16_t)(5461 + i);
    CHECK(!slots_tags_init(&tags[0], apart, 4));
    CHECK(!slots_tags_init(&tags[1], beside, 5461));
    for (size_t p = 0; p < 9; p++)
        for (uint64_t size = 1; size < 1000; size = size * 6 + 1) {
            struct values_spec spec = {.kind = VALUES_PATTERN, .seed = 1};
            struct values v;
            struct commands c;
            spec.sizes.choices = 1;
            spec.sizes.choice[0].low = spec.sizes.choice[0].high = size;
            if (values_init(&v, &spec) || commands_init(&c, prefixes[p % 3], &v, p > 2 ? &tags[p / 3 - 1] : NULL, 3)) abort();
            encode_many(&c, COMMAND_GET);
            encode_many(&c, COMMAND_SET);
            commands_free(&c);
            values_free(&v);
        }
    for (int i = 0; i < 2; i++) slots_tags_free(&tags[i]);
}

static void ends_where_four_may_not_fit(void)
{
    struct values_spec spec = {.kind = VALUES_PATTERN, .seed = 1};
    struct values v;
    struct commands c;
    uint64_t key[MANY] = {0};
    if (!wide_here()) return;
    spec.sizes.choices = 1;
    spec.sizes.choice[0].low = spec.sizes.choice[0].high = 100;
    if (values_init(&v, &spec) || commands_init(&c, "", &v, NULL, 3)) abort();
    char *out = malloc(4 * c.largest + COMMAND_SLACK), *at = out;
    if (!out) abort();
    CHECK_SAME(wide_encode(&c, COMMAND_GET, key, MANY, &at, out + 4 * c.largest - 1), 0);
    CHECK(at == out);
    CHECK_SAME(wide_encode(&c, COMMAND_GET, key, MANY, &at, out + 4 * c.largest), 4);
    free(out);
    commands_free(&c);
    values_free(&v);
}

int main(void)
{
    TEST("keys drawn in fours are those of one by one, also where one is drawn again", draws_are_as_one_by_one);
    TEST("commands written in fours are those of one by one", commands_are_as_one_by_one);
    TEST("no command is written where four may not fit", ends_where_four_may_not_fit);
    return UNIT_END;
}
