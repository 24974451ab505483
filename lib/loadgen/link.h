/* SPDX-License-Identifier: MIT */
/* A link to one instance: made by hiredis, with AUTH or HELLO done, then used as a bare non-blocking stream of bytes. */
#ifndef LOADGEN_LINK_H
#define LOADGEN_LINK_H

#include "options.h"

#include <stddef.h>
#include <sys/types.h>

struct redisContext;

#define LINK_WAIT_MS 50L
#define LINK_WHY     512

/* What all links have in common; read-only once links_init has returned. */
struct links {
    const struct options *options;
    char address[64]; /* of the host, as numbers, so that a reconnect asks no name server */
    char *greeting;   /* owned: bytes that a new link starts with: AUTH or HELLO, then PING */
    size_t greeting_len;
    int greeting_replies;
    void *tls; /* TLS context, or NULL */
};

struct link {
    int fd; /* -1 when closed */
    struct redisContext *context;
    int backlog; /* TLS: bytes that link_write took are still to be sent */
};

/** Resolve the host and prepare what links need. Returns 0, or -1 with one line in why. Free with links_free. */
int links_init(struct links *s, const struct options *o, char why[LINK_WHY]);

/** Release what links_init allocated. */
void links_free(struct links *s);

/** Connect to an instance, authenticate, and with `ping` wait until it answers PING. Returns a context that the caller frees with redisFree, or NULL
 * with one line in why that names host and port. */
struct redisContext *link_connect(const struct links *s, uint64_t port, int ping, char why[LINK_WHY]);

/** link_connect, then make the stream non-blocking. Returns 0, or -1 with a line in why. */
int link_open(struct link *l, const struct links *s, uint64_t port, int ping, char why[LINK_WHY]);

/** Start to connect again without waiting (with TLS it waits up to a second). Returns 0 when under way: wait until the stream can be
 *  written, then call link_ready. Returns -1 when it failed at once. */
int link_reopen(struct link *l, const struct links *s, uint64_t port);

/** Returns 0 when a link_reopen has come through, -1 when it failed. */
int link_ready(struct link *l);

/** Close the link, if it is open. */
void link_close(struct link *l);

/** Read what is there. Returns bytes read, 0 when there is nothing now, -1 when the link is broken. */
ssize_t link_read(struct link *l, void *to, size_t n);

/** As link_read, but sleep until there is something, for at most LINK_WAIT_MS or until a signal. Not for a layered link. */
ssize_t link_wait(struct link *l, void *to, size_t n);

/** Returns whether bytes may wait above the socket, where epoll does not see them: then read until 0. */
int link_layered(const struct link *l);

/** Write what fits. Returns bytes taken, 0 when none fits now, -1 when the link is broken. */
ssize_t link_write(struct link *l, const void *from, size_t n);

#endif
