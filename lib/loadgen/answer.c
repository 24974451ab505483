/* SPDX-License-Identifier: MIT */
/* Classification of replies: see answer.h. */
#include "answer.h"

#include "plain.h"

#include <stdio.h>
#include <string.h>

void answer_keep(struct worker *w, struct target *t, const char *text)
{
    if (w->links->cluster) {
        snprintf(t->error, sizeof t->error, "%.*s", (int)sizeof t->error - 1, text);
        plain_text(t->error);
        cluster_wake(w->links->cluster);
    }
    if (w->first_error[0]) return;
    snprintf(w->first_error, sizeof w->first_error, "%s", text);
    plain_text(w->first_error);
}

/* The kind of an error reply of a cluster, or COUNTS. */
static enum count error_kind(const char *text)
{
    static const struct {
        const char *word;
        enum count kind;
    } kinds[] = {{"MOVED ", COUNT_MOVED},
                 {"ASK ", COUNT_MOVED},
                 {"CLUSTERDOWN ", COUNT_CLUSTERDOWN},
                 {"TRYAGAIN ", COUNT_CLUSTERDOWN},
                 {"MASTERDOWN ", COUNT_CLUSTERDOWN},
                 {"LOADING ", COUNT_LOADING},
                 {"READONLY ", COUNT_READONLY},
                 {"NOREPLICAS ", COUNT_READONLY}};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (!strncmp(text, kinds[i].word, strlen(kinds[i].word))) return kinds[i].kind;
    return COUNTS;
}

/* A reply of a type that the command does not have. Returns 0. */
static int other_type(struct worker *w, struct conn *c)
{
    answer_failed(w, c->target, COUNT_ERROR_REPLIES, 1);
    answer_keep(w, c->target, "reply of a type that does not belong to the command");
    return 0;
}

/* The command of a mix that a request is; GET and SET are among them. */
static const struct mix_command *mixed_of(const struct worker *w, uint64_t tagged)
{
    return &w->mix->command[tagged >> COMMAND_SHIFT];
}

/* Bytes of the values that a command carries. */
static uint64_t sent_bytes(const struct conn *c, const struct mix_command *m, uint64_t tagged)
{
    const struct commands *commands = &c->target->commands;
    uint64_t bytes = 0;
    for (int i = 0; i < (m->grouped ? m->times : 1); i++)
        bytes += command_length(commands, m->keys ? command_tagged_at(commands, tagged, (uint64_t)i) : tagged);
    return bytes;
}

/* As answer_classify, for a reply without an error of a request of a mix. */
static int classify_mixed(struct worker *w, struct conn *c, uint64_t tagged, struct carried *carried)
{
    const struct mix_command *m = mixed_of(w, tagged);
    const struct resp *r = &c->scan;
    const uint64_t key = COMMAND_KEY(tagged);
    int wrong = 0;
    switch (m->reply) {
    case MIX_VALUE:
        if (!r->nil && r->type != '$') return other_type(w, c);
        wrong = !r->nil && (c->body_bad || !values_may_be(c->target->commands.values, key, (uint64_t)r->bulk_len));
        carried->misses += r->nil;
        break;
    case MIX_OK:
        if (r->type != '+' || strcmp(r->text, "OK") != 0) return other_type(w, c);
        break;
    case MIX_INTEGER:
        if (r->type != ':') return other_type(w, c);
        break;
    case MIX_ITEMS:
        if (r->nil ? m->keys : r->type != '*' && r->type != '%' && r->type != '~') return other_type(w, c);
        wrong = c->body_bad || r->items % m->stride || (r->items - r->nils) / m->stride != c->bodies || (m->keys && r->items != (uint64_t)m->times);
        if (r->nil) wrong = 0;
        carried->misses += r->nil || !r->items ? 1 : r->nils;
        break;
    default:
        break;
    }
    if (wrong && w->plan->verify) answer_failed(w, c->target, COUNT_MISMATCHES, 1);
    carried->bytes += m->unknown ? r->bytes : c->valued;
    if (m->data) {
        carried->bytes += m->unknown ? 0 : sent_bytes(c, m, tagged);
        carried->sets++;
    }
    return 1;
}

/* As answer_classify, for a reply without an error of a request of a trace. */
static int classify_traced(struct worker *w, struct conn *c, uint64_t tagged, struct carried *carried)
{
    const struct mix_command *m = mixed_of(w, tagged);
    const struct resp *r = &c->scan;
    const int done = r->type == '+' && r->text[0] == 'O' && r->text[1] == 'K' && !r->text[2];
    if (m->reply == MIX_VALUE ? !r->nil && r->type != '$' : m->reply == MIX_INTEGER ? r->type != ':' : !done && (m->reply == MIX_OK || !r->nil))
        return other_type(w, c);
    carried->bytes += r->bytes;
    if (m->reply == MIX_VALUE) {
        carried->misses += r->nil;
        if (c->body_bad && w->plan->verify) answer_failed(w, c->target, COUNT_MISMATCHES, 1);
    }
    if (m->data && done) {
        carried->bytes += w->options->trace->record[COMMAND_KEY(tagged)].size;
        carried->sets++;
    }
    return 1;
}

/* Compare the bytes of a value of a trace. */
static void body_traced(struct conn *c, uint64_t tagged)
{
    const struct commands *commands = &c->target->commands;
    const struct resp *r = &c->scan;
    if (tagged >> COMMAND_SHIFT != TRACE_GET || !r->piece_len || c->body_bad) return;
    uint64_t content = command_trace_content(commands, &commands->trace->record[COMMAND_KEY(tagged)], r->item_len);
    c->body_bad = !values_check(commands->values, content, commands->place, r->piece_at, r->piece, r->piece_len);
}

void answer_none(struct worker *w, uint64_t tagged, uint64_t ns)
{
    recorder_unanswered(&w->recorder, ns, 1);
    if (!w->mix || w->plan->kind == PHASE_POPULATE) return;
    struct kind *k = &w->kinds.kind[mixed_of(w, tagged)->entry];
    k->count[KIND_ERRORS]++;
    hist_record(&k->latency, ns, 1);
}

void answer_body(struct worker *w, struct conn *c, uint64_t tagged)
{
    const struct commands *commands = &c->target->commands;
    const struct resp *r = &c->scan;
    if (w->replay) {
        if (w->plan->verify) body_traced(c, tagged);
        return;
    }
    uint64_t key = COMMAND_KEY(tagged), at = r->piece_at, skip = 0;
    const char *piece = r->piece;
    size_t n = r->piece_len;
    if (w->mix) {
        const struct mix_command *m = mixed_of(w, tagged);
        if (m->reply != MIX_VALUE && m->reply != MIX_ITEMS) return;
        uint64_t item = r->items - 1, stride = m->stride ? m->stride : 1;
        if (item % stride != stride - 1) return; /* the name of a field */
        if (m->keys) key = command_key_at(commands, key, item);
        skip = m->skip;
        if (r->item_len < skip || !values_may_be(commands->values, key, r->item_len - skip)) c->body_bad = 1;
        if (at + n == r->item_len) c->bodies++;
        if (at < skip) { /* the number of a member */
            size_t before = skip - at < n ? (size_t)(skip - at) : n;
            piece += before;
            n -= before;
            at += before;
        }
        c->valued += n;
    }
    if (!w->plan->verify) return;
    const uint64_t place = values_place(commands->values, commands->place, r->item_len - skip);
    if (n && !c->body_bad) c->body_bad = !values_check(commands->values, key, place, at - skip, piece, n);
}

int answer_classify(struct worker *w, struct conn *c, uint64_t tagged, struct carried *carried)
{
    const struct resp *r = &c->scan;
    uint64_t *count = w->recorder.active_count;
    if (r->type == '-' || r->type == '!') {
        enum count kind = error_kind(r->text);
        answer_failed(w, c->target, COUNT_ERROR_REPLIES, 1);
        if (kind != COUNTS) count[kind]++;
        if (w->links->cluster) c->resting = 1;
        answer_keep(w, c->target, r->text);
        return 0;
    }
    if (r->faults) { /* a script or a module may return one among other items */
        answer_failed(w, c->target, COUNT_ERROR_REPLIES, 1);
        answer_keep(w, c->target, "an error inside an array");
        return 0;
    }
    if (w->mix) return w->replay ? classify_traced(w, c, tagged, carried) : classify_mixed(w, c, tagged, carried);
    if (command_kind(tagged)->reply == COMMAND_OK) {
        if (r->type == '+' && !strcmp(r->text, "OK")) {
            carried->bytes += command_length(&c->target->commands, tagged);
            carried->sets++;
            return 1;
        }
    } else if (r->nil) {
        carried->misses++;
        return 1;
    } else if (r->type == '$') {
        carried->bytes += (uint64_t)r->bulk_len;
        if (w->plan->verify && (c->body_bad || !values_may_be(c->target->commands.values, COMMAND_KEY(tagged), (uint64_t)r->bulk_len)))
            answer_failed(w, c->target, COUNT_MISMATCHES, 1);
        return 1;
    }
    return other_type(w, c);
}
