/* SPDX-License-Identifier: MIT */
/* Sizes of values: see sizes.h. */
#include "sizes.h"

#include "number.h"

#include <math.h>
#include <string.h>

/* Values of Facebook's pool ETC (Atikoglu, Xu, Frachtenberg, Jiang, Paleczny 2012, "Workload analysis of a large-scale key-value store"). */
#define ETC "gpareto:0:214.476:0.348238"

void sizes_one(struct sizes *s, uint64_t size)
{
    memset(s, 0, sizeof *s);
    s->choices = 1;
    s->choice[0] = (struct sizes_choice){size, size, 1};
    s->weights = 1;
    s->mean = (double)size;
}

double sizes_above(const struct sizes *s, double x)
{
    switch (s->kind) {
    case SIZES_LOGNORMAL:
        return x <= 0 ? 1 : erfc((log(x) - s->a) / (s->b * sqrt(2))) / 2;
    case SIZES_PARETO:
        return x <= s->a ? 1 : pow(s->a / x, s->b);
    case SIZES_GPARETO:
        if (x <= s->a) return 1;
        return fabs(s->c) < 1e-9 ? exp(-(x - s->a) / s->b) : pow(1 + s->c * (x - s->a) / s->b, -1 / s->c);
    default:
        return 0;
    }
}

uint64_t sizes_draw(const struct sizes *s, struct rng *rng)
{
    const struct sizes_choice *choice = s->choice;
    double x, u;
    if (s->kind == SIZES_LIST) {
        uint64_t pick = rng_below(rng, s->weights);
        while (pick >= choice->weight) pick -= choice++->weight;
        return choice->low + rng_below(rng, choice->high - choice->low + 1);
    }
    u = rng_unit(rng);
    if (s->kind == SIZES_LOGNORMAL) /* Box and Muller */
        x = exp(s->a + s->b * sqrt(-2 * log(u)) * cos(2 * 3.14159265358979323846 * rng_unit(rng)));
    else if (s->kind == SIZES_PARETO)
        x = s->a * pow(u, -1 / s->b);
    else
        x = s->a + (fabs(s->c) < 1e-9 ? -s->b * log(u) : s->b * expm1(-s->c * log(u)) / s->c);
    if (x < 1.5) return 1;
    return x >= (double)SIZES_TAIL_MAX ? SIZES_TAIL_MAX : (uint64_t)(x + 0.5);
}

int sizes_may_be(const struct sizes *s, uint64_t size)
{
    for (int i = 0; i < s->choices; i++)
        if (size >= s->choice[i].low && size <= s->choice[i].high) return 1;
    return 0;
}

static int list_parse(struct sizes *s, const char *text)
{
    for (;;) {
        struct sizes_choice choice = {0, 0, 1};
        size_t n = strcspn(text, ","), number = strcspn(text, ":,"), low = strcspn(text, "-:,");
        if (s->choices == SIZES_MAX || number_amount_n(text, low, 1, SIZES_LIMIT, &choice.low)) return -1;
        choice.high = choice.low;
        if (low < number && number_amount_n(text + low + 1, number - low - 1, choice.low, SIZES_LIMIT, &choice.high)) return -1;
        if (number < n && number_u64_n(text + number + 1, n - number - 1, 1, 1000000000, &choice.weight)) return -1;
        s->choice[s->choices++] = choice;
        s->weights += choice.weight;
        s->mean += ((double)choice.low + (double)choice.high) / 2 * (double)choice.weight;
        if (!text[n]) break;
        text += n + 1;
    }
    s->mean /= (double)s->weights;
    return 0;
}

/* Read `count` numbers with colons between them, each in (0, 1e9] or from 0 on where zero[i]. Returns 0, or -1. */
static int numbers(const char *text, int count, const int *zero, double *out)
{
    for (int i = 0; i < count; i++) {
        char copy[64];
        size_t n = strcspn(text, ":");
        if (n >= sizeof copy || (text[n] == ':') != (i + 1 < count)) return -1;
        memcpy(copy, text, n);
        copy[n] = 0;
        if (number_double(copy, zero[i] ? 0 : 1e-6, 1e9, &out[i])) return -1;
        text += n + 1;
    }
    return 0;
}

int sizes_parse(struct sizes *s, const char *text)
{
    static const int none[3] = {0, 0, 0}, first_last[3] = {1, 0, 1};
    double v[3] = {0, 0, 0};
    memset(s, 0, sizeof *s);
    if (!strcmp(text, "etc")) text = ETC;
    if (!strncmp(text, "lognormal:", 10)) {
        if (numbers(text + 10, 2, none, v)) return -1;
        s->kind = SIZES_LOGNORMAL;
        s->b = sqrt(log1p(v[1] / v[0] * (v[1] / v[0])));
        s->a = log(v[0]) - s->b * s->b / 2;
    } else if (!strncmp(text, "pareto:", 7)) {
        if (numbers(text + 7, 2, none, v)) return -1;
        s->kind = SIZES_PARETO;
        s->a = v[0];
        s->b = v[1];
    } else if (!strncmp(text, "gpareto:", 8)) {
        if (numbers(text + 8, 3, first_last, v)) return -1;
        s->kind = SIZES_GPARETO;
        s->a = v[0];
        s->b = v[1];
        s->c = v[2];
    } else {
        return list_parse(s, text);
    }
    s->choices = 1;
    s->choice[0] = (struct sizes_choice){1, SIZES_TAIL_MAX, 1};
    s->weights = 1;
    s->mean = 1; /* the sum of the probabilities of more than 0, 1, 2 ... bytes */
    for (uint64_t size = 1; size < SIZES_TAIL_MAX; size++) s->mean += sizes_above(s, (double)size + 0.5);
    return 0;
}
