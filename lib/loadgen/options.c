/* SPDX-License-Identifier: MIT */
/* The command line: see options.h. */
#include "options.h"

#include "number.h"

#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#define KEY_LIMIT (UINT64_C(1) << 60)

enum kind { FLAG_ON, FLAG_OFF, WHOLE, REAL, TEXT, SPECIAL, HEADING };

struct spec;
typedef int setter(struct options *o, const char *text);

/* An option: how it is typed, what it takes, what it does. `low` and `high` bound a number. */
struct spec {
    const char *name, *letter, *takes, *help;
    enum kind kind;
    size_t field, given; /* offsets in struct options; given 0: nobody asks */
    double low, high;
    setter *set;
};

static setter set_arrival, set_phases, set_ratio, set_keys, set_populate, set_data, set_sizes, set_cpus;

#define AT(member) offsetof(struct options, member)

static const struct spec specs[] = {
    {NULL, NULL, NULL, "Load", HEADING, 0, 0, 0, 0, NULL},
    {"connections", "c", "N", "connections of each thread to each of its instances (default 1)", WHOLE, AT(connections), 0, 1, 65536, NULL},
    {"pipeline", "P", "N", "requests on the way on a connection at one time (default 1)", WHOLE, AT(pipeline), 0, 1, 65536, NULL},
    {"rate", "r", "R",
     "open loop: R requests a second, all threads together, whatever the server does;\n"
     "latency counts from the intended start (default: closed loop)",
     REAL, AT(rate), 0, 0.001, 1e9, NULL},
    {"arrival", NULL, "HOW", "uniform or poisson: how an open loop's requests lie in time (default uniform)", SPECIAL, 0, AT(given_arrival), 0, 0,
     set_arrival},
    {"phases", NULL, "LIST",
     "set, get, mixed, populate, in any order, separated by commas (default set,get);\n"
     "populate sets every key once, as fast as it can, before what is measured",
     SPECIAL, 0, 0, 0, 0, set_phases},
    {"ratio", NULL, "S:G", "mixed: S sets to G gets (default 1:10)", SPECIAL, 0, AT(given_ratio), 0, 0, set_ratio},
    {"time", NULL, "S", "seconds a phase lasts (default: until every key was taken once)", REAL, AT(time_s), AT(given_time), 0.001, 1e8, NULL},
    {"requests", NULL, "N", "requests of a phase, all threads together", WHOLE, AT(requests), AT(given_requests), 1, 1e18, NULL},
    {"warmup", NULL, "S", "seconds of the same load before each measured phase, not recorded", REAL, AT(warmup_s), 0, 0.001, 1e8, NULL},
    {NULL, NULL, NULL, "Keys and values", HEADING, 0, 0, 0, 0, NULL},
    {"keys", NULL, "PATTERN",
     "sequential (default), shuffle (each once, in random order), uniform,\n"
     "gaussian[:SD] (SD in keys, default a sixth of them), zipf[:THETA] (0 < THETA < 2, default 0.99)",
     SPECIAL, 0, 0, 0, 0, set_keys},
    {"populate-keys", NULL, "ORDER", "sequential or shuffle, for the phase populate (default: sequential if --keys is, else shuffle)", SPECIAL, 0,
     AT(given_populate), 0, 0, set_populate},
    {"key-min", NULL, "N", "number of the first key (default 0)", WHOLE, AT(key_min), 0, 0, 1e18, NULL},
    {"key-max", NULL, "N", "number of the last key, in place of COUNT", WHOLE, AT(key_max), AT(given_key_max), 0, 1e18, NULL},
    {"key-prefix", NULL, "STR", "text before the number of each key (default none)", TEXT, AT(key_prefix), 0, 0, 0, NULL},
    {"data", NULL, "KIND", "pattern (default, the guide's), random, or compressible:RATIO (RATIO > 1: size to compressed size)", SPECIAL, 0, 0, 0, 0,
     set_data},
    {"sizes", NULL, "LIST", "value sizes in place of SIZE: N, LOW-HIGH, or SIZE:WEIGHT,SIZE:WEIGHT,...", SPECIAL, 0, 0, 0, 0, set_sizes},
    {"seed", NULL, "N", "seed of keys, values and arrivals; the same seed sends the same requests (default 1)", WHOLE, AT(seed), 0, 0, 1.8e19, NULL},
    {"no-verify", NULL, NULL, "do not compare what GET returns", FLAG_OFF, AT(verify), 0, 0, 0, NULL},
    {NULL, NULL, NULL, "Server", HEADING, 0, 0, 0, 0, NULL},
    {"instances", NULL, "N", "instances on PORT, PORT+1, ...: threads share them round robin (default: one a thread)", WHOLE, AT(instances), 0, 1,
     65535, NULL},
    {"socket", NULL, "PATH", "unix socket in place of HOST; %p in PATH stands for the port", TEXT, AT(socket), 0, 0, 0, NULL},
    {"user", NULL, "NAME", "ACL user; the password is read from REDISCLI_AUTH", TEXT, AT(user), 0, 0, 0, NULL},
    {"resp", NULL, "V", "protocol version, 2 or 3 (default 2)", WHOLE, AT(resp), 0, 2, 3, NULL},
    {"tls", NULL, NULL, "encrypt connections (a build with make TLS=1)", FLAG_ON, AT(tls), 0, 0, 0, NULL},
    {"cacert", NULL, "FILE", "TLS: certificates of authorities to trust", TEXT, AT(tls_ca), 0, 0, 0, NULL},
    {"cert", NULL, "FILE", "TLS: certificate of this client", TEXT, AT(tls_cert), 0, 0, 0, NULL},
    {"key", NULL, "FILE", "TLS: private key of this client", TEXT, AT(tls_key), 0, 0, 0, NULL},
    {"sni", NULL, "NAME", "TLS: name to ask for", TEXT, AT(tls_name), 0, 0, 0, NULL},
    {"no-flush", NULL, NULL, "never FLUSHALL (default: before a first phase that sets)", FLAG_OFF, AT(flush), 0, 0, 0, NULL},
    {"force", NULL, NULL, "FLUSHALL even an instance that holds keys of others", FLAG_ON, AT(force), 0, 0, 0, NULL},
    {"timeout", NULL, "S", "seconds to wait for a reply, and for a lost instance to come back (default 30)", REAL, AT(timeout_s), 0, 0.001, 86400,
     NULL},
    {"connect-timeout", NULL, "S", "seconds to wait for a connection at the start (default 5)", REAL, AT(connect_timeout_s), 0, 0.001, 3600, NULL},
    {NULL, NULL, NULL, "This machine", HEADING, 0, 0, 0, 0, NULL},
    {"cpus", NULL, "LIST", "pin thread i to the i-th CPU of LIST, such as 0-3,8 (round robin)", SPECIAL, 0, 0, 0, 0, set_cpus},
    {"spin", NULL, NULL, "poll in place of sleeping: uses a whole CPU a thread, takes the wake-up out of the latency", FLAG_ON, AT(spin), 0, 0, 0,
     NULL},
    {NULL, NULL, NULL, "Results", HEADING, 0, 0, 0, 0, NULL},
    {"interval", NULL, "S", "seconds of a row of the series (default 1)", REAL, AT(interval_s), 0, 0.01, 600, NULL},
    {"out", NULL, "DIR", "folder for result files (default: only the guide's histogram files, in the current one)", TEXT, AT(out), 0, 0, 0, NULL},
    {"gate", NULL, "DIR", "before a phase write DIR/ready-PHASE and wait for DIR/start-PHASE, which holds the time to start", TEXT, AT(gate), 0, 0, 0,
     NULL},
    {"help", "h", NULL, "print this", FLAG_ON, AT(help), 0, 0, 0, NULL},
    {"version", NULL, NULL, "print the version", FLAG_ON, AT(version), 0, 0, 0, NULL},
};

#define SPECS (sizeof specs / sizeof *specs)

static const char *const phase_names[] = {"set", "get", "mixed", "populate"};

const char *options_phase_name(enum phase_kind kind)
{
    return phase_names[kind];
}

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
    fputs("\nExit status: 0 done, 1 something failed, 2 bad usage, 130 or 143 interrupted. The password comes from REDISCLI_AUTH alone.\n", to);
}

static int fail(char *why, const char *format, ...) __attribute__((format(printf, 2, 3)));

static int fail(char *why, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(why, OPTIONS_WHY, format, args);
    va_end(args);
    return -1;
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
        int kind = 3;
        while (kind >= 0 && (strlen(phase_names[kind]) != n || strncmp(text, phase_names[kind], n) != 0)) kind--;
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

static int set_keys(struct options *o, const char *text)
{
    static const struct {
        const char *name;
        enum keys_kind kind;
    } kinds[] = {
        {"sequential", KEYS_SEQUENTIAL}, {"shuffle", KEYS_SHUFFLE}, {"uniform", KEYS_UNIFORM}, {"gaussian", KEYS_GAUSSIAN}, {"zipf", KEYS_ZIPF}};
    size_t n = strcspn(text, ":");
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        if (strlen(kinds[i].name) != n || strncmp(text, kinds[i].name, n) != 0) continue;
        o->keys.kind = kinds[i].kind;
        o->keys_text = text;
        if (!text[n]) return 0;
        if (kinds[i].kind == KEYS_GAUSSIAN) return number_double(text + n + 1, 1e-6, 1e18, &o->keys.sd);
        if (kinds[i].kind == KEYS_ZIPF) return number_double(text + n + 1, 1e-6, 1.999999, &o->keys.theta);
        return -1;
    }
    return -1;
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

static int set_sizes(struct options *o, const char *text)
{
    o->sizes_text = text;
    for (o->values.sizes = 0;;) {
        struct values_size size = {0, 0, 1};
        size_t n = strcspn(text, ","), number = strcspn(text, ":,"), low = strcspn(text, "-:,");
        if (o->values.sizes == VALUES_SIZES_MAX || number_u64_n(text, low, 1, VALUES_SIZE_LIMIT, &size.low)) return -1;
        size.high = size.low;
        if (low < number && number_u64_n(text + low + 1, number - low - 1, size.low, VALUES_SIZE_LIMIT, &size.high)) return -1;
        if (number < n && number_u64_n(text + number + 1, n - number - 1, 1, 1000000000, &size.weight)) return -1;
        o->values.size[o->values.sizes++] = size;
        if (!text[n]) return 0;
        text += n + 1;
    }
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

/* Store an option's argument by its kind. Returns 0, or -1 when the text is not of that kind. */
static int store(struct options *o, const struct spec *s, const char *text)
{
    char *field = (char *)o + s->field;
    if (s->takes && !text) return -1;
    if (s->given) *(int *)((char *)o + s->given) = 1;
    switch (s->kind) {
    case WHOLE:
        return number_u64(text, (uint64_t)s->low, (uint64_t)s->high, (uint64_t *)(void *)field);
    case REAL:
        return number_double(text, s->low, s->high, (double *)(void *)field);
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

static int positional(struct options *o, int index, const char *text, char *why)
{
    switch (index) {
    case 0:
        o->host = text;
        return *text ? 0 : fail(why, "HOST is empty");
    case 1:
        return number_u64(text, 1, 65535, &o->port) ? fail(why, "PORT '%s' is not a whole number from 1 to 65535", text) : 0;
    case 2:
        o->given_size = 1;
        if (number_u64(text, 1, VALUES_SIZE_LIMIT, &o->values.size[0].low))
            return fail(why, "SIZE '%s' is not a whole number from 1 to 536870912 (512 MB)", text);
        return 0;
    case 3:
        o->given_count = 1;
        return number_u64(text, 1, KEY_LIMIT, &o->count) ? fail(why, "COUNT '%s' is not a whole number from 1 up", text) : 0;
    default:
        return fail(why, "'%s' is one argument too many: HOST PORT SIZE COUNT are all", text);
    }
}

/* Bring what was given together, and refuse what contradicts. */
static int finish(struct options *o, char *why)
{
    int mixed = 0, populate = 0;
    for (int i = 0; i < o->phases; i++) {
        mixed |= o->phase[i] == PHASE_MIXED;
        populate |= o->phase[i] == PHASE_POPULATE;
    }
    if (o->given_time && o->given_requests) return fail(why, "--time and --requests exclude each other");
    if (o->given_arrival && o->rate <= 0) return fail(why, "--arrival needs --rate: a closed loop has no arrivals");
    if (o->given_ratio && !mixed) return fail(why, "--ratio needs the phase mixed in --phases");
    if (o->given_populate && !populate) return fail(why, "--populate-keys needs the phase populate in --phases");
    if (!o->given_populate) o->populate = o->keys.kind == KEYS_SEQUENTIAL ? KEYS_SEQUENTIAL : KEYS_SHUFFLE;
    if (o->force && !o->flush) return fail(why, "--force and --no-flush exclude each other");
    if (o->user && !o->password) return fail(why, "--user needs the password in the environment variable REDISCLI_AUTH");
    if (strlen(o->key_prefix) > OPTIONS_PREFIX_MAX) return fail(why, "--key-prefix is longer than %d bytes", OPTIONS_PREFIX_MAX);
    if (!o->tls && (o->tls_ca || o->tls_cert || o->tls_key || o->tls_name)) return fail(why, "--cacert, --cert, --key and --sni need --tls");
    if (!o->tls_cert != !o->tls_key) return fail(why, "--cert and --key need each other");
#ifndef LOADGEN_TLS
    if (o->tls) return fail(why, "--tls needs a build with TLS (make TLS=1, hiredis 1.0 or newer with hiredis_ssl)");
#endif
    if (o->given_key_max) {
        if (o->key_max < o->key_min) return fail(why, "--key-max %ju is below --key-min %ju", (uintmax_t)o->key_max, (uintmax_t)o->key_min);
        if (o->given_count && o->count != o->key_max - o->key_min + 1)
            return fail(why, "--key-max and COUNT disagree: keys %ju..%ju are not %ju", (uintmax_t)o->key_min, (uintmax_t)o->key_max,
                        (uintmax_t)o->count);
        o->count = o->key_max - o->key_min + 1;
    }
    o->key_max = o->key_min + o->count - 1;
    if (!o->sizes_text) {
        o->values.size[0].high = o->values.size[0].low;
        o->values.size[0].weight = 1;
    }
    if (!o->instances) o->instances = o->threads;
    if (o->port + o->instances - 1 > 65535)
        return fail(why, "PORT %ju and %ju instances go past port 65535", (uintmax_t)o->port, (uintmax_t)o->instances);
    if (o->socket && o->instances > 1 && !strstr(o->socket, "%p"))
        return fail(why, "--socket '%s' needs %%p for the port, as there are %ju instances", o->socket, (uintmax_t)o->instances);
    o->keys.first = o->key_min;
    o->keys.count = o->count;
    o->keys.seed = o->values.seed = o->seed;
    return 0;
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
    o->keys.theta = 0.99;
    o->keys_text = "sequential";
    o->data_text = "pattern";
    o->values.sizes = 1;
    o->values.size[0].low = 100;
    o->ratio_text = "1:10";
    o->ratio_set = 1;
    o->ratio_get = 10;
    o->phases = 2;
    o->phase[0] = PHASE_SET;
    o->phase[1] = PHASE_GET;
    o->interval_s = 1;
    o->timeout_s = 30;
    o->connect_timeout_s = 5;
    o->verify = o->flush = 1;
    o->password = getenv("REDISCLI_AUTH");
    if (o->password && !*o->password) o->password = NULL;
    /* The size list is stored apart, so that a SIZE typed after --sizes does not change it. */
    struct values_spec listed = o->values;
    for (int i = 1; i < argc; i++) {
        const char *arg = argv[i], *text;
        if (only_positional || arg[0] != '-' || !arg[1]) {
            if (positional(o, index++, arg, why)) return -1;
            continue;
        }
        if (!strcmp(arg, "--")) {
            only_positional = 1;
            continue;
        }
        const struct spec *s = find(arg, &text);
        if (!s) return fail(why, "unknown option '%s' (see --help)", arg);
        if (!s->takes && text) return fail(why, "option '%s' takes no argument", arg);
        if (s->takes && !text && i + 1 == argc) return fail(why, "option '%s' needs %s", arg, s->takes);
        if (s->takes && !text) text = argv[++i];
        if (s->set == set_sizes) {
            struct values_spec keep = o->values;
            int bad = store(o, s, text);
            listed = o->values;
            o->values = keep;
            if (bad) return fail(why, "--sizes '%s' is not N, LOW-HIGH or SIZE:WEIGHT,... of sizes from 1 to 536870912", text);
        } else if (store(o, s, text)) {
            if (s->kind == WHOLE || s->kind == REAL)
                return fail(why, "--%s '%s' is not a %s from %.10g to %.10g", s->name, text, s->kind == WHOLE ? "whole number" : "number", s->low,
                            s->high);
            return fail(why, "--%s '%s' is not what it takes: %s", s->name, text, s->takes);
        }
    }
    if (o->sizes_text) {
        memcpy(o->values.size, listed.size, sizeof listed.size);
        o->values.sizes = listed.sizes;
    }
    return o->help || o->version ? 0 : finish(o, why);
}
