/* SPDX-License-Identifier: MIT */
/* The option --sizes: sizes of values for all phases, or for one kind of phase. */
#include "options.h"

#include <string.h>

/* Read one LIST or PHASE=LIST. */
static int item(struct options *o, const char *text)
{
    struct values_spec *v = &o->values;
    const size_t n = strcspn(text, "=");
    if (!text[n]) {
        if (o->sizes_text) return options_refuse(o->bad, "%.60s: a second list for all phases; accepted: one, and PHASE=LIST", text);
        o->sizes_text = o->sizes_base;
        memcpy(o->sizes_base, text, n + 1);
        return sizes_parse(&v->sizes, text);
    }
    const int kind = options_phase_kind(text, n);
    if (kind < 0 || kind == PHASE_GET || kind == PHASE_REPLAY)
        return options_refuse(o->bad, "%.60s: invalid phase; accepted: set, mixed, populate", text);
    if (v->own >> kind & 1) return options_refuse(o->bad, "%.60s: the phase is repeated; name it once", text);
    v->own |= 1U << kind;
    memcpy(o->sizes_phase[kind], text + n + 1, strlen(text + n + 1) + 1);
    return sizes_parse(&v->phase[kind], text + n + 1);
}

int options_sizes(struct options *o, const char *text)
{
    size_t given = strlen(o->sizes_given);
    if (!text[strspn(text, " ")]) return -1;
    if (given + strlen(text) + 2 > OPTIONS_SIZES) return options_refuse(o->bad, "too long; accepted: at most %d bytes", OPTIONS_SIZES - 2);
    if (given) o->sizes_given[given++] = ' ';
    memcpy(o->sizes_given + given, text, strlen(text) + 1);
    for (text += strspn(text, " "); *text;) {
        char word[OPTIONS_SIZES];
        const size_t n = strcspn(text, " ");
        memcpy(word, text, n);
        word[n] = 0;
        if (item(o, word)) return -1;
        text += n;
        text += strspn(text, " ");
    }
    return 0;
}

double options_mean_size(const struct options *o)
{
    for (int i = 0; i < o->phases; i++)
        if (o->phase[i] != PHASE_GET) return values_sizes(&o->values, o->phase[i])->mean;
    return o->values.sizes.mean;
}

const char *options_sizes_text(const struct options *o, enum phase_kind kind)
{
    if (!o->values.own) return o->sizes_text;
    if (kind == PHASE_GET) return o->sizes_given;
    return o->values.own >> kind & 1 ? o->sizes_phase[kind] : o->sizes_text;
}
