/* SPDX-License-Identifier: MIT */
/* When a load on memory ends: see watch.h. */
#include "watch.h"

#include "number.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

static volatile sig_atomic_t signalled;

static void on_signal(int number)
{
    signalled = number;
}

void watch_signals(void)
{
    struct sigaction action = {.sa_handler = on_signal};
    sigemptyset(&action.sa_mask);
    sigaction(SIGTERM, &action, NULL);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGHUP, &action, NULL);
}

int watch_process(struct watch *w, const char *text)
{
    size_t n = strcspn(text, ":");
    if (!text[n] || number_u64_n(text, n, 1, INT_MAX, &w->pid)) return -1;
    return number_u64(text + n + 1, 0, UINT64_MAX, &w->start);
}

int watch_lease(struct watch *w, const char *text)
{
    const char *colon = strrchr(text, ':');
    if (!colon || colon == text || colon - text >= PATH_MAX) return -1;
    w->file = text;
    w->file_length = (int)(colon - text);
    return number_u64(colon + 1, 1, 1000000, &w->seconds);
}

/* Whether the watched process runs; a zombie does not. */
static bool is_alive(const struct watch *w)
{
    char path[64], line[1024];
    snprintf(path, sizeof path, "/proc/%llu/stat", (unsigned long long)w->pid);
    FILE *f = fopen(path, "re");
    if (!f) return errno != ENOENT;
    const char *got = fgets(line, sizeof line, f);
    fclose(f);
    /* The name, field 2, may contain blanks and parentheses; the fields after it do not. */
    const char *rest = got ? strrchr(line, ')') : NULL;
    if (!rest) return false;
    /* After the name, separated by blanks: field 3, the state, up to field 22, the start time. */
    char state = rest[1] ? rest[2] : 'Z';
    for (int field = 2; field < 22; field++) {
        rest = strchr(rest + 1, ' ');
        if (!rest) return false;
    }
    uint64_t start;
    if (number_u64_n(rest + 1, strspn(rest + 1, "0123456789"), 0, UINT64_MAX, &start)) return false;
    return state != 'Z' && start == w->start;
}

static bool is_fresh(const struct watch *w)
{
    char path[PATH_MAX];
    struct stat st;
    snprintf(path, sizeof path, "%.*s", w->file_length, w->file);
    return !stat(path, &st) && watch_time() - (double)st.st_mtim.tv_sec - (double)st.st_mtim.tv_nsec / 1e9 < (double)w->seconds;
}

bool watch_over(const struct watch *w)
{
    return signalled || (w->pid && !is_alive(w)) || (w->file && !is_fresh(w));
}

double watch_time(void)
{
    struct timespec t;
    clock_gettime(CLOCK_REALTIME, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}
