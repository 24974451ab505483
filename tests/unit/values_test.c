/* SPDX-License-Identifier: MIT */
/* Values: the guide's pattern, content by key, any piece alike, compressibility by zlib, sizes by weight; and commands made of them. */
#include "command.h"
#include "unit.h"
#include "values.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

static struct values_spec spec_of(enum values_kind kind, uint64_t size, double ratio)
{
    struct values_spec spec = {.kind = kind, .ratio = ratio, .seed = 1, .sizes = 1};
    spec.size[0].low = spec.size[0].high = size;
    spec.size[0].weight = 1;
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

/* Size of many values over their deflated size: each alone, or all in one stream. */
static double ratio_of(const struct values *v, uint64_t size, int together)
{
    uint64_t n = 2000000 / size + 1, raw = 0, packed = 0;
    unsigned char *in = malloc(n * size), *out = malloc(compressBound(n * size));
    for (uint64_t key = 0; key < n; key++) values_fill(v, key, 1, 0, (char *)in + key * size, size);
    for (uint64_t at = 0; at < n; at += together ? n : 1) {
        uLong len = together ? n * size : size;
        uLongf packed_len = compressBound(len);
        CHECK_SAME(compress2(out, &packed_len, in + at * size, len, 6), Z_OK);
        raw += len;
        packed += packed_len;
    }
    free(in);
    free(out);
    return (double)raw / (double)packed;
}

static void compressible_is_to_five_percent(void)
{
    static const double ratios[] = {1.25, 1.5, 2, 3, 4, 8, 10};
    static const uint64_t sizes[] = {1000, 4096, 10000, 100000, 1000000};
    for (size_t r = 0; r < sizeof ratios / sizeof *ratios; r++)
        for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
            struct values v;
            struct values_spec spec = spec_of(VALUES_COMPRESSIBLE, sizes[s], ratios[r]);
            CHECK_SAME(values_init(&v, &spec), 0);
            if (unit_bad) return;
            double together = ratio_of(&v, sizes[s], 1), alone = ratio_of(&v, sizes[s], 0);
            if (getenv("UNIT_VERBOSE")) printf("# ratio %g size %ju: together %.3f alone %.3f\n", ratios[r], (uintmax_t)sizes[s], together, alone);
            /* Code tables weigh on small values at high ratios: no content is within 5 % packed alone and packed together. */
            if (sizes[s] >= 4096 || ratios[r] <= 8) CHECK_WITHIN(together / ratios[r], 0.95, 1.05);
            if (sizes[s] >= 10000 || ratios[r] <= 3) CHECK_WITHIN(alone / ratios[r], 0.95, 1.05);
            values_free(&v);
        }
}

static void random_does_not_compress(void)
{
    static const uint64_t sizes[] = {64, 1000, 100000, 1000000};
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        struct values v;
        struct values_spec spec = spec_of(VALUES_RANDOM, sizes[s], 0);
        CHECK_SAME(values_init(&v, &spec), 0);
        if (unit_bad) return;
        CHECK_WITHIN(ratio_of(&v, sizes[s], 1), 0.99, 1.001);
        values_free(&v);
    }
}

static void sizes_follow_their_weights(void)
{
    struct values v;
    struct values_spec spec = {.kind = VALUES_PATTERN, .seed = 4, .sizes = 3, .size = {{100, 100, 70}, {1000, 1000, 25}, {2000, 4000, 5}}};
    uint64_t small = 0, middle = 0, large = 0, N = 100000;
    double sum = 0;
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
    CHECK_WITHIN(sum / (double)N / values_mean_length(&spec), 0.98, 1.02);
    values_free(&v);
}

static void commands_are_resp(void)
{
    static const struct {
        enum values_kind kind;
        uint64_t size;
    } shapes[] = {{VALUES_PATTERN, 5}, {VALUES_RANDOM, 5}, {VALUES_PATTERN, 20000}, {VALUES_RANDOM, 20000}};
    static const uint64_t keys[] = {0, 9, 10, 99, 12345, UINT64_C(999999999999999999), UINT64_C(1000000000000000000)};
    static char whole[32768], wanted[32768], part[32768];
    for (size_t s = 0; s < 4; s++)
        for (size_t k = 0; k < sizeof keys / sizeof *keys; k++)
            for (int set = 0; set < 2; set++) {
                struct values v;
                struct values_spec spec = spec_of(shapes[s].kind, shapes[s].size, 0);
                struct commands c;
                char digits[32];
                uint64_t tagged = keys[k] | (set ? COMMAND_SET : 0);
                CHECK(!values_init(&v, &spec) && !commands_init(&c, "a long enough prefix:", &v, 3));
                if (unit_bad) return;
                int n = snprintf(digits, sizeof digits, "%ju", (uintmax_t)keys[k]);
                int len = snprintf(wanted, sizeof wanted, "*%d\r\n$3\r\n%s\r\n$%d\r\na long enough prefix:%s\r\n", set ? 3 : 2, set ? "SET" : "GET",
                                   n + 21, digits);
                if (set) {
                    len += snprintf(wanted + len, sizeof wanted - (size_t)len, "$%ju\r\n", (uintmax_t)shapes[s].size);
                    values_fill(&v, keys[k], 3, 0, wanted + len, shapes[s].size);
                    len += (int)shapes[s].size;
                    memcpy(wanted + len, "\r\n", 2);
                    len += 2;
                }
                CHECK_SAME(command_size(&c, tagged), len);
                CHECK_SAME(command_encode(&c, tagged, whole) - whole, len);
                CHECK(!memcmp(whole, wanted, (size_t)len));
                for (uint64_t at = 0, step = 1; at < (uint64_t)len; step = step * 2 % 1999 + 1) {
                    size_t got = command_encode_part(&c, tagged, at, part, step);
                    CHECK(got > 0 && !memcmp(part, wanted + at, got));
                    at += got;
                }
                commands_free(&c);
                values_free(&v);
            }
}

int main(void)
{
    TEST("the pattern is the guide's", the_pattern_is_the_guides);
    TEST("any piece of a value is the same, and a changed byte is found", any_piece_is_the_same);
    TEST("compressible:RATIO is met to 5 % by zlib", compressible_is_to_five_percent);
    TEST("random content does not compress", random_does_not_compress);
    TEST("sizes follow their weights", sizes_follow_their_weights);
    TEST("commands are RESP, whole and in pieces", commands_are_resp);
    return UNIT_END;
}
