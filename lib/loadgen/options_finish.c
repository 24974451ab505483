/* SPDX-License-Identifier: MIT */
/* The given options combined: defaults that depend on other options, and refusal of contradictions. */
#include "endpoint.h"
#include "options.h"
#include "pattern.h"

#include <string.h>

/* The keys of populate, the keys of the other phases, and their patterns. */
static int finish_keys(struct options *o, int populate, char *why)
{
    uint64_t range = o->key_max - o->key_min + 1;
    if (!pattern_has_place(o->keys.kind)) {
        if (o->keys.scramble)
            return options_refuse(why, "--scramble: --keys %s has no popular keys to spread; use gaussian, zipf or hotspot", o->keys_text);
        if (o->shift_text)
            return options_refuse(why, "--shift %s: --keys %s has no popular keys to move; use gaussian, zipf or hotspot", o->shift_text,
                                  o->keys_text);
    }
    if (o->keys.kind == KEYS_LATEST && o->flush && o->phase[0] == PHASE_SET)
        return options_refuse(why, "--keys latest: requires existing keys; begin --phases with populate");
    if (o->given_key_max && o->key_max < o->key_min)
        return options_refuse(why, "--key-max %ju: below --key-min %ju; set at least that", (uintmax_t)o->key_max, (uintmax_t)o->key_min);
    if (o->given_key_max && o->given_count && populate && o->key_max < o->count) {
        o->populate_first = 0;
        o->populate_count = o->count;
        o->count = range;
    } else if (o->given_key_max && o->given_count && o->count != range) {
        return options_refuse(why,
                              populate ? "--key-max %ju: populate sets only COUNT keys, 0..%ju; set one of these"
                                       : "--key-max %ju: conflicts with COUNT=%ju; leave COUNT out, or add the phase populate",
                              (uintmax_t)o->key_max, (uintmax_t)(populate ? o->count - 1 : o->count));
    } else {
        if (o->given_key_max) o->count = range;
        o->populate_first = o->key_min;
        o->populate_count = o->count;
    }
    o->key_max = o->key_min + o->count - 1;
    o->keys.first = o->key_min;
    o->keys.count = o->count;
    return 0;
}

/* The mix of commands: the commands of populate, and contradictions. */
static int finish_mix(struct options *o, int sent, char *why)
{
    if (!o->mix.entries || o->trace_file) return 0;
    if (!sent) return options_refuse(why, "--commands %.100s: requires the phase mixed or populate; add it to --phases", o->commands_text);
    if (o->given_ratio) return options_refuse(why, "--commands %.100s: conflicts with --ratio; leave one of them out", o->commands_text);
    if (o->cluster && o->mix.groups)
        return options_refuse(why, "--commands %.100s: --cluster does not support commands of several keys; leave mget and mset out",
                              o->commands_text);
    if (o->keys.kind == KEYS_LATEST && o->mix.typed)
        return options_refuse(why, "--commands %.100s: --keys latest supports only strings; accepted: get set mget mset del rmw", o->commands_text);
    if (mix_finish(&o->mix, o->bad)) return options_refuse(why, "--commands %.100s: %.100s", o->commands_text, o->bad);
    o->allow_misses |= o->mix.removes;
    return 0;
}

/* The mean of a schedule. */
static int finish_schedule(struct options *o, char *why)
{
    if (!schedule_given(&o->schedule)) return 0;
    if (!o->given_time) return options_refuse(why, "--rate: a rate over time requires --time; add it");
    if (schedule_last_s(&o->schedule) >= o->time_s)
        return options_refuse(why, "--rate: the step at %.10g s would start after --time %.10g; set a longer time", schedule_last_s(&o->schedule),
                              o->time_s);
    o->rate = schedule_requests(&o->schedule, o->time_s) / o->time_s;
    return 0;
}

int options_finish(struct options *o, char why[OPTIONS_WHY])
{
    int mixed = 0, populate = 0;
    if (options_trace(o, why)) return -1;
    for (int i = 0; i < o->phases; i++) {
        mixed |= o->phase[i] == PHASE_MIXED;
        populate |= o->phase[i] == PHASE_POPULATE;
    }
    if (o->given_time && o->given_requests) return options_refuse(why, "--time %.10g: conflicts with --requests; leave one of them out", o->time_s);
    if (o->given_arrival && o->rate <= 0 && !o->gate) return options_refuse(why, "--arrival: requires an open loop; set --rate");
    if (finish_schedule(o, why)) return -1;
    if (o->rate > 0 && o->given_time && o->rate * o->time_s < 0.5)
        return options_refuse(why, "--rate %.10g: no request is due within --time %.10g; set a product of at least 0.5", o->rate, o->time_s);
    if (o->given_ratio && !mixed) return options_refuse(why, "--ratio %s: requires the phase mixed; add it to --phases", o->ratio_text);
    if (o->given_populate && !populate) return options_refuse(why, "--populate-keys: requires the phase populate; add it to --phases");
    if (!o->given_populate) o->populate = o->keys.kind == KEYS_SEQUENTIAL ? KEYS_SEQUENTIAL : KEYS_SHUFFLE;
    if (o->force && !o->flush) return options_refuse(why, "--force: conflicts with --no-flush; leave one of them out");
    if (o->user && !o->password) return options_refuse(why, "--user %s: requires a password; set the environment variable REDISCLI_AUTH", o->user);
    if (o->passwords && !o->password) return options_refuse(why, "--passwords: requires them; set the environment variable REDISCLI_AUTH");
    if (strlen(o->key_prefix) > OPTIONS_PREFIX_MAX)
        return options_refuse(why, "--key-prefix: too long; accepted: at most %d bytes", OPTIONS_PREFIX_MAX);
    if (!o->tls && (o->tls_ca || o->tls_cert || o->tls_key || o->tls_name))
        return options_refuse(why, "--cacert, --cert, --key, --sni: require TLS; add --tls");
    if (!o->tls_cert != !o->tls_key) return options_refuse(why, "--cert, --key: each requires the other; give both");
#ifndef LOADGEN_TLS
    if (o->tls)
        return options_refuse(why, "--tls: not supported by this build; build with make TLS=1, which requires OpenSSL (libssl-dev, openssl-devel)");
#endif
    if (finish_keys(o, populate, why) || finish_mix(o, mixed || populate, why)) return -1;
    if (!o->sizes_text) {
        sizes_one(&o->values.sizes, o->size);
        if (o->values.own) { /* the row of a phase without its own sizes has the size of another phase as `len` */
            snprintf(o->sizes_base, sizeof o->sizes_base, "%ju", (uintmax_t)o->size);
            o->sizes_text = o->sizes_base;
        }
    }
    o->allow_misses |= o->values.ttl_low > 0;
    if (!o->cluster && (o->shards_given || o->nodes || o->track))
        return options_refuse(why, "--shards, --node, --track: require a Redis Cluster; add --cluster");
    if (o->cluster && o->socket)
        return options_refuse(why, "--cluster: conflicts with --socket, as the nodes name their addresses; leave --socket out");
    if (o->cluster && o->tls) return options_refuse(why, "--cluster: does not support TLS; leave --tls out");
    if (o->cluster && strchr(o->key_prefix, '{'))
        return options_refuse(why, "--key-prefix %.128s: --cluster does not support { in a prefix; leave it out", o->key_prefix);
    if (o->hosts && endpoint_hosts_named(o->hosts) < 0)
        return options_refuse(why, "--hosts %.200s: invalid; accepted: PORT=HOST,PORT=HOST,... with ports that ascend", o->hosts);
    if (o->hosts && (o->cluster || o->socket))
        return options_refuse(why, "--hosts %.200s: conflicts with --cluster and --socket; leave one out", o->hosts);
    if (!o->instances && !o->cluster) o->instances = o->threads; /* a cluster determines the number of shards */
    if (o->port + o->instances - 1 > 65535)
        return options_refuse(why, "PORT=%ju: the ports of %ju instances would end past 65535; set a lower PORT, or fewer --instances",
                              (uintmax_t)o->port, (uintmax_t)o->instances);
    if (o->socket && o->instances > 1 && !strstr(o->socket, "%p"))
        return options_refuse(why, "--socket %s: %%p is missing, with %ju instances; add %%p, which stands for the port", o->socket,
                              (uintmax_t)o->instances);
    if (o->trace_total && o->trace_first + o->instances > o->trace_total)
        return options_refuse(why, "--trace-share %ju/%ju: too few for the %ju instances here; set a larger number after the slash",
                              (uintmax_t)o->trace_first, (uintmax_t)o->trace_total, (uintmax_t)o->instances);
    o->keys.seed = o->keys.place_seed = o->values.seed = o->seed;
    return options_record(o, why);
}
