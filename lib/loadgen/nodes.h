/* SPDX-License-Identifier: MIT */
/* The text of CLUSTER NODES: which node is the master of which slots, at which address, and at which epoch. */
#ifndef LOADGEN_NODES_H
#define LOADGEN_NODES_H

#include "slots.h"

#include <stddef.h>
#include <stdint.h>

#define NODES_MAX  4000 /* Redis advises 1,000 at most */
#define NODES_ID   40
#define NODES_HOST 64
#define NODES_WHY  160

struct node {
    char id[NODES_ID + 1];
    char host[NODES_HOST]; /* empty: the node does not know its own address yet */
    uint16_t port;         /* 0: its address is unknown */
    uint8_t master, failed;
    uint64_t epoch;
    uint32_t slots;
};

struct nodes {
    struct node *node; /* owned */
    int count;
    int moving;           /* a slot is on its way from one node to another */
    int16_t owner[SLOTS]; /* index of the slot's master, -1 when it has none */
};

/** Read n bytes of such a text. Returns 0, or -1 with one line in why: an unclear text is refused. Free with nodes_free in both cases. */
int nodes_parse(struct nodes *nodes, const char *text, size_t n, char why[NODES_WHY]);

/** Release what nodes_parse allocated. */
void nodes_free(struct nodes *nodes);

#endif
