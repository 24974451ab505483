/* SPDX-License-Identifier: MIT */
/* The RESP scanner: the same events for any split of the replies, and refusal of invalid RESP. */
#include "resp.h"
#include "unit.h"

#include <string.h>

/* The result of a scan as text: one letter per event. */
struct seen {
    char events[256];
    char body[256];
    size_t events_len, body_len;
};

/* Scan text[0, n), with at most `step` bytes per call. */
static void scan(struct seen *s, const char *text, size_t n, size_t first, size_t step)
{
    struct resp r;
    memset(s, 0, sizeof *s);
    resp_reset(&r);
    for (size_t from = 0, part = first; from < n; from += part, part = step) {
        if (part > n - from) part = n - from;
        char copy[256]; /* exactly these bytes, so that the sanitizer detects a read beyond them */
        memcpy(copy, text + from, part);
        const char *at = copy, *end = copy + part;
        for (enum resp_event e; (e = resp_scan(&r, &at, end)) != RESP_MORE;) {
            if (e == RESP_BODY) {
                if (r.type == '$' && r.piece_at != s->body_len % 1000) s->events[s->events_len++] = '?';
                if (r.type != '$') continue;
                memcpy(s->body + s->body_len, r.piece, r.piece_len);
                s->body_len += r.piece_len;
            } else if (e == RESP_REPLY) {
                s->events[s->events_len++] = r.nil ? 'n' : r.type;
                s->body_len = 0;
                if (r.type == '-' || r.type == '+') {
                    memcpy(s->events + s->events_len, r.text, strlen(r.text));
                    s->events_len += strlen(r.text);
                }
            } else {
                s->events[s->events_len++] = 'B';
                return;
            }
        }
    }
    if (!resp_idle(&r)) s->events[s->events_len++] = '.';
}

/* The same events when split at any position, and byte by byte. */
static void expect(const char *text, size_t n, const char *events)
{
    struct seen s;
    for (size_t cut = 1; cut <= n; cut++) {
        scan(&s, text, n, cut, n);
        if (strcmp(s.events, events) != 0) printf("# cut at %zu: '%s'\n", cut, s.events);
        CHECK(!strcmp(s.events, events));
    }
    scan(&s, text, n, 1, 1);
    CHECK(!strcmp(s.events, events));
}

#define EXPECT(text, events) expect(text, sizeof(text) - 1, events)

static void replies_at_every_cut(void)
{
    EXPECT("+OK\r\n", "+OK");
    EXPECT("-ERR no such thing\r\n+OK\r\n", "-ERR no such thing+OK");
    EXPECT(":12\r\n$-1\r\n$0\r\n\r\n$5\r\nhe\r\no\r\n*-1\r\n", ":n$$n");
    EXPECT("*0\r\n*2\r\n$1\r\na\r\n*2\r\n:1\r\n$-1\r\n+x\r\n", "**+x");
}

static void resp3(void)
{
    EXPECT("_\r\n#t\r\n,1.5\r\n(123\r\n=6\r\ntxt:hi\r\n", "n#,(=");
    EXPECT("%1\r\n+a\r\n:1\r\n~2\r\n:1\r\n:2\r\n!5\r\nERR x\r\n", "%~!");
    EXPECT(">2\r\n+invalidate\r\n*1\r\n$1\r\nk\r\n$1\r\nv\r\n", "$");
    EXPECT("|1\r\n+ttl\r\n:3\r\n$1\r\nv\r\n", "$");
    EXPECT("*2\r\n|1\r\n+a\r\n+b\r\n:1\r\n:2\r\n+OK\r\n", "*+OK");
    EXPECT(">0\r\n|0\r\n+OK\r\n", "+OK");
}

static void bodies_come_whole(void)
{
    struct seen s;
    static const char text[] = "$11\r\nhello\r\nwrld\r\n";
    for (size_t cut = 1; cut < sizeof text - 3; cut++) {
        scan(&s, text, sizeof text - 3, cut, 1); /* without the end, so that the body is kept */
        CHECK_SAME(s.body_len, 11);
        CHECK(!memcmp(s.body, "hello\r\nwrld", 11));
    }
}

/* The content of a reply as text: each bulk string after its number, then the counts of items, nil items, bytes and faults. */
static void list(char out[512], const char *text, size_t n, size_t first, size_t step)
{
    struct resp r;
    size_t len = 0;
    resp_reset(&r);
    out[0] = 0;
    for (size_t from = 0, part = first; from < n; from += part, part = step) {
        if (part > n - from) part = n - from;
        char copy[512];
        memcpy(copy, text + from, part);
        const char *at = copy, *end = copy + part;
        for (enum resp_event e; (e = resp_scan(&r, &at, end)) != RESP_MORE && e != RESP_BAD;) {
            if (e == RESP_REPLY) {
                len += (size_t)snprintf(out + len, 512 - len, "(%d %d %d %d)", (int)r.items, (int)r.nils, (int)r.bytes, r.faults);
                continue;
            }
            if (!r.piece_at) len += (size_t)snprintf(out + len, 512 - len, "%d/%d:", (int)r.items, (int)r.item_len);
            memcpy(out + len, r.piece, r.piece_len);
            len += r.piece_len;
            out[len] = 0;
        }
    }
}

/* The same items when split at any position, and byte by byte. */
static void expect_items(const char *text, size_t n, const char *wanted)
{
    char got[512];
    for (size_t cut = 1; cut <= n; cut++) {
        list(got, text, n, cut, n);
        if (strcmp(got, wanted) != 0) printf("# cut at %zu: '%s'\n", cut, got);
        CHECK(!strcmp(got, wanted));
    }
    list(got, text, n, 1, 1);
    CHECK(!strcmp(got, wanted));
}

#define ITEMS(text, wanted) expect_items(text, sizeof(text) - 1, wanted)

static void items_are_handed_out(void)
{
    ITEMS("*3\r\n$2\r\nab\r\n$-1\r\n$3\r\ncde\r\n", "1/2:ab3/3:cde(3 1 5 0)");
    ITEMS("*0\r\n*-1\r\n$-1\r\n_\r\n$1\r\nx\r\n", "(0 0 0 0)(1 0 0 0)(1 0 0 0)(1 0 0 0)1/1:x(1 0 1 0)");
    ITEMS("%2\r\n$1\r\nf\r\n$2\r\nv1\r\n+g\r\n_\r\n", "1/1:f2/2:v1(4 1 3 0)");
    ITEMS("*2\r\n*2\r\n$1\r\na\r\n*1\r\n$1\r\nb\r\n~2\r\n:1\r\n$1\r\nc\r\n", "1/1:a2/1:b4/1:c(4 0 3 0)");
    ITEMS("*2\r\n*-1\r\n$0\r\n\r\n", "(2 1 0 0)");
    ITEMS("*2\r\n-ERR x\r\n$1\r\na\r\n", "2/1:a(2 0 1 1)");
    ITEMS(">2\r\n$1\r\nm\r\n$-1\r\n*1\r\n|1\r\n$1\r\nt\r\n:3\r\n$1\r\na\r\n", "1/1:a(1 0 1 0)"); /* pushes and attributes are not items */
    ITEMS("*1\r\n=6\r\ntxt:hi\r\n", "(1 0 6 0)");
}

static void no_resp_is_refused(void)
{
    EXPECT("x", "B");
    EXPECT("\r\n", "B");
    EXPECT("+OK\rx", "B");
    EXPECT("$3\r\nabcd", "B");
    EXPECT("$3\r\nabc\rx", "B");
    EXPECT("$x\r\n", "B");
    EXPECT("$\r\n", "B");
    EXPECT("$-2\r\n", "B");
    EXPECT("$--1\r\n", "B");
    EXPECT("$1-\r\n", "B");
    EXPECT("%-1\r\n", "B");
    EXPECT("$3\rx", "B");
    EXPECT("$99999999999999999999", "B");
    EXPECT("$9223372036854775807\r\n", "B");
    EXPECT("$4294967297\r\n", "B");
    EXPECT("*1048577\r\n", "B");
    EXPECT("*1048576\r\n*1048576\r\n", "B");
    EXPECT("$4294967296\r\n", ".");
}

static void long_lines_are_cut(void)
{
    char line[200] = "-";
    struct resp r;
    const char *at = line;
    memset(line + 1, 'e', 150);
    memcpy(line + 151, "\r\n", 2);
    resp_reset(&r);
    CHECK_SAME(resp_scan(&r, &at, line + 153), RESP_REPLY);
    CHECK_SAME(strlen(r.text), RESP_TEXT_MAX - 1);
}

int main(void)
{
    TEST("replies are found at every cut", replies_at_every_cut);
    TEST("RESP3 types, pushes and attributes", resp3);
    TEST("bodies are handed out whole and in order", bodies_come_whole);
    TEST("items of arrays, maps and sets are handed out and counted, at every cut", items_are_handed_out);
    TEST("what is no RESP is refused", no_resp_is_refused);
    TEST("error lines are kept up to a length", long_lines_are_cut);
    return UNIT_END;
}
