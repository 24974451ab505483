/* SPDX-License-Identifier: MIT */
/* A server of Redis' protocol with known delays, which logs the truth: when each SET and GET arrived, and when its reply was sent.
 *
 * Usage: server LOG [WORD=NUMBER]...     prints its first port once it listens on 127.0.0.1
 *   base=US              each SET and GET takes US
 *   every=N slow=US      one of N takes US instead
 *   link=N slow=US       those of the Nth connection, and of each 50th after it, take US instead
 *   shards=N slow=US     N ports in a row, as the shards of a Redis Cluster; on the last, each takes US instead
 *   period=US stall=US   nothing is answered in the first part of each period, counted from the first SET or GET
 *   queue=1              each begins when the one before has its reply
 *   pace=BYTES           reads at most so many bytes per connection in `base`, which a SET or GET then does not take
 *
 * One line per reply: ARRIVED SENT in ns of CLOCK_MONOTONIC, and the number of the CONNECTION. A request arrives when the poll that finds its first
 * byte returns; the server never waits elsewhere. Replies of a connection keep their order. TERM ends the server; the log is whole then.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { LINKS = 256, SHARDS = 16, BUFFER = 1 << 16, WAITING = 256, SLOTS = 16384 };

struct request {
    uint64_t arrived, due;
    int set;
};

struct link {
    int fd, shard;
    uint64_t number, arrived, read_at; /* arrived: the first byte in the buffer; read_at: not read from before this time (pace) */
    unsigned head, tail;               /* of the requests without a reply */
    struct request waiting[WAITING];
    size_t have;
    char buffer[BUFFER];
};

static struct link links[LINKS];
static int count;
static uint64_t base, every, slow, link_number, shards = 1, period, stall, queue, pace;
static uint64_t begun, served, busy_until, accepted;
static volatile sig_atomic_t ended;

static void on_end(int number)
{
    (void)number;
    ended = 1;
}

static uint64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static void options(int argc, char **argv)
{
    const struct {
        const char *name;
        uint64_t *value, unit;
    } known[] = {{"base", &base, 1000},     {"every", &every, 1},    {"slow", &slow, 1000}, {"link", &link_number, 1}, {"shards", &shards, 1},
                 {"period", &period, 1000}, {"stall", &stall, 1000}, {"queue", &queue, 1},  {"pace", &pace, 1}};
    for (int i = 2; i < argc; i++) {
        char *value = strchr(argv[i], '=');
        size_t j = 0, n = sizeof known / sizeof *known;
        if (value) *value++ = '\0';
        while (value && j < n && strcmp(argv[i], known[j].name) != 0) j++;
        if (!value || j == n) {
            fprintf(stderr, "server: %s: not known\n", argv[i]);
            exit(2);
        }
        *known[j].value = strtoull(value, NULL, 10) * known[j].unit;
    }
    if (!shards || shards > SHARDS) exit(2);
}

/* The bytes of the request at the front of the buffer, or 0 if it is not whole. Sets the command, up to its CR. */
static size_t length(const struct link *l, const char **command)
{
    const char *at = l->buffer, *end = l->buffer + l->have, *line = memchr(at, '\n', l->have);
    *command = NULL;
    if (!line) return 0;
    long words = strtol(at + 1, NULL, 10);
    for (at = line + 1; words > 0; words--) {
        if (at >= end || !(line = memchr(at, '\n', (size_t)(end - at)))) return 0;
        if (!*command) *command = line + 1;
        at = line + 1 + strtol(at + 1, NULL, 10) + 2;
    }
    return at <= end ? (size_t)(at - l->buffer) : 0;
}

static int is(const char *command, const char *name)
{
    return command && strncasecmp(command, name, strlen(name)) == 0 && command[strlen(name)] == '\r';
}

/* When a SET or GET that is whole gets its reply. */
static uint64_t due(const struct link *l, uint64_t now)
{
    uint64_t takes = base, from = queue && busy_until > l->arrived ? busy_until : l->arrived;
    if (!begun) begun = l->arrived;
    served++;
    if (pace) return now;
    if ((every && served % every == 0) || (link_number && l->number % 50 == link_number) || (shards > 1 && l->shard + 1 == (int)shards)) takes = slow;
    busy_until = from + takes;
    if (period && (busy_until - begun) % period < stall) busy_until += stall - (busy_until - begun) % period;
    return busy_until;
}

static void reply(const struct link *l, const char *text, size_t size)
{
    if (write(l->fd, text, size) != (ssize_t)size) perror("server: write");
}

/* Answer a request that is not a SET or GET. */
static void answer(const struct link *l, const char *command, int port)
{
    char text[SHARDS * 120] = "", out[sizeof text + 32];
    int n = 0;
    if (is(command, "CLUSTER") && strncasecmp(command + strlen("CLUSTER\r\n$5\r\n"), "SLOTS", 5) == 0) {
        n = snprintf(out, sizeof out, "*%d\r\n", (int)shards);
        for (int i = 0; i < (int)shards; i++)
            n += snprintf(out + n, sizeof out - (size_t)n, "*3\r\n:%d\r\n:%d\r\n*3\r\n$9\r\n127.0.0.1\r\n:%d\r\n$40\r\n%040d\r\n",
                          SLOTS * i / (int)shards, SLOTS * (i + 1) / (int)shards - 1, port + i, i + 1);
    } else if (is(command, "CLUSTER")) {
        for (int i = 0; i < (int)shards; i++)
            n += snprintf(text + n, sizeof text - (size_t)n, "%040d 127.0.0.1:%d@%d %smaster - 0 0 %d connected %d-%d\n", i + 1, port + i, port + i,
                          i == l->shard ? "myself," : "", i + 1, SLOTS * i / (int)shards, SLOTS * (i + 1) / (int)shards - 1);
        n = snprintf(out, sizeof out, "$%d\r\n%s\r\n", n, text);
    } else {
        n = snprintf(out, sizeof out, "%s",
                     is(command, "CONFIG") ? "*2\r\n$4\r\nsave\r\n$0\r\n\r\n"
                     : is(command, "INFO") ? "$12\r\n# Keyspace\r\n\r\n"
                     : is(command, "PING") ? "+PONG\r\n"
                                           : ":0\r\n");
    }
    reply(l, out, (size_t)n);
}

/* Read from a connection, and take every request that is whole. Returns -1 when it is closed. */
static int receive(struct link *l, int port, uint64_t now)
{
    const char *command;
    size_t room = sizeof l->buffer - 1 - l->have, taken;
    ssize_t n = read(l->fd, l->buffer + l->have, pace && pace < room ? pace : room);
    if (n <= 0) return n < 0 && errno == EAGAIN ? 0 : -1;
    if (!l->have) l->arrived = l->read_at = now;
    l->have += (size_t)n;
    l->buffer[l->have] = '\0';
    for (; (taken = length(l, &command)) > 0; l->arrived = now) {
        if (is(command, "SET") || is(command, "GET")) {
            if (l->tail - l->head == WAITING) exit(1);
            l->waiting[l->tail++ % WAITING] = (struct request){.arrived = l->arrived, .due = due(l, now), .set = is(command, "SET")};
        } else {
            answer(l, command, port);
        }
        l->have -= taken;
        memmove(l->buffer, l->buffer + taken, l->have);
    }
    /* By the arrival: what one read is late, the next one has less to wait. A new request is read at once. */
    l->read_at = pace && l->have ? l->read_at + base : 0;
    return 0;
}

static void sooner(uint64_t *next, uint64_t at)
{
    if (!*next || at < *next) *next = at;
}

/* Send the replies that are due. Returns the time of the next reply or paced read, or 0. */
static uint64_t send_due(FILE *log)
{
    uint64_t next = 0;
    for (int i = 0; i < count; i++) {
        struct link *l = &links[i];
        for (; l->head != l->tail; l->head++) {
            const struct request *r = &l->waiting[l->head % WAITING];
            uint64_t now = now_ns();
            if (r->due > now) {
                sooner(&next, r->due);
                break;
            }
            reply(l, r->set ? "+OK\r\n" : "$-1\r\n", 5);
            fprintf(log, "%ju %ju %ju\n", (uintmax_t)r->arrived, (uintmax_t)now, (uintmax_t)l->number);
        }
        if (pace && l->read_at > now_ns()) sooner(&next, l->read_at);
    }
    return next;
}

static void take(int listener, int shard)
{
    int one = 1, fd = accept4(listener, NULL, NULL, SOCK_NONBLOCK);
    if (fd < 0 || count == LINKS) exit(1);
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    links[count++] = (struct link){.fd = fd, .shard = shard, .number = accepted++};
}

/* Listen on as many ports in a row as there are shards. Returns the first. */
static int listen_all(int *listeners)
{
    for (int port = 21000;; port += (int)shards) {
        int i = 0, one = 1;
        if (port > 32000) exit(1);
        for (; i < (int)shards; i++) {
            struct sockaddr_in at = {.sin_family = AF_INET, .sin_port = htons((uint16_t)(port + i)), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
            listeners[i] = socket(AF_INET, SOCK_STREAM, 0);
            setsockopt(listeners[i], SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
            if (bind(listeners[i], (struct sockaddr *)&at, sizeof at) || listen(listeners[i], LINKS)) break;
        }
        if (i == (int)shards) return port;
        for (; i >= 0; i--) close(listeners[i]);
    }
}

int main(int argc, char **argv)
{
    int listeners[SHARDS];
    FILE *log = argc > 1 ? fopen(argv[1], "w") : NULL;
    if (!log) return 2;
    options(argc, argv);
    struct sigaction end = {.sa_handler = on_end};
    sigaction(SIGTERM, &end, NULL);
    /* TERM arrives only while the server waits. */
    sigset_t waiting, term;
    sigemptyset(&term);
    sigaddset(&term, SIGTERM);
    sigprocmask(SIG_BLOCK, &term, &waiting);
    signal(SIGPIPE, SIG_IGN);
    prctl(PR_SET_TIMERSLACK, 1UL);
    int port = listen_all(listeners);
    printf("%d\n", port);
    fflush(stdout);
    while (!ended) {
        struct pollfd polls[SHARDS + LINKS];
        uint64_t next = send_due(log), now = now_ns();
        uint64_t wait = next > now ? next - now : 0;
        struct timespec limit = {.tv_sec = (time_t)(wait / 1000000000), .tv_nsec = (long)(wait % 1000000000)};
        int n = 0;
        for (; n < (int)shards; n++) polls[n] = (struct pollfd){.fd = listeners[n], .events = POLLIN};
        for (int i = 0; i < count; i++) polls[n++] = (struct pollfd){.fd = links[i].fd, .events = pace && links[i].read_at > now ? 0 : POLLIN};
        if (ppoll(polls, (nfds_t)n, next ? &limit : NULL, &waiting) < 0) continue;
        now = now_ns();
        for (int i = count - 1; i >= 0; i--) {
            if (!polls[(int)shards + i].revents || receive(&links[i], port, now) == 0) continue;
            close(links[i].fd);
            links[i] = links[--count];
        }
        for (int i = 0; i < (int)shards; i++)
            if (polls[i].revents) take(listeners[i], i);
    }
    return fclose(log) ? 1 : 0;
}
