/* SPDX-License-Identifier: MIT */
/* A rate that changes over time: see schedule.h. */
#include "schedule.h"

#include "number.h"

#include <math.h>
#include <string.h>

#define PIECES   1000 /* of a period of a sine */
#define RATE_MIN 1e-6 /* of one client; a plan requires 0.001 of all */
#define RATE_MAX 1e9
#define TIME_MAX 1e6

/* Move the next word of *text, which ends at a blank, to `word`. Returns 0, or -1. */
static int word_take(const char **text, char *word, size_t size)
{
    size_t n = strcspn(*text, " ");
    if (!n || n >= size) return -1;
    memcpy(word, *text, n);
    word[n] = 0;
    *text += n;
    if (**text == ' ') ++*text;
    return 0;
}

static int sine_parse(struct schedule *s, const char *text)
{
    char word[64];
    if (word_take(&text, word, sizeof word)) return -1;
    char *dots = strstr(word, "..");
    if (!dots) return -1;
    *dots = 0;
    if (number_double(word, RATE_MIN, RATE_MAX, &s->low) || number_double(dots + 2, s->low, RATE_MAX, &s->high)) return -1;
    if (word_take(&text, word, sizeof word) || number_seconds(word, 0.1, TIME_MAX, &s->period_s)) return -1;
    if (!*text) return 0;
    if (word_take(&text, word, sizeof word) || *text || strncmp(word, "phase=", 6) != 0) return -1;
    return number_double(word + 6, 0, 1, &s->phase);
}

int schedule_parse(struct schedule *s, const char *text)
{
    char word[64];
    memset(s, 0, sizeof *s);
    if (!strncmp(text, "sine ", 5)) return sine_parse(s, text + 5);
    while (*text) {
        if (s->steps == SCHEDULE_STEPS || word_take(&text, word, sizeof word)) return -1;
        struct schedule_step *step = &s->step[s->steps++];
        char *at = strchr(word, '@');
        if (!at != (s->steps == 1)) return -1;
        if (at) *at = 0;
        if (number_double(word, RATE_MIN, RATE_MAX, &step->rate)) return -1;
        if (at && (number_seconds(at + 1, 0, TIME_MAX, &step->from_s) || step->from_s <= step[-1].from_s)) return -1;
    }
    return s->steps > 1 ? 0 : -1;
}

double schedule_last_s(const struct schedule *s)
{
    return s->steps ? s->step[s->steps - 1].from_s : 0;
}

static double sine_requests(const struct schedule *s, double periods)
{
    const double turn = 2 * M_PI, middle = (s->low + s->high) / 2, swing = (s->high - s->low) / 2;
    /* Whole periods add nothing to the second part: the cosine of a small number is more exact. */
    return s->period_s * (middle * periods + swing / turn * (cos(turn * s->phase) - cos(turn * (s->phase + periods - floor(periods)))));
}

double schedule_first(const struct schedule *s)
{
    if (s->steps) return s->step[0].rate;
    return (s->low + s->high) / 2 + (s->high - s->low) / 2 * sin(2 * M_PI * s->phase);
}

double schedule_requests(const struct schedule *s, double time_s)
{
    double sum = 0;
    if (!s->steps) return sine_requests(s, time_s / s->period_s);
    for (uint32_t i = 0; i < s->steps && s->step[i].from_s < time_s; i++) {
        double to_s = i + 1 < s->steps && s->step[i + 1].from_s < time_s ? s->step[i + 1].from_s : time_s;
        sum += s->step[i].rate * (to_s - s->step[i].from_s);
    }
    return sum;
}

/* Set the end and the rate of the piece that starts at from_s. */
static void piece_set(struct schedule_walk *w)
{
    const struct schedule *s = w->schedule;
    if (s->steps) {
        w->rate = s->step[w->piece].rate;
        w->to_n = w->piece + 1 < s->steps ? w->from_n + w->rate * (s->step[w->piece + 1].from_s - w->from_s) : INFINITY;
        return;
    }
    w->to_n = sine_requests(s, (double)(w->piece + 1) / PIECES);
    w->rate = (w->to_n - w->from_n) / (s->period_s / PIECES);
}

void schedule_walk_begin(struct schedule_walk *w, const struct schedule *s)
{
    memset(w, 0, sizeof *w);
    w->schedule = s;
    piece_set(w);
}

double schedule_walk_ns(struct schedule_walk *w, double requests)
{
    const struct schedule *s = w->schedule;
    while (requests >= w->to_n) {
        w->piece++;
        w->from_n = w->to_n;
        w->from_s = s->steps ? s->step[w->piece].from_s : (double)w->piece * s->period_s / PIECES;
        piece_set(w);
    }
    return w->from_s * 1e9 + (requests - w->from_n) * 1e9 / w->rate;
}
