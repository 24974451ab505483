/* SPDX-License-Identifier: MIT */
/* The address of an instance: see endpoint.h. */
#include "endpoint.h"

#include <netdb.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/un.h>

int endpoint_resolve(struct endpoint *host, const struct options *o, char why[ENDPOINT_WHY])
{
    struct addrinfo hints = {.ai_family = AF_UNSPEC, .ai_socktype = SOCK_STREAM}, *found = NULL;
    char name[256];
    size_t n = strlen(o->host);
    memset(host, 0, sizeof *host);
    if (o->socket) return 0;
    int bracketed = n > 2 && o->host[0] == '[' && o->host[n - 1] == ']';
    snprintf(name, sizeof name, "%.*s", (int)(n - (bracketed ? 2 : 0)), o->host + bracketed);
    int rc = getaddrinfo(name, NULL, &hints, &found);
    for (const struct addrinfo *a = found; !rc && a && host->addresses < ENDPOINT_ADDRESSES; a = a->ai_next) {
        if (a->ai_family != AF_INET && a->ai_family != AF_INET6) continue;
        memcpy(&host->address[host->addresses], a->ai_addr, a->ai_addrlen);
        host->size[host->addresses++] = a->ai_addrlen;
    }
    if (found) freeaddrinfo(found);
    if (host->addresses) return 0;
    snprintf(why, ENDPOINT_WHY, "cannot resolve %s: %s", o->host, rc ? gai_strerror(rc) : "no IPv4 or IPv6 address");
    return -1;
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

int endpoint_instance(struct endpoint *e, const struct endpoint *host, const struct options *o, uint64_t port, char why[ENDPOINT_WHY])
{
    *e = *host;
    if (o->socket) return socket_endpoint(e, o->socket, port, why);
    snprintf(e->name, sizeof e->name, "%.256s:%ju", o->host, (uintmax_t)port);
    for (uint32_t i = 0; i < e->addresses; i++) {
        if (e->address[i].ss_family == AF_INET)
            ((struct sockaddr_in *)(void *)&e->address[i])->sin_port = htons((uint16_t)port);
        else
            ((struct sockaddr_in6 *)(void *)&e->address[i])->sin6_port = htons((uint16_t)port);
    }
    return 0;
}
