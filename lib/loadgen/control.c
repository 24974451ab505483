/* SPDX-License-Identifier: MIT */
/* Commands to an instance in addition to the load: see control.h. */
#include "control.h"

#include "cluster.h"
#include "number.h"

#include <stdio.h>
#include <string.h>

#include <hiredis.h>

#define FLUSH_TIMEOUT_S 3600.0
#define AGAIN_TIMEOUT_S 1.0

int control_init(struct control *c, const struct links *s, uint64_t instance, char why[LINK_WHY])
{
    char tag[SLOTS_TAG + 1] = "";
    memcpy(c->marker, CONTROL_MARKER, sizeof CONTROL_MARKER);
    if (!s->cluster) return endpoint_instance(&c->endpoint, &s->hosts, s->options, s->options->port + instance, why);
    slots_put(&s->cluster->shard[instance].tags, 0, tag);
    snprintf(c->marker, sizeof c->marker, "%s{%s", CONTROL_MARKER, tag);
    cluster_follow(s->cluster, (uint32_t)instance, &c->endpoint);
    return 0;
}

/* Run one command. Returns its reply when it is of the type, else NULL with a line in why. */
static redisReply *command(struct link *l, const struct links *s, const struct control *c, double limit_s, int type, int words, const char **word,
                           char *why)
{
    char text[LINK_WHY] = "";
    redisReply *reply = link_ask(l, s, limit_s, words, word, text);
    if (reply && reply->type == type) return reply;
#if HIREDIS_MAJOR >= 1
    if (reply && type == REDIS_REPLY_STRING && reply->type == REDIS_REPLY_VERB) return reply; /* INFO with RESP3 */
#endif
    snprintf(why, LINK_WHY, "%s: %s: %.160s", c->endpoint.name, word[0], reply ? "unexpected reply" : text);
    if (reply) freeReplyObject(reply);
    return NULL;
}

/* Query a count. Returns it, or -1 with a line in why. */
static long long count(struct link *l, const struct links *s, const struct control *c, int words, const char **word, char *why)
{
    redisReply *reply = command(l, s, c, s->options->connect_timeout_s, REDIS_REPLY_INTEGER, words, word, why);
    if (!reply) return -1;
    long long n = reply->integer;
    freeReplyObject(reply);
    if (n < 0) snprintf(why, LINK_WHY, "%s: %s: invalid reply %lld, expected a count", c->endpoint.name, word[0], n);
    return n < 0 ? -1 : n;
}

int control_keyspace(const char *info, uint64_t *zero, uint64_t *others, uint64_t *other)
{
    const char *at = strstr(info, "# Keyspace");
    *zero = *others = *other = 0;
    if (!at) return -1;
    while ((at = strchr(at, '\n')) != NULL) {
        uint64_t db, keys;
        if (strncmp(++at, "db", 2) != 0) continue;
        size_t digits = strspn(at + 2, "0123456789");
        const char *value = at + 2 + digits;
        if (number_u64_n(at + 2, digits, 0, UINT64_MAX, &db) || strncmp(value, ":keys=", 6) != 0) return -1;
        if (number_u64_n(value + 6, strspn(value + 6, "0123456789"), 0, UINT64_MAX, &keys)) return -1;
        if (!db)
            *zero = keys;
        else if (keys && !*others)
            *other = db;
        if (db) *others += keys;
    }
    return 0;
}

/* Read the keys of an instance. Sets the number of keys in database 0, in the other databases, the first of these, and whether the marker exists.
 * Returns 0, or
 * -1 with a line in why. */
static int survey(struct link *l, const struct links *s, const struct control *c, uint64_t *zero, uint64_t *others, uint64_t *other, char *why)
{
    static const char *size[] = {"DBSIZE"}, *info[] = {"INFO", "keyspace"};
    const char *exists[] = {"EXISTS", c->marker};
    long long keys = count(l, s, c, 1, size, why);
    if (keys < 0) return -1;
    redisReply *reply = command(l, s, c, s->options->connect_timeout_s, REDIS_REPLY_STRING, 2, info, why);
    if (!reply) return -1;
    int bad = control_keyspace(reply->str, zero, others, other);
    freeReplyObject(reply);
    if (bad) {
        snprintf(why, LINK_WHY, "%s: INFO keyspace: unexpected reply", c->endpoint.name);
        return -1;
    }
    if ((uint64_t)keys > *zero) *zero = (uint64_t)keys;
    long long marked = *zero ? count(l, s, c, 2, exists, why) : 0;
    return marked < 0 ? -1 : marked > 0;
}

static int mark(struct link *l, const struct links *s, struct control *c, double limit_s, char *why)
{
    const char *word[] = {"HSET", c->marker, "written-by", "test " LOADGEN_VERSION};
    redisReply *reply = command(l, s, c, limit_s, REDIS_REPLY_INTEGER, 4, word, why);
    c->ours = reply != NULL;
    if (reply) freeReplyObject(reply);
    return reply ? 0 : -1;
}

int control_check(const struct links *s, struct control *c, char why[LINK_WHY])
{
    static const char hint[] = "that this program did not write, so it was not flushed; --force flushes them, --no-flush keeps them";
    struct link l = {.fd = -1};
    uint64_t zero, others, other;
    if (link_open(&l, s, &c->endpoint, 0, why)) return -1;
    int marked = survey(&l, s, c, &zero, &others, &other, why);
    link_close(&l);
    if (marked < 0) return -1;
    if (others)
        snprintf(why, LINK_WHY, "%s: databases other than 0 hold %ju keys (the first is database %ju) %s", c->endpoint.name, (uintmax_t)others,
                 (uintmax_t)other, hint);
    else if (zero && !marked)
        snprintf(why, LINK_WHY, "%s: holds %ju keys %s", c->endpoint.name, (uintmax_t)zero, hint);
    else
        return 0;
    return -1;
}

int control_flush(const struct links *s, struct control *c, char why[LINK_WHY])
{
    static const char *flush[] = {"FLUSHALL"};
    struct link l = {.fd = -1};
    if (link_open(&l, s, &c->endpoint, 0, why)) return -1;
    redisReply *reply = command(&l, s, c, FLUSH_TIMEOUT_S, REDIS_REPLY_STATUS, 1, flush, why);
    int rc = reply ? mark(&l, s, c, s->options->connect_timeout_s, why) : -1;
    if (reply) freeReplyObject(reply);
    link_close(&l);
    return rc;
}

int control_mark_empty(const struct links *s, struct control *c, char why[LINK_WHY])
{
    struct link l = {.fd = -1};
    uint64_t zero, others, other;
    if (link_open(&l, s, &c->endpoint, 0, why)) return -1;
    int marked = survey(&l, s, c, &zero, &others, &other, why);
    c->ours = marked > 0;
    /* A user without this permission may still send load: without the marker, a later run refuses to flush. */
    int rc = marked < 0 || zero || others ? 0 : mark(&l, s, c, s->options->connect_timeout_s, why);
    if (!rc) why[0] = 0;
    link_close(&l);
    return rc;
}

int control_mark_again(const struct links *s, struct control *c, char why[LINK_WHY])
{
    struct link l = {.fd = -1};
    if (!c->ours) return 0;
    if (link_open(&l, s, &c->endpoint, 0, why)) return -1;
    int rc = mark(&l, s, c, AGAIN_TIMEOUT_S, why);
    link_close(&l);
    return rc;
}

/* The whole number after a name in the text of INFO; 0 if it is missing. */
static uint64_t info_number(const char *info, const char *name)
{
    const char *at = strstr(info, name);
    uint64_t n = 0;
    if (at) number_u64_n(at + strlen(name), strspn(at + strlen(name), "0123456789"), 0, UINT64_MAX, &n);
    return n;
}

int control_taken(const struct links *s, struct control *c, char why[LINK_WHY])
{
    static const char *info[] = {"INFO", "stats"};
    struct link l = {.fd = -1};
    if (link_open(&l, s, &c->endpoint, 0, why)) return -1;
    redisReply *reply = command(&l, s, c, AGAIN_TIMEOUT_S, REDIS_REPLY_STRING, 2, info, why);
    link_close(&l);
    if (!reply) return -1;
    c->evicted = info_number(reply->str, "\nevicted_keys:");
    c->expired = info_number(reply->str, "\nexpired_keys:");
    freeReplyObject(reply);
    return 0;
}
