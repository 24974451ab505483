/* SPDX-License-Identifier: MIT */
/* A recorded trace: see trace.h. Pages of processed records are released to the kernel, so that memory does not grow with the trace. */
#include "trace.h"

#include "number.h"
#include "rng.h"
#include "slots.h"
#include "trace_build.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define LOOKS 65536       /* max records that one call examines */
#define CHUNK (4UL << 20) /* bytes that are released at a time */

uint64_t trace_key_hash(const struct trace *t, const struct trace_record *r)
{
    return r->key_len ? trace_text_hash(t->source + r->key, r->key_len) : rng_mix(r->key + RNG_STEP);
}

void trace_key(const struct trace *t, const struct trace_record *r, char *out)
{
    trace_key_write(r->key_len ? t->source + r->key : NULL, r->key_len, r->key, r->key_size, out);
}

/* Map a whole file, and describe it. Returns its address, or NULL with errno. */
static void *map(const char *path, struct stat *st)
{
    void *at = MAP_FAILED;
    int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0) return NULL;
    if (!fstat(fd, st)) at = mmap(NULL, (size_t)st->st_size, PROT_READ, MAP_SHARED, fd, 0);
    int saved = errno;
    close(fd);
    errno = saved;
    return at == MAP_FAILED ? NULL : at;
}

int trace_open(struct trace *t, const char *path, char why[TRACE_WHY])
{
    struct stat index, source;
    memset(t, 0, sizeof *t);
    if (trace_build(path, t->index, why)) return -1;
    t->header = map(t->index, &index);
    if (t->header) t->mapped = (size_t)index.st_size;
    t->source = t->header ? map(path, &source) : NULL;
    if (t->source) t->source_bytes = (uint64_t)source.st_size;
    /* The file of that name may be another one since it was found. */
    if (!t->source || !trace_index_fits(&index, t->header, &source)) {
        snprintf(why, TRACE_WHY, "%s: %s", t->source || !t->header ? t->index : path,
                 t->source ? "was replaced or changed; start again" : strerror(errno));
        trace_close(t);
        return -1;
    }
    t->record = (const struct trace_record *)(t->header + 1);
    t->count = t->header->count;
    return 0;
}

void trace_close(struct trace *t)
{
    if (t->header) munmap(t->header, t->mapped);
    if (t->source) munmap(t->source, t->source_bytes);
    memset(t, 0, sizeof *t);
}

void trace_mix(struct mix *m)
{
    static const struct {
        const char *name;
        uint8_t reply, data;
    } known[TRACE_OPS] = {{"get", MIX_VALUE, 0},      {"set", MIX_OK, 1},       {"add", MIX_ANY, 1},      {"replace", MIX_ANY, 1},
                          {"delete", MIX_INTEGER, 0}, {"incr", MIX_INTEGER, 0}, {"decr", MIX_INTEGER, 0}, {"fill", MIX_OK, 1}};
    m->commands = TRACE_END;
    m->entries = TRACE_OPS;
    m->removes = 1;
    for (int i = 0; i < TRACE_OPS; i++) {
        struct mix_command *c = &m->command[TRACE_GET + i];
        snprintf(c->name, sizeof c->name, "%s", known[i].name);
        c->reply = known[i].reply;
        c->data = known[i].data;
        c->type = 's';
        c->entry = i;
        m->entry[i] = TRACE_GET + i;
    }
}

/* Release the whole chunks of [*passed, at). */
static void give_back(char *from, uint64_t *passed, uint64_t at)
{
    uint64_t to = at / CHUNK * CHUNK;
    if (to <= *passed) return;
    madvise(from + *passed, to - *passed, MADV_DONTNEED);
    *passed = to;
}

/* Whether the record is valid: its offsets and sizes are within the trace and the limits in the header, and its hash is that of its key. */
static int sound(const struct trace *t, const struct trace_record *r)
{
    unsigned op = trace_op(r);
    uint64_t key_bytes = r->key_len ? 1 : number_digits(r->key);
    if (op < TRACE_GET || op >= TRACE_FILL || r->key_size > TRACE_KEY_MAX || r->key_size < key_bytes) return 0;
    if (r->size > t->header->largest_value || r->key_size > t->header->largest_key) return 0;
    if (r->key_len && (r->key >= t->source_bytes || r->key_len > t->source_bytes - r->key)) return 0;
    /* The lower bits are the slot of the key that is sent. */
    return r->hash / SLOTS == (uint32_t)(trace_key_hash(t, r) >> 32) / SLOTS;
}

/* Keep the last chunk before the current record, which requests in flight may need. The kernel reads older bytes again on demand. */
static void give_back_all(struct trace_walk *k, const struct trace_record *r)
{
    uint64_t at = sizeof(struct trace_header) + k->next * sizeof *r;
    if (at > CHUNK) give_back((char *)k->trace->header, &k->passed, at - CHUNK);
    if (sound(k->trace, r) && r->key_len && r->key > CHUNK) give_back(k->trace->source, &k->passed_key, r->key - CHUNK);
}

enum trace_found trace_find(struct trace_walk *k, uint64_t until_us)
{
    const struct trace *t = k->trace;
    const struct trace_record *r;
    for (int looks = 0; looks < LOOKS; looks++, k->next++) {
        if (k->next >= k->end) return TRACE_OVER;
        r = &t->record[k->next];
        if (!(k->next & 4095)) give_back_all(k, r);
        uint64_t us = trace_us(r);
        if (us > t->header->length_us) return TRACE_DAMAGED;
        if (us > k->last_us) return TRACE_OVER;
        if (us > until_us) return TRACE_LATER;
        if (k->owner && k->owner[r->hash % SLOTS] != k->shard) continue;
        uint64_t place = r->hash * k->total;
        if (place >> 32 != k->instance || (uint64_t)(uint32_t)place * k->parts >> 32 != k->part) continue;
        return sound(t, r) ? TRACE_FOUND : TRACE_DAMAGED;
    }
    /* The caller reads the time of the record that is later. */
    return k->next < k->end ? TRACE_LATER : TRACE_OVER;
}

uint32_t trace_connection(const struct trace_walk *k, uint32_t hash, uint32_t n)
{
    uint32_t left = (uint32_t)((uint64_t)(uint32_t)(hash * k->total) * k->parts);
    return (uint32_t)((uint64_t)left * n >> 32);
}
