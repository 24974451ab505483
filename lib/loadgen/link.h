/* SPDX-License-Identifier: MIT */
/* A link to one endpoint: connected, encrypted and authenticated here, then used as a bare non-blocking stream of bytes. */
#ifndef LOADGEN_LINK_H
#define LOADGEN_LINK_H

#include "endpoint.h"
#include "options.h"

#include <stdatomic.h>
#include <stddef.h>
#include <sys/types.h>

struct redisReply;
struct tls;
struct cluster;

#define LINK_WHY ENDPOINT_WHY

/* Shared by all links; read-only after links_init has returned. */
struct links {
    const struct options *options;
    const atomic_int *stop;      /* not 0: waiting ends */
    struct endpoint_hosts hosts; /* resolved once, so that a reconnect asks no name server */
    int greeting_replies;        /* to the bytes that link_greet sends */
    struct tls *tls;             /* owned: TLS context, or NULL */
    struct cluster *cluster;     /* when the instances are its shards, else NULL */
};

struct link {
    int fd;                    /* -1 when closed */
    uint32_t turn;             /* attempts so far: which address is next */
    const struct endpoint *to; /* where it was opened to last, at least until it is connected */
    void *layer;               /* the TLS session, or NULL */
    short want;                /* while it is being made: the poll events that it waits for */
    uint8_t linked;            /* the socket is connected */
};

/** Resolve the host and prepare what links need; *stop ends waiting when it is set. Returns 0, or -1 with one line in why. Free with
 *  links_free. */
int links_init(struct links *s, const struct options *o, const atomic_int *stop, char why[LINK_WHY]);

/** Release what links_init allocated. */
void links_free(struct links *s);

/** Connect to an endpoint, trying all its addresses, authenticate, and with `ping` wait until it answers PING. Each step has the options'
 *  limit for connecting. Returns 0, or -1 with one line in why that names the endpoint. */
int link_open(struct link *l, const struct links *s, struct endpoint *e, int ping, char why[LINK_WHY]);

/** Send a command on a link with no request in flight, and wait for its reply, at most limit_s seconds. Returns the reply, which the caller frees
 *  with freeReplyObject, or NULL with one printable line in why: also for an error reply, with its text. */
struct redisReply *link_ask(struct link *l, const struct links *s, double limit_s, int words, const char **word, char why[LINK_WHY]);

/** Start to connect again without waiting, each time to the next address. Returns 0 if in progress: call link_ready when the stream is ready for the
 * events in link->want. Returns -1 if it failed at once. */
int link_reopen(struct link *l, const struct links *s, const struct endpoint *e);

/** Continue connecting. Returns 1 if the link can be used, 0 while it waits for link->want, -1 if it failed. */
int link_ready(struct link *l, const struct links *s);

/** Start a link that can be used with AUTH or HELLO, then PING. Returns 0, or -1 if the link does not take all of it. */
int link_greet(struct link *l, const struct links *s);

/** Returns 1 when the other side has closed a link with no request in flight. */
int link_stale(const struct link *l);

/** Returns the number of written bytes in the socket that are not acknowledged, 0 if unknown. */
uint32_t link_queued(const struct link *l);

/** Close the link, if it is open. */
void link_close(struct link *l);

/** Read what is available. Returns bytes read, 0 when there is nothing now, -1 when the link is broken. */
ssize_t link_read(struct link *l, void *to, size_t n);

/** Returns whether bytes may wait above the socket, where epoll does not see them: then read until 0. */
static inline int link_layered(const struct link *l)
{
    return l->layer != NULL;
}

/** Write as many bytes as fit. Returns the bytes accepted, 0 if none fits now, -1 if the link is broken. After fewer than n, a layered link must be
 * offered the others next, as it may hold some of them already. */
ssize_t link_write(struct link *l, const void *from, size_t n);

struct iovec;

/** As link_write, from several places. Not for a layered link. */
ssize_t link_writev(struct link *l, const struct iovec *from, int count);

#endif
