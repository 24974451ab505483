/* SPDX-License-Identifier: MIT */
/* membench: the order of the pointer chase, memory on a node, threads at a rate, the end of a load, and pages divided between nodes. */
#include "chase.h"
#include "hold.h"
#include "room.h"
#include "spread.h"
#include "stream.h"
#include "unit.h"
#include "watch.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static void the_links_are_one_cycle_through_all_lines(void)
{
    for (size_t lines = 2; lines < 3000; lines = lines * 3 + 1) {
        unsigned char *start = aligned_alloc(ROOM_LINE, lines * ROOM_LINE);
        struct chase c = chase_link(start, lines * ROOM_LINE, lines);
        void **at = c.at;
        size_t steps = 0, next = 0;
        do {
            void **to = *at;
            CHECK(((unsigned char *)to - start) % ROOM_LINE == 0 && (unsigned char *)to >= start && (unsigned char *)to < start + lines * ROOM_LINE);
            next += (unsigned char *)to - (unsigned char *)at == ROOM_LINE;
            at = to;
            steps++;
        } while (at != c.at && steps <= lines);
        CHECK_SAME(steps, lines);
        /* In random order, only about one line is followed by its neighbour. */
        CHECK(lines < 100 || next < 15);
        CHECK(chase_run(&c, 0.001) > 0);
        CHECK(chase_best(&c, 0.008) > 0);
        free(start);
    }
}

static void what_is_free_is_read_from_a_node_and_from_the_machine(void)
{
    uint64_t bytes = 0;
    CHECK_SAME(room_free_in("Node 1 MemTotal:  134217728 kB\nNode 1 MemFree:   1000 kB\n", &bytes), 0);
    CHECK_SAME(bytes, 1024000);
    CHECK_SAME(room_free_in("MemTotal: 9 kB\nMemFree:   5 kB\nMemAvailable: 7 kB\n", &bytes), 0);
    CHECK_SAME(bytes, 5120);
    CHECK_SAME(room_free_in("MemTotal: 9 kB\n", &bytes), -1);
    CHECK_SAME(room_free_in("MemFree: many kB\n", &bytes), -1);
    CHECK_SAME(room_limit(0, &bytes), 0);
    CHECK(bytes > 0);
    CHECK_SAME(room_limit(ROOM_NODES - 1, &bytes), -1);
}

/* Write a file of a CPU's cache below the directory ROOT. */
static void cache_make(const char *root, int cpu, const char *size, const char *shared)
{
    char path[UNIT_PATH + 100];
    snprintf(path, sizeof path, "mkdir -p %s/sys/devices/system/cpu/cpu%d/cache/index0", root, cpu);
    CHECK_SAME(system(path), 0);
    for (int i = 0; i < 2; i++) {
        snprintf(path, sizeof path, "%s/sys/devices/system/cpu/cpu%d/cache/index0/%s", root, cpu, i ? "shared_cpu_list" : "size");
        FILE *f = fopen(path, "w");
        CHECK(f && fputs(i ? shared : size, f) >= 0 && !fclose(f));
    }
}

static void every_cache_of_the_cpus_counts_once(void)
{
    char root[UNIT_PATH], remove[UNIT_PATH + 8];
    const int cpus[] = {0, 1, 2, 3, 7};
    unit_template(root, "membench_test");
    CHECK(mkdtemp(root));
    cache_make(root, 0, "32768K\n", "0-1,8\n");
    cache_make(root, 1, "32768K\n", "0-1,8\n");
    cache_make(root, 2, "96M\n", "2-3\n");
    cache_make(root, 3, "96M\n", "2-3\n");
    CHECK_SAME(room_caches(root, cpus, 1), 32 << 20);
    CHECK_SAME(room_caches(root, cpus, 2), 32 << 20);
    CHECK_SAME(room_caches(root, cpus, 5), 128 << 20);
    CHECK_SAME(room_caches(root, cpus + 4, 1), 0);
    snprintf(remove, sizeof remove, "rm -r %s", root);
    CHECK_SAME(system(remove), 0);
}

static void memory_is_mapped_whole_and_given_back(void)
{
    struct room r;
    const char *why = "";
    CHECK_SAME(room_map(&r, ((size_t)4 << 20) + 5, 0, &why), 0);
    CHECK_SAME(r.bytes, 4 << 20);
    CHECK(r.start && r.start[0] == 1 && r.start[r.bytes - 1] == 1);
    room_unmap(&r);
    CHECK(!r.start);
    CHECK_SAME(room_map(&r, 4096, 0, &why), -1);
    CHECK(!strcmp(why, "less than 2 MiB may be taken"));
    /* A node that does not exist. */
    CHECK_SAME(room_map(&r, (size_t)4 << 20, ROOM_NODES - 1, &why), -1);
}

static void what_a_node_can_give_leaves_room_for_the_kernel(void)
{
    uint64_t bytes = 0;
    const char *text = "Node 0 MemTotal: 1024000 kB\nNode 0 MemFree: 100000 kB\nNode 0 Active(file): 3000 kB\nNode 0 Inactive(file): 2000 kB\n"
                       "Node 0 Dirty: 1500 kB\nNode 0 Mapped: 500 kB\n";
    CHECK_SAME(room_left_in(text, 0, &bytes), 0);
    /* Free, and cached files that are neither dirty nor mapped, less 1 % and 16 MiB. */
    CHECK_SAME(bytes, UINT64_C(1024) * (100000 + 3000 - 10240 - 16384));
    /* A quarter of the machine has a quarter of twice the min. */
    CHECK_SAME(room_reclaim(text, "MemTotal: 4096000 kB\n", "45056\n"), UINT64_C(1024) * 22528);
    CHECK_SAME(room_left_in(text, UINT64_C(1024) * 30000, &bytes), 0);
    CHECK_SAME(bytes, UINT64_C(1024) * (100000 + 3000 - 30000));
    CHECK_SAME(
        room_left_in("MemTotal: 1024000 kB\nMemFree: 20000 kB\nActive(file): 3 kB\nInactive(file): 2 kB\nDirty: 9 kB\nMapped: 0 kB\n", 0, &bytes), 0);
    CHECK_SAME(bytes, 0);
    CHECK_SAME(room_left_in("MemTotal: 1024000 kB\nMemFree: 20000 kB\n", 0, &bytes), -1);
    CHECK_SAME(room_left(0, &bytes), 0);
    CHECK(bytes > 0);
    CHECK_SAME(room_left(ROOM_NODES - 1, &bytes), -1);
}

static void cold_memory_is_taken_only_while_enough_stays_free(void)
{
    struct room r;
    struct watch w = {0};
    const char *why = "";
    size_t zeros = 0;
    CHECK_SAME(hold_map(&r, ((size_t)34 << 20) + 5, (size_t)34 << 20, 0, 0, &w, &why), 0);
    CHECK_SAME(r.bytes, 34 << 20);
    for (size_t i = 0; i < r.bytes; i += 4096) zeros += !r.start[i] && !r.start[i + 1] && !r.start[i + 2];
    CHECK(zeros < 10);
    room_unmap(&r);
    CHECK_SAME(hold_map(&r, (size_t)4 << 20, (size_t)4 << 20, 0, UINT64_MAX / 2, &w, &why), -1);
    CHECK(!strcmp(why, "has no room for so much memory") && !r.start);
    CHECK_SAME(hold_map(&r, (size_t)4 << 20, (size_t)4 << 20, ROOM_NODES - 1, 0, &w, &why), -1);
    CHECK(!r.start);
    /* A part will do, and there is room for no more. */
    uint64_t left = 0;
    CHECK_SAME(room_left(0, &left), 0);
    CHECK_SAME(hold_map(&r, (size_t)8 << 30, 1, 0, left - ((uint64_t)200 << 20), &w, &why), 0);
    CHECK_WITHIN(r.bytes, 32 << 20, 1 << 30);
    room_unmap(&r);
    /* A process that there is not. */
    w.pid = INT32_MAX;
    CHECK_SAME(hold_map(&r, (size_t)4 << 20, (size_t)4 << 20, 0, 0, &w, &why), 1);
    CHECK(!r.start);
}

static void what_is_left_of_a_node_is_filled_too(void)
{
    const size_t mib = (size_t)1 << 20;
    CHECK_SAME(hold_part(1000 * mib, 100 * mib, 500 * mib), 32 * mib);
    CHECK_SAME(hold_part(1000 * mib, 100 * mib, 20 * mib), 20 * mib);
    /* Less than a part fits: whole huge pages of it. */
    CHECK_SAME(hold_part(113 * mib, 100 * mib, 500 * mib), 12 * mib);
    CHECK_SAME(hold_part(101 * mib, 100 * mib, 500 * mib), 0);
    CHECK_SAME(hold_part(99 * mib, 100 * mib, 500 * mib), 0);
}

static void threads_go_through_their_parts_until_they_are_ended(void)
{
    const int cpus[2] = {0, 0};
    static _Alignas(128) unsigned char room[1 << 20];
    struct stream *s = stream_begin(room, sizeof room, cpus, 2, STREAM_WRITE, 0);
    CHECK(s);
    if (!s) return;
    CHECK(stream_rate(s, 0.01) >= 0);
    CHECK(stream_bytes(s) > 0);
    while (stream_bytes(s) < 4 * sizeof room) usleep(1000);
    stream_end(s);
    CHECK(room[0] == 1 && room[sizeof room - 8] == 4);
    /* A CPU that no machine has. */
    const int odd[1] = {65535};
    CHECK(!stream_begin(room, sizeof room, odd, 1, STREAM_READ, 0));
}

static void a_rate_is_not_passed(void)
{
    const int cpus[1] = {0};
    static _Alignas(128) unsigned char room[1 << 20];
    /* 2 MB/s: a slow machine may stay below; no machine exceeds it by more than the current chunk. */
    uint64_t began = stream_now();
    struct stream *s = stream_begin(room, sizeof room, cpus, 1, STREAM_READ, 2e6);
    CHECK(s);
    if (!s) return;
    stream_rate(s, 0.2);
    uint64_t bytes = stream_bytes(s);
    CHECK_WITHIN(bytes, 1, 2e6 * (double)(stream_now() - began) / 1e9 + 4096);
    stream_end(s);
}

static void a_load_is_over_with_the_one_that_asked_for_it(void)
{
    struct watch w = {0};
    char text[UNIT_PATH + 8], path[UNIT_PATH];
    FILE *f = fopen("/proc/self/stat", "re");
    char line[1024] = "";
    CHECK(f && fgets(line, sizeof line, f));
    if (f) fclose(f);
    char *rest = strrchr(line, ')'), start[32] = "";
    CHECK_SAME(rest ? sscanf(rest, ") %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %31s", start) : 0, 1);
    CHECK(!watch_over(&w));
    snprintf(text, sizeof text, "%d:%s", (int)getpid(), start);
    CHECK_SAME(watch_process(&w, text), 0);
    CHECK(!watch_over(&w));
    w.start++;
    CHECK(watch_over(&w));
    w = (struct watch){0};
    unit_template(path, "membench_test");
    int fd = mkstemp(path);
    CHECK(fd >= 0);
    if (fd >= 0) close(fd);
    snprintf(text, sizeof text, "%s:3600", path);
    CHECK_SAME(watch_lease(&w, text), 0);
    CHECK(!watch_over(&w));
    const struct timespec old[2] = {{.tv_sec = 1}, {.tv_sec = 1}};
    CHECK_SAME(utimensat(AT_FDCWD, path, old, 0), 0);
    CHECK(watch_over(&w));
    unlink(path);
    w.seconds = UINT32_MAX;
    CHECK(watch_over(&w));
    CHECK_SAME(watch_process(&w, "12"), -1);
    CHECK_SAME(watch_process(&w, "x:1"), -1);
    CHECK_SAME(watch_lease(&w, ":5"), -1);
    CHECK_SAME(watch_lease(&w, "file:0"), -1);
}

static void a_share_of_the_pages_belongs_on_near_nodes(void)
{
    struct spread s = {.near = {3, 5}, .nears = 2, .far = {7}, .fars = 1};
    for (uint64_t first = 0x7f0000000; first < 0x7f0200000; first += 0x80000) {
        const uint64_t pages = 10000;
        unsigned char before[10000] = {0};
        for (int percent = 100; percent >= 0; percent -= 2) {
            uint64_t on[8] = {0};
            s.share = percent / 100.0;
            for (uint64_t i = 0; i < pages; i++) {
                int node = spread_node(&s, first + i);
                on[node]++;
                /* A page that is far stays there when the share shrinks. */
                CHECK(!before[i] || node == 7);
                before[i] = node == 7;
            }
            CHECK_SAME(on[3] + on[5] + on[7], pages);
            CHECK(on[7] + 20 > pages - pages * (uint64_t)percent / 100 && on[7] < pages - pages * (uint64_t)percent / 100 + 20);
            CHECK(on[3] + 60 > on[5] && on[5] + 60 > on[3]);
        }
    }
}

static void pages_of_a_process_are_counted_and_those_of_no_node_refused(void)
{
    /* Another program: the address space of this one has the sanitizer's huge mappings. */
    int ends[2];
    char ready;
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends)) return;
    pid_t child = fork();
    if (child == 0) {
        if (dup2(ends[1], 0) < 0 || dup2(ends[1], 1) < 0) _exit(127);
        close(ends[0]);
        close(ends[1]);
        execlp("sh", "sh", "-c", "echo; read end", (char *)NULL);
        _exit(127);
    }
    close(ends[1]);
    CHECK(read(ends[0], &ready, 1) == 1);
    struct spread s = {.near = {0}, .nears = 1, .far = {0}, .fars = 1, .share = 0.5};
    CHECK_SAME(spread_process(&s, child), 0);
    CHECK(s.pages > 3);
    CHECK_SAME(s.moved + s.misplaced, 0);
    s = (struct spread){.near = {0}, .nears = 1, .far = {ROOM_NODES - 1}, .fars = 1, .share = 0.5};
    CHECK_SAME(spread_process(&s, child), -1);
    close(ends[0]);
    waitpid(child, NULL, 0);
    CHECK_SAME(spread_process(&s, child), -1);
}

int main(void)
{
    TEST("the links are one cycle through all lines, in an order that is not theirs", the_links_are_one_cycle_through_all_lines);
    TEST("what is free is read from a node, and from the machine", what_is_free_is_read_from_a_node_and_from_the_machine);
    TEST("every cache of the CPUs counts once", every_cache_of_the_cpus_counts_once);
    TEST("memory is mapped whole, and given back", memory_is_mapped_whole_and_given_back);
    TEST("what a node can give leaves room for the kernel", what_a_node_can_give_leaves_room_for_the_kernel);
    TEST("cold memory is taken only while enough stays free", cold_memory_is_taken_only_while_enough_stays_free);
    TEST("what is left of a node is filled too, where it is less than a part", what_is_left_of_a_node_is_filled_too);
    TEST("threads go through their parts until they are ended", threads_go_through_their_parts_until_they_are_ended);
    TEST("a rate is not passed", a_rate_is_not_passed);
    TEST("a load is over with the one that asked for it", a_load_is_over_with_the_one_that_asked_for_it);
    TEST("a share of the pages belongs on near nodes, evenly, and what is far stays far", a_share_of_the_pages_belongs_on_near_nodes);
    TEST("the pages of a process are counted, and a node that is not there is refused", pages_of_a_process_are_counted_and_those_of_no_node_refused);
    return UNIT_END;
}
