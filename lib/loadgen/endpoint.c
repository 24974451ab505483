/* SPDX-License-Identifier: MIT */
/* The address of an instance: see endpoint.h. */
#include "endpoint.h"

#include "number.h"

#include <netdb.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/un.h>

/* Read one item PORT=HOST of a list. Returns the rest of the list, empty after the last item, or NULL when it is invalid. */
static const char *item(const char *list, uint64_t *port, const char **host, size_t *length)
{
    size_t digits = strspn(list, "0123456789");
    if (list[digits] != '=' || number_u64_n(list, digits, 1, 65535, port)) return NULL;
    *host = list + digits + 1;
    *length = strcspn(*host, ",");
    const char *end = *host + *length;
    if (!*length || *length > 255 || (*end && !end[1])) return NULL;
    return *end ? end + 1 : end;
}

int endpoint_hosts_named(const char *list)
{
    uint64_t port, last = 0;
    const char *host;
    size_t length;
    int count = 0;
    while (*list) {
        list = item(list, &port, &host, &length);
        if (!list || port <= last) return -1;
        last = port;
        count++;
    }
    return count ? count : -1;
}

/* Resolve one host, `length` bytes of text. Returns 0, or -1 with one line in why. */
static int resolve(struct endpoint *host, const char *text, size_t length, char why[ENDPOINT_WHY])
{
    struct addrinfo hints = {.ai_family = AF_UNSPEC, .ai_socktype = SOCK_STREAM}, *found = NULL;
    int bracketed = length > 2 && text[0] == '[' && text[length - 1] == ']';
    snprintf(host->name, sizeof host->name, "%.*s", (int)length, text);
    snprintf(host->host, sizeof host->host, "%.*s", (int)(length - (bracketed ? 2 : 0)), text + bracketed);
    int rc = getaddrinfo(host->host, NULL, &hints, &found);
    for (const struct addrinfo *a = found; !rc && a && host->addresses < ENDPOINT_ADDRESSES; a = a->ai_next) {
        if (a->ai_family != AF_INET && a->ai_family != AF_INET6) continue;
        memcpy(&host->address[host->addresses], a->ai_addr, a->ai_addrlen);
        host->size[host->addresses++] = a->ai_addrlen;
    }
    if (found) freeaddrinfo(found);
    if (host->addresses) return 0;
    snprintf(why, ENDPOINT_WHY, "cannot resolve %s: %s", host->name, rc ? gai_strerror(rc) : "no IPv4 or IPv6 address");
    return -1;
}

int endpoint_resolve(struct endpoint_hosts *h, const struct options *o, char why[ENDPOINT_WHY])
{
    const char *list = o->hosts, *host = NULL;
    size_t length = 0, most = 1;
    int named = list ? endpoint_hosts_named(list) : 0;
    memset(h, 0, sizeof *h);
    if (named > 0) most += (size_t)named; /* options_parse refuses an invalid list */
    h->host = calloc(most, sizeof *h->host);
    h->from = calloc(most, sizeof *h->from);
    if (!h->host || !h->from) {
        snprintf(why, ENDPOINT_WHY, "out of memory");
        return -1;
    }
    h->count = 1;
    if (o->socket) return 0;
    if (resolve(&h->host[0], o->host, strlen(o->host), why)) return -1;
    while (h->count < most && (list = item(list, &h->from[h->count], &host, &length))) {
        if (resolve(&h->host[h->count], host, length, why)) return -1;
        h->count++;
    }
    return 0;
}

void endpoint_hosts_free(struct endpoint_hosts *h)
{
    free(h->host);
    free(h->from);
}

/* The socket of an instance: %p in the pattern becomes the port. */
static int socket_endpoint(struct endpoint *e, const char *pattern, uint64_t port, char *why)
{
    struct sockaddr_un *un = (struct sockaddr_un *)(void *)&e->address[0];
    const char *mark = strstr(pattern, "%p");
    int before = mark ? (int)(mark - pattern) : (int)strlen(pattern);
    char digits[24] = "";
    if (mark) snprintf(digits, sizeof digits, "%ju", (uintmax_t)port);
    un->sun_family = AF_UNIX;
    snprintf(e->name, sizeof e->name, "%.*s%s%s", before, pattern, digits, mark ? mark + 2 : "");
    if (strlen(e->name) >= sizeof un->sun_path) {
        snprintf(why, ENDPOINT_WHY, "--socket: %.320s: too long; accepted: at most %zu bytes", e->name, sizeof un->sun_path - 1);
        return -1;
    }
    memcpy(un->sun_path, e->name, strlen(e->name) + 1);
    e->size[0] = sizeof *un;
    e->addresses = 1;
    return 0;
}

int endpoint_instance(struct endpoint *e, const struct endpoint_hosts *h, const struct options *o, uint64_t port, char why[ENDPOINT_WHY])
{
    uint32_t at = h->count - 1;
    while (at > 0 && h->from[at] > port) at--;
    *e = h->host[at];
    e->port = port;
    if (o->socket) return socket_endpoint(e, o->socket, port, why);
    snprintf(e->name, sizeof e->name, "%.256s:%ju", h->host[at].name, (uintmax_t)port);
    for (uint32_t i = 0; i < e->addresses; i++) {
        if (e->address[i].ss_family == AF_INET)
            ((struct sockaddr_in *)(void *)&e->address[i])->sin_port = htons((uint16_t)port);
        else
            ((struct sockaddr_in6 *)(void *)&e->address[i])->sin6_port = htons((uint16_t)port);
    }
    return 0;
}
