# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# For tests of runs that search: a server whose replies take time, and a copy of the project whose searches end early.

# Make a copy of the project in this directory, whose searches have rungs STEP apart and at most STEPS steps.
# Usage: search_short STEP STEPS   Returns: 0
search_short() {
  cp -rp "$REPO"/{lib,conf,tools,do_it.sh,test.c,Makefile,test} .
  sed -i "s/^readonly SEARCH_FULL=.*/readonly SEARCH_FULL=\"$1 $2\" SEARCH_QUICK=\"$1 $2\"/" lib/part/search/master.sh
}

# Make slow.so, with which each reply of a Redis takes 0.5 ms at least. The first reply 270 ms after a stall is a stall, too.
# Usage: slow_make   Globals: STALL_US, the microseconds of a stall (0)   Returns: 0
slow_make() {
  need_command cc
  cat >slow.c <<'END'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <time.h>
#include <unistd.h>
ssize_t write(int fd, const void *data, size_t size) {
  static ssize_t (*next)(int, const void *, size_t);
  static double stalled;
  struct timespec now;
  if (!next) next = (ssize_t (*)(int, const void *, size_t))dlsym(RTLD_NEXT, "write");
  usleep(500);
  clock_gettime(CLOCK_MONOTONIC, &now);
  if (now.tv_sec + now.tv_nsec / 1e9 >= stalled + 0.27) {
    usleep(STALL_US);
    clock_gettime(CLOCK_MONOTONIC, &now);
    stalled = now.tv_sec + now.tv_nsec / 1e9;
  }
  return next(fd, data, size);
}
END
  cc -shared -fPIC -O1 -DSTALL_US="${STALL_US:-0}" -o slow.so slow.c -ldl
}
