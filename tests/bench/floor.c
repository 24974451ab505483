/* SPDX-License-Identifier: MIT */
/* The floor of client CPU: sends prepared batches of commands and counts the bytes of replies. It draws no keys, parses no replies, reads no clock.
 * Usage: floor PORT CONNECTIONS PIPELINE SIZE REQUESTS set|get [read]
 * 127.0.0.1; keys are five digits, and a get needs all of 10000 to 99999 to hold SIZE bytes. `read`, for one connection: sleep in read, not in epoll.
 */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#define EVENTS 512
#define BUFFER (256 * 1024) /* as ./test has */

struct floor {
    int port, connections, pipeline, set;
    size_t size;
    long requests;
    char *batch; /* of `pipeline` commands */
    size_t batch_size, reply_size;
};

static void die(const char *what)
{
    perror(what);
    exit(1);
}

static long number(const char *text)
{
    char *end;
    long n = strtol(text, &end, 10);
    if (end == text || *end || n < 1) {
        fprintf(stderr, "floor: %s: not a number above 0\n", text);
        exit(2);
    }
    return n;
}

static void batch_make(struct floor *f)
{
    char *at = malloc((size_t)f->pipeline * (f->size + 128));
    if (!at) die("malloc");
    f->batch = at;
    for (int i = 0; i < f->pipeline; i++) {
        int key = 10000 + (int)((unsigned)i * 2654435761U % 90000);
        at += sprintf(at, "*%d\r\n$3\r\n%s\r\n$5\r\n%d\r\n", f->set ? 3 : 2, f->set ? "SET" : "GET", key);
        if (!f->set) continue;
        at += sprintf(at, "$%zu\r\n", f->size);
        memset(at, 'x', f->size);
        at += f->size;
        *at++ = '\r';
        *at++ = '\n';
    }
    f->batch_size = (size_t)(at - f->batch);
    f->reply_size = (size_t)f->pipeline * (f->set ? 5 : (size_t)snprintf(NULL, 0, "$%zu\r\n", f->size) + f->size + 2);
}

static int connect_one(const struct floor *f)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)f->port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    int one = 1, fd = socket(AF_INET, SOCK_STREAM, 0);
    if (fd < 0 || connect(fd, (struct sockaddr *)&address, sizeof address)) die("connect");
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    return fd;
}

static void send_batch(const struct floor *f, int fd)
{
    if (write(fd, f->batch, f->batch_size) != (ssize_t)f->batch_size) die("write");
}

/* Read once. Returns whether a whole batch is answered. */
static int receive(const struct floor *f, int fd, size_t *got)
{
    static char buffer[BUFFER];
    ssize_t n = read(fd, buffer, sizeof buffer);
    if (n <= 0) die("read");
    *got += (size_t)n;
    if (*got < f->reply_size) return 0;
    *got -= f->reply_size;
    return 1;
}

static void run_epoll(const struct floor *f)
{
    int poll = epoll_create1(0), *fd = calloc((size_t)f->connections, sizeof *fd);
    size_t *got = calloc((size_t)f->connections, sizeof *got);
    long sent = 0, done = 0;
    struct epoll_event ready[EVENTS];
    if (poll < 0 || !fd || !got) die("floor");
    for (int i = 0; i < f->connections; i++, sent += f->pipeline) {
        struct epoll_event event = {.events = EPOLLIN, .data.u32 = (uint32_t)i};
        fd[i] = connect_one(f);
        if (epoll_ctl(poll, EPOLL_CTL_ADD, fd[i], &event)) die("epoll_ctl");
        send_batch(f, fd[i]);
    }
    while (done < sent) {
        int count = epoll_wait(poll, ready, EVENTS, -1);
        for (int j = 0; j < count; j++) {
            uint32_t i = ready[j].data.u32;
            if (!receive(f, fd[i], &got[i])) continue;
            done += f->pipeline;
            if (sent >= f->requests) continue;
            send_batch(f, fd[i]);
            sent += f->pipeline;
        }
    }
    free(fd);
    free(got);
}

static void run_read(const struct floor *f)
{
    int fd = connect_one(f);
    size_t got = 0;
    for (long done = 0; done < f->requests; done += f->pipeline) {
        send_batch(f, fd);
        while (!receive(f, fd, &got)) {
        }
    }
}

int main(int argc, char **argv)
{
    struct floor f;
    if (argc < 7) return fprintf(stderr, "usage: floor PORT CONNECTIONS PIPELINE SIZE REQUESTS set|get [read]\n"), 2;
    f.port = (int)number(argv[1]);
    f.connections = (int)number(argv[2]);
    f.pipeline = (int)number(argv[3]);
    f.size = (size_t)number(argv[4]);
    f.requests = number(argv[5]);
    f.set = !strcmp(argv[6], "set");
    batch_make(&f);
    if (argc > 7)
        run_read(&f);
    else
        run_epoll(&f);
    free(f.batch);
    return 0;
}
