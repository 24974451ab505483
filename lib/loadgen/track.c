/* SPDX-License-Identifier: MIT */
/* Tracked writes: see track.h. One thread for all shards, one connection to each. A connection's replies come in the order of its writes, so two
 * numbers describe the writes in flight; those in flight when it broke stay unacknowledged. */
#include "track.h"

#include "clock.h"
#include "cpus.h"
#include "output.h"
#include "resp.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <hiredis.h>

#define BATCH     256                  /* writes made at a time */
#define WRITE_MAX 96                   /* bytes of one */
#define FLIGHT    4096                 /* writes in flight to a shard at most */
#define BLOCK     64                   /* writes that have one time */
#define REST_NS   (10 * NS_PER_MS)     /* after an error reply, before the next write */
#define RETRY_NS  (50 * NS_PER_MS)     /* between attempts to connect */
#define HANG_NS   NS_PER_S             /* without an answer, the connection is given up */
#define DRAIN_NS  (500 * NS_PER_MS)    /* at the end, for writes in flight */
#define MOST      UINT64_C(4294967295) /* the last bit that Redis accepts */

enum state { DOWN, CONNECTING, GREETING, UP };

struct tracked {
    char key[16];
    uint32_t moves;
    struct endpoint endpoint;
    struct link link;
    struct resp scan;
    enum state state;
    int greeted;
    uint64_t head, next; /* the write whose answer is next, the next write */
    uint64_t due;        /* writes that were due so far, made or not */
    uint64_t from_ns;    /* earlier, nothing is written, and no connection attempted */
    uint64_t heard_ns;
    uint8_t *acked; /* a bit for each write */
    uint32_t *ms;   /* when the first of each BLOCK was acknowledged, in ms from the start */
    uint64_t room;  /* writes that these have room for, a multiple of BLOCK */
    size_t out_at, out_n;
    char out[BATCH * WRITE_MAX];
};

/* Make room for a write of this number. Returns 0, or -1 when out of memory. */
static int room_for(struct tracked *t, uint64_t n)
{
    if (n < t->room) return 0;
    uint64_t room = t->room ? t->room * 2 : 65536;
    uint8_t *acked = realloc(t->acked, room / 8);
    if (acked) t->acked = acked;
    uint32_t *ms = realloc(t->ms, room / BLOCK * sizeof *ms);
    if (ms) t->ms = ms;
    if (!acked || !ms) return -1;
    memset(acked + t->room / 8, 0, (room - t->room) / 8);
    memset(ms + t->room / BLOCK, 0, (room - t->room) / BLOCK * sizeof *ms);
    t->room = room;
    return 0;
}

static void drop(struct track *all, struct tracked *t, uint64_t now)
{
    link_close(&t->link);
    t->state = DOWN;
    t->head = t->next;
    t->out_at = t->out_n = 0;
    t->from_ns = now + RETRY_NS;
    cluster_wake(all->cluster);
}

/* Make the writes that are due, as many as fit into the buffer. */
static void make(const struct track *all, struct tracked *t, uint64_t now)
{
    uint64_t due = now > all->start_ns ? (uint64_t)((double)(now - all->start_ns) / 1e9 * (double)all->rate) : 0;
    for (int i = 0; i < BATCH && t->due < due && t->next - t->head < FLIGHT && t->next < MOST; i++, t->due++, t->next++) {
        char number[24];
        int digits = snprintf(number, sizeof number, "%ju", (uintmax_t)t->next);
        if (room_for(t, t->next)) return;
        t->out_n += (size_t)snprintf(t->out + t->out_n, WRITE_MAX, "*4\r\n$6\r\nSETBIT\r\n$%zu\r\n%s\r\n$%d\r\n%s\r\n$1\r\n1\r\n", strlen(t->key),
                                     t->key, digits, number);
    }
    if (t->next - t->head >= FLIGHT || t->due + all->rate < due) t->due = due; /* writes that could not be sent are skipped */
}

static int flush(struct tracked *t)
{
    while (t->out_at < t->out_n) {
        ssize_t put = link_write(&t->link, t->out + t->out_at, t->out_n - t->out_at);
        if (put < 0) return -1;
        if (!put) return 0;
        t->out_at += (size_t)put;
    }
    t->out_at = t->out_n = 0;
    return 0;
}

/* Read an answer. Returns 0, or -1 when it answers no write. */
static int answered(struct track *all, struct tracked *t, uint64_t now)
{
    if (t->state == GREETING) {
        if (t->scan.type == '-') return -1;
        if (++t->greeted < all->cluster->links->greeting_replies) return 0;
        t->state = UP;
        t->due = now > all->start_ns ? (uint64_t)((double)(now - all->start_ns) / 1e9 * (double)all->rate) : 0;
        return 0;
    }
    if (t->head == t->next) return -1;
    uint64_t n = t->head++;
    if (t->scan.type != ':') {
        t->from_ns = now + REST_NS;
        cluster_wake(all->cluster);
        return 0;
    }
    t->acked[n / 8] |= (uint8_t)(1 << n % 8);
    if (!t->ms[n / BLOCK]) t->ms[n / BLOCK] = (uint32_t)((now - all->start_ns) / NS_PER_MS) + 1;
    return 0;
}

static int readable(struct track *all, struct tracked *t, uint64_t now)
{
    char bytes[16384];
    for (;;) {
        ssize_t n = link_read(&t->link, bytes, sizeof bytes);
        if (n <= 0) return (int)n;
        t->heard_ns = now;
        for (const char *at = bytes, *end = bytes + n;;) {
            enum resp_event event = resp_scan(&t->scan, &at, end);
            if (event == RESP_MORE) break;
            if (event == RESP_BAD || (event == RESP_REPLY && answered(all, t, now))) return -1;
        }
    }
}

/* Follow the shard and continue connecting. Returns the events to wait for, 0 when none. */
static short prepare(struct track *all, struct tracked *t, uint32_t shard, uint64_t now)
{
    const struct links *links = all->cluster->links;
    if (cluster_moved(all->cluster, shard, t->moves)) {
        t->moves = cluster_follow(all->cluster, shard, &t->endpoint);
        if (t->state != DOWN) drop(all, t, now);
        t->from_ns = now;
    }
    if (t->state == DOWN && now >= t->from_ns && !all->ended) {
        resp_reset(&t->scan);
        t->greeted = 0;
        t->heard_ns = now;
        t->state = CONNECTING;
        if (link_reopen(&t->link, links, &t->endpoint)) drop(all, t, now);
    }
    if (t->state == UP && t->head == t->next) t->heard_ns = now;
    if (t->state != DOWN && now > t->heard_ns + HANG_NS) drop(all, t, now);
    if (t->state == UP && !t->out_n && now >= t->from_ns && !all->ended) make(all, t, now);
    if (t->state == UP && flush(t)) drop(all, t, now);
    if (t->state == DOWN) return 0;
    if (t->state == CONNECTING) return t->link.want;
    return t->out_n ? POLLIN | POLLOUT : POLLIN;
}

static void ready(struct track *all, struct tracked *t, uint64_t now)
{
    const struct links *links = all->cluster->links;
    if (t->state == CONNECTING) {
        int up = link_ready(&t->link, links);
        if (up > 0 && link_greet(&t->link, links)) up = -1;
        if (up > 0) t->state = GREETING;
        if (up < 0) drop(all, t, now);
        return;
    }
    if (readable(all, t, now)) drop(all, t, now);
}

static void *write_on(void *arg)
{
    struct track *all = arg;
    uint32_t shards = all->cluster->shards;
    struct pollfd *wait = calloc(shards, sizeof *wait);
    uint64_t until = 0;
    cpus_pin(all->cluster->links->options, CPUS_ALL);
    int pace_ms = all->rate >= 500 ? 1 : all->rate >= 100 ? 5 : 10;
    while (wait) {
        uint64_t now = clock_now_ns(), flying = 0;
        if (__atomic_load_n(&all->ended, __ATOMIC_ACQUIRE) && !until) until = now + DRAIN_NS;
        for (uint32_t i = 0; i < shards; i++) {
            struct tracked *t = &all->shard[i];
            wait[i].events = prepare(all, t, i, now);
            wait[i].fd = wait[i].events ? t->link.fd : -1;
            flying += t->next - t->head;
        }
        if (until && (!flying || now >= until)) break;
        poll(wait, shards, pace_ms);
        now = clock_now_ns();
        for (uint32_t i = 0; i < shards; i++)
            if (wait[i].fd >= 0 && wait[i].revents) ready(all, &all->shard[i], now);
    }
    free(wait);
    return NULL;
}

void track_drop(struct track *t)
{
    for (uint32_t i = 0; t->shard && i < t->cluster->shards; i++) {
        link_close(&t->shard[i].link);
        free(t->shard[i].acked);
        free(t->shard[i].ms);
    }
    free(t->shard);
    t->shard = NULL;
}

int track_open(struct track *t, struct cluster *c, uint64_t rate, char why[LINK_WHY])
{
    memset(t, 0, sizeof *t);
    t->cluster = c;
    t->rate = rate;
    t->shard = calloc(c->shards, sizeof *t->shard);
    int bad = !t->shard;
    if (bad) snprintf(why, LINK_WHY, "out of memory");
    for (uint32_t i = 0; t->shard && i < c->shards; i++) t->shard[i].link.fd = -1;
    for (uint32_t i = 0; !bad && i < c->shards; i++) {
        struct tracked *s = &t->shard[i];
        char text[LINK_WHY], tag[SLOTS_TAG + 1] = "";
        const char *word[] = {"DEL", s->key};
        slots_put(&c->shard[i].tags, 0, tag);
        snprintf(s->key, sizeof s->key, "{%strack", tag);
        s->moves = cluster_follow(c, i, &s->endpoint);
        s->state = UP;
        bad = link_open(&s->link, c->links, &s->endpoint, 1, why);
        redisReply *reply = bad ? NULL : link_ask(&s->link, c->links, c->links->options->connect_timeout_s, 2, word, text);
        if (!bad && !reply) snprintf(why, LINK_WHY, "--track: %.200s: DEL: %.200s", s->endpoint.name, text);
        bad = bad || !reply;
        if (reply) freeReplyObject(reply);
    }
    if (bad) track_drop(t);
    return bad ? -1 : 0;
}

int track_begin(struct track *t, uint64_t start_ns)
{
    t->start_ns = start_ns;
    errno = pthread_create(&t->thread, NULL, write_on, t);
    return errno ? -1 : 0;
}

/* The result of a shard's writes. */
struct fate {
    uint64_t acked, lost, unknown, first_ms, last_ms;
};

static void compare(const struct tracked *t, const char *bits, size_t bytes, struct fate *f)
{
    memset(f, 0, sizeof *f);
    for (uint64_t n = 0; n < t->next; n++) {
        int acked = t->acked[n / 8] >> n % 8 & 1, set = n / 8 < bytes && ((unsigned char)bits[n / 8] >> (7 - n % 8) & 1);
        f->acked += (uint64_t)acked;
        f->unknown += set && !acked;
        if (!acked || set) continue;
        if (!f->lost++) f->first_ms = t->ms[n / BLOCK];
        f->last_ms = t->ms[n / BLOCK];
    }
}

/* Read back a shard. Returns 0, or -1 with a line in why. */
static int read_back(struct track *t, uint32_t shard, struct fate *f, char why[LINK_WHY])
{
    struct tracked *s = &t->shard[shard];
    struct link l = {.fd = -1};
    char text[LINK_WHY] = "";
    const char *word[] = {"GET", s->key};
    cluster_follow(t->cluster, shard, &s->endpoint);
    redisReply *reply = link_open(&l, t->cluster->links, &s->endpoint, 0, text)
                            ? NULL
                            : link_ask(&l, t->cluster->links, t->cluster->links->options->timeout_s, 2, word, text);
    int bad = !reply || (reply->type != REDIS_REPLY_STRING && reply->type != REDIS_REPLY_NIL);
    if (bad)
        snprintf(why, LINK_WHY, "shard %u: tracked writes cannot be read back: %.300s", t->cluster->first + shard, reply ? "unexpected reply" : text);
    else
        compare(s, reply->str, reply->type == REDIS_REPLY_NIL ? 0 : (size_t)reply->len, f);
    if (reply) freeReplyObject(reply);
    link_close(&l);
    return bad ? -1 : 0;
}

/* Write one row per shard, with - for unknown values. */
static int rows(struct track *t, FILE *to, char why[LINK_WHY])
{
    int bad = 0;
    for (uint32_t i = 0; i < t->cluster->shards; i++) {
        struct fate f = {0};
        char line[160];
        if (read_back(t, i, &f, why)) {
            snprintf(line, sizeof line, "%u\t-\t-\t-\t-\t-\n", t->cluster->first + i);
            bad = -1;
        } else if (f.lost) {
            snprintf(line, sizeof line, "%u\t%ju\t%ju\t%ju\t%.3f\t%.3f\n", t->cluster->first + i, (uintmax_t)f.acked, (uintmax_t)f.lost,
                     (uintmax_t)f.unknown, (double)(f.first_ms - 1) / 1e3, (double)(f.last_ms - 1) / 1e3);
        } else {
            snprintf(line, sizeof line, "%u\t%ju\t0\t%ju\t-\t-\n", t->cluster->first + i, (uintmax_t)f.acked, (uintmax_t)f.unknown);
        }
        t->acked += f.acked;
        t->lost += f.lost;
        if (to) fputs(line, to);
    }
    return bad;
}

int track_end(struct track *t, const char *dir, char why[LINK_WHY])
{
    struct output out = {.file = NULL};
    __atomic_store_n(&t->ended, 1, __ATOMIC_RELEASE);
    pthread_join(t->thread, NULL);
    int bad = dir && output_begin(&out, dir, "track.tsv");
    if (!bad) {
        if (out.file) fputs("shard\tacked\tlost\tunknown\tfirst_lost_s\tlast_lost_s\n", out.file);
        int unread = rows(t, out.file, why);
        if (out.file && output_commit(&out)) bad = 1;
        if (unread && !bad) {
            track_drop(t);
            return -1;
        }
    }
    if (bad) snprintf(why, LINK_WHY, "cannot write track.tsv: %s", strerror(errno));
    track_drop(t);
    return bad ? -1 : 0;
}
