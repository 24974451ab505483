/* SPDX-License-Identifier: MIT */
/* What is done to an instance beside the load: see control.h. */
#include "control.h"

#include <stdio.h>
#include <sys/time.h>

#include <hiredis.h>

#define FLUSH_TIMEOUT_S 3600

/* Run one command that answers with an integer or a status. Returns the integer, 0 for a status, -1 with a line in why. */
static long long command(redisContext *c, const struct links *s, uint64_t port, int words, const char **word, char *why)
{
    redisReply *reply = redisCommandArgv(c, words, word, NULL);
    long long result = -1;
    if (reply && reply->type == REDIS_REPLY_INTEGER)
        result = reply->integer;
    else if (reply && reply->type == REDIS_REPLY_STATUS)
        result = 0;
    else
        snprintf(why, LINK_WHY, "%s:%ju: %s: %s", s->options->host, (uintmax_t)port, word[0],
                 reply && reply->type == REDIS_REPLY_ERROR ? reply->str
                 : c->errstr[0]                            ? c->errstr
                                                           : "unexpected reply");
    if (reply) freeReplyObject(reply);
    return result;
}

static int mark(redisContext *c, const struct links *s, uint64_t port, char *why)
{
    const char *word[] = {"HSET", CONTROL_MARKER, "written-by", "test " LOADGEN_VERSION};
    return command(c, s, port, 4, word, why) < 0 ? -1 : 0;
}

int control_check(const struct links *s, uint64_t port, char why[LINK_WHY])
{
    const char *size[] = {"DBSIZE"}, *exists[] = {"EXISTS", CONTROL_MARKER};
    redisContext *c = link_connect(s, port, 0, why);
    if (!c) return -1;
    long long keys = command(c, s, port, 1, size, why), ours = keys > 0 ? command(c, s, port, 2, exists, why) : 0;
    redisFree(c);
    if (keys < 0 || ours < 0) return -1;
    if (!keys || ours) return 0;
    snprintf(why, LINK_WHY, "%s:%ju holds %lld keys that this program did not write: not flushed (--force flushes it, --no-flush keeps them)",
             s->options->host, (uintmax_t)port, keys);
    return 1;
}

int control_flush(const struct links *s, uint64_t port, char why[LINK_WHY])
{
    const char *flush[] = {"FLUSHALL"};
    struct timeval patience = {FLUSH_TIMEOUT_S, 0};
    redisContext *c = link_connect(s, port, 0, why);
    if (!c) return -1;
    redisSetTimeout(c, patience);
    int rc = command(c, s, port, 1, flush, why) < 0 ? -1 : mark(c, s, port, why);
    redisFree(c);
    return rc;
}

int control_mark_empty(const struct links *s, uint64_t port, char why[LINK_WHY])
{
    const char *size[] = {"DBSIZE"};
    redisContext *c = link_connect(s, port, 0, why);
    if (!c) return -1;
    long long keys = command(c, s, port, 1, size, why);
    int rc = keys < 0 ? -1 : keys ? 0 : mark(c, s, port, why);
    redisFree(c);
    return rc;
}
