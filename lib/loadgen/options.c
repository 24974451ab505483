/* SPDX-License-Identifier: MIT */
/* The command line: see options.h. */
#include "options.h"

#include "number.h"
#include "pattern.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#define KEY_LIMIT (OPTIONS_KEY_END / 2) /* of COUNT, and of the lowest key: together they stay below the end */

enum kind { FLAG_ON, FLAG_OFF, WHOLE, REAL, SECONDS, TEXT, SPECIAL, HEADING };

struct spec;
typedef int setter(struct options *o, const char *text);

/* An option: its name, its argument, its effect. `low` and `high` bound a number. */
struct spec {
    const char *name, *letter, *takes, *help;
    enum kind kind;
    size_t field, given; /* offsets in struct options; given 0: not recorded */
    double low, high;
    setter *set;
};

static setter set_rate, set_arrival, set_phases, set_ratio, set_keys, set_shift, set_populate, set_data, set_expire, set_cpus, set_shards,
    set_commands, set_command, set_command_ratio, set_speed, set_trace_share;

#define AT(member) offsetof(struct options, member)

static const struct spec specs[] = {
    {NULL, NULL, NULL, "Load", HEADING, 0, 0, 0, 0, NULL},
    {"connections", "c", "N", "connections of each thread to each of its instances (default 1)", WHOLE, AT(connections), 0, 1, 65536, NULL},
    {"pipeline", "P", "N", "requests in flight on a connection (default 1)", WHOLE, AT(pipeline), AT(given_pipeline), 1, 65536, NULL},
    {"rate", "r", "R",
     "open loop: R requests per second, all threads together, independent of the server;\n"
     "latency counts from the intended start (default: closed loop). A rate over time, with --time: \"R R@S R@S...\",\n"
     "each from second S on, or \"sine LOW..HIGH PERIOD phase=P\", which begins after P periods",
     SPECIAL, 0, 0, 0, 0, set_rate},
    {"arrival", NULL, "HOW", "uniform or poisson: how an open loop spaces its requests (default uniform)", SPECIAL, 0, AT(given_arrival), 0, 0,
     set_arrival},
    {"phases", NULL, "LIST",
     "set, get, mixed, populate, in any order, separated by commas (default set,get);\n"
     "populate sets every key once, as fast as possible, before the measured phases",
     SPECIAL, 0, AT(given_phases), 0, 0, set_phases},
    {"ratio", NULL, "S:G", "mixed: S sets to G gets (default 1:10)", SPECIAL, 0, AT(given_ratio), 0, 0, set_ratio},
    {"commands", NULL, "LIST",
     "mixed: NAME[-N]:WEIGHT,..., instead of --ratio, such as get:80,set:15,hgetall-10:5. NAME: get set mget mset\n"
     "del rmw incr hset hget hgetall lpush lpop lrange zadd zrange xadd; N: keys, fields or elements (default 10)",
     SPECIAL, 0, 0, 0, 0, set_commands},
    {"command", NULL, "WORDS", "mixed: also a command of your own: WORDS that contain __key__ and __data__", SPECIAL, 0, 0, 0, 0, set_command},
    {"command-ratio", NULL, "N", "the weight of the --command before it (default 1)", SPECIAL, 0, 0, 0, 0, set_command_ratio},
    {"time", NULL, "S", "seconds that a phase lasts (default: until every key was used once)", SECONDS, AT(time_s), AT(given_time), 0.001,
     OPTIONS_TIME_MAX, NULL},
    {"requests", NULL, "N", "requests per phase, all threads together", WHOLE, AT(requests), AT(given_requests), 1, 1e18, NULL},
    {"warmup", NULL, "S", "seconds of the same load before each measured phase, not recorded", SECONDS, AT(warmup_s), 0, 0.001, OPTIONS_TIME_MAX,
     NULL},
    {NULL, NULL, NULL, "Keys and values", HEADING, 0, 0, 0, 0, NULL},
    {"keys", NULL, "PATTERN",
     "sequential (default), shuffle (each once, in random order), uniform,\n"
     "gaussian[:SD] (SD in keys, default a sixth of them), zipf[:THETA] (0 < THETA <= 3, default 0.99),\n"
     "hotspot:K:R (R % of the requests to K % of the keys), latest[:THETA] (zipf from the newest key back; SET adds keys)",
     SPECIAL, 0, 0, 0, 0, set_keys},
    {"scramble", NULL, NULL, "gaussian, zipf, hotspot: popular keys are spread over all keys (default: neighbours)", FLAG_ON, AT(keys.scramble), 0, 0,
     0, NULL},
    {"shift", NULL, "S:P", "gaussian, zipf, hotspot: every S seconds of a phase the popular keys move by P % of all keys", SPECIAL, 0, 0, 0, 0,
     set_shift},
    {"populate-keys", NULL, "ORDER", "sequential or shuffle, for the phase populate (default: sequential if --keys is, else shuffle)", SPECIAL, 0,
     AT(given_populate), 0, 0, set_populate},
    {"key-min", NULL, "N", "number of the first key (default 0)", WHOLE, AT(key_min), 0, 0, 5e14, NULL},
    {"key-max", NULL, "N",
     "number of the last key, instead of COUNT; with COUNT and the phase populate: populate sets\n"
     "keys 0..COUNT-1, and the other phases use KEY-MIN..KEY-MAX of them",
     WHOLE, AT(key_max), AT(given_key_max), 0, 5e14, NULL},
    {"key-prefix", NULL, "STR", "text before the number of each key (default none)", TEXT, AT(key_prefix), 0, 0, 0, NULL},
    {"data", NULL, "KIND", "pattern (default, the guide's), random, or compressible:RATIO (RATIO > 1: size to compressed size)", SPECIAL, 0, 0, 0, 0,
     set_data},
    {"sizes", NULL, "LIST",
     "value sizes instead of SIZE, one per key: N, LOW-HIGH, SIZE:WEIGHT,SIZE:WEIGHT,..., lognormal:MEAN:SD,\n"
     "pareto:MIN:ALPHA, gpareto:LOCATION:SCALE:SHAPE, or etc (Facebook's pool of that name);\n"
     "PHASE=LIST: sizes of set, mixed or populate alone, a new size for each SET (may be repeated)",
     SPECIAL, 0, 0, 0, 0, options_sizes},
    {"expire", NULL, "S", "time to live that SETs give to keys: S seconds, or LOW-HIGH, one per key; misses are then not a failure", SPECIAL, 0, 0, 0,
     0, set_expire},
    {"seed", NULL, "N", "seed of keys, values and arrivals; the same seed sends the same requests (default 1)", WHOLE, AT(seed), 0, 0, 1.8e19, NULL},
    {"no-verify", NULL, NULL, "do not compare what GET returns", FLAG_OFF, AT(verify), 0, 0, 0, NULL},
    {"allow-misses", NULL, NULL, "a miss is not a failure: the server evicts or expires keys", FLAG_ON, AT(allow_misses), 0, 0, 0, NULL},
    {NULL, NULL, NULL, "A recorded trace instead of phases, keys and values", HEADING, 0, 0, 0, 0, NULL},
    {"trace", NULL, "FILE",
     "replay requests at their recorded times: lines timestamp,key,key_size,value_size,client,op,TTL, output of MONITOR, or\n"
     "libCacheSim's oracleGeneral; latency counts from the trace's time. An index is made once: FILE.tierbench-index,\n"
     "or in the cache",
     TEXT, AT(trace_file), 0, 0, 0, NULL},
    {"speed", NULL, "X", "X times as fast as the trace, with times to live divided by X; max: a closed loop (default 1)", SPECIAL, 0, AT(given_speed),
     0, 0, set_speed},
    {"fill-misses", NULL, NULL, "a GET that misses is followed by a SET of its key, with the size in the trace", FLAG_ON, AT(fill_misses), 0, 0, 0,
     NULL},
    {"trace-share", NULL, "F/N", "several clients: the instances here are F, F+1, ... of N, counted from 0, that the keys are spread over", SPECIAL,
     0, 0, 0, 0, set_trace_share},
    {NULL, NULL, NULL, "Server", HEADING, 0, 0, 0, 0, NULL},
    {"instances", NULL, "N", "instances on PORT, PORT+1, ...: threads share them round robin (default: one per thread)", WHOLE, AT(instances), 0, 1,
     65535, NULL},
    {"hosts", NULL, "LIST", "PORT=HOST,PORT=HOST,...: instances from each PORT on are on that HOST instead", TEXT, AT(hosts), 0, 0, 0, NULL},
    {"socket", NULL, "PATH", "unix socket instead of HOST; %p in PATH is replaced by the port", TEXT, AT(socket), 0, 0, 0, NULL},
    {"user", NULL, "NAME", "ACL user; the password is read from REDISCLI_AUTH", TEXT, AT(user), 0, 0, 0, NULL},
    {"passwords", NULL, NULL, "REDISCLI_AUTH has one password for each port from PORT on, separated by commas", FLAG_ON, AT(passwords), 0, 0, 0,
     NULL},
    {"resp", NULL, "V", "protocol version, 2 or 3 (default 2)", WHOLE, AT(resp), 0, 2, 3, NULL},
    {"tls", NULL, NULL, "encrypt connections (a build with make TLS=1)", FLAG_ON, AT(tls), 0, 0, 0, NULL},
    {"cacert", NULL, "FILE", "TLS: certificates of authorities to trust", TEXT, AT(tls_ca), 0, 0, 0, NULL},
    {"cert", NULL, "FILE", "TLS: certificate of this client", TEXT, AT(tls_cert), 0, 0, 0, NULL},
    {"key", NULL, "FILE", "TLS: private key of this client", TEXT, AT(tls_key), 0, 0, 0, NULL},
    {"sni", NULL, "NAME", "TLS: server name to request", TEXT, AT(tls_name), 0, 0, 0, NULL},
    {"no-flush", NULL, NULL, "never FLUSHALL (default: before a first phase that sets)", FLAG_OFF, AT(flush), 0, 0, 0, NULL},
    {"force", NULL, NULL, "FLUSHALL even an instance that contains keys of others", FLAG_ON, AT(force), 0, 0, 0, NULL},
    {"timeout", NULL, "S", "seconds to wait for a reply, and for a lost instance to come back (default 30)", SECONDS, AT(timeout_s), 0, 0.001, 86400,
     NULL},
    {"connect-timeout", NULL, "S", "seconds to wait for a connection at the start (default 5)", SECONDS, AT(connect_timeout_s), 0, 0.001, 3600, NULL},
    {"faults", NULL, NULL, "instances may go down: errors are not a failure if every instance answers at the end of the phase", FLAG_ON, AT(faults),
     0, 0, 0, NULL},
    {NULL, NULL, NULL, "Redis Cluster", HEADING, 0, 0, 0, 0, NULL},
    {"cluster", NULL, NULL, "HOST:PORT is any node: load all masters, shard i (by lowest slot) instead of the instance on PORT+i", FLAG_ON,
     AT(cluster), 0, 0, 0, NULL},
    {"shards", NULL, "A-B", "load shards A to B only, counted from 0 (default: all)", SPECIAL, 0, AT(shards_given), 0, 0, set_shards},
    {"node", NULL, "LIST", "accepted node ids, separated by commas; with any other node in the cluster, nothing is written", TEXT, AT(nodes), 0, 0, 0,
     NULL},
    {"track", NULL, "R",
     "during the last phase, R writes per second to each shard, a new bit each; read back afterwards:\n"
     "finds lost acknowledged writes (track.tsv)",
     WHOLE, AT(track), 0, 1, 100000, NULL},
    {NULL, NULL, NULL, "This machine", HEADING, 0, 0, 0, 0, NULL},
    {"cpus", NULL, "LIST", "pin thread i to the i-th CPU of LIST, such as 0-3,8 (round robin)", SPECIAL, 0, 0, 0, 0, set_cpus},
    {"spin", NULL, NULL, "poll instead of sleeping: uses a whole CPU per thread, removes the wake-up from the latency", FLAG_ON, AT(spin), 0, 0, 0,
     NULL},
    {NULL, NULL, NULL, "Results", HEADING, 0, 0, 0, 0, NULL},
    {"interval", NULL, "S", "seconds per row of the series (default 1)", SECONDS, AT(interval_s), 0, 0.01, 600, NULL},
    {"out", NULL, "DIR", "directory for result files (default: only the guide's histogram files, in the current one)", TEXT, AT(out), 0, 0, 0, NULL},
    {"gate", NULL, "DIR", "before a phase write DIR/ready-PHASE and wait for DIR/start-PHASE, which contains the start time (docs/loadgen.md)", TEXT,
     AT(gate), 0, 0, 0, NULL},
    {"record", NULL, "FILE", "record the requests as a trace, in lines timestamp,key,key_size,value_size,client,op,TTL (one instance)", TEXT,
     AT(record_file), 0, 0, 0, NULL},
    {"windows", NULL, "LIST",
     "no load: print percentiles of times FROM-TO,... (in s), or `each` interval, from the interval logs that follow, FILE.hlog...", TEXT,
     AT(windows), 0, 0, 0, NULL},
    {"help", "h", NULL, "print this", FLAG_ON, AT(help), 0, 0, 0, NULL},
    {"version", NULL, NULL, "print the version", FLAG_ON, AT(version), 0, 0, 0, NULL},
};

#define SPECS (sizeof specs / sizeof *specs)

void options_help(FILE *to)
{
    fputs("Usage: OMP_NUM_THREADS=T test [options] [HOST [PORT [SIZE [COUNT]]]]\n"
          "Load Redis instances and measure them: thread i drives the instance on PORT+i, sets keys 0..COUNT-1 with values of SIZE bytes,\n"
          "then gets them and compares each value. Defaults: 127.0.0.1 6789 100 200000000.\n",
          to);
    for (size_t i = 0; i < SPECS; i++) {
        const struct spec *s = &specs[i];
        if (s->kind == HEADING) {
            fprintf(to, "\n%s\n", s->help);
            continue;
        }
        char head[64];
        snprintf(head, sizeof head, "%s%s%s--%s%s%s", s->letter ? "-" : "    ", s->letter ? s->letter : "", s->letter ? ", " : "", s->name,
                 s->takes ? " " : "", s->takes ? s->takes : "");
        for (const char *line = s->help; line;) {
            const char *next = strchr(line, '\n');
            fprintf(to, "  %-24s %.*s\n", line == s->help ? head : "", next ? (int)(next - line) : (int)strlen(line), line);
            line = next ? next + 1 : NULL;
        }
    }
    fputs("\nNumbers may be written 100000, 1e5 or 100k (k, M, G: thousand, million, thousand million), seconds S also 500ms, 30s, 5m or 2h.\n"
          "Exit status: 0 done, 1 something failed, 2 bad usage, 130 or 143 interrupted. The password comes only from REDISCLI_AUTH.\n",
          to);
}

static int set_rate(struct options *o, const char *text)
{
    memset(&o->schedule, 0, sizeof o->schedule);
    if (!strchr(text, ' ')) return number_double(text, 0.001, 1e9, &o->rate);
    if (schedule_parse(&o->schedule, text)) return -1;
    o->rate = schedule_first(&o->schedule); /* options_finish knows the mean */
    return 0;
}

static int set_arrival(struct options *o, const char *text)
{
    if (!strcmp(text, "uniform"))
        o->arrival = PACER_UNIFORM;
    else if (!strcmp(text, "poisson"))
        o->arrival = PACER_POISSON;
    else
        return -1;
    return 0;
}

static int set_phases(struct options *o, const char *text)
{
    o->phases = 0;
    for (;;) {
        size_t n = strcspn(text, ",");
        const int kind = options_phase_kind(text, n);
        if (kind < 0 || o->phases == OPTIONS_PHASES_MAX) return -1;
        o->phase[o->phases++] = (enum phase_kind)kind;
        if (!text[n]) return 0;
        text += n + 1;
    }
}

static int set_ratio(struct options *o, const char *text)
{
    const char *colon = strchr(text, ':');
    if (!colon || number_u64_n(text, (size_t)(colon - text), 0, 1000000, &o->ratio_set) || number_u64(colon + 1, 0, 1000000, &o->ratio_get))
        return -1;
    o->ratio_text = text;
    return o->ratio_set + o->ratio_get ? 0 : -1;
}

static int set_commands(struct options *o, const char *text)
{
    if (o->given_commands) memset(&o->mix, 0, sizeof o->mix); /* the last list counts */
    o->given_commands = 1;
    o->commands_text = text;
    return mix_parse(&o->mix, text, o->bad);
}

static int set_command(struct options *o, const char *text)
{
    if (!o->commands_text) o->commands_text = text;
    return mix_add(&o->mix, text, 1, o->bad);
}

static int set_command_ratio(struct options *o, const char *text)
{
    uint64_t weight;
    struct mix *m = &o->mix;
    if (!m->entries || !m->command[m->entry[m->entries - 1]].unknown)
        return options_refuse(o->bad, "no --command comes before it; add it after a --command");
    struct mix_command *c = &m->command[m->entry[m->entries - 1]];
    if (number_u64(text, 1, 1000000, &weight)) return -1;
    m->weights += weight - c->weight;
    c->weight = weight;
    return 0;
}

static int set_keys(struct options *o, const char *text)
{
    o->keys_text = text;
    return pattern_parse(&o->keys, text);
}

static int set_shift(struct options *o, const char *text)
{
    o->shift_text = text;
    return pattern_shift(&o->keys, text);
}

static int set_populate(struct options *o, const char *text)
{
    if (!strcmp(text, "sequential"))
        o->populate = KEYS_SEQUENTIAL;
    else if (!strcmp(text, "shuffle"))
        o->populate = KEYS_SHUFFLE;
    else
        return -1;
    return 0;
}

static int set_data(struct options *o, const char *text)
{
    o->data_text = text;
    if (!strcmp(text, "pattern"))
        o->values.kind = VALUES_PATTERN;
    else if (!strcmp(text, "random"))
        o->values.kind = VALUES_RANDOM;
    else if (!strncmp(text, "compressible:", 13) && !number_double(text + 13, 1.001, 1000, &o->values.ratio))
        o->values.kind = VALUES_COMPRESSIBLE;
    else
        return -1;
    return 0;
}

static int set_expire(struct options *o, const char *text)
{
    size_t low = strcspn(text, "-");
    o->expire_text = text;
    if (number_amount_n(text, low, 1, 1000000000, &o->values.ttl_low)) return -1;
    o->values.ttl_high = o->values.ttl_low;
    return text[low] ? number_amount(text + low + 1, o->values.ttl_low, 1000000000, &o->values.ttl_high) : 0;
}

static int set_cpus(struct options *o, const char *text)
{
    for (o->cpus = 0;;) {
        uint64_t low, high;
        size_t n = strcspn(text, ","), first = strcspn(text, "-,");
        if (number_u64_n(text, first, 0, OPTIONS_CPUS_MAX - 1, &low)) return -1;
        high = low;
        if (first < n && number_u64_n(text + first + 1, n - first - 1, low, OPTIONS_CPUS_MAX - 1, &high)) return -1;
        for (; low <= high; low++) {
            if (o->cpus == OPTIONS_CPUS_MAX) return -1;
            o->cpu[o->cpus++] = (int)low;
        }
        if (!text[n]) return 0;
        text += n + 1;
    }
}

static int set_speed(struct options *o, const char *text)
{
    o->speed = 0;
    return strcmp(text, "max") ? number_double(text, 0.0001, 1e6, &o->speed) : 0;
}

static int set_trace_share(struct options *o, const char *text)
{
    size_t n = strcspn(text, "/");
    if (!text[n] || number_u64(text + n + 1, 1, 65535, &o->trace_total)) return -1;
    return number_u64_n(text, n, 0, o->trace_total - 1, &o->trace_first);
}

static int set_shards(struct options *o, const char *text)
{
    size_t n = strcspn(text, "-");
    if (!text[n] || number_u64_n(text, n, 0, 16383, &o->shards_first)) return -1;
    return number_u64(text + n + 1, o->shards_first, 16383, &o->shards_last);
}

/* Store an option's argument by its kind. Returns 0, or -1 when the text is not of that kind. */
static int store(struct options *o, const struct spec *s, const char *text)
{
    char *field = (char *)o + s->field;
    if (s->takes && !text) return -1;
    if (s->given) *(int *)((char *)o + s->given) = 1;
    switch (s->kind) {
    case WHOLE:
        return number_amount(text, (uint64_t)s->low, (uint64_t)s->high, (uint64_t *)(void *)field);
    case REAL:
        return number_double(text, s->low, s->high, (double *)(void *)field);
    case SECONDS:
        return number_seconds(text, s->low, s->high, (double *)(void *)field);
    case TEXT:
        *(const char **)(void *)field = text;
        return (text && *text) || s->field == AT(key_prefix) ? 0 : -1;
    case SPECIAL:
        return s->set(o, text);
    default:
        *(int *)(void *)field = s->kind == FLAG_ON;
        return 0;
    }
}

/* Find the option that arg names. Returns it, or NULL; *text is set to an argument that is part of arg, else NULL. */
static const struct spec *find(const char *arg, const char **text)
{
    *text = NULL;
    for (size_t i = 0; i < SPECS; i++) {
        const struct spec *s = &specs[i];
        if (s->kind == HEADING) continue;
        if (arg[1] != '-') {
            if (!s->letter || arg[1] != *s->letter) continue;
            if (arg[2]) *text = arg + 2;
            return s;
        }
        size_t n = strlen(s->name);
        if (strncmp(arg + 2, s->name, n) != 0 || (arg[2 + n] && arg[2 + n] != '=')) continue;
        if (arg[2 + n]) *text = arg + 3 + n;
        return s;
    }
    return NULL;
}

/* The accepted arguments of an option, for the message that refuses one. */
static const char *accepts(const struct spec *s)
{
    static const struct {
        setter *set;
        const char *text;
    } texts[] = {
        {set_rate, "a number from 0.001 to 1000000000, or a schedule of such numbers and ascending times (see --help)"},
        {set_arrival, "uniform, poisson"},
        {set_phases, "a list of set, get, mixed, populate, such as set,get"},
        {set_ratio, "S:G, two whole numbers that are not both 0"},
        {set_command_ratio, "a whole number from 1 to 1000000"},
        {set_keys, "sequential, shuffle, uniform, gaussian[:SD], zipf[:THETA], hotspot:K:R, latest[:THETA] (see --help)"},
        {set_shift, "SECONDS:PERCENT, with a percentage below 100"},
        {set_populate, "sequential, shuffle"},
        {set_data, "pattern, random, compressible:RATIO with a ratio from 1.001 to 1000"},
        {options_sizes, "N, LOW-HIGH or SIZE:WEIGHT,... with sizes from 1 to 536870912, or a distribution (see --help)"},
        {set_expire, "S or LOW-HIGH, whole seconds from 1 to 1000000000"},
        {set_cpus, "numbers of CPUs, such as 0-3,8"},
        {set_speed, "max, or a number from 0.0001 to 1000000"},
        {set_trace_share, "F/N, with F from 0 and below N"},
        {set_shards, "A-B, from 0 to 16383"},
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if (s->set == texts[i].set) return texts[i].text;
    return s->takes;
}

static int positional(struct options *o, int index, const char *text, char *why)
{
    switch (index) {
    case 0:
        o->host = text;
        return *text ? 0 : options_refuse(why, "HOST=: empty; accepted: a host name or address");
    case 1:
        return number_u64(text, 1, 65535, &o->port) ? options_refuse(why, "PORT=%s: invalid; accepted: a whole number from 1 to 65535", text) : 0;
    case 2:
        if (number_amount(text, 1, SIZES_LIMIT, &o->size))
            return options_refuse(why, "SIZE=%s: invalid; accepted: a whole number from 1 to 536870912 (512 MB)", text);
        return 0;
    case 3:
        o->given_count = 1;
        return number_amount(text, 1, KEY_LIMIT, &o->count)
                   ? options_refuse(why, "COUNT=%s: invalid; accepted: a whole number from 1 to %ju", text, (uintmax_t)KEY_LIMIT)
                   : 0;
    default:
        return options_refuse(why, "%s: unexpected argument; accepted: HOST PORT SIZE COUNT", text);
    }
}

int options_parse(struct options *o, int argc, char **argv, int threads, char why[OPTIONS_WHY])
{
    int index = 0, only_positional = 0;
    memset(o, 0, sizeof *o);
    o->host = "127.0.0.1";
    o->port = 6789;
    o->threads = (uint64_t)threads;
    o->connections = o->pipeline = o->seed = 1;
    o->count = 200000000;
    o->resp = 2;
    o->key_prefix = "";
    o->keys_text = "sequential";
    o->data_text = "pattern";
    o->size = 100;
    o->ratio_text = "1:10";
    o->ratio_set = 1;
    o->ratio_get = 10;
    o->speed = 1;
    o->phases = 2;
    o->phase[0] = PHASE_SET;
    o->phase[1] = PHASE_GET;
    o->interval_s = 1;
    o->timeout_s = 30;
    o->connect_timeout_s = 5;
    o->verify = o->flush = 1;
    o->password = getenv("REDISCLI_AUTH");
    if (o->password && !*o->password) o->password = NULL;
    for (int i = 1; i < argc; i++) {
        const char *arg = argv[i], *text;
        if (only_positional || arg[0] != '-' || !arg[1]) {
            if (o->windows) { /* its files take the places of arguments that were read */
                if (!o->file) o->file = argv + i;
                o->file[o->files++] = argv[i];
                continue;
            }
            if (positional(o, index++, arg, why)) return -1;
            continue;
        }
        if (!strcmp(arg, "--")) {
            only_positional = 1;
            continue;
        }
        const struct spec *s = find(arg, &text);
        if (!s) return options_refuse(why, "%s: unknown option; --help lists them", arg);
        if (!s->takes && text) return options_refuse(why, "%s: the option takes no argument; write --%s", arg, s->name);
        if (s->takes && !text && i + 1 == argc) return options_refuse(why, "%s: the argument is missing; add %s", arg, s->takes);
        if (s->takes && !text) text = argv[++i];
        if (store(o, s, text)) {
            if (o->bad[0]) return options_refuse(why, "--%s %.60s: %.*s", s->name, text, OPTIONS_WHY - 90, o->bad);
            if (s->kind == SECONDS)
                return options_refuse(why, "--%s %.80s: invalid; accepted: a time from %.10g to %.10g s, such as 500ms, 30s or 5m", s->name, text,
                                      s->low, s->high);
            if (s->kind == WHOLE || s->kind == REAL)
                return options_refuse(why, "--%s %.80s: invalid; accepted: a %s from %.10g to %.10g", s->name, text,
                                      s->kind == WHOLE ? "whole number" : "number", s->low, s->high);
            return options_refuse(why, "--%s %.80s: %s; accepted: %s", s->name, text, text && !*text ? "empty" : "invalid", accepts(s));
        }
    }
    if (o->windows && index) return options_refuse(why, "--windows %s: conflicts with HOST=%s; name all logs after it", o->windows, o->host);
    if (o->windows && !o->files) return options_refuse(why, "--windows %s: the logs are missing; name FILE.hlog... after it", o->windows);
    return o->help || o->version || o->windows ? 0 : options_finish(o, why);
}
