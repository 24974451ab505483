/* SPDX-License-Identifier: MIT */
/* Fuzz target: for any names of nodes from a server, parsing stays inside the text, and the result is consistent. */
#include "nodes.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct nodes nodes;
    char why[NODES_WHY], *text = malloc(size + !size);
    uint32_t owned = 0, slots = 0;
    if (!text) abort();
    memcpy(text, data, size);
    int rc = nodes_parse(&nodes, text, size, why);
    if (rc && !why[0]) abort();
    if (!rc && !nodes.count) abort();
    for (int slot = 0; !rc && slot < SLOTS; slot++) {
        if (nodes.owner[slot] >= nodes.count) abort();
        if (nodes.owner[slot] >= 0 && !nodes.node[nodes.owner[slot]].master) abort();
        owned += nodes.owner[slot] >= 0;
    }
    for (int i = 0; !rc && i < nodes.count; i++) slots += nodes.node[i].slots;
    if (!rc && slots != owned) abort();
    nodes_free(&nodes);
    free(text);
    return 0;
}
