/* SPDX-License-Identifier: MIT */
/* The gate before a phase: see gate.h. */
#include "gate.h"

#include "clock.h"
#include "number.h"
#include "output.h"
#include "pattern.h"
#include "plain.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define POLL_NS     (5 * NS_PER_MS)
#define START_MAX_S 1.8e10 /* in ns, it fits into 64 bits */

int gate_read(const char *text, uint64_t connections, struct gate_order *order)
{
    char copy[GATE_TEXT], *rest = copy, *word[5];
    int words = 0;
    memset(order, 0, sizeof *order);
    if (strlen(text) >= sizeof copy) return -1;
    memcpy(copy, text, strlen(text) + 1);
    copy[strcspn(copy, "\r\n")] = 0;
    for (char *at; words < 5 && (at = strsep(&rest, " ")) != NULL;)
        if (*at) word[words++] = at;
    if (words == 1 && (!strcmp(word[0], "keep") || !strcmp(word[0], "skip"))) {
        order->go = word[0][0] == 'k' ? GATE_KEEP : GATE_SKIP;
        return 0;
    }
    if (!words || words > 4 || number_double(word[0], 0, START_MAX_S, &order->start_s)) return -1;
    if (words == 1) return 0;
    order->loaded = 1;
    if (word[1][0] == 'c' ? number_u64(word[1] + 1, 0, connections, &order->connections) : number_double(word[1], 0.001, 1e9, &order->rate))
        return -1;
    if (words == 2) return 0;
    order->go = strcmp(word[2], "take") ? GATE_STEP : GATE_TAKE;
    if (order->go == GATE_STEP && number_double(word[2], 0.01, 1e6, &order->seconds)) return -1;
    if (words == 3) return 0;
    order->patterned = 1;
    return order->go == GATE_STEP && !pattern_parse(&order->keys, word[3]) && pattern_has_place(order->keys.kind) && strchr(word[3], ':') ? 0 : -1;
}

/* Read a start file. A text without a newline may be incomplete: it counts if it was the same at the previous poll. Returns 1 if the text is
 * complete, else 0. */
static int read_start(const char *path, char text[GATE_TEXT])
{
    char before[GATE_TEXT];
    FILE *f = fopen(path, "re");
    if (!f) return 0;
    memcpy(before, text, sizeof before);
    text[fread(text, 1, GATE_TEXT - 1, f)] = 0;
    fclose(f);
    return text[0] && (strchr(text, '\n') || !strcmp(text, before));
}

int gate_wait(const char *dir, const char *name, uint64_t connections, const atomic_int *stop, struct gate_order *order, char why[GATE_WHY])
{
    char ready[64], offer[PATH_MAX], start[PATH_MAX], text[GATE_TEXT] = "";
    struct output out;
    int bad;
    snprintf(ready, sizeof ready, "ready-%s", name);
    snprintf(offer, sizeof offer, "%s/%s", dir, ready);
    snprintf(start, sizeof start, "%s/start-%s", dir, name);
    /* Readers of ready-* treat any such file as a phase, so an incomplete file has another name. */
    bad = output_begin(&out, dir, ready);
    if (!bad) {
        fprintf(out.file, "%ld\n", (long)getpid());
        bad = output_commit(&out);
    }
    if (bad) {
        snprintf(why, GATE_WHY, "--gate: cannot write %.200s: %s", offer, strerror(errno));
        return -1;
    }
    while (!read_start(start, text) && !*stop) {
        /* Who removes the offer without an order does not start the phase any more, and a generator that nobody knows would wait forever. */
        if (access(offer, F_OK) && errno == ENOENT && !read_start(start, text)) {
            snprintf(why, GATE_WHY, "--gate: %.200s was removed before the phase was started", offer);
            return -1;
        }
        clock_sleep_until_ns(clock_now_ns() + POLL_NS);
    }
    if (*stop) return 1;
    if (gate_read(text, connections, order)) {
        text[strcspn(text, "\r\n")] = 0;
        plain_text(text);
        snprintf(why, GATE_WHY, "--gate: %.100s: '%.100s': expected TIME [RATE|cCONNECTIONS [SECONDS [KEYS]|take]], keep or skip", start, text);
        return -1;
    }
    uint64_t now = clock_now_ns(), epoch = clock_epoch_ns();
    uint64_t when = (uint64_t)order->start_s * NS_PER_S + (uint64_t)((order->start_s - (double)(uint64_t)order->start_s) * 1e9);
    order->start_ns = when > epoch ? now + (when - epoch) : now;
    return 0;
}
