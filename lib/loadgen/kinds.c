/* SPDX-License-Identifier: MIT */
/* The results of a mixed phase by command: see kinds.h. */
#include "kinds.h"

#include <stdlib.h>
#include <string.h>

int kinds_init(struct kinds *k, int n)
{
    k->kinds = 0;
    k->kind = n ? calloc((size_t)n, sizeof *k->kind) : NULL;
    if (n && !k->kind) return -1;
    for (; k->kinds < n; k->kinds++)
        if (hist_init(&k->kind[k->kinds].latency, 3)) return -1;
    return 0;
}

void kinds_free(struct kinds *k)
{
    for (int i = 0; i < k->kinds; i++) hist_free(&k->kind[i].latency);
    free(k->kind);
    k->kind = NULL;
    k->kinds = 0;
}

void kinds_clear(struct kinds *k)
{
    for (int i = 0; i < k->kinds; i++) {
        hist_clear(&k->kind[i].latency);
        memset(k->kind[i].count, 0, sizeof k->kind[i].count);
    }
}

void kinds_merge(struct kinds *k, const struct kinds *from)
{
    for (int i = 0; i < k->kinds; i++) {
        hist_merge(&k->kind[i].latency, &from->kind[i].latency);
        for (int j = 0; j < KIND_COUNTS; j++) k->kind[i].count[j] += from->kind[i].count[j];
    }
}
