# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# The programs that are built here from the checkout: whether they are up to date, and their build. An installed tree contains them already.

# The packages that the build requires, by the names of tools/deps.sh.
readonly BUILD_NEEDS='gcc gcc:stdio.h gcc:omp.h make pkg-config hiredis zlib'

# Whether this is an installed tree, in which nothing is built.
# Usage: build_installed
# Globals: ROOT
build_installed() {
  [[ -x $ROOT/test && ! -e $ROOT/build ]]
}

# Whether a program is there and not older than its sources; nothing is built.
# Usage: build_fresh FILE SOURCE...
build_fresh() {
  [[ -x $1 && -z $(find "${@:2}" -name '*.[ch]' -newer "$1" -print -quit) ]]
}

# Whether the load generator is up to date.
# Usage: build_ready
# Globals: BUILD_TARGETS
build_ready() {
  [[ " $BUILD_TARGETS " != *" test "* && " $BUILD_TARGETS " != *" tls "* ]]
}

# Print what is not built as a row of doctor, without the host; nothing when everything is up to date.
# Usage: build_row
# Globals: BUILD_TARGETS
build_row() {
  local missing what="load generator" text="make"
  [[ -n $BUILD_TARGETS ]] || return 0
  ! build_ready || what=membench
  missing=$(_build_missing)
  if [[ -n $missing ]]; then
    printf 'fail\t%s\tnot built, and what builds it is missing: %s\t-\tinstall: %s\n' "$what" "$missing" "$missing"
    return
  fi
  [[ $PWD == "$ROOT" ]] || text+=" -C $(printf '%q' "$ROOT")"
  printf 'warn\t%s\tnot built, or older than its sources: what depends on it is not checked\t-\t%s %s; a run does it too\n' \
    "$what" "$text" "$BUILD_TARGETS"
}

# Print what the build requires and this machine lacks, by the names of tools/deps.sh, on one line.
_build_missing() (
  # shellcheck source=tools/deps.sh
  . "$ROOT/tools/deps.sh"
  # shellcheck disable=SC2086 # names without blanks
  deps_missing run $BUILD_NEEDS | cut -d ' ' -f 3 | paste -sd ' '
)

# Build a target of the Makefile. Two runs of a checkout do so one after the other, and the second finds it built.
# Usage: build_target TARGET
# Returns: 1 with the compiler's first error, one line on stderr, when it does not build
build_target() {
  local log called='the load generator'
  [[ $1 == test || $1 == tls ]] || called=$1
  command -v make >/dev/null || {
    printf '%s is not built, and make is missing\n' "$called" >&2
    return 1
  }
  log=$(mkdir -p -- "$ROOT/build" && run_limited 900 flock "$ROOT/build/run.flock" make -s -C "$ROOT" "$1" 2>&1) || {
    printf '%s does not build (make %s): %s\n' "$called" "$1" "$(said_error <<<"$log")" >&2
    return 1
  }
}
