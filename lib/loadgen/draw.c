/* SPDX-License-Identifier: MIT */
/* The next request of a connection: see draw.h. */
#include "draw.h"

/* The next command of a mix, by the weights. */
int draw_command(struct target *t, const struct mix *m)
{
    uint64_t pick = rng_below(&t->choice, m->weights);
    const int *entry = m->entry;
    for (; pick >= m->command[*entry].weight; entry++) pick -= m->command[*entry].weight;
    return *entry;
}

/* The next request of a mix. */
static uint64_t next_mixed(struct conn *c, const struct mix *m, int populate)
{
    struct target *t = c->target;
    if (populate) {
        uint64_t key = keys_next(&t->keys); /* a pass over the keys for each kind of them */
        return COMMAND_TAG(m->fill[t->keys.pass % (uint64_t)m->fills], key);
    }
    const int command = draw_command(t, m);
    uint64_t key = command == COMMAND_SET && t->keys.spec.kind == KEYS_LATEST ? adds_next(c) : keys_next(&t->keys);
    const struct mix_command *k = &m->command[command];
    const uint64_t numbers = k->numbers ? k->numbers : t->commands.draws && (k->data || k->next) ? MIX_TIMES_MAX : 0;
    if (numbers) key |= rng_below(&t->choice, numbers) << COMMAND_NUMBER_SHIFT;
    return COMMAND_TAG(command, key);
}

/* The next tagged key of a connection's target. */
uint64_t draw_request(struct worker *w, struct conn *c)
{
    struct target *t = c->target;
    const struct options *o = w->options;
    const enum phase_kind kind = w->plan->kind;
    if (__builtin_expect(w->mix != NULL, 0)) return next_mixed(c, w->mix, kind == PHASE_POPULATE);
    int set = kind != PHASE_GET && (kind != PHASE_MIXED || rng_below(&t->choice, o->ratio_set + o->ratio_get) < o->ratio_set);
    uint64_t key = set && t->keys.spec.kind == KEYS_LATEST ? adds_next(c) : keys_next(&t->keys);
    if (__builtin_expect(t->commands.draws, 0) && set) key |= rng_below(&t->choice, MIX_TIMES_MAX) << COMMAND_NUMBER_SHIFT;
    return COMMAND_TAG(set ? COMMAND_SET : COMMAND_GET, key);
}
