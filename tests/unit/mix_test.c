/* SPDX-License-Identifier: MIT */
/* Mixes of commands: accepted specifications, the form of each command, identical pieces, and the meaning of replies. */
#include "clock.h"
#include "conn.h"
#include "receive.h"
#include "source.h"
#include "unit.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

static char why[MIX_WHY];

static int parse(struct mix *m, const char *list)
{
    memset(m, 0, sizeof *m);
    why[0] = 0;
    return mix_parse(m, list, why) || mix_finish(m, why);
}

static void lists_are_read(void)
{
    static struct mix m;
    CHECK_SAME(parse(&m, "get:80,set:15,hgetall-3:5"), 0);
    CHECK_SAME(m.entries, 3);
    CHECK_SAME(m.weights, 100);
    CHECK(!strcmp(m.command[m.entry[2]].name, "hgetall-3") && m.command[m.entry[2]].weight == 5);
    CHECK_SAME(m.fills, 2);
    CHECK_SAME(m.fill[0], 1);
    CHECK(!strcmp(m.command[m.fill[1]].name, "hash") && m.command[m.fill[1]].times == 3);
    CHECK(m.typed && !m.groups && !m.removes);
    CHECK_SAME(parse(&m, "rmw,del,mget-2:3"), 0);
    CHECK_SAME(m.weights, 5);
    CHECK(!m.typed && m.groups && m.removes && m.fills == 1 && m.fill[0] == 1);
    CHECK_SAME(m.command[m.command[m.entry[0]].next].entry, 0);
    CHECK_SAME(parse(&m, "GETRANGE __key__ 0 4:2,getrange __key__ 5 9"), 0);
    CHECK(!strcmp(m.command[m.entry[0]].name, "getrange") && !strcmp(m.command[m.entry[1]].name, "getrange-2"));
    CHECK_SAME(m.weights, 3);
    CHECK_SAME(parse(&m, "hset-2,hget-7,hgetall-5"), 0);
    CHECK_SAME(m.command[m.fill[0]].times, 7);
    CHECK_SAME(parse(&m, "get,set,mget,mset,del,rmw,incr,hset,hget,hgetall,lpush,lpop,lrange,zadd,zrange,xadd"), 0);
    /* As many commands as a mix has, each as long as it may be. */
    char full[MIX_ENTRIES * MIX_ITEM] = "";
    for (int i = 0; i < MIX_ENTRIES; i++)
        snprintf(full + strlen(full), sizeof full - strlen(full), "%sGET __key__ %0*d", i ? "," : "", MIX_ITEM - 13, i);
    CHECK_SAME(parse(&m, full), 0);
}

/* Parse a command into words. Returns their number, or -1 if it is not RESP of n bytes. */
static int words_of(const char *text, size_t n, char word[][64], int most)
{
    const char *end = text + n;
    char *after;
    int words = text[0] == '*' ? (int)strtol(text + 1, &after, 10) : -1;
    if (words < 1 || words > most || strncmp(after, "\r\n", 2) != 0) return -1;
    text = after + 2;
    for (int i = 0; i < words; i++) {
        if (text >= end || *text != '$') return -1;
        long size = strtol(text + 1, &after, 10);
        if (size < 0 || size > 60 || after + 2 + size + 2 > end) return -1;
        memcpy(word[i], after + 2, (size_t)size);
        word[i][size] = 0;
        text = after + 2 + size;
        if (strncmp(text, "\r\n", 2) != 0) return -1;
        text += 2;
    }
    return text == end ? words : -1;
}

/* Each command has these words, and any piece of it has the same bytes; V is the value of its key, W the value of the next key. */
static void commands_have_their_words(void)
{
    static const struct {
        const char *item, *words;
        uint64_t key;
        unsigned number;
        int populate;
    } cases[] = {{"mget-3", "MGET p:41 p:42 p:43", 41, 0, 0},
                 {"mget-3", "MGET p:98 p:99 p:0", 98, 0, 0},
                 {"mset-2", "MSET p:41 V p:42 W", 41, 0, 0},
                 {"del", "DEL p:41", 41, 0, 0},
                 {"rmw", "GET p:41", 41, 0, 0},
                 {"incr", "INCR i:p:41", 41, 0, 0},
                 {"hset-5", "HSET h:p:41 f0003 V", 41, 3, 0},
                 {"hset-2", "HSET h:p:41 f0000 V f0001 V", 41, 0, 1},
                 {"hget", "HGET h:p:41 f0009", 41, 9, 0},
                 {"hgetall", "HGETALL h:p:41", 41, 0, 0},
                 {"lpush", "LPUSH l:p:41 V", 41, 0, 0},
                 {"lrange-7", "LRANGE l:p:41 0 6", 41, 0, 0},
                 {"lrange-2", "RPUSH l:p:41 V V", 41, 0, 1},
                 {"zadd-256", "ZADD z:p:41 0255 0255V", 41, 255, 0},
                 {"zrange-2", "ZADD z:p:41 0000 0000V 0001 0001V", 41, 0, 1},
                 {"xadd-4", "XADD x:p:41 MAXLEN 4 * f V", 41, 0, 0},
                 {"SETRANGE a__key__b 5 x__data__y", "SETRANGE ap:41b 5 xVy", 41, 0, 0}};
    static struct mix m;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct values v = {0};
        struct values_spec spec = {.kind = VALUES_RANDOM, .seed = 1};
        struct commands c;
        char got[2048], part[2048], word[16][64], text[512] = "", *at;
        sizes_parse(&spec.sizes, "5-9");
        CHECK_SAME(parse(&m, cases[i].item), 0);
        CHECK(!values_init(&v, &spec) && !commands_init(&c, "p:", &v, NULL, 3));
        if (unit_bad) return;
        commands_mix(&c, &m, "p:", 0, 100);
        int command = cases[i].populate ? m.fill[0] : m.entry[0];
        uint64_t tagged = COMMAND_TAG(command, cases[i].key | (uint64_t)cases[i].number << COMMAND_NUMBER_SHIFT);
        size_t n = (size_t)(command_encode(&c, tagged, got) - got);
        CHECK_SAME(command_size(&c, tagged), n);
        CHECK(n <= c.largest);
        int words = words_of(got, n, word, 16);
        CHECK(words > 0);
        for (int j = 0; j < words; j++) { /* values as their letters */
            char value[2][16];
            for (uint64_t k = 0; k < 2; k++) {
                uint64_t key = command_key_at(&c, cases[i].key, k), length = values_length(&v, key);
                values_fill(&v, key, 3, 0, value[k], length);
                value[k][length] = 0;
                if ((at = strstr(word[j], value[k])) != NULL) {
                    char rest[64];
                    snprintf(rest, sizeof rest, "%s", at + length);
                    snprintf(at, (size_t)(64 - (at - word[j])), "%c%s", k ? 'W' : 'V', rest);
                }
            }
            snprintf(text + strlen(text), sizeof text - strlen(text), "%s%.63s", j ? " " : "", word[j]);
        }
        if (strcmp(text, cases[i].words) != 0) printf("# %s: '%s'\n", cases[i].item, text);
        CHECK(!strcmp(text, cases[i].words));
        for (uint64_t from = 0; from < n; from++)
            for (size_t size = 1; size <= n - from; size += 3) {
                CHECK_SAME(command_encode_part(&c, tagged, from, part, size), size);
                CHECK(!memcmp(part, got + from, size));
            }
        commands_free(&c);
        values_free(&v);
    }
}

static struct options o;
static struct links links;
static struct values values;
static struct plan plan;
static struct worker w;
static struct conn *c;
static int peer;

/* Make a worker with one connection to `peer` that sends key 0 with a mix, and send its first batch. */
static void begin(const char *commands, const char *more)
{
    static char copy[512];
    char *word[32] = {"test", "--phases", "mixed", "--data", "random", "--sizes", "4", "--commands", (char *)commands}, *save = NULL,
         reason[LINK_WHY] = "";
    int n = 9, pair[2];
    snprintf(copy, sizeof copy, "%s 127.0.0.1 1", more);
    for (char *at = strtok_r(copy, " ", &save); at; at = strtok_r(NULL, " ", &save)) word[n++] = at;
    memset(&w, 0, sizeof w);
    memset(&plan, 0, sizeof plan);
    if (options_parse(&o, n, word, 1, reason) || links_init(&links, &o, &worker_stop, reason) || values_init(&values, &o.values) ||
        worker_init(&w, 0, &o, &links, &values, reason) || socketpair(AF_UNIX, SOCK_STREAM, 0, pair)) {
        printf("# cannot begin: %s\n", reason);
        exit(1);
    }
    peer = pair[1];
    c = &w.target[0].conn[0];
    c->link.fd = pair[0];
    fcntl(pair[0], F_SETFL, O_NONBLOCK);
    CHECK_SAME(conn_register(&w, c, 0), 0);
    conn_up(&w, c, 0);
    plan.kind = PHASE_MIXED;
    plan.pipeline = o.pipeline;
    plan.verify = 1;
    plan.connections = 1;
    plan.stop_ns = UINT64_MAX;
    w.plan = &plan;
    w.source = &source_closed;
    w.mix = &o.mix;
    w.window_ns = UINT64_MAX;
    w.unfinished = 1;
    w.target[0].left = o.pipeline;
    keys_init(&w.target[0].keys, &o.keys, 0, 1, 0, &w.zipf);
    source_closed.room(&w, c, clock_now_ns());
}

static void end(void)
{
    close(peer);
    worker_free(&w);
    values_free(&values);
    links_free(&links);
}

/* The bytes sent since the last call, as text. */
static const char *sent(void)
{
    static char got[4096];
    ssize_t n = recv(peer, got, sizeof got - 1, MSG_DONTWAIT);
    got[n > 0 ? n : 0] = 0;
    return got;
}

static void answer_bytes(const char *bytes, size_t n)
{
    CHECK_SAME(write(peer, bytes, n), (ssize_t)n);
    receive_event(&w, c, EPOLLIN);
}

static uint64_t counted(enum count kind)
{
    return w.recorder.active_count[kind];
}

/* Reply to one command, split at every position and byte by byte; compare ops, misses, mismatches, errors, bytes. V: value of key 0, W: of key 1.
 */
static void reply_means(const char *command, const char *form, const char *wanted)
{
    char text[512], got[128];
    size_t n = 0;
    for (size_t cut = 0;; cut++) {
        begin(command, "--key-max 1");
        n = 0;
        for (const char *at = form; *at; at++) /* a value is 4 bytes */
            if ((*at == 'V' || *at == 'W') && at[1] == '\r') {
                values_fill(&values, *at == 'W', w.target[0].commands.place, 0, text + n, 4);
                n += 4;
            } else {
                text[n++] = *at;
            }
        if (cut && cut < n) {
            answer_bytes(text, cut);
            answer_bytes(text + cut, n - cut);
        } else {
            for (size_t i = 0; i < n; i++) answer_bytes(text + i, 1);
        }
        const struct kind *k = &w.kinds.kind[0];
        snprintf(got, sizeof got, "%d %d %d %d %d", (int)counted(COUNT_OPS), (int)counted(COUNT_MISSES), (int)counted(COUNT_MISMATCHES),
                 (int)counted(COUNT_ERROR_REPLIES), (int)counted(COUNT_BYTES));
        if (strcmp(got, wanted) != 0) printf("# %s cut at %zu: '%s'\n", command, cut, got);
        CHECK(!strcmp(got, wanted));
        CHECK_SAME(k->count[KIND_OPS], counted(COUNT_OPS));
        CHECK_SAME(k->count[KIND_MISSES], counted(COUNT_MISSES));
        CHECK_SAME(k->count[KIND_ERRORS], counted(COUNT_ERROR_REPLIES));
        CHECK_SAME(k->count[KIND_BYTES], counted(COUNT_BYTES));
        CHECK_SAME(k->latency.total, counted(COUNT_OPS));
        CHECK_SAME(w.inflight, 0);
        end();
        if (cut >= n) break;
    }
}

static void replies_mean_what_they_say(void)
{
    reply_means("mget-2", "*2\r\n$4\r\nV\r\n$4\r\nW\r\n", "1 0 0 0 8");
    reply_means("mget-2", "*2\r\n$4\r\nV\r\n$-1\r\n", "1 1 0 0 4");
    reply_means("mget-2", "*2\r\n$4\r\nW\r\n$4\r\nV\r\n", "1 0 1 0 8"); /* the values of each other */
    reply_means("mget-2", "*1\r\n$4\r\nV\r\n", "1 0 1 0 4");
    reply_means("mget-2", "*2\r\n$4\r\nV\r\n$0\r\n\r\n", "1 0 1 0 4");
    reply_means("mget-2", "+OK\r\n", "0 0 0 1 0");
    reply_means("mset-2", "+OK\r\n", "1 0 0 0 8");
    reply_means("del", ":1\r\n", "1 0 0 0 0");
    reply_means("hgetall-2", "*4\r\n$5\r\nf0000\r\n$4\r\nV\r\n$5\r\nf0001\r\n$4\r\nV\r\n", "1 0 0 0 8");
    reply_means("hgetall-2", "%2\r\n$5\r\nf0000\r\n$4\r\nV\r\n$5\r\nf0001\r\n$4\r\nV\r\n", "1 0 0 0 8"); /* RESP3 */
    reply_means("hgetall-2", "*2\r\n$5\r\nf0000\r\n$4\r\nW\r\n", "1 0 1 0 4");
    reply_means("hgetall-2", "*0\r\n", "1 1 0 0 0");
    reply_means("hget-2", "$4\r\nV\r\n", "1 0 0 0 4");
    reply_means("hget-2", "_\r\n", "1 1 0 0 0");
    reply_means("lrange-2", "*2\r\n$4\r\nV\r\n$4\r\nV\r\n", "1 0 0 0 8");
    reply_means("zrange-2", "*2\r\n$8\r\n0000V\r\n$8\r\n0001V\r\n", "1 0 0 0 8");
    reply_means("zrange-2", "*1\r\n$8\r\n0000W\r\n", "1 0 1 0 4");
    reply_means("zrange-2", "*1\r\n$4\r\nV\r\n", "1 0 1 0 0");
    reply_means("xadd", "$3\r\n1-0\r\n", "1 0 0 0 4");
    reply_means("incr", "-WRONGTYPE x\r\n", "0 0 0 1 0");
    reply_means("EVAL __key__ 0", "*2\r\n*1\r\n:1\r\n~1\r\n$1\r\nx\r\n", "1 0 0 0 1");
}

static void the_write_follows_the_read(void)
{
    begin("rmw", "--key-max 0 -P 2");
    CHECK(!strcmp(sent(), "*2\r\n$3\r\nGET\r\n$1\r\n0\r\n*2\r\n$3\r\nGET\r\n$1\r\n0\r\n"));
    answer_bytes("$-1\r\n", 5);
    CHECK(!strncmp(sent(), "*3\r\n$3\r\nSET\r\n$1\r\n0\r\n$4\r\n", 24));
    CHECK_SAME(counted(COUNT_OPS), 0);
    CHECK_SAME(w.inflight, 2);
    answer_bytes("$-1\r\n", 5);
    CHECK(!strncmp(sent(), "*3\r\n$3\r\nSET\r\n", 13));
    answer_bytes("+OK\r\n+OK\r\n", 10);
    CHECK_SAME(counted(COUNT_OPS), 2);
    CHECK_SAME(counted(COUNT_SETS), 2);
    CHECK_SAME(counted(COUNT_MISSES), 2);
    CHECK_SAME(w.kinds.kind[0].count[KIND_OPS], 2);
    CHECK_SAME(w.inflight, 0);
    end();
    begin("rmw", "--key-max 0");
    answer_bytes("-ERR no\r\n", 9);
    CHECK_SAME(counted(COUNT_ERROR_REPLIES), 1);
    CHECK_SAME(w.inflight, 0); /* nothing is sent after a failure */
    end();
}

int main(void)
{
    TEST("lists of commands are read", lists_are_read);
    TEST("commands have their words, and any piece is the same", commands_have_their_words);
    TEST("replies mean what they say, at every cut", replies_mean_what_they_say);
    TEST("a write follows its read, and is counted with it", the_write_follows_the_read);
    return UNIT_END;
}
