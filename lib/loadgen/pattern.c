/* SPDX-License-Identifier: MIT */
/* Key patterns as text: see pattern.h. */
#include "pattern.h"

#include "number.h"

#include <string.h>

#define THETA_DEFAULT 0.99

static const struct {
    const char *name;
    enum keys_kind kind;
} kinds[] = {{"sequential", KEYS_SEQUENTIAL}, {"shuffle", KEYS_SHUFFLE}, {"uniform", KEYS_UNIFORM}, {"gaussian", KEYS_GAUSSIAN}, {"zipf", KEYS_ZIPF},
             {"hotspot", KEYS_HOTSPOT},       {"latest", KEYS_LATEST}};

/* Read A:B, each in (0, high]. Returns 0, or -1. */
static int pair(const char *text, double high_a, double high_b, double *a, double *b)
{
    char first[64];
    size_t n = strcspn(text, ":");
    if (n >= sizeof first || !text[n]) return -1;
    memcpy(first, text, n);
    first[n] = 0;
    return number_double(first, 1e-6, high_a, a) || number_double(text + n + 1, 1e-6, high_b, b) ? -1 : 0;
}

int pattern_parse(struct keys_spec *spec, const char *text)
{
    size_t n = strcspn(text, ":"), i = 0, all = sizeof kinds / sizeof *kinds;
    while (i < all && (strlen(kinds[i].name) != n || strncmp(text, kinds[i].name, n) != 0)) i++;
    if (i == all) return -1;
    spec->kind = kinds[i].kind;
    spec->sd = 0;
    spec->theta = THETA_DEFAULT;
    if (spec->kind == KEYS_HOTSPOT) return text[n] ? pair(text + n + 1, 99.999999, 100, &spec->hot_keys, &spec->hot_requests) : -1;
    if (!text[n]) return 0;
    if (spec->kind == KEYS_GAUSSIAN) return number_double(text + n + 1, 1e-6, 1e18, &spec->sd);
    if (spec->kind == KEYS_ZIPF || spec->kind == KEYS_LATEST) return number_double(text + n + 1, 1e-6, KEYS_THETA_MAX, &spec->theta);
    return -1;
}

int pattern_shift(struct keys_spec *spec, const char *text)
{
    if (pair(text, 1e8, 99.999999, &spec->shift_s, &spec->shift_percent)) return -1;
    return spec->shift_s < 0.001 ? -1 : 0;
}

int pattern_has_place(enum keys_kind kind)
{
    return kind == KEYS_GAUSSIAN || kind == KEYS_ZIPF || kind == KEYS_HOTSPOT;
}

void pattern_follow(struct keys_spec *spec, const struct keys_spec *other)
{
    spec->kind = other->kind;
    spec->sd = other->sd;
    spec->theta = other->theta;
    spec->hot_keys = other->hot_keys;
    spec->hot_requests = other->hot_requests;
}

double pattern_parameter(const struct keys_spec *spec)
{
    switch (spec->kind) {
    case KEYS_GAUSSIAN:
        return spec->sd > 0 ? spec->sd : (double)spec->count / 6;
    case KEYS_ZIPF:
    case KEYS_LATEST:
        return spec->theta;
    case KEYS_HOTSPOT:
        return spec->hot_requests;
    default:
        return 0;
    }
}
