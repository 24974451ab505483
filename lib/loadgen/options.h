/* SPDX-License-Identifier: MIT */
/* The command line: one table of options, from which parsing and --help both come. */
#ifndef LOADGEN_OPTIONS_H
#define LOADGEN_OPTIONS_H

#include "keys.h"
#include "mix.h"
#include "pacer.h"
#include "trace.h"
#include "values.h"

#include <stdint.h>
#include <stdio.h>

#define LOADGEN_VERSION    "1.0.0"
#define OPTIONS_PHASES_MAX 16
#define OPTIONS_WHY        256
#define OPTIONS_PREFIX_MAX 1024
#define OPTIONS_TIME_MAX   1e8                 /* seconds of a phase */
#define OPTIONS_KEY_END    (UINT64_C(1) << 50) /* no key is as high */
#define OPTIONS_CPUS_MAX   1024
#define OPTIONS_SIZES      512 /* bytes of all arguments of --sizes */

enum phase_kind { PHASE_SET, PHASE_GET, PHASE_MIXED, PHASE_POPULATE, PHASE_REPLAY };

struct record;

struct options {
    /* where */
    const char *host;
    uint64_t port;
    const char *hosts;    /* PORT=HOST,...: instances from a PORT on are on that HOST instead, or NULL */
    const char *socket;   /* unix socket; %p in it stands for the port */
    const char *user;     /* ACL user, or NULL */
    const char *password; /* REDISCLI_AUTH, or NULL; never printed */
    int passwords;        /* it is a list, with one for each port from `port` on */
    uint64_t resp;        /* protocol version, 2 or 3 */
    int tls;
    const char *tls_ca, *tls_cert, *tls_key, *tls_name;
    /* how much, how many */
    uint64_t threads, instances; /* instances: 0 until options_finish makes it the number of threads */
    uint64_t connections, pipeline;
    uint64_t count; /* keys per instance that phases take, all but populate */
    uint64_t populate_first, populate_count;
    struct keys_spec keys;
    enum keys_kind populate; /* order of the phase populate */
    const char *key_prefix;
    uint64_t key_min, key_max;
    uint64_t size; /* SIZE; --sizes overrides it */
    struct values_spec values;
    char sizes_given[OPTIONS_SIZES], sizes_base[OPTIONS_SIZES]; /* all arguments of --sizes; the list for all phases */
    char sizes_phase[VALUES_PHASES][OPTIONS_SIZES];             /* the lists for one kind of phase */
    const char *sizes_text, *keys_text, *shift_text, *data_text, *ratio_text, *expire_text;
    enum phase_kind phase[OPTIONS_PHASES_MAX];
    int phases;
    uint64_t ratio_set, ratio_get;
    struct mix mix; /* of the phase mixed, in place of the ratio, when it has entries */
    const char *commands_text;
    double rate;              /* requests per second of all threads together; 0 is a closed loop */
    struct schedule schedule; /* whose mean over --time the rate is, if given */
    enum pacer_arrival arrival;
    double time_s, warmup_s, interval_s, timeout_s, connect_timeout_s;
    uint64_t requests; /* of a phase, all threads together; 0 is one pass over the keys */
    uint64_t seed;
    /* a trace in place of all that */
    const char *trace_file;
    const struct trace *trace; /* what trace_file holds; main opens it, and closes it */
    double speed;              /* times that of the trace; 0: a closed loop, at max speed */
    int fill_misses;
    const struct record *record;
    const char *record_file;           /* what the run sends is kept there as a trace */
    uint64_t trace_first, trace_total; /* the first instance here, and the number of instances that share the trace; 0: they are all here */
    /* a cluster */
    int cluster, faults, shards_given;
    uint64_t shards_first, shards_last; /* this client's part, counted from 0 */
    const char *nodes;                  /* ids that the cluster may consist of, or NULL */
    uint64_t track;                     /* tracked writes a second and shard */
    const char *out, *gate;
    /* instead of a load */
    const char *windows; /* FROM-TO,..., or each */
    char **file;         /* interval logs, `files` of them: in argv */
    int files;
    /* switches */
    int verify, flush, force, spin, allow_misses, help, version;
    int cpu[OPTIONS_CPUS_MAX];
    int cpus;
    /* the given options, to find contradictions */
    int given_pipeline, given_speed, given_phases, given_commands;
    int given_count, given_time, given_requests, given_arrival, given_ratio, given_key_max, given_populate;
    char bad[OPTIONS_WHY]; /* why the last argument was refused, where the option itself reports it */
};

/** Read the command line into o. `threads` is the number of OpenMP threads. Strings stay owned by argv and the environment. Returns 0, or -1 with
 *  one line in why that names the argument. */
int options_parse(struct options *o, int argc, char **argv, int threads, char why[OPTIONS_WHY]);

/** Combine the given options, and refuse contradictions: the last step of options_parse. Returns 0, or -1 with one line in why. */
int options_finish(struct options *o, char why[OPTIONS_WHY]);

/** Read an argument of --sizes: LIST for all phases, PHASE=LIST for one kind of phase, or several of them with blanks between. Returns 0, or -1. */
int options_sizes(struct options *o, const char *text);

/** Returns the mean size of values, in bytes: that of the first phase that sets. */
double options_mean_size(const struct options *o);

/** Returns the list of sizes of a kind of phase, NULL for the single SIZE; of get, all arguments of --sizes if phases have their own sizes. */
const char *options_sizes_text(const struct options *o, enum phase_kind kind);

/** Refuse options that conflict with a trace, or require a trace; the first step of options_finish. Returns 0, or -1 with one line in why. */
int options_trace(struct options *o, char why[OPTIONS_WHY]);

/** Refuse options that cannot be recorded. Returns 0, or -1 with one line in why. */
int options_record(const struct options *o, char why[OPTIONS_WHY]);

/** After the trace is open: set sizes and counts from the trace. */
void options_traced(struct options *o, const struct trace *trace);

/** Write one line in why, of OPTIONS_WHY bytes. Returns -1. */
int options_refuse(char *why, const char *format, ...) __attribute__((format(printf, 2, 3)));

/** Print the help text, made from the table of options. */
void options_help(FILE *to);

/** Returns the name of a phase kind, as typed and as in result files. */
const char *options_phase_name(enum phase_kind kind);

/** Returns the phase kind that the first n characters of text name, or -1. */
int options_phase_kind(const char *text, size_t n);

#endif
