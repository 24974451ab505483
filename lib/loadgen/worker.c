/* SPDX-License-Identifier: MIT */
/* One thread of load: see worker.h. This file has its loop and the work of each tick; receive.c and the sources have that of each request. */
#include "worker.h"

#include "clock.h"
#include "conn.h"
#include "flush.h"
#include "pattern.h"
#include "receive.h"
#include "replay.h"
#include "source.h"
#include "target.h"

#include <errno.h>
#include <math.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <unistd.h>

#define PING_EVERY    64 /* connections, while they are made */
#define EVENTS        512
#define TICK_MAX_S    0.05             /* between looks at the clock for intervals and interrupts */
#define SCAN_NS       (90 * NS_PER_MS) /* between looks at all connections, for timeouts and lost ones */
#define CLUSTER_TICKS 0.01             /* s: short with a cluster, because requests to a lost node wait for these limits */
#define STOP_DRAIN_NS (40 * NS_PER_MS) /* after an interrupt, time for replies to arrive: less than one tick */
#define WAIT_SLICE_NS (20 * NS_PER_MS) /* before a start, between looks at interrupts */

atomic_int worker_stop, worker_enough;

static int conn_init(struct conn *c, struct target *t, uint32_t ring, int open)
{
    c->target = t;
    c->link.fd = -1;
    c->mask = ring - 1;
    c->oldest_add = UINT64_MAX;
    c->key = calloc(ring, sizeof *c->key);
    if (open) {
        c->intended = calloc(ring, sizeof *c->intended);
        c->sent = calloc(ring, sizeof *c->sent);
    }
    return c->key && (!open || (c->intended && c->sent)) ? 0 : -1;
}

static int target_init(struct target *t, const struct options *o, const struct links *links, const struct values *values, char *why)
{
    uint32_t ring = 1;
    uint64_t deepest = o->pipeline > WORKER_POPULATE_PIPELINE ? o->pipeline : WORKER_POPULATE_PIPELINE;
    if (o->trace) deepest *= 2; /* a fill is queued before its miss is removed */
    while (ring < deepest) ring *= 2;
    struct cluster *cluster = links->cluster;
    const struct slots_tags *tags = NULL;
    uint64_t place = t->instance;
    t->port = o->port + t->instance;
    if (cluster) { /* content depends on the shard, not on the node that serves it */
        t->shard = (uint32_t)t->instance;
        t->port += cluster->first;
        place += cluster->first;
        tags = &cluster->shard[t->shard].tags;
        t->moves = cluster_follow(cluster, t->shard, &t->endpoint);
        snprintf(t->by, sizeof t->by, "%.*s", GAPS_TEXT - 1, t->endpoint.name);
    } else {
        if (endpoint_instance(&t->endpoint, &links->hosts, o, t->port, why)) return -1;
        if (o->values.kind != VALUES_PATTERN) place = t->port;
    }
    t->conns = (uint32_t)o->connections;
    t->conn = calloc(t->conns, sizeof *t->conn);
    t->free = calloc(t->conns, sizeof *t->free);
    if (!t->conn || !t->free || commands_init(&t->commands, o->key_prefix, values, tags, place)) return -1;
    if (o->keys.kind == KEYS_LATEST && adds_init(&t->adds, (uint64_t)t->conns * ring)) return -1;
    if (o->mix.entries) commands_mix(&t->commands, &o->mix, o->key_prefix, o->key_min, o->count);
    if (o->trace) commands_trace(&t->commands, o->trace, o->speed > 0 && o->speed != 1 ? 1000 / o->speed : 0);
    for (uint32_t i = 0; i < t->conns; i++)
        if (conn_init(&t->conn[i], t, ring, o->rate > 0 || o->gate || o->trace)) return -1;
    return 0;
}

int worker_init(struct worker *w, int id, const struct options *o, const struct links *links, const struct values *values, char why[LINK_WHY])
{
    uint64_t threads = o->threads, instances = o->instances, me = (uint64_t)id;
    struct epoll_event event = {.events = EPOLLIN, .data.ptr = NULL};
    w->id = id;
    w->options = o;
    w->links = links;
    w->record = o->record;
    w->targets = (uint32_t)(threads >= instances ? 1 : keys_share(instances, me, threads));
    w->epoll = epoll_create1(EPOLL_CLOEXEC);
    w->ticker = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
    if (w->epoll < 0 || w->ticker < 0 || epoll_ctl(w->epoll, EPOLL_CTL_ADD, w->ticker, &event)) return -1;
    w->in = malloc(CONN_IN_SIZE);
    w->out = malloc(CONN_OUT_SIZE);
    w->target = aligned_alloc(64, w->targets * sizeof *w->target);
    if (w->target) memset(w->target, 0, w->targets * sizeof *w->target);
    w->dirty = calloc(w->targets * o->connections, sizeof(struct conn *));
    if (!w->in || !w->out || !w->target || !w->dirty || recorder_init(&w->recorder, o->rate > 0 || o->gate || o->trace) ||
        kinds_init(&w->kinds, o->mix.entries))
        return -1;
    for (uint32_t i = 0; i < w->targets; i++) {
        struct target *t = &w->target[i];
        t->instance = threads >= instances ? me % instances : me + i * threads;
        t->part = threads >= instances ? me / instances : 0;
        t->parts = threads >= instances ? keys_share(threads, t->instance, instances) : 1;
        if (target_init(t, o, links, values, why)) return -1;
    }
    return 0;
}

void worker_free(struct worker *w)
{
    for (uint32_t i = 0; w->target && i < w->targets; i++) {
        struct target *t = &w->target[i];
        for (uint32_t j = 0; t->conn && j < t->conns; j++) {
            link_close(&t->conn[j].link);
            free(t->conn[j].key);
            free(t->conn[j].intended);
            free(t->conn[j].sent);
        }
        commands_free(&t->commands);
        gaps_free(&t->gaps);
        gaps_free(&t->quiet);
        adds_free(&t->adds);
        free(t->conn);
        free(t->free);
    }
    free(w->target);
    free(w->dirty);
    free(w->in);
    free(w->out);
    if (w->epoll > 0) close(w->epoll);
    if (w->ticker > 0) close(w->ticker);
    recorder_free(&w->recorder);
    kinds_free(&w->kinds);
}

int worker_connect(struct worker *w, char why[LINK_WHY])
{
    for (uint32_t i = 0; i < w->targets; i++) {
        struct target *t = &w->target[i];
        for (uint32_t j = 0; j < t->conns; j++) {
            struct conn *c = &t->conn[j];
            if (worker_stop) {
                snprintf(why, LINK_WHY, "interrupted");
                return -1;
            }
            /* An answer shows that the server has accepted all earlier connections: the thread never opens more connections than the backlog, because
             * each further connection would take a second. */
            if (link_open(&c->link, w->links, &t->endpoint, j % PING_EVERY == 0, why)) return -1;
            if (conn_register(w, c, 0)) {
                snprintf(why, LINK_WHY, "epoll: %s", strerror(errno));
                return -1;
            }
            conn_up(w, c, 0);
        }
    }
    return 0;
}

/* Nanoseconds in which this thread was runnable but had no CPU, by the kernel; 0 where it does not count them, or they cannot be read. */
static uint64_t run_delay_ns(void)
{
    char text[128] = "";
    FILE *f = fopen("/proc/thread-self/schedstat", "re");
    if (!f) return 0;
    const char *second = fgets(text, sizeof text, f) ? strchr(text, ' ') : NULL; /* time on a CPU, time waited, number of turns */
    fclose(f);
    return second ? strtoull(second, NULL, 10) : 0;
}

/* Wait for events up to timeout_ns (UINT64_MAX: until there is one). Uses ppoll on kernels before 5.11. */
static int wait_events(struct worker *w, struct epoll_event *events, uint64_t timeout_ns)
{
    static int no_pwait2; /* the same answer for every thread, so a race writes the same value */
    struct timespec ts = {.tv_sec = (time_t)(timeout_ns / NS_PER_S), .tv_nsec = (long)(timeout_ns % NS_PER_S)};
    if (timeout_ns == UINT64_MAX) return epoll_wait(w->epoll, events, EVENTS, -1);
    if (!timeout_ns) return epoll_wait(w->epoll, events, EVENTS, 0);
#ifdef SYS_epoll_pwait2
    if (!__atomic_load_n(&no_pwait2, __ATOMIC_RELAXED)) {
        int n = (int)syscall(SYS_epoll_pwait2, w->epoll, events, EVENTS, &ts, NULL, (size_t)0);
        if (n >= 0 || errno != ENOSYS) return n;
        __atomic_store_n(&no_pwait2, 1, __ATOMIC_RELAXED);
    }
#endif
    struct pollfd ready = {.fd = w->epoll, .events = POLLIN};
    int n = ppoll(&ready, 1, &ts, NULL);
    return n > 0 ? epoll_wait(w->epoll, events, EVENTS, 0) : n;
}

/* Whether the server has acknowledged bytes in the socket since the last look. */
static int taking(struct conn *c)
{
    uint32_t before = c->queued;
    c->queued = link_queued(&c->link);
    return c->queued < before;
}

/* Whether the connection has waited too long for a reply or for its setup. */
static int overdue(const struct worker *w, struct conn *c, uint64_t now)
{
    uint64_t since = c->progress_ns, limit;
    if (c->state == CONN_READY) {
        uint64_t sent = w->open ? c->sent[c->head & c->mask] : c->sent_ns;
        if (!c->inflight) return 0;
        if (sent > since) since = sent;
        limit = (uint64_t)(w->options->timeout_s * 1e9);
    } else {
        limit = (uint64_t)(w->options->connect_timeout_s * 1e9);
    }
    if (now <= since || now - since <= limit / 2) return 0;
    if (c->state == CONN_READY && taking(c)) c->progress_ns = since = now;
    return now - since > limit;
}

/* Count the requests of a target that are not sent any more. It can take seconds, in which this thread hears no instance. */
static void give_up(struct worker *w, struct target *t)
{
    const uint64_t began = clock_now_ns();
    if (!t->left) return;
    w->source->end(w, t, 1);
    const uint64_t spent = clock_now_ns() - began;
    for (uint32_t i = 0; i < w->targets; i++) {
        struct target *each = &w->target[i];
        if (each->pending_ns && began > each->pending_ns + CLUSTER_GAP_NS) continue; /* it was silent before */
        if (each->pending_ns) each->pending_ns += spent;
        each->heard_ns += spent;
    }
}

/* Checks at each tick: the end of the phase, and with `scan` connections that wait too long or are down. */
static void tick_target(struct worker *w, struct target *t, uint64_t now, int scan)
{
    const struct plan *plan = w->plan;
    uint64_t patience = (uint64_t)(w->options->timeout_s * 1e9);
    const uint64_t end_ns = w->stopped_ns ? w->stopped_ns : plan->start_ns + (uint64_t)plan->length_ns;
    if (worker_stop || (w->links->cluster && cluster_broken(w->links->cluster))) w->source->end(w, t, 0);
    if (worker_enough && !w->stopped_ns) w->source->cut(w, t, now);
    if (w->links->cluster) target_follow(w, t, now);
    if (w->open && t->left && t->pacer.next_ns <= now) target_pending(t, t->pacer.next_ns);
    if (!plan->open && now >= plan->stop_ns) w->source->end(w, t, 0);
    if (!plan->open && plan->stop_ns == UINT64_MAX && t->down_ns && now - t->down_ns > patience) give_up(w, t);
    if (plan->open && now > end_ns + plan->patience_ns) give_up(w, t);
    for (uint32_t i = 0; scan && i < t->conns; i++) {
        struct conn *c = &t->conn[i];
        if (c->state != CONN_DOWN && overdue(w, c, now)) conn_drop(w, c, COUNT_TIMEOUTS, now);
        if (c->state == CONN_DOWN && c->retry_ns <= now && t->left) conn_retry(w, c, now);
    }
}

/* Hand over the running interval. */
static void post(struct worker *w, uint64_t now)
{
    recorder_post(&w->recorder);
    for (uint32_t i = 0; i < w->targets; i++) {
        struct target *t = &w->target[i];
        t->tally.silent = t->pending_ns && now > t->pending_ns + CLUSTER_GAP_NS;
        t->tally.heard = now <= t->heard_ns + CLUSTER_GAP_NS;
        if (t->tally.ops && !t->tally.silent) snprintf(t->by, sizeof t->by, "%.*s", GAPS_TEXT - 1, t->endpoint.name);
        if (w->links->cluster) cluster_post(w->links->cluster, t->shard, &t->tally);
        memset(&t->tally, 0, sizeof t->tally);
    }
}

/* Work between events. */
static void tick(struct worker *w, uint64_t now)
{
    uint64_t expired;
    if (read(w->ticker, &expired, sizeof expired) < 0 && errno != EAGAIN) w->failed = errno;
    if (now >= w->post_ns) {
        uint64_t step = (uint64_t)(w->options->interval_s * 1e9);
        post(w, now);
        w->post_ns += (now - w->post_ns) / step * step + step;
    }
    int scan = now >= w->scan_ns;
    if (scan) w->scan_ns = now + (w->links->cluster ? 0 : SCAN_NS);
    for (uint32_t i = 0; i < w->targets; i++) tick_target(w, &w->target[i], now, scan);
    if (worker_enough && !w->stopped_ns) w->stopped_ns = now;
    if (!worker_stop && !(w->links->cluster && cluster_broken(w->links->cluster))) return;
    if (!w->stopped_ns) w->stopped_ns = now;
    if (now - w->stopped_ns < STOP_DRAIN_NS) return;
    for (uint32_t i = 0; i < w->targets; i++)
        for (uint32_t j = 0; j < w->target[i].conns; j++)
            if (w->target[i].conn[j].inflight) conn_drop(w, &w->target[i].conn[j], COUNT_LOST, now);
}

/* Open loop: send due requests. Returns how long the thread may sleep, in ns; 0 when something was sent and time has passed. */
static uint64_t dispatch(struct worker *w)
{
    uint64_t now = clock_now_ns(), next = UINT64_MAX;
    w->dirties = 0;
    for (uint32_t i = 0; i < w->targets; i++) {
        struct target *t = &w->target[i];
        uint64_t due = w->source->dispatch(w, t, now);
        if (due < next) next = due;
    }
    for (uint32_t i = 0; i < w->dirties; i++) {
        w->dirty[i]->in_dirty = 0;
        if (w->dirty[i]->state == CONN_READY) conn_flush(w, w->dirty[i], clock_now_ns());
    }
    if (next == UINT64_MAX) return UINT64_MAX;
    if (w->dirties) now = clock_now_ns();
    return next > now ? next - now : 0;
}

/* Plan the arrivals of schedule `number` of `groups`; `shared`: together they have the requests of the plan. */
static void arrivals_begin(const struct worker *w, struct target *t, uint64_t number, uint64_t groups, int shared)
{
    const struct plan *plan = w->plan;
    const struct pacer_spec spec = {.arrival = w->options->arrival,
                                    .start_ns = plan->start_ns,
                                    .total = t->left,
                                    .length_ns = plan->length_ns,
                                    .all = shared ? plan->total : t->left * groups,
                                    .number = number,
                                    .groups = groups,
                                    .seed = w->options->seed,
                                    /* of the port: clients have different ports, and often the same seed */
                                    .stream = (uint64_t)plan->index << 32 | t->part << 16 | t->port,
                                    .schedule = plan->schedule};
    pacer_init(&t->pacer, &spec);
}

/* Set a target to the start of a phase. */
static void target_begin(struct worker *w, struct target *t)
{
    const struct options *o = w->options;
    const struct plan *plan = w->plan;
    struct keys_spec spec = o->keys;
    uint64_t added = t->keys.added;
    uint64_t groups = o->threads > o->instances ? o->threads : o->instances;
    uint64_t number = t->part * o->instances + t->instance; /* of this target among all threads' */
    uint64_t stream = number + ((uint64_t)plan->index << 32);
    /* In the order of the previous set, a shuffled get would walk memory from end to end. */
    spec.seed += (uint64_t)plan->index * RNG_STEP;
    if (plan->keys) pattern_follow(&spec, plan->keys);
    if (!plan->record) spec.shift_s = 0; /* the popular keys at the start are those of the warm-up */
    if (plan->kind == PHASE_POPULATE)
        spec = (struct keys_spec){.kind = o->populate, .first = o->populate_first, .count = o->populate_count, .seed = spec.seed};
    keys_init(&t->keys, &spec, t->part, t->parts, stream, &w->zipf);
    commands_phase(&t->commands, plan->kind);
    adds_begin(t, added);
    rng_seed(&t->choice, o->seed ^ UINT64_C(0x6d69786564), stream);
    const int shared = plan->time_ns || (o->requests && plan->kind != PHASE_POPULATE);
    if (!plan->total)
        t->left = UINT64_MAX;
    else if (shared)
        t->left = keys_share(plan->total, number, groups);
    else
        t->left = keys_share(spec.count, t->part, t->parts) * (plan->kind == PHASE_POPULATE && w->mix ? (uint64_t)w->mix->fills : 1);
    if (plan->open && !w->replay) arrivals_begin(w, t, number, groups, shared);
    if (w->replay) replay_begin(w, t);
    if (t->left) w->unfinished++;
    t->outages = t->outage_longest_ns = t->outage_total_ns = 0;
    t->inflight = t->pending_ns = t->heard_ns = 0;
    t->silent = 0;
    t->error[0] = 0;
    gaps_clear(&t->gaps);
    gaps_clear(&t->quiet);
    memset(&t->tally, 0, sizeof t->tally);
    t->free_head = t->free_count = 0;
    if (t->down_ns) {
        t->down_ns = plan->start_ns;
        if (!w->open && t->left) t->pending_ns = plan->start_ns; /* a closed loop has no other time at which a request is due */
    }
    for (uint32_t i = 0; i < t->conns; i++) {
        t->conn[i].in_free = t->conn[i].in_dirty = t->conn[i].resting = 0;
        t->conn[i].idle = i >= plan->connections;
    }
}

/* Reopen what was closed. After one failure for an instance, the rest is reopened during the phase, as after an outage. */
static void target_refresh(struct worker *w, struct target *t)
{
    int gone = 0, moved = w->links->cluster && cluster_moved(w->links->cluster, t->shard, t->moves);
    if (moved) t->moves = cluster_follow(w->links->cluster, t->shard, &t->endpoint);
    for (uint32_t i = 0; i < t->conns; i++) {
        struct conn *c = &t->conn[i];
        char why[LINK_WHY];
        const int ready = c->state == CONN_READY;
        if (ready && !moved && !link_stale(&c->link)) continue;
        link_close(&c->link);
        if (!gone) gone = link_open(&c->link, w->links, &t->endpoint, 1, why) || conn_register(w, c, 0);
        resp_reset(&c->scan);
        if (gone)
            conn_drop(w, c, COUNT_LOST, clock_now_ns());
        else if (!ready)
            conn_up(w, c, clock_now_ns());
    }
}

void worker_refresh(struct worker *w)
{
    for (uint32_t i = 0; i < w->targets; i++) target_refresh(w, &w->target[i]);
}

static void begin(struct worker *w)
{
    const struct plan *plan = w->plan;
    double interval = w->options->interval_s, most = w->links->cluster ? CLUSTER_TICKS : TICK_MAX_S, tick_s = interval / ceil(interval / most);
    uint64_t tick_ns = (uint64_t)(tick_s * 1e9);
    struct timespec period = {.tv_sec = (time_t)(tick_ns / NS_PER_S), .tv_nsec = (long)(tick_ns % NS_PER_S)};
    struct itimerspec timer = {.it_interval = period, .it_value = period};
    const struct mix *mix = w->options->mix.entries ? &w->options->mix : NULL;
    w->replay = plan->kind == PHASE_REPLAY;
    w->open = plan->open || w->replay;
    w->source = w->replay ? &source_replay : plan->open ? &source_open : &source_closed;
    w->mix = mix && (plan->kind == PHASE_MIXED || w->replay || (plan->kind == PHASE_POPULATE && (mix->typed || mix->fills > 1))) ? mix : NULL;
    kinds_clear(&w->kinds);
    w->inflight = w->planned = w->unfinished = 0;
    w->cpu_ns = w->waited_ns = w->idle_ns = 0;
    w->scan_ns = w->stopped_ns = 0;
    w->window_ns = plan->open ? UINT64_MAX : plan->stop_ns;
    w->answered = w->latency_sum_us = w->max_average_us = 0;
    w->first_error[0] = 0;
    prctl(PR_SET_TIMERSLACK, 1UL, 0UL, 0UL, 0UL); /* the default of 50 us would delay every request of an open loop */
    for (uint32_t i = 0; i < w->targets; i++) {
        target_begin(w, &w->target[i]);
        w->planned += w->target[i].left;
    }
    /* Sleep in short intervals, because a signal wakes only one thread. */
    for (uint64_t now; (now = clock_now_ns()) < plan->start_ns && !worker_stop;)
        clock_sleep_until_ns(plan->start_ns - now < WAIT_SLICE_NS ? plan->start_ns : now + WAIT_SLICE_NS);
    for (uint32_t i = 0; worker_stop && i < w->targets; i++) w->source->end(w, &w->target[i], 0);
    w->begin_ns = w->last_reply_ns = clock_now_ns();
    w->post_ns = plan->start_ns + (uint64_t)(interval * 1e9);
    if (timerfd_settime(w->ticker, 0, &timer, NULL)) w->failed = errno;
}

static void end(struct worker *w)
{
    struct itimerspec off = {0};
    const struct plan *plan = w->plan;
    uint64_t now = clock_now_ns(), finish = w->last_reply_ns;
    timerfd_settime(w->ticker, 0, &off, NULL);
    w->ran_ns = now - w->begin_ns;
    post(w, now);
    for (uint32_t i = 0; i < w->targets; i++) {
        struct target *t = &w->target[i];
        target_heard(t, now, 0);
        if (!t->down_ns) continue;
        uint64_t down = now - t->down_ns; /* it was not reopened in this phase */
        t->outages++;
        t->outage_total_ns += down;
        if (down > t->outage_longest_ns) t->outage_longest_ns = down;
        finish = now;
    }
    if (finish < w->stopped_ns) finish = w->stopped_ns;
    /* An open loop lasts at least as long as its schedule, so that ops over time is the rate. A closed loop lasts exactly the requested time: later
     * answers are counted separately. */
    uint64_t length_end = plan->open ? plan->start_ns + (uint64_t)plan->length_ns : plan->stop_ns;
    if (length_end != UINT64_MAX) {
        w->begin_ns = plan->start_ns;
        if ((finish < length_end && !w->stopped_ns) || (finish > length_end && !plan->open)) finish = length_end;
    }
    w->elapsed_ns = finish > w->begin_ns ? finish - w->begin_ns : 0;
}

void worker_run(struct worker *w, const struct plan *plan)
{
    struct epoll_event events[EVENTS];
    uint64_t cpu_ns, waited_ns;
    int spin = w->options->spin;
    w->plan = plan;
    begin(w);
    cpu_ns = clock_thread_cpu_ns();
    waited_ns = run_delay_ns();
    for (uint32_t i = 0; i < w->targets; i++)
        for (uint32_t j = 0; j < w->target[i].conns; j++) {
            struct conn *c = &w->target[i].conn[j];
            if (c->state == CONN_READY) w->source->room(w, c, w->open ? plan->ready_ns : clock_now_ns());
        }
    while (!w->failed) {
        uint64_t sleep_ns = w->open ? dispatch(w) : UINT64_MAX, polled_ns = spin ? clock_now_ns() : 0;
        int ticked = 0;
        if (!w->inflight && !w->unfinished) break;
        int n = wait_events(w, events, spin ? 0 : sleep_ns);
        if (n < 0 && errno != EINTR) w->failed = errno;
        if (spin && !n && sleep_ns) w->idle_ns += clock_now_ns() - polled_ns;
        for (int i = 0; i < n; i++) {
            if (events[i].data.ptr)
                receive_event(w, events[i].data.ptr, events[i].events);
            else
                ticked = 1;
        }
        if (ticked) tick(w, clock_now_ns());
    }
    w->cpu_ns = clock_thread_cpu_ns() - cpu_ns;
    const uint64_t waited_end_ns = run_delay_ns();
    w->waited_ns = waited_end_ns > waited_ns ? waited_end_ns - waited_ns : 0;
    end(w);
    w->plan = NULL; /* it is the caller's, and a connection may be opened before the next phase */
}
