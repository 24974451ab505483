/* SPDX-License-Identifier: MIT */
/* Parsers of trace formats: see trace_parse.h. */
#include "trace_parse.h"

#include "number.h"
#include "sizes.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#define ORACLE_BYTES 24
#define SNIFFED      4096

static const struct {
    const char *name;
    enum trace_op op;
} operations[] = {{"get", TRACE_GET},       {"gets", TRACE_GET},        {"set", TRACE_SET},        {"cas", TRACE_SET},
                  {"add", TRACE_ADD},       {"replace", TRACE_REPLACE}, {"append", TRACE_REPLACE}, {"prepend", TRACE_REPLACE},
                  {"delete", TRACE_DELETE}, {"incr", TRACE_INCR},       {"decr", TRACE_DECR}};

#define OPERATIONS (sizeof operations / sizeof *operations)

/* A record of libCacheSim's oracleGeneral: 32 bits of seconds, 64 of the object id, 32 of its size, 64 of its next access, which is ignored. Every
 * record is a GET. */
static int next_oracle(struct trace_parser *p, struct trace_row *row, char *why)
{
    unsigned char bytes[ORACLE_BYTES];
    uint32_t seconds, size;
    p->line++;
    if (fread(bytes, 1, sizeof bytes, p->file) != sizeof bytes) return ferror(p->file) ? trace_complain(p, why, "%s", strerror(errno)) : 0;
    memcpy(&seconds, bytes, 4);
    memcpy(&row->key_at, bytes + 4, 8);
    memcpy(&size, bytes + 12, 4);
    if (size > SIZES_LIMIT) return trace_complain(p, why, "size %u: invalid; accepted: at most %ju", size, (uintmax_t)SIZES_LIMIT);
    row->us = seconds * UINT64_C(1000000);
    row->op = TRACE_GET;
    row->size = size;
    row->key_size = number_digits(row->key_at);
    return 1;
}

/* Read one line into text, without its line end. Returns its length, 0 at the end of the file, or -1 with one line in why. */
static int next_line(struct trace_parser *p, char *why)
{
    do {
        p->line++;
        p->begin = p->at;
        if (!fgets(p->text, sizeof p->text, p->file)) return ferror(p->file) ? trace_complain(p, why, "%s", strerror(errno)) : 0;
        size_t n = strlen(p->text);
        p->at += n;
        if (!n || (p->text[n - 1] != '\n' && !feof(p->file)))
            return n + 1 < sizeof p->text ? trace_complain(p, why, "not text; remove the line")
                                          : trace_complain(p, why, "too long; accepted: at most %zu bytes", sizeof p->text - 2);
        p->text[strcspn(p->text, "\r\n")] = 0;
        if (!p->text[0]) return trace_complain(p, why, "empty; remove the line");
    } while (p->line == 1 && !strncmp(p->text, "timestamp,", 10));
    return (int)strlen(p->text);
}

static int find_operation(const char *text, size_t n, enum trace_op *op)
{
    for (size_t i = 0; i < OPERATIONS; i++)
        if (strlen(operations[i].name) == n && !memcmp(operations[i].name, text, n)) {
            *op = operations[i].op;
            return 0;
        }
    return -1;
}

/* Parse timestamp,key,key_size,value_size,client,op,TTL. A key may contain commas, so the fields after it are split from the end of the line. */
static int next_csv(struct trace_parser *p, struct trace_row *row, char *why)
{
    enum { TTL, OPERATION, CLIENT, VALUE, KEY, FIELDS };
    static const char *const number_names[FIELDS] = {[TTL] = "TTL", [VALUE] = "value_size", [KEY] = "key_size"};
    static const uint64_t number_most[FIELDS] = {[TTL] = TRACE_TTL_MAX, [VALUE] = SIZES_LIMIT, [KEY] = TRACE_KEY_MAX};
    const char *field[FIELDS];
    uint64_t number[FIELDS] = {0};
    size_t size[FIELDS];
    int length = next_line(p, why);
    if (length <= 0) return length;
    const char *line = p->text, *end = line + length, *comma = memchr(line, ',', (size_t)(end - line));
    const char *rest = end;
    for (int i = 0; i < FIELDS; i++) {
        const char *before = comma && rest > comma ? memrchr(comma, ',', (size_t)(rest - comma)) : NULL;
        if (!before || before == comma) return trace_complain(p, why, "invalid; accepted: timestamp,key,key_size,value_size,client,op,TTL");
        field[i] = before + 1;
        size[i] = (size_t)(rest - field[i]);
        rest = before;
    }
    if (trace_time(line, (size_t)(comma - line), &row->us, &p->fraction))
        return trace_complain(p, why, "timestamp '%.*s': invalid; accepted: seconds, such as 12 or 12.5", (int)(comma - line), line);
    for (int i = 0; i < FIELDS; i++)
        if (number_names[i] && number_u64_n(field[i], size[i], 0, number_most[i], &number[i]))
            return trace_complain(p, why, "%s '%.*s': invalid; accepted: a whole number from 0 to %ju", number_names[i], (int)size[i], field[i],
                                  (uintmax_t)number_most[i]);
    if (find_operation(field[OPERATION], size[OPERATION], &row->op))
        return trace_complain(p, why, "op '%.*s': unknown; accepted: get gets set add replace cas append prepend delete incr decr",
                              (int)size[OPERATION], field[OPERATION]);
    row->key = comma + 1;
    row->key_len = (uint64_t)(rest - row->key);
    row->key_at = p->begin + (uint64_t)(row->key - line);
    if (!row->key_len || row->key_len > TRACE_KEY_MAX)
        return trace_complain(p, why, "key of %ju bytes: invalid; accepted: 1 to %d bytes", (uintmax_t)row->key_len, TRACE_KEY_MAX);
    row->key_size = number[KEY] > row->key_len ? number[KEY] : row->key_len;
    row->size = number[VALUE];
    row->ttl = number[TTL];
    return 1;
}

/* Whether the first n bytes are no text. */
static int binary(const char *text, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if ((unsigned char)text[i] < ' ' && !memchr("\t\r\n", text[i], 3)) return 1;
    return 0;
}

/* Whether text starts as the output of MONITOR does: OK, or a time and a blank, or a line that ends in quotes, with any separator. */
static int monitored(const char *text, size_t n)
{
    const char *lf = memchr(text, '\n', n);
    size_t line = lf ? (size_t)(lf - text) : n, at = *text == '+';
    if (line && text[line - 1] == '\r') line--;
    if (line == at + 2 && !memcmp(text + at, "OK", 2)) return 1;
    while (at < line && memchr("0123456789.", text[at], 11)) at++;
    return at < line && (text[at] == ' ' || text[line - 1] == '"');
}

static int any(const char *text, size_t n)
{
    return text && n;
}

/* The formats: the first that fits the start of a file is taken. */
static const struct {
    int (*fits)(const char *text, size_t n);
    int (*next)(struct trace_parser *p, struct trace_row *row, char *why);
} formats[] = {{binary, next_oracle}, {monitored, trace_monitor_next}, {any, next_csv}};

int trace_parser_open(struct trace_parser *p, const char *path, char why[TRACE_WHY])
{
    struct stat st;
    memset(p, 0, sizeof *p);
    p->path = path;
    p->file = fopen(path, "re");
    if (!p->file || fstat(fileno(p->file), &st)) {
        snprintf(why, TRACE_WHY, "%s: %s", path, strerror(errno));
        trace_parser_close(p);
        return -1;
    }
    p->bytes = (uint64_t)st.st_size;
    size_t n = S_ISREG(st.st_mode) ? fread(p->text, 1, SNIFFED, p->file) : 0;
    for (size_t i = 0; n && !p->next; i++)
        if (formats[i].fits(p->text, n)) p->next = formats[i].next;
    p->binary = p->next == next_oracle;
    rewind(p->file);
    if (!S_ISREG(st.st_mode))
        snprintf(why, TRACE_WHY, "%s: not a regular file; give a file", path);
    else if (!n)
        snprintf(why, TRACE_WHY, "%s: empty; a trace has at least one request", path);
    else if (p->binary && p->bytes % ORACLE_BYTES)
        snprintf(why, TRACE_WHY, "%s: %ju bytes are no whole number of records; accepted: lines of text, or records of %d bytes (oracleGeneral)",
                 path, (uintmax_t)p->bytes, ORACLE_BYTES);
    else
        return 0;
    trace_parser_close(p);
    return -1;
}

void trace_parser_close(struct trace_parser *p)
{
    if (p->file) fclose(p->file);
    p->file = NULL;
}

int trace_parser_next(struct trace_parser *p, struct trace_row *row, char why[TRACE_WHY])
{
    memset(row, 0, sizeof *row);
    return p->next(p, row, why);
}
