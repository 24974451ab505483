# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# What a run needs of the programs that are built here.

# What has to be built before a run, as targets of make: the load generator, with TLS=on the one with TLS, membench if a part needs it.
# Usage: build_look
# Globals: ROOT, and as tls_wanted and parts_programs
# Returns: sets BUILD_TARGETS, separated by blanks; empty when everything is up to date
build_look() {
  BUILD_TARGETS=
  ! build_installed || return 0
  build_fresh "$ROOT/test" "$ROOT/test.c" "$ROOT/lib/loadgen" || BUILD_TARGETS='test'
  ! tls_wanted || build_fresh "$ROOT/build/tls/test" "$ROOT/test.c" "$ROOT/lib/loadgen" || BUILD_TARGETS+=${BUILD_TARGETS:+ }tls
  ! parts_programs || build_fresh "$ROOT/build/membench/membench" "$ROOT/lib/membench" ||
    BUILD_TARGETS+=${BUILD_TARGETS:+ }membench
}
