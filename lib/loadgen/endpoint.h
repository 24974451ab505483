/* SPDX-License-Identifier: MIT */
/* The address of an instance: every address of its host, or its unix socket, and its name for messages. */
#ifndef LOADGEN_ENDPOINT_H
#define LOADGEN_ENDPOINT_H

#include "options.h"

#include <sys/socket.h>

#define ENDPOINT_ADDRESSES 8
#define ENDPOINT_NAME      320
#define ENDPOINT_WHY       512

/* One address of an instance, or of a host. */
struct endpoint {
    char name[ENDPOINT_NAME]; /* HOST:PORT, or the path of the socket */
    char host[256];           /* without port and brackets; empty for a socket */
    struct sockaddr_storage address[ENDPOINT_ADDRESSES];
    socklen_t size[ENDPOINT_ADDRESSES];
    uint32_t addresses;
    uint32_t best; /* the address that worked last: it is tried first */
    uint64_t port;
};

/* The hosts of all instances: that of the options, then those of --hosts. */
struct endpoint_hosts {
    struct endpoint *host; /* owned: `count` of them, resolved; their names are without a port */
    uint64_t *from;        /* owned: instances from this port on are on the host */
    uint32_t count;
};

/** Returns how many hosts a list PORT=HOST,... names, or -1 when it is invalid; ports must ascend. */
int endpoint_hosts_named(const char *list);

/** Resolve the hosts of the options, once for all instances; [::1] may have its brackets. Returns 0, or -1 with one line in why. Free with
 *  endpoint_hosts_free in either case. */
int endpoint_resolve(struct endpoint_hosts *h, const struct options *o, char why[ENDPOINT_WHY]);

/** Release what endpoint_resolve allocated. */
void endpoint_hosts_free(struct endpoint_hosts *h);

/** Make `e` the endpoint of the instance on `port`: its host with that port, or the socket of that port. Returns 0, or -1 with one line in why when
 *  the path of the socket is too long. */
int endpoint_instance(struct endpoint *e, const struct endpoint_hosts *h, const struct options *o, uint64_t port, char why[ENDPOINT_WHY]);

#endif
