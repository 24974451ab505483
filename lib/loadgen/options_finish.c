/* SPDX-License-Identifier: MIT */
/* What was given, brought together: defaults that hang on other options, and refusal of what contradicts. */
#include "options.h"
#include "pattern.h"

#include <string.h>

/* Which keys are populated, which ones the other phases take, and in which pattern. */
static int finish_keys(struct options *o, int populate, char *why)
{
    uint64_t range = o->key_max - o->key_min + 1;
    if (!pattern_has_place(o->keys.kind)) {
        if (o->keys.scramble)
            return options_refuse(why, "--scramble: --keys %s has no popular keys to spread: gaussian, zipf or hotspot has", o->keys_text);
        if (o->shift_text) return options_refuse(why, "--shift: --keys %s has no popular keys to move: gaussian, zipf or hotspot has", o->keys_text);
    }
    if (o->keys.kind == KEYS_LATEST && o->flush && o->phase[0] == PHASE_SET)
        return options_refuse(why, "--keys latest adds keys behind those that are there: begin with the phase populate");
    if (o->given_key_max && o->key_max < o->key_min)
        return options_refuse(why, "--key-max %ju is below --key-min %ju", (uintmax_t)o->key_max, (uintmax_t)o->key_min);
    if (o->given_key_max && o->given_count && populate && o->key_max < o->count) {
        o->populate_first = 0;
        o->populate_count = o->count;
        o->count = range;
    } else if (o->given_key_max && o->given_count && o->count != range) {
        return options_refuse(why,
                              populate ? "--key-max %ju is not one of the COUNT keys that populate sets: 0..%ju"
                                       : "--key-max and COUNT disagree: keys ..%ju are not %ju (with the phase populate COUNT is what that sets)",
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

/* The mix of commands: what populate sends, and what cannot go together. */
static int finish_mix(struct options *o, int sent, char *why)
{
    if (!o->mix.entries) return 0;
    if (!sent) return options_refuse(why, "--commands needs the phase mixed or populate in --phases");
    if (o->given_ratio) return options_refuse(why, "--commands and --ratio exclude each other");
    if (o->cluster && o->mix.groups) return options_refuse(why, "--commands '%.100s': with --cluster a command must have one key", o->commands_text);
    if (o->keys.kind == KEYS_LATEST && o->mix.typed)
        return options_refuse(why, "--commands '%.100s': --keys latest adds strings alone: get, set, mget, mset, del and rmw go with it",
                              o->commands_text);
    if (mix_finish(&o->mix, o->bad)) return options_refuse(why, "--commands: %.100s", o->bad);
    o->allow_misses |= o->mix.removes;
    return 0;
}

int options_finish(struct options *o, char why[OPTIONS_WHY])
{
    int mixed = 0, populate = 0;
    for (int i = 0; i < o->phases; i++) {
        mixed |= o->phase[i] == PHASE_MIXED;
        populate |= o->phase[i] == PHASE_POPULATE;
    }
    if (o->given_time && o->given_requests) return options_refuse(why, "--time and --requests exclude each other");
    if (o->given_arrival && o->rate <= 0 && !o->gate) return options_refuse(why, "--arrival needs --rate: a closed loop has no arrivals");
    if (o->rate > 0 && o->given_time && o->rate * o->time_s < 0.5)
        return options_refuse(why, "--rate %.10g and --time %.10g leave no request to send: their product must be at least 0.5", o->rate, o->time_s);
    if (o->given_ratio && !mixed) return options_refuse(why, "--ratio needs the phase mixed in --phases");
    if (o->given_populate && !populate) return options_refuse(why, "--populate-keys needs the phase populate in --phases");
    if (!o->given_populate) o->populate = o->keys.kind == KEYS_SEQUENTIAL ? KEYS_SEQUENTIAL : KEYS_SHUFFLE;
    if (o->force && !o->flush) return options_refuse(why, "--force and --no-flush exclude each other");
    if (o->user && !o->password) return options_refuse(why, "--user needs the password in the environment variable REDISCLI_AUTH");
    if (strlen(o->key_prefix) > OPTIONS_PREFIX_MAX) return options_refuse(why, "--key-prefix is longer than %d bytes", OPTIONS_PREFIX_MAX);
    if (!o->tls && (o->tls_ca || o->tls_cert || o->tls_key || o->tls_name))
        return options_refuse(why, "--cacert, --cert, --key and --sni need --tls");
    if (!o->tls_cert != !o->tls_key) return options_refuse(why, "--cert and --key need each other");
#ifndef LOADGEN_TLS
    if (o->tls) return options_refuse(why, "--tls needs a build with TLS: make TLS=1, which needs OpenSSL (libssl-dev, openssl-devel)");
#endif
    if (finish_keys(o, populate, why) || finish_mix(o, mixed || populate, why)) return -1;
    if (!o->sizes_text) sizes_one(&o->values.sizes, o->size);
    o->allow_misses |= o->values.ttl_low > 0;
    if (!o->cluster && (o->shards_given || o->nodes || o->track || o->faults))
        return options_refuse(why, "--shards, --node, --faults and --track need --cluster");
    if (o->cluster && o->socket) return options_refuse(why, "--cluster does not support --socket: the nodes name their addresses");
    if (o->cluster && o->tls) return options_refuse(why, "--cluster does not support --tls");
    if (o->cluster && strchr(o->key_prefix, '{'))
        return options_refuse(why, "--key-prefix '%s': with --cluster a prefix must not contain {", o->key_prefix);
    if (!o->instances && !o->cluster) o->instances = o->threads; /* a cluster says how many shards it has */
    if (o->port + o->instances - 1 > 65535)
        return options_refuse(why, "PORT %ju and %ju instances go past port 65535", (uintmax_t)o->port, (uintmax_t)o->instances);
    if (o->socket && o->instances > 1 && !strstr(o->socket, "%p"))
        return options_refuse(why, "--socket '%s' needs %%p for the port, as there are %ju instances", o->socket, (uintmax_t)o->instances);
    o->keys.seed = o->keys.place_seed = o->values.seed = o->seed;
    return 0;
}
