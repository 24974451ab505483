/* SPDX-License-Identifier: MIT */
/* Links to endpoints: see link.h. Every wait here ends when a signal reaches any thread. */
#include "link.h"

#include "clock.h"
#include "plain.h"
#include "tls.h"

#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <hiredis.h>
#include <linux/sockios.h>

#define SLICE_MS   50 /* interval of the check whether to continue waiting */
#define BACKLOG_MS 10 /* between attempts to enter a full backlog */

#define PASSWORD_MAX 512

/* The password for a port: with --passwords the list has one for each port from that of the options on. Returns NULL if it has none. */
static const char *password_of(const struct options *o, uint64_t port, char text[PASSWORD_MAX])
{
    const char *at = o->password;
    if (!at || !o->passwords) return at;
    for (uint64_t i = o->port; at && i < port; i++) {
        at = strchr(at, ',');
        if (at) at++;
    }
    size_t n = at && port >= o->port ? strcspn(at, ",") : 0;
    if (!n || n >= PASSWORD_MAX) return NULL;
    memcpy(text, at, n);
    text[n] = 0;
    return text;
}

/* The words of the command that authenticates. Returns their number, 0 if none is required. */
static int auth_words(const struct options *o, uint64_t port, const char *word[5], char text[PASSWORD_MAX])
{
    int n = 0;
    if (o->resp == 3) {
        word[n++] = "HELLO";
        word[n++] = "3";
    }
    if (!o->password) return n;
    word[n++] = "AUTH";
    if (o->user || o->resp == 3) word[n++] = o->user ? o->user : "default";
    word[n] = password_of(o, port, text);
    if (!word[n]) word[n] = ""; /* the server refuses it */
    return n + 1;
}

int link_greet(struct link *l, const struct links *s)
{
    static const char ping[] = "*1\r\n$4\r\nPING\r\n";
    const char *word[5];
    char text[PASSWORD_MAX], *auth = NULL;
    int words = auth_words(s->options, l->to->port, word, text), n = words ? (int)redisFormatCommandArgv(&auth, words, word, NULL) : 0, bad = n < 0;
    const size_t all = bad ? 0 : (size_t)n + sizeof ping - 1;
    char *bytes = bad ? NULL : malloc(all);
    if (bytes) {
        if (n) memcpy(bytes, auth, (size_t)n);
        memcpy(bytes + n, ping, sizeof ping - 1);
    }
    /* A new link has room for these few bytes. */
    bad = !bytes || link_write(l, bytes, all) != (ssize_t)all;
    free(bytes);
    redisFreeCommand(auth);
    return bad ? -1 : 0;
}

int links_init(struct links *s, const struct options *o, const atomic_int *stop, char why[LINK_WHY])
{
    memset(s, 0, sizeof *s);
    s->options = o;
    s->stop = stop;
#if HIREDIS_MAJOR < 1
    if (o->resp == 3) {
        snprintf(why, LINK_WHY, "--resp 3: requires hiredis 1.0 or newer; this build has %d.%d", HIREDIS_MAJOR, HIREDIS_MINOR);
        return -1;
    }
#endif
    if (endpoint_resolve(&s->hosts, o, why)) return -1;
    s->greeting_replies = o->password || o->resp == 3 ? 2 : 1;
    return o->tls ? tls_init(&s->tls, o, why, LINK_WHY) : 0;
}

void links_free(struct links *s)
{
    endpoint_hosts_free(&s->hosts);
    tls_free(s->tls);
}

/* Wait until the link is ready for events. Returns 1, 0 after the time limit, -1 if waiting was stopped. */
static int wait_for(const struct link *l, const struct links *s, short events, uint64_t deadline_ns)
{
    struct pollfd ready = {.fd = l->fd, .events = events};
    for (;;) {
        uint64_t now = clock_now_ns(), left_ms = deadline_ns > now ? (deadline_ns - now) / NS_PER_MS + 1 : 0;
        if (*s->stop) return -1;
        if (poll(&ready, 1, left_ms < SLICE_MS ? (int)left_ms : SLICE_MS) > 0) return 1;
        if (!left_ms) return 0;
    }
}

static uint64_t deadline_of(double limit_s)
{
    return clock_now_ns() + (uint64_t)(limit_s * 1e9);
}

/* Start to connect to one address. */
static int dial(struct link *l, const struct endpoint *e, uint32_t n)
{
    int one = 1;
    const struct sockaddr *address = (const struct sockaddr *)(const void *)&e->address[n];
    l->to = e;
    l->layer = NULL;
    l->linked = 0;
    l->want = POLLOUT;
    l->fd = socket(address->sa_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (l->fd < 0) return -1;
    setsockopt(l->fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one); /* fails on a unix socket, which needs none */
    if (!connect(l->fd, address, e->size[n]) || errno == EINPROGRESS) return 0;
    int saved = errno;
    link_close(l);
    errno = saved;
    return -1;
}

int link_reopen(struct link *l, const struct links *s, const struct endpoint *e)
{
    (void)s;
    return dial(l, e, (e->best + l->turn++) % e->addresses);
}

int link_ready(struct link *l, const struct links *s)
{
    int error = 0;
    socklen_t size = sizeof error;
    if (!l->linked) {
        if (getsockopt(l->fd, SOL_SOCKET, SO_ERROR, &error, &size) || error) {
            if (error) errno = error;
            return -1;
        }
        l->linked = 1;
        if (s->tls) l->layer = tls_open(s->tls, l->fd, l->to->host);
        if (s->tls && !l->layer) return -1;
    }
    if (l->layer) {
        int done = tls_ready(l->layer, &l->want);
        if (done <= 0) return done;
    }
    return 1;
}

/* As dial, again and again while the backlog of a unix socket is full: then connect() fails with EAGAIN, where that of TCP waits. */
static int dial_waiting(struct link *l, const struct links *s, const struct endpoint *e, uint32_t n, uint64_t deadline_ns)
{
    int bad;
    while ((bad = dial(l, e, n)) && errno == EAGAIN && !*s->stop && clock_now_ns() < deadline_ns) poll(NULL, 0, BACKLOG_MS);
    return bad;
}

/* Connect to one address and encrypt, waiting. Returns 0, or -1 with a reason. */
static int connect_to(struct link *l, const struct links *s, const struct endpoint *e, uint32_t n, char *text, size_t size)
{
    double limit = s->options->connect_timeout_s;
    uint64_t deadline = deadline_of(limit);
    if (dial_waiting(l, s, e, n, deadline)) {
        if (errno == EAGAIN)
            snprintf(text, size, "no connection in %.10g s", limit);
        else
            snprintf(text, size, "%s", strerror(errno));
        return -1;
    }
    for (;;) {
        int waited = wait_for(l, s, l->want, deadline), ready = waited > 0 ? link_ready(l, s) : 0;
        if (ready > 0) return 0;
        if (waited > 0 && !ready) continue;
        if (waited < 0)
            snprintf(text, size, "interrupted");
        else if (!waited)
            snprintf(text, size, l->linked ? "TLS: no handshake in %.10g s" : "no connection in %.10g s", limit);
        else if (l->layer)
            tls_problem(l->layer, text, size);
        else
            snprintf(text, size, "%s", strerror(errno));
        return -1;
    }
}

/* Read on until the reader has a reply. Returns it, or NULL with a reason. */
static redisReply *reply_read(struct link *l, const struct links *s, redisReader *reader, double limit_s, const char *command, char *why)
{
    char bytes[4096];
    uint64_t deadline = deadline_of(limit_s);
    void *reply = NULL;
    for (;;) {
        ssize_t n = link_read(l, bytes, sizeof bytes);
        if (n > 0) {
            if (redisReaderFeed(reader, bytes, (size_t)n) != REDIS_OK || redisReaderGetReply(reader, &reply) != REDIS_OK) {
                snprintf(why, LINK_WHY, "%s: invalid reply: %s", command, reader->errstr);
                return NULL;
            }
            if (reply) return reply;
            continue;
        }
        int waited = n ? -2 : wait_for(l, s, POLLIN, deadline);
        if (waited > 0) continue;
        if (waited == -2)
            snprintf(why, LINK_WHY, "%s: the server closed the connection", command);
        else if (waited < 0)
            snprintf(why, LINK_WHY, "%s: interrupted", command);
        else
            snprintf(why, LINK_WHY, "no reply to %s in %.10g s", command, limit_s);
        return NULL;
    }
}

static int send_all(struct link *l, const struct links *s, const char *bytes, size_t n, uint64_t deadline_ns)
{
    while (n) {
        ssize_t put = link_write(l, bytes, n);
        if (put < 0 || (!put && wait_for(l, s, POLLOUT, deadline_ns) <= 0)) return -1;
        bytes += put;
        n -= (size_t)put;
    }
    return 0;
}

redisReply *link_ask(struct link *l, const struct links *s, double limit_s, int words, const char **word, char why[LINK_WHY])
{
    char *bytes = NULL;
    int n = (int)redisFormatCommandArgv(&bytes, words, word, NULL);
    redisReader *reader = n < 0 ? NULL : redisReaderCreate();
    redisReply *reply = NULL;
    if (!reader)
        snprintf(why, LINK_WHY, "out of memory");
    else if (send_all(l, s, bytes, (size_t)n, deadline_of(limit_s)))
        snprintf(why, LINK_WHY, "%s: the server does not read", word[0]);
    else
        reply = reply_read(l, s, reader, limit_s, word[0], why);
    if (reader) redisReaderFree(reader);
    redisFreeCommand(bytes);
    if (reply && reply->type == REDIS_REPLY_ERROR) {
        snprintf(why, LINK_WHY, "%.256s", reply->str && *reply->str ? reply->str : "an error without a text");
        freeReplyObject(reply);
        reply = NULL;
    }
    if (!reply) plain_text(why);
    return reply;
}

/* Authenticate and ask PING. Returns 0, or -1 with a reason. */
static int greet(struct link *l, const struct links *s, int ping_it, char *why)
{
    static const char *ping[] = {"PING"};
    const char *word[5];
    char text[PASSWORD_MAX];
    double limit = s->options->connect_timeout_s;
    int words = auth_words(s->options, l->to->port, word, text);
    redisReply *reply = NULL;
    if (words) {
        reply = link_ask(l, s, limit, words, word, why);
        if (!reply) return -1;
        freeReplyObject(reply);
    }
    if (!ping_it) return 0;
    reply = link_ask(l, s, limit, 1, ping, why);
    if (!reply) return -1;
    freeReplyObject(reply);
    return 0;
}

int link_open(struct link *l, const struct links *s, struct endpoint *e, int ping, char why[LINK_WHY])
{
    char text[LINK_WHY] = "";
    int bad = -1;
    for (uint32_t i = 0; bad && i < e->addresses && !*s->stop; i++) {
        uint32_t n = (e->best + i) % e->addresses;
        bad = connect_to(l, s, e, n, text, sizeof text);
        if (bad)
            link_close(l);
        else
            e->best = n;
    }
    if (!bad && !greet(l, s, ping, text)) return 0;
    link_close(l);
    snprintf(why, LINK_WHY, "cannot use %.300s: %.180s", e->name, text[0] ? text : "interrupted");
    return -1;
}

int link_stale(const struct link *l)
{
    char byte;
    if (l->fd < 0) return 0;
    if (link_layered(l)) return tls_read(l->layer, &byte, 1) != 0;
    ssize_t n = recv(l->fd, &byte, 1, MSG_PEEK | MSG_DONTWAIT);
    return !n || (n < 0 && errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR);
}

uint32_t link_queued(const struct link *l)
{
    int queued = 0;
    return l->fd >= 0 && !ioctl(l->fd, SIOCOUTQ, &queued) && queued > 0 ? (uint32_t)queued : 0;
}

void link_close(struct link *l)
{
    tls_close(l->layer);
    l->layer = NULL;
    if (l->fd >= 0) close(l->fd);
    l->fd = -1;
}

ssize_t link_read(struct link *l, void *to, size_t n)
{
    if (__builtin_expect(link_layered(l), 0)) return tls_read(l->layer, to, n);
    ssize_t got = recv(l->fd, to, n, MSG_DONTWAIT);
    if (got > 0) return got;
    return got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR) ? 0 : -1;
}

/* Convert the result of a send to that of link_write. */
static inline ssize_t taken(ssize_t put)
{
    if (put >= 0) return put;
    return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR ? 0 : -1;
}

ssize_t link_write(struct link *l, const void *from, size_t n)
{
    if (__builtin_expect(link_layered(l), 0)) return tls_write(l->layer, from, n);
    return taken(send(l->fd, from, n, MSG_NOSIGNAL | MSG_DONTWAIT));
}

ssize_t link_writev(struct link *l, const struct iovec *from, int count)
{
    struct msghdr message = {.msg_iov = (struct iovec *)from, .msg_iovlen = (size_t)count};
    return taken(sendmsg(l->fd, &message, MSG_NOSIGNAL | MSG_DONTWAIT));
}
