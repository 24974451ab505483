/* SPDX-License-Identifier: MIT */
/* Options of a trace: which options conflict with it, and which values come from the trace. */
#include "options.h"

#include <string.h>

#define DEPTH 64 /* default requests in flight per connection: due requests do not wait for replies */

int options_trace(struct options *o, char why[OPTIONS_WHY])
{
    const int replay = o->phases == 1 && o->phase[0] == PHASE_REPLAY;
    for (int i = 0; i < o->phases && !o->trace_file; i++)
        if (o->phase[i] == PHASE_REPLAY) return options_refuse(why, "--phases replay: requires a trace; set --trace");
    if (!o->trace_file)
        return o->given_speed || o->fill_misses || o->trace_total
                   ? options_refuse(why, "--speed, --fill-misses, --trace-share: require a trace; set --trace")
                   : 0;
    const struct {
        int given;
        const char *name;
    } other[] = {{o->given_phases && !replay, "--phases"},
                 {o->rate > 0, "--rate"},
                 {o->given_arrival, "--arrival"},
                 {o->given_ratio, "--ratio"},
                 {o->mix.entries > 0, "--commands"},
                 {o->warmup_s > 0, "--warmup"},
                 {strcmp(o->keys_text, "sequential") != 0, "--keys"},
                 {o->keys.scramble, "--scramble"},
                 {o->shift_text != NULL, "--shift"},
                 {o->given_populate, "--populate-keys"},
                 {o->key_min > 0, "--key-min"},
                 {o->given_key_max, "--key-max"},
                 {*o->key_prefix != 0, "--key-prefix"},
                 {*o->sizes_given != 0, "--sizes"},
                 {o->expire_text != NULL, "--expire"},
                 {o->given_count, "COUNT"},
                 {o->speed <= 0 && o->given_time, "--time (in a closed loop, --requests limits a trace)"}};
    if (o->cluster && o->trace_total)
        return options_refuse(why, "--trace-share %ju/%ju: conflicts with --cluster, where the slot of a key selects its shard; use --shards",
                              (uintmax_t)o->trace_first, (uintmax_t)o->trace_total);
    for (size_t i = 0; i < sizeof other / sizeof *other; i++)
        if (other[i].given)
            return options_refuse(why, "--trace %.100s: conflicts with %s, as the trace determines the load; leave it out", o->trace_file,
                                  other[i].name);
    o->phases = 1;
    o->phase[0] = PHASE_REPLAY;
    o->keys_text = o->sizes_text = "trace";
    o->count = 1;
    o->allow_misses = 1;
    if (o->speed > 0 && !o->given_pipeline) o->pipeline = DEPTH;
    sizes_one(&o->values.sizes, 1);
    trace_mix(&o->mix);
    return 0;
}

int options_record(const struct options *o, char why[OPTIONS_WHY])
{
    const char *other = NULL;
    if (!o->record_file) return 0;
    if (o->trace_file) other = "--trace, which is such a file";
    if (o->cluster) other = "--cluster";
    if (o->values.own) other = "--sizes PHASE=LIST";
    if (o->instances > 1) other = "several instances, whose keys have the same names";
    if (strchr(o->key_prefix, '\n') || strchr(o->key_prefix, '\r')) other = "a line end in --key-prefix";
    for (int i = 0; i < o->mix.entries; i++) {
        const char *name = o->mix.command[o->mix.entry[i]].name;
        if (strcmp(name, "get") != 0 && strcmp(name, "set") != 0 && strcmp(name, "del") != 0) other = "--commands other than get, set and del";
    }
    return other ? options_refuse(why, "--record %.100s: does not support %s; leave one of them out", o->record_file, other) : 0;
}

void options_traced(struct options *o, const struct trace *trace)
{
    const struct trace_header *h = trace->header;
    const uint64_t total = o->trace_total ? o->trace_total : o->instances ? o->instances : 1; /* 0: a cluster that was not asked yet */
    o->trace = trace;
    sizes_one(&o->values.sizes, h->largest_value ? h->largest_value : 1);
    if (h->sets)
        o->values.sizes.mean = (double)h->set_bytes / (double)h->sets;
    else if (h->valued)
        o->values.sizes.mean = (double)h->value_bytes / (double)h->valued; /* of what --fill-misses sets */
    o->count = h->keys > total ? h->keys / total : 1;
    o->key_max = o->count - 1;
}
