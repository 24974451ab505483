/* SPDX-License-Identifier: MIT */
/* Parsers of trace formats: read one request after the other from the recorded file. */
#ifndef LOADGEN_TRACE_PARSE_H
#define LOADGEN_TRACE_PARSE_H

#include "trace.h"

#include <stdio.h>

/* A recorded request. */
struct trace_row {
    uint64_t us; /* its time, from the origin of the trace */
    enum trace_op op;
    const char *key; /* its text, valid until the next call; NULL: the key is the number key_at */
    uint64_t key_at; /* offset of the text in the file */
    uint64_t key_len, key_size, size, ttl;
};

#define TRACE_LINE_MAX     (TRACE_ESCAPE_MAX * TRACE_KEY_MAX + 4096)
#define TRACE_TTL_MAX      UINT64_C(1000000000) /* seconds */
#define TRACE_MONITOR_LINE "TIME [DATABASE CLIENT] \"COMMAND\" \"ARGUMENT\"..."

struct monitor_command;

struct trace_parser {
    FILE *file;
    const char *path;
    int binary;
    int fraction;                                                                    /* a time had a fraction of a second */
    uint64_t begin;                                                                  /* offset of the last line */
    uint64_t at;                                                                     /* bytes read */
    uint64_t line;                                                                   /* number of the last line or record */
    uint64_t bytes;                                                                  /* size of the file */
    uint64_t left_out;                                                               /* requests of commands that a replay does not send */
    char left_name[32];                                                              /* the first such command */
    int (*next)(struct trace_parser *p, struct trace_row *row, char why[TRACE_WHY]); /* of the format */
    struct {
        const struct monitor_command *command; /* of the line whose arguments are read; NULL: between lines */
        uint64_t us, lines, database;
    } monitor;
    char text[TRACE_LINE_MAX];
};

/** Open a trace and detect its format. Returns 0, or -1 with one line in why. Close with trace_parser_close. */
int trace_parser_open(struct trace_parser *p, const char *path, char why[TRACE_WHY]);

/** Read the next request. Returns 1, 0 at the end, or -1 with one line in why, which names file and line. */
int trace_parser_next(struct trace_parser *p, struct trace_row *row, char why[TRACE_WHY]);

/** Write an error about the last row to why. Returns -1. */
int trace_complain(const struct trace_parser *p, char why[TRACE_WHY], const char *format, ...) __attribute__((format(printf, 3, 4)));

/** Parse seconds with up to nine decimals; those after the sixth are ignored. Returns 0 and sets *us, and *fraction if there are decimals, or -1. */
int trace_time(const char *text, size_t n, uint64_t *us, int *fraction);

/** trace_parser_next for the output of MONITOR. */
int trace_monitor_next(struct trace_parser *p, struct trace_row *row, char why[TRACE_WHY]);

void trace_parser_close(struct trace_parser *p);

#endif
