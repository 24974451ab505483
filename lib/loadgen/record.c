/* SPDX-License-Identifier: MIT */
/* The requests of a run as a trace: see record.h. */
#include "record.h"

#include "clock.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define BUFFER (256UL * 1024)

/* Open a file without a name in the directory of the record. Returns NULL with errno. */
static FILE *part_open(const char *path)
{
    char name[PATH_MAX];
    snprintf(name, sizeof name, "%.*s-XXXXXX", PATH_MAX - 16, path);
    int fd = mkostemp(name, O_CLOEXEC);
    if (fd < 0) return NULL;
    unlink(name);
    FILE *f = fdopen(fd, "w+");
    if (f)
        setvbuf(f, NULL, _IOFBF, BUFFER);
    else
        close(fd);
    return f;
}

int record_begin(struct record *r, const char *path, int threads, char why[RECORD_WHY])
{
    memset(r, 0, sizeof *r);
    r->start_ns = clock_now_ns();
    if ((size_t)snprintf(r->path, sizeof r->path, "%s", path) >= sizeof r->path - 16) {
        snprintf(why, RECORD_WHY, "%.100s...: too long; give a shorter name", path);
        return -1;
    }
    if (!access(path, F_OK)) {
        snprintf(why, RECORD_WHY, "%s: there is such a file; give the name of a new one", path);
        return -1;
    }
    r->part = calloc((size_t)threads, sizeof(FILE *));
    for (; r->part && r->parts < threads; r->parts++) {
        r->part[r->parts] = part_open(path);
        if (!r->part[r->parts]) break;
    }
    if (r->part && r->parts == threads) return 0;
    snprintf(why, RECORD_WHY, "%s: cannot write (%s); give a name in a directory that you can write to", path, strerror(errno));
    record_abandon(r);
    return -1;
}

void record_abandon(struct record *r)
{
    for (int i = 0; i < r->parts; i++) fclose(r->part[i]);
    free(r->part);
    if (r->file) fclose(r->file);
    if (r->temporary[0]) unlink(r->temporary);
    memset(r, 0, sizeof *r);
}

/* Write a request as a line timestamp,key,key_size,value_size,client,op,TTL. */
static void write_line(FILE *to, const struct record_note *n, const struct commands *c, const char *prefix)
{
    const uint64_t key = COMMAND_KEY(n->tagged);
    const unsigned command = (unsigned)(n->tagged >> COMMAND_SHIFT);
    const int set = command == COMMAND_SET, other = command >= COMMANDS; /* DEL alone: options_record */
    fprintf(to, "%" PRIu64 ".%06" PRIu64 ",%s%" PRIu64 ",%zu,%" PRIu64 ",%" PRIu64 ",%s,%" PRIu64 "\n", n->us / 1000000, n->us % 1000000, prefix, key,
            strlen(prefix) + number_digits(key), other ? 0 : values_length(c->values, key), n->client,
            other ? "delete"
            : set ? "set"
                  : "get",
            set ? command_ttl(c, key) : 0);
}

/* Write the notes of all parts in the order of time. Returns 0, or -1 with errno. */
static int merge(struct record *r, const struct commands *c, const char *prefix)
{
    struct record_note *next = calloc((size_t)r->parts, sizeof *next);
    if (!next) return -1;
    for (int i = 0; i < r->parts; i++) {
        if (fflush(r->part[i]) || ferror(r->part[i])) goto bad;
        rewind(r->part[i]);
        if (!fread(&next[i], sizeof next[i], 1, r->part[i])) next[i].us = UINT64_MAX;
    }
    for (;;) {
        int first = 0;
        for (int i = 1; i < r->parts; i++)
            if (next[i].us < next[first].us) first = i;
        if (next[first].us == UINT64_MAX) break;
        write_line(r->file, &next[first], c, prefix);
        if (fread(&next[first], sizeof next[first], 1, r->part[first])) continue;
        if (ferror(r->part[first])) goto bad;
        next[first].us = UINT64_MAX;
    }
    free(next);
    return fflush(r->file) || ferror(r->file) ? -1 : 0;
bad:
    free(next);
    return -1;
}

int record_end(struct record *r, const struct commands *c, const char *prefix, char why[RECORD_WHY])
{
    snprintf(r->temporary, sizeof r->temporary, "%.*s-XXXXXX", PATH_MAX - 16, r->path);
    int fd = mkostemp(r->temporary, O_CLOEXEC), bad = 1;
    if (fd < 0) r->temporary[0] = 0;
    r->file = fd < 0 || fchmod(fd, 0644) ? NULL : fdopen(fd, "w");
    if (r->file) bad = merge(r, c, prefix);
    /* If the name exists now, that file is not overwritten. */
    bad = bad || link(r->temporary, r->path);
    if (bad) snprintf(why, RECORD_WHY, "%s: cannot write: %s", r->path, strerror(errno));
    record_abandon(r);
    return bad;
}
