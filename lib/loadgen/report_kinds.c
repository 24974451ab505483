/* SPDX-License-Identifier: MIT */
/* A mixed phase by command: see report_kinds.h. */
#include "report_kinds.h"

#include "output.h"

#include <stdio.h>
#include <stdlib.h>

static const struct mix_command *command_of(const struct options *o, int entry)
{
    return &o->mix.command[o->mix.entry[entry]];
}

static int write_rows(const struct options *o, const struct result *r, const char *dir)
{
    struct output out;
    char name[64];
    snprintf(name, sizeof name, "%s.commands.tsv", r->plan.name);
    if (output_begin(&out, dir, name)) return -1;
    fputs("command\tweight\tops\tlate\tmisses\terrors\tbytes\tavg_us\tp50_us\tp99_us\tp99_9_us\tmax_us\thistogram\n", out.file);
    for (int i = 0; i < r->kinds.kinds; i++) {
        const struct kind *k = &r->kinds.kind[i];
        const struct hist *h = &k->latency;
        fprintf(out.file, "%s\t%ju\t%ju\t%ju\t%ju\t%ju\t%ju\t%.3f\t%.3f\t%.3f\t%.3f\t%.3f\t", command_of(o, i)->name,
                (uintmax_t)command_of(o, i)->weight, (uintmax_t)k->count[KIND_OPS], (uintmax_t)k->count[KIND_LATE], (uintmax_t)k->count[KIND_MISSES],
                (uintmax_t)k->count[KIND_ERRORS], (uintmax_t)k->count[KIND_BYTES], hist_mean(h) / 1e3, hist_us(h, 50), hist_us(h, 99),
                hist_us(h, 99.9), hist_us(h, 100));
        output_slots(out.file, h);
        fputs(!h->total && !h->over ? "-\n" : "\n", out.file);
    }
    return output_commit(&out);
}

int report_kinds(const struct options *o, const struct result *r, const char *dir)
{
    if (!r->kinds.kinds) return 0;
    for (int i = 0; i < r->kinds.kinds; i++) {
        struct output out;
        char name[96];
        snprintf(name, sizeof name, "%s.%s.hgrm", r->plan.name, command_of(o, i)->name);
        if (output_begin(&out, dir, name)) return -1;
        output_percentiles(out.file, &r->kinds.kind[i].latency);
        if (output_commit(&out)) return -1;
    }
    return write_rows(o, r, dir);
}

char *report_kinds_text(const struct options *o, const struct result *r, int measured)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    if (!out) return NULL;
    if (!r->kinds.kinds) fputs("-", out);
    for (int i = 0; i < r->kinds.kinds; i++) {
        const struct kind *k = &r->kinds.kind[i];
        fprintf(out, "%s%s:%ju", i ? "," : "", command_of(o, i)->name, (uintmax_t)(measured ? k->count[KIND_OPS] : command_of(o, i)->weight));
        if (measured) fprintf(out, ":%.3f:%.3f", hist_us(&k->latency, 50), hist_us(&k->latency, 99));
    }
    if (!fclose(out)) return text;
    free(text);
    return NULL;
}
