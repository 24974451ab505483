/* SPDX-License-Identifier: MIT */
/* Traces: the index of a trace, the walks that share it, and records that no trace could have made. */
#include "rng.h"
#include "slots.h"
#include "trace_build.h"
#include "unit.h"

#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static char dir[UNIT_PATH], path[UNIT_PATH + 8], why[TRACE_WHY];
static struct trace trace;

static ino_t unit_inode(const char *file)
{
    struct stat st;
    return stat(file, &st) ? 0 : st.st_ino;
}

/* Write a trace and open it. Returns the result of trace_open. */
static int begin(const char *text, size_t n)
{
    FILE *f = fopen(path, "w");
    if (!f || fwrite(text, 1, n, f) != n || fclose(f)) exit(1);
    return trace_open(&trace, path, why);
}

static void end(void)
{
    unlink(trace.index);
    trace_close(&trace);
    unlink(path);
}

static void times_in_seconds_are_spread(void)
{
    static const char text[] = "7,a,1,5,0,get,0\n7,b,1,5,0,set,0\n7,c,1,5,0,get,0\n7,d,1,5,0,get,0\n9,e,1,5,0,get,0\n9,f,1,5,0,get,0\n";
    static const char exact[] = "7.25,a,1,5,0,get,0\n7.250001,b,1,5,0,set,0\n9,c,1,5,0,get,0\n";
    CHECK_SAME(begin(text, sizeof text - 1), 0);
    CHECK_SAME(trace.count, 6);
    for (uint64_t i = 0; i < 6; i++) CHECK_SAME(trace_us(&trace.record[i]), i < 4 ? i * 250000 : 2000000 + (i - 4) * 500000);
    CHECK_SAME(trace_op(&trace.record[1]), TRACE_SET);
    CHECK_SAME(trace.header->length_us, 2500000);
    CHECK_SAME(trace.header->keys, 6);
    end();
    CHECK_SAME(begin(exact, sizeof exact - 1), 0);
    CHECK_SAME(trace_us(&trace.record[1]), 1);
    CHECK_SAME(trace_us(&trace.record[2]), 1750000);
    end();
}

/* A trace of n requests to n keys. */
static int begin_many(int n)
{
    char *text = malloc((size_t)n * 64);
    size_t at = 0;
    for (int i = 0; i < n; i++) at += (size_t)sprintf(text + at, "%d,key:%d,0,%d,0,%s,%d\n", i / 1000, i, i % 300, i % 3 ? "set" : "get", i % 5);
    int rc = begin(text, at);
    free(text);
    return rc;
}

static void walks_share_a_trace(void)
{
    enum { N = 20000, TOTAL = 3, PARTS = 2 };
    static uint8_t seen[N];
    uint64_t most = 0, least = N;
    CHECK_SAME(begin_many(N), 0);
    CHECK_WITHIN(trace.header->keys, N * 0.97, N * 1.03);
    memset(seen, 0, sizeof seen);
    for (int i = 0; i < TOTAL * PARTS; i++) {
        struct trace_walk k = {.trace = &trace,
                               .end = N,
                               .last_us = UINT64_MAX,
                               .instance = (uint64_t)i % TOTAL,
                               .total = TOTAL,
                               .part = (uint64_t)i / TOTAL,
                               .parts = PARTS};
        uint64_t found = 0, conns[4] = {0};
        CHECK_SAME(trace_find(&k, 0) == TRACE_FOUND ? trace_us(&trace.record[k.next]) : 0, 0);
        while (trace_find(&k, UINT64_MAX) == TRACE_FOUND) {
            seen[k.next]++;
            conns[trace_connection(&k, trace.record[k.next].hash, 4)]++;
            k.next++;
            found++;
        }
        CHECK_SAME(k.next, N);
        for (int c = 0; c < 4; c++) CHECK_WITHIN(conns[c], (double)found / 4 * 0.8, (double)found / 4 * 1.2);
        if (found > most) most = found;
        if (found < least) least = found;
    }
    for (int i = 0; i < N; i++) CHECK_SAME(seen[i], 1);
    CHECK_WITHIN(least, N / 6.0 * 0.9, N / 6.0);
    CHECK_WITHIN(most, N / 6.0, N / 6.0 * 1.1);
    /* Up to a time, and no further. */
    struct trace_walk k = {.trace = &trace, .end = N, .last_us = 5000000, .total = 1, .parts = 1, .next = 3000};
    CHECK_SAME(trace_find(&k, 2999999), TRACE_LATER);
    CHECK_SAME(trace_find(&k, 3000000), TRACE_FOUND);
    k.next = 5001;
    CHECK_SAME(trace_find(&k, UINT64_MAX), TRACE_OVER);
    end();
}

/* Key i of n has n / (i + 1) requests, and key 0 more than the table of numbers of requests counts. */
static void popular_keys_are_counted(void)
{
    enum { KEYS = 1000, FIRST = 70000 };
    char *text = malloc((size_t)(FIRST + KEYS * 12) * 32);
    size_t at = 0;
    double all = 0, top[TRACE_TOPS] = {0};
    for (int i = 0; i < KEYS; i++) {
        const int n = i ? KEYS / (i + 1) : FIRST;
        for (int k = 0; k < n; k++) at += (size_t)sprintf(text + at, "0,key:%d,0,9,0,get,0\n", i);
        all += n;
        if (i < KEYS / 100) top[0] += n;
        if (i < KEYS / 10) top[1] += n;
        if (i < KEYS / 2) top[2] += n;
    }
    CHECK_SAME(begin(text, at), 0);
    free(text);
    for (int i = 0; i < TRACE_TOPS; i++) CHECK_WITHIN(trace.header->top_percent[i], 100 * top[i] / all - 1e-6, 100 * top[i] / all + 1e-6);
    end();
    CHECK_SAME(begin_many(300000), 0); /* more keys than one pass counts, each with one request */
    CHECK_WITHIN(trace.header->top_percent[0], 0.99, 1.03);
    CHECK_WITHIN(trace.header->top_percent[2], 49.9, 50.1);
    end();
}

static void a_walk_without_requests_ends(void)
{
    enum { N = 65536 }; /* as many as one call examines: there is no record behind them whose time could be read */
    CHECK_SAME(begin_many(N), 0);
    struct trace_walk k = {.trace = &trace, .end = N, .last_us = UINT64_MAX, .instance = 3, .total = 3, .parts = 1};
    CHECK_SAME(trace_find(&k, UINT64_MAX), TRACE_OVER);
    CHECK_SAME(k.next, N);
    end();
}

static void a_damaged_record_is_found(void)
{
    CHECK_SAME(begin_many(100), 0);
    struct trace_record copy[100];
    memcpy(copy, trace.record, sizeof copy);
    struct trace damaged = trace;
    damaged.record = copy;
    struct trace_walk k = {.trace = &damaged, .end = 100, .last_us = UINT64_MAX, .total = 1, .parts = 1};
    CHECK_SAME(trace_find(&k, UINT64_MAX), TRACE_FOUND);
    copy[0].key = UINT64_MAX - 2;
    CHECK_SAME(trace_find(&k, UINT64_MAX), TRACE_DAMAGED);
    copy[0] = trace.record[0];
    copy[0].time_op = TRACE_END;
    CHECK_SAME(trace_find(&k, UINT64_MAX), TRACE_DAMAGED);
    copy[0] = trace.record[0];
    copy[0].size = 1 << 30;
    CHECK_SAME(trace_find(&k, UINT64_MAX), TRACE_DAMAGED);
    /* Its key would begin in the trace and end behind it. */
    copy[0] = trace.record[0];
    copy[0].key = trace.source_bytes - copy[0].key_len + 1;
    CHECK_SAME(trace_find(&k, UINT64_MAX), TRACE_DAMAGED);
    /* A text of the trace that is not the record's key. */
    copy[0].key--;
    CHECK_SAME(trace_find(&k, UINT64_MAX), TRACE_DAMAGED);
    copy[0].hash = (uint32_t)(trace_key_hash(&damaged, &copy[0]) >> 32) / SLOTS * SLOTS;
    CHECK_SAME(trace_find(&k, UINT64_MAX), TRACE_FOUND);
    /* Later than the last request. */
    copy[0].time_op += (trace.header->length_us + 1) << 8;
    CHECK_SAME(trace_find(&k, UINT64_MAX), TRACE_DAMAGED);
    end();
}

/* Replace some bytes of the trace's index, and read all that it then has. */
static void mutate(const char *whole, size_t n, struct rng *seed)
{
    if (!n) exit(1);
    static char changed[64 << 10], key[TRACE_KEY_MAX + 8];
    memcpy(changed, whole, n);
    for (uint64_t i = rng_next(seed) % 4 + 1; i; i--) {
        /* Half of them in the header or the first records. */
        size_t at = rng_next(seed) % (rng_next(seed) % 2 ? n : 256);
        changed[at] = (char)(rng_next(seed) % 3 ? (int)(rng_next(seed) & 255) : changed[at] ^ 1 << rng_next(seed) % 8);
    }
    FILE *f = fopen(trace.index, "w");
    if (!f || fwrite(changed, 1, n, f) != n || fclose(f)) exit(1);
    trace_close(&trace);
    /* Another file than an index is left as it is. */
    if (trace_open(&trace, path, why)) {
        snprintf(trace.index, sizeof trace.index, "%s" TRACE_SUFFIX, path);
        return;
    }
    CHECK(strlen(trace.header->left_name) < sizeof trace.header->left_name);
    CHECK(trace.header->largest_key <= TRACE_KEY_MAX && trace.header->keys <= 2 * trace.count);
    struct trace_walk k = {.trace = &trace, .end = trace.count, .last_us = UINT64_MAX, .total = 1, .parts = 1};
    for (; trace_find(&k, UINT64_MAX) == TRACE_FOUND; k.next++) {
        const struct trace_record *r = &trace.record[k.next];
        trace_key(&trace, r, key);
        CHECK((r->hash ^ trace_key_hash(&trace, r) >> 32) / SLOTS == 0);
        CHECK(r->size <= trace.header->largest_value);
    }
}

/* Run a function in another process, for 60 s at most, and print the first 4 KiB of its messages: a fault may destroy what
 * reports it, and then repeat that report forever. */
static void apart(void (*function)(void))
{
    char said[4096];
    int ends[2], status = -1;
    size_t all = 0;
    fflush(stdout);
    if (pipe(ends)) exit(1);
    pid_t child = fork();
    if (!child) {
        alarm(60);
        dup2(ends[1], STDERR_FILENO);
        close(ends[0]);
        close(ends[1]);
        function();
        fflush(stdout);
        _exit(unit_bad);
    }
    close(ends[1]);
    for (ssize_t n; all < sizeof said && (n = read(ends[0], said + all, sizeof said - all)) > 0;) all += (size_t)n;
    /* The next message ends a process that continues to write. */
    close(ends[0]);
    CHECK_SAME(waitpid(child, &status, 0), child);
    fwrite(said, 1, all, stderr);
    CHECK_SAME(status, 0);
}

static char index_whole[64 << 10];
static size_t index_bytes;

static void mutate_often(void)
{
    struct rng seed;
    rng_seed(&seed, 1, 0);
    for (int i = 0; i < 300; i++) mutate(index_whole, index_bytes, &seed);
}

static void a_mutated_index_is_rebuilt_or_refused(void)
{
    CHECK_SAME(begin_many(200), 0);
    FILE *f = fopen(trace.index, "r");
    index_bytes = f ? fread(index_whole, 1, sizeof index_whole, f) : 0;
    CHECK_SAME(index_bytes, trace.mapped);
    if (f) fclose(f);
    apart(mutate_often);
    end();
}

static void only_an_own_index_is_used(void)
{
    CHECK_SAME(begin_many(3), 0);
    char index[sizeof trace.index];
    snprintf(index, sizeof index, "%s", trace.index);
    ino_t made = unit_inode(index);
    trace_close(&trace);
    CHECK_SAME(trace_open(&trace, path, why), 0);
    CHECK_SAME(unit_inode(index), made);
    trace_close(&trace);
    /* Others can write to it. */
    CHECK_SAME(chmod(index, 0664), 0);
    CHECK_SAME(trace_open(&trace, path, why), 0);
    CHECK(unit_inode(index) != made);
    if (!geteuid()) {
        /* Another user's: ours is in the cache. */
        trace_close(&trace);
        CHECK_SAME(chown(index, 65534, 65534), 0);
        made = unit_inode(index);
        setenv("XDG_CACHE_HOME", dir, 1);
        CHECK_SAME(trace_open(&trace, path, why), 0);
        CHECK(strcmp(trace.index, index) != 0);
        CHECK_SAME(unit_inode(index), made);
        unlink(trace.index);
        trace_close(&trace);
        setenv("XDG_CACHE_HOME", "/dev/null", 1);
        CHECK_SAME(trace_open(&trace, path, why), -1);
        CHECK(strstr(why, "made by another user") != NULL);
        char cache[sizeof dir + 16];
        snprintf(cache, sizeof cache, "%s/tierbench", dir);
        rmdir(cache);
        unlink(index);
        unlink(path);
        return;
    }
    end();
}

static void a_cut_escape_is_not_read_beyond(void)
{
    char key[8];
    for (size_t n = 1; n <= 4; n++) {
        struct trace t = {.source = malloc(n), .source_bytes = n};
        struct trace_record r = {.key_len = (uint16_t)n, .key_size = 0};
        memcpy(t.source, "\\x41", n);
        for (r.key_size = 1; r.key_size < n; r.key_size++) {
            memset(key, 0, sizeof key);
            trace_key(&t, &r, key);
            CHECK_SAME(key[0], n == 4 ? 'A' : 'x');
            CHECK_SAME(key[r.key_size], 0);
        }
        free(t.source);
    }
}

int main(void)
{
    unit_template(dir, "trace_test");
    if (!mkdtemp(dir)) return 1;
    snprintf(path, sizeof path, "%s/trace", dir);
    TEST("times in whole seconds are spread over their second, others are kept", times_in_seconds_are_spread);
    TEST("walks share a trace: each request belongs to one, and keys are spread evenly", walks_share_a_trace);
    TEST("requests to popular keys are counted, in any number of passes", popular_keys_are_counted);
    TEST("a walk without requests ends behind the last record", a_walk_without_requests_ends);
    TEST("an escape that is cut is not read beyond its end", a_cut_escape_is_not_read_beyond);
    TEST("a record that no trace could have made is found before it is used", a_damaged_record_is_found);
    TEST("a mutated index is rebuilt or refused, and nothing is read outside of it", a_mutated_index_is_rebuilt_or_refused);
    TEST("an index that another user made or can write to is not used", only_an_own_index_is_used);
    rmdir(dir);
    return UNIT_END;
}
