/* SPDX-License-Identifier: MIT */
/* The text of CLUSTER NODES: see nodes.h. A line is ID ADDRESS:PORT@BUS[,NAME] FLAGS MASTER PING PONG EPOCH LINK SLOTS..., a slot N or N-M, or
 * [N->-ID] and [N-<-ID] while it moves. */
#include "nodes.h"

#include "number.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FIELDS 8 /* before the slots */

/* A piece of the text. */
struct piece {
    const char *at;
    size_t n;
};

/* Cut the next word off the line. Returns 0, or -1 at its end. */
static int word(struct piece *line, struct piece *out)
{
    while (line->n && *line->at == ' ') line->at++, line->n--;
    if (!line->n) return -1;
    const char *space = memchr(line->at, ' ', line->n);
    out->at = line->at;
    out->n = space ? (size_t)(space - line->at) : line->n;
    line->at += out->n;
    line->n -= out->n;
    return 0;
}

static int id_read(const struct piece *p, char id[NODES_ID + 1])
{
    if (p->n != NODES_ID) return -1;
    for (size_t i = 0; i < p->n; i++)
        if (!((p->at[i] >= '0' && p->at[i] <= '9') || (p->at[i] >= 'a' && p->at[i] <= 'f'))) return -1;
    memcpy(id, p->at, NODES_ID);
    id[NODES_ID] = 0;
    return 0;
}

/* ADDRESS:PORT@BUS, of which an address may have colons too. */
static int address_read(const struct piece *p, struct node *node)
{
    const char *at = memchr(p->at, '@', p->n), *colon = at ? memrchr(p->at, ':', (size_t)(at - p->at)) : NULL;
    uint64_t port;
    if (!colon || colon - p->at >= NODES_HOST || number_u64_n(colon + 1, (size_t)(at - colon - 1), 0, 65535, &port)) return -1;
    size_t n = (size_t)(colon - p->at);
    for (size_t i = 0; i < n; i++)
        if (!strchr("0123456789abcdefABCDEF.:", p->at[i])) return -1;
    memcpy(node->host, p->at, n);
    node->host[n] = 0;
    node->port = (uint16_t)port;
    return 0;
}

static int flag(const struct piece *p, const char *name)
{
    size_t n = strlen(name);
    for (const char *at = p->at, *end = p->at + p->n; at < end;) {
        const char *comma = memchr(at, ',', (size_t)(end - at)), *stop = comma ? comma : end;
        if ((size_t)(stop - at) == n && !memcmp(at, name, n)) return 1;
        at = stop + 1;
    }
    return 0;
}

/* One slot, or a range of them. */
static int slots_read(struct nodes *nodes, const struct piece *p, int index, char *why)
{
    const char *dash = memchr(p->at, '-', p->n);
    size_t first = dash ? (size_t)(dash - p->at) : p->n;
    uint64_t low, high;
    if (number_u64_n(p->at, first, 0, SLOTS - 1, &low)) return -1;
    high = low;
    if (dash && number_u64_n(dash + 1, p->n - first - 1, low, SLOTS - 1, &high)) return -1;
    for (; low <= high; low++) {
        if (nodes->owner[low] >= 0) {
            snprintf(why, NODES_WHY, "slot %d has two masters", (int)low);
            return -1;
        }
        nodes->owner[low] = (int16_t)index;
        nodes->node[index].slots++;
    }
    return 0;
}

static int line_read(struct nodes *nodes, struct piece line, char *why)
{
    struct node *node = &nodes->node[nodes->count];
    struct piece field[FIELDS], slot;
    memset(node, 0, sizeof *node);
    for (int i = 0; i < FIELDS; i++)
        if (word(&line, &field[i])) return -1;
    if (id_read(&field[0], node->id) || address_read(&field[1], node)) return -1;
    node->master = (uint8_t)flag(&field[2], "master");
    node->failed = (uint8_t)flag(&field[2], "fail");
    if (flag(&field[2], "noaddr") || flag(&field[2], "handshake")) node->port = 0;
    if (number_u64_n(field[6].at, field[6].n, 0, UINT64_MAX, &node->epoch)) return -1;
    for (int i = 0; i < nodes->count; i++)
        if (!memcmp(nodes->node[i].id, node->id, NODES_ID)) {
            snprintf(why, NODES_WHY, "node %s is listed twice", node->id);
            return -1;
        }
    nodes->count++;
    while (!word(&line, &slot)) {
        if (*slot.at == '[')
            nodes->moving = 1;
        else if (slots_read(nodes, &slot, nodes->count - 1, why))
            return -1;
    }
    return node->slots && !node->master ? -1 : 0;
}

int nodes_parse(struct nodes *nodes, const char *text, size_t n, char why[NODES_WHY])
{
    const char *end = text + n;
    int lines = 0;
    memset(nodes, 0, sizeof *nodes);
    memset(nodes->owner, -1, sizeof nodes->owner);
    why[0] = 0;
    for (const char *at = text; at < end && (at = memchr(at, '\n', (size_t)(end - at))); at++) lines++;
    if (lines > NODES_MAX) {
        snprintf(why, NODES_WHY, "more than %d nodes", NODES_MAX);
        return -1;
    }
    nodes->node = calloc((size_t)lines + 1, sizeof *nodes->node);
    if (!nodes->node) {
        snprintf(why, NODES_WHY, "out of memory");
        return -1;
    }
    for (const char *at = text; at < end;) {
        const char *newline = memchr(at, '\n', (size_t)(end - at));
        if (!newline || line_read(nodes, (struct piece){at, (size_t)(newline - at)}, why)) {
            if (!why[0]) snprintf(why, NODES_WHY, "line %d is not a line of CLUSTER NODES", nodes->count + 1);
            return -1;
        }
        at = newline + 1;
    }
    if (nodes->count) return 0;
    snprintf(why, NODES_WHY, "no line of CLUSTER NODES");
    return -1;
}

void nodes_free(struct nodes *nodes)
{
    free(nodes->node);
    nodes->node = NULL;
}
