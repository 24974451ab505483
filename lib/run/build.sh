# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# The load generator on the master: built from the checkout before anything else. An installed tree contains it already.

# The packages that the build requires, by the names of tools/deps.sh.
# shellcheck disable=SC2034 # for doctor
readonly BUILD_NEEDS='gcc gcc:stdio.h gcc:omp.h make pkg-config hiredis zlib'

# Build ./test, and with TLS=on the build with TLS, if they are out of date.
# Usage: build_make
# Globals: ROOT, and as tls_wanted
# Returns: 1 with the compiler's first error, one line on stderr, when it does not build
build_make() {
  [[ ! -x $ROOT/test || -e $ROOT/build ]] || return 0
  [[ -x $ROOT/test ]] || log_info "building the load generator"
  build_target test || return
  ! tls_wanted || build_target tls
}

# Build a target of the Makefile.
# Usage: build_target TARGET
# Returns: as build_make
build_target() {
  local log called='the load generator'
  [[ $1 == test || $1 == tls ]] || called=$1
  command -v make >/dev/null || {
    printf '%s is not built, and make is missing\n' "$called" >&2
    return 1
  }
  log=$(run_limited 900 make -s -C "$ROOT" "$1" 2>&1) || {
    printf '%s does not build (make %s): %s\n' "$called" "$1" "$(said_error <<<"$log")" >&2
    return 1
  }
}
