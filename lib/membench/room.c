/* SPDX-License-Identifier: MIT */
/* Memory of one NUMA node: see room.h. mbind(2) and get_mempolicy(2) are called by syscall(2), so that libnuma is not needed. */
#include "room.h"

#include "number.h"

#include <errno.h>
#include <limits.h>
#include <linux/mempolicy.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define HUGE_BYTES  ((size_t)2 << 20)
#define WORD_BITS   (sizeof(unsigned long) * CHAR_BIT)
#define SAMPLES     64
#define COLLAPSES   3
#define MEMINFO     "/proc/meminfo"
#define MEMINFO_MAX 8192
#define MIN_FREE    "/proc/sys/vm/min_free_kbytes"

#ifndef MADV_COLLAPSE
#define MADV_COLLAPSE 25 /* Linux 6.1 */
#endif

/* Read a small file as text. Returns 0, or -1. */
static int read_text(const char *path, char *text, size_t size)
{
    FILE *f = fopen(path, "re");
    if (!f) return -1;
    size_t n = fread(text, 1, size - 1, f);
    fclose(f);
    text[n] = 0;
    return n ? 0 : -1;
}

/* Find `NAME  N kB` in a meminfo; a node's meminfo has `Node 0 ` before each name. Returns 0 and sets *bytes, or -1. */
static int find_kib(const char *text, const char *name, uint64_t *bytes)
{
    uint64_t kib;
    const char *at = strstr(text, name);
    if (!at) return -1;
    at += strlen(name);
    at += strspn(at, " ");
    if (number_u64_n(at, strspn(at, "0123456789"), 0, UINT64_MAX >> 10, &kib)) return -1;
    *bytes = kib << 10;
    return 0;
}

int room_free_in(const char *text, uint64_t *bytes)
{
    return find_kib(text, "MemFree:", bytes);
}

/* Read the meminfo of a node. Returns 0, or -1. */
static int read_meminfo(int node, char *text, size_t size)
{
    char path[64];
    snprintf(path, sizeof path, "/sys/devices/system/node/node%d/meminfo", node);
    /* A kernel without NUMA has no such file. */
    return read_text(path, text, size) && (node || read_text(MEMINFO, text, size)) ? -1 : 0;
}

uint64_t room_reclaim(const char *node, const char *machine, const char *min_free)
{
    uint64_t part, all, kib;
    if (find_kib(node, "MemTotal:", &part) || find_kib(machine, "MemTotal:", &all) || !all) return 0;
    if (number_u64_n(min_free, strspn(min_free, "0123456789"), 0, UINT64_MAX >> 12, &kib)) return 0;
    return (uint64_t)(ROOM_MINIMA * 1024.0 * (double)kib * (double)part / (double)all);
}

int room_left_in(const char *text, uint64_t least, uint64_t *bytes)
{
    uint64_t total, active, inactive, mapped, dirty;
    if (room_free_in(text, bytes) || find_kib(text, "MemTotal:", &total)) return -1;
    if (find_kib(text, "Active(file):", &active) || find_kib(text, "Inactive(file):", &inactive)) return -1;
    if (find_kib(text, "Mapped:", &mapped) || find_kib(text, "Dirty:", &dirty)) return -1;
    if (active + inactive > mapped + dirty) *bytes += active + inactive - mapped - dirty;
    uint64_t floor = total / ROOM_FLOOR + ROOM_SMALL;
    if (floor < least) floor = least;
    *bytes = *bytes > floor ? *bytes - floor : 0;
    return 0;
}

int room_left(int node, uint64_t *bytes)
{
    char text[MEMINFO_MAX], machine[MEMINFO_MAX], min_free[32];
    uint64_t available;
    if (read_meminfo(node, text, sizeof text) || read_text(MEMINFO, machine, sizeof machine)) return -1;
    if (read_text(MIN_FREE, min_free, sizeof min_free)) return -1;
    if (room_left_in(text, room_reclaim(text, machine, min_free), bytes)) return -1;
    if (!find_kib(machine, "MemAvailable:", &available) && available < *bytes) *bytes = available;
    return 0;
}

int room_limit(int node, uint64_t *bytes)
{
    char text[MEMINFO_MAX];
    uint64_t available;
    if (read_meminfo(node, text, sizeof text)) return -1;
    if (room_free_in(text, bytes) || read_text(MEMINFO, text, sizeof text)) return -1;
    if (!find_kib(text, "MemAvailable:", &available) && available < *bytes) *bytes = available;
    *bytes /= ROOM_PART;
    return 0;
}

/* Find the largest cache of a CPU. Returns its bytes, and the number of the first CPU that shares it in *first; 0 if the kernel does not report it.
 */
static uint64_t largest_cache(const char *root, int cpu, uint64_t *first)
{
    uint64_t largest = 0;
    for (int i = 0; i < 16; i++) {
        char path[512], text[32];
        uint64_t bytes;
        snprintf(path, sizeof path, "%s/sys/devices/system/cpu/cpu%d/cache/index%d/size", root, cpu, i);
        if (read_text(path, text, sizeof text)) break;
        size_t digits = strspn(text, "0123456789");
        if (number_u64_n(text, digits, 0, UINT64_MAX >> 30, &bytes)) continue;
        bytes <<= text[digits] == 'M' ? 20 : text[digits] == 'K' ? 10 : 0;
        if (bytes <= largest) continue;
        largest = bytes;
        *first = (uint64_t)cpu;
        snprintf(path, sizeof path, "%s/sys/devices/system/cpu/cpu%d/cache/index%d/shared_cpu_list", root, cpu, i);
        if (!read_text(path, text, sizeof text)) number_u64_n(text, strspn(text, "0123456789"), 0, UINT32_MAX, first);
    }
    return largest;
}

uint64_t room_caches(const char *root, const int *cpus, int count)
{
    uint64_t sum = 0, seen[ROOM_CPUS], first = 0;
    int n = 0;
    for (int i = 0; i < count; i++) {
        uint64_t bytes = largest_cache(root, cpus[i], &first);
        int j = 0;
        while (j < n && seen[j] != first) j++;
        if (!bytes || j < n || n == ROOM_CPUS) continue;
        seen[n++] = first;
        sum += bytes;
    }
    return sum;
}

/* Bind a range to a node (MPOL_BIND). Returns 0, or -1 with errno. */
static int bind_range(void *start, size_t bytes, int node)
{
    unsigned long mask[ROOM_NODES / WORD_BITS] = {0};
    mask[(size_t)node / WORD_BITS] = 1UL << ((size_t)node % WORD_BITS);
    return (int)syscall(SYS_mbind, start, bytes, MPOL_BIND, mask, (unsigned long)ROOM_NODES, 0);
}

/* Whether a sample of the buffer's pages is on a node. */
static bool is_on(const struct room *r, int node)
{
    for (size_t i = 0; i < SAMPLES; i++) {
        int found = -1;
        size_t at = (r->bytes / SAMPLES * i) & ~(size_t)4095;
        if (syscall(SYS_get_mempolicy, &found, NULL, 0UL, r->start + at, MPOL_F_NODE | MPOL_F_ADDR) || found != node) return false;
    }
    return true;
}

/* Returns how many bytes of the mapping that contains START are in huge pages, by smaps. */
static uint64_t huge_bytes(const unsigned char *start)
{
    char line[512];
    uint64_t bytes = 0;
    FILE *f = fopen("/proc/self/smaps", "re");
    if (!f) return 0;
    bool inside = false;
    while (fgets(line, sizeof line, f)) {
        char *end;
        unsigned long from = strtoul(line, &end, 16);
        /* The first line of a mapping begins with two addresses; the lines of its counters begin with a name. */
        if (end != line && *end == '-')
            inside = from <= (unsigned long)start && (unsigned long)start < strtoul(end + 1, NULL, 16);
        else if (inside && !strncmp(line, "AnonHugePages:", 14))
            find_kib(line, "AnonHugePages:", &bytes);
    }
    fclose(f);
    return bytes;
}

int room_take(struct room *r, size_t bytes, int node, const char **why)
{
    *r = (struct room){0};
    bytes &= ~(HUGE_BYTES - 1);
    if (!bytes) {
        *why = "less than 2 MiB may be taken";
        errno = ENOMEM;
        return -1;
    }
    /* Map one huge page more, to align the start; unmap the rest. */
    unsigned char *all = mmap(NULL, bytes + HUGE_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (all == MAP_FAILED) {
        *why = "cannot map memory";
        return -1;
    }
    size_t before = (HUGE_BYTES - (size_t)all % HUGE_BYTES) % HUGE_BYTES;
    if (before) munmap(all, before);
    if (HUGE_BYTES - before) munmap(all + before + bytes, HUGE_BYTES - before);
    r->start = all + before;
    r->bytes = bytes;
    /* A kernel without NUMA has one node, and no mbind. */
    if (bind_range(r->start, bytes, node) && !(errno == ENOSYS && node == 0)) {
        *why = "mbind failed";
        room_unmap(r);
        return -1;
    }
    return 0;
}

int room_check(const struct room *r, int node, const char **why)
{
    errno = 0;
    if (is_on(r, node) || errno == ENOSYS) return 0;
    *why = "the kernel put the memory on another node";
    errno = 0;
    return -1;
}

int room_loosen(struct room *r, const char **why)
{
    if (!syscall(SYS_mbind, r->start, r->bytes, MPOL_DEFAULT, NULL, 0UL, 0) || errno == ENOSYS) return 0;
    *why = "mbind failed";
    return -1;
}

int room_map(struct room *r, size_t bytes, int node, const char **why)
{
    if (room_take(r, bytes, node, why)) return -1;
    bytes = r->bytes;
    madvise(r->start, bytes, MADV_HUGEPAGE);
    memset(r->start, 1, bytes);
    r->huge = huge_bytes(r->start) >= bytes / 10 * 9;
    /* MADV_COLLAPSE works even if transparent huge pages are off. */
    for (int i = 0; i < COLLAPSES && !r->huge; i++) {
        int rc = madvise(r->start, bytes, MADV_COLLAPSE);
        r->huge = huge_bytes(r->start) >= bytes / 10 * 9;
        /* EAGAIN: a page was temporarily in use. */
        if (rc && errno != EAGAIN) break;
    }
    if (room_check(r, node, why)) {
        room_unmap(r);
        return -1;
    }
    return 0;
}

void room_trim(struct room *r, size_t bytes)
{
    munmap(r->start + bytes, r->bytes - bytes);
    r->bytes = bytes;
}

void room_unmap(struct room *r)
{
    if (r->start) munmap(r->start, r->bytes);
    *r = (struct room){0};
}
