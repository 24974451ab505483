/* SPDX-License-Identifier: MIT */
/* TLS by hiredis_ssl, in builds with make TLS=1; other builds refuse --tls. */
#ifndef LOADGEN_TLS_H
#define LOADGEN_TLS_H

#include "options.h"

#include <stddef.h>
#include <sys/types.h>

struct redisContext;

/** Make the TLS context that all links share. Returns 0, or -1 with one line in why (LINK_WHY bytes). Free with tls_free. */
int tls_init(void **tls, const struct options *o, char *why);

/** Release a context of tls_init; NULL is fine. */
void tls_free(void *tls);

/** Encrypt a connected context; waits for the handshake. Returns 0, or -1 with a line in why. */
int tls_start(void *tls, struct redisContext *c, char *why, size_t size);

#ifdef LOADGEN_TLS
/** Returns whether c is encrypted. */
int tls_used(const struct redisContext *c);

/** As link_read and link_write; *backlog is set while bytes that were taken are still to be sent. */
ssize_t tls_read(struct redisContext *c, void *to, size_t n);
ssize_t tls_write(struct redisContext *c, const void *from, size_t n, int *backlog);
#else
#define tls_used(c)                    0
#define tls_read(c, to, n)             (-1)
#define tls_write(c, from, n, backlog) (-1)
#endif

#endif
