# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# A program of this project on this host, identified by its key: find the cached copy, or build it from source.
# Reads lacks: DEPS_SCRIPT
#   DEPS_SCRIPT is the text of tools/deps.sh

# Usage: main have NAME KEY | build NAME KEY TARGET FILE | lacks NAME...
main() {
  local verb=$1
  shift
  workdir_open
  workdir_lock client
  "host_program_$verb" "$@"
}

# Print `yes PATH` if the cached program runs here. Else print `no`, the machine, and the loader's reason why it does not start.
# Usage: host_program_look NAME KEY
host_program_look() {
  local binary=$WORK/cache/$1-$2 why=
  # On a noexec mount, -x (access(2)) fails even for root and with mode 700.
  [[ ! -e $binary ]] || { chmod 700 "$binary" && [[ -x $binary ]]; } ||
    fail "REMOTE_DIR=$WORK: programs cannot be run there (mounted noexec?); set REMOTE_DIR to a directory where they can"
  if [[ -e $binary ]] && why=$(run_limited 10 "$binary" --version 2>&1); then
    printf 'yes\t%s\n' "$binary"
  else
    printf 'no\t%s\t%s\n' "$(uname -m)" "$(said_why <<<"${why#"$binary: "}" | tr -d '[:cntrl:]')"
  fi
}

# As host_program_look. A program that runs is marked as used; those of older versions are removed.
# Usage: host_program_have NAME KEY
host_program_have() {
  local said
  said=$(host_program_look "$@")
  printf '%s\n' "$said"
  [[ $said == yes$'\t'* ]] || return 0
  # The file's time is that of its last use; files that were not used for a month belong to older versions.
  touch -c -- "$WORK/cache/$1-$2"
  find "$WORK/cache" -maxdepth 1 -type f -name "$1-*" ! -name "$1-$2" -mtime +30 -exec rm -f -- {} +
}

# Build the program from the sources in cache/KEY.tar, unless another run has built it since: make TARGET creates FILE.
# Usage: host_program_build NAME KEY TARGET FILE
host_program_build() {
  local source=$WORK/cache/source-$2 said
  said=$(host_program_look "$1" "$2")
  [[ $said != yes$'\t'* ]] || {
    rm -f -- "$WORK/cache/$2.tar"
    host_program_have "$1" "$2"
    return
  }
  rm -rf -- "$source"
  mkdir -p -- "$source"
  tar -xf "$WORK/cache/$2.tar" -C "$source"
  run_limited 600 make -C "$source" "$3" >"$source.log" 2>&1 || fail "$(host_program_called "$1") does not build here: $(said_error <"$source.log")"
  mv -f -- "$source/$4" "$WORK/cache/$1-$2"
  rm -rf -- "$source" "$WORK/cache/$2.tar"
  host_program_have "$1" "$2"
}

# Print what a build requires and this host lacks, by the names of tools/deps.sh.
# Usage: host_program_lacks NAME...
host_program_lacks() {
  # shellcheck disable=SC2016 # expanded by the script
  printf 'lacks\t%s\n' "$(run_limited 60 bash -c "$DEPS_SCRIPT"$'\n''deps_missing run "$@" | cut -d " " -f 3 | paste -sd " "' deps.sh "$@")"
}

# Print the name of a program for messages.
host_program_called() {
  if [[ $1 == test ]]; then echo "the load generator"; else echo "$1"; fi
}
