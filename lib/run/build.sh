# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# The load generator on the master: built from the checkout before anything else; an installed tree brings it along.

# What the build needs, by the names of tools/deps.sh.
# shellcheck disable=SC2034 # for doctor
readonly BUILD_NEEDS='gcc gcc:stdio.h gcc:omp.h make pkg-config hiredis zlib'

# Build ./test, and with TLS=on the one with TLS, where they are not up to date.
# Usage: build_make
# Globals: ROOT, and as tls_wanted
# Returns: 1 with the compiler's first error, one line on stderr, when it does not build
build_make() {
  [[ ! -x $ROOT/test || -e $ROOT/build ]] || return 0
  [[ -x $ROOT/test ]] || log_info "building the load generator"
  _build_target test || return
  ! tls_wanted || _build_target tls
}

# Usage: _build_target TARGET
_build_target() {
  local log
  command -v make >/dev/null || {
    printf 'the load generator is not built, and make is missing\n' >&2
    return 1
  }
  log=$(run_limited 900 make -s -C "$ROOT" "$1" 2>&1) || {
    printf 'the load generator does not build (make %s): %s\n' "$1" "$(said_error <<<"$log")" >&2
    return 1
  }
}
