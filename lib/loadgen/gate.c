/* SPDX-License-Identifier: MIT */
/* The gate before a phase: see gate.h. */
#include "gate.h"

#include "clock.h"
#include "number.h"
#include "output.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define POLL_NS (5 * NS_PER_MS)

/* Read the time in a start file. A text without a newline may still be being written: it counts when it was the same one poll before.
 * Returns 1, 0 when there is none yet, -1 when it holds no time. */
static int read_time(const char *path, char before[64], double *seconds)
{
    char text[64] = "";
    FILE *f = fopen(path, "re");
    if (!f) return 0;
    text[fread(text, 1, sizeof text - 1, f)] = 0;
    fclose(f);
    int whole = text[0] && (strchr(text, '\n') || !strcmp(text, before));
    memcpy(before, text, sizeof text);
    if (!whole) return 0;
    text[strcspn(text, " \r\n")] = 0;
    return number_double(text, 0, 1e11, seconds) ? -1 : 1;
}

int gate_wait(const char *dir, const char *name, const volatile sig_atomic_t *stop, uint64_t *start_ns, char why[GATE_WHY])
{
    char ready[64], start[PATH_MAX], text[64] = "";
    struct output out;
    double seconds = 0;
    int found, bad;
    snprintf(ready, sizeof ready, "ready-%s", name);
    snprintf(start, sizeof start, "%s/start-%s", dir, name);
    /* Who waits for ready-* takes whatever is there for a phase, so what is still being written has a name that no such pattern meets. */
    bad = output_begin(&out, dir, ready);
    if (!bad) {
        fprintf(out.file, "%ld\n", (long)getpid());
        bad = output_commit(&out);
    }
    if (bad) {
        snprintf(why, GATE_WHY, "--gate: cannot write %.200s/%s: %s", dir, ready, strerror(errno));
        return -1;
    }
    while (!(found = read_time(start, text, &seconds)) && !*stop) clock_sleep_until_ns(clock_now_ns() + POLL_NS);
    if (*stop) return 1;
    if (found < 0) {
        snprintf(why, GATE_WHY, "--gate: %.200s holds no time in seconds since the epoch", start);
        return -1;
    }
    uint64_t now = clock_now_ns(), epoch = clock_epoch_ns();
    uint64_t when = (uint64_t)seconds * NS_PER_S + (uint64_t)((seconds - (double)(uint64_t)seconds) * 1e9);
    *start_ns = when > epoch ? now + (when - epoch) : now;
    return 0;
}
