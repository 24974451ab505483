/* SPDX-License-Identifier: MIT */
/* Key patterns: every key exactly once, distributions by chi-square, the same keys for the same seed. */
#include "keys.h"
#include "unit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static struct zipf zipf; /* of all walkers: it must follow each change of exponent and count */

static void each_key_exactly_once(void)
{
    static const uint64_t counts[] = {1, 2, 3, 5, 64, 65, 1000, 4097, 65536, 100003};
    static unsigned char hit[100003];
    for (int kind = KEYS_SEQUENTIAL; kind <= KEYS_SHUFFLE; kind++)
        for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
            for (uint64_t parts = 1; parts <= 7; parts += 3)
                for (int pass = 1; pass <= 2; pass++) {
                    struct keys_spec spec = {.kind = (enum keys_kind)kind, .first = 1000, .count = counts[i], .seed = 5};
                    uint64_t twice = 0, outside = 0, all = 0;
                    memset(hit, 0, sizeof hit);
                    for (uint64_t part = 0; part < parts; part++) {
                        struct keys k;
                        uint64_t share = keys_share(counts[i], part, parts);
                        keys_init(&k, &spec, part, parts, part, &zipf);
                        for (uint64_t n = 0; n < share * (uint64_t)(pass - 1); n++) keys_next(&k);
                        for (uint64_t n = 0; n < share; n++, all++) {
                            uint64_t key = keys_next(&k) - 1000;
                            if (key >= counts[i])
                                outside++;
                            else if (hit[key]++)
                                twice++;
                        }
                    }
                    CHECK_SAME(outside, 0);
                    CHECK_SAME(twice, 0);
                    CHECK_SAME(all, counts[i]);
                }
}

static void shuffled_keys_are_in_no_order(void)
{
    enum { N = 100000 };
    struct keys_spec spec = {.kind = KEYS_SHUFFLE, .count = N, .seed = 3};
    struct keys k;
    uint64_t up = 0, near = 0, before = 0;
    keys_init(&k, &spec, 0, 1, 0, &zipf);
    for (int i = 0; i < N; i++) {
        uint64_t key = keys_next(&k);
        up += key > before;
        near += llabs((long long)key - (long long)before) < 100;
        before = key;
    }
    CHECK_WITHIN(up, N * 0.49, N * 0.51);
    CHECK_WITHIN(near, 100, 300); /* 200 expected */
}

/* Chi-square of counts against expected probabilities; keys with few expected hits are pooled. Returns by how many standard deviations it
 * exceeds its mean. */
static double chi_square(const uint64_t *count, const double *probability, uint64_t n, double draws)
{
    double sum = 0, pool_e = 0, pool_o = 0;
    int bins = 0;
    for (uint64_t i = 0; i < n; i++) {
        pool_e += probability[i] * draws;
        pool_o += (double)count[i];
        if (pool_e < 20 && i + 1 < n) continue;
        sum += (pool_o - pool_e) * (pool_o - pool_e) / pool_e;
        bins++;
        pool_e = pool_o = 0;
    }
    return (sum - (bins - 1)) / sqrt(2.0 * (bins - 1));
}

static double draw(const struct keys_spec *spec, const double *probability, uint64_t draws)
{
    struct keys k;
    uint64_t *count = calloc(spec->count, sizeof *count);
    keys_init(&k, spec, 0, 1, 9, &zipf);
    for (uint64_t i = 0; count && i < draws; i++) {
        uint64_t key = keys_next(&k);
        CHECK(key < spec->count);
        if (key < spec->count) count[key]++;
    }
    double off = count ? chi_square(count, probability, spec->count, (double)draws) : 99;
    free(count);
    return off;
}

static void zipf_is_zipf(void)
{
    enum { N = 1000, DRAWS = 400000 };
    static const double thetas[] = {0.2, 0.5, 0.99, 1.0, 1.2, 1.9, 2, 2.7, 3};
    double probability[N];
    for (size_t t = 0; t < sizeof thetas / sizeof *thetas; t++) {
        struct keys_spec spec = {.kind = KEYS_ZIPF, .count = N, .theta = thetas[t], .seed = 11};
        double all = 0;
        for (int i = 0; i < N; i++) all += probability[i] = pow(i + 1, -thetas[t]);
        for (int i = 0; i < N; i++) probability[i] /= all;
        CHECK_WITHIN(draw(&spec, probability, DRAWS), -4, 4);
    }
}

/* Which eighth of which power of two a rank lies in. */
static unsigned part_of(uint64_t rank)
{
    unsigned octave = 63 - (unsigned)__builtin_clzll(rank);
    return octave * 8 + (unsigned)((rank << 3 >> octave) & 7);
}

/* The groups of a large table: the draws that fall into each power of two of ranks, and into the parts of one. */
static void zipf_of_many_ranks_is_zipf(void)
{
    enum { N = (1 << 22) - 1, DRAWS = 2000000, PARTS = 22 * 8 };
    static double probability[PARTS];
    static uint64_t count[PARTS];
    static const double thetas[] = {0.2, 0.99, 1.4};
    for (size_t t = 0; t < sizeof thetas / sizeof *thetas; t++) {
        struct rng rng;
        double all = 0;
        memset(count, 0, sizeof count);
        memset(probability, 0, sizeof probability);
        for (uint64_t rank = 1; rank <= N; rank++) probability[part_of(rank)] += pow((double)rank, -thetas[t]);
        for (int i = 0; i < PARTS; i++) all += probability[i];
        for (int i = 0; i < PARTS; i++) probability[i] /= all;
        zipf_prepare(&zipf, thetas[t], N);
        rng_seed(&rng, 31, 0);
        for (int i = 0; i < DRAWS; i++) {
            uint64_t rank = zipf_draw(&zipf, &rng, N);
            CHECK(rank >= 1 && rank <= N);
            count[part_of(rank)]++;
        }
        CHECK_WITHIN(chi_square(count, probability, PARTS, DRAWS), -4, 4);
    }
}

static void uniform_and_gaussian_are_so(void)
{
    enum { N = 1000, DRAWS = 400000 };
    double probability[N], all = 0;
    struct keys_spec uniform = {.kind = KEYS_UNIFORM, .count = N, .seed = 12}, gaussian = {.kind = KEYS_GAUSSIAN, .count = N, .sd = 80, .seed = 13};
    for (int i = 0; i < N; i++) probability[i] = 1.0 / N;
    CHECK_WITHIN(draw(&uniform, probability, DRAWS), -4, 4);
    for (int sd = 80; sd <= 400; sd += 320) { /* the second is cut off at both ends */
        gaussian.sd = sd;
        all = 0;
        for (int i = 0; i < N; i++) all += probability[i] = erf((i - 499.0) / (sd * sqrt(2))) - erf((i - 500.0) / (sd * sqrt(2)));
        for (int i = 0; i < N; i++) probability[i] /= all;
        CHECK_WITHIN(draw(&gaussian, probability, DRAWS), -4, 4);
    }
}

static void large_ranges_work(void)
{
    struct keys_spec spec = {.count = UINT64_C(1) << 60, .theta = 0.99, .hot_keys = 10, .hot_requests = 90, .seed = 1};
    for (int kind = KEYS_SEQUENTIAL; kind <= KEYS_LATEST; kind++) {
        struct keys k;
        spec.kind = (enum keys_kind)kind;
        keys_init(&k, &spec, 0, 1, 0, &zipf);
        for (int i = 0; i < 10000; i++) CHECK(keys_next(&k) < spec.count);
    }
    spec.count = 1;
    for (int kind = KEYS_SEQUENTIAL; kind <= KEYS_LATEST; kind++) {
        struct keys k;
        spec.kind = (enum keys_kind)kind;
        keys_init(&k, &spec, 0, 1, 0, &zipf);
        for (int i = 0; i < 100; i++) CHECK_SAME(keys_next(&k), 0);
    }
}

static void seeds_decide(void)
{
    struct keys_spec spec = {.count = 1000000, .theta = 0.99, .hot_keys = 1, .hot_requests = 10, .seed = 42};
    for (int kind = KEYS_SHUFFLE; kind <= KEYS_LATEST; kind++) {
        struct keys a, b, other_seed, other_stream;
        struct keys_spec other = spec;
        int same = 0, stream = 0;
        spec.kind = other.kind = (enum keys_kind)kind;
        other.seed = 43;
        keys_init(&a, &spec, 0, 1, 1, &zipf);
        keys_init(&b, &spec, 0, 1, 1, &zipf);
        keys_init(&other_seed, &other, 0, 1, 1, &zipf);
        keys_init(&other_stream, &spec, 0, 1, 2, &zipf);
        for (int i = 0; i < 1000; i++) {
            uint64_t key = keys_next(&a);
            CHECK_SAME(keys_next(&b), key);
            same += keys_next(&other_seed) == key;
            stream += keys_next(&other_stream) == key;
        }
        CHECK(same < 100);
        if (kind != KEYS_SHUFFLE) CHECK(stream < 100);
    }
}

static void many_are_as_one_by_one(void)
{
    for (int kind = KEYS_SEQUENTIAL; kind <= KEYS_LATEST; kind++) {
        struct keys_spec spec = {
            .kind = (enum keys_kind)kind, .first = 7, .count = 1000, .theta = 0.9, .hot_keys = 10, .hot_requests = 90, .seed = 2};
        struct keys one, many;
        uint64_t got[100];
        keys_init(&one, &spec, 0, 1, 3, &zipf);
        keys_init(&many, &spec, 0, 1, 3, &zipf);
        for (uint32_t n = 0; n < 100; n++) {
            keys_take(&many, UINT64_C(1) << 62, got, n);
            for (uint32_t i = 0; i < n; i++) CHECK_SAME(got[i], keys_next(&one) | UINT64_C(1) << 62);
        }
    }
}

static void more_parts_than_keys_stay_on_the_keys(void)
{
    for (int kind = KEYS_SEQUENTIAL; kind <= KEYS_SHUFFLE; kind++)
        for (uint64_t part = 0; part < 8; part++) {
            struct keys_spec spec = {.kind = (enum keys_kind)kind, .first = 100, .count = 3, .seed = 5};
            struct keys k;
            keys_init(&k, &spec, part, 8, part, &zipf);
            for (int n = 0; n < 50; n++) CHECK_WITHIN(keys_next(&k), 100, 102);
        }
}

/* The narrow method and the wide method meet at half the keys; far above it, every key is equally likely. */
static void a_wide_gaussian_is_drawn_in_time(void)
{
    static const double sds[] = {501, 2000, 1e15, 1e300};
    for (size_t i = 0; i < sizeof sds / sizeof *sds; i++) {
        struct keys_spec spec = {.kind = KEYS_GAUSSIAN, .first = 0, .count = 1000, .sd = sds[i], .seed = 5};
        struct keys k;
        double squares = 0, sum = 0;
        const int n = 200000;
        keys_init(&k, &spec, 0, 1, 1, &zipf);
        for (int j = 0; j < n; j++) {
            double x = (double)keys_next(&k) - 499.5;
            CHECK(x >= -499.5 && x <= 499.5);
            sum += x;
            squares += x * x;
        }
        /* The variance of a normal distribution cut off at a on both sides is sd^2 (1 - 2 z f(z) / (2 F(z) - 1)), z = a / sd; 83333 when flat. */
        double z = 500 / sds[i], density = exp(-z * z / 2) / sqrt(2 * 3.14159265358979);
        double variance = z < 1e-3 ? 1e6 / 12 : sds[i] * sds[i] * (1 - 2 * z * density / erf(z / sqrt(2)));
        CHECK_WITHIN(sum / n, -4, 4);
        CHECK_WITHIN(squares / n, variance * 0.98, variance * 1.02);
    }
}

static void hot_keys_get_their_requests(void)
{
    enum { N = 1000, DRAWS = 400000 };
    static const double shapes[][2] = {{10, 90}, {0.1, 50}, {50, 10}, {99, 100}, {20, 20}};
    double probability[N];
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        struct keys_spec spec = {.kind = KEYS_HOTSPOT, .count = N, .hot_keys = shapes[i][0], .hot_requests = shapes[i][1], .seed = 21};
        double hot = shapes[i][0] / 100 * N, share = shapes[i][1] / 100;
        for (int j = 0; j < N; j++) probability[j] = j < hot ? share / hot : (1 - share) / (N - hot);
        if (shapes[i][1] >= 100) { /* the other keys get no requests, and chi-square cannot divide by 0 */
            struct keys k;
            keys_init(&k, &spec, 0, 1, 9, &zipf);
            for (int j = 0; j < DRAWS; j++) CHECK(keys_next(&k) < (uint64_t)hot);
            continue;
        }
        CHECK_WITHIN(draw(&spec, probability, DRAWS), -4, 4);
    }
}

static void latest_is_zipf_from_the_newest_back(void)
{
    enum { OLD = 700, NEW = 100, PARTS = 3, N = OLD + NEW, DRAWS = 400000 };
    static uint64_t count[N];
    static double probability[N];
    struct keys_spec spec = {.kind = KEYS_LATEST, .first = 50, .count = OLD, .theta = 0.99, .seed = 22};
    for (uint64_t part = 0; part < PARTS; part++) {
        struct keys k;
        double all = 0;
        memset(count, 0, sizeof count);
        keys_init(&k, &spec, part, PARTS, part, &zipf);
        for (uint64_t i = 0; i < NEW + 10; i++) {
            uint64_t key = keys_addition(&k, k.added++);
            CHECK_SAME(key, 50 + OLD + part + PARTS * i);
            CHECK_SAME(keys_added(&k, key), i);
        }
        CHECK_SAME(keys_added(&k, 50 + OLD - 1), UINT64_MAX);
        keys_see(&k, NEW); /* ten keys do not exist yet */
        for (int i = 0; i < N; i++) all += probability[N - 1 - i] = pow(i + 1, -0.99);
        for (int i = 0; i < N; i++) probability[i] /= all;
        for (int i = 0; i < DRAWS; i++) {
            uint64_t place = keys_next(&k) - 50;
            if (place >= OLD) {
                CHECK_SAME((place - OLD) % PARTS, part);
                place = OLD + (place - OLD) / PARTS;
            }
            CHECK(place < N);
            if (place < N) count[place]++;
        }
        CHECK_WITHIN(chi_square(count, probability, N, DRAWS), -4, 4);
        keys_see(&k, UINT64_MAX);
        CHECK_SAME(k.seen, NEW + 10);
    }
}

/* The positions of the popular keys: the pattern, shifted, or one permutation of it when scrambled. */
static void popular_keys_move_and_spread(void)
{
    enum { N = 1000, DRAWS = 400000, STEP = 37 };
    double probability[N], all = 0;
    struct keys_spec spec = {.kind = KEYS_ZIPF, .count = N, .theta = 0.99, .shift_s = 0.5, .shift_percent = 3.7, .seed = 23, .place_seed = 7};
    for (int i = 0; i < N; i++) all += pow(i + 1, -0.99);
    for (int scramble = 0; scramble < 2; scramble++) {
        struct keys_permutation p;
        keys_permutation_init(&p, N, 7);
        spec.scramble = scramble;
        for (int shifts = 0; shifts < 60; shifts += 29) {
            struct keys k, other;
            uint64_t count[N] = {0};
            keys_init(&k, &spec, 0, 1, 9, &zipf);
            for (int i = 0; i < N; i++) {
                uint64_t place = (uint64_t)(i + shifts * STEP) % N;
                probability[scramble ? keys_permute(&p, place) : place] = pow(i + 1, -0.99) / all;
            }
            for (int i = 0; i < DRAWS; i++) {
                keys_at(&k, (uint64_t)shifts * 500000000 + (uint64_t)i * 1000);
                count[keys_next(&k)]++;
            }
            CHECK_WITHIN(chi_square(count, probability, N, DRAWS), -4, 4);
            keys_init(&other, &spec, 3, 4, 5, &zipf); /* looks once, while the others looked at each shift */
            keys_at(&other, (uint64_t)shifts * 500000000 + 499999999);
            CHECK_SAME(other.offset, k.offset);
            keys_at(&other, (uint64_t)(shifts + 1) * 500000000);
            CHECK_SAME(other.offset, (k.offset + STEP) % N);
        }
    }
}

int main(void)
{
    TEST("sequential and shuffle take each key exactly once, in any number of parts and passes", each_key_exactly_once);
    TEST("shuffled keys are in no order", shuffled_keys_are_in_no_order);
    TEST("zipf passes chi-square for theta 0.2 to 3", zipf_is_zipf);
    TEST("zipf of four million ranks passes chi-square", zipf_of_many_ranks_is_zipf);
    TEST("hotspot passes chi-square", hot_keys_get_their_requests);
    TEST("latest passes chi-square, and returns no key that may not be there", latest_is_zipf_from_the_newest_back);
    TEST("popular keys move at their times, and are spread by a permutation", popular_keys_move_and_spread);
    TEST("uniform and gaussian pass chi-square", uniform_and_gaussian_are_so);
    TEST("ranges of one key and of 2^60", large_ranges_work);
    TEST("one seed gives the same keys, another others", seeds_decide);
    TEST("keys taken many at once are those taken one by one", many_are_as_one_by_one);
    TEST("more parts than keys: every part stays on the keys", more_parts_than_keys_stay_on_the_keys);
    TEST("gaussian: a standard deviation above the number of keys is drawn in time, and right", a_wide_gaussian_is_drawn_in_time);
    return UNIT_END;
}
