/* SPDX-License-Identifier: MIT */
/* The output of MONITOR as a trace: see trace_parse.h. A line contains the value, so it is read byte by byte and never kept whole. */
#include "trace_parse.h"

#include "number.h"
#include "plain.h"
#include "sizes.h"

#include <string.h>
#include <strings.h>

/* The arguments of a command: k key, v value, s or m its time to live in seconds or milliseconds, o options of SET. After *, they repeat. */
static const struct monitor_command {
    const char *name, *arguments;
    enum trace_op op;
} commands[] = {{"get", "k", TRACE_GET},         {"set", "kvo", TRACE_SET},    {"mget", "k*", TRACE_GET},      {"mset", "kv*", TRACE_SET},
                {"setex", "ksv", TRACE_SET},     {"psetex", "kmv", TRACE_SET}, {"setnx", "kv", TRACE_ADD},     {"getset", "kv", TRACE_SET},
                {"append", "kv", TRACE_REPLACE}, {"del", "k*", TRACE_DELETE},  {"unlink", "k*", TRACE_DELETE}, {"incr", "k", TRACE_INCR},
                {"incrby", "k", TRACE_INCR},     {"decr", "k", TRACE_DECR},    {"decrby", "k", TRACE_DECR}};

#define TTL_LIMIT      UINT64_C(4000000000) /* seconds; an expiry may be a time since 1970 */
#define COMMANDS_KNOWN (sizeof commands / sizeof *commands)

/* An argument: where its text is in the file, the bytes of the text, and its bytes when decoded. */
struct argument {
    uint64_t at, len, size;
};

static int next_byte(struct trace_parser *p)
{
    int c = getc_unlocked(p->file);
    p->at += c != EOF;
    return c;
}

/* Read the rest of a line. */
static void skip_line(struct trace_parser *p)
{
    for (int c = next_byte(p); c != '\n' && c != EOF;) c = next_byte(p);
    p->monitor.command = NULL;
}

static int hex_digit(int c)
{
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

/* Read the next argument, and keep the start of its text in text, with a NUL. Blanks or a comma are before it. Returns 1, 0 at the end of the line,
 * or -1 with one line in why. */
static int next_argument(struct trace_parser *p, char *text, size_t room, struct argument *a, char *why)
{
    int c = next_byte(p), escape = 0; /* bytes of an escape that are still to come */
    while (c == ' ' || c == ',' || c == '\r') c = next_byte(p);
    if (c == '\n' || c == EOF) {
        p->monitor.command = NULL;
        return 0;
    }
    if (c != '"') return trace_complain(p, why, "no quotes at the start of an argument; accepted: " TRACE_MONITOR_LINE);
    *a = (struct argument){.at = p->at};
    for (;;) {
        c = next_byte(p);
        if (c == '\n' || c == EOF) return trace_complain(p, why, "ends within an argument; remove the line");
        if (c == '"' && !escape) break;
        if (a->len + 1 < room) text[a->len] = (char)c;
        a->len++;
        if (!escape) {
            a->size++;
            escape = c == '\\';
        } else if (escape == 1 && c == 'x') {
            escape = 3;
        } else if (escape > 1) {
            if (!hex_digit(c)) return trace_complain(p, why, "an escape of other than two hexadecimal digits; remove the line");
            escape = escape == 3 ? 2 : 0;
        } else {
            escape = 0;
        }
    }
    text[a->len + 1 < room ? a->len : room - 1] = 0;
    return 1;
}

/* Read the database, the number after the bracket, up to the first argument of the line, whose quotes are left. All requests are of one database. */
static int read_database(struct trace_parser *p, char *why)
{
    char text[512];
    size_t n = 0;
    int c = next_byte(p);
    for (; c != '"' && c != '\n' && c != EOF; c = next_byte(p))
        if (n + 1 < sizeof text) text[n++] = (char)c;
    text[n] = 0;
    if (c != '"') return trace_complain(p, why, "no command; accepted: " TRACE_MONITOR_LINE);
    ungetc(c, p->file);
    p->at--;
    const char *bracket = strchr(text, '[');
    uint64_t database = 0;
    if (bracket && number_u64_n(bracket + 1, strcspn(bracket + 1, " ]"), 0, INT32_MAX, &database))
        return trace_complain(p, why, "database '%.*s': invalid; accepted: " TRACE_MONITOR_LINE, (int)strcspn(bracket + 1, " ]"), bracket + 1);
    if (!p->monitor.lines++) p->monitor.database = database;
    if (database != p->monitor.database)
        return trace_complain(p, why, "database %ju after %ju; filter the lines of one database: grep '\\[%ju '", (uintmax_t)database,
                              (uintmax_t)p->monitor.database, (uintmax_t)p->monitor.database);
    return 0;
}

/* Read the start of a line, up to the name of a known command. Lines of other commands are counted and skipped. Returns 1, 0 at the end of the
 * file, or -1 with one line in why. */
static int next_command(struct trace_parser *p, char *why)
{
    for (;;) {
        char text[32], name[32];
        size_t n = 0;
        struct argument a;
        p->line++;
        int c = next_byte(p);
        if (c == EOF) return 0;
        if (c == '+') c = next_byte(p); /* as the protocol has it */
        for (; c != ' ' && c != ',' && c != '\n' && c != '\r' && c != EOF && n + 1 < sizeof text; c = next_byte(p)) text[n++] = (char)c;
        text[n] = 0;
        if (!strcmp(text, "OK") && p->line == 1) {
            if (c != '\n') skip_line(p);
            continue;
        }
        if (trace_time(text, n, &p->monitor.us, &p->fraction))
            return trace_complain(p, why, "time '%s': invalid; accepted: " TRACE_MONITOR_LINE, text);
        if (c == '\n' || c == EOF) return trace_complain(p, why, "no command; accepted: " TRACE_MONITOR_LINE);
        if (read_database(p, why) || next_argument(p, name, sizeof name, &a, why) < 0) return -1;
        for (size_t i = 0; i < COMMANDS_KNOWN && !p->monitor.command; i++)
            if (!strcasecmp(commands[i].name, name)) p->monitor.command = &commands[i];
        if (p->monitor.command) return 1;
        plain_text(name);
        if (!p->left_out++) snprintf(p->left_name, sizeof p->left_name, "%s", name);
        skip_line(p);
    }
}

/* Parse a time to live in units of 1 / `parts` second, rounded up to seconds. */
static int read_ttl(struct trace_parser *p, const char *text, uint64_t parts, uint64_t *ttl, char *why)
{
    uint64_t n;
    if (number_u64_n(text, strlen(text), 1, TTL_LIMIT * parts, &n))
        return trace_complain(p, why, "time to live '%.20s': invalid; accepted: a whole number from 1 to %ju", text, (uintmax_t)(TTL_LIMIT * parts));
    *ttl = (n + parts - 1) / parts;
    return 0;
}

/* Read the options of SET. Those that a replay does not need are ignored. */
static int read_options(struct trace_parser *p, struct trace_row *row, char *why)
{
    char text[32];
    struct argument a;
    int more;
    while ((more = next_argument(p, text, sizeof text, &a, why)) > 0) {
        const int until = !strcasecmp(text, "exat") || !strcasecmp(text, "pxat");
        const uint64_t parts = !strncasecmp(text, "ex", 2) ? 1 : !strncasecmp(text, "px", 2) ? 1000 : 0;
        if (!strcasecmp(text, "nx")) row->op = TRACE_ADD;
        if (!strcasecmp(text, "xx")) row->op = TRACE_REPLACE;
        if (!parts || (text[2] && !until)) continue;
        more = next_argument(p, text, sizeof text, &a, why);
        if (!more) return trace_complain(p, why, "no time to live after its option; remove the line");
        if (more < 0 || read_ttl(p, text, parts, &row->ttl, why)) return -1;
        if (until) row->ttl = row->ttl > row->us / 1000000 ? row->ttl - row->us / 1000000 : 1;
    }
    return more;
}

/* Read one argument of a command into the row. Returns 0, or -1 with one line in why. */
static int read_argument(struct trace_parser *p, char kind, const struct argument *a, const char *text, struct trace_row *row, char *why)
{
    switch (kind) {
    case 'k':
        if (!a->size || a->size > TRACE_KEY_MAX)
            return trace_complain(p, why, "key of %ju bytes: invalid; accepted: 1 to %d bytes", (uintmax_t)a->size, TRACE_KEY_MAX);
        row->key = p->text;
        row->key_at = a->at;
        row->key_len = a->len;
        row->key_size = a->size;
        return 0;
    case 'v':
        row->size = a->size;
        if (a->size > SIZES_LIMIT)
            return trace_complain(p, why, "value of %ju bytes: invalid; accepted: at most %ju", (uintmax_t)a->size, (uintmax_t)SIZES_LIMIT);
        return 0;
    default:
        return read_ttl(p, text, kind == 'm' ? 1000 : 1, &row->ttl, why);
    }
}

int trace_monitor_next(struct trace_parser *p, struct trace_row *row, char why[TRACE_WHY])
{
    char other[32];
    for (;;) {
        const int first = !p->monitor.command;
        if (first) {
            int found = next_command(p, why);
            if (found <= 0) return found < 0 ? -1 : ferror(p->file) ? trace_complain(p, why, "cannot be read") : 0;
        }
        const struct monitor_command *m = p->monitor.command;
        const char *kind = m->arguments;
        row->us = p->monitor.us;
        row->op = m->op;
        for (; *kind && *kind != '*'; kind++) {
            struct argument a;
            const int key = *kind == 'k';
            if (*kind == 'o') {
                if (read_options(p, row, why)) return -1;
                return 1;
            }
            int more = next_argument(p, key ? p->text : other, key ? sizeof p->text : sizeof other, &a, why);
            if (more < 0 || (more && read_argument(p, *kind, &a, other, row, why))) return -1;
            if (more) continue;
            if (first || kind > m->arguments) return trace_complain(p, why, "too few arguments of '%s'; remove the line", m->name);
            break; /* the end of a list */
        }
        if (!p->monitor.command) continue;
        if (!*kind) skip_line(p);
        return 1;
    }
}
