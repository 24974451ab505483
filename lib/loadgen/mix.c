/* SPDX-License-Identifier: MIT */
/* Mixes of commands: see mix.h. */
#include "mix.h"

#include "number.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#define TIMES_DEFAULT 10

/* A command: its words; a group in brackets is sent N times, and # is the number of a field, member or time. What populate fills its keys with is
 * another line, found by `fill`. */
static const struct known {
    const char *name, *words;
    char type;
    uint8_t reply, stride, skip;
    uint8_t counted; /* NAME-N is accepted */
    uint8_t keys, drawn, removes, ends;
    const char *next, *fill;
} table[] = {
    {.name = "mget", .words = "MGET [ __key__ ]", .type = 's', .reply = MIX_ITEMS, .stride = 1, .counted = 1, .keys = 1},
    {.name = "mset", .words = "MSET [ __key__ __data__ ]", .type = 's', .reply = MIX_OK, .counted = 1, .keys = 1},
    {.name = "del", .words = "DEL __key__", .type = 's', .reply = MIX_INTEGER, .removes = 1},
    {.name = "rmw", .words = "GET __key__", .type = 's', .reply = MIX_VALUE, .next = "rmw write"},
    {.name = "incr", .words = "INCR __key__", .type = 'i', .reply = MIX_INTEGER, .fill = "incr"},
    {.name = "hset", .words = "HSET __key__ f# __data__", .type = 'h', .reply = MIX_INTEGER, .counted = 1, .drawn = 1, .fill = "hash"},
    {.name = "hget", .words = "HGET __key__ f#", .type = 'h', .reply = MIX_VALUE, .counted = 1, .drawn = 1, .fill = "hash"},
    {.name = "hgetall", .words = "HGETALL __key__", .type = 'h', .reply = MIX_ITEMS, .stride = 2, .counted = 1, .fill = "hash"},
    {.name = "lpush", .words = "LPUSH __key__ __data__", .type = 'l', .reply = MIX_INTEGER, .fill = "list"},
    {.name = "lpop", .words = "LPOP __key__", .type = 'l', .reply = MIX_VALUE, .removes = 1, .fill = "list"},
    {.name = "lrange", .words = "LRANGE __key__ 0 __last__", .type = 'l', .reply = MIX_ITEMS, .stride = 1, .counted = 1, .fill = "list"},
    {.name = "zadd", .words = "ZADD __key__ # #__data__", .type = 'z', .reply = MIX_INTEGER, .counted = 1, .drawn = 1, .fill = "zset"},
    {.name = "zrange",
     .words = "ZRANGE __key__ 0 __last__",
     .type = 'z',
     .reply = MIX_ITEMS,
     .stride = 1,
     .skip = MIX_INDEX,
     .counted = 1,
     .fill = "zset"},
    {.name = "xadd", .words = "XADD __key__ MAXLEN __times__ * f __data__", .type = 'x', .reply = MIX_ANY, .counted = 1, .fill = "xadd"},
    /* not by name: the second part of a command above, and what populate sends */
    {.name = "rmw write", .words = "SET __key__ __data__", .type = 's', .reply = MIX_OK, .ends = 1},
    {.name = "hash", .words = "HSET __key__ [ f# __data__ ]", .type = 'h', .reply = MIX_INTEGER},
    {.name = "list", .words = "RPUSH __key__ [ __data__ ]", .type = 'l', .reply = MIX_INTEGER},
    {.name = "zset", .words = "ZADD __key__ [ # #__data__ ]", .type = 'z', .reply = MIX_INTEGER},
};

#define TABLE (sizeof table / sizeof *table)

static int fail(char *why, const char *format, ...) __attribute__((format(printf, 2, 3)));

static int fail(char *why, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(why, MIX_WHY, format, args);
    va_end(args);
    return -1;
}

static const struct known *known_find(const char *name, size_t n)
{
    for (size_t i = 0; i < TABLE; i++)
        if (strlen(table[i].name) == n && !strncmp(table[i].name, name, n)) return &table[i];
    return NULL;
}

void mix_names(char *out, size_t n)
{
    size_t at = (size_t)snprintf(out, n, "get set");
    for (size_t i = 0; i < TABLE && strcmp(table[i].name, "rmw write") != 0 && at < n; i++)
        at += (size_t)snprintf(out + at, n - at, " %s", table[i].name);
}

static int piece_add(struct mix_word *w, enum mix_kind kind, const char *text, size_t size)
{
    if (kind == MIX_LITERAL && !size) return 0;
    if (w->pieces == MIX_PIECES) return -1;
    w->piece[w->pieces++] = (struct mix_piece){kind, text, kind == MIX_NUMBER ? MIX_INDEX : (uint32_t)size};
    return 0;
}

/* Keep text as long as the mix exists. Returns it, or NULL if there is no more space. */
static const char *text_keep(struct mix *m, const char *text, size_t n)
{
    if (n > sizeof m->text - m->text_len) return NULL;
    memcpy(m->text + m->text_len, text, n);
    m->text_len += n;
    return m->text + m->text_len - n;
}

/* Placeholders in a word, longest first. */
static const struct {
    const char *text;
    enum mix_kind kind;
} marks[] = {{"__data__", MIX_DATA}, {"__key__", MIX_KEY}, {"#", MIX_NUMBER}};

/* Read a word of n bytes. `own`: a word of the user's, in which # is itself. Returns 0, or -1. */
static int word_parse(struct mix *m, struct mix_command *c, const char *text, size_t n, int own)
{
    struct mix_word *w = &c->word[c->words];
    const char *from = text, *end = text + n;
    for (const char *at = text; at <= end; at++) {
        size_t mark = 0, size = 0;
        for (; at < end && mark < (own ? 2 : 3); mark++) {
            size = strlen(marks[mark].text);
            if ((size_t)(end - at) >= size && !strncmp(at, marks[mark].text, size)) break;
        }
        int marked = at < end && mark < (own ? 2U : 3U);
        if (!marked && at < end) continue;
        const char *kept = at > from ? text_keep(m, from, (size_t)(at - from)) : text;
        if (!kept || piece_add(w, MIX_LITERAL, kept, (size_t)(at - from))) return -1;
        if (!marked) break;
        if (piece_add(w, marks[mark].kind, NULL, 0)) return -1;
        c->data |= marks[mark].kind == MIX_DATA;
        at += size - 1;
        from = at + 1;
    }
    c->words++;
    return 0;
}

/* Read words separated by blanks. Returns 0, or -1. */
static int words_parse(struct mix *m, struct mix_command *c, const char *words, size_t n, int own)
{
    const char *end = words + n;
    int again = 0;
    while (words < end) {
        size_t size = 0;
        if (*words == ' ') {
            words++;
            continue;
        }
        while (words + size < end && words[size] != ' ') size++;
        char number[16];
        const char *word = words;
        size_t length = size;
        words += size;
        if (!own && size == 1 && (*word == '[' || *word == ']')) {
            again = *word == '[';
            continue;
        }
        if (!own && size == 9 && !strncmp(word, "__times__", 9)) length = (size_t)snprintf(number, sizeof number, "%d", c->times), word = number;
        if (!own && size == 8 && !strncmp(word, "__last__", 8)) length = (size_t)snprintf(number, sizeof number, "%d", c->times - 1), word = number;
        if (c->words == MIX_WORDS) return -1;
        c->word[c->words].again = (uint8_t)again;
        c->grouped |= (uint8_t)again;
        if (word_parse(m, c, word, length, own)) return -1;
    }
    return 0;
}

/* GET and SET come first. */
static void plain_begin(struct mix *m)
{
    if (m->commands) return;
    m->commands = 2;
    m->command[0] = (struct mix_command){.name = "get", .type = 's', .times = 1, .reply = MIX_VALUE, .entry = -1};
    m->command[1] = (struct mix_command){.name = "set", .type = 's', .times = 1, .reply = MIX_OK, .data = 1, .entry = -1};
}

/* Begin a command. Returns it, or NULL when there are too many. */
static struct mix_command *command_begin(struct mix *m, const char *name, size_t n, int entry)
{
    plain_begin(m);
    if (m->commands == MIX_COMMANDS) return NULL;
    struct mix_command *c = &m->command[m->commands++];
    memset(c, 0, sizeof *c);
    snprintf(c->name, sizeof c->name, "%.*s", (int)n, name);
    c->entry = entry;
    c->times = 1;
    return c;
}

/* Make a command of the table. Returns its index, or -1. */
static int known_make(struct mix *m, const struct known *k, const char *name, size_t n, int times, int entry)
{
    struct mix_command *c = command_begin(m, name, n, entry);
    if (!c) return -1;
    c->times = times;
    c->type = k->type;
    c->reply = k->reply;
    c->stride = k->stride;
    c->skip = k->skip;
    c->keys = k->keys;
    c->ends = k->ends;
    if (k->drawn) c->numbers = (uint32_t)times;
    m->removes |= k->removes;
    m->typed |= k->type != 's';
    m->groups |= k->keys;
    return words_parse(m, c, k->words, strlen(k->words), 0) ? -1 : m->commands - 1;
}

/* An entry of this weight begins at a command. */
static void entry_add(struct mix *m, int command, uint64_t weight)
{
    m->entry[m->entries++] = command;
    m->command[command].weight = weight;
    m->weights += weight;
}

/* Whether an entry has a name. */
static int entry_has(const struct mix *m, const char *name)
{
    for (int i = 0; i < m->entries; i++)
        if (!strcmp(m->command[m->entry[i]].name, name)) return 1;
    return 0;
}

static int named_add(struct mix *m, const char *item, size_t n, uint64_t weight, char *why)
{
    char name[MIX_NAME];
    size_t word = strcspn(item, "-");
    uint64_t times = TIMES_DEFAULT;
    if (word > n) word = n;
    const struct known *k = known_find(item, word);
    int plain = n == 3 && !strncmp(item, "get", 3) ? 0 : n == 3 && !strncmp(item, "set", 3) ? 1 : -1;
    snprintf(name, sizeof name, "%.*s", (int)n, item);
    if (entry_has(m, name)) return fail(why, "'%s': repeated; give each command once", name);
    if (plain >= 0) {
        plain_begin(m);
        m->command[plain].entry = m->entries;
        entry_add(m, plain, weight);
        return 0;
    }
    if (!k || k >= known_find("rmw write", 9)) {
        char names[MIX_WHY];
        mix_names(names, sizeof names);
        return fail(why, "'%s': unknown; accepted: %s, or a command with __key__", name, names);
    }
    if (word < n && (!k->counted || number_u64_n(item + word + 1, n - word - 1, 1, MIX_TIMES_MAX, &times)))
        return fail(why, k->counted ? "'%s': invalid; accepted: %s-N with N from 1 to 256" : "'%s': takes no number; accepted: %s", name, k->name);
    int entry = m->entries, command = known_make(m, k, name, n, (int)times, entry);
    if (command < 0) return fail(why, "'%s': too many commands; leave some out", name);
    if (k->next) {
        const struct known *then = known_find(k->next, strlen(k->next));
        int next = known_make(m, then, then->name, strlen(then->name), 1, entry);
        if (next < 0) return fail(why, "'%s': too many commands; leave some out", name);
        m->command[command].next = next;
    }
    entry_add(m, command, weight);
    return 0;
}

int mix_add(struct mix *m, const char *words, uint64_t weight, char why[MIX_WHY])
{
    static const char *const never[] = {"subscribe", "psubscribe", "ssubscribe", "monitor", "multi", "watch", "flushall", "flushdb", "shutdown"};
    const char *verb = words + strspn(words, " ");
    char name[MIX_NAME];
    size_t n = strcspn(verb, " ");
    if (m->entries == MIX_ENTRIES) return fail(why, "too many commands; accepted: at most %d", MIX_ENTRIES);
    if (n > MIX_NAME - 6 || !n) return fail(why, "'%.100s': does not begin with a command; accepted: COMMAND __key__ ...", words);
    for (size_t i = 0; i < n; i++)
        if (!isalnum((unsigned char)verb[i]) && verb[i] != '.')
            return fail(why, "'%.100s': does not begin with a command; accepted: COMMAND __key__ ...", words);
    if (!strstr(verb + n, "__key__")) return fail(why, "'%.100s': __key__ is missing; add it after the command", words);
    for (size_t i = 0; i < sizeof never / sizeof *never; i++)
        if (strlen(never[i]) == n && !strncasecmp(verb, never[i], n)) return fail(why, "'%s': not supported as load; use another command", never[i]);
    for (size_t i = 0; i < n; i++) name[i] = (char)tolower((unsigned char)verb[i]);
    name[n] = 0;
    for (int i = 2; entry_has(m, name); i++) snprintf(name + n, sizeof name - n, "-%d", i);
    struct mix_command *c = command_begin(m, name, strlen(name), m->entries);
    if (!c || words_parse(m, c, verb, strlen(verb), 1))
        return fail(why, "'%.100s': too long; accepted: at most %d words, with %d parts each", words, MIX_WORDS, MIX_PIECES);
    c->type = 's';
    c->reply = MIX_ANY;
    c->unknown = 1;
    m->removes = 1;
    entry_add(m, m->commands - 1, weight);
    return 0;
}

int mix_parse(struct mix *m, const char *list, char why[MIX_WHY])
{
    for (;;) {
        char item[MIX_ITEM];
        size_t n = strcspn(list, ","), end = n;
        uint64_t weight = 1;
        if (m->entries == MIX_ENTRIES) return fail(why, "too many commands; accepted: at most %d", MIX_ENTRIES);
        if (n >= sizeof item) return fail(why, "'%.60s...': too long; accepted: at most %zu bytes", list, sizeof item - 1);
        while (end > 0 && list[end - 1] != ':') end--;
        if (end && !number_u64_n(list + end, n - end, 1, 1000000, &weight))
            end--;
        else if (!end || memchr(list, ' ', n))
            end = n;
        else
            return fail(why, "'%.*s': invalid weight; accepted: a whole number from 1 to 1000000", (int)(n < 100 ? n : 100), list);
        snprintf(item, sizeof item, "%.*s", (int)end, list);
        if (strstr(item, "__key__") || strchr(item, ' ') ? mix_add(m, item, weight, why) : named_add(m, item, end, weight, why)) return -1;
        if (!list[n]) return 0;
        list += n + 1;
    }
}

/* The max number of items of a type, which is what populate makes. */
static int times_of(const struct mix *m, char type)
{
    int most = 1;
    for (int i = 0; i < m->entries; i++) {
        const struct mix_command *c = &m->command[m->entry[i]];
        if (c->type == type && c->times > most) most = c->times;
    }
    return most;
}

int mix_finish(struct mix *m, char why[MIX_WHY])
{
    char seen[8] = "";
    int entries = m->entries;
    for (int i = 0; i < entries; i++) {
        char type = m->command[m->entry[i]].type;
        if (strchr(seen, type)) continue;
        seen[strlen(seen)] = type;
        if (type == 's') {
            m->fill[m->fills++] = 1; /* SET */
            continue;
        }
        const struct known *k = NULL;
        for (size_t j = 0; j < TABLE && !k; j++)
            if (table[j].type == type && table[j].fill) k = known_find(table[j].fill, strlen(table[j].fill));
        int fill = k ? known_make(m, k, k->name, strlen(k->name), times_of(m, type), -1) : -1;
        if (fill < 0) return fail(why, "too many commands; leave some out");
        m->fill[m->fills++] = fill;
    }
    return 0;
}

int mix_strings(const struct mix *m)
{
    int found = !m->typed;
    for (int i = 0; i < m->fills; i++) found |= m->fill[i] == 1; /* SET */
    return found;
}
