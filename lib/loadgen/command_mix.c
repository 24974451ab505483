/* SPDX-License-Identifier: MIT */
/* Commands of a mix as bytes, and the end of any command. Each call walks the words from the start, so that any part can be repeated. */
#include "command.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

uint64_t command_ttl(const struct commands *c, uint64_t key)
{
    uint64_t ttl = c->values->spec.ttl_low;
    if (c->values->spec.ttl_high > ttl) {
        struct rng rng;
        rng_seed(&rng, c->values->spec.seed ^ UINT64_C(0x74746c), key);
        ttl += rng_below(&rng, c->values->spec.ttl_high - ttl + 1);
    }
    return ttl;
}

size_t command_end(const struct commands *c, uint64_t key, char out[COMMAND_END_MAX])
{
    const uint64_t ttl = c->values->spec.ttl_low ? command_ttl(c, key) : 0;
    if (!ttl) {
        memcpy(out, "\r\n", 2);
        return 2;
    }
    return (size_t)snprintf(out, COMMAND_END_MAX, "\r\n$2\r\nEX\r\n$%u\r\n%" PRIu64 "\r\n", number_digits(ttl), ttl);
}

/* The position of the walk, and the wanted part: bytes [from, stop). */
struct walk {
    uint64_t at, from, stop;
    char *out;
};

static void put(struct walk *w, const char *bytes, uint64_t n)
{
    uint64_t low = w->from > w->at ? w->from - w->at : 0, high = w->stop > w->at ? w->stop - w->at : 0;
    if (high > n) high = n;
    if (low < high) memcpy(w->out + (w->at + low - w->from), bytes + low, high - low);
    w->at += n;
}

static void put_value(struct walk *w, const struct commands *c, uint64_t key, uint64_t n)
{
    uint64_t low = w->from > w->at ? w->from - w->at : 0, high = w->stop > w->at ? w->stop - w->at : 0;
    if (high > n) high = n;
    if (low < high) values_fill(c->values, key, values_place(c->values, c->place, n), low, w->out + (w->at + low - w->from), high - low);
    w->at += n;
}

/* The text of a key. Returns its size. */
static size_t key_text(const struct commands *c, char type, uint64_t key, char out[COMMAND_HEAD_MAX])
{
    size_t n = type == 's' ? 0 : MIX_PREFIX, prefix = strlen(c->prefix);
    if (n) memcpy(out, (char[]){type, ':'}, MIX_PREFIX);
    memcpy(out + n, c->prefix, prefix);
    n += prefix;
    if (c->tags) {
        memcpy(out + n, SLOTS_TAG_ANY, sizeof SLOTS_TAG_ANY - 1);
        n += sizeof SLOTS_TAG_ANY - 1;
        slots_put(c->tags, key, out + n - SLOTS_TAG);
    }
    return n + number_write(out + n, key);
}

/* A number in MIX_INDEX digits. */
static void index_text(unsigned number, char out[MIX_INDEX + 8])
{
    number_put(out, number, MIX_INDEX);
}

/* One word, with the number of a field or member. A tagged key may be one of several. */
static void put_word(struct walk *w, const struct commands *c, const struct mix_command *m, const struct mix_word *word, uint64_t tagged,
                     unsigned number)
{
    const uint64_t key = COMMAND_KEY(tagged);
    char name[COMMAND_HEAD_MAX], digits[MIX_INDEX + 8], size[COMMAND_DIGITS + 8];
    uint64_t length = 0, bytes = 0;
    size_t named = 0;
    for (int i = 0; i < word->pieces; i++) {
        const struct mix_piece *p = &word->piece[i];
        if (p->kind == MIX_KEY && !named) named = key_text(c, m->type, key, name);
        if (p->kind == MIX_DATA && !length) length = command_length(c, tagged);
        bytes += p->kind == MIX_KEY ? named : p->kind == MIX_DATA ? length : p->size;
    }
    size[0] = '$';
    size_t head = 1 + number_write(size + 1, bytes);
    memcpy(size + head, "\r\n", 2);
    put(w, size, head + 2);
    for (int i = 0; i < word->pieces; i++) {
        const struct mix_piece *p = &word->piece[i];
        if (p->kind == MIX_LITERAL) put(w, p->text, p->size);
        if (p->kind == MIX_KEY) put(w, name, named);
        if (p->kind == MIX_DATA) put_value(w, c, key, length);
        if (p->kind == MIX_NUMBER) {
            index_text(number, digits);
            put(w, digits, MIX_INDEX);
        }
    }
    put(w, "\r\n", 2);
}

/* The number of words of a command as sent. */
static int words_sent(const struct commands *c, const struct mix_command *m)
{
    int n = 0;
    for (int i = 0; i < m->words; i++) n += m->word[i].again ? m->times : 1;
    return n + (m->ends && c->values->spec.ttl_low ? 2 : 0);
}

uint64_t command_words(const struct commands *c, uint64_t tagged, uint64_t from, char *out, size_t n)
{
    if (c->trace) return command_trace(c, tagged, from, out, n);
    const struct mix_command *m = &c->mix->command[tagged >> COMMAND_SHIFT];
    const uint64_t key = COMMAND_KEY(tagged);
    struct walk w = {0, from, n > UINT64_MAX - from ? UINT64_MAX : from + n, out};
    char text[COMMAND_DIGITS + 8], end[COMMAND_END_MAX];
    size_t head = 1 + number_write(text + 1, (uint64_t)words_sent(c, m));
    text[0] = '*';
    memcpy(text + head, "\r\n", 2);
    put(&w, text, head + 2);
    for (int i = 0, group; i < m->words; i = group) {
        for (group = i + 1; m->word[i].again && group < m->words && m->word[group].again;) group++;
        for (int k = 0; k < (m->word[i].again ? m->times : 1); k++)
            for (int j = i; j < group; j++)
                put_word(&w, c, m, &m->word[j], m->keys ? command_tagged_at(c, tagged, (uint64_t)k) : tagged,
                         m->word[i].again ? (unsigned)k : COMMAND_NUMBER(tagged));
    }
    if (m->ends) put(&w, end + 2, command_end(c, key, end) - 2);
    return w.at;
}

/* An upper bound for any command of the mix, with the longest keys and values. */
static uint64_t longest(const struct commands *c, const struct mix_command *m, uint64_t value)
{
    uint64_t n = 32 + COMMAND_END_MAX;
    for (int i = 0; i < m->words; i++) {
        uint64_t word = 32;
        for (int j = 0; j < m->word[i].pieces; j++) {
            const struct mix_piece *p = &m->word[i].piece[j];
            word += p->kind == MIX_KEY    ? MIX_PREFIX + strlen(c->prefix) + sizeof SLOTS_TAG_ANY + COMMAND_DIGITS
                    : p->kind == MIX_DATA ? value
                                          : p->size;
        }
        n += word * (m->word[i].again ? (uint64_t)m->times : 1);
    }
    return n;
}

void commands_mix(struct commands *c, const struct mix *mix, const char *prefix, uint64_t first, uint64_t count)
{
    uint64_t value = c->largest;
    c->mix = mix;
    c->prefix = prefix;
    c->first = first;
    c->count = count;
    c->shared = 0; /* the pieces of other commands are not ready-made */
    for (int i = COMMANDS; i < mix->commands; i++) {
        uint64_t n = longest(c, &mix->command[i], value);
        if (n > c->largest) c->largest = n;
    }
}
