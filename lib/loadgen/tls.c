/* SPDX-License-Identifier: MIT */
/* TLS by hiredis_ssl: see tls.h. */
#include "tls.h"

#include "link.h"

#include <stdio.h>

#include <hiredis.h>

#ifndef LOADGEN_TLS

int tls_init(void **tls, const struct options *o, char *why)
{
    (void)o;
    *tls = NULL;
    snprintf(why, LINK_WHY, "this build has no TLS"); /* options_parse has refused --tls */
    return -1;
}

void tls_free(void *tls)
{
    (void)tls;
}

int tls_start(void *tls, redisContext *c, char *why, size_t size)
{
    (void)tls;
    (void)c;
    snprintf(why, size, "this build has no TLS");
    return -1;
}

#else

#include <hiredis_ssl.h>

int tls_init(void **tls, const struct options *o, char *why)
{
    redisSSLContextError error = REDIS_SSL_CTX_NONE;
    redisInitOpenSSL();
    *tls = redisCreateSSLContext(o->tls_ca, NULL, o->tls_cert, o->tls_key, o->tls_name, &error);
    if (*tls) return 0;
    snprintf(why, LINK_WHY, "TLS: %s", redisSSLContextGetError(error));
    return -1;
}

void tls_free(void *tls)
{
    if (tls) redisFreeSSLContext(tls);
}

int tls_start(void *tls, redisContext *c, char *why, size_t size)
{
    if (redisInitiateSSLWithContext(c, tls) == REDIS_OK) return 0;
    snprintf(why, size, "TLS: %s", c->errstr);
    return -1;
}

int tls_used(const redisContext *c)
{
    return c->privctx != NULL;
}

ssize_t tls_read(redisContext *c, void *to, size_t n)
{
    return c->funcs->read(c, to, n);
}

ssize_t tls_write(redisContext *c, const void *from, size_t n, int *backlog)
{
    int done = 0;
    if (*backlog) { /* first what was taken before */
        if (redisBufferWrite(c, &done) != REDIS_OK) return -1;
        if (!done) return 0;
        *backlog = 0;
    }
    if (!n) return 0;
    if (redisAppendFormattedCommand(c, from, n) != REDIS_OK || redisBufferWrite(c, &done) != REDIS_OK) return -1;
    *backlog = !done;
    return (ssize_t)n;
}

#endif
