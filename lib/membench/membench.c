/* SPDX-License-Identifier: MIT */
/* membench: measure, load or fill the memory of a NUMA node, or divide the pages of processes between nodes. */
#include "chase.h"
#include "hold.h"
#include "number.h"
#include "room.h"
#include "spread.h"
#include "stream.h"
#include "watch.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define CHASE_BYTES ((uint64_t)256 << 20) /* min size of the chase: one cycle takes 0.4 s at 100 ns per load */
#define CACHES      8                     /* a buffer is at least this many times the largest caches of the CPUs that use it */
#define SEED        1
#define PARTS       8 /* parts of a measurement of bandwidth; the best one counts */
#define PROCESSES   4096
#define WATCH_NS    200000000 /* between two looks at what is watched; a signal ends the pause */
#define MISPLACED   100       /* one page in 100 may stay where it is */

struct options {
    enum { MEASURE, LOAD, HOLD, SPREAD } verb;
    int cpu[STREAM_THREADS];
    int cpus;
    int node;
    uint64_t bytes; /* max size of the buffer; 0: no limit but the node's. Of hold, its size */
    uint64_t least, keep;
    double seconds;
    double gb_s;
    struct watch watch;
    struct spread spread;
    int process[PROCESSES];
    int processes;
};

static const char usage[] =
    "Usage: membench measure --node N --cpus LIST [--bytes MAX] [--seconds S]\n"
    "       membench load --node N --cpus LIST --gb-s RATE [--bytes MAX] [--process PID:START] [--lease FILE:SECONDS]\n"
    "       membench hold --node N --bytes SIZE [--least MIN] [--keep FREE] [--process PID:START] [--lease FILE:SECONDS]\n"
    "       membench spread --near LIST --far LIST --share P --processes LIST\n"
    "       membench --version\n"
    "\n"
    "measure: print the latency and the bandwidth of node N from these CPUs, a figure a line: NAME, a tab, the value.\n"
    "load: read from node N at RATE GB/s until TERM or INT; print each second's time and GB/s. It exits when process PID, which began\n"
    "at START (field 22 of /proc/PID/stat), is gone, or when FILE is gone or has not been changed for SECONDS.\n"
    "hold: write SIZE bytes of node N once, print their number, and keep them until it ends as load does. FREE bytes of the node stay free.\n"
    "Where the node has less, MIN bytes will do.\n"
    "measure and load take MAX bytes of memory at most, and never more than a fourth of what is free on the node.\n"
    "spread: move the private pages of these processes, P % of them to the nodes --near and the others to the nodes --far. It prints how many pages\n"
    "they have, and how many were moved. It fails when more than one page in 100 is elsewhere then.\n";

static int refuse(const char *what, const char *value)
{
    fprintf(stderr, "membench: %s%s%s\n", what, value ? ": " : "", value ? value : "");
    return 2;
}

/* Parse a list of numbers such as 0-3,8. Returns their count, or 0 for an invalid list and for more than MOST numbers. */
static int read_list(const char *text, uint64_t last_number, int *list, int most)
{
    int count = 0;
    for (;;) {
        uint64_t first, last;
        size_t n = strspn(text, "0123456789");
        if (number_u64_n(text, n, 0, last_number, &first)) return 0;
        last = first;
        text += n;
        if (*text == '-') {
            n = strspn(++text, "0123456789");
            if (number_u64_n(text, n, first, last_number, &last)) return 0;
            text += n;
        }
        for (; first <= last; first++) {
            if (count == most) return 0;
            list[count++] = (int)first;
        }
        if (!*text) return count;
        if (*text++ != ',') return 0;
    }
}

/* Parse an option of spread. Returns 0, 2 with a line on stderr, or -1 for another option. */
static int take_spread(struct options *o, const char *name, const char *value)
{
    struct spread *s = &o->spread;
    if (!strcmp(name, "--near"))
        return (s->nears = read_list(value, ROOM_NODES - 1, s->near, SPREAD_NODES)) ? 0 : refuse("--near: not a list of nodes", value);
    if (!strcmp(name, "--far"))
        return (s->fars = read_list(value, ROOM_NODES - 1, s->far, SPREAD_NODES)) ? 0 : refuse("--far: not a list of nodes", value);
    if (!strcmp(name, "--processes"))
        return (o->processes = read_list(value, INT32_MAX, o->process, PROCESSES)) ? 0 : refuse("--processes: not a list of process ids", value);
    if (strcmp(name, "--share") != 0) return -1;
    if (number_double(value, 0, 100, &s->share)) return refuse("--share: not from 0 to 100", value);
    s->share /= 100;
    return 0;
}

/* Parse one option and its value. Returns 0, or 2 with a line on stderr. */
static int take(struct options *o, const char *name, const char *value)
{
    uint64_t n;
    if (!strcmp(name, "--node")) {
        if (number_u64(value, 0, ROOM_NODES - 1, &n)) return refuse("--node: not the number of a node", value);
        o->node = (int)n;
        return 0;
    }
    if (!strcmp(name, "--cpus"))
        return (o->cpus = read_list(value, 65535, o->cpu, STREAM_THREADS)) ? 0 : refuse("--cpus: not a list of CPUs, such as 0-3,8", value);
    if (!strcmp(name, "--bytes")) return number_amount(value, 1, UINT64_C(1) << 50, &o->bytes) ? refuse("--bytes: not a number of bytes", value) : 0;
    if (!strcmp(name, "--keep")) return number_amount(value, 0, UINT64_C(1) << 50, &o->keep) ? refuse("--keep: not a number of bytes", value) : 0;
    if (!strcmp(name, "--least")) return number_amount(value, 0, UINT64_C(1) << 50, &o->least) ? refuse("--least: not a number of bytes", value) : 0;
    if (!strcmp(name, "--seconds")) return number_double(value, 0.001, 60, &o->seconds) ? refuse("--seconds: not from 0.001 to 60", value) : 0;
    if (!strcmp(name, "--gb-s")) return number_double(value, 0.001, 10000, &o->gb_s) ? refuse("--gb-s: not from 0.001 to 10000", value) : 0;
    if (!strcmp(name, "--process")) return watch_process(&o->watch, value) ? refuse("--process: not PID:START", value) : 0;
    if (!strcmp(name, "--lease")) return watch_lease(&o->watch, value) ? refuse("--lease: not FILE:SECONDS", value) : 0;
    int rc = take_spread(o, name, value);
    return rc < 0 ? refuse("unknown option", name) : rc;
}

static int read_options(struct options *o, int argc, char **argv)
{
    static const char *const verbs[] = {"measure", "load", "hold", "spread"};
    int verb = MEASURE;
    while (argc > 1 && verb <= SPREAD && strcmp(argv[1], verbs[verb]) != 0) verb++;
    if (argc < 2 || verb > SPREAD) return refuse("measure, load, hold or spread is required", argc < 2 ? NULL : argv[1]);
    o->verb = verb;
    for (int i = 2; i < argc; i += 2) {
        if (i + 1 == argc) return refuse("the value is missing", argv[i]);
        int rc = take(o, argv[i], argv[i + 1]);
        if (rc) return rc;
    }
    if (o->verb == SPREAD) {
        if (!o->spread.nears || !o->spread.fars || o->spread.share < 0 || !o->processes)
            return refuse("spread: --near, --far, --share and --processes are required", NULL);
        return 0;
    }
    if (o->node < 0) return refuse("--node is required", NULL);
    if (o->verb == HOLD) return o->bytes ? 0 : refuse("hold: --bytes is required", NULL);
    if (!o->cpus) return refuse("--cpus is required", NULL);
    if (o->verb == LOAD && o->gb_s <= 0) return refuse("load: --gb-s is required", NULL);
    return 0;
}

/* Print why something failed. Returns 1. */
static int fail(const struct options *o, const char *what)
{
    fprintf(stderr, "membench: node %d: %s%s%s\n", o->node, what, errno ? ": " : "", errno ? strerror(errno) : "");
    return 1;
}

/* Map WANTED bytes, at most --bytes and the limit of the node. Returns 0, or 1 with a line on stderr. */
static int take_room(const struct options *o, struct room *r, uint64_t wanted)
{
    uint64_t limit;
    const char *why;
    if (room_limit(o->node, &limit)) return fail(o, "has no memory, or does not exist");
    if (o->bytes && wanted > o->bytes) wanted = o->bytes;
    if (wanted > limit) wanted = limit;
    return room_map(r, (size_t)wanted, o->node, &why) ? fail(o, why) : 0;
}

/* Returns the size of a buffer that is too large for the largest caches of the first COUNT CPUs. */
static uint64_t beyond_caches(const struct options *o, int count)
{
    uint64_t bytes = room_caches("", o->cpu, count) * CACHES;
    return bytes > CHASE_BYTES ? bytes : CHASE_BYTES;
}

/* Measure the bandwidth of all CPUs in several parts. Returns the max in bytes per second, which other programs disturb least, or -1 with errno. */
static double bandwidth(const struct options *o, const struct room *r, enum stream_op op)
{
    struct stream *s = stream_begin(r->start, r->bytes, o->cpu, o->cpus, op, 0);
    if (!s) return -1;
    double best = 0;
    for (int i = 0; i < PARTS; i++) {
        double rate = stream_rate(s, o->seconds / PARTS);
        if (rate > best) best = rate;
    }
    stream_end(s);
    return best;
}

/* Returns the CPU time of this thread. */
static uint64_t thread_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (uint64_t)t.tv_sec * UINT64_C(1000000000) + (uint64_t)t.tv_nsec;
}

static int measure(const struct options *o)
{
    struct room r;
    uint64_t caches = room_caches("", o->cpu, o->cpus), all = beyond_caches(o, o->cpus), chased = beyond_caches(o, 1);
    if (stream_pin(o->cpu[0])) return fail(o, "cannot run on the first of --cpus");
    /* Chase the first part, while threads read the second part. Then read and write the whole buffer. */
    if (take_room(o, &r, chased + all)) return 1;
    /* Of a buffer that is smaller than wanted, the chase has its share. A part begins at a line. */
    size_t first = (size_t)((double)r.bytes * (double)chased / (double)(chased + all)) & ~(size_t)4095;
    printf("bytes\t%zu\npages\t%s\ncached\t%s\n", r.bytes, r.huge ? "huge" : "small", r.bytes - first < caches * CACHES / 2 ? "yes" : "no");
    struct chase c = chase_link(r.start, first, SEED);
    chase_run(&c, o->seconds / PARTS);
    uint64_t began = stream_now(), used = thread_ns();
    printf("latency_ns\t%.1f\n", chase_best(&c, o->seconds));
    printf("share_percent\t%.0f\n", 100.0 * (double)(thread_ns() - used) / (double)(stream_now() - began));
    int rc = 0;
    if (o->cpus > 1) {
        struct stream *s = stream_begin(r.start + first, r.bytes - first, o->cpu + 1, o->cpus - 1, STREAM_READ, 0);
        if (s) {
            uint64_t bytes = stream_bytes(s);
            began = stream_now();
            double latency = chase_run(&c, o->seconds);
            printf("loaded_ns\t%.1f\nload_mb_s\t%.0f\n", latency, (double)(stream_bytes(s) - bytes) * 1e3 / (double)(stream_now() - began));
            stream_end(s);
        } else
            rc = fail(o, "cannot load it");
    }
    for (int op = STREAM_READ; op <= STREAM_WRITE && !rc; op++) {
        double rate = bandwidth(o, &r, (enum stream_op)op);
        if (rate < 0)
            rc = fail(o, "cannot run on all of --cpus");
        else
            printf("%s_mb_s\t%.0f\n", op == STREAM_READ ? "read" : "write", rate / 1e6);
    }
    room_unmap(&r);
    return rc;
}

/* Read at a rate until a signal, or until the watched process or lease is gone; print one line per second. */
static int load(const struct options *o)
{
    struct room r;
    watch_signals();
    if (take_room(o, &r, beyond_caches(o, o->cpus))) return 1;
    struct stream *s = stream_begin(r.start, r.bytes, o->cpu, o->cpus, STREAM_READ, o->gb_s * 1e9);
    if (!s) return fail(o, "cannot run on all of --cpus");
    printf("time\tgb_s\n");
    fflush(stdout);
    while (!watch_over(&o->watch)) {
        double rate = stream_rate(s, 1);
        printf("%.3f\t%.3f\n", watch_time(), rate / 1e9);
        fflush(stdout);
    }
    stream_end(s);
    room_unmap(&r);
    return 0;
}

/* Keep cold memory until a signal, or until the watched process or lease is gone. */
static int hold(const struct options *o)
{
    struct room r;
    const char *why;
    const struct timespec pause = {.tv_nsec = WATCH_NS};
    watch_signals();
    int rc = hold_map(&r, (size_t)o->bytes, o->least ? o->least : o->bytes, o->node, o->keep, &o->watch, &why);
    if (rc) return rc > 0 ? 0 : fail(o, why);
    printf("held\t%zu\n", r.bytes);
    fflush(stdout);
    while (!watch_over(&o->watch)) nanosleep(&pause, NULL);
    room_unmap(&r);
    return 0;
}

/* Divide the pages of all processes. */
static int spread(struct options *o)
{
    struct spread *s = &o->spread;
    for (int i = 0; i < o->processes; i++) /* A process may end during this time. */
        if (spread_process(s, o->process[i]) && errno != ENOENT && errno != ESRCH) {
            fprintf(stderr, "membench: process %d: pages cannot be moved: %s\n", o->process[i], strerror(errno));
            return 1;
        }
    printf("pages\t%" PRIu64 "\nmoved\t%" PRIu64 "\n", s->pages, s->moved - s->misplaced);
    if (s->misplaced * MISPLACED <= s->pages) return 0;
    fprintf(stderr, "membench: %" PRIu64 " of %" PRIu64 " pages cannot be moved; is a node full?\n", s->misplaced, s->pages);
    return 1;
}

/* Write the rest of stdout. What an earlier flush dropped is only in ferror. Returns rc, or 1 instead of 0 after a line on stderr. */
static int finish(int rc)
{
    if (!fflush(stdout) && !ferror(stdout)) return rc;
    fputs("membench: cannot write to stdout; is the disk full, or the pipe closed?\n", stderr);
    return rc ? rc : 1;
}

int main(int argc, char **argv)
{
    static struct options o = {.node = -1, .seconds = 0.4, .spread = {.share = -1}};
    if (argc == 2 && !strcmp(argv[1], "--version")) return finish(puts("membench 1") < 0);
    if (argc == 2 && !strcmp(argv[1], "--help")) return finish(fputs(usage, stdout) < 0);
    int rc = read_options(&o, argc, argv);
    if (rc) return rc;
    /* If memory runs out nevertheless, the OOM killer shall choose this process. */
    int fd = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
    if (fd >= 0) {
        if (write(fd, "1000", 4) < 0) errno = 0;
        close(fd);
    }
    return finish(o.verb == SPREAD ? spread(&o) : o.verb == LOAD ? load(&o) : o.verb == HOLD ? hold(&o) : measure(&o));
}
