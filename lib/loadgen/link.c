/* SPDX-License-Identifier: MIT */
/* Links to instances: see link.h. */
#include "link.h"

#include "tls.h"

#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <hiredis.h>

static struct timeval timeval_of(double seconds)
{
    struct timeval tv = {.tv_sec = (time_t)seconds, .tv_usec = (suseconds_t)((seconds - (double)(time_t)seconds) * 1e6)};
    return tv;
}

/* The words of the command that authenticates. Returns how many there are, 0 when none is needed. */
static int auth_words(const struct options *o, const char *word[5])
{
    int n = 0;
    if (o->resp == 3) {
        word[n++] = "HELLO";
        word[n++] = "3";
    }
    if (!o->password) return n;
    word[n++] = "AUTH";
    if (o->user || o->resp == 3) word[n++] = o->user ? o->user : "default";
    word[n++] = o->password;
    return n;
}

static int greeting_make(struct links *s)
{
    const char *word[5];
    char *auth = NULL;
    static const char ping[] = "*1\r\n$4\r\nPING\r\n";
    int words = auth_words(s->options, word), n = words ? redisFormatCommandArgv(&auth, words, word, NULL) : 0;
    if (n < 0) return -1;
    s->greeting_len = (size_t)n + sizeof ping - 1;
    s->greeting = malloc(s->greeting_len);
    if (s->greeting) {
        if (n) memcpy(s->greeting, auth, (size_t)n);
        memcpy(s->greeting + n, ping, sizeof ping - 1);
    }
    s->greeting_replies = words ? 2 : 1;
    free(auth);
    return s->greeting ? 0 : -1;
}

int links_init(struct links *s, const struct options *o, char why[LINK_WHY])
{
    struct addrinfo hints = {.ai_family = AF_UNSPEC, .ai_socktype = SOCK_STREAM}, *found = NULL;
    memset(s, 0, sizeof *s);
    s->options = o;
#if HIREDIS_MAJOR < 1
    if (o->resp == 3) {
        snprintf(why, LINK_WHY, "--resp 3 needs hiredis 1.0 or newer; this is a build with %d.%d", HIREDIS_MAJOR, HIREDIS_MINOR);
        return -1;
    }
#endif
    if (!o->socket) {
        int rc = getaddrinfo(o->host, NULL, &hints, &found);
        if (!rc) rc = getnameinfo(found->ai_addr, found->ai_addrlen, s->address, sizeof s->address, NULL, 0, NI_NUMERICHOST);
        if (found) freeaddrinfo(found);
        if (rc) {
            snprintf(why, LINK_WHY, "cannot resolve %s: %s", o->host, gai_strerror(rc));
            return -1;
        }
    }
    if (greeting_make(s)) {
        snprintf(why, LINK_WHY, "out of memory");
        return -1;
    }
    return o->tls ? tls_init(&s->tls, o, why) : 0;
}

void links_free(struct links *s)
{
    free(s->greeting);
    tls_free(s->tls);
}

/* The path of an instance's socket: %p in the pattern becomes the port. */
static void socket_path(const char *pattern, uint64_t port, char *out, size_t size)
{
    const char *mark = strstr(pattern, "%p");
    if (mark)
        snprintf(out, size, "%.*s%ju%s", (int)(mark - pattern), pattern, (uintmax_t)port, mark + 2);
    else
        snprintf(out, size, "%s", pattern);
}

static redisContext *start(const struct links *s, uint64_t port, const struct timeval *timeout)
{
    char path[256];
    if (s->options->socket) {
        socket_path(s->options->socket, port, path, sizeof path);
        return timeout ? redisConnectUnixWithTimeout(path, *timeout) : redisConnectUnixNonBlock(path);
    }
    return timeout ? redisConnectWithTimeout(s->address, (int)port, *timeout) : redisConnectNonBlock(s->address, (int)port);
}

/* One command that must not be answered with an error. Returns NULL when fine, else what went wrong. */
static const char *ask(redisContext *c, int words, const char **word, char *text, size_t size)
{
    redisReply *reply = redisCommandArgv(c, words, word, NULL);
    const char *problem = NULL;
    if (!reply) {
        snprintf(text, size, "%s", c->errstr[0] ? c->errstr : "no reply");
        problem = text;
    } else if (reply->type == REDIS_REPLY_ERROR) {
        snprintf(text, size, "%s", reply->str);
        problem = text;
    }
    if (reply) freeReplyObject(reply);
    return problem;
}

redisContext *link_connect(const struct links *s, uint64_t port, int ping_it, char why[LINK_WHY])
{
    const struct options *o = s->options;
    struct timeval timeout = timeval_of(o->connect_timeout_s);
    const char *word[5], *ping[] = {"PING"}, *problem = NULL;
    char text[128];
    redisContext *c = start(s, port, &timeout);
    if (!c) {
        problem = "out of memory";
    } else if (c->err) {
        problem = c->errstr;
    } else if (s->tls && tls_start(s->tls, c, text, sizeof text)) {
        problem = text;
    } else {
        redisSetTimeout(c, timeout);
        int words = auth_words(o, word);
        if (words) problem = ask(c, words, word, text, sizeof text);
        if (!problem && ping_it) problem = ask(c, 1, ping, text, sizeof text);
    }
    if (!problem) return c;
    if (o->socket) {
        char path[256];
        socket_path(o->socket, port, path, sizeof path);
        snprintf(why, LINK_WHY, "cannot use %s: %s", path, problem);
    } else {
        snprintf(why, LINK_WHY, "cannot use %s:%ju: %s", o->host, (uintmax_t)port, problem);
    }
    if (c) redisFree(c);
    return NULL;
}

/* Reads and writes say themselves that they do not wait, so that link_wait can; TLS has no such way and needs the flag. */
static int set_blocking(int fd, int blocking)
{
    struct timeval longest = {.tv_sec = 0, .tv_usec = LINK_WAIT_MS * 1000};
    int flags = fcntl(fd, F_GETFL);
    if (flags < 0 || setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &longest, sizeof longest)) return -1;
    return fcntl(fd, F_SETFL, blocking ? flags & ~O_NONBLOCK : flags | O_NONBLOCK);
}

static int take_over(struct link *l, redisContext *c, int blocking)
{
    int one = 1;
    l->context = c;
    l->fd = c->fd;
    l->backlog = 0;
    c->flags &= ~REDIS_BLOCK;
    setsockopt(l->fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one); /* fails on a unix socket, which needs none */
    return set_blocking(l->fd, blocking);
}

int link_open(struct link *l, const struct links *s, uint64_t port, int ping, char why[LINK_WHY])
{
    redisContext *c = link_connect(s, port, ping, why);
    if (!c) return -1;
    if (take_over(l, c, !s->tls)) {
        snprintf(why, LINK_WHY, "port %ju: %s", (uintmax_t)port, strerror(errno));
        link_close(l);
        return -1;
    }
    return 0;
}

int link_reopen(struct link *l, const struct links *s, uint64_t port)
{
    struct timeval second = {1, 0};
    char text[128];
    redisContext *c = start(s, port, s->tls ? &second : NULL);
    if (!c) return -1;
    if (c->err || (s->tls && tls_start(s->tls, c, text, sizeof text)) || take_over(l, c, 0)) {
        redisFree(c);
        l->context = NULL;
        l->fd = -1;
        return -1;
    }
    return 0;
}

int link_ready(struct link *l)
{
    int error = 0;
    socklen_t size = sizeof error;
    return getsockopt(l->fd, SOL_SOCKET, SO_ERROR, &error, &size) || error || set_blocking(l->fd, !tls_used(l->context)) ? -1 : 0;
}

void link_close(struct link *l)
{
    if (l->context) redisFree(l->context);
    l->context = NULL;
    l->fd = -1;
    l->backlog = 0;
}

int link_layered(const struct link *l)
{
    (void)l;
    return tls_used(l->context);
}

static inline ssize_t receive(const struct link *l, void *to, size_t n, int flags)
{
    ssize_t got = recv(l->fd, to, n, flags);
    if (got > 0) return got;
    return got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR) ? 0 : -1;
}

ssize_t link_read(struct link *l, void *to, size_t n)
{
    if (__builtin_expect(tls_used(l->context), 0)) return tls_read(l->context, to, n);
    return receive(l, to, n, MSG_DONTWAIT);
}

ssize_t link_wait(struct link *l, void *to, size_t n)
{
    return receive(l, to, n, 0);
}

ssize_t link_write(struct link *l, const void *from, size_t n)
{
    if (__builtin_expect(tls_used(l->context), 0)) return tls_write(l->context, from, n, &l->backlog);
    ssize_t put = send(l->fd, from, n, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (put >= 0) return put;
    return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR ? 0 : -1;
}
