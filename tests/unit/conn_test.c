/* SPDX-License-Identifier: MIT */
/* Links, connections and the worker's loop, tested over a socket pair: what a real server does not show. */
#include "clock.h"
#include "conn.h"
#include "receive.h"
#include "source.h"
#include "unit.h"

#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

static struct options o;
static struct links links;
static struct values values;
static struct plan plan;
static struct worker w;
static struct conn *c; /* the only connection of w */
static int peer;       /* its other end */

/* Make a worker with one connection to `peer`, from a command line. Exit on failure, because nothing can be tested then. */
static void begin(const char *line)
{
    static char copy[256];
    char *word[32] = {"test"}, *save = NULL, why[LINK_WHY] = "";
    int n = 1, pair[2];
    snprintf(copy, sizeof copy, "%s 127.0.0.1 1", line);
    for (char *at = strtok_r(copy, " ", &save); at; at = strtok_r(NULL, " ", &save)) word[n++] = at;
    memset(&w, 0, sizeof w);
    worker_stop = 0;
    if (options_parse(&o, n, word, 1, why) || links_init(&links, &o, &worker_stop, why) || values_init(&values, &o.values) ||
        worker_init(&w, 0, &o, &links, &values, why) || socketpair(AF_UNIX, SOCK_STREAM, 0, pair)) {
        printf("# cannot begin: %s\n", why);
        exit(1);
    }
    peer = pair[1];
    c = &w.target[0].conn[0];
    c->link.fd = pair[0];
    fcntl(pair[0], F_SETFL, O_NONBLOCK);
    int most = CONN_OUT_SIZE; /* the kernel doubles it, so that sometimes a whole write fits */
    setsockopt(pair[0], SOL_SOCKET, SO_SNDBUF, &most, sizeof most);
    CHECK_SAME(conn_register(&w, c, 0), 0);
    conn_up(&w, c, 0);
    plan = (struct plan){.kind = o.phase[0], .pipeline = o.pipeline, .verify = 1};
    plan.total = o.count;
    plan.connections = o.connections;
    plan.patience_ns = (uint64_t)(o.timeout_s * 1e9);
    plan.stop_ns = UINT64_MAX;
}

/* Call begin, then prepare a phase of COUNT requests. */
static void begin_phase(const char *line)
{
    begin(line);
    struct target *t = &w.target[0];
    w.plan = &plan;
    w.source = &source_closed;
    w.window_ns = UINT64_MAX;
    w.unfinished = 1;
    t->left = o.count;
    keys_init(&t->keys, &o.keys, 0, 1, 0, &w.zipf);
}

/* Call begin_phase, then send the first batch. */
static void begin_batch(const char *line)
{
    begin_phase(line);
    source_closed.room(&w, c, clock_now_ns());
}

static void end(void)
{
    if (peer >= 0) close(peer);
    worker_free(&w);
    values_free(&values);
    links_free(&links);
}

static void answer(const char *bytes)
{
    CHECK_SAME(write(peer, bytes, strlen(bytes)), (ssize_t)strlen(bytes));
    receive_event(&w, c, EPOLLIN);
}

static uint64_t counted(enum count kind)
{
    return w.recorder.active_count[kind] + w.recorder.total_count[kind];
}

static void a_broken_stream_loses_what_is_on_the_way(void)
{
    begin_batch("--phases get -P 4 --key-max 3");
    answer("$-1\r\n\x01");
    CHECK_SAME(counted(COUNT_OPS), 1);
    CHECK_SAME(counted(COUNT_LOST), 3);
    CHECK_SAME(counted(COUNT_UNANSWERED), 3);
    CHECK_SAME(w.recorder.active.total, 4); /* they are in the percentiles */
    CHECK(w.recorder.at_least_ns < UINT64_MAX);
    CHECK(c->state == CONN_DOWN && w.inflight == 0);
    end();
}

/* Read a batch of SETs of 10 bytes: the keys in their order. */
static void sent_keys(uint64_t key[4])
{
    char got[4096] = "", *at = got;
    CHECK(recv(peer, got, sizeof got - 1, MSG_DONTWAIT) > 0);
    for (int i = 0; i < 4 && at; i++) {
        at = strstr(at, "SET\r\n$");
        if (at) at = strstr(at + 5, "\r\n");
        if (at) key[i] = strtoull(at + 2, &at, 10);
    }
    CHECK(at != NULL);
}

/* Of a connection that adds keys, a reply is an error, and then the connection is lost. */
static void a_failed_set_adds_no_key(void)
{
    uint64_t key[4] = {0};
    begin_phase("--phases populate,mixed --ratio 1:0 --keys latest -P 4 --key-max 99 --sizes 10");
    const struct keys *k = &w.target[0].keys;
    plan.kind = PHASE_MIXED;
    source_closed.room(&w, c, clock_now_ns());
    sent_keys(key);
    CHECK(key[0] == 100 && key[1] == 101 && key[2] == 102 && key[3] == 103);
    answer("+OK\r\n-OOM command not allowed\r\n");
    CHECK_SAME(k->seen, 1);
    answer("+OK\r\n+OK\r\n");
    CHECK_SAME(k->seen, 1); /* and the next batch sets the failed key again */
    sent_keys(key);
    CHECK(key[0] == 101 && key[1] == 104 && key[2] == 105 && key[3] == 106);
    answer("+OK\r\n");
    CHECK_SAME(k->seen, 4);
    conn_drop(&w, c, COUNT_LOST, clock_now_ns());
    CHECK_SAME(k->seen, 4);
    CHECK_SAME(k->added, 7);
    CHECK_SAME(w.target[0].adds.failures, 3);
    end();
}

/* The time at which a batch is made, here long past, is not the time at which it is written. */
static void the_clients_work_is_no_latency(void)
{
    static const char *const lines[] = {"--phases set -P 4 --key-max 3 --sizes 10", "--phases set -P 2 --key-max 1 --sizes 100000"};
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        begin_phase(lines[i]);
        uint64_t before = clock_now_ns();
        source_closed.room(&w, c, 1);
        CHECK(c->sent_ns >= before);
        CHECK_SAME(w.target[0].commands.shared, i);
        end();
    }
}

static void a_write_that_fails_has_not_waited(void)
{
    begin_phase("--phases set -P 4 --key-max 3 --sizes 10");
    close(peer);
    peer = -1;
    source_closed.room(&w, c, 1);
    CHECK_SAME(counted(COUNT_LOST), 4);
    CHECK(w.recorder.at_least_ns < 3600 * NS_PER_S);
    end();
}

/* Commands of 1 MB each, through a socket that accepts parts: no byte is lost or sent twice. */
static void a_full_socket_is_written_on(void)
{
    const size_t room = 8 << 20;
    char *wanted = malloc(room), *got = malloc(room), *at = wanted;
    size_t done = 0;
    begin_batch("--phases set -P 5 --key-max 4 --data random --sizes 1000000");
    for (uint64_t key = 0; key < 5; key++) at = command_encode(&w.target[0].commands, COMMAND_TAG(COMMAND_SET, key), at);
    CHECK(c->unwritten > 0);
    for (int idle = 0; done < (size_t)(at - wanted) && idle < 1000;) {
        ssize_t n = recv(peer, got + done, room - done < 70001 ? room - done : 70001, MSG_DONTWAIT);
        if (n > 0) done += (size_t)n;
        idle = n > 0 ? 0 : idle + 1;
        receive_event(&w, c, EPOLLOUT);
    }
    CHECK_SAME(done, at - wanted);
    CHECK(!memcmp(got, wanted, done));
    CHECK_SAME(c->unwritten, 0);
    end();
    free(wanted);
    free(got);
}

static const char *served;

/* The server of a run: sends one reply per command; each command contains one '*'. */
static void *serve(void *arg)
{
    const char *reply = served;
    (void)arg;
    char bytes[65536];
    ssize_t n;
    while ((n = read(peer, bytes, sizeof bytes)) > 0)
        for (ssize_t i = 0; i < n; i++)
            if (bytes[i] == '*' && write(peer, reply, strlen(reply)) < 0) return NULL;
    return NULL;
}

/* Run the plan against a server that sends this reply to every command. */
static void run(const char *reply)
{
    pthread_t server;
    recorder_clear(&w.recorder);
    served = reply;
    pthread_create(&server, NULL, serve, NULL);
    plan_start(&plan, clock_now_ns(), clock_now_ns());
    worker_run(&w, &plan);
    shutdown(peer, SHUT_RDWR);
    pthread_join(server, NULL);
}

static void an_open_loop_sends_what_is_due(void)
{
    begin("--phases get -P 3 --rate 1000 --key-max 9");
    plan.open = 1;
    plan.rate = 1000;
    plan.total = o.requests = 50;
    plan.length_ns = 50e6;
    run("$-1\r\n");
    CHECK_SAME(counted(COUNT_OPS), 50);
    CHECK_SAME(counted(COUNT_MISSES), 50);
    CHECK(w.recorder.lag.total == 50 && w.recorder.service.total == 50);
    CHECK(w.elapsed_ns >= 50000000);
    c->in_free = 0;
    conn_up(&w, c, 0); /* as after a warm-up, whose plan exists no more */
    CHECK(!c->in_free);
    end();
}

/* A host with two addresses; no process listens on the first one. */
static void every_address_is_tried(void)
{
    struct sockaddr_in in = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof in;
    int heard = socket(AF_INET, SOCK_STREAM, 0), unheard = socket(AF_INET, SOCK_STREAM, 0);
    struct link l = {.fd = -1};
    struct endpoint e = {.name = "host:1", .addresses = 2, .size = {sizeof in, sizeof in}};
    char why[LINK_WHY] = "";
    begin("--phases get --connect-timeout 20 --key-max 9");
    CHECK(!bind(unheard, (struct sockaddr *)&in, size) && !getsockname(unheard, (struct sockaddr *)&in, &size));
    memcpy(&e.address[0], &in, size); /* bound and not listening: refused */
    in.sin_port = 0;
    CHECK(!bind(heard, (struct sockaddr *)&in, size) && !listen(heard, 1) && !getsockname(heard, (struct sockaddr *)&in, &size));
    memcpy(&e.address[1], &in, size);
    CHECK_SAME(link_open(&l, &links, &e, 0, why), 0);
    CHECK_SAME(e.best, 1);
    if (l.fd >= 0) {
        CHECK_SAME(link_stale(&l), 0);
        close(accept(heard, NULL, NULL));
        for (int i = 0; i < 1000 && !link_stale(&l); i++) usleep(1000);
        CHECK_SAME(link_stale(&l), 1);
        link_close(&l);
    }
    e.addresses = 1;
    e.best = 0;
    CHECK_SAME(link_open(&l, &links, &e, 0, why), -1);
    CHECK(!strcmp(why, "cannot use host:1: Connection refused"));
    close(heard);
    close(unheard);
    end();
}

/* Listen on a unix socket with a name of the kernel, for as many connections in its backlog and one more. Returns its descriptor. */
static int unix_listen(struct endpoint *e, int backlog)
{
    struct sockaddr_un un = {.sun_family = AF_UNIX};
    socklen_t size = sizeof un;
    int heard = socket(AF_UNIX, SOCK_STREAM, 0);
    CHECK(!bind(heard, (struct sockaddr *)&un, sizeof un.sun_family) && !listen(heard, backlog));
    CHECK(!getsockname(heard, (struct sockaddr *)&un, &size));
    *e = (struct endpoint){.name = "socket", .addresses = 1, .size = {size}};
    memcpy(&e->address[0], &un, size);
    return heard;
}

static void *accept_two(void *arg)
{
    for (int i = 0; i < 2; i++) close(accept(*(int *)arg, NULL, NULL));
    return NULL;
}

static void a_full_backlog_is_waited_for(void)
{
    struct link first = {.fd = -1}, l = {.fd = -1};
    struct endpoint e;
    char why[LINK_WHY] = "";
    pthread_t server;
    begin("--phases get --connect-timeout 0.05 --key-max 9");
    int heard = unix_listen(&e, 0);
    CHECK_SAME(link_open(&first, &links, &e, 0, why), 0);
    CHECK_SAME(link_open(&l, &links, &e, 0, why), -1);
    CHECK(!strcmp(why, "cannot use socket: no connection in 0.05 s"));
    o.connect_timeout_s = 60;
    pthread_create(&server, NULL, accept_two, &heard);
    CHECK_SAME(link_open(&l, &links, &e, 0, why), 0);
    shutdown(heard, SHUT_RDWR);
    pthread_join(server, NULL);
    link_close(&first);
    link_close(&l);
    close(heard);
    end();
}

/* Let c handle what its other end has sent or done. */
static void event(uint32_t events)
{
    struct pollfd ready = {.fd = c->link.fd, .events = events & EPOLLOUT ? POLLOUT : POLLIN};
    CHECK_SAME(poll(&ready, 1, 60000), 1);
    receive_event(&w, c, events);
}

/* The server answers the greeting, and closes the connection at the first request, or after its answer. */
static void reopen(int heard, int answers)
{
    conn_retry(&w, c, clock_now_ns());
    event(EPOLLOUT);
    int other = accept(heard, NULL, NULL);
    CHECK_SAME(write(other, "+PONG\r\n", 7), 7);
    event(EPOLLIN);
    CHECK(c->state == CONN_READY && c->inflight == 1);
    CHECK_SAME(answers ? write(other, "$-1\r\n", 5) : 5, 5);
    if (answers) event(EPOLLIN);
    close(other);
    event(EPOLLIN | EPOLLRDHUP);
    CHECK(c->state == CONN_DOWN);
}

static void a_connection_works_when_it_answers(void)
{
    begin_batch("--phases get -P 1 --key-max 99");
    int heard = unix_listen(&w.target[0].endpoint, 1);
    conn_drop(&w, c, COUNT_LOST, clock_now_ns());
    CHECK_SAME(c->backoff_ns, 0);
    reopen(heard, 0);
    CHECK_SAME(c->backoff_ns, 50 * NS_PER_MS);
    reopen(heard, 0);
    CHECK_SAME(c->backoff_ns, 100 * NS_PER_MS);
    reopen(heard, 1);
    CHECK_SAME(c->backoff_ns, 0);
    close(heard);
    end();
}

static void instances_are_on_their_hosts(void)
{
    struct options on = {.host = "127.0.0.1", .port = 7000, .hosts = "7002=127.0.0.2,7003=[::1]"};
    struct endpoint_hosts h;
    struct endpoint e;
    char why[ENDPOINT_WHY] = "";
    CHECK_SAME(endpoint_hosts_named(on.hosts), 2);
    CHECK_SAME(endpoint_resolve(&h, &on, why), 0);
    CHECK(!endpoint_instance(&e, &h, &on, 7001, why) && !strcmp(e.name, "127.0.0.1:7001"));
    CHECK(!endpoint_instance(&e, &h, &on, 7002, why) && !strcmp(e.name, "127.0.0.2:7002"));
    CHECK(e.address[0].ss_family == AF_INET && ((struct sockaddr_in *)(void *)&e.address[0])->sin_port == htons(7002));
    CHECK(!endpoint_instance(&e, &h, &on, 9000, why) && !strcmp(e.name, "[::1]:9000") && e.address[0].ss_family == AF_INET6);
    endpoint_hosts_free(&h);
    CHECK_SAME(endpoint_hosts_named(""), -1);
    CHECK_SAME(endpoint_hosts_named("7002=a,7002=b"), -1);
    CHECK_SAME(endpoint_hosts_named("7002=a,"), -1);
    CHECK_SAME(endpoint_hosts_named("7002=,7003=b"), -1);
    CHECK_SAME(endpoint_hosts_named("70000=a"), -1);
    CHECK_SAME(endpoint_hosts_named("a"), -1);
}

static void arrivals_depend_on_the_instance(void)
{
    uint64_t first[2], start_ns = clock_now_ns() + NS_PER_S;
    for (uint64_t i = 0; i < 2; i++) {
        begin("--phases set --rate 100 --time 1 --arrival poisson");
        w.target[0].port += i;
        plan.open = 1;
        plan.total = 100;
        plan.length_ns = 1e9;
        plan_start(&plan, start_ns, start_ns);
        worker_stop = SIGINT;
        worker_run(&w, &plan);
        first[i] = w.target[0].pacer.next_ns;
        end();
    }
    CHECK(first[0] != first[1]);
}

int main(void)
{
    TEST("instances are on the host whose port is the nearest below theirs", instances_are_on_their_hosts);
    TEST("a broken stream loses what is on the way, and that is in the percentiles", a_broken_stream_loses_what_is_on_the_way);
    TEST("a key whose SET failed is not read, and the next SET takes it", a_failed_set_adds_no_key);
    TEST("the latency of a closed loop begins with the write, not with the client's work for it", the_clients_work_is_no_latency);
    TEST("a write that fails has not waited", a_write_that_fails_has_not_waited);
    TEST("a full socket is written on where it stopped", a_full_socket_is_written_on);
    TEST("an open loop sends what is due", an_open_loop_sends_what_is_due);
    TEST("arrivals at an instance are not those at another with the same seed", arrivals_depend_on_the_instance);
    TEST("every address of a host is tried; a link that was closed is stale", every_address_is_tried);
    TEST("a full backlog of a unix socket is waited for, like that of TCP", a_full_backlog_is_waited_for);
    TEST("a connection that is closed at its first request again and again is retried more slowly", a_connection_works_when_it_answers);
    return UNIT_END;
}
