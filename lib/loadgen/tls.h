/* SPDX-License-Identifier: MIT */
/* TLS by OpenSSL, in builds with make TLS=1; other builds refuse --tls. */
#ifndef LOADGEN_TLS_H
#define LOADGEN_TLS_H

#include "options.h"

#include <stddef.h>
#include <sys/types.h>

struct tls;

/** Make the state shared by all sessions. Returns 0, or -1 with one line in why of `size` bytes. Free with tls_free. */
int tls_init(struct tls **tls, const struct options *o, char *why, size_t size);

/** Release what tls_init made; NULL is accepted. */
void tls_free(struct tls *tls);

/** Make a session on a connected, non-blocking socket. Its certificate must name the options' TLS name, else `host`, or the options' host if that is
 *  empty. Returns it, or NULL. Free with tls_close. */
void *tls_open(const struct tls *tls, int fd, const char *host);

/** Continue the handshake; the certificate must be of the requested host. Returns 1 when done, 0 when it waits for the poll events in *want, -1
 *  when it failed. */
int tls_ready(void *session, short *want);

/** Write why the last call on this thread failed. */
void tls_problem(const void *session, char *why, size_t size);

/** Send close_notify and release a session; NULL is accepted. */
void tls_close(void *session);

/** As link_read and link_write. */
ssize_t tls_read(void *session, void *to, size_t n);
ssize_t tls_write(void *session, const void *from, size_t n);

#endif
