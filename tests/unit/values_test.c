/* SPDX-License-Identifier: MIT */
/* Values: the guide's pattern, content by key, identical pieces, sizes by weight; and commands with values. */
#include "command.h"
#include "unit.h"
#include "values.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

static struct values_spec spec_of(enum values_kind kind, uint64_t size, double ratio)
{
    struct values_spec spec = {.kind = kind, .ratio = ratio, .seed = 1};
    sizes_one(&spec.sizes, size);
    return spec;
}

static void the_pattern_is_the_guides(void)
{
    struct values v;
    struct values_spec spec = spec_of(VALUES_PATTERN, 200000, 0);
    static char got[200000];
    CHECK_SAME(values_init(&v, &spec), 0);
    if (unit_bad) return;
    for (uint64_t place = 0; place < 300; place += 37) {
        int bad = 0;
        values_fill(&v, 5, place, 0, got, 200000);
        for (uint64_t i = 0; i < 200000; i++) bad += got[i] != (char)('0' + (place + i) % 75);
        CHECK_SAME(bad, 0);
    }
    values_free(&v);
}

static void any_piece_is_the_same(void)
{
    for (int kind = VALUES_PATTERN; kind <= VALUES_COMPRESSIBLE; kind++) {
        enum { SIZE = 150001 };
        static char whole[SIZE], piece[SIZE];
        struct values v;
        struct values_spec spec = spec_of((enum values_kind)kind, SIZE, 3);
        CHECK_SAME(values_init(&v, &spec), 0);
        if (unit_bad) return;
        values_fill(&v, 77, 6379, 0, whole, SIZE);
        for (size_t at = 0, n = 1; at < SIZE; at += n, n = n * 3 % 4099 + 1) {
            if (n > SIZE - at) n = SIZE - at;
            values_fill(&v, 77, 6379, at, piece, n);
            CHECK(!memcmp(piece, whole + at, n));
            CHECK(values_check(&v, 77, 6379, at, whole + at, n));
            piece[n / 2] ^= 1;
            CHECK(!values_check(&v, 77, 6379, at, piece, n));
        }
        if (kind != VALUES_PATTERN) {
            CHECK(!values_check(&v, 78, 6379, 0, whole, SIZE));
            CHECK(!values_check(&v, 77, 6380, 0, whole, SIZE));
            CHECK(!values_check(&v, 77, 6379, 0, whole + 1, 64));
        }
        values_free(&v);
    }
}

/* The size of many values divided by their deflated size, all in one stream. */
static double ratio_of(const struct values *v, uint64_t size)
{
    uint64_t n = 2000000 / size + 1;
    uLongf packed = compressBound(n * size);
    unsigned char *in = malloc(n * size), *out = malloc(packed);
    for (uint64_t key = 0; key < n; key++) values_fill(v, key, 1, 0, (char *)in + key * size, size);
    CHECK_SAME(compress2(out, &packed, in, n * size, 6), Z_OK);
    free(in);
    free(out);
    return (double)(n * size) / (double)packed;
}

static void random_does_not_compress(void)
{
    static const uint64_t sizes[] = {64, 1000, 100000, 1000000};
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        struct values v;
        struct values_spec spec = spec_of(VALUES_RANDOM, sizes[s], 0);
        CHECK_SAME(values_init(&v, &spec), 0);
        if (unit_bad) return;
        CHECK_WITHIN(ratio_of(&v, sizes[s]), 0.99, 1.001);
        values_free(&v);
    }
}

static void sizes_follow_their_weights(void)
{
    struct values v;
    struct values_spec spec = {.kind = VALUES_PATTERN, .seed = 4};
    uint64_t small = 0, middle = 0, large = 0, N = 100000;
    double sum = 0;
    CHECK_SAME(sizes_parse(&spec.sizes, "100:70,1k:25,2000-4000:5"), 0);
    CHECK_SAME(values_init(&v, &spec), 0);
    if (unit_bad) return;
    for (uint64_t key = 0; key < N; key++) {
        uint64_t n = values_length(&v, key);
        CHECK_SAME(n, values_length(&v, key));
        small += n == 100;
        middle += n == 1000;
        large += n >= 2000 && n <= 4000;
        sum += (double)n;
    }
    CHECK_SAME(small + middle + large, N);
    CHECK_WITHIN(small, 69000, 71000);
    CHECK_WITHIN(middle, 24300, 25700);
    CHECK_WITHIN(sum / (double)N / spec.sizes.mean, 0.98, 1.02);
    values_free(&v);
}

/* Chi-square against the exact probability of each size; the mean is compared with the closed form. */
static void sizes_have_their_distributions(void)
{
    static const struct {
        const char *text;
        double mean;
    } shapes[] = {{"lognormal:200:100", 200},
                  {"lognormal:50:200", 50},
                  {"pareto:100:2.5", 100 * 2.5 / 1.5},
                  {"gpareto:15:200:0", 215},
                  {"gpareto:0:214.476:0.348238", 214.476 / (1 - 0.348238)},
                  {"etc", 214.476 / (1 - 0.348238)}};
    enum { DRAWS = 400000 };
    static uint64_t count[SIZES_TAIL_MAX + 1];
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        struct sizes s;
        struct rng rng;
        double sum = 0, expected = 0, observed = 0;
        int bins = 0;
        CHECK_SAME(sizes_parse(&s, shapes[i].text), 0);
        CHECK_WITHIN(s.mean / shapes[i].mean, 0.99, 1.01);
        memset(count, 0, sizeof count);
        rng_seed(&rng, 31, i);
        for (int j = 0; j < DRAWS; j++) count[sizes_draw(&s, &rng)]++;
        CHECK_SAME(count[0], 0);
        for (uint64_t size = 1; size <= SIZES_TAIL_MAX; size++) {
            double above = size == SIZES_TAIL_MAX ? 0 : sizes_above(&s, (double)size + 0.5),
                   below = size == 1 ? 1 : sizes_above(&s, (double)size - 0.5);
            expected += (below - above) * DRAWS;
            observed += (double)count[size];
            if (expected < 50 && size < SIZES_TAIL_MAX) continue;
            if (expected > 1) sum += (observed - expected) * (observed - expected) / expected, bins++;
            expected = observed = 0;
        }
        CHECK_WITHIN((sum - (bins - 1)) / sqrt(2.0 * (bins - 1)), -4, 4);
    }
    /* The probabilities themselves, compared with the definitions. */
    struct sizes s;
    CHECK_SAME(sizes_parse(&s, "gpareto:10:200:0.5"), 0);
    CHECK_WITHIN(sizes_above(&s, 410), 0.25 - 1e-9, 0.25 + 1e-9); /* (1 + 0.5 * 400 / 200)^-2 */
    CHECK_SAME(sizes_parse(&s, "pareto:100:2"), 0);
    CHECK_WITHIN(sizes_above(&s, 1000), 0.01 - 1e-9, 0.01 + 1e-9);
    CHECK_SAME(sizes_parse(&s, "lognormal:100:100"), 0);
    CHECK_WITHIN(sizes_above(&s, 100 / sqrt(2)), 0.5 - 1e-9, 0.5 + 1e-9); /* the median: mean / sqrt(1 + sd^2 / mean^2) */
}

static void commands_are_resp(void)
{
    static const struct {
        enum values_kind kind;
        uint64_t size;
    } shapes[] = {{VALUES_PATTERN, 5}, {VALUES_RANDOM, 5}, {VALUES_PATTERN, 20000}, {VALUES_RANDOM, 20000}, {VALUES_PATTERN, 100000}};
    static const uint64_t keys[] = {0, 9, 10, 99, 12345, UINT64_C(999999999999999), UINT64_C(1000000000000000)};
    static char whole[131072], wanted[131072], part[131072];
    for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++)
        for (size_t k = 0; k < sizeof keys / sizeof *keys; k++)
            for (int i = 0; i < 6; i++) {
                const int set = i % 2, ttl = i / 2; /* 1: each lives 60 s; 2: 500 to 509 s */
                struct values v;
                struct values_spec spec = spec_of(shapes[s].kind, shapes[s].size, 0);
                spec.ttl_low = spec.ttl_high = ttl == 1 ? 60 : 0;
                if (ttl == 2) spec.ttl_low = 500, spec.ttl_high = 509;
                struct commands c;
                char digits[32];
                uint64_t tagged = COMMAND_TAG(set ? COMMAND_SET : COMMAND_GET, keys[k]);
                CHECK(!values_init(&v, &spec) && !commands_init(&c, "a long enough prefix:", &v, NULL, 3));
                if (unit_bad) return;
                int n = snprintf(digits, sizeof digits, "%ju", (uintmax_t)keys[k]);
                int len = snprintf(wanted, sizeof wanted, "*%d\r\n$3\r\n%s\r\n$%d\r\na long enough prefix:%s\r\n",
                                   !set  ? 2
                                   : ttl ? 5
                                         : 3,
                                   set ? "SET" : "GET", n + 21, digits);
                if (set) {
                    len += snprintf(wanted + len, sizeof wanted - (size_t)len, "$%ju\r\n", (uintmax_t)shapes[s].size);
                    values_fill(&v, keys[k], 3, 0, wanted + len, shapes[s].size);
                    len += (int)shapes[s].size;
                    memcpy(wanted + len, "\r\n", 2);
                    len += 2;
                    if (ttl == 1) len += sprintf(wanted + len, "$2\r\nEX\r\n$2\r\n60\r\n");
                    if (ttl == 2) len += sprintf(wanted + len, "$2\r\nEX\r\n$3\r\n500\r\n");
                }
                CHECK_SAME(command_size(&c, tagged), len);
                CHECK_SAME(command_encode(&c, tagged, whole) - whole, len);
                if (set && ttl == 2) {
                    wanted[len - 3] = whole[len - 3];
                    CHECK_WITHIN(wanted[len - 3], '0', '9');
                }
                CHECK(!memcmp(whole, wanted, (size_t)len));
                uint32_t next = 0;
                if (command_plain(&c, (unsigned)(tagged >> COMMAND_SHIFT))) {
                    const uint64_t ring[2] = {tagged, tagged};
                    char *end = command_encode_run(&c, (unsigned)(tagged >> COMMAND_SHIFT), ring, 1, 3, 5, &next, whole, whole + sizeof whole);
                    CHECK(end - whole == 2L * len && next == 5 && !memcmp(whole, wanted, (size_t)len) && !memcmp(whole + len, wanted, (size_t)len));
                    end = command_encode_run(&c, (unsigned)(tagged >> COMMAND_SHIFT), ring, 1, 3, 5, &next, whole, whole + c.largest);
                    CHECK(end - whole == len && next == 4);
                }
                for (uint64_t at = 0, step = 1; at < (uint64_t)len; step = step * 2 % 1999 + 1) {
                    size_t got = command_encode_part(&c, tagged, at, part, step);
                    CHECK(got > 0 && !memcmp(part, wanted + at, got));
                    at += got;
                }
                CHECK_SAME(c.shared, shapes[s].kind == VALUES_PATTERN && shapes[s].size > COMMAND_TAIL_MAX);
                for (uint64_t at = 0; c.shared && at < (uint64_t)len;) {
                    char *scratch = malloc(COMMAND_PIECE_MAX);
                    size_t got;
                    if (!scratch) abort();
                    const char *piece = command_piece(&c, tagged, at, scratch, &got);
                    if (piece == NULL || !got || got > (uint64_t)len - at) abort();
                    for (size_t step = 0; step < got; step += 997) { /* from any byte on, the content is the same */
                        size_t rest;
                        const char *again = command_piece(&c, tagged, at + step, scratch, &rest);
                        CHECK(rest <= len - at - step && !memcmp(again, wanted + at + step, rest));
                    }
                    piece = command_piece(&c, tagged, at, scratch, &got);
                    CHECK(!memcmp(piece, wanted + at, got));
                    at += got;
                    free(scratch);
                }
                commands_free(&c);
                values_free(&v);
            }
}

/* With own sizes of a phase, SETs draw them, and a part of a value is not a value. */
static void phases_have_their_sizes(void)
{
    static const enum values_kind kinds[] = {VALUES_PATTERN, VALUES_RANDOM, VALUES_COMPRESSIBLE};
    enum { KEYS = 2000 };
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        struct values_spec spec = {.kind = kinds[i], .ratio = 2, .seed = 5, .own = 1U << PHASE_MIXED};
        struct values v;
        struct commands c;
        uint64_t changes = 0;
        double sum = 0;
        char whole[2048], part[2048];
        sizes_one(&spec.sizes, 100);
        CHECK_SAME(sizes_parse(&spec.phase[PHASE_MIXED], "50-400"), 0);
        CHECK_SAME(values_largest(&spec), 400);
        CHECK_SAME(values_init(&v, &spec) || commands_init(&c, "", &v, NULL, 3), 0);
        if (unit_bad) return;
        for (uint64_t key = 0; key < KEYS; key++) {
            const uint64_t first = COMMAND_TAG(COMMAND_SET, key), second = first | UINT64_C(77) << COMMAND_NUMBER_SHIFT;
            commands_phase(&c, PHASE_POPULATE);
            CHECK_SAME(command_length(&c, second), 100);
            commands_phase(&c, PHASE_MIXED);
            uint64_t length = command_length(&c, second), shorter = length - 1;
            CHECK_WITHIN(length, 50, 400);
            CHECK_SAME(length, command_length(&c, second));
            CHECK(values_may_be(&v, key, 100) && values_may_be(&v, key, length) && !values_may_be(&v, key, 49) && !values_may_be(&v, key, 401));
            changes += length != command_length(&c, first);
            sum += (double)length;
            size_t size = (size_t)(command_encode(&c, second, whole) - whole);
            const char *value = whole + size - 2 - length;
            CHECK_SAME(size, command_size(&c, second));
            for (uint64_t at = 0; at < size;) at += command_encode_part(&c, second, at, part + at, 7);
            CHECK(!memcmp(whole, part, size));
            CHECK(values_check(&v, key, values_place(&v, 3, length), 0, value, length));
            CHECK(!values_check(&v, key, values_place(&v, 3, shorter), 0, value, shorter));
        }
        CHECK_WITHIN(changes, KEYS * 0.99, KEYS);
        CHECK_WITHIN(sum / KEYS, 225 * 0.96, 225 * 1.04);
        commands_free(&c);
        values_free(&v);
    }
}

int main(void)
{
    TEST("the pattern is the guide's", the_pattern_is_the_guides);
    TEST("any piece of a value is the same, and a changed byte is found", any_piece_is_the_same);
    TEST("random content does not compress", random_does_not_compress);
    TEST("sizes follow their weights", sizes_follow_their_weights);
    TEST("sizes pass chi-square for each distribution", sizes_have_their_distributions);
    TEST("a phase has sizes of its own, and a part of a value is not a value", phases_have_their_sizes);
    TEST("commands are RESP, whole and in pieces", commands_are_resp);
    return UNIT_END;
}
