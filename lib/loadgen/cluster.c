/* SPDX-License-Identifier: MIT */
/* A Redis Cluster under load: see cluster.h. */
#include "cluster.h"

#include "clock.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <hiredis.h>

#define ASK_EVERY_NS (20 * NS_PER_MS)  /* the watcher, from one node to the next */
#define ASK_LIMIT_S  0.15              /* for a connection, and for an answer */
#define AWAKE_NS     (500 * NS_PER_MS) /* it continues for this time after the last wake-up */

/* Make an endpoint from a numeric address. Without a host it is that of `from`, which describes itself. Returns 0, or -1. */
static int endpoint_of(struct endpoint *e, const struct node *n, const struct endpoint *from)
{
    memset(e, 0, sizeof *e);
    struct sockaddr_in *v4 = (struct sockaddr_in *)(void *)&e->address[0];
    struct sockaddr_in6 *v6 = (struct sockaddr_in6 *)(void *)&e->address[0];
    if (!n->port) return -1;
    e->addresses = 1;
    e->port = n->port;
    if (!n->host[0]) {
        e->address[0] = from->address[from->best];
        e->size[0] = from->size[from->best];
    } else if (inet_pton(AF_INET, n->host, &v4->sin_addr) == 1) {
        v4->sin_family = AF_INET;
        e->size[0] = sizeof *v4;
    } else if (inet_pton(AF_INET6, n->host, &v6->sin6_addr) == 1) {
        v6->sin6_family = AF_INET6;
        e->size[0] = sizeof *v6;
    } else {
        return -1;
    }
    char text[INET6_ADDRSTRLEN] = "?";
    if (e->address[0].ss_family == AF_INET6) {
        v6->sin6_port = htons(n->port);
        inet_ntop(AF_INET6, &v6->sin6_addr, text, sizeof text);
        snprintf(e->name, sizeof e->name, "[%s]:%u", text, (unsigned)n->port);
    } else {
        v4->sin_port = htons(n->port);
        inet_ntop(AF_INET, &v4->sin_addr, text, sizeof text);
        snprintf(e->name, sizeof e->name, "%s:%u", text, (unsigned)n->port);
    }
    return 0;
}

/* Ask a node for all nodes. Returns 0, or -1 with a line in why; nodes is to be freed in both cases. */
static int ask(struct link *l, const struct links *s, double limit_s, struct nodes *nodes, char why[LINK_WHY])
{
    static const char *words[] = {"CLUSTER", "NODES"};
    char text[NODES_WHY] = "";
    nodes->node = NULL;
    redisReply *reply = link_ask(l, s, limit_s, 2, words, why);
    if (!reply) return -1;
    int bad = !reply->str || reply->type == REDIS_REPLY_STATUS; /* a string, or with RESP3 one of its kinds */
    if (bad)
        snprintf(why, LINK_WHY, "CLUSTER NODES: unexpected reply");
    else if (nodes_parse(nodes, reply->str, reply->len, text)) {
        bad = 1;
        snprintf(why, LINK_WHY, "CLUSTER NODES: %.140s", text);
    }
    freeReplyObject(reply);
    return bad ? -1 : 0;
}

/* Write the first range of slots that no node serves. Returns -1, or 0 if all slots are served. */
static int all_served(const struct nodes *n, char why[LINK_WHY])
{
    for (int slot = 0; slot < SLOTS; slot++) {
        if (n->owner[slot] >= 0 && !n->node[n->owner[slot]].failed && n->node[n->owner[slot]].port) continue;
        int last = slot;
        while (last + 1 < SLOTS && (n->owner[last + 1] < 0 || n->node[n->owner[last + 1]].failed)) last++;
        snprintf(why, LINK_WHY, "slots %d-%d have no master", slot, last);
        return -1;
    }
    if (!n->moving) return 0;
    snprintf(why, LINK_WHY, "slots are moving between nodes: resharding is not supported");
    return -1;
}

/* Is each node among those that the caller started? */
static int all_ours(const struct nodes *n, const struct options *o, const struct endpoint *from, char why[LINK_WHY])
{
    for (int i = 0; o->nodes && i < n->count; i++) {
        struct endpoint e;
        if (strstr(o->nodes, n->node[i].id)) continue; /* ids have one length and no comma */
        snprintf(why, LINK_WHY, "%.300s is a node that this run did not start: nothing was written",
                 endpoint_of(&e, &n->node[i], from) ? n->node[i].id : e.name);
        return -1;
    }
    return 0;
}

static int shard_make(struct shard *s, const struct nodes *n, int owner, const struct endpoint *from)
{
    s->slot = malloc(n->node[owner].slots * sizeof *s->slot);
    if (!s->slot) return -1;
    for (int slot = 0; slot < SLOTS; slot++)
        if (n->owner[slot] == owner) s->slot[s->slots++] = (uint16_t)slot;
    memcpy(s->id, n->node[owner].id, sizeof s->id);
    s->epoch = n->node[owner].epoch;
    return endpoint_of(&s->endpoint, &n->node[owner], from) ? -1 : slots_tags_init(&s->tags, s->slot, s->slots);
}

static int shards_make(struct cluster *c, const struct nodes *n, const struct options *o, const struct endpoint *from, char why[LINK_WHY])
{
    uint8_t *seen = calloc((size_t)n->count, 1);
    int *owner = calloc((size_t)n->count, sizeof *owner), bad = 0;
    uint32_t all = 0;
    c->known = calloc((size_t)n->count, sizeof *c->known);
    if (!seen || !owner || !c->known) bad = -1;
    for (int i = 0; !bad && i < n->count; i++)
        if (!endpoint_of(&c->known[c->known_count], &n->node[i], from)) c->known_count++;
    for (int slot = 0; !bad && slot < SLOTS; slot++) {
        if (!seen[n->owner[slot]]) owner[all++] = n->owner[slot];
        seen[n->owner[slot]] = 1;
    }
    if (!bad && o->shards_last >= all && o->shards_given) {
        snprintf(why, LINK_WHY, "--shards %ju-%ju: the cluster has %u shards; accepted: 0-%u", (uintmax_t)o->shards_first, (uintmax_t)o->shards_last,
                 all, all - 1);
        bad = 1;
    }
    c->first = o->shards_given ? (uint32_t)o->shards_first : 0;
    c->all = all;
    c->shards = o->shards_given ? (uint32_t)(o->shards_last - o->shards_first + 1) : all;
    if (!bad && o->instances && o->instances != c->shards) {
        snprintf(why, LINK_WHY, "--instances %ju: the cluster has %u shards%s; leave --instances out", (uintmax_t)o->instances, c->shards,
                 o->shards_given ? " in --shards" : "");
        bad = 1;
    }
    if (!bad) c->shard = calloc(c->shards, sizeof *c->shard);
    if (!bad && !c->shard) bad = -1;
    memset(c->owner, 0xff, sizeof c->owner); /* no shard of this client */
    for (uint32_t i = 0; !bad && i < c->shards; i++) {
        bad = shard_make(&c->shard[i], n, owner[c->first + i], from);
        for (uint32_t k = 0; !bad && k < c->shard[i].slots; k++) c->owner[c->shard[i].slot[k]] = (uint16_t)i;
    }
    if (bad < 0) snprintf(why, LINK_WHY, "out of memory");
    free(seen);
    free(owner);
    return bad ? -1 : 0;
}

int cluster_init(struct cluster *c, const struct links *links, const struct options *o, char why[LINK_WHY])
{
    struct endpoint from;
    struct link l = {.fd = -1};
    struct nodes nodes = {.node = NULL};
    char text[LINK_WHY] = "";
    memset(c, 0, sizeof *c);
    c->links = links;
    pthread_mutex_init(&c->lock, NULL);
    if (endpoint_instance(&from, &links->hosts, o, o->port, why) || link_open(&l, links, &from, 0, why)) return -1;
    int bad = ask(&l, links, o->connect_timeout_s, &nodes, text);
    if (bad && strstr(text, "cluster support disabled"))
        snprintf(why, LINK_WHY, "%.300s: not a node of a Redis Cluster (cluster_enabled:0)", from.name);
    else if (bad || all_ours(&nodes, o, &from, text) || all_served(&nodes, text) || shards_make(c, &nodes, o, &from, text)) {
        bad = 1;
        snprintf(why, LINK_WHY, "%.200s: %.300s", from.name, text);
    }
    link_close(&l);
    nodes_free(&nodes);
    return bad ? -1 : 0;
}

/* The cluster cannot be used any more: every thread sees this at its next tick. */
static void give_up(struct cluster *c, uint32_t shard)
{
    snprintf(c->why, sizeof c->why, "slots of shard %u are on two nodes: resharding is not supported", c->first + shard);
    __atomic_store_n(&c->broken, 1, __ATOMIC_RELEASE);
}

/* Was the node there at the start, if the caller named its nodes? Another program may have the port of a node that is down, and name other addresses.
 */
static int is_known(const struct cluster *c, const struct endpoint *e)
{
    for (uint32_t i = 0; i < c->known_count; i++)
        if (!strcmp(c->known[i].name, e->name)) return 1;
    return !c->links->options->nodes;
}

/* Use a node's view of a shard if it is newer than the known view. A returning old master has a lower epoch. */
static void shard_update(struct cluster *c, uint32_t index, const struct nodes *n, const struct endpoint *from)
{
    struct shard *s = &c->shard[index];
    struct endpoint e;
    int owner = n->owner[s->slot[0]];
    if (owner < 0 || n->node[owner].epoch < s->epoch || n->node[owner].failed) return;
    for (uint32_t i = 1; i < s->slots; i++)
        if (n->owner[s->slot[i]] >= 0 && n->owner[s->slot[i]] != owner) {
            give_up(c, index);
            return;
        }
    if (n->node[owner].slots > s->slots) give_up(c, index);
    if (!strcmp(n->node[owner].id, s->id)) {
        s->epoch = n->node[owner].epoch; /* a node may raise its own */
        return;
    }
    if (n->node[owner].epoch == s->epoch || endpoint_of(&e, &n->node[owner], from) || !is_known(c, &e)) return;
    pthread_mutex_lock(&c->lock);
    s->endpoint = e;
    s->epoch = n->node[owner].epoch;
    memcpy(s->id, n->node[owner].id, sizeof s->id);
    pthread_mutex_unlock(&c->lock);
    __atomic_fetch_add(&s->moves, 1, __ATOMIC_RELEASE);
}

/* Ask one node for CLUSTER NODES. It may be down, hang, or still be starting: then the next node is asked. */
static void look(struct cluster *c, const struct links *quick)
{
    struct endpoint *from = &c->known[c->turn++ % c->known_count];
    struct link l = {.fd = -1};
    struct nodes nodes = {.node = NULL};
    char why[LINK_WHY];
    if (!link_open(&l, quick, from, 0, why) && !ask(&l, quick, ASK_LIMIT_S, &nodes, why))
        for (uint32_t i = 0; i < c->shards; i++) shard_update(c, i, &nodes, from);
    link_close(&l);
    nodes_free(&nodes);
}

static void *watch(void *arg)
{
    struct cluster *c = arg;
    struct options o = *c->links->options;
    struct links quick = *c->links;
    uint64_t until = 0;
    o.connect_timeout_s = ASK_LIMIT_S;
    quick.options = &o;
    pthread_mutex_lock(&c->lock);
    while (!c->ended) {
        while (!c->ended && !__atomic_load_n(&c->woken, __ATOMIC_RELAXED) && clock_now_ns() >= until) pthread_cond_wait(&c->wake, &c->lock);
        if (c->ended) break;
        if (__atomic_exchange_n(&c->woken, 0, __ATOMIC_RELAXED)) until = clock_now_ns() + AWAKE_NS;
        pthread_mutex_unlock(&c->lock);
        uint64_t began = clock_now_ns();
        look(c, &quick);
        clock_sleep_until_ns(began + ASK_EVERY_NS);
        pthread_mutex_lock(&c->lock);
    }
    pthread_mutex_unlock(&c->lock);
    return NULL;
}

int cluster_watch(struct cluster *c)
{
    pthread_cond_init(&c->wake, NULL);
    errno = pthread_create(&c->thread, NULL, watch, c);
    c->running = !errno;
    return errno ? -1 : 0;
}

void cluster_free(struct cluster *c)
{
    if (c->running) {
        pthread_mutex_lock(&c->lock);
        c->ended = 1;
        pthread_cond_signal(&c->wake);
        pthread_mutex_unlock(&c->lock);
        pthread_join(c->thread, NULL);
        pthread_cond_destroy(&c->wake);
        c->running = 0;
    }
    for (uint32_t i = 0; c->shard && i < c->shards; i++) {
        slots_tags_free(&c->shard[i].tags);
        free(c->shard[i].slot);
    }
    free(c->shard);
    free(c->known);
    c->shard = NULL;
    c->known = NULL;
}

void cluster_wake(struct cluster *c)
{
    if (__atomic_exchange_n(&c->woken, 1, __ATOMIC_RELAXED)) return;
    pthread_mutex_lock(&c->lock);
    pthread_cond_signal(&c->wake);
    pthread_mutex_unlock(&c->lock);
}

uint32_t cluster_follow(struct cluster *c, uint32_t shard, struct endpoint *e)
{
    uint32_t moves = __atomic_load_n(&c->shard[shard].moves, __ATOMIC_ACQUIRE);
    pthread_mutex_lock(&c->lock);
    *e = c->shard[shard].endpoint;
    pthread_mutex_unlock(&c->lock);
    return moves;
}

void cluster_post(struct cluster *c, uint32_t shard, const struct tally *tally)
{
    struct tally *t = &c->shard[shard].tally;
    pthread_mutex_lock(&c->lock);
    t->ops += tally->ops;
    t->errors += tally->errors;
    if (tally->max_ns > t->max_ns) t->max_ns = tally->max_ns;
    t->silent += tally->silent;
    t->heard += tally->heard;
    pthread_mutex_unlock(&c->lock);
}

void cluster_take(struct cluster *c, uint32_t shard, struct tally *tally, char name[ENDPOINT_NAME])
{
    struct shard *s = &c->shard[shard];
    pthread_mutex_lock(&c->lock);
    *tally = s->tally;
    memset(&s->tally, 0, sizeof s->tally);
    memcpy(name, s->endpoint.name, ENDPOINT_NAME);
    pthread_mutex_unlock(&c->lock);
}
