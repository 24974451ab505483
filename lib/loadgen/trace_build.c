/* SPDX-License-Identifier: MIT */
/* The index of a trace: see trace_build.h. The file has no name until it is complete, so that no process reads a partial index. */
#include "trace_build.h"

#include "output.h"
#include "rng.h"
#include "sizes.h"
#include "slots.h"
#include "trace_parse.h"
#include "trace_rank.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define COUNTER_BITS 14 /* of the estimate of distinct keys: HyperLogLog, Flajolet et al. 2007, standard error 0.8 % */
#define COUNTERS     (1 << COUNTER_BITS)
#define CHUNK        (4UL << 20)

struct build {
    struct trace_parser parser;
    struct trace_header header;
    uint64_t first_us, last_us;
    uint8_t counter[COUNTERS];
    FILE *file;
    char temporary[PATH_MAX]; /* the file's temporary name; empty: it has no name */
};

enum state { ABSENT, OTHER, STALE, FITS, NOWHERE, FOREIGN };

static void describe(const struct stat *st, struct trace_header *h)
{
    memcpy(h->magic, TRACE_MAGIC, sizeof h->magic);
    h->record_bytes = sizeof(struct trace_record);
    h->source_bytes = (uint64_t)st->st_size;
    h->source_mtime_ns = (uint64_t)st->st_mtim.tv_sec * 1000000000 + (uint64_t)st->st_mtim.tv_nsec;
}

/* Whether a header describes the rest of its file of `bytes` bytes, within the limits that its users rely on. */
static int plausible(const struct trace_header *h, uint64_t bytes)
{
    const uint64_t records = (bytes - sizeof *h) / sizeof(struct trace_record);
    if (!h->count || h->count != records || (bytes - sizeof *h) % sizeof(struct trace_record)) return 0;
    if (h->largest_value > SIZES_LIMIT || h->largest_key > TRACE_KEY_MAX || h->length_us >> 56) return 0;
    if (!h->keys || h->keys > 2 * h->count || h->sets > h->count || h->valued > h->count) return 0;
    if ((h->sets ? h->set_bytes / h->sets : h->set_bytes) > h->largest_value) return 0;
    if ((h->valued ? h->value_bytes / h->valued : h->value_bytes) > h->largest_value) return 0;
    for (int i = 0; i < TRACE_TOPS; i++)
        if (!(h->top_percent[i] >= 0 && h->top_percent[i] <= 100) && h->top_percent[i] != TRACE_UNKNOWN) return 0;
    return memchr(h->left_name, 0, sizeof h->left_name) != NULL;
}

int trace_index_fits(const struct stat *index, const struct trace_header *h, const struct stat *source)
{
    struct trace_header wanted;
    describe(source, &wanted);
    return index->st_uid == geteuid() && !(index->st_mode & (S_IWGRP | S_IWOTH)) && (uint64_t)index->st_size > sizeof *h &&
           !memcmp(h->magic, wanted.magic, sizeof h->magic) && h->record_bytes == wanted.record_bytes && h->source_bytes == wanted.source_bytes &&
           h->source_mtime_ns == wanted.source_mtime_ns && plausible(h, (uint64_t)index->st_size);
}

/* Returns what exists at an index's path. ABSENT: nothing. OTHER: another kind of file. STALE: an index of another trace or version, or a damaged
 * one. FITS: the valid index. FOREIGN: an index that another user made. NOWHERE: no index can be created there. */
static enum state look(const char *path, const struct stat *source)
{
    struct trace_header h;
    struct stat st;
    if (lstat(path, &st)) return errno == ENOENT ? ABSENT : NOWHERE;
    int fd = S_ISREG(st.st_mode) ? open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC) : -1;
    if (fd < 0) return S_ISREG(st.st_mode) && st.st_uid != geteuid() ? FOREIGN : OTHER;
    ssize_t n = fstat(fd, &st) || !S_ISREG(st.st_mode) ? -1 : read(fd, &h, sizeof h);
    close(fd);
    if (n < (ssize_t)sizeof h.magic || memcmp(h.magic, TRACE_MAGIC, 7) != 0) return OTHER;
    if (st.st_uid != geteuid()) return FOREIGN;
    return n == (ssize_t)sizeof h && trace_index_fits(&st, &h, source) ? FITS : STALE;
}

/* Write the name of the index in the cache directory. Returns 0, or -1 if there is no cache directory. */
static int cached(const char *path, char out[PATH_MAX])
{
    char whole[PATH_MAX], dir[PATH_MAX];
    const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME"), *name = strrchr(path, '/');
    int n = cache && *cache == '/' ? snprintf(dir, sizeof dir, "%s/tierbench", cache)
            : home && *home == '/' ? snprintf(dir, sizeof dir, "%s/.cache/tierbench", home)
                                   : -1;
    if (n < 0 || (size_t)n >= sizeof dir || output_folder(dir) || !realpath(path, whole)) return -1;
    n = snprintf(out, PATH_MAX, "%s/%.100s-%016jx" TRACE_SUFFIX, dir, name ? name + 1 : path, (uintmax_t)trace_text_hash(whole, strlen(whole)));
    return n < PATH_MAX ? 0 : -1;
}

/* Create the file that commit names `path`. Returns 0, or -1 with errno. */
static int begin(struct build *b, const char *path)
{
    char dir[PATH_MAX];
    const char *slash = strrchr(path, '/');
    int fd = -1;
    b->temporary[0] = 0;
    snprintf(dir, sizeof dir, "%.*s", slash ? (int)(slash - path + 1) : 1, slash ? path : ".");
#ifdef O_TMPFILE
    fd = open(dir, O_TMPFILE | O_RDWR | O_CLOEXEC, 0644);
#endif
    if (fd < 0) { /* not every file system supports O_TMPFILE */
        snprintf(b->temporary, sizeof b->temporary, "%.*s-XXXXXX", PATH_MAX - 10, path);
        fd = mkostemp(b->temporary, O_CLOEXEC);
        if (fd < 0) {
            b->temporary[0] = 0; /* the name may be of another's file */
            return -1;
        }
        fchmod(fd, 0644);
    }
    b->file = fdopen(fd, "w+");
    if (!b->file) {
        close(fd);
        return -1;
    }
    setvbuf(b->file, NULL, _IOFBF, 1 << 20);
    return 0;
}

static void abandon(struct build *b)
{
    if (b->file) fclose(b->file);
    if (b->temporary[0]) unlink(b->temporary);
    b->file = NULL;
    b->temporary[0] = 0;
}

/* Give the file its name. It replaces a stale index, but no other file. Returns 0, or -1 with errno. */
static int commit(struct build *b, const char *path, const struct stat *source)
{
    char at[64], other[PATH_MAX];
    const char *from = b->temporary;
    if (fflush(b->file)) return -1;
    if (!*from) {
        snprintf(at, sizeof at, "/proc/self/fd/%d", fileno(b->file));
        if (!linkat(AT_FDCWD, at, AT_FDCWD, path, AT_SYMLINK_FOLLOW)) return 0;
        if (errno != EEXIST || (size_t)snprintf(other, sizeof other, "%.*s-%ld", PATH_MAX - 30, path, (long)getpid()) >= sizeof other) return -1;
        if (linkat(AT_FDCWD, at, AT_FDCWD, other, AT_SYMLINK_FOLLOW)) return -1;
        from = other;
    }
    errno = EEXIST;
    enum state state = look(path, source);
    if (state != OTHER && state != FOREIGN && !rename(from, path)) {
        b->temporary[0] = 0;
        return 0;
    }
    int saved = errno;
    unlink(from);
    errno = saved;
    return -1;
}

/* HyperLogLog: store the longest run of zero bits of each group of keys. */
static void count_key(struct build *b, uint64_t hash)
{
    uint8_t run = (uint8_t)(__builtin_clzll(hash << COUNTER_BITS | UINT64_C(1) << (COUNTER_BITS - 1)) + 1),
            *c = &b->counter[hash >> (64 - COUNTER_BITS)];
    if (run > *c) *c = run;
}

static uint64_t keys_counted(const struct build *b)
{
    double sum = 0, empty = 0;
    for (int i = 0; i < COUNTERS; i++) {
        sum += ldexp(1, -b->counter[i]);
        empty += !b->counter[i];
    }
    double all = 0.7213 / (1 + 1.079 / COUNTERS) * COUNTERS * COUNTERS / sum;
    if (all <= 2.5 * COUNTERS && empty > 0) all = COUNTERS * log(COUNTERS / empty);
    return (uint64_t)llround(all);
}

/* If times are whole seconds, spread the requests of each second evenly over the second, in their order. Returns 0, or -1 with errno. */
static int spread(struct build *b)
{
    size_t bytes = sizeof b->header + b->header.count * sizeof(struct trace_record), passed = 0;
    char *at = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fileno(b->file), 0);
    if (at == MAP_FAILED) return -1;
    struct trace_record *r = (struct trace_record *)(void *)(at + sizeof b->header);
    for (uint64_t i = 0, next; i < b->header.count; i = next) {
        uint64_t us = trace_us(&r[i]);
        for (next = i + 1; next < b->header.count && trace_us(&r[next]) == us;) next++;
        for (uint64_t k = i; k < next; k++) r[k].time_op = (us + (uint64_t)((double)(k - i) * 1e6 / (double)(next - i))) << 8 | (r[k].time_op & 255);
        size_t done = (sizeof b->header + next * sizeof *r) / CHUNK * CHUNK;
        if (done > passed) madvise(at + passed, done - passed, MADV_DONTNEED);
        passed = done;
    }
    b->header.length_us = trace_us(&r[b->header.count - 1]);
    return munmap(at, bytes);
}

/* The slot of the key that a replay sends. */
static unsigned slot_of(const struct trace_row *row)
{
    char key[sizeof TRACE_COUNTER + TRACE_KEY_MAX + 8];
    const size_t prefix = row->op == TRACE_INCR || row->op == TRACE_DECR ? sizeof TRACE_COUNTER - 1 : 0;
    memcpy(key, TRACE_COUNTER, prefix);
    trace_key_write(row->key, row->key_len, row->key_at, row->key_size, key + prefix);
    return slots_of(key, prefix + row->key_size);
}

/* Add a row. Returns 0, or -1 with one line in why. */
static int add(struct build *b, const struct trace_row *row, char *why)
{
    struct trace_header *h = &b->header;
    uint64_t hash = row->key ? trace_text_hash(row->key, row->key_len) : rng_mix(row->key_at + RNG_STEP);
    if (!h->count++) b->first_us = b->last_us = row->us;
    if (row->us < b->last_us)
        return trace_complain(&b->parser, why, "its time is before that of the %s above; sort the trace by time",
                              b->parser.binary ? "record" : "line");
    b->last_us = row->us;
    h->length_us = row->us - b->first_us;
    struct trace_record r = {.time_op = h->length_us << 8 | row->op,
                             .key = row->key_at,
                             .hash = (uint32_t)(hash >> 32) / SLOTS * SLOTS + slot_of(row),
                             .size = (uint32_t)row->size,
                             .ttl = (uint32_t)row->ttl,
                             .key_len = (uint16_t)row->key_len,
                             .key_size = (uint16_t)row->key_size};
    count_key(b, rng_mix(hash));
    if (row->op >= TRACE_SET && row->op <= TRACE_REPLACE) {
        h->sets++;
        h->set_bytes += row->size;
    }
    h->valued += row->size > 0;
    h->value_bytes += row->size;
    if (row->size > h->largest_value) h->largest_value = row->size;
    if (row->key_size > h->largest_key) h->largest_key = row->key_size;
    fwrite(&r, sizeof r, 1, b->file);
    return 0;
}

enum { UNREADABLE = -1, UNWRITTEN = -2 };

/* Write the index to the created file. Returns 0, UNREADABLE with one line in why if the trace is invalid, or UNWRITTEN with errno. */
static int make(struct build *b, const char *path, char *why)
{
    struct trace_row row;
    int more = 0, bad = 0;
    if (trace_parser_open(&b->parser, path, why)) return UNREADABLE;
    memset(b->counter, 0, sizeof b->counter);
    fwrite(&b->header, sizeof b->header, 1, b->file);
    while (!bad && (more = trace_parser_next(&b->parser, &row, why)) > 0) {
        if (add(b, &row, why)) more = -1;
        if (more < 0) break;
        bad = ferror(b->file) ? errno : 0;
    }
    trace_parser_close(&b->parser);
    errno = bad;
    if (bad) return UNWRITTEN;
    if (more < 0) return UNREADABLE;
    b->header.left_out = b->parser.left_out;
    memcpy(b->header.left_name, b->parser.left_name, sizeof b->header.left_name);
    if (!b->header.count) {
        snprintf(why, TRACE_WHY, "%s: no request that a replay sends; accepted: " TRACE_COMMANDS, path);
        return UNREADABLE;
    }
    b->header.keys = keys_counted(b);
    /* A record that was not written is beyond the end of the file, where spread must not write. */
    if (fflush(b->file) || (!b->parser.fraction && spread(b))) return UNWRITTEN;
    trace_rank(b->file, &b->header);
    rewind(b->file);
    return fwrite(&b->header, sizeof b->header, 1, b->file) != 1 || fflush(b->file) ? UNWRITTEN : 0;
}

int trace_build(const char *path, char index[PATH_MAX], char why[TRACE_WHY])
{
    struct stat st;
    char place[2][PATH_MAX];
    int places = 1;
    if (stat(path, &st)) {
        snprintf(why, TRACE_WHY, "%s: %s", path, strerror(errno));
        return -1;
    }
    if ((size_t)snprintf(place[0], PATH_MAX, "%s" TRACE_SUFFIX, path) >= PATH_MAX) {
        snprintf(why, TRACE_WHY, "%.200s...: the name is too long", path);
        return -1;
    }
    if (!cached(path, place[1])) places = 2;
    struct build *b = calloc(1, sizeof *b);
    if (!b) {
        snprintf(why, TRACE_WHY, "out of memory");
        return -1;
    }
    describe(&st, &b->header);
    const struct trace_header wanted = b->header;
    int rc = -1;
    for (int i = 0; i < places && rc; i++)
        if (look(place[i], &st) == FITS) rc = snprintf(index, PATH_MAX, "%s", place[i]) < 0;
    for (int i = 0; i < places && rc; i++) {
        snprintf(index, PATH_MAX, "%s", place[i]);
        enum state state = look(index, &st);
        if (state == FOREIGN) {
            snprintf(why, TRACE_WHY, "%s: made by another user, and there is no directory for our own index; remove it, or set XDG_CACHE_HOME",
                     index);
            continue;
        }
        if (state == NOWHERE) {
            snprintf(why, TRACE_WHY, "%s: cannot write an index: %s", index, strerror(errno));
            continue;
        }
        if (state == OTHER) {
            snprintf(why, TRACE_WHY, "%s: not an index of this program; move it away", index);
            break;
        }
        b->header = wanted;
        rc = begin(b, index) ? UNWRITTEN : make(b, path, why);
        if (!rc && commit(b, index, &st)) rc = UNWRITTEN;
        if (rc == UNWRITTEN) snprintf(why, TRACE_WHY, "%s: cannot write an index: %s", index, strerror(errno));
        abandon(b);
        if (rc == UNREADABLE) break;
    }
    free(b);
    return rc ? -1 : 0;
}
