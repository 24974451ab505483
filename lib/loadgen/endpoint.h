/* SPDX-License-Identifier: MIT */
/* The address of an instance: every address of its host, or its unix socket, and its name for messages. */
#ifndef LOADGEN_ENDPOINT_H
#define LOADGEN_ENDPOINT_H

#include "options.h"

#include <sys/socket.h>

#define ENDPOINT_ADDRESSES 8
#define ENDPOINT_NAME      320
#define ENDPOINT_WHY       512

struct endpoint {
    char name[ENDPOINT_NAME]; /* HOST:PORT, or the path of the socket */
    struct sockaddr_storage address[ENDPOINT_ADDRESSES];
    socklen_t size[ENDPOINT_ADDRESSES];
    uint32_t addresses;
    uint32_t best; /* the address that worked last: it is tried first */
};

/** Resolve the host of the options, once for all its instances; [::1] may have its brackets. Returns 0, or -1 with one line in why. */
int endpoint_resolve(struct endpoint *host, const struct options *o, char why[ENDPOINT_WHY]);

/** Make `e` the endpoint of the instance on `port`: a resolved host with that port, or the socket of that port. Returns 0, or -1 with one
 *  line in why when the path of the socket is too long. */
int endpoint_instance(struct endpoint *e, const struct endpoint *host, const struct options *o, uint64_t port, char why[ENDPOINT_WHY]);

#endif
